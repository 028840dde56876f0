"""A stand-in for Indigo 2005: a shallow tree whose moves are pruned by their statistics (Bouzy 2004).

Coulom names depth 3 and width 7 (§5) and tells that Indigo pruned by the central limit theorem and kept "only the
best-looking moves" (§1, §3.1). Its patterns and its pre-selection of moves were never published as a whole.
"""

import math
from typing import Any

import numpy as np

from kikashi.jit import kernel
from kikashi.parts.blocks import records
from kikashi.playout.simulation import Simulation
from kikashi.search.kinds import expansion, selection
from kikashi.search.rules.statistics import A_SQUARE, variance_of_games
from kikashi.search.terms import Terms, set_term, set_total
from kikashi.search.tree import BANNED, Node, TreeRecord, for_mover, nodes_of


@selection(
    terms=("value", "deviation"),
    statistics=["squares"],
    source="Coulom 2006, §5 (Bouzy 2004)",
    limits={"width": (1, 400), "games": (2, math.inf), "r_d": (0, math.inf)},
    width=7,
    games=20,
    r_d=1.0,
)
def survivors(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """Each move in turn until all have `games` simulations; then the least visited of the `width` best, of which those
    are left out whose mean plus r_d s is below the best mean less r_d s, s being the standard deviation of a mean."""
    nodes, rows = nodes_of(tree), records(my.squares, A_SQUARE)
    first, count = np.int64(nodes[node].first), np.int64(nodes[node].count)
    least = _least_visited(nodes, first, count)
    if nodes[least].visits + nodes[least].losses < my.games:
        return least
    order, left = _ranked_survivors(sim, tree, node, rows, my.width, my.r_d)
    chosen = first + order[0]
    for rank in range(1, left):
        i = first + order[rank]
        if nodes[i].visits + nodes[i].losses < nodes[chosen].visits + nodes[chosen].losses:
            chosen = i
    return np.int64(chosen)


@survivors.explain
def _explain(sim: Simulation, tree: TreeRecord, node: int, terms: Terms, my: Any) -> None:
    """The total is less by 1 for each visit; moves that were left out have none."""
    nodes, rows = nodes_of(tree), records(my.squares, A_SQUARE)
    first, count = np.int64(nodes[node].first), np.int64(nodes[node].count)
    least = _least_visited(nodes, first, count)
    is_opening = nodes[least].visits + nodes[least].losses < my.games
    order, left = _ranked_survivors(sim, tree, node, rows, my.width, my.r_d)
    for i in range(first, first + count):
        if nodes[i].flags & BANNED:
            continue
        if nodes[i].visits > 0:
            set_term(terms, i, 0, for_mover(tree, nodes[i].mean, sim.board.to_play))
        if nodes[i].visits > 1:
            set_term(terms, i, 1, deviation_of_mean(nodes[i], rows[i]))
        if is_opening:
            set_total(terms, i, -np.float64(nodes[i].visits + nodes[i].losses))
    for rank in range(0 if is_opening else left):
        i = first + order[rank]
        set_total(terms, i, -np.float64(nodes[i].visits + nodes[i].losses))


@kernel
def _ranked_survivors(
    sim: Simulation, tree: TreeRecord, node: int, rows: Any, width: int, r_d: float
) -> tuple[np.ndarray, int]:
    """Return the places of the children, those that are not left out first, the best first, and their number."""
    nodes = nodes_of(tree)
    first, count = np.int64(nodes[node].first), np.int64(nodes[node].count)
    means = np.full(count, -np.inf)
    for i in range(count):
        if not nodes[first + i].flags & BANNED:
            means[i] = for_mover(tree, nodes[first + i].mean, sim.board.to_play)
    order = np.argsort(-means)
    floor = means[order[0]] - r_d * deviation_of_mean(nodes[first + order[0]], rows[first + order[0]])
    left = 1
    for rank in range(1, min(np.int64(width), count)):
        place = order[rank]
        i = first + place
        if means[place] > -np.inf and not means[place] + r_d * deviation_of_mean(nodes[i], rows[i]) < floor:
            order[left] = place
            left += 1
    return order, left


@kernel
def _least_visited(nodes: Any, first: int, count: int) -> int:
    """Return the child with the fewest visits, those in progress included; the first if all are banned."""
    chosen, fewest = first, np.inf
    for i in range(first, first + count):
        if not nodes[i].flags & BANNED and nodes[i].visits + nodes[i].losses < fewest:
            chosen, fewest = i, nodes[i].visits + nodes[i].losses
    return np.int64(chosen)


@kernel
def deviation_of_mean(node: Node, row: Any) -> float:
    """Return the standard deviation of the mean of a node's simulations; infinite before the second."""
    return np.sqrt(variance_of_games(node, row) / max(1.0, np.float64(node.visits)))


@expansion(
    source="Coulom 2006, §5 (Bouzy 2004)",
    limits={"depth": (1, math.inf), "visits": (0, math.inf)},
    depth=3,
    visits=200,
)
def shallow(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> bool:
    """After this many visits, if no line gets longer than `depth` moves."""
    return sim.depth < my.depth and nodes_of(tree)[node].visits >= my.visits
