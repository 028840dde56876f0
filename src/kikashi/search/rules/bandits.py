"""Selection by upper confidence bounds: UCB1 and UCB1-TUNED (Gelly et al. 2006, §2.2, §4.2)."""

import math
from typing import Any

import numpy as np

from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import records
from kikashi.playout.simulation import Simulation
from kikashi.search.kinds import selection
from kikashi.search.rules.statistics import A_SQUARE
from kikashi.search.tree import BANNED, SCALE, Node, TreeRecord, for_mover, games, nodes_of, value_for

LIMITS = {"p": (0, math.inf), "first_play_urgency": (0, math.inf)}


@selection(source="Gelly et al. 2006, Algorithm 1", limits=LIMITS, p=1.0, first_play_urgency=1.1, grandfather=False)
def ucb1(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """UCB1: value plus p sqrt(2 log N / n); a move never tried has the first-play urgency. With `grandfather`, such
    moves are ordered by what they were worth two moves ago."""
    nodes = nodes_of(tree)
    color = sim.board.to_play
    log_parent = np.log(max(1.0, games(nodes[node])))
    best, chosen, untried = -np.inf, np.int64(nodes[node].first), np.int64(-1)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if games(nodes[i]) == 0:
            untried = _first_untried(nodes, untried, i)
        elif not nodes[i].flags & BANNED:
            urgency = value_for(tree, nodes[i], color) + my.p * np.sqrt(2.0 * log_parent / games(nodes[i]))
            if urgency > best:
                best, chosen = urgency, np.int64(i)
    if untried < 0 or best >= my.first_play_urgency:
        return chosen
    return _best_untried(sim, tree, node, untried) if my.grandfather else untried


@selection(
    statistics=["squares"],
    source="Gelly et al. 2006, §2.2, §4.2",
    limits=LIMITS,
    p=1.0,
    first_play_urgency=1.1,
    grandfather=False,
)
def ucb1_tuned(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """UCB1-TUNED: value plus p sqrt(log N / n min(1/4, V)), V being the variance plus sqrt(2 log N / n). Moves never
    tried as in `ucb1`."""
    nodes, rows = nodes_of(tree), records(my.squares, A_SQUARE)
    color = sim.board.to_play
    log_parent = np.log(max(1.0, games(nodes[node])))
    best, chosen, untried = -np.inf, np.int64(nodes[node].first), np.int64(-1)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if games(nodes[i]) == 0:
            untried = _first_untried(nodes, untried, i)
        elif not nodes[i].flags & BANNED:
            ratio = log_parent / games(nodes[i])
            value = value_for(tree, nodes[i], color)
            if value + my.p * np.sqrt(0.25 * ratio) > best:  # else it cannot be the best, whatever its variance
                bound = ratio * min(0.25, _variance_bound(nodes[i], rows[i], ratio))
                urgency = value + my.p * np.sqrt(bound)
                if urgency > best:
                    best, chosen = urgency, np.int64(i)
    if untried < 0 or best >= my.first_play_urgency:
        return chosen
    return _best_untried(sim, tree, node, untried) if my.grandfather else untried


@inlined
def _variance_bound(child: Node, row: Any, ratio: float) -> float:
    """Return the variance of a move's values plus sqrt(2 log N / n), at least 0."""
    scale = np.float64(SCALE) * max(1, child.visits)
    mean = child.value / scale
    return max(0.0, row.square / scale - mean * mean + np.sqrt(2.0 * ratio))


@inlined
def _first_untried(nodes: Any, untried: int, i: int) -> int:
    """Return the first child never tried and not banned: `untried`, or child `i` if that is -1."""
    return np.int64(i) if untried < 0 and not nodes[i].flags & BANNED else np.int64(untried)


@kernel
def _best_untried(sim: Simulation, tree: TreeRecord, node: int, untried: int) -> int:
    """Return the move never tried that was best two moves ago; `untried`, the first, if there is none."""
    return _best_two_ago(sim, tree, node, untried, sim.nodes[np.uintp(sim.depth - 2)]) if sim.depth >= 2 else untried


@kernel
def _best_two_ago(sim: Simulation, tree: TreeRecord, node: int, untried: int, elder: int) -> int:
    """Return the move never tried, `untried` or a later one, with the highest value in the grandfather node.

    A move not tried there either has the value 0 (Gelly et al. 2006, §3.4). One pass over each node's moves.
    """
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
