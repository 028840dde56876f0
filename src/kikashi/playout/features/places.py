"""The place of a move: its line, its distance from the last moves, over the board and along chains, and from stones."""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EAST, EMPTY, NORTH, PASS, POINTS, SOUTH, STRIDE, WALL, WEST, WHITE
from kikashi.board.position import Board, enemy_of, neighbours
from kikashi.board.queries import line_of
from kikashi.jit import kernel
from kikashi.parts.blocks import cells
from kikashi.playout.kinds import feature, memory
from kikashi.playout.simulation import HISTORY, Simulation, color_row, last_move

FARTHEST = 17
FARTHEST_STEPS = 8
LINES = 5
ROOM_LINES = 6
"""Lines that `room` distinguishes: the last stands for all farther from the edge."""
NEAREST_STONE, FARTHEST_STONE = 3, 6
"""Steps to a stone that `room` distinguishes: with fewer there is no room, and the last stands for all farther."""
OWN, ENEMY, BOTH = range(3)
"""The owner of the nearest stones."""
_ROOMS = (
    *(f"{whose} at {steps}" for steps in range(NEAREST_STONE, FARTHEST_STONE) for whose in ("own", "enemy", "both")),
    f"both at {FARTHEST_STONE} or more",
)
_KINDS = len(_ROOMS)
_ROOM_LINES = (*(f"line {line}" for line in range(1, ROOM_LINES)), f"line {ROOM_LINES} or more")


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
    """The distances to the nearest edge and to the next one, both up to five."""
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
    """By point: the steps from a move along the common fate graph, plus one; and scratch space for a queue."""


@feature(
    memories=["steps_of_fate"],
    levels=("none", *(f"{steps} steps" for steps in range(1, FARTHEST_STEPS)), f"{FARTHEST_STEPS} steps or more"),
    source="Graepel et al. 2001, common fate graph",
)
def fate_distance(sim: Simulation, point: int, my: Any) -> int:
    """The steps to the last move, or to one `back` moves ago, in the common fate graph, whose nodes are chains and
    empty points; none if that was a pass."""
    if last_move(sim, my.back) == PASS:
        return 0
    steps = np.int64(cells(my.steps_of_fate)[np.uintp(point)]) - 1  # -1 if it was not reached
    return min(max(1, steps), FARTHEST_STEPS) if steps >= 0 else FARTHEST_STEPS


@fate_distance.prepare
def _walk(sim: Simulation, my: Any) -> None:
    """Measure the steps from the move to all chains and empty points that are near enough, by breadth-first search."""
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
        for q in neighbours(p):
            tail = _reach(board, table, tail, np.int64(q), steps + 1)


@kernel
def _reach(board: Board, table: np.ndarray, tail: int, p: int, steps: int) -> int:
    """Put a point, with its whole chain, into the queue unless it was reached before; return the queue's length."""
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


@memory(cells=2 * POINTS, scope="thread", learns=False)
def steps_to_stones(sim: Simulation, my: Any) -> None:
    """By colour and point: the steps over the board to the nearest stone of that colour, up to FARTHEST_STONE."""


@feature(
    memories=["steps_to_stones"],
    levels=("no room", *(f"{line}, {room}" for line in _ROOM_LINES for room in _ROOMS)),
    source="our own",
)
def room(sim: Simulation, point: int, my: Any) -> int:
    """The distance to the nearest stone, its owner, and the line of the move, if no stone is within two steps."""
    steps = cells(my.steps_to_stones)
    own = np.int64(sim.board.to_play)
    mine = np.int64(steps[np.uintp(color_row(own) + point)])
    theirs = np.int64(steps[np.uintp(color_row(enemy_of(own)) + point)])
    far = min(mine, theirs)
    if far < NEAREST_STONE:
        return 0
    whose = BOTH if mine == theirs else OWN if mine < theirs else ENEMY
    kind = _KINDS - 1 if far == FARTHEST_STONE else (far - NEAREST_STONE) * 3 + whose
    return 1 + (min(line_of(point, np.int64(sim.board.size)), ROOM_LINES) - 1) * _KINDS + kind


@room.prepare
def _measure_both(sim: Simulation, my: Any) -> None:
    for color in (BLACK, WHITE):
        _measure(sim.board, cells(my.steps_to_stones), color)


@kernel
def _measure(board: Board, steps: np.ndarray, color: int) -> None:
    """Measure the steps to the stones of a colour in two passes: from below and the left, then from the other sides."""
    size, first = np.int64(board.size), color_row(color)
    steps[first : first + POINTS] = FARTHEST_STONE
    for row in range(1, size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + 1 + size):
            here = first + p
            nearer = min(steps[here + SOUTH], steps[here + WEST]) + 1
            steps[here] = 0 if board.color[p] == color else min(nearer, FARTHEST_STONE)
    for row in range(size, 0, -1):
        for p in range(row * STRIDE + size, row * STRIDE, -1):
            here = first + p
            nearer = min(steps[here + NORTH], steps[here + EAST]) + 1
            steps[here] = min(steps[here], nearer)
