"""Selection by upper confidence bounds: UCB1 and UCB1-TUNED (Gelly et al. 2006, §2.2, §4.2)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kikashi.compiling import inlined, kernel
from kikashi.playout.simulation import Simulation
from kikashi.search.rules import selection
from kikashi.search.tree import BANNED, SCALE, Node, TreeRecord, for_mover, games, nodes_of, value_for

LIMITS = {"p": (0, math.inf), "first_play_urgency": (0, math.inf)}


@selection(source="Gelly et al. 2006, Algorithm 1", limits=LIMITS, p=1.0, first_play_urgency=1.1, grandfather=False)
def ucb1(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """UCB1: value plus p sqrt(2 log N / n); a move never tried has the first-play urgency. With `grandfather`, such
    moves are ordered by what they were worth two moves ago."""
    return _most_urgent(sim, tree, node, my, False)


@selection(source="Gelly et al. 2006, §2.2, §4.2", limits=LIMITS, p=1.0, first_play_urgency=1.1, grandfather=False)
def ucb1_tuned(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """UCB1-TUNED: value plus p sqrt(log N / n min(1/4, V)), V being the variance plus sqrt(2 log N / n). Moves never
    tried as in `ucb1`."""
    return _most_urgent(sim, tree, node, my, True)


@inlined
def _most_urgent(sim: Simulation, tree: TreeRecord, node: int, my: Any, tuned: bool) -> int:
    """The child with the largest upper bound, the first of equals."""
    nodes = nodes_of(tree)
    color = sim.board.to_play
    log_parent = np.log(max(1.0, games(nodes[node])))
    elder = sim.nodes[np.uintp(sim.depth - 2)] if my.grandfather and sim.depth >= 2 else -1
    best, chosen = -np.inf, np.int64(nodes[node].first)
    untried = np.int64(-1)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        child = nodes[i]
        if child.flags & BANNED:
            continue
        n = games(child)
        if n == 0:
            if untried < 0:
                untried = np.int64(i)
            continue
        ratio = log_parent / n
        bound = ratio * min(0.25, _variance_bound(child, ratio)) if tuned else 2.0 * ratio
        urgency = value_for(tree, child, color) + my.p * np.sqrt(bound)
        if urgency > best:
            best, chosen = urgency, np.int64(i)
    if untried >= 0 and my.first_play_urgency > best:
        return _best_two_ago(sim, tree, node, untried, elder) if elder >= 0 else untried
    return chosen


@inlined
def _variance_bound(child: Node, ratio: float) -> float:
    """The variance of a move's values plus sqrt(2 log N / n), which is not negative."""
    scale = np.float64(SCALE) * max(1, child.visits)
    mean = child.value / scale
    return max(0.0, child.square / scale - mean * mean + np.sqrt(2.0 * ratio))


@kernel
def _best_two_ago(sim: Simulation, tree: TreeRecord, node: int, untried: int, elder: int) -> int:
    """Of the moves never tried, `untried` being the first, the one that was worth most in the grandfather node; a move
    not tried there either is worth nothing (Gelly et al. 2006, §3.4). One pass over each node's moves."""
    nodes = nodes_of(tree)
    first, end = np.int64(nodes[node].first), np.int64(nodes[node].first) + nodes[node].count
    for i in range(untried, end):
        sim.found[nodes[i].move] = i - first
    best, chosen = 0.0, untried
    for j in range(nodes[elder].first, nodes[elder].first + nodes[elder].count):
        i = first + np.int64(sim.found[nodes[j].move])  # of another search, if the move is not among ours
        if nodes[j].visits == 0 or i < untried or i >= end or nodes[i].move != nodes[j].move:
            continue
        if nodes[i].flags & BANNED or games(nodes[i]) > 0:
            continue
        value = for_mover(tree, nodes[j].mean, sim.board.to_play)
        if value > best or (value == best and value > 0.0 and i < chosen):
            best, chosen = value, i
    return chosen
