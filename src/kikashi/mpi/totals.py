"""What a rank says of the root of its search: counts and sums, which are integers, so that any order of adding them up
gives the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, points_of
from kikashi.playout.hash_store import Entries
from kikashi.playout.simulation import Root
from kikashi.search.interface import Search
from kikashi.search.tree import BANNED, GROWN, PRUNED, SCALE, Tree
from kikashi.search.tree_search import TreeSearch

STATISTICS = {
    "rave": ("visits", "value"),
    "first_puts": ("black_visits", "black_value", "white_visits", "white_value"),
}
"""What an analysis reads of the statistics of the root's moves: sums, by name."""
HEAD = 2
"""The numbers at the front of a record that are not added up: the search, and how often it has come to rest."""
COUNTED = ("visits", "value", "score", "mean", "listed", "pruned", "prior")


class Form(NamedTuple):
    """What the shape of a record depends on."""

    size: int
    heuristics: int
    statistics: tuple[str, ...] = ()
    """Those of STATISTICS that there are."""

    def statistic_fields(self) -> Iterator[tuple[str, str, str]]:
        """The name of a statistic, of a field of its row, and of that field in a record."""
        for name in self.statistics:
            yield from ((name, field, f"{name}_{field}") for field in STATISTICS[name])


def form_of(search: Search) -> Form:
    """The form of what is said of a search."""
    columns = search.trees[0].tree.columns
    return Form(search.size, len(search.moves_by()), tuple(name for name in STATISTICS if name in columns))


@cache
def totals_type(form: Form) -> np.dtype[Any]:
    """The record for searches of a form.

    `added` is added up over ranks, of `highest` the highest counts. Moves stand in the order of the board's points, the
    pass last. A mean is what the backup rule made of a node's value, times its visits; it, values, RAVE values and
    priors are in units of 1/SCALE.
    """
    size, moves = form.size, form.size**2 + 1
    root = [(f"root_{name}", "i8") for name in ("visits", "value", "score", "mean")]
    added = [
        *((name, "i8") for name in ("ranks", "resting", "done", "scores", "score_squares", "nodes", "made", "evicted")),
        *root,
        *((name, "i8", (moves,)) for name in (*COUNTED, *(each for _, _, each in form.statistic_fields()))),
        ("owned", "i8", (size * size,)),
        ("moves_by", "i8", (form.heuristics,)),
    ]
    highest = [("full", "i8"), ("wins", "i8", (moves,))]
    return np.dtype([("search", "i8"), ("rests", "i8"), ("added", added), ("highest", highest)])


class Totals:
    """Counts and sums of some ranks. All are integers of 64 bits, so that a message is one array of them."""

    def __init__(self, form: Form) -> None:
        self.form = form
        kind = totals_type(form)
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

    def add_counts(self, more: Totals, times: int = 1) -> None:
        """Add what other ranks counted, or take it away; what it is about stays as it is."""
        counts = self.numbers[HEAD : self._split]
        (np.add if times > 0 else np.subtract)(counts, more.numbers[HEAD : self._split], out=counts)

    def add_highest(self, more: Totals) -> None:
        """Take what is highest among other ranks where it is higher."""
        highest = self.numbers[self._split :]
        np.maximum(highest, more.numbers[self._split :], out=highest)


@cache
def places(size: int) -> np.ndarray:
    """By point: its place in the arrays of a record."""
    found = np.full(POINTS, -1, np.int64)
    found[points_of(size)] = range(size * size)
    found[PASS] = size * size
    return found


def note_search(totals: Totals, search: TreeSearch) -> None:
    """Add what a search knows of its root."""
    added, tree = totals.added, search.tree
    _note_root(added, tree)
    _note_moves(totals, search)
    added["nodes"] += tree.used
    made, evicted = search.entries()
    added["made"] += made
    added["evicted"] += evicted
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


def _note_moves(totals: Totals, search: TreeSearch) -> None:
    added, tree = totals.added, search.tree
    moves, first = tree.children(), int(tree.nodes[0]["first"])
    at = places(search.size)[moves["move"]]
    visits, means = moves["visits"].astype(np.int64), moves["mean"].copy()
    for name in ("visits", "value", "score"):
        added[name][at] += moves[name]
    added["mean"][at] += np.rint(means * visits * SCALE).astype(np.int64)
    is_pruned = (moves["flags"] & PRUNED) != 0
    added["listed"][at] += is_pruned | ((moves["flags"] & BANNED) == 0)
    added["pruned"][at] += is_pruned
    added["prior"][at] += np.rint(moves["prior_visits"].astype(np.float64) * SCALE).astype(np.int64)
    for name, field, place in totals.form.statistic_fields():
        added[place][at] += tree.columns[name][first : first + moves.size][field]
    wins = np.rint(_won(search, moves, means) * SCALE).astype(np.int64)
    totals.highest["wins"][at] = np.maximum(totals.highest["wins"][at], wins)


def _won(search: TreeSearch, moves: np.ndarray, means: np.ndarray) -> np.ndarray:
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

    def __init__(self, totals: Totals, like: TreeSearch) -> None:
        """`like` is one of the searches: of the same position, by the same configuration."""
        self._added = totals.added
        self.size = like.size
        self.root: Root = like.root
        self.tree = _tree_of(totals, like)
        self.zone = None
        self.outside_score = None

    def ownership(self) -> np.ndarray:
        """As `TreeSearch.ownership`."""
        owners = np.zeros(POINTS)
        owners[points_of(self.size)] = self._added["owned"] / max(1, int(self._added["done"]))
        return owners

    def score_deviation(self) -> float:
        """As `TreeSearch.score_deviation`."""
        count, scores, squares = (int(self._added[name]) for name in ("done", "scores", "score_squares"))
        mean = scores / max(1, count)
        return float(max(0.0, squares / max(1, count) - mean * mean) ** 0.5)

    def moves_by(self) -> Mapping[str, int]:
        """Nothing: who asks knows it."""
        return {}

    def entries(self) -> Entries:
        """As `TreeSearch.entries`."""
        return Entries(int(self._added["made"]), int(self._added["evicted"]))


def _tree_of(totals: Totals, like: TreeSearch) -> Tree:
    """A tree of one ply with the counts of all ranks."""
    added, record = totals.added, like.tree.record
    at = _listed(added, like)
    points = np.array([*points_of(like.size), PASS])[at]
    columns = {name: like.tree.columns[name].dtype for name in totals.form.statistics}
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
    moves["flags"] = np.where(added["pruned"][at], PRUNED | BANNED, 0)
    for name, field, place in totals.form.statistic_fields():
        tree.columns[name][field][1:] = added[place][at]
    tree.record["used"] = at.size + 1
    return tree


def _listed(added: Any, like: TreeSearch) -> np.ndarray:
    """The places of the moves that some rank has: in the order of one search, since the first of equals is played."""
    known = places(like.size)[like.tree.children()["move"]]
    is_listed = added["listed"] > 0
    others = np.setdiff1d(np.flatnonzero(is_listed), known)
    return np.concatenate([known[is_listed[known]], others])
