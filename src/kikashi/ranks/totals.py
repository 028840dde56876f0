"""What a rank says of the root of its search: counts and sums, which are integers, so that any order of adding them up
gives the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, points_of
from kikashi.playout.simulation import Root
from kikashi.search.face import AnySearch
from kikashi.search.search import Search
from kikashi.search.starts import Starts
from kikashi.search.tree import BANNED, GROWN, SCALE, Tree

RAVE = "rave"
HEAD = 2
"""The numbers at the front of a record that are not added up: the search, and how often it has come to rest."""
COUNTED = ("visits", "value", "score", "mean", "listed", "prior", "rave_visits", "rave_value")


@cache
def totals_type(size: int, heuristics: int) -> np.dtype[Any]:
    """The record for boards of a size and playouts of a number of heuristics.

    `added` is added up over ranks, of `highest` the highest counts. Moves stand in the order of the board's points, the
    pass last. A mean is what the backup rule made of a node's value, times its visits; it, values, RAVE values and
    priors are in units of 1/SCALE.
    """
    moves = size * size + 1
    root = [(f"root_{name}", "i8") for name in ("visits", "value", "score", "mean")]
    added = [
        *((name, "i8") for name in ("ranks", "resting", "done", "scores", "score_squares", "nodes")),
        *root,
        *((name, "i8", (moves,)) for name in COUNTED),
        ("owned", "i8", (size * size,)),
        ("moves_by", "i8", (heuristics,)),
    ]
    highest = [("full", "i8"), ("wins", "i8", (moves,))]
    return np.dtype([("search", "i8"), ("rests", "i8"), ("added", added), ("highest", highest)])


class Totals:
    """Counts and sums of some ranks. All are integers of 64 bits, so that a message is one array of them."""

    def __init__(self, size: int, heuristics: int) -> None:
        self.form = (size, heuristics)
        kind = totals_type(size, heuristics)
        self.numbers = np.zeros(kind.itemsize // 8, np.int64)
        self.record = self.numbers.view(kind)[0]
        self.added, self.highest = self.record["added"], self.record["highest"]
        self._split = HEAD + kind["added"].itemsize // 8

    @property
    def when(self) -> tuple[int, int]:
        """The search it is about, and how often that has come to rest."""
        return int(self.record["search"]), int(self.record["rests"])

    @when.setter
    def when(self, when: tuple[int, int]) -> None:
        self.record["search"], self.record["rests"] = when

    def add(self, more: Totals) -> None:
        """Add what other ranks said; what it is about stays as it is."""
        self.numbers[HEAD : self._split] += more.numbers[HEAD : self._split]
        highest = self.numbers[self._split :]
        np.maximum(highest, more.numbers[self._split :], out=highest)


def searches_of(search: AnySearch) -> Sequence[Search]:
    """The searches that a rank's search is made of."""
    if isinstance(search, Starts):
        return search.searches
    assert isinstance(search, Search)
    return [search]


@cache
def places(size: int) -> np.ndarray:
    """By point: its place in the arrays of a record."""
    found = np.full(POINTS, -1, np.int64)
    found[points_of(size)] = range(size * size)
    found[PASS] = size * size
    return found


def note_search(totals: Totals, search: Search) -> None:
    """Add what a search knows of its root."""
    added, tree = totals.added, search.tree
    _note_root(added, tree)
    _note_moves(totals, search)
    added["nodes"] += tree.used
    totals.highest["full"] = max(int(totals.highest["full"]), int(tree.full))
    board_points = points_of(search.size)
    for worker in search.workers:
        added["done"] += worker.search["owned_count"]
        added["scores"] += worker.search["scores"]
        added["score_squares"] += worker.search["score_squares"]
        added["owned"] += worker.search["owned"][board_points]


def _note_root(added: Any, tree: Tree) -> None:
    root = tree.nodes[0]
    for name in ("visits", "value", "score"):
        added[f"root_{name}"] += root[name]
    added["root_mean"] += round(float(root["mean"]) * int(root["visits"]) * SCALE)


def _note_moves(totals: Totals, search: Search) -> None:
    added, tree = totals.added, search.tree
    moves, first = tree.children(), int(tree.nodes[0]["first"])
    at = places(search.size)[moves["move"]]
    visits, means = moves["visits"].astype(np.int64), moves["mean"].copy()
    for name in ("visits", "value", "score"):
        added[name][at] += moves[name]
    added["mean"][at] += np.rint(means * visits * SCALE).astype(np.int64)
    added["listed"][at] += (moves["flags"] & BANNED) == 0
    added["prior"][at] += np.rint(moves["prior_visits"].astype(np.float64) * SCALE).astype(np.int64)
    if RAVE in tree.columns:
        rows = tree.columns[RAVE][first : first + moves.size]
        added["rave_visits"][at] += rows["visits"]
        added["rave_value"][at] += rows["value"]
    wins = np.rint(_won(search, moves, means) * SCALE).astype(np.int64)
    totals.highest["wins"][at] = np.maximum(totals.highest["wins"][at], wins)


def _won(search: Search, moves: np.ndarray, means: np.ndarray) -> np.ndarray:
    """How many simulations each move won for who is to play, as `kikashi.search.analysis` counts them."""
    record, komi, is_black = search.tree.record, float(search.root["komi"]), search.root["board"]["to_play"] == BLACK
    visits = moves["visits"]
    scores = moves["score"] / np.maximum(1, visits) - komi
    values = means if is_black else float(record["win_weight"]) - means
    if not record["win_weight"]:
        cdf, deviation = NormalDist().cdf, max(search.score_deviation(), 0.5)
        return np.asarray(np.array([cdf(value / deviation) for value in values.tolist()]) * visits)
    points = scores if is_black else -scores
    return np.asarray(np.clip(values - float(record["score_weight"]) * points, 0.0, 1.0) * visits)


class Merged:
    """The root of one search that ran on many ranks, as `kikashi.search.analysis.analyse` reads it."""

    def __init__(self, totals: Totals, like: Search) -> None:
        """`like` is one of the searches: of the same position, by the same recipe."""
        self._added = totals.added
        self.size = like.size
        self.root: Root = like.root
        self.tree = _tree_of(totals, like)

    def ownership(self) -> np.ndarray:
        """As `Search.ownership`."""
        owners = np.zeros(POINTS)
        owners[points_of(self.size)] = self._added["owned"] / max(1, int(self._added["done"]))
        return owners

    def score_deviation(self) -> float:
        """As `Search.score_deviation`."""
        count, scores, squares = (int(self._added[name]) for name in ("done", "scores", "score_squares"))
        mean = scores / max(1, count)
        return float(max(0.0, squares / max(1, count) - mean * mean) ** 0.5)

    def moves_by(self) -> Mapping[str, int]:
        """Nothing: who asks knows it."""
        return {}


def _tree_of(totals: Totals, like: Search) -> Tree:
    """A tree of one ply with the counts of all ranks."""
    added, record = totals.added, like.tree.record
    at = np.flatnonzero(added["listed"])
    points = np.array([*points_of(like.size), PASS])[at]
    columns = {RAVE: like.tree.columns[RAVE].dtype} if RAVE in like.tree.columns else {}
    tree = Tree(
        at.size + 1,
        columns=columns,
        win_weight=float(record["win_weight"]),
        score_weight=float(record["score_weight"]),
    )
    root, moves = tree.nodes[0], tree.nodes[1:]
    for name in ("visits", "value", "score"):
        root[name], moves[name] = added[f"root_{name}"], added[name][at]
    root["mean"] = int(added["root_mean"]) / SCALE / max(1, int(added["root_visits"]))
    root["first"], root["count"], root["state"] = 1, at.size, GROWN
    moves["mean"] = added["mean"][at] / SCALE / np.maximum(1, added["visits"][at])
    moves["prior_visits"] = added["prior"][at] / SCALE
    moves["move"] = points
    tree.record["used"] = at.size + 1
    if columns:
        tree.columns[RAVE]["visits"][1:], tree.columns[RAVE]["value"][1:] = (
            added["rave_visits"][at],
            added["rave_value"][at],
        )
    return tree
