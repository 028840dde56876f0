"""The list that a heuristic fills: ``moves``, with the few verbs a heuristic and a review need.

A heuristic adds points with weights. It may set ``moves.base``, the weight of every feasible point it does not list,
and bar points: from this and all later heuristics of the same move, and from the uniform choice at the end if it says
so.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from kikashi.board.points import PASS, POINTS
from kikashi.compiling import kernel

Candidates: TypeAlias = Any

CAPACITY = 512
REDRAW = -1
"""What a review returns to have the move drawn anew, with the weights as it left them."""

CANDIDATES = np.dtype(
    [
        ("count", "i8"),
        ("base", "f8"),
        ("overfull", "i8"),
        ("barred_count", "i8"),
        ("points", "i4", (CAPACITY,)),
        ("weights", "f8", (CAPACITY,)),
        ("barred", "i4", (CAPACITY,)),
        ("bars", "u1", (POINTS,)),  # 0 free, 1 barred to heuristics, 2 barred to the uniform choice too
    ],
    align=True,
)


@kernel
def add(moves: Candidates, point: int, weight: float) -> None:
    """Propose a point. Named twice, its weights add up. Illegal and infeasible points are dropped by the loop."""
    count = moves.count
    if count >= CAPACITY:
        moves.overfull = 1
        return
    moves.points[np.uintp(count)] = point
    moves.weights[np.uintp(count)] = weight
    moves.count = count + 1


@kernel
def is_listed(moves: Candidates, point: int) -> bool:
    """Whether the list names a point."""
    for i in range(moves.count):
        if moves.points[i] == point:
            return True
    return False


@kernel
def add_once(moves: Candidates, point: int, weight: float) -> None:
    """Propose a point unless it is on the list."""
    if not is_listed(moves, point):
        add(moves, point, weight)


@kernel
def weight_of(moves: Candidates, point: int) -> float:
    """The weight that the list gives to a point; `moves.base` if it does not name it."""
    total = 0.0
    listed = False
    for i in range(moves.count):
        if moves.points[i] == point:
            total += moves.weights[i]
            listed = True
    return total if listed else moves.base


@kernel
def reweigh(moves: Candidates, point: int, weight: float) -> None:
    """Give a point another weight, in place of all it had: for a review that asks for a redraw."""
    for i in range(moves.count):
        if moves.points[i] == point:
            moves.weights[i] = 0.0
    add(moves, point, weight)


@kernel
def bar(moves: Candidates, point: int, uniform_too: bool) -> None:
    """Forbid a point for the rest of this move's choice: to heuristics, and to the uniform choice if said so."""
    point = point if 0 <= point < POINTS else PASS  # a wall: the loop will say so
    level = 2 if uniform_too else 1
    if moves.bars[np.uintp(point)] == 0:
        moves.barred[np.uintp(moves.barred_count)] = point
        moves.barred_count += 1
    moves.bars[np.uintp(point)] = max(level, moves.bars[np.uintp(point)])


@kernel
def clear_bars(moves: Candidates) -> None:
    """Forget what was barred."""
    for i in range(moves.barred_count):
        moves.bars[np.uintp(moves.barred[i])] = 0
    moves.barred_count = 0


def new_candidates() -> Candidates:
    """An empty list."""
    return np.zeros(1, CANDIDATES)[0]
