"""Chains with exactly two liberties, recognised by arithmetic.

If a chain is adjacent to its liberties a and b i and j times, its packed liberties (`kikashi.board.position`) satisfy
count * squares - sum * sum == i * j * (a - b) ** 2. Few numbers have that form, so a small hashed set of them rejects
nearly all chains with more liberties, without looking at the board.
"""

from itertools import combinations_with_replacement

import numpy as np

from kikashi.board.points import EMPTY, MAX_SIZE, PASS, STRIDE
from kikashi.board.position import (
    COUNT_AT,
    SQUARES_MASK,
    SUM_AT,
    SUM_MASK,
    Board,
    adjacencies,
    are_one_point,
    enemy_of,
    neighbours,
    one_liberty,
    only_liberty_is,
    the_point,
)
from kikashi.board.queries import find_liberties_after, second_liberty
from kikashi.jit import inlined, kernel

SAFE = 3
"""Liberties that an extension must give a chain with two."""
_MAX_ADJACENCIES = 8
"""A chain is adjacent to each of two points at most four times."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_BITS = 16
_U3, _U7, _U48 = np.uint64(3), np.uint64(7), np.uint64(64 - _BITS)


def _hashed_set() -> np.ndarray:
    """Return a table with a bit set for each hash of a count and a spread that two liberties can have."""
    table = np.zeros(1 << (_BITS - 3), np.uint8)
    near = range(1 - MAX_SIZE, MAX_SIZE)
    squares = {(STRIDE * rows + columns) ** 2 for rows in near for columns in near} - {0}
    for i, j in combinations_with_replacement(range(1, _MAX_ADJACENCIES // 2 + 1), 2):
        for square in squares:
            hashed = (8 * i * j * square + ((i + j) & 7)) * int(_FACTOR) % 2**64 >> (64 - _BITS)
            table[hashed >> 3] |= 1 << (hashed & 7)
    return table


_TWO = _hashed_set()


@inlined
def may_have_two_liberties(board: Board, stone: int) -> int:
    """Return 1 if the chain of `stone` has two liberties, 0 if it has one, rarely 1 if it has more.

    Branch-free. Meaningless off the board.
    """
    liberties = board.liberties[board.chain[np.uintp(stone)]]
    count, total = liberties >> COUNT_AT, (liberties >> SUM_AT) & SUM_MASK
    spread = count * (liberties & SQUARES_MASK) - total * total
    hashed = (np.uint64(8 * spread + (count & 7)) * _FACTOR) >> _U48
    is_listed = np.int64(_TWO[hashed >> _U3]) >> np.int64(hashed & _U7)
    return is_listed & np.int64((spread != 0) & (count <= _MAX_ADJACENCIES))


@kernel
def liberty_pair(board: Board, stone: int) -> tuple[int, int]:
    """Return the liberties of the chain of `stone` if it has exactly two, else PASS twice."""
    liberties = board.liberties[board.chain[np.uintp(stone)]]
    if liberties >> COUNT_AT == 2 and not are_one_point(liberties):
        total = (liberties >> SUM_AT) & SUM_MASK
        apart = np.int64(np.sqrt(np.float64(2 * (liberties & SQUARES_MASK) - total * total)))
        return (total + apart) >> 1, (total - apart) >> 1
    a = a_liberty(board, stone)
    b = second_liberty(board, stone, a)
    return (a, b) if b != PASS else (np.int64(PASS), np.int64(PASS))


@kernel
def a_liberty(board: Board, stone: int) -> int:
    """Return a liberty of the chain of `stone`, preferring one beside the stone."""
    first = np.int64(stone)
    p = first
    while True:
        n, e, s, w = neighbours(p)
        across = w if board.color[w] == EMPTY else e
        along = s if board.color[s] == EMPTY else n
        if board.color[across] == EMPTY or board.color[along] == EMPTY:
            return np.int64(across if board.color[across] == EMPTY else along)
        p = np.int64(board.next[np.uintp(p)])
        if p == first:
            return np.int64(PASS)


@kernel
def are_neighbours(p: int, q: int) -> bool:
    """Return whether two points of the board are adjacent."""
    steps = abs(np.int64(p) - np.int64(q))
    return (steps == 1) | (steps == STRIDE)


@kernel
def gains_liberties(board: Board, stone: int, p: int, other: int, found: np.ndarray) -> bool:
    """Return whether the chain of `stone`, with liberties `p` and `other`, has three or more once its owner plays `p`.

    Walks over chains, with `found` as scratch space, only if that captures.
    """
    fresh = board.liberties[np.uintp(p)]
    if are_neighbours(p, other):
        fresh -= one_liberty(np.int64(other))
    count = 1 + (fresh >> COUNT_AT)
    if count >= SAFE:
        return True
    known = (fresh >> SUM_AT) & SUM_MASK  # at most one point: itself, or PASS
    owner = board.color[np.uintp(stone)]
    joined = np.int64(PASS)
    for q in neighbours(p):
        if board.color[q] == owner and board.chain[q] != board.chain[np.uintp(stone)]:
            rest = _without(board, board.chain[q], p, other, known)
            if not are_one_point(rest):
                return True
            if rest != 0 and the_point(rest) != joined:
                joined = the_point(rest)
                count += 1
        elif board.color[q] == enemy_of(owner) and only_liberty_is(board, q, p):
            return find_liberties_after(board, p, np.int64(owner), found, SAFE) >= SAFE
    return count >= SAFE


@kernel
def _without(board: Board, chain: int, p: int, other: int, known: int) -> int:
    """Return the packed liberties of a chain without three points, of which `known` may be PASS."""
    rest = board.liberties[chain] - adjacencies(board, chain, p) * one_liberty(np.int64(p))
    rest -= adjacencies(board, chain, other) * one_liberty(np.int64(other))
    return rest if known == PASS else rest - adjacencies(board, chain, known) * one_liberty(np.int64(known))
