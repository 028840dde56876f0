"""The liberties of a move's chain, and the races to capture that it takes part in."""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, POINTS, STRIDE, WHITE
from kikashi.board.position import Board, east, empty_neighbours, enemy_of, neighbours, north, only_liberty_is
from kikashi.board.queries import find_liberties, find_liberties_after
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.kinds import feature, memory
from kikashi.playout.simulation import Simulation

MOST = 6
ENOUGH = 6
"""The fewest liberties with which a chain takes part in no race."""


@feature(levels=("six or more", *(f"{count}" for count in range(1, MOST))), source="our own")
def liberties(sim: Simulation, point: int, my: Any) -> int:
    """The liberties of its chain after the move."""
    board = sim.board
    own = np.int64(board.to_play)
    alone = True
    for q in neighbours(point):
        color = board.color[q]
        alone &= color != own and not (color == enemy_of(own) and only_liberty_is(board, q, point))
    found = empty_neighbours(board, point) if alone else find_liberties_after(board, point, own, sim.found, MOST)
    return found % MOST


@memory(cells=2 * POINTS, scope="thread", learns=False)
def races(sim: Simulation, my: Any) -> None:
    """By name of a chain: its liberties, up to ENOUGH; then the fewest of the enemy chains that it touches."""


@feature(
    memories=["races"],
    levels=("none", "two or more behind", "one behind", "level", "one ahead", "two or more ahead"),
    source="our own",
)
def race(sim: Simulation, point: int, my: Any) -> int:
    """A liberty of a chain in a race, which two touching chains with two to five liberties each make: by the own lead
    in liberties. Of several races that with the fewest liberties counts, then the worst."""
    board, table = sim.board, cells(my.races)
    own = np.int64(board.to_play)
    best, margin = np.int64(4 * ENOUGH), np.int64(0)
    for q in neighbours(point):
        color = board.color[q]
        if color != BLACK and color != WHITE:
            continue
        chain = board.chain[q]
        mine, theirs = np.int64(table[chain]), np.int64(table[POINTS + chain])
        if color != own:
            mine, theirs = theirs, mine
        total = mine + theirs
        if 2 <= mine < ENOUGH and 2 <= theirs < ENOUGH and (total < best or (total == best and mine - theirs < margin)):
            best, margin = total, mine - theirs
    return 0 if best == 4 * ENOUGH else 3 + min(2, max(-2, margin))


@race.prepare
def _count_liberties(sim: Simulation, my: Any) -> None:
    """Count the liberties of all chains and find the fewest of those they touch."""
    board, table = sim.board, cells(my.races)
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            if _is_stone(board, p) and board.chain[np.uintp(p)] == p:
                table[p] = find_liberties(board, p, sim.found, ENOUGH)
                table[POINTS + p] = ENOUGH
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            if _is_stone(board, p):
                _touch(board, table, np.uintp(p), north(p))
                _touch(board, table, np.uintp(p), east(p))


@inlined
def _is_stone(board: Board, p: int) -> bool:
    return board.color[np.uintp(p)] == BLACK or board.color[np.uintp(p)] == WHITE


@kernel
def _touch(board: Board, table: np.ndarray, p: int, q: int) -> None:
    """Update the fewest liberties of two adjacent stones' chains."""
    if board.color[p] + board.color[q] == BLACK + WHITE and board.color[q] != 0 and board.color[p] != 0:
        one, other = np.int64(board.chain[p]), np.int64(board.chain[q])
        table[POINTS + one] = min(table[POINTS + one], table[other])
        table[POINTS + other] = min(table[POINTS + other], table[one])
