"""Self-atari that is only bad, told from throw-ins, snapbacks and nakade.

Nothing here uses `sim.found`: a search has the moves of a new node there while it asks which are feasible.
"""

from __future__ import annotations

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import (
    Board,
    are_one_point,
    east,
    empty_neighbours,
    enemy_of,
    liberties_besides,
    north,
    only_liberty_is,
    south,
    the_point,
    west,
)
from kikashi.board.queries import bad_diagonals, only_liberty_after
from kikashi.board.two_liberties import are_neighbours
from kikashi.jit import kernel

LARGEST = 6
"""Stones that can be a nakade."""


@kernel
def is_bad_self_atari(board: Board, p: int, color: int) -> bool:
    """Whether the stone that `color` plays at the empty point `p`, with the chains it joins, is left with one liberty
    for nothing: it captures nothing, and is no throw-in, no snapback and no nakade."""
    left = only_liberty_after(board, p, color)
    if left == PASS:
        return False
    stones = _stones_after(board, p, color)
    if stones == 1:
        return bad_diagonals(board, p, enemy_of(color)) < 2 and not _is_taken_back(board, p, left, color)
    if stones > LARGEST or not _fills_room(board, p, left, color):
        return True
    return not _is_dead_shape(board, p, color, stones)


@kernel
def _stones_after(board: Board, p: int, color: int) -> int:
    """How many stones the chain that `color` would have at `p` has."""
    stones = np.int64(1)
    for q in (north(p), east(p), south(p), west(p)):
        if board.color[q] == color and _is_first_of_its_chain(board, p, q):
            stones += np.int64(board.stones[board.chain[q]])
    return stones


@kernel
def _is_first_of_its_chain(board: Board, p: int, neighbour: int) -> bool:
    """Whether no neighbour of `p` before this one, clockwise from the north, is of its chain."""
    chain = board.chain[neighbour]
    for q in (north(p), east(p), south(p), west(p)):
        if board.chain[q] == chain:
            return q == neighbour
    return True


@kernel
def _is_taken_back(board: Board, p: int, left: int, color: int) -> bool:
    """Whether a stone that takes the single one of `color` at `p`, by playing at its liberty `left`, is then in atari
    itself, with all it is joined to: a snapback or a ko."""
    if empty_neighbours(board, left) > 1:  # one is p
        return False
    for q in (north(left), east(left), south(left), west(left)):
        here = board.color[q]
        if here == color and only_liberty_is(board, q, left):
            return False
        if here == enemy_of(color):
            others = liberties_besides(board, q, left)
            if others != 0 and not (are_one_point(others) and the_point(others) == p):
                return False
    return True


@kernel
def _fills_room(board: Board, p: int, left: int, color: int) -> bool:
    """Whether nothing but the chain that `color` would have at `p`, enemies and walls are beside its last liberty: so
    it fills all of a room but one point."""
    if empty_neighbours(board, left) > np.int64(are_neighbours(p, left)):
        return False
    for q in (north(left), east(left), south(left), west(left)):
        if board.color[q] == color and not _is_beside_chain(board, p, board.chain[q]):
            return False
    return True


@kernel
def _is_beside_chain(board: Board, p: int, chain: int) -> bool:
    around = (board.chain[north(p)] == chain) | (board.chain[east(p)] == chain)
    return around | (board.chain[south(p)] == chain) | (board.chain[west(p)] == chain)


@kernel
def _is_dead_shape(board: Board, p: int, color: int, stones: int) -> bool:
    """Whether an eye of the shape of the chain that `color` would have at `p`, of two to six stones, can be kept from
    becoming two: pairs of neighbours and the most that a stone has tell such shapes from others."""
    if stones <= 3:
        return True
    most = _beside(board, p, p, color)
    pairs = most
    for q in (north(p), east(p), south(p), west(p)):
        if board.color[q] != color or not _is_first_of_its_chain(board, p, q):
            continue
        stone = np.int64(q)
        while True:
            beside = _beside(board, stone, p, color)
            pairs += beside
            most = max(most, beside)
            stone = np.int64(board.next[np.uintp(stone)])
            if stone == np.int64(q):
                break
    if stones == 4:
        return pairs == 2 * 4 or most == 3
    if stones == 5:
        return pairs == 2 * 5 or most == 4
    return pairs == 2 * 6 and most == 4


@kernel
def _beside(board: Board, stone: int, p: int, color: int) -> int:
    """The neighbours of a stone that are of its colour, once `p` is."""
    color_at = board.color
    beside = np.int64(color_at[north(stone)] == color) + np.int64(color_at[east(stone)] == color)
    beside += np.int64(color_at[south(stone)] == color) + np.int64(color_at[west(stone)] == color)
    return beside + np.int64(are_neighbours(stone, p))
