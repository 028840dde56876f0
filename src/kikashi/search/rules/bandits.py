"""Selection by upper confidence bounds: UCB1 and UCB1-TUNED (Gelly et al. 2006, §2.2, §4.2)."""

import math
from typing import Any

import numpy as np

from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import records
from kikashi.playout.simulation import Simulation
from kikashi.search.kinds import selection
from kikashi.search.rules.statistics import A_SQUARE
from kikashi.search.terms import Terms, set_term, set_total
from kikashi.search.tree import BANNED, SCALE, Node, TreeRecord, for_mover, games, nodes_of, value_for

LIMITS = {"p": (0, math.inf), "first_play_urgency": (0, math.inf)}
_VALUE, _EXPLORATION, _FIRST_PLAY, _TWO_AGO, _VARIANCE = range(5)
NAMES = ("value", "exploration", "first-play urgency", "two moves ago")
"""Names of terms, by the numbers above."""


@selection(
    terms=NAMES,
    source="Gelly et al. 2006, Algorithm 1",
    limits=LIMITS,
    p=1.0,
    first_play_urgency=1.1,
    grandfather=False,
)
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
            urgency = value_for(tree, nodes[i], color) + _bonus(nodes[i], log_parent, my.p)
            if urgency > best:
                best, chosen = urgency, np.int64(i)
    if untried < 0 or best >= my.first_play_urgency:
        return chosen
    return _best_untried(sim, tree, node, untried) if my.grandfather else untried


@ucb1.explain
def _explain_ucb1(sim: Simulation, tree: TreeRecord, node: int, terms: Terms, my: Any) -> None:
    nodes = nodes_of(tree)
    color = sim.board.to_play
    log_parent = np.log(max(1.0, games(nodes[node])))
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if games(nodes[i]) == 0:
            _explain_untried(sim, tree, i, terms, my.first_play_urgency, my.grandfather)
        elif not nodes[i].flags & BANNED:
            value, bonus = value_for(tree, nodes[i], color), _bonus(nodes[i], log_parent, my.p)
            set_term(terms, i, _VALUE, value)
            set_term(terms, i, _EXPLORATION, bonus)
            set_total(terms, i, value + bonus)


@inlined
def _bonus(child: Node, log_parent: float, p: float) -> float:
    """Return p sqrt(2 log N / n)."""
    return p * np.sqrt(2.0 * log_parent / games(child))


@selection(
    terms=(*NAMES, "variance"),
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
                urgency = value + _tuned_bonus(_variance_bound(nodes[i], rows[i], ratio), ratio, my.p)
                if urgency > best:
                    best, chosen = urgency, np.int64(i)
    if untried < 0 or best >= my.first_play_urgency:
        return chosen
    return _best_untried(sim, tree, node, untried) if my.grandfather else untried


@ucb1_tuned.explain
def _explain_tuned(sim: Simulation, tree: TreeRecord, node: int, terms: Terms, my: Any) -> None:
    nodes, rows = nodes_of(tree), records(my.squares, A_SQUARE)
    color = sim.board.to_play
    log_parent = np.log(max(1.0, games(nodes[node])))
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if games(nodes[i]) == 0:
            _explain_untried(sim, tree, i, terms, my.first_play_urgency, my.grandfather)
        elif not nodes[i].flags & BANNED:
            ratio = log_parent / games(nodes[i])
            value, variance = value_for(tree, nodes[i], color), _variance_bound(nodes[i], rows[i], ratio)
            bonus = _tuned_bonus(variance, ratio, my.p)
            set_term(terms, i, _VALUE, value)
            set_term(terms, i, _EXPLORATION, bonus)
            set_term(terms, i, _VARIANCE, variance)
            set_total(terms, i, value + bonus)


@inlined
def _tuned_bonus(variance: float, ratio: float, p: float) -> float:
    """Return p sqrt(log N / n min(1/4, V))."""
    return p * np.sqrt(ratio * min(0.25, variance))


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


@kernel
def _explain_untried(
    sim: Simulation, tree: TreeRecord, child: int, terms: Terms, urgency: float, grandfather: bool
) -> None:
    """Set the terms of a move never tried; of those with equal totals the one that was best two moves ago is chosen."""
    nodes = nodes_of(tree)
    if nodes[child].flags & BANNED:
        return
    set_term(terms, child, _FIRST_PLAY, urgency)
    set_total(terms, child, urgency)
    if not grandfather or sim.depth < 2:
        return
    elder = nodes[sim.nodes[np.uintp(sim.depth - 2)]]
    value = 0.0
    for j in range(elder.first, elder.first + elder.count):
        if nodes[j].move == nodes[child].move and nodes[j].visits > 0:
            value = for_mover(tree, nodes[j].mean, sim.board.to_play)
    set_term(terms, child, _TWO_AGO, value)
