"""Memory of a player's tree, by the limit of a move."""

from __future__ import annotations

from kikashi.engine import machine
from kikashi.engine.limits import POINTS_PER_SECOND
from kikashi.search.tree import NODE

LEAST = 128.0
MOST = 4096.0
REUSE = 1.25
"""Factor for the part of the tree that is kept from move to move."""


def megabytes_for(size: int, simulations: int | None = None, seconds: float | None = None) -> float:
    """Return the megabytes of a tree with one expansion, a node for every point and for passing, in each simulation.

    The smaller of both limits counts. The result is from LEAST to `ceiling`.
    """
    limits = [] if simulations is None else [float(simulations)]
    if seconds is not None:
        limits.append(seconds * POINTS_PER_SECOND / size**2)
    needed = min(limits, default=0.0) * (size**2 + 1) * NODE.itemsize * REUSE / 2**20
    return max(LEAST, min(needed, ceiling()))


def ceiling() -> float:
    """Return the megabytes that each of two players may have if every core plays a game in half of the memory."""
    return min(MOST, machine.megabytes() / 2 / (2 * machine.cores()))
