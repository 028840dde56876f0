"""A roulette wheel over heuristics (Drake and Uurtamo 2007, after Baier 2010, §3.4.1).

One heuristic, drawn by learned probabilities, makes each move, instead of the first of the list that has one.
"""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY
from kikashi.board.rng import random_below, random_unit
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.kinds import memory
from kikashi.playout.loop import HEURISTICS
from kikashi.playout.simulation import Simulation, mover

MOVES, WON, SECTORS = 0, HEURISTICS, 2 * HEURISTICS
_LARGEST_SECTOR = 1 << 16
_MAX_COUNT = 1 << 30


@memory(
    cells=3 * HEURISTICS,
    source="Baier 2010, §3.4.1 (Drake and Uurtamo 2007)",
    limits={"power": (0, 100)},
    power=4.0,
)
def heuristic_wheel(sim: Simulation, my: Any) -> None:
    """For each heuristic of the list: the number of moves that it made in playouts, the number of those that the winner
    made, and its sector of the wheel, a power of their ratio. The wheel picks the one heuristic that makes a move."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(sim.tree_length, sim.length):
        k = np.int64(sim.by[np.uintp(i)])
        if k < HEURISTICS and table[np.uintp(MOVES + k)] < _MAX_COUNT:
            add_to_cell(my.cells, MOVES + k, 1)
            add_to_cell(my.cells, WON + k, mover(sim, i) == sim.winner)
    for k in range(HEURISTICS):
        win_rate = (table[WON + k] + 1.0) / (table[MOVES + k] + 2.0)
        table[SECTORS + k] = 1 + np.int64(_LARGEST_SECTOR * win_rate**my.power)


@heuristic_wheel.pick
def _pick(sim: Simulation, count: int, my: Any) -> int:
    """Draw a sector; all are equal before the first simulation is over."""
    table = cells(my.cells)
    total = np.int64(0)
    for k in range(count):
        total += table[np.uintp(SECTORS + k)]
    if total == 0:
        return random_below(sim, count)
    at = np.int64(random_unit(sim) * total)
    for k in range(count):
        at -= table[np.uintp(SECTORS + k)]
        if at < 0:
            return np.int64(k)
    return np.int64(count - 1)
