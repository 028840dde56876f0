"""Statistics of the first plies, which ranks exchange while they search.

A rank sends each neighbour in the tree of ranks its own counts and those of its other neighbours, so that no rank
receives its own simulations again. Nodes get the counts of other ranks as virtual games, as they get priors: selection
reads them, while visits stay the simulations of this rank. A pause of the search takes them back.
"""

import time
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from kikashi.mpi.communicator import REPORT_INTERVAL, Communicator
from kikashi.mpi.root_totals import RootTotals, move_indices
from kikashi.search.interface import Search
from kikashi.search.tree import GROWN, SCALE, Tree

VISITS_PER_SHARED = 64
"""Visits of the root for each visit that a shared node needs."""
MOST_NODES = 192
"""Nodes of a message, those with the most visits."""
MOVE_BITS = 16

Path = int
"""The moves from the root to a node, the first in the lowest bits, each plus 1."""
ROOT: Path = 0
Counts = dict[Path, tuple[int, int]]
"""By node: visits, and the sum of their values for Black in units of 1/SCALE."""


def extend_path(path: Path, ply: int, move: int) -> Path:
    return path | (move + 1) << MOVE_BITS * ply


def moves_of(path: Path) -> Iterator[int]:
    while path:
        yield path % (1 << MOVE_BITS) - 1
        path >>= MOVE_BITS


def sum_counts(parts: Iterable[Counts]) -> Counts:
    total: Counts = {}
    for part in parts:
        for path, (visits, value) in part.items():
            before = total.get(path, (0, 0))
            total[path] = (before[0] + visits, before[1] + value)
    return total


class FirstPlies:
    """The first plies of one tree.

    Its fields are views of the tree's arrays, which are much faster to read one by one than nodes are.
    """

    def __init__(self, tree: Tree) -> None:
        self._visits, self._means, self._moves = (tree.nodes[name] for name in ("visits", "mean", "move"))
        self._first, self._count, self._state = (tree.nodes[name] for name in ("first", "count", "state"))
        self._prior_visits, self._prior_values = tree.nodes["prior_visits"], tree.nodes["prior_value"]
        self.own_priors: dict[Path, tuple[float, float]] = {}
        """Own virtual games of the nodes with games of other ranks, and their value."""

    def counts(self, plies: int) -> Counts:
        """Return the counts of the nodes that the search visited often."""
        least = max(1, int(self._visits[0]) // VISITS_PER_SHARED)
        level = [(ROOT, 0)]
        found = {ROOT: self._count_of(0)}
        for ply in range(plies):
            level = [
                (extend_path(path, ply, int(self._moves[child])), child)
                for path, node in level
                for child in self._children(node, least)
            ]
            found |= {path: self._count_of(node) for path, node in level}
        return found

    def _count_of(self, node: int) -> tuple[int, int]:
        visits = int(self._visits[node])
        return visits, round(float(self._means[node]) * visits * SCALE)

    def _children(self, node: int, least: int) -> list[int]:
        first = int(self._first[node])
        found: list[int] = np.flatnonzero(self._visits[first : first + int(self._count[node])] >= least).tolist()
        return [first + child for child in found]

    def _find(self, path: Path) -> int | None:
        node = 0
        for move in moves_of(path):
            first = int(self._first[node])
            here = np.flatnonzero(self._moves[first : first + int(self._count[node])] == move)
            if not here.size or self._state[node] != GROWN:  # it may be growing in another thread
                return None
            node = first + int(here[0])
        return node

    def set_virtual_games(self, games: Mapping[Path, tuple[int, int]]) -> None:
        """Give nodes these virtual games beside their own, and all other nodes only their own."""
        for path in [*self.own_priors.keys() - games.keys(), *games]:
            if (node := self._find(path)) is None:
                continue
            before = float(self._prior_visits[node]), float(self._prior_values[node])
            own, (visits, value) = self.own_priors.setdefault(path, before), games.get(path, (0, 0))
            total = own[0] + visits
            self._prior_values[node] = (own[0] * own[1] + value / SCALE) / total if visits else own[1]
            self._prior_visits[node] = total

    def virtual_games_of_moves(self) -> Iterator[tuple[int, int]]:
        """Yield the root's moves with virtual games of other ranks, and these games in units of 1/SCALE."""
        for path, (visits, _) in self.own_priors.items():
            if 0 < path < 1 << MOVE_BITS and (node := self._find(path)) is not None:
                yield next(moves_of(path)), round(float(self._prior_visits[node]) * SCALE) - round(visits * SCALE)


class SharedPlies:
    """One rank's part of the exchange."""

    def __init__(self, search: Search, plies: int) -> None:
        self._trees = [FirstPlies(each.tree) for each in search.trees]
        self._size = search.size
        self._plies = plies
        self._number = 0
        self._next_exchange = 0.0
        self._received: dict[int, Counts] = {}
        """The latest counts of each neighbour."""

    def begin(self, number: int) -> None:
        """Begin a search: counts of the last one are out of date."""
        self._number, self._next_exchange = number, 0.0
        self._received.clear()

    def exchange(self, communicator: Communicator) -> None:
        """Receive counts from neighbours; if it is time, send them counts and give those of others to the nodes."""
        for rank, numbers in communicator.shared():
            self.receive(rank, numbers)
        if (now := time.perf_counter()) >= self._next_exchange:
            self._next_exchange = now + REPORT_INTERVAL
            own = self.own_counts()
            for rank in communicator.neighbours:
                communicator.share(rank, self.message(own, rank))
            self.apply()

    def own_counts(self) -> Counts:
        return sum_counts(tree.counts(self._plies) for tree in self._trees)

    def other_counts(self, neighbour: int | None = None) -> Counts:
        """Return the known counts of the other ranks, without those received from a neighbour."""
        return sum_counts(counts for rank, counts in self._received.items() if rank != neighbour)

    def message(self, own: Counts, neighbour: int) -> np.ndarray:
        """Return all counts that a neighbour did not send itself, as one array."""
        known = sum_counts([own, self.other_counts(neighbour)])
        most = sorted(known.items(), key=lambda each: -each[1][0])[:MOST_NODES]
        return np.array([self._number, *(n for path, counts in most for n in (path, *counts))], np.int64)

    def receive(self, neighbour: int, numbers: np.ndarray) -> None:
        """Keep the counts of a neighbour, unless they are about another search."""
        number, *rest = numbers.tolist()
        if number == self._number:
            rows = zip(rest[::3], rest[1::3], rest[2::3], strict=True)
            self._received[neighbour] = {path: (visits, value) for path, visits, value in rows}

    def apply(self) -> None:
        """Give the nodes of this rank's trees the counts of other ranks."""
        others = self.other_counts()
        for tree in self._trees:
            tree.set_virtual_games(others)

    def withdraw(self) -> None:
        """Undo `apply`."""
        for tree in self._trees:
            tree.set_virtual_games({})
            tree.own_priors.clear()

    def subtract_from(self, totals: RootTotals) -> None:
        """Subtract the virtual games of other ranks from the priors of the root's moves."""
        for tree in self._trees:
            for move, games in tree.virtual_games_of_moves():
                totals.sums["prior"][move_indices(self._size)[move]] -= games
