"""Selection by rapid action value estimates: moves judged by all simulations in which they came at any time."""

import math
from typing import Any, NamedTuple

import numpy as np

from kikashi.board.rng import random_below
from kikashi.jit import inlined
from kikashi.parts.blocks import records
from kikashi.playout.simulation import Simulation
from kikashi.search.kinds import selection
from kikashi.search.rules.statistics import A_RAVE
from kikashi.search.terms import Terms, set_term, set_total
from kikashi.search.tree import (
    BANNED,
    SCALE,
    SHARES,
    Node,
    TreeRecord,
    for_mover,
    games,
    nodes_of,
    sum_of_values,
    value_for,
)

LIMITS = {
    **dict.fromkeys(("x", "exploration", "first_play_urgency", "bias", "puct", "plain_after"), (0, math.inf)),
    "plain_every": (0, 1_000_000),
}


@inlined
def blended_value(tree: TreeRecord, child: Node, row: Any, color: int, x: float, unknown: float) -> float:
    """Return value and RAVE value for `color`, mixed by c = r / (r + n + r n x) of Baier 2010, eq. 3.2.

    `unknown` if there is neither. With sums S and R that is (S (1 + r x) + R) / (r + n + r n x): one division.
    """
    n, r = games(child), np.float64(row.visits)
    total = r + n + r * n * x
    if total == 0.0:
        return unknown
    value = (sum_of_values(tree, child, color) * (1.0 + r * x) + row.value * (1.0 / SCALE)) / total
    return for_mover(tree, value, color)


class _Pull(NamedTuple):
    """Terms that all moves of one selection share."""

    log_parent: float
    by_share: float
    plain: bool
    """Whether RAVE is left out."""


@inlined
def _pull(sim: Simulation, parent: Node, my: Any) -> _Pull:
    above = max(1.0, games(parent))
    may_be_plain = my.plain_every > 0 and parent.visits >= my.plain_after * parent.count
    plain = may_be_plain and random_below(sim, my.plain_every) == 0
    return _Pull(np.log(above), my.bias + my.puct * np.sqrt(above), plain)


@inlined
def _urgency(tree: TreeRecord, child: Node, row: Any, color: int, pull: _Pull, my: Any) -> float:
    """Return the value of the rule for a child."""
    if pull.plain:
        urgency = value_for(tree, child, color) if games(child) > 0 else my.first_play_urgency
    else:
        urgency = blended_value(tree, child, row, color, my.x, my.first_play_urgency)
    if my.exploration > 0.0:
        urgency += _exploration(child, pull, my.exploration)
    if pull.by_share > 0.0:
        urgency += _by_share(child, pull)
    return urgency


@inlined
def _exploration(child: Node, pull: _Pull, exploration: float) -> float:
    return exploration * np.sqrt(pull.log_parent / (games(child) + 1.0))


@inlined
def _by_share(child: Node, pull: _Pull) -> float:
    return pull.by_share * child.share / (SHARES * (child.visits + child.losses + 1.0))


@selection(
    terms=("value", "RAVE value", "RAVE weight", "first-play urgency", "exploration", "prior"),
    statistics=["rave"],
    source="Baier 2010, eq. 3.1–3.2",
    limits=LIMITS,
    x=1 / 3500,
    exploration=0.0,
    first_play_urgency=1.0,
    bias=0.0,
    puct=0.0,
    plain_every=0,
    plain_after=0.0,
)
def rave(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """Value and RAVE value mixed: c = r / (r + n + r n x), r being the simulations with the move at any time. Plus
    exploration times sqrt(log N / (n + 1)); a move nothing is known of has the first-play urgency. Where a prior knows
    the shares of moves: plus `bias` and `puct` sqrt(N) times the share by n + 1 (`puct`: Rosin 2011). Without
    RAVE in one of `plain_every` selections, 0 for never, at nodes with at least `plain_after` times as many visits as
    moves."""
    nodes, rows = nodes_of(tree), records(my.rave, A_RAVE)
    color = sim.board.to_play
    pull = _pull(sim, nodes[node], my)
    first = np.int64(nodes[node].first)
    best, chosen = -np.inf, first
    for i in range(first, first + nodes[node].count):
        child = nodes[i]
        if child.flags & BANNED:
            continue
        urgency = _urgency(tree, child, rows[i], color, pull, my)
        if urgency > best:
            best, chosen = urgency, np.int64(i)
    return chosen


@rave.explain
def _explain(sim: Simulation, tree: TreeRecord, node: int, terms: Terms, my: Any) -> None:
    """The total is (1 - weight) value + weight RAVE value, or the first-play urgency; plus exploration and prior."""
    nodes, rows = nodes_of(tree), records(my.rave, A_RAVE)
    color = sim.board.to_play
    pull = _pull(sim, nodes[node], my)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        child = nodes[i]
        if child.flags & BANNED:
            continue
        n, r = games(child), 0.0 if pull.plain else np.float64(rows[i].visits)
        if n > 0.0:
            set_term(terms, i, 0, value_for(tree, child, color))
        if r > 0.0:
            set_term(terms, i, 1, for_mover(tree, rows[i].value / (SCALE * r), color))
        if n + r > 0.0:
            set_term(terms, i, 2, r / (r + n + r * n * my.x))
        else:
            set_term(terms, i, 3, my.first_play_urgency)
        if my.exploration > 0.0:
            set_term(terms, i, 4, _exploration(child, pull, my.exploration))
        if pull.by_share > 0.0:
            set_term(terms, i, 5, _by_share(child, pull))
        set_total(terms, i, _urgency(tree, child, rows[i], color, pull, my))
