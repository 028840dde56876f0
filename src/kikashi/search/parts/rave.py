"""Selection by rapid action value estimates: moves judged by all simulations in which they came at any time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kikashi.compiling import inlined
from kikashi.playout.raw import records
from kikashi.playout.simulation import Simulation
from kikashi.search.kinds import selection
from kikashi.search.parts.statistics import A_RAVE
from kikashi.search.tree import BANNED, SCALE, Node, TreeRecord, for_mover, games, nodes_of, sum_of_values

LIMITS = {"x": (0, math.inf), "exploration": (0, math.inf), "first_play_urgency": (0, math.inf)}


@inlined
def blended_value(tree: TreeRecord, child: Node, row: Any, color: int, x: float, unknown: float) -> float:
    """Value and RAVE value for `color`, mixed by the coefficient c = r / (r + n + r n x) of Baier 2010, eq. 3.2;
    `unknown` if there is neither. With sums S and R that is (S (1 + r x) + R) / (r + n + r n x): one division."""
    n, r = games(child), np.float64(row.visits)
    total = r + n + r * n * x
    if total == 0.0:
        return unknown
    value = (sum_of_values(tree, child, color) * (1.0 + r * x) + row.value * (1.0 / SCALE)) / total
    return for_mover(tree, value, color)


@selection(
    statistics=["rave"],
    source="Baier 2010, eq. 3.1–3.2",
    limits=LIMITS,
    x=1 / 3500,
    exploration=0.0,
    first_play_urgency=1.0,
)
def rave(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """Value and RAVE value mixed: c = r / (r + n + r n x), r being the simulations with the move at any time. Plus
    exploration times sqrt(log N / (n + 1)); a move nothing is known of has the first-play urgency."""
    nodes, rows = nodes_of(tree), records(my.rave, A_RAVE)
    color = sim.board.to_play
    log_parent = np.log(max(1.0, games(nodes[node])))
    best, chosen = -np.inf, np.int64(nodes[node].first)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        child = nodes[i]
        if child.flags & BANNED:
            continue
        urgency = blended_value(tree, child, rows[i], color, my.x, my.first_play_urgency)
        if my.exploration > 0.0:
            urgency += my.exploration * np.sqrt(log_parent / (games(child) + 1.0))
        if urgency > best:
            best, chosen = urgency, np.int64(i)
    return chosen
