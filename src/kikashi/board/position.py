"""The compiled board: one record per position, and the moves that change it.

Chains are circular lists of stones (`next`) with a name (`chain`, one of their points). The representation of liberties
makes the board fast. Each chain and each empty point has one integer that sums over its adjacent empty points, once per
adjacency: their count (bits 49 and up), their sum (29–48) and the sum of their squares (0–28). So

- placing a stone subtracts one number at its four neighbours, walls included, without any test;
- the liberties of a stone just placed are already known, since its point kept them while it was empty;
- a chain is in atari exactly if count * squares == sum * sum (equality in Cauchy–Schwarz: all are the same point).

Moves only exchange entries of `next`, so it stays a permutation: a walk along it returns to its start even on a board
whose colours a faulty part has overwritten.
"""

from functools import cache

import numpy as np

from kikashi.board.board_types import Board as Board, MutableBoard
from kikashi.board.points import (
    BLACK,
    EMPTY,
    MAX_SIZE,
    MIN_SIZE,
    PASS,
    POINTS,
    STRIDE,
    WALL,
    WHITE,
    points_of,
)
from kikashi.jit import inlined, kernel

EMPTY_CAPACITY = MAX_SIZE * MAX_SIZE + 3
BOARD = np.dtype(
    [
        ("liberties", "i8", (POINTS,)),  # packed as above, by name of a chain or by empty point
        ("hash", "u8"),
        *((name, "u2", (POINTS,)) for name in ("chain", "next", "stones")),
        ("empty", "u2", (EMPTY_CAPACITY,)),
        ("empty_at", "u2", (POINTS,)),
        ("color", "u1", (POINTS,)),
        *((name, "i4") for name in ("empty_count", "size", "to_play", "ko", "captured", "balance")),
    ],
    align=True,
)
"""A board. `kikashi.board.board_types.Board` describes the fields."""

ZOBRIST = np.random.PCG64(20060601).random_raw((3, POINTS))
"""Zobrist keys by colour and point. Never change them: hashes are written to files."""

SUM_AT = 29
COUNT_AT = 49
SUM_MASK = (1 << (COUNT_AT - SUM_AT)) - 1
SQUARES_MASK = (1 << SUM_AT) - 1


# --- geometry --------------------------------------------------------------------------------------------------------
# Points are cast to unsigned before they index, so that Numba emits no test for negative indices.


@kernel
def north(p: int) -> int:
    """Return the point above `p`; a wall at the edge."""
    return np.uintp(np.int64(p) + STRIDE)


@kernel
def south(p: int) -> int:
    """Return the point below `p`; a wall at the edge."""
    return np.uintp(np.int64(p) - STRIDE)


@kernel
def east(p: int) -> int:
    """Return the point to the right of `p`; a wall at the edge."""
    return np.uintp(np.int64(p) + 1)


@kernel
def west(p: int) -> int:
    """Return the point to the left of `p`; a wall at the edge."""
    return np.uintp(np.int64(p) - 1)


@inlined
def neighbours(p: int) -> tuple[int, int, int, int]:
    """Return the points above, to the right of, below and to the left of `p`; walls at the edge."""
    return north(p), east(p), south(p), west(p)


@kernel
def surrounding(board: Board, p: int) -> int:
    """Return the AND of the four neighbours' colours: BLACK or WHITE among that colour and walls alone, else EMPTY."""
    color = board.color
    return color[north(p)] & color[east(p)] & color[south(p)] & color[west(p)]


@inlined
def enemy_of(color: int) -> int:
    """Return the other colour of BLACK and WHITE, in kernels."""
    return BLACK + WHITE - color


# --- packed liberties ------------------------------------------------------------------------------------------------


@kernel
def one_liberty(p: int) -> int:
    """Return one adjacency of the empty point `p`, packed."""
    return p * (p + (1 << SUM_AT)) + (1 << COUNT_AT)


@kernel
def has_empty_neighbour(board: Board, p: int) -> bool:
    """Return whether a neighbour of the empty point `p` is empty: then `p` is neither suicide nor a ko capture."""
    return board.liberties[np.uintp(p)] != 0


@kernel
def empty_neighbours(board: Board, p: int) -> int:
    """Return the number of empty neighbours of the empty point `p`."""
    return board.liberties[np.uintp(p)] >> COUNT_AT


@kernel
def are_one_point(liberties: int) -> bool:
    """Return whether packed liberties are all the same point, or none."""
    points = (liberties >> SUM_AT) & SUM_MASK
    return (liberties >> COUNT_AT) * (liberties & SQUARES_MASK) == points * points


@kernel
def the_point(liberties: int) -> int:
    """Return the point of packed liberties that are all the same; there must be at least one."""
    return ((liberties >> SUM_AT) & SUM_MASK) // (liberties >> COUNT_AT)


@kernel
def in_atari(board: Board, p: int) -> bool:
    """Return whether the chain of the stone at `p` has exactly one liberty."""
    return are_one_point(board.liberties[board.chain[np.uintp(p)]])


@kernel
def atari_liberty(board: Board, p: int) -> int:
    """Return the last liberty of the chain of the stone at `p`, which must be in atari."""
    return the_point(board.liberties[board.chain[np.uintp(p)]])


@kernel
def adjacencies(board: Board, chain: int, p: int) -> int:
    """Return the number of neighbours of `p` that belong to a chain, given by name."""
    count = np.int64(board.chain[north(p)] == chain) + np.int64(board.chain[east(p)] == chain)
    return count + np.int64(board.chain[south(p)] == chain) + np.int64(board.chain[west(p)] == chain)


@kernel
def liberties_besides(board: Board, stone: int, p: int) -> int:
    """Return the packed liberties of the chain of `stone` without its liberty `p`; 0 if it has no other."""
    chain = board.chain[np.uintp(stone)]
    return board.liberties[chain] - adjacencies(board, chain, p) * one_liberty(np.int64(p))


@kernel
def only_liberty_is(board: Board, stone: int, p: int) -> bool:
    """Return whether `p` is the only liberty of the chain of `stone`. Cheaper than `in_atari` where `p` is known."""
    liberties = board.liberties[board.chain[np.uintp(stone)]]
    return liberties == (liberties >> COUNT_AT) * one_liberty(np.int64(p))


# --- moves -----------------------------------------------------------------------------------------------------------


@kernel
def play(board: MutableBoard, p: int) -> None:
    """Play at the empty point `p`, or PASS, for the side to play, changing `board`. Ko is not checked.

    A chain left without liberties by its own move is removed (suicide), as in Tromp–Taylor rules.
    """
    if p == PASS:
        pass_turn(board)
        return
    color = board.to_play
    enemy = enemy_of(color)
    p = np.int64(p)
    n, e, s, w = north(p), east(p), south(p), west(p)  # `neighbours` here would slow playouts by 6 %
    _occupy(board, p, color)
    taken = _take_liberty(board, n, p, enemy) | _take_liberty(board, e, p, enemy)
    taken |= _take_liberty(board, s, p, enemy) | _take_liberty(board, w, p, enemy)
    own = p
    for q in (n, e, s, w):
        if board.color[q] == color:
            own = _join(board, p, own, np.int64(board.chain[q]))
    board.to_play = enemy
    board.ko = PASS
    board.captured = 0
    if taken:
        walled_in = surrounding(board, p) & enemy
        for q in (n, e, s, w):
            if board.color[q] == enemy and board.liberties[board.chain[q]] == 0:
                _remove_chain(board, np.int64(board.chain[q]), enemy)
        if walled_in and board.captured == 1:
            board.ko = board.empty[board.empty_count - 1]
    elif board.liberties[own] == 0:
        _remove_chain(board, own, color)


@kernel
def pass_turn(board: MutableBoard) -> None:
    """Pass, changing `board`."""
    board.to_play = enemy_of(board.to_play)
    board.ko = PASS
    board.captured = 0


@kernel
def _occupy(board: MutableBoard, p: int, color: int) -> None:
    at = board.empty_at[p]
    last = max(np.int64(board.empty_count) - 1, 0)  # there is none left only on a board that a part has written to
    moved = board.empty[np.uintp(last)]
    board.empty[at] = moved
    board.empty_at[moved] = at
    board.empty_count = last
    board.color[p] = color
    board.hash ^= ZOBRIST[color, p]
    board.balance += BLACK + WHITE - 2 * color


@kernel
def _take_liberty(board: MutableBoard, neighbour: int, p: int, enemy: int) -> bool:
    """Remove the liberty `p`, now occupied, from a neighbour; return whether an enemy chain lost its last one."""
    chain = board.chain[neighbour]
    left = board.liberties[chain] - one_liberty(p)
    board.liberties[chain] = left
    return (left == 0) & (board.color[neighbour] == enemy)


@kernel
def _join(board: MutableBoard, p: int, own: int, chain: int) -> int:
    """Join the chain `own` of the stone at `p` with a neighbouring one; return the name of the joint chain."""
    if own == p:
        board.chain[p] = chain
        board.next[p], board.next[chain] = board.next[chain], board.next[p]
        board.stones[chain] += 1
        board.liberties[chain] += board.liberties[p]
        return chain
    return own if own == chain else _merge(board, own, chain)


@kernel
def _merge(board: MutableBoard, into: int, chain: int) -> int:
    if board.stones[into] < board.stones[chain]:
        into, chain = chain, into
    p = chain
    while True:
        board.chain[p] = into
        p = np.int64(board.next[p])
        if p == chain:
            break
    following = board.next[into]
    board.next[into] = board.next[chain]
    board.next[chain] = following
    board.stones[into] += board.stones[chain]
    board.liberties[into] += board.liberties[chain]
    return into


@kernel
def _remove_chain(board: MutableBoard, chain: int, color: int) -> None:
    """Remove a chain. It has no liberties, so its only empty neighbours are points that are emptied here."""
    count = np.int64(board.empty_count)
    changed = board.hash
    p = chain
    while True:
        board.color[p] = EMPTY
        board.chain[p] = p
        board.liberties[p] = 0
        board.empty[count] = p
        board.empty_at[p] = count
        changed ^= ZOBRIST[color, p]
        count += 1
        p = np.int64(board.next[p])
        if p == chain:
            break
    removed = count - board.empty_count
    board.hash = changed
    board.captured += removed
    board.balance -= removed * (BLACK + WHITE - 2 * color)
    # On a board that a faulty part has overwritten, surplus points spill into `empty_at`, which follows.
    board.empty_count = min(count, EMPTY_CAPACITY - 1)
    while True:
        liberty = one_liberty(p)
        board.liberties[board.chain[north(p)]] += liberty
        board.liberties[board.chain[east(p)]] += liberty
        board.liberties[board.chain[south(p)]] += liberty
        board.liberties[board.chain[west(p)]] += liberty
        following = np.int64(board.next[p])
        board.next[p] = p
        board.stones[p] = 1
        p = following
        if p == chain:
            break


# --- legality --------------------------------------------------------------------------------------------------------


@kernel
def is_legal(board: Board, p: int) -> bool:
    """Return whether `p` is legal for the side to play under simple ko, suicide forbidden. PASS is legal."""
    if p == PASS:
        return True
    return board.color[np.uintp(p)] == EMPTY and (has_empty_neighbour(board, p) or is_legal_enclosed(board, p))


@kernel
def is_legal_enclosed(board: Board, p: int) -> bool:
    """Return `is_legal` of an empty point that has no empty neighbour."""
    return (p != board.ko) & _gives_liberty_to(board, p, board.to_play)


@kernel
def is_suicide(board: Board, p: int) -> bool:
    """Return whether a stone of the side to play at the empty point `p` would be left without a liberty."""
    return not (has_empty_neighbour(board, p) or _gives_liberty_to(board, p, board.to_play))


@kernel
def _gives_liberty_to(board: Board, p: int, color: int) -> bool:
    """Return whether a stone at `p`, without empty neighbours, joins a chain not in atari or captures one that is."""
    return (
        _saves(board, north(p), p, color)
        | _saves(board, east(p), p, color)
        | _saves(board, south(p), p, color)
        | _saves(board, west(p), p, color)
    )


@kernel
def _saves(board: Board, neighbour: int, p: int, color: int) -> bool:
    own = board.color[neighbour] == color
    return (board.color[neighbour] != WALL) & (own != only_liberty_is(board, neighbour, p))


# --- making boards ---------------------------------------------------------------------------------------------------


def new_board(size: int) -> MutableBoard:
    """Return an empty board, Black to play. Raises ValueError for a size outside 2–19."""
    return _empty_board(size).copy()


@cache
def _empty_board(size: int) -> Board:
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"board size {size} is not in {MIN_SIZE}-{MAX_SIZE}")
    board = np.zeros(1, BOARD)[0]
    board["size"] = size
    board["to_play"] = BLACK
    board["color"][:] = WALL
    board["chain"][:] = board["next"][:] = np.arange(POINTS)
    board["stones"][:] = 1
    on_board = points_of(size)
    board["color"][on_board] = EMPTY
    board["empty"][: len(on_board)] = on_board
    board["empty_at"][on_board] = np.arange(len(on_board))
    board["empty_count"] = len(on_board)
    for p in on_board:
        neighbours = (p + STRIDE, p + 1, p - STRIDE, p - 1)
        board["liberties"][p] = sum(one_liberty(q) for q in neighbours if board["color"][q] == EMPTY)
    return board
