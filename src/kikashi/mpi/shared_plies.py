"""What ranks know of the first plies of their trees, shared while they search.

Every rank tells its neighbours in the tree of ranks what it and the ranks on its other sides have found, so that nobody
hears of its own simulations again. What others found is given to the nodes as virtual games, as priors are: selection
counts them, and visits stay the simulations that this rank ran. They are taken back when the search comes to rest.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kikashi.mpi.links import EVERY, Links
from kikashi.mpi.totals import Totals, places
from kikashi.search.interface import Search
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


def added_up(parts: Sequence[Counts]) -> Counts:
    """The counts of several."""
    found: Counts = dict(parts[0]) if parts else {}
    for part in parts[1:]:
        for path, (visits, value) in part.items():
            before = found.get(path, (0, 0))
            found[path] = (before[0] + visits, before[1] + value)
    return found


class FirstPlies:
    """The first plies of one tree: what was counted there, and the virtual games of its nodes.

    Fields are views of the tree's arrays, which are much faster to read one by one than nodes are.
    """

    def __init__(self, tree: Tree) -> None:
        self._visits, self._means, self._moves = (tree.nodes[name] for name in ("visits", "mean", "move"))
        self._first, self._count, self._state = (tree.nodes[name] for name in ("first", "count", "state"))
        self._prior_visits, self._prior_values = tree.nodes["prior_visits"], tree.nodes["prior_value"]
        self._own_priors: dict[Path, tuple[float, float]] = {}
        """Of the nodes that have been given something: their own virtual games, and the value of these."""

    def counts(self, plies: int) -> Counts:
        """What was found in the first plies, where the search went often."""
        least = max(1, int(self._visits[0]) // ONE_OF)
        level = [(ROOT, 0)]
        found = {ROOT: self._count_of(0)}
        for ply in range(plies):
            level = [
                (joined_path(path, ply, int(self._moves[child])), child)
                for path, node in level
                for child in self._children(node, least)
            ]
            found |= {path: self._count_of(node) for path, node in level}
        return found

    def _count_of(self, node: int) -> tuple[int, int]:
        """The visits of a node, and what its backup rule makes of each of them."""
        visits = int(self._visits[node])
        return visits, round(float(self._means[node]) * visits * SCALE)

    def _children(self, node: int, least: int) -> list[int]:
        """The children of a node with so many visits at least."""
        first = int(self._first[node])
        found: list[int] = np.flatnonzero(self._visits[first : first + int(self._count[node])] >= least).tolist()
        return [first + child for child in found]

    def _find(self, path: Path) -> int | None:
        """The node at a path, if the tree has it."""
        node = 0
        for move in moves_of(path):
            first = int(self._first[node])
            here = np.flatnonzero(self._moves[first : first + int(self._count[node])] == move)
            if not here.size or self._state[node] != GROWN:  # it may be growing in another thread
                return None
            node = first + int(here[0])
        return node

    def give(self, others: Mapping[Path, tuple[int, int]]) -> None:
        """Let nodes have these games as virtual ones beside their own, and those that are not named only their own."""
        for path in [*self._own_priors.keys() - others.keys(), *others]:
            if (node := self._find(path)) is None:
                continue
            before = float(self._prior_visits[node]), float(self._prior_values[node])
            own, (visits, value) = self._own_priors.setdefault(path, before), others.get(path, (0, 0))
            total = own[0] + visits
            self._prior_values[node] = (own[0] * own[1] + value / SCALE) / total if visits else own[1]
            self._prior_visits[node] = total

    def withdraw(self) -> None:
        """Leave nodes with nothing but their own virtual games."""
        self.give({})
        self._own_priors.clear()

    def given_to_moves(self) -> Iterator[tuple[int, int]]:
        """The root's moves that have been given something, and how much, in units of 1/SCALE."""
        for path, (visits, _) in self._own_priors.items():
            if 0 < path < 1 << BITS and (node := self._find(path)) is not None:
                yield next(moves_of(path)), round(float(self._prior_visits[node]) * SCALE) - round(visits * SCALE)


class SharedPlies:
    """One rank's part of the exchange, for the search that it has."""

    def __init__(self, search: Search, plies: int) -> None:
        self._trees = [FirstPlies(each.tree) for each in search.trees]
        self._size = search.size
        self._plies = plies
        self._number = 0
        self._again = 0.0
        self._heard: dict[int, Counts] = {}
        """By neighbour, the latest."""

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

    def own(self) -> Counts:
        """What this rank itself has found."""
        return added_up([tree.counts(self._plies) for tree in self._trees])

    def message(self, own: Counts, neighbour: int) -> np.ndarray:
        """For a neighbour: what is known here, but for what it said itself."""
        known = added_up([own, *(counts for rank, counts in self._heard.items() if rank != neighbour)])
        most = sorted(known.items(), key=lambda each: -each[1][0])[:MOST_NODES]
        return np.array([self._number, *(n for path, counts in most for n in (path, *counts))], np.int64)

    def note(self, neighbour: int, numbers: np.ndarray) -> None:
        """What a neighbour says, unless it is about another search."""
        number, *rest = numbers.tolist()
        if number == self._number:
            rows = zip(rest[::3], rest[1::3], rest[2::3], strict=True)
            self._heard[neighbour] = {path: (visits, value) for path, visits, value in rows}

    def others(self) -> Counts:
        """What all other ranks have found, as far as it is known here."""
        return added_up(list(self._heard.values()))

    def give(self) -> None:
        """Give the nodes of this rank's trees what others found there."""
        others = self.others()
        for tree in self._trees:
            tree.give(others)

    def withdraw(self) -> None:
        """Take that back."""
        for tree in self._trees:
            tree.withdraw()

    def take_out(self, totals: Totals) -> None:
        """Take out of a rank's sums the virtual games of the root's moves that come from others."""
        for tree in self._trees:
            for move, given in tree.given_to_moves():
                totals.added["prior"][places(self._size)[move]] -= given
