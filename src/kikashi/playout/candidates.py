"""The candidate list that a heuristic fills: ``moves``, with the functions that heuristics and reviews call.

A heuristic marks points that all have the same weight, or adds points with weights. With ``moves.ordered`` the first
feasible point of the list is played. With ``moves.shares`` priors take the weights as probabilities of all moves, and
not in proportion to the largest. ``moves.base`` is the weight of every feasible point that is not listed. A barred
point is closed to this and all later heuristics of the same move, and optionally to the uniform choice at the end.
"""

from typing import Any

import numpy as np

from kikashi.board.points import PASS, POINTS
from kikashi.jit import inlined, kernel
from kikashi.playout.playout_types import Candidates as Candidates

CAPACITY = 512
REDRAW = -1
"""The result of a review that wants another draw, with the weights as it left them."""

CANDIDATES = np.dtype(
    [
        ("count", "i8"),
        ("base", "f8"),
        ("weighted", "?"),  # whether some weight is not 1
        ("ordered", "?"),
        ("shares", "?"),
        ("overfull", "?"),  # whether a point found no place
        ("barred_count", "i8"),
        ("points", "i4", (CAPACITY,)),
        ("weights", "f8", (CAPACITY,)),
        ("barred", "i4", (CAPACITY,)),
        ("bars", "u1", (POINTS,)),
    ],
    align=True,
)


@inlined
def clear_list(moves: Candidates) -> None:
    """Empty the list, but keep the bars."""
    moves.count = 0
    moves.weighted = False
    moves.ordered = False
    moves.shares = False
    moves.overfull = False
    moves.base = 0.0


@inlined
def mark(moves: Candidates, point: int) -> None:
    """Propose a point with weight 1. The loop drops illegal and infeasible points."""
    _append(moves, point, 1.0)


@kernel
def add(moves: Candidates, point: int, weight: float) -> None:
    """Propose a point with a weight. The weights of a point that is listed twice add up."""
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
    """Return whether a point is on the list."""
    for i in range(moves.count):
        if moves.points[i] == point:
            return True
    return False


@kernel
def mark_once(moves: Candidates, point: int) -> None:
    """Mark a point unless it is on the list already."""
    if not is_listed(moves, point):
        mark(moves, point)


@inlined
def mark_best(moves: Candidates, point: int, value: float, best: float) -> float:
    """Mark a point if its value is at least `best`, instead of all listed points if it is more; return the higher."""
    if value > best:
        moves.count = 0
    if value >= best:
        mark(moves, point)
    return max(value, best)


@kernel
def weight_of(moves: Candidates, point: int) -> float:
    """Return the weight of a point, `moves.base` if it is not listed."""
    total = 0.0
    listed = False
    for i in range(moves.count):
        if moves.points[i] == point:
            total += moves.weights[i]
            listed = True
    return total if listed else moves.base


@kernel
def reweigh(moves: Candidates, point: int, weight: float) -> None:
    """Replace the weight of a point, for a review that returns REDRAW."""
    for i in range(moves.count):
        if moves.points[i] == point:
            moves.weights[i] = 0.0
    add(moves, point, weight)


@kernel
def bar(moves: Candidates, point: int, uniform_too: bool) -> None:
    """Forbid a point until the move is chosen: to heuristics, and with `uniform_too` to the uniform choice."""
    point = point if 0 <= point < POINTS else PASS  # a wall: the loop will raise
    level = 2 if uniform_too else 1
    if moves.bars[np.uintp(point)] == 0:
        moves.barred[np.uintp(moves.barred_count)] = point
        moves.barred_count += 1
    moves.bars[np.uintp(point)] = max(level, moves.bars[np.uintp(point)])


@kernel
def clear_bars(moves: Candidates) -> None:
    """Remove all bars."""
    for i in range(moves.barred_count):
        moves.bars[np.uintp(moves.barred[i])] = 0
    moves.barred_count = 0


def new_candidates() -> Any:
    """Return an empty list."""
    return np.zeros(1, CANDIDATES)[0]
