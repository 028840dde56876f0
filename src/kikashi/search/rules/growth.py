"""Expansion by visits, or never."""

import math
from typing import Any

from kikashi.playout.simulation import Simulation
from kikashi.search.kinds import expansion
from kikashi.search.tree import TreeRecord, nodes_of


@expansion(source="Gelly et al. 2006, §2.3; Coulom 2006, §2", limits={"visits": (0, math.inf)}, visits=1)
def after_visits(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> bool:
    """After this many visits: 1 makes a node for every simulation, 0 one at the first visit already."""
    return nodes_of(tree)[node].visits >= my.visits


@expansion(source="Yoshizoe et al. 2006, Related Work; Baier 2010, §3.3.1")
def never(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> bool:
    """Never: only the root has children, as in the programs from before the tree."""
    return False
