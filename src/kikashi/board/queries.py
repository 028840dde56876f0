"""Queries about a position. None changes the board; the colour is always an argument."""

from collections.abc import Sequence

import numpy as np

from kikashi.board.points import (
    BLACK,
    EMPTY,
    MAX_SIZE,
    PASS,
    POINTS,
    STRIDE,
    WALL,
    WHITE,
    column_of,
    point,
    points_of,
    row_of,
)
from kikashi.board.position import (
    ZOBRIST,
    Board,
    are_one_point,
    east,
    empty_neighbours,
    enemy_of,
    is_suicide,
    liberties_besides,
    neighbours,
    north,
    only_liberty_is,
    south,
    surrounding,
    the_point,
    west,
)
from kikashi.jit import inlined, kernel

_NORTH_EAST, _NORTH_WEST = STRIDE + 1, STRIDE - 1
_MORE, _CAPTURES = -1, -2
_STONE = 2
"""A bit of ``color + 1`` that is set for BLACK and WHITE, and not for EMPTY and WALL."""


@kernel
def is_eyelike(board: Board, p: int, color: int) -> bool:
    """Return whether the empty point `p` looks like an eye of `color`.

    All its neighbours are stones of `color` or walls, and fewer than two `bad_diagonals` are there.
    """
    return surrounding(board, p) & color != 0 and bad_diagonals(board, p, color) < 2


@kernel
def bad_diagonals(board: Board, p: int, color: int) -> int:
    """Return the number of diagonals of `p` that spoil an eye of `color`: enemy stones, and one for the edge."""
    enemy = enemy_of(color)
    p = np.int64(p)
    a, b = board.color[np.uintp(p + _NORTH_EAST)], board.color[np.uintp(p + _NORTH_WEST)]
    c, d = board.color[np.uintp(p - _NORTH_EAST)], board.color[np.uintp(p - _NORTH_WEST)]
    edge = (a == WALL) | (b == WALL) | (c == WALL) | (d == WALL)
    return (a == enemy) + (b == enemy) + (c == enemy) + (d == enemy) + np.int64(edge)


@kernel
def captures(board: Board, p: int, color: int) -> int:
    """Return the number of enemy stones that `color` captures by playing at the empty point `p`."""
    enemy = enemy_of(color)
    north_chain = _chain_taken(board, north(p), p, enemy)
    east_chain = _chain_taken(board, east(p), p, enemy)
    south_chain = _chain_taken(board, south(p), p, enemy)
    west_chain = _chain_taken(board, west(p), p, enemy)
    taken = 0
    if north_chain:
        taken += board.stones[north_chain]
    if east_chain and east_chain != north_chain:
        taken += board.stones[east_chain]
    if south_chain and south_chain != north_chain and south_chain != east_chain:
        taken += board.stones[south_chain]
    if west_chain and west_chain != north_chain and west_chain != east_chain and west_chain != south_chain:
        taken += board.stones[west_chain]
    return np.int64(taken)


@kernel
def _chain_taken(board: Board, neighbour: int, p: int, enemy: int) -> int:
    if board.color[neighbour] == enemy and only_liberty_is(board, neighbour, p):
        return np.int64(board.chain[neighbour])
    return np.int64(0)


@kernel
def takes_ko(board: Board, p: int, color: int) -> bool:
    """Return whether `color` takes a single stone at the empty point `p`, which only enemies and walls surround."""
    return surrounding(board, p) & enemy_of(color) != 0 and captures(board, p, color) == 1


@kernel
def find_liberties(board: Board, stone: int, found: np.ndarray, limit: int) -> int:
    """Write up to `limit` liberties of the chain of `stone` into `found` and return their number."""
    first = np.int64(stone)
    p = first
    count = 0
    while True:
        for q in neighbours(p):
            if board.color[q] == EMPTY and not holds(found, count, q):
                found[count] = q
                count += 1
                if count == limit:
                    return count
        p = np.int64(board.next[p])
        if p == first:
            return count


@kernel
def find_liberties_after(board: Board, p: int, color: int, found: np.ndarray, limit: int) -> int:
    """Do as `find_liberties` for the chain that `color` would have at `p` after playing there, captures made."""
    enemy = enemy_of(color)
    p = np.int64(p)
    count = _find_around(board, p, p, enemy, found, 0, limit)
    for neighbour in neighbours(p):
        if board.color[neighbour] != color:
            continue
        first = np.int64(neighbour)
        stone = first
        while count < limit:
            count = _find_around(board, stone, p, enemy, found, count, limit)
            stone = np.int64(board.next[stone])
            if stone == first:
                break
    return count


@kernel
def _find_around(board: Board, stone: int, p: int, enemy: int, found: np.ndarray, count: int, limit: int) -> int:
    """Add the neighbours of `stone` that are empty after the move `p`: empty points, and stones that it captures."""
    for q in neighbours(stone):
        if count == limit:
            return count
        color = board.color[q]
        free = (color == EMPTY and np.int64(q) != p) or (color == enemy and only_liberty_is(board, q, p))
        if free and not holds(found, count, q):
            found[count] = q
            count += 1
    return count


@kernel
def holds(found: np.ndarray, count: int, q: int) -> bool:
    """Return whether `q` is among the first `count` points of `found`."""
    for i in range(count):
        if np.int64(found[i]) == np.int64(q):
            return True
    return False


@kernel
def is_self_atari(board: Board, p: int, color: int, found: np.ndarray) -> bool:
    """Return whether the chain that `color` would have at the empty point `p` has at most one liberty.

    Walks over chains, with `found` as scratch space, only if the move captures.
    """
    left = _left_after(board, p, color)
    return left != _MORE and (left != _CAPTURES or find_liberties_after(board, p, color, found, 2) < 2)


@kernel
def only_liberty_after(board: Board, p: int, color: int) -> int:
    """Return the only liberty of the chain that `color` would have at the empty point `p`.

    PASS if it would have more or none, and if the move captures.
    """
    left = _left_after(board, p, color)
    return left if left >= 0 else np.int64(PASS)


@inlined
def _left_after(board: Board, p: int, color: int) -> int:
    """Return the only liberty of the chain that `color` would have at the empty point `p`, PASS if it would have none.

    _MORE if it would have more, _CAPTURES if the move captures, whichever is detected first.
    """
    if empty_neighbours(board, p) >= 2:
        return np.int64(_MORE)
    only = board.liberties[np.uintp(p)]
    only = the_point(only) if only != 0 else np.int64(PASS)
    for q in neighbours(p):
        here = board.color[q]
        if here == color:
            others = liberties_besides(board, q, p)
            if others == 0:
                continue
            if not are_one_point(others) or (only != PASS and the_point(others) != only):
                return np.int64(_MORE)
            only = the_point(others)
        elif (here == BLACK or here == WHITE) and only_liberty_is(board, q, p):
            return np.int64(_CAPTURES)
    return only


@kernel
def second_liberty(board: Board, stone: int, p: int) -> int:
    """Return the other liberty of the chain of `stone` if it has exactly two, of which `p` is one; PASS otherwise."""
    others = liberties_besides(board, stone, p)
    return the_point(others) if others != 0 and are_one_point(others) else np.int64(PASS)


@kernel
def has_three_liberties(board: Board, stone: int, p: int) -> bool:
    """Return whether the chain of `stone`, of which `p` is a liberty, has at least three."""
    return not are_one_point(liberties_besides(board, stone, p))


@kernel
def hash_after(board: Board, p: int) -> int:
    """Return the hash of the position after the side to play has played at the empty point `p`."""
    color = board.to_play
    enemy = enemy_of(color)
    after = board.hash ^ ZOBRIST[color, p]
    done = np.zeros(POINTS, np.bool_)
    dying = color if is_suicide(board, p) else enemy
    for q in neighbours(p):
        if board.color[q] != dying or not only_liberty_is(board, q, p) or done[board.chain[q]]:
            continue
        done[board.chain[q]] = True
        after = _without_chain(board, np.int64(board.chain[q]), dying, after)
    return after ^ ZOBRIST[color, p] if dying == color else after


@kernel
def _without_chain(board: Board, chain: int, color: int, hash_so_far: int) -> int:
    p = chain
    while True:
        hash_so_far ^= ZOBRIST[color, p]
        p = np.int64(board.next[p])
        if p == chain:
            return hash_so_far


@kernel
def line_of(p: int, size: int) -> int:
    """Return the distance of a point from the nearest edge, 1 on the edge."""
    row, column = p // STRIDE, p % STRIDE
    return min(min(row, size + 1 - row), min(column, size + 1 - column))


@kernel
def has_stone_beside(board: Board, p: int) -> bool:
    """Return whether a stone is next to the point."""
    color = board.color
    around = (color[north(p)] + 1) | (color[east(p)] + 1) | (color[south(p)] + 1) | (color[west(p)] + 1)
    return around & _STONE != 0


def steps_around(reach: int, steps: int) -> list[tuple[int, int]]:
    """Return the (row, column) offsets of at most `reach` in each direction and at most `steps` in sum."""
    near = range(-reach, reach + 1)
    return [(y, x) for y in near for x in near if 0 < abs(y) + abs(x) <= steps]


def neighbourhood(offsets: Sequence[tuple[int, int]]) -> np.ndarray:
    """Return by point of the largest board the points at (row, column) offsets, 0 for those off the board.

    On smaller boards some of them are walls.
    """
    table = np.zeros((POINTS, len(offsets)), np.uint16)
    for p in points_of(MAX_SIZE):
        for i, (y, x) in enumerate(offsets):
            row, column = row_of(p) + y, column_of(p) + x
            if 1 <= row <= MAX_SIZE and 1 <= column <= MAX_SIZE:
                table[p, i] = point(column, row)
    return table


KNIGHT = neighbourhood(steps_around(2, 3))
"""The knight's neighbourhood: 5x5 without its corners (Baier 2010, figure 7.2)."""
LARGE_KNIGHT = neighbourhood(steps_around(3, 4))
"""The large knight's neighbourhood (Baier 2010, figure 7.2)."""


@kernel
def has_stone_in(board: Board, p: int, near: np.ndarray) -> bool:
    """Return whether a stone is in the neighbourhood of a point, KNIGHT or LARGE_KNIGHT."""
    found = 0
    for i in range(near.shape[1]):
        found |= board.color[near[np.uintp(p), i]] + 1
    return found & _STONE != 0


@kernel
def has_stone_within(board: Board, p: int, steps: int) -> bool:
    """Return whether a stone is on a point, or at most `steps` steps along the lines of the board away from it."""
    row, column = p // STRIDE, p % STRIDE
    for y in range(max(1, row - steps), min(np.int64(board.size), row + steps) + 1):
        for x in range(max(1, column - steps), min(np.int64(board.size), column + steps) + 1):
            if abs(y - row) + abs(x - column) <= steps and board.color[np.uintp(y * STRIDE + x)] != EMPTY:
                return True
    return False
