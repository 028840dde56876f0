"""How much memory the tree of a player needs, by what it may spend on a move."""

from __future__ import annotations

from kikashi.engine import machine
from kikashi.engine.limits import POINTS_PER_SECOND
from kikashi.search.tree import NODE

LEAST = 128.0
MOST = 4096.0
RESERVE = 1.25
"""For the part of the tree that is kept from move to move."""


def megabytes_for(size: int, simulations: int | None = None, seconds: float | None = None) -> float:
    """Room for a tree that grows by one expansion, a node for each point and one for passing, in every simulation.

    Of simulations and seconds the one that runs out first counts. Never below LEAST nor above `ceiling`.
    """
    limits = [] if simulations is None else [float(simulations)]
    if seconds is not None:
        limits.append(seconds * POINTS_PER_SECOND / size**2)
    needed = min(limits, default=0.0) * (size**2 + 1) * NODE.itemsize * RESERVE / 2**20
    return max(LEAST, min(needed, ceiling()))


def ceiling() -> float:
    """The most that one player gets: MOST, or its share of half of the memory if every core plays a game of two."""
    return min(MOST, machine.megabytes() / 2 / (2 * machine.cores()))
