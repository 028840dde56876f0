"""Zones (Gelly et al. 2006, §3.3): the points that a whole search keeps to, and the score of the others.

A zone is found at the root and stays: neither tree nor playouts have moves outside it. At first playouts of the whole
board estimate the scores inside and outside; equation 2 tunes the score outside towards a close game. Simulations then
count the points inside only, with that much less komi.
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
    """Return the score of the points outside by equation 2, from mean scores; all are Black's.

    With it the mean score of the game, komi counted, is multiplied by `alpha`.
    """
    return alpha * (outside + inside - komi) - (inside - komi)


@dataclass(frozen=True)
class Tuning:
    """Limit and alpha of the tuning of a zone."""

    simulations: int
    until: float
    """Time (of time.perf_counter) at which fewer simulations suffice."""
    alpha: float


@dataclass(frozen=True)
class ZoneRule:
    """Rule of a search for its zones."""

    groups: BoundPart
    """Region rule whose points, at the root, are the middle of the zone."""
    margin: int = 2
    """Steps from these points to the edge of the zone."""
    tuning: int = 5_000
    """Simulations of the whole board before those of the zone, part of the limit of a move …"""
    share: float = 0.25
    """… and at most this share of it."""
    alpha: float = 0.5

    def tuning_for(self, simulations: int, started: float, until: float, alpha: float | None = None) -> Tuning:
        """Return the tuning of a search with these limits; without `alpha` it is the rule's."""
        share = min(self.tuning, int(self.share * simulations))
        return Tuning(share, started + self.share * (until - started), self.alpha if alpha is None else alpha)


@dataclass(eq=False)
class Zone:
    """The zone of one search. Scores are Black's, without komi, and 0 until it is tuned."""

    points: np.ndarray
    """Mask of the points inside."""
    tuning: Tuning
    is_tuned: bool = False
    inside: float = 0.0
    """Mean score of the points inside in simulations of the whole board."""
    outside: float = 0.0
    """Mean score of the points outside in the same simulations."""
    tuned: float = 0.0
    """Tuned score of the points outside, for simulations of the zone."""
    ownership: Any = None
    """Mean owner of each point in simulations of the whole board."""

    def tune(self, ownership: np.ndarray, komi: float) -> None:
        """Tune by the mean owners of all points in simulations of the whole board, from -1 to 1 (Black)."""
        self.ownership = ownership
        self.inside, self.outside = float(ownership[self.points].sum()), float(ownership[~self.points].sum())
        self.tuned = tuned_score(self.inside, self.outside, komi=komi, alpha=self.tuning.alpha)
        self.is_tuned = True

    def is_as(self, other: Zone | None) -> bool:
        """Return whether another zone has the same points and alpha, so that it can share a tree."""
        if other is None or self.tuning.alpha != other.tuning.alpha:
            return False
        return bool(np.array_equal(self.points, other.points))


def on_board(size: int) -> np.ndarray:
    """Return a mask of the points of a board."""
    found = np.zeros(POINTS, bool)
    found[points_of(size)] = True
    return found


def widened(points: np.ndarray, margin: int, size: int) -> np.ndarray:
    """Return a mask of the points within `margin` steps of others."""
    board = on_board(size)
    for _ in range(margin):
        steps = (np.roll(points, step) for step in (1, -1, STRIDE, -STRIDE))
        points = (points | np.logical_or.reduce(list(steps))) & board
    return points
