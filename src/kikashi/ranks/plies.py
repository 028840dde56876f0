"""What ranks know of the first plies of their trees, shared while they search.

Every rank tells its neighbours in the tree of ranks what it and the ranks on its other sides have found, so that nobody
hears of its own simulations again. What others found is given to the nodes as virtual games, as priors are: selection
counts them, and visits stay the simulations that this rank ran. They are taken back when the search comes to rest.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import numpy as np

from kikashi.ranks.links import EVERY, Links
from kikashi.ranks.totals import Totals, places, searches_of
from kikashi.search.face import AnySearch
from kikashi.search.tree import GROWN, SCALE, Tree

ONE_OF = 64
"""Nodes are shared that have one visit in as many of their rank's, or more."""
MOST_NODES = 192
"""In a message; those with the most visits."""
BITS = 16
"""Of a move in a path."""
ROOT = 0

Path = int
"""The moves from the root to a node, the first in the lowest bits, each plus 1: 0 for the root itself."""
Counts = dict[Path, tuple[int, int]]
"""By node: visits, and the sum of their values for Black in units of 1/SCALE."""


def joined_path(path: Path, ply: int, move: int) -> Path:
    """A path with one more move."""
    return path | (move + 1) << BITS * ply


def moves_of(path: Path) -> Iterator[int]:
    """The moves of a path."""
    while path:
        yield path % (1 << BITS) - 1
        path >>= BITS


def added_up(parts: Iterator[Mapping[Path, tuple[int, int]]]) -> Counts:
    """The counts of several."""
    found: Counts = {}
    for part in parts:
        for path, (visits, value) in part.items():
            before = found.get(path, (0, 0))
            found[path] = (before[0] + visits, before[1] + value)
    return found


class SharedPlies:
    """One rank's part of the exchange, for the search that it has."""

    def __init__(self, search: AnySearch, plies: int) -> None:
        self._searches = searches_of(search)
        self._size = search.size
        self._plies = plies
        self._number = 0
        self._again = 0.0
        self._heard: dict[int, Counts] = {}
        """By neighbour, the latest."""
        self._own_priors: list[dict[Path, tuple[float, float]]] = [{} for _ in self._searches]
        """By search, of the nodes that have been given something: their own virtual games, and the value of these."""

    def begin(self, number: int) -> None:
        """Another search begins: what was said before is out of date."""
        self._number, self._again = number, 0.0
        self._heard.clear()

    def exchange(self, links: Links) -> None:
        """Hear what neighbours say; now and then, tell them what they cannot know, and use what is known."""
        for rank, numbers in links.shared():
            self.note(rank, numbers)
        if (now := time.perf_counter()) >= self._again:
            self._again = now + EVERY
            own = self.own()
            for rank in links.neighbours:
                links.share(rank, self.message(own, rank))
            self.give()

    # --- messages -----------------------------------------------------------------------------------------------------

    def own(self) -> Counts:
        """What this rank itself has found in the first plies, where it went often."""
        return added_up(self._counts(search.tree) for search in self._searches)

    def _counts(self, tree: Tree) -> Counts:
        least = max(1, int(tree.nodes[0]["visits"]) // ONE_OF)
        found: Counts = {ROOT: _count(tree, 0)}
        level = [(ROOT, 0)]
        for ply in range(self._plies):
            level = [
                (joined_path(path, ply, int(tree.nodes[child]["move"])), child)
                for path, node in level
                for child in (np.flatnonzero(tree.children(node)["visits"] >= least) + tree.nodes[node]["first"])
            ]
            found |= {path: _count(tree, node) for path, node in level}
        return found

    def message(self, own: Counts, neighbour: int) -> np.ndarray:
        """For a neighbour: what is known here, but for what it said itself."""
        known = added_up(iter([own, *(counts for rank, counts in self._heard.items() if rank != neighbour)]))
        most = sorted(known.items(), key=lambda each: -each[1][0])[:MOST_NODES]
        return np.array([self._number, *(n for path, counts in most for n in (path, *counts))], np.int64)

    def note(self, neighbour: int, numbers: np.ndarray) -> None:
        """What a neighbour says, unless it is about another search."""
        number, *rest = numbers.tolist()
        if number == self._number:
            rows = zip(rest[::3], rest[1::3], rest[2::3], strict=True)
            self._heard[neighbour] = {path: (visits, value) for path, visits, value in rows}

    # --- what others found, as virtual games --------------------------------------------------------------------------

    def others(self) -> Counts:
        """What all other ranks have found, as far as it is known here."""
        return added_up(iter(self._heard.values()))

    def give(self) -> None:
        """Give the nodes of this rank's trees what others found there."""
        others = self.others()
        for search, own_priors in zip(self._searches, self._own_priors, strict=True):
            for path in [*own_priors.keys() - others.keys(), *others]:
                node = _find(search.tree, path)
                if node is not None:
                    before = _prior(search.tree, node)
                    _set_prior(search.tree, node, own_priors.setdefault(path, before), others.get(path, (0, 0)))

    def withdraw(self) -> None:
        """Leave nodes with nothing but their own virtual games."""
        for search, own_priors in zip(self._searches, self._own_priors, strict=True):
            for path, prior in own_priors.items():
                if (node := _find(search.tree, path)) is not None:
                    _set_prior(search.tree, node, prior, (0, 0))
            own_priors.clear()

    def take_out(self, totals: Totals) -> None:
        """Take out of a rank's sums the virtual games of the root's moves that come from others."""
        for search, own_priors in zip(self._searches, self._own_priors, strict=True):
            for path, (visits, _) in own_priors.items():
                moves = list(moves_of(path))
                if len(moves) == 1 and (node := _find(search.tree, path)) is not None:
                    now, _ = _prior(search.tree, node)
                    totals.added["prior"][places(self._size)[moves[0]]] -= round(now * SCALE) - round(visits * SCALE)


def _count(tree: Tree, node: int) -> tuple[int, int]:
    """The visits of a node, and what its backup rule makes of each of them."""
    found = tree.nodes[node]
    return int(found["visits"]), round(float(found["mean"]) * int(found["visits"]) * SCALE)


def _find(tree: Tree, path: Path) -> int | None:
    """The node at a path, if the tree has it."""
    node: int | None = 0
    for move in moves_of(path):
        if node is None or tree.nodes[node]["state"] != GROWN:  # it may be growing in another thread
            return None
        node = tree.child(move, node)
    return node


def _prior(tree: Tree, node: int) -> tuple[float, float]:
    return float(tree.nodes[node]["prior_visits"]), float(tree.nodes[node]["prior_value"])


def _set_prior(tree: Tree, node: int, own: tuple[float, float], others: tuple[int, int]) -> None:
    """Give a node its own virtual games and those that others ran."""
    visits = own[0] + others[0]
    value = (own[0] * own[1] + others[1] / SCALE) / visits if others[0] else own[1]
    tree.nodes[node]["prior_value"], tree.nodes[node]["prior_visits"] = value, visits
