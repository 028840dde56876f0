"""The list that a heuristic fills: ``moves``, with the few verbs a heuristic and a review need.

A heuristic marks points that are all alike, or adds points with weights. It may set ``moves.ordered``, and the first
feasible point of the list is taken; ``moves.shares``, and priors take the weights for what they are, the shares of all
moves, and not in proportion to the largest; ``moves.base``, the weight of every feasible point it does not list; and
bar points: from this and all later heuristics of the same move, and from the uniform choice at the end if it says so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import PASS, POINTS
from kikashi.jit import inlined, kernel
from kikashi.playout.playout_types import Candidates as Candidates

CAPACITY = 512
REDRAW = -1
"""What a review returns to have the move drawn anew, with the weights as it left them."""

CANDIDATES = np.dtype(
    [
        ("count", "i8"),
        ("base", "f8"),
        ("weighted", "?"),  # whether some weight is not 1
        ("ordered", "?"),  # set by a heuristic: take the first feasible point
        ("shares", "?"),  # set by a heuristic: the weights are shares, which add up to 1 over all moves
        ("overfull", "?"),
        ("barred_count", "i8"),
        ("points", "i4", (CAPACITY,)),
        ("weights", "f8", (CAPACITY,)),
        ("barred", "i4", (CAPACITY,)),
        ("bars", "u1", (POINTS,)),  # 0 free, 1 barred to heuristics, 2 barred to the uniform choice too
    ],
    align=True,
)


@inlined
def clear_list(moves: Candidates) -> None:
    """Make the list empty, without touching the bars."""
    moves.count = 0
    moves.weighted = False
    moves.ordered = False
    moves.shares = False
    moves.overfull = False
    moves.base = 0.0


@inlined
def mark(moves: Candidates, point: int) -> None:
    """Propose a point like all others that are marked. Illegal and infeasible points are dropped by the loop."""
    _append(moves, point, 1.0)


@kernel
def add(moves: Candidates, point: int, weight: float) -> None:
    """Propose a point with a weight; a marked one weighs 1. Named twice, its weights add up."""
    moves.weighted = True
    _append(moves, point, weight)


@inlined
def _append(moves: Candidates, point: int, weight: float) -> None:
    count = moves.count
    if count >= CAPACITY:
        moves.overfull = True
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
def mark_once(moves: Candidates, point: int) -> None:
    """Mark a point unless it is on the list."""
    if not is_listed(moves, point):
        mark(moves, point)


@inlined
def mark_best(moves: Candidates, point: int, value: float, best: float) -> float:
    """Mark a point if its value is at least `best`, in place of all that are listed if it is more. Returns the higher
    of both values."""
    if value > best:
        moves.count = 0
    if value >= best:
        mark(moves, point)
    return max(value, best)


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


def new_candidates() -> Any:
    """An empty list."""
    return np.zeros(1, CANDIDATES)[0]
