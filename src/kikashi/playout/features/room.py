"""Where there is room: places to begin something, which no shape of a few points tells from places to end something."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EAST, NORTH, POINTS, SOUTH, STRIDE, WEST, WHITE
from kikashi.board.position import Board, enemy_of
from kikashi.board.queries import line_of
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.kinds import feature, memory
from kikashi.playout.simulation import Simulation

LINES = 6
"""Lines that are told apart: the last stands for all that are farther from the edge."""
NEAREST, FARTHEST = 3, 6
"""Steps to a stone that are told apart: with fewer there is no room, and all that are more are the same."""
OWN, ENEMY, BOTH = range(3)
"""Whose stones are nearest."""
_ROOMS = (
    *(f"{whose} at {steps}" for steps in range(NEAREST, FARTHEST) for whose in ("own", "enemy", "both")),
    f"both at {FARTHEST} or more",
)
KINDS = len(_ROOMS)
"""Of room, on each line."""
_LINES = (*(f"line {line}" for line in range(1, LINES)), f"line {LINES} or more")


@memory(cells=2 * POINTS, scope="thread", learns=False)
def steps_to_stones(sim: Simulation, my: Any) -> None:
    """By colour and point: the steps over the board to the nearest stone of that colour, up to FARTHEST."""


@feature(
    memories=["steps_to_stones"],
    levels=("no room", *(f"{line}, {room}" for line in _LINES for room in _ROOMS)),
    source="our own",
)
def room(sim: Simulation, point: int, my: Any) -> int:
    """Where no stone is within two steps: how far the nearest is, whose it is, and on which line the move is."""
    steps = cells(my.steps_to_stones)
    own = np.int64(sim.board.to_play)
    mine = np.int64(steps[np.uintp(_place(own, point))])
    theirs = np.int64(steps[np.uintp(_place(enemy_of(own), point))])
    far = min(mine, theirs)
    if far < NEAREST:
        return 0
    whose = BOTH if mine == theirs else OWN if mine < theirs else ENEMY
    kind = KINDS - 1 if far == FARTHEST else (far - NEAREST) * 3 + whose
    return 1 + (min(line_of(point, np.int64(sim.board.size)), LINES) - 1) * KINDS + kind


@room.prepare
def _measure_both(sim: Simulation, my: Any) -> None:
    for color in (BLACK, WHITE):
        _measure(sim.board, cells(my.steps_to_stones), color)


@kernel
def _measure(board: Board, steps: np.ndarray, color: int) -> None:
    """The steps to the stones of a colour, in two passes: what comes from below and the left, then from the others."""
    size = np.int64(board.size)
    steps[_place(color, 0) : _place(color, POINTS)] = FARTHEST
    for row in range(1, size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + 1 + size):
            here = _place(color, p)
            nearer = min(steps[here + SOUTH], steps[here + WEST]) + 1
            steps[here] = 0 if board.color[p] == color else min(nearer, FARTHEST)
    for row in range(size, 0, -1):
        for p in range(row * STRIDE + size, row * STRIDE, -1):
            here = _place(color, p)
            nearer = min(steps[here + NORTH], steps[here + EAST]) + 1
            steps[here] = min(steps[here], nearer)


@inlined
def _place(color: int, point: int) -> int:
    """The cell of a colour and a point."""
    return (color - BLACK) * POINTS + point
