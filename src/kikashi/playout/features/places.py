"""Where a move is: on which line, and how far from the last moves, over the board and along its chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, POINTS, STRIDE, WALL
from kikashi.board.position import east, north, south, west
from kikashi.board.queries import line_of
from kikashi.jit import kernel
from kikashi.parts.blocks import cells
from kikashi.playout.kinds import feature, memory
from kikashi.playout.simulation import HISTORY, Simulation, last_move

FARTHEST = 17
FARTHEST_STEPS = 8
LINES = 5


@feature(levels=("middle", *(f"line {line}" for line in range(1, LINES + 1))), source="Coulom 2007")
def line(sim: Simulation, point: int, my: Any) -> int:
    """The distance to the edge, up to five."""
    found = line_of(point, np.int64(sim.board.size))
    return found if found <= LINES else 0


@feature(
    levels=("far", *(f"lines {low} and {high}" for high in range(1, LINES + 1) for low in range(1, high + 1))),
    source="our own",
)
def corner(sim: Simulation, point: int, my: Any) -> int:
    """The distances to the nearest edge and to the next one, both up to five; far from corners nothing."""
    size = np.int64(sim.board.size)
    row, column = point // STRIDE, point % STRIDE
    a, b = min(row, size + 1 - row), min(column, size + 1 - column)
    low, high = min(a, b), max(a, b)
    return (high - 1) * high // 2 + low if high <= LINES else 0


@feature(
    levels=("none", *(f"distance {far}" for far in range(1, FARTHEST)), f"distance {FARTHEST} or more"),
    limits={"back": (1, HISTORY)},
    back=1,
    source="Coulom 2007",
)
def distance(sim: Simulation, point: int, my: Any) -> int:
    """The distance dx + dy + max(dx, dy) to the last move, or to one `back` moves ago; none if that was a pass."""
    last = last_move(sim, my.back)
    if last == PASS:
        return 0
    y, x = abs(point // STRIDE - last // STRIDE), abs(point % STRIDE - last % STRIDE)
    return max(1, min(x + y + max(x, y), FARTHEST))  # 1: the stone has been taken, and this is its point


@memory(cells=2 * POINTS, scope="thread", learns=False, back=1, limits={"back": (1, HISTORY)})
def steps_of_fate(sim: Simulation, my: Any) -> None:
    """By point: the steps from a move along the graph in which a chain is one node, plus one; and room for a queue."""


@feature(
    memories=["steps_of_fate"],
    levels=("none", *(f"{steps} steps" for steps in range(1, FARTHEST_STEPS)), f"{FARTHEST_STEPS} steps or more"),
    source="Graepel et al. 2001, common fate graph",
)
def fate_distance(sim: Simulation, point: int, my: Any) -> int:
    """The steps to the last move, or to one `back` moves ago, where a chain is one node; none if that was a pass."""
    if last_move(sim, my.back) == PASS:
        return 0
    steps = np.int64(cells(my.steps_of_fate)[np.uintp(point)]) - 1  # -1 if it is farther than was looked
    return min(max(1, steps), FARTHEST_STEPS) if steps >= 0 else FARTHEST_STEPS


@fate_distance.prepare
def _walk(sim: Simulation, my: Any) -> None:
    """From the move to all chains and empty points that are near enough: those that come first are nearer."""
    start = last_move(sim, my.back)
    if start == PASS:
        return
    table, board = cells(my.steps_of_fate), sim.board
    table[:POINTS] = 0
    tail = _reach(board, table, 0, start, 1)
    head = 0
    while head < tail:
        p = np.int64(table[POINTS + head])
        head += 1
        steps = table[np.uintp(p)]
        if steps > FARTHEST_STEPS:
            return
        for q in (north(p), east(p), south(p), west(p)):
            tail = _reach(board, table, tail, np.int64(q), steps + 1)


@kernel
def _reach(board: Any, table: np.ndarray, tail: int, p: int, steps: int) -> int:
    """Put a point, with its whole chain, into the queue unless it has been reached; returns the length of the queue."""
    if board.color[np.uintp(p)] == WALL or table[np.uintp(p)] != 0:
        return tail
    first = p
    while True:
        table[np.uintp(p)] = steps
        table[POINTS + tail] = p
        tail += 1
        if board.color[np.uintp(p)] == EMPTY:
            return tail
        p = np.int64(board.next[np.uintp(p)])
        if p == first:
            return tail
