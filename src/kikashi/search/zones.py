"""Zones (Gelly et al. 2006, §3.3): the points that a whole search keeps to, and what the rest of the board is worth.

A zone is found at the root and stays: moves outside it are neither in the tree nor in playouts. Before the tree,
playouts of the whole board say what the points inside and outside are worth; equation 2 tunes the score outside towards
a close game. It is a constant of the search: simulations count the points inside alone, and have that much less komi.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kikashi.board.points import POINTS, STRIDE, points_of
from kikashi.parts.binding import BoundPart

UNTUNED = 1.0
"""The alpha that leaves the score outside as playouts found it."""


def tuned_score(inside: float, outside: float, *, komi: float, alpha: float) -> float:
    """Equation 2: the score to count for the points outside, Black's as are `inside` and `outside`, the mean scores.

    With it the mean score of the game, komi counted, is `alpha` times what it was.
    """
    return alpha * (outside + inside - komi) - (inside - komi)


@dataclass(frozen=True)
class Tuning:
    """How the score outside a zone is to be found."""

    simulations: int
    until: float
    """The time (of time.perf_counter) when to make do with fewer."""
    alpha: float


@dataclass(frozen=True)
class ZoneRule:
    """How a search finds its zones, and what it spends on the score outside."""

    groups: BoundPart
    """The region rule whose points, at the root, are the middle of the zone."""
    margin: int = 2
    """How many steps the zone reaches from these points, whatever lies between."""
    tuning: int = 5_000
    """Simulations of the whole board before those of the zone. They are part of the budget …"""
    share: float = 0.25
    """… of a move, and at most this share of it."""
    alpha: float = 0.5

    def tuning_for(self, simulations: int, started: float, until: float, alpha: float | None = None) -> Tuning:
        """Return the tuning of a search of so many simulations between two times; none if they are too few.

        Without `alpha` it is the rule's.
        """
        share = min(self.tuning, int(self.share * simulations))
        return Tuning(share, started + self.share * (until - started), self.alpha if alpha is None else alpha)


@dataclass(eq=False)
class Zone:
    """The zone of one search. Scores are Black's, without komi, and 0 until the zone has been tuned."""

    points: np.ndarray
    """By point: whether it is inside."""
    tuning: Tuning
    is_tuned: bool = False
    inside: float = 0.0
    """The mean score of the points inside in simulations of the whole board."""
    outside: float = 0.0
    """And of those outside."""
    tuned: float = 0.0
    """What simulations of the zone count for the points outside."""
    ownership: Any = None
    """By point, who owned it in simulations of the whole board."""

    def tune(self, ownership: np.ndarray, komi: float) -> None:
        """Take the mean owners of all points in simulations of the whole board: 1 is Black's for sure, -1 White's."""
        self.ownership = ownership
        self.inside, self.outside = float(ownership[self.points].sum()), float(ownership[~self.points].sum())
        self.tuned = tuned_score(self.inside, self.outside, komi=komi, alpha=self.tuning.alpha)
        self.is_tuned = True

    def is_as(self, other: Zone | None) -> bool:
        """Whether what was found in one zone holds in the other: they have the same points and the same alpha."""
        return (
            other is not None
            and self.tuning.alpha == other.tuning.alpha
            and bool(np.array_equal(self.points, other.points))
        )


def on_board(size: int) -> np.ndarray:
    """By point: whether it is one of a board of this size."""
    found = np.zeros(POINTS, bool)
    found[points_of(size)] = True
    return found


def widened(points: np.ndarray, margin: int, size: int) -> np.ndarray:
    """Points of a board, and all that are within `margin` steps from them."""
    board = on_board(size)
    for _ in range(margin):
        steps = (np.roll(points, step) for step in (1, -1, STRIDE, -STRIDE))
        points = (points | np.logical_or.reduce(list(steps))) & board
    return points
