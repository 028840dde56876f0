"""A view into a search: the nodes of its tree, its learned replies, and its playouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kikashi.board.points import opponent, vertex
from kikashi.engine.player import Player
from kikashi.engine.preset import Preset
from kikashi.game import Game
from kikashi.search.analysis import from_side
from kikashi.search.tree import BANNED, SCALE, Tree
from kikashi.search.tree_search import TreeSearch
from kikashi.web import playout_viewer
from kikashi.web.analyses import color_name
from kikashi.web.events import Playout, Replies, SearchNode, SearchTree
from kikashi.web.requests import TREE_ROWS
from kikashi.web.tasks import ServerState

SHOWN_CHILDREN = 6
"""Children of an open node, the most visited."""


class SearchViewer:
    """A player whose search can be inspected while no simulation runs."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._player: Player | None = None
        self._key: tuple[str, tuple[str, ...]] = ("", ())
        self.paths: list[list[int]] = []
        """The open nodes, each by the moves to it."""

    @property
    def player(self) -> Player:
        assert self._player is not None
        return self._player

    def set_preset(self, preset: Preset, without: Sequence[str]) -> None:
        """Set the preset; an unchanged one keeps its player and tree."""
        key = (preset.name, tuple(without))
        if self._player is None or key != self._key:
            limits = self._state.limits
            self._player = Player(preset, threads=limits.threads, megabytes=limits.megabytes)
            self._key = key

    @property
    def _search(self) -> TreeSearch | None:
        return None if self._player is None else self._player.last_search

    def tree(self) -> SearchTree | None:
        """Return the open nodes of the search tree and their children; None without a search or open nodes."""
        search = self._search
        if search is None or not self.paths:
            return None
        nodes: dict[tuple[int, ...], SearchNode] = {}
        for path in self.paths:
            for moves, index in _open(search.tree, path):
                if len(nodes) < TREE_ROWS:
                    nodes.setdefault(moves, _search_node(search, moves, index))
        return SearchTree(self.player.preset.name, list(nodes.values()))

    def playout(self, preset: Preset, game: Game, number: int, seed: int) -> Playout:
        """Return one playout of a preset from the position of a game, at the node of this number.

        A search by the same preset lends its memories: the playout is one that it might run now.
        """
        search = self._search
        if search is not None and (self.player.preset.table != preset.table or search.size != game.size):
            search = None
        return playout_viewer.run_playout(preset.at(game.size), game, number, seed, search)

    def replies(self, game: Game, move: int) -> Replies:
        """Return the learned replies to a move. Raises ValueError if there is no search."""
        search = self._search
        if search is None or search.size != game.size:
            raise ValueError("start a search first: its memories learn while it runs")
        return playout_viewer.find_replies(self.player.preset.at(game.size), game, move, search)


def _search_node(search: TreeSearch, moves: tuple[int, ...], index: int) -> SearchNode:
    tree, node = search.tree, search.tree.nodes[index]
    to_play = int(search.root["board"]["to_play"])
    color = opponent(to_play) if len(moves) % 2 == 0 else to_play
    visits, weight = int(node["visits"]), float(tree.record["win_weight"])
    prior_games = float(node["prior_visits"])
    rave, rave_visits = _rave(tree, index)
    return SearchNode(
        path=[vertex(move) for move in moves],
        move=vertex(moves[-1]) if moves else "",
        color=color_name(color),
        visits=visits,
        mean=from_side(color, float(node["mean"]), weight) if visits else None,
        score=from_side(color, float(node["score"]) / visits - float(search.root["komi"])) if visits else None,
        rave=None if rave is None else from_side(color, rave, weight),
        rave_visits=rave_visits,
        prior=from_side(color, float(node["prior_value"]), weight) if prior_games else None,
        prior_games=prior_games,
        variance=_variance(tree, index),
        children=int(node["count"]),
    )


def _open(tree: Tree, path: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield a node and its most visited children, each with the moves to it; nothing if the tree lacks it."""
    at = 0
    for move in path:
        child = tree.child(move, at)
        if child is None:
            return
        at = child
    yield tuple(path), at
    children = tree.children(at)
    usable = np.flatnonzero((children["flags"] & BANNED == 0) & (children["visits"] > 0))
    order = usable[np.argsort(-children["visits"][usable].astype(np.int64), kind="stable")][:SHOWN_CHILDREN]
    first = int(tree.nodes[at]["first"])
    for i in order.tolist():
        yield (*path, int(children[i]["move"])), first + i


def _rave(tree: Tree, index: int) -> tuple[float | None, int]:
    """Return Black's RAVE value of a node, and the simulations behind it."""
    if "rave" not in tree.columns:
        return None, 0
    row: Any = tree.columns["rave"][index]
    visits = int(row["visits"])
    return (float(row["value"]) / (SCALE * visits) if visits else None), visits


def _variance(tree: Tree, index: int) -> float | None:
    """Return the variance of the values of a node's simulations: measured if the search does, else that of wins."""
    node = tree.nodes[index]
    visits = int(node["visits"])
    if not visits:
        return None
    mean = float(node["value"]) / (SCALE * visits)
    if "squares" in tree.columns:
        return max(0.0, float(tree.columns["squares"][index]["square"]) / (SCALE * visits) - mean * mean)
    return max(0.0, mean * (1.0 - mean)) if tree.record["win_weight"] else None
