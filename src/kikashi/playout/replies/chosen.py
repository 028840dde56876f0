"""History heuristics of the tree (Drake and Uurtamo 2007, as Baier 2010, §3.4.2 tells them): play what the tree's
selection chose most often, of all moves (first order) or as an answer to the last move (second order).

Who won does not matter, and moves of playouts do not count: that tells them from last good replies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import PASS, POINTS
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import NOWHERE, context_at
from kikashi.playout.replies.highest import highest_value, point_with
from kikashi.playout.simulation import HISTORY, Simulation


@memory(
    cells=lambda parameters: 2 * POINTS ** int(parameters["order"]),
    source="Baier 2010, §3.4.2 (Drake and Uurtamo 2007)",
    limits={"order": (1, 2)},
    order=2,
)
def tree_choices(sim: Simulation, my: Any) -> None:
    """For each player, with order 2 also for each last move of the opponent, and move: how often the tree's selection
    chose it. The last move may be the one before the root."""
    for i in range(HISTORY, sim.tree_length):
        row, p = context_at(sim, i, my.order - 1, 1), np.int64(sim.moves[np.uintp(i)])
        if row != NOWHERE and p != PASS:
            add_to_cell(my.cells, row * POINTS + p, 1)


@heuristic(memories=["tree_choices"], source="Baier 2010, §3.4.2 (Drake and Uurtamo 2007)")
def tree_history(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vacant point that the tree's selection chose most often as an answer to the last move; with order 1, the
    one that it chose most often at all. Ties are drawn."""
    row = context_at(sim, sim.length, my.order - 1, 1)
    if row == NOWHERE:
        return
    table, row = cells(my.tree_choices), row * POINTS
    highest = highest_value(sim, table, row)
    if highest > 0:
        p = point_with(sim, table, row, highest)
        if p != PASS:  # another thread may have changed the count meanwhile
            mark(moves, p)
