"""Bad self-atari, as opposed to throw-ins, snapbacks and nakade.

Nothing here uses `sim.found`, which holds the moves of a new node while a search checks which are feasible.
"""

import numpy as np

from kikashi.board.points import PASS, WALL
from kikashi.board.position import (
    Board,
    adjacencies,
    are_one_point,
    east,
    empty_neighbours,
    enemy_of,
    liberties_besides,
    neighbours,
    north,
    one_liberty,
    only_liberty_is,
    south,
    the_point,
    west,
)
from kikashi.board.queries import bad_diagonals, only_liberty_after
from kikashi.board.two_liberties import are_neighbours
from kikashi.jit import inlined, kernel

LARGEST = 6
"""The most stones of a nakade."""


@kernel
def is_bad_self_atari(board: Board, p: int, color: int, early: bool) -> bool:
    """Return whether a stone of `color` at the empty point `p` leaves its chain one liberty without compensation.

    It captures nothing, and is no throw-in, no snapback and no nakade. Unless `early`, a nakade is one only if the
    enemies around have no other liberties: in a seki nobody gives stones up to one who has an eye elsewhere.
    """
    left = only_liberty_after(board, p, color)
    return left != PASS and is_bad_if_self_atari(board, p, left, color, early)


@kernel
def is_bad_if_self_atari(board: Board, p: int, left: int, color: int, early: bool) -> bool:
    """Return `is_bad_self_atari` of a move that captures nothing and leaves its chain the one liberty `left`."""
    stones = np.int64(1)
    for q in neighbours(p):
        if board.color[q] == color and _is_first_of_its_chain(board, p, q):
            stones += np.int64(board.stones[board.chain[q]])
    if stones == 1:
        return bad_diagonals(board, p, enemy_of(color)) < 2 and not _is_taken_back(board, p, left, color)
    if stones > LARGEST or not _fills_eye(board, p, left, color):
        return True
    if not _is_dead_shape(board, p, color, stones, early):
        return True
    return not (early or _are_out_of_liberties(board, p, left, color))


@kernel
def _are_out_of_liberties(board: Board, p: int, left: int, color: int) -> bool:
    """Return whether the enemies around the chain that `color` would have at `p` have no liberties besides these."""
    for q in neighbours(p):
        here = board.color[q]
        if here == enemy_of(color) and _has_more(board, q, p, left):
            return False
        if here != color or not _is_first_of_its_chain(board, p, q):
            continue
        stone = np.int64(q)
        while True:
            for n in neighbours(stone):
                if board.color[n] == enemy_of(color) and _has_more(board, n, p, left):
                    return False
            stone = np.int64(board.next[np.uintp(stone)])
            if stone == np.int64(q):
                break
    return True


@inlined
def _has_more(board: Board, stone: int, p: int, left: int) -> bool:
    """Return whether the chain of a stone has liberties besides `p` and `left`."""
    chain = board.chain[np.uintp(stone)]
    return liberties_besides(board, stone, p) != adjacencies(board, chain, left) * one_liberty(np.int64(left))


@kernel
def is_in_eye_of_two(board: Board, p: int, left: int, color: int) -> bool:
    """Return whether a stone of `color` at the empty point `p`, with the one liberty `left`, joins no other and is in a
    region of two points: of an enemy's eye, where it does no harm."""
    here = board.color
    n, e, s, w = neighbours(p)
    joins = (here[n] == color) | (here[e] == color) | (here[s] == color) | (here[w] == color)
    return not joins and empty_neighbours(board, left) == 1


@kernel
def _is_first_of_its_chain(board: Board, p: int, neighbour: int) -> bool:
    """Return whether this neighbour of `p` is the first of its chain, clockwise from the north."""
    chain = board.chain[neighbour]
    for q in neighbours(p):
        if board.chain[q] == chain:
            return q == neighbour
    return True


@kernel
def _is_taken_back(board: Board, p: int, left: int, color: int) -> bool:
    """Return whether capturing the single stone of `color` at `p`, by playing at its liberty `left`, is self-atari: a
    snapback or a ko."""
    if empty_neighbours(board, left) > 1:  # one is p
        return False
    for q in neighbours(left):
        here = board.color[q]
        if here == color and only_liberty_is(board, q, left):
            return False
        if here == enemy_of(color):
            others = liberties_besides(board, q, left)
            if others != 0 and not (are_one_point(others) and the_point(others) == p):
                return False
    return True


@kernel
def _fills_eye(board: Board, p: int, left: int, color: int) -> bool:
    """Return whether the chain that `color` would have at `p` fills an eye but for its last liberty `left`: only that
    chain, enemies and walls are beside the liberty."""
    if empty_neighbours(board, left) > np.int64(are_neighbours(p, left)):
        return False
    for q in neighbours(left):
        if board.color[q] == color and adjacencies(board, board.chain[q], p) == 0:
            return False
    return True


@kernel
def _is_dead_shape(board: Board, p: int, color: int, stones: int, early: bool) -> bool:
    """Return whether an eye shaped like the chain that `color` would have at `p` can be kept from becoming two eyes.

    The chain has two to six stones. The number of adjacent pairs and the most neighbours of a stone decide, and unless
    `early` whether four of them bend in a corner of the board, where a ko follows.
    """
    if stones <= 3:
        return True
    most = _beside(board, p, p, color)
    pairs = most
    bends = most == 2 and _is_corner(board, p)
    for q in neighbours(p):
        if board.color[q] != color or not _is_first_of_its_chain(board, p, q):
            continue
        stone = np.int64(q)
        while True:
            beside = _beside(board, stone, p, color)
            pairs += beside
            most = max(most, beside)
            bends |= beside == 2 and _is_corner(board, stone)
            stone = np.int64(board.next[np.uintp(stone)])
            if stone == np.int64(q):
                break
    if stones == 4:
        return pairs == 2 * 4 or most == 3 or (bends and not early)
    if stones == 5:
        return pairs == 2 * 5 or most == 4
    return pairs == 2 * 6 and most == 4


@kernel
def _is_corner(board: Board, p: int) -> bool:
    color = board.color
    across = (color[east(p)] == WALL) | (color[west(p)] == WALL)
    return across & ((color[north(p)] == WALL) | (color[south(p)] == WALL))


@kernel
def _beside(board: Board, stone: int, p: int, color: int) -> int:
    """Return the number of neighbours of a stone that have its colour once `p` has it."""
    beside = np.int64(are_neighbours(stone, p))
    for q in neighbours(stone):
        beside += np.int64(board.color[q] == color)
    return beside
