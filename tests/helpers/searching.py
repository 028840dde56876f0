"""How tests make searches and look into their trees: the one place that knows the tree's records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kikashi import Game
from kikashi.board.points import vertex
from kikashi.engine.tree_reuse import search_request
from kikashi.parts.binding import bind
from kikashi.parts.blocks import block_of
from kikashi.parts.registry import Kind
from kikashi.playout import make_policy
from kikashi.playout.simulation import HISTORY
from kikashi.search.config import SearchConfig
from kikashi.search.kinds import backup, expansion, selection
from kikashi.search.staged import new_search
from kikashi.search.tree import GROWN, SCALE, Tree
from kikashi.search.tree_search import TreeSearch

SETTLED = """
    . X . X .
    X X X X X
    X X X O O
    O O O O .
    . O . O O
"""
"""Black has 13 points and White 12, and nothing can be gained: only komi tells who wins."""
UNITS = 1 << 20
"""Sums of values are given in these units here, whatever the tree's own are."""


def config(
    *, select: str = "ucb1", expand: str = "after_visits", back_up: str = "mean", playout: Any = "uniform", **more: Any
) -> SearchConfig:
    """A configuration of our own rules and parts of a test; `more` are further fields, `feasible` and `select_by`."""
    return SearchConfig(
        policy=make_policy(playout, feasibility=more.pop("feasible", "eyelike"), move_limit=200),
        rules={
            "selection": bind(selection, select, more.pop("select_by", {})),
            "expansion": bind(expansion, expand),
            "backup": bind(backup, back_up),
        },
        **more,
    )


def search_of(
    config: SearchConfig, game: Game | None = None, *, threads: int = 1, seed: int = 1, nodes: int = 60_000
) -> TreeSearch:
    """A search that is ready to run in the position of a game, an empty board of 5x5 if none is given."""
    game = game or Game(5)
    search = new_search(config, size=game.size, threads=threads, seed=seed, nodes=nodes)
    start(search, game)
    return search


def start(search: TreeSearch, game: Game) -> None:
    """Prepare a search for the position of a game."""
    search.start(search_request(game))


def own_record(kind: Kind, rule: str, tree: Tree | None = None, **parameters: Any) -> np.void:
    """The record that a rule gets as `my`; numbers may be beyond its limits."""
    used = bind(kind, rule, {name: value for name, value in parameters.items() if isinstance(value, str)})
    my: np.void = np.zeros(1, used.part.own_dtype())[0]
    for name in used.values:
        my[name] = used.own_value(name) if isinstance(parameters.get(name, ""), str) else parameters[name]
    for name in used.part.columns:
        assert tree is not None
        my[name] = block_of(tree.columns[name])
    return my


@dataclass(frozen=True)
class NodeFacts:
    """What a node of the tree knows. Sums are of Black's side."""

    number: int
    move: int
    visits: int
    value: int
    """Sum of the values of its simulations, in `UNITS`."""
    score: int
    rave_visits: int
    rave_value: int
    """Sum of the values of the simulations with its move, in `UNITS`."""
    prior_visits: float
    prior_value: float


def node_facts(tree: Tree, number: int = 0) -> NodeFacts:
    """The node of this number; 0 is the root."""
    node = tree.nodes[number]
    rave = tree.columns["rave"][number] if "rave" in tree.columns else {"visits": 0, "value": 0}
    return NodeFacts(
        number=number,
        move=int(node["move"]),
        visits=int(node["visits"]),
        value=round(int(node["value"]) * UNITS / SCALE),
        score=int(node["score"]),
        rave_visits=int(rave["visits"]),
        rave_value=round(int(rave["value"]) * UNITS / SCALE),
        prior_visits=float(node["prior_visits"]),
        prior_value=float(node["prior_value"]),
    )


def has_grown(tree: Tree, number: int = 0) -> bool:
    """Whether a node has been given its children."""
    return bool(tree.nodes[number]["state"] == GROWN)


def children_of(tree: Tree, number: int = 0) -> list[NodeFacts]:
    """The children of a node, in the tree's order; none if it has not grown."""
    first = int(tree.nodes[number]["first"])
    return [node_facts(tree, first + i) for i in range(len(tree.children(number)))]


def visited(tree: Tree, number: int = 0, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], NodeFacts]]:
    """Every visited node with the moves that lead to it: depth first, in the tree's order, the root first."""
    yield path, node_facts(tree, number)
    for child in children_of(tree, number):
        if child.visits:
            yield from visited(tree, child.number, (*path, vertex(child.move)))


def grown(tree: Tree) -> Iterator[tuple[int, int]]:
    """Every grown node and the visits of its children together, the root first."""
    waiting = [0]
    while waiting:
        node = waiting.pop(0)
        if has_grown(tree, node):
            first = int(tree.nodes[node]["first"])
            children = tree.children(node)
            waiting += [first + int(i) for i in np.flatnonzero(children["visits"])]
            yield node, int(children["visits"].sum())


@dataclass(frozen=True)
class Trace:
    """What one simulation did."""

    moves: tuple[int, ...]
    """All moves from the root on: those in the tree, then those of the playout."""
    path: tuple[int, ...]
    """The numbers of the nodes passed, the root first."""
    to_play: int
    """Who was to play at the root."""
    score: int
    winner: int
    komi: float


def run_traced(search: TreeSearch) -> Trace:
    """Run one simulation of a search that has one thread, and tell what it did."""
    assert search.run(1) == 1
    sim = search.workers[0].sim
    return Trace(
        moves=tuple(sim["moves"][HISTORY : int(sim["length"])].tolist()),
        path=tuple(sim["nodes"][: int(sim["depth"]) + 1].tolist()),
        to_play=int(sim["root_color"]),
        score=int(sim["score"]),
        winner=int(sim["winner"]),
        komi=float(sim["komi"]),
    )


def nested(tree: Tree, node: int) -> dict[str, Any]:
    """A node with all below it and its rows of all columns, without the places in the array."""
    here = tree.nodes[node]
    names = [name for name in here.dtype.names or () if name not in ("first", "move", "losses")]
    first = int(here["first"])
    below = {int(child["move"]): nested(tree, first + i) for i, child in enumerate(tree.children(node))}
    rows = {name: column[node].tolist() for name, column in tree.columns.items()}
    return {name: here[name].item() for name in names} | {"rows": rows, "below": below}


def check_consistent(tree: Tree) -> None:
    """Blocks of children do not overlap, stand behind their parents and fit into the array; visits add up."""
    free, seen = np.ones(tree.used, bool), 1
    free[0] = False
    for node in np.flatnonzero(tree.nodes[: tree.used]["count"]):
        first, count = int(tree.nodes[node]["first"]), int(tree.nodes[node]["count"])
        assert has_grown(tree, int(node))
        assert node < first <= first + count <= tree.used <= tree.nodes.size
        assert free[first : first + count].all()
        free[first : first + count] = False
        assert tree.nodes[node]["visits"] >= tree.children(int(node))["visits"].sum()
        seen += count
    if not tree.is_full:
        assert seen == tree.used, "there are no gaps"
    assert not tree.nodes[: tree.used]["losses"].any()
