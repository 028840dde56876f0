"""Whose a point was at the end of the simulations so far, and whether who had it won."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, POINTS
from kikashi.jit import kernel
from kikashi.parts.blocks import cells
from kikashi.playout.kinds import feature, memory
from kikashi.playout.simulation import Simulation, find_owners

FEWEST = 64
"""Simulations that tell something."""
_BLACKS, _WINNERS = 2, 2 + POINTS


@memory(cells=2 + 2 * POINTS, scope="search")
def outcomes(sim: Simulation, my: Any) -> None:
    """How many simulations there were and how many Black won; by point, how often it was Black's, and how often the
    winner's. Threads may now and then lose one of these, and draws count for nothing."""
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
    source="Coulom 2009, Criticality: a Monte-Carlo heuristic for Go programs",
)
def owner(sim: Simulation, point: int, my: Any) -> int:
    """How often its point was one's own at the end of the simulations so far, in fifths."""
    table = cells(my.outcomes)
    if table[0] < FEWEST:
        return 0
    share = table[_BLACKS + point] / table[0]
    share = share if sim.board.to_play == BLACK else 1.0 - share
    return 1 + min(4, np.int64(5.0 * share))


@feature(
    memories=["outcomes"],
    levels=("unknown", "none", "up to 0.05", "up to 0.1", "up to 0.15", "more"),
    source="Coulom 2009, Criticality: a Monte-Carlo heuristic for Go programs",
)
def criticality(sim: Simulation, point: int, my: Any) -> int:
    """How much owning its point goes with winning, over the simulations so far: the covariance of the two."""
    table = cells(my.outcomes)
    if table[0] < FEWEST:
        return 0
    found = _criticality(table, point)
    return 1 if found <= 0.0 else min(5, 2 + np.int64(20.0 * found))


@kernel
def _criticality(table: np.ndarray, point: int) -> float:
    count = np.float64(table[0])
    blacks, black_wins = table[_BLACKS + point] / count, table[1] / count
    return table[_WINNERS + point] / count - blacks * black_wins - (1.0 - blacks) * (1.0 - black_wins)
