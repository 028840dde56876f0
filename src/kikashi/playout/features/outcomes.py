"""The owners of points at the end of the simulations so far, and their correlation with winning."""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, POINTS
from kikashi.parts.blocks import cells
from kikashi.playout.kinds import feature, memory
from kikashi.playout.simulation import Simulation, find_owners

FEWEST = 64
"""The fewest simulations that are evaluated."""
_BLACKS, _WINNERS = 2, 2 + POINTS
SOURCE = "Coulom 2009, Criticality: a Monte-Carlo heuristic for Go programs"


@memory(cells=2 + 2 * POINTS, scope="search")
def outcomes(sim: Simulation, my: Any) -> None:
    """The number of simulations and of Black's wins; by point, how often Black and how often the winner owned it.
    Threads may lose a count now and then; draws do not count."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    table[0] += 1
    table[1] += sim.winner == BLACK
    find_owners(sim)
    for p in range(POINTS):
        table[_BLACKS + p] += sim.owner[p] == BLACK
        table[_WINNERS + p] += sim.owner[p] == sim.winner


@feature(
    memories=["outcomes"],
    levels=("unknown", "theirs", "rather theirs", "nobody's", "rather one's own", "one's own"),
    source=SOURCE,
)
def owner(sim: Simulation, point: int, my: Any) -> int:
    """The rate, in fifths, at which the player owned the point at the end of the simulations so far."""
    table = cells(my.outcomes)
    if table[0] < FEWEST:
        return 0
    rate = table[_BLACKS + point] / table[0]
    rate = rate if sim.board.to_play == BLACK else 1.0 - rate
    return 1 + min(4, np.int64(5.0 * rate))


@feature(
    memories=["outcomes"],
    levels=("unknown", "none", "up to 0.05", "up to 0.1", "up to 0.15", "more"),
    source=SOURCE,
)
def criticality(sim: Simulation, point: int, my: Any) -> int:
    """The covariance of owning the point and winning, over the simulations so far."""
    table = cells(my.outcomes)
    if table[0] < FEWEST:
        return 0
    count = np.float64(table[0])
    blacks, black_wins = table[_BLACKS + point] / count, table[1] / count
    covariance = table[_WINNERS + point] / count - blacks * black_wins - (1.0 - blacks) * (1.0 - black_wins)
    return 1 if covariance <= 0.0 else min(5, 2 + np.int64(20.0 * covariance))
