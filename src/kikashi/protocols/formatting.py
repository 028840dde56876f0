"""Formatting of analyses that protocols share: lower bounds, visited moves, and points from the top left."""

import math
from collections.abc import Sequence
from typing import TypeVar

from kikashi.search.analysis import Analysis, MoveStatistics

Value = TypeVar("Value")
DEVIATIONS = 1.96
"""Standard deviations between a mean and its lower confidence bound."""


def lower_bound(winrate: float, visits: int) -> float:
    """Return the lower confidence bound of a win rate."""
    rate = min(1.0, max(0.0, winrate))
    return max(0.0, rate - DEVIATIONS * math.sqrt(max(rate * (1 - rate), 0.01) / max(1, visits)))


def visited_moves(analysis: Analysis, most: int | None = None) -> Sequence[MoveStatistics]:
    """Return the visited moves, at most `most`; the first move if none was visited."""
    visited = [move for move in analysis.moves if move.visits]
    return (visited or analysis.moves[:1])[:most]


def from_the_top(values: Sequence[Value]) -> list[Value]:
    """Return values by point, A1 first, row by row from the top left."""
    size = math.isqrt(len(values))
    return [value for row in range(size - 1, -1, -1) for value in values[row * size : (row + 1) * size]]
