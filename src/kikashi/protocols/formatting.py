"""What protocols tell of an analysis: lower bounds, the moves that were tried, and points from the top left."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kikashi.search.analysis import Analysis, MoveStatistics

DEVIATIONS = 1.96
"""How many standard deviations a lower confidence bound is below the mean."""


def lower_bound(winrate: float, visits: int) -> float:
    """The lower confidence bound of a win rate."""
    rate = min(1.0, max(0.0, winrate))
    return max(0.0, rate - DEVIATIONS * math.sqrt(max(rate * (1 - rate), 0.01) / max(1, visits)))


def tried_moves(analysis: Analysis, most: int | None = None) -> Sequence[MoveStatistics]:
    """The moves that were tried, at most `most`; the first move if none was tried."""
    tried = [move for move in analysis.moves if move.visits]
    return (tried or analysis.moves[:1])[:most]


def from_the_top(values: Sequence[float]) -> list[float]:
    """Values by point, A1 first, as values row by row from the top left."""
    size = math.isqrt(len(values))
    return [value for row in range(size - 1, -1, -1) for value in values[row * size : (row + 1) * size]]
