"""Statistics of a search's root, and their sum over ranks.

All numbers are integers, so that the order of addition does not matter and a message is one array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, points_of
from kikashi.playout.hash_store import Entries
from kikashi.playout.loop import SCORES
from kikashi.playout.simulation import Root
from kikashi.search.analysis import score_deviation
from kikashi.search.interface import Search
from kikashi.search.tree import BANNED, GROWN, PRUNED, SCALE, Tree
from kikashi.search.tree_search import TreeSearch

STATISTICS = {
    "rave": ("visits", "value"),
    "first_puts": ("black_visits", "black_value", "white_visits", "white_value"),
}
"""Statistics of moves that an analysis reads, with their fields."""
COUNTS = ("ranks", "paused", "done", "nodes", "made", "evicted")
ROOT_SUMS = ("visits", "value", "score", "mean")
MOVE_SUMS = (*ROOT_SUMS, "listed", "pruned", "prior")
STAMP = 2
"""Numbers at the front of a record that are not summed: the search, and its pauses so far."""


class Layout(NamedTuple):
    """The layout of a record: board size, number of heuristics, and names among `STATISTICS`."""

    size: int
    heuristics: int
    statistics: tuple[str, ...] = ()

    @classmethod
    def of(cls, search: Search) -> Layout:
        columns = search.trees[0].tree.columns
        return cls(search.size, len(search.moves_by()), tuple(name for name in STATISTICS if name in columns))

    def statistic_fields(self) -> Iterator[tuple[str, str, str]]:
        """Yield the name of each statistic, a field of it, and the name of that field in a record."""
        for name in self.statistics:
            yield from ((name, field, f"{name}_{field}") for field in STATISTICS[name])


@cache
def totals_type(layout: Layout) -> np.dtype[Any]:
    """Return the type of records with a layout.

    Moves are in the order of the board's points, with the pass last. A mean is the node's value after the backup rule,
    times its visits. Means, values, RAVE values, priors and wins are in units of 1/SCALE.
    """
    size, moves = layout.size, layout.size**2 + 1
    sums = [
        *((name, "i8") for name in COUNTS),
        *((f"root_{name}", "i8") for name in ROOT_SUMS),
        *((name, "i8", (moves,)) for name in (*MOVE_SUMS, *(name for _, _, name in layout.statistic_fields()))),
        ("owned", "i8", (size * size,)),
        ("scores", "i8", (SCORES,)),
        ("moves_by", "i8", (layout.heuristics,)),
    ]
    maxima = [("full", "i8"), ("wins", "i8", (moves,))]
    return np.dtype([("search", "i8"), ("pauses", "i8"), ("sums", sums), ("maxima", maxima)])


class RootTotals:
    """Sums and maxima over some searches of one position."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        record_type = totals_type(layout)
        self.numbers = np.zeros(record_type.itemsize // 8, np.int64)
        """The whole record as one array."""
        self.record = self.numbers.view(record_type)[0]
        self.sums, self.maxima = self.record["sums"], self.record["maxima"]
        self._split = STAMP + record_type["sums"].itemsize // 8

    @property
    def stamp(self) -> tuple[int, int]:
        """The number of the search, and of its pauses so far."""
        return int(self.record["search"]), int(self.record["pauses"])

    @stamp.setter
    def stamp(self, stamp: tuple[int, int]) -> None:
        self.record["search"], self.record["pauses"] = stamp

    def add_sums(self, other: RootTotals, sign: int = 1) -> None:
        """Add the sums of others, or subtract them."""
        sums = self.numbers[STAMP : self._split]
        (np.add if sign > 0 else np.subtract)(sums, other.numbers[STAMP : self._split], out=sums)

    def add_maxima(self, other: RootTotals) -> None:
        """Take the maxima of others where they are higher."""
        maxima = self.numbers[self._split :]
        np.maximum(maxima, other.numbers[self._split :], out=maxima)

    def add_search(self, search: TreeSearch) -> None:
        sums, tree, root = self.sums, search.tree, search.tree.nodes[0]
        for name in ("visits", "value", "score"):
            sums[f"root_{name}"] += root[name]
        sums["root_mean"] += round(float(root["mean"]) * int(root["visits"]) * SCALE)
        self._add_moves(search)
        sums["nodes"] += tree.used
        made, evicted = search.entries()
        sums["made"] += made
        sums["evicted"] += evicted
        self.maxima["full"] = max(int(self.maxima["full"]), int(tree.full))
        board_points = points_of(search.size)
        for worker in search.workers:
            sums["done"] += worker.search["owned_count"]
            sums["scores"] += worker.search["scores"]
            sums["owned"] += worker.search["owned"][board_points]

    def _add_moves(self, search: TreeSearch) -> None:
        sums, tree = self.sums, search.tree
        moves, first = tree.children(), int(tree.nodes[0]["first"])
        at = move_indices(search.size)[moves["move"]]
        visits, means = moves["visits"].astype(np.int64), moves["mean"].copy()
        for name in ("visits", "value", "score"):
            sums[name][at] += moves[name]
        sums["mean"][at] += np.rint(means * visits * SCALE).astype(np.int64)
        is_pruned = (moves["flags"] & PRUNED) != 0
        sums["listed"][at] += is_pruned | ((moves["flags"] & BANNED) == 0)
        sums["pruned"][at] += is_pruned
        sums["prior"][at] += np.rint(moves["prior_visits"].astype(np.float64) * SCALE).astype(np.int64)
        for name, field, place in self.layout.statistic_fields():
            sums[place][at] += tree.columns[name][first : first + moves.size][field]
        wins = np.rint(_wins(search, moves, means) * SCALE).astype(np.int64)
        self.maxima["wins"][at] = np.maximum(self.maxima["wins"][at], wins)


@cache
def move_indices(size: int) -> np.ndarray:
    """Return by point its index in the arrays of a record."""
    indices = np.full(POINTS, -1, np.int64)
    indices[points_of(size)] = range(size * size)
    indices[PASS] = size * size
    return indices


def _wins(search: TreeSearch, moves: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Return the simulations that each move won for the player to move, as `kikashi.search.analysis` counts them."""
    record, komi, is_black = search.tree.record, float(search.root["komi"]), search.root["board"]["to_play"] == BLACK
    visits = moves["visits"]
    scores = moves["score"] / np.maximum(1, visits) - komi
    values = means if is_black else float(record["win_weight"]) - means
    if not record["win_weight"]:
        cdf, deviation = NormalDist().cdf, max(score_deviation(search.scores()), 0.5)
        return np.asarray(np.array([cdf(value / deviation) for value in values.tolist()]) * visits)
    points = scores if is_black else -scores
    return np.asarray(np.clip(values - float(record["score_weight"]) * points, 0.0, 1.0) * visits)


class MergedRoot:
    """The root of a search over many ranks, with the methods of `TreeSearch` that `analyse` calls."""

    zone = outside_score = None

    def __init__(self, totals: RootTotals, example: TreeSearch, moves_by: Mapping[str, int]) -> None:
        """`example` is one of the searches, of the same position and configuration."""
        self._sums, self._moves_by = totals.sums, moves_by
        self.size = example.size
        self.root: Root = example.root
        self.tree = _merged_tree(totals, example)

    def ownership(self) -> np.ndarray:
        owners = np.zeros(POINTS)
        owners[points_of(self.size)] = self._sums["owned"] / max(1, int(self._sums["done"]))
        return owners

    def scores(self) -> np.ndarray:
        return np.asarray(self._sums["scores"])

    def moves_by(self) -> Mapping[str, int]:
        return self._moves_by

    def entries(self) -> Entries:
        return Entries(int(self._sums["made"]), int(self._sums["evicted"]))


def _merged_tree(totals: RootTotals, example: TreeSearch) -> Tree:
    """Make a tree of one ply from the sums of all ranks."""
    sums, record = totals.sums, example.tree.record
    at = _listed_moves(sums, example)
    tree = Tree(
        at.size + 1,
        columns={name: example.tree.columns[name].dtype for name in totals.layout.statistics},
        win_weight=float(record["win_weight"]),
        score_weight=float(record["score_weight"]),
    )
    root, moves = tree.nodes[0], tree.nodes[1:]
    for name in ("visits", "value", "score"):
        root[name], moves[name] = sums[f"root_{name}"], sums[name][at]
    root["mean"] = int(sums["root_mean"]) / SCALE / max(1, int(sums["root_visits"]))
    root["first"], root["count"], root["state"] = 1, at.size, GROWN
    moves["mean"] = sums["mean"][at] / SCALE / np.maximum(1, sums["visits"][at])
    moves["prior_visits"] = sums["prior"][at] / SCALE
    moves["move"] = np.array([*points_of(example.size), PASS])[at]
    moves["flags"] = np.where(sums["pruned"][at], PRUNED | BANNED, 0)
    for name, field, place in totals.layout.statistic_fields():
        tree.columns[name][field][1:] = sums[place][at]
    tree.record["used"] = at.size + 1
    return tree


def _listed_moves(sums: Any, example: TreeSearch) -> np.ndarray:
    """Return the indices of the moves that some rank has, in the order of one search: the first of equals is played."""
    known = move_indices(example.size)[example.tree.children()["move"]]
    is_listed = sums["listed"] > 0
    others = np.setdiff1d(np.flatnonzero(is_listed), known)
    return np.concatenate([known[is_listed[known]], others])
