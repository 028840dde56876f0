"""Selection without learning, for the first move of a sampled game (Yoshizoe et al. 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.rng import random_below
from kikashi.jit import kernel
from kikashi.playout.simulation import Simulation
from kikashi.search.kinds import BY_PLAYOUT, selection
from kikashi.search.tree import BANNED, TreeRecord, nodes_of


@selection(source="Yoshizoe et al. 2006, Related Work")
def evenly(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """All moves in turn, by the number of the simulation: each is tried equally often (the one-ply model)."""
    count = _count_open(tree, node)
    return _nth_open(tree, node, sim.number % count if count > 0 else 0)


@selection(source="Yoshizoe et al. 2006, Sequential Algorithm, figure 2")
def at_random(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """Any move, all alike, a pass too."""
    count = _count_open(tree, node)
    return _nth_open(tree, node, random_below(sim, count) if count > 0 else 0)


@selection(source="Baier 2010, §3.3.1")
def by_playout(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """The move of the playout policy."""
    return BY_PLAYOUT


@kernel
def _count_open(tree: TreeRecord, node: int) -> int:
    """Return the number of children that are not banned; pruned ones are."""
    nodes = nodes_of(tree)
    count = np.int64(0)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        count += not nodes[i].flags & BANNED
    return count


@kernel
def _nth_open(tree: TreeRecord, node: int, n: int) -> int:
    """Return the child after `n` others that are not banned; the first child if there are fewer."""
    nodes = nodes_of(tree)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if not nodes[i].flags & BANNED:
            if n == 0:
                return np.int64(i)
            n -= 1
    return np.int64(nodes[node].first)
