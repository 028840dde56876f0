"""Players without a tree: selection without learning, and progressive pruning (Yoshizoe et al. 2006)."""

import math
from typing import Any

import numpy as np

from kikashi.board.rng import random_below
from kikashi.jit import kernel
from kikashi.parts.blocks import records
from kikashi.playout.simulation import Simulation
from kikashi.search.kinds import BY_PLAYOUT, pruning, selection
from kikashi.search.rules.statistics import A_SQUARE, variance_of_games
from kikashi.search.terms import Terms, set_total
from kikashi.search.tree import BANNED, PRUNED, SCALE, Node, TreeRecord, for_mover, nodes_of


@selection(source="Yoshizoe et al. 2006, Related Work")
def evenly(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """All moves in turn, by the number of the simulation: each is tried equally often (the one-ply model)."""
    return _whose_turn(sim, tree, node)


@evenly.explain
def _explain_turn(sim: Simulation, tree: TreeRecord, node: int, terms: Terms, my: Any) -> None:
    """1 for the move whose turn it is, 0 for others."""
    nodes, chosen = nodes_of(tree), _whose_turn(sim, tree, node)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if not nodes[i].flags & BANNED:
            set_total(terms, i, np.float64(i == chosen))


@kernel
def _whose_turn(sim: Simulation, tree: TreeRecord, node: int) -> int:
    count = _count_open(tree, node)
    return _nth_open(tree, node, sim.number % count if count > 0 else 0)


@selection(source="Yoshizoe et al. 2006, Sequential Algorithm, figure 2")
def at_random(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """Any move, all alike, a pass too."""
    count = _count_open(tree, node)
    return _nth_open(tree, node, random_below(sim, count) if count > 0 else 0)


@at_random.explain
def _explain_odds(sim: Simulation, tree: TreeRecord, node: int, terms: Terms, my: Any) -> None:
    nodes = nodes_of(tree)
    terms.drawn = 1
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if not nodes[i].flags & BANNED:
            set_total(terms, i, 1.0)


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


# --- pruning (Bouzy and Helmstetter 2003) -----------------------------------------------------------------------------

_OF_MEAN = 0
"""Index of "mean" among the words of `sigma`."""


@pruning(
    statistics=["squares"],
    source="Yoshizoe et al. 2006, Progressive Pruning, figure 2",
    limits={"r_d": (0, math.inf), "sigma_e": (0, math.inf), "samples": (0, math.inf)},
    r_d=0.3,
    sigma_e=1.0,
    samples=6400,
    sigma=("mean", "games"),
)
def progressive(sim: Simulation, tree: TreeRecord, my: Any) -> bool:
    """Give up moves whose mean plus r_d sigma is below the best mean less r_d sigma, from this many samples on; enough
    is known when sigma is below sigma_e for every move left, or one is left. Sigma is the standard deviation of the
    mean, or of the games themselves."""
    nodes, rows = nodes_of(tree), records(my.squares, A_SQUARE)
    root = nodes[0]
    if root.visits < my.samples:
        return False
    best, floor = -np.inf, -np.inf
    for i in range(root.first, root.first + root.count):
        if not nodes[i].flags & BANNED and nodes[i].visits >= 2:
            mean, sigma = _mean_and_sigma(sim, tree, nodes[i], rows[i], my.sigma)
            if mean > best:
                best, floor = mean, mean - my.r_d * sigma
    left, unsure = 0, 0
    for i in range(root.first, root.first + root.count):
        if nodes[i].flags & BANNED:
            continue
        mean, sigma = _mean_and_sigma(sim, tree, nodes[i], rows[i], my.sigma)
        if mean + my.r_d * sigma < floor:
            nodes[i].flags |= PRUNED | BANNED
        else:
            left += 1
            unsure += not sigma < my.sigma_e
    return left <= 1 or unsure == 0


@kernel
def _mean_and_sigma(sim: Simulation, tree: TreeRecord, node: Node, row: Any, which: int) -> tuple[float, float]:
    """Return the mean of a move's samples for the player, and the deviation of that mean or of the samples.

    Before the second sample the deviation is infinite.
    """
    if node.visits < 2:
        return 0.0, np.inf
    count = np.float64(node.visits)
    variance = variance_of_games(node, row)
    mean = for_mover(tree, node.value / (SCALE * count), sim.root_color)
    return mean, np.sqrt(variance / count if which == _OF_MEAN else variance)
