"""What a search found, as plain data: for a program, a front end or a file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, points_of, vertex
from kikashi.search.search import Search
from kikashi.search.tree import BANNED, SCALE, Tree

LONGEST_VARIATION = 20


def from_side(color: int, value: float, total: float = 0.0) -> float:
    """A value of Black's from the side of a colour, or one of that colour's from Black's.

    The values of both sides add up to `total`: 0 for scores, 1 for win rates.
    """
    return value if color == BLACK else total - value


@dataclass(frozen=True)
class MoveStatistics:
    """One move at the root; win rate and score are from the side of who is to play."""

    move: int
    """A point or PASS."""
    visits: int
    winrate: float
    score: float
    """Mean area score of its simulations, komi counted."""
    prior: float
    """Its share of the virtual games of all moves."""
    rave: float | None
    """Its value by all simulations that had the move at any time; None where the search keeps none."""
    variation: tuple[int, ...]
    """The moves most often played from here, this one first."""
    variation_visits: tuple[int, ...]

    @property
    def name(self) -> str:
        """``"E5"`` or ``"pass"``."""
        return vertex(self.move)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variation's moves, this one first."""
        return tuple(vertex(move) for move in self.variation)

    @property
    def wins(self) -> float:
        """How many of its simulations were won."""
        return self.winrate * self.visits

    def as_json(self) -> dict[str, Any]:
        """As numbers, texts and lists; moves by name."""
        return asdict(self) | {"move": self.name, "variation": self.names}


@dataclass(frozen=True)
class Analysis:
    """A search: the moves, the most visited first, and how it went."""

    to_play: int
    visits: int
    winrate: float
    score: float
    score_deviation: float
    """The standard deviation of the score from simulation to simulation."""
    moves: tuple[MoveStatistics, ...]
    ownership: tuple[float, ...]
    """By point, A1 first, row by row: 1 is Black's for sure, -1 White's."""
    simulations: int
    seconds: float
    depth: int
    """The length of the longest line in the tree."""
    nodes: int
    moves_by: dict[str, float]
    """The share of playout moves by heuristic."""
    full: bool = False
    """Whether the tree had no room left and dropped rarely visited lines."""

    @property
    def black_winrate(self) -> float:
        """The win rate from Black's side."""
        return from_side(self.to_play, self.winrate, 1.0)

    @property
    def black_score(self) -> float:
        """The score from Black's side."""
        return from_side(self.to_play, self.score)

    @property
    def simulations_per_second(self) -> float:
        """How fast it went."""
        return self.simulations / max(self.seconds, 1e-9)

    def as_json(self) -> dict[str, Any]:
        """As numbers, texts, lists and dictionaries; moves by name."""
        changed = {"moves": [move.as_json() for move in self.moves]}
        return asdict(self) | changed | {"simulations_per_second": self.simulations_per_second}


def analyse(search: Search, *, simulations: int, seconds: float, moves_by: dict[str, int] | None = None) -> Analysis:
    """What the root of a search says; `moves_by` counts playout moves by heuristic, all of them if it is None."""
    tree = search.tree
    color = int(search.root["board"]["to_play"])
    root = tree.nodes[0]
    counts = moves_by if moves_by is not None else search.moves_by()
    total = max(1, sum(counts.values()))
    komi = float(search.root["komi"])
    ownership = search.ownership()
    deviation = search.score_deviation()
    order = np.argsort(-tree.children()["visits"].astype(np.int64), kind="stable")
    first = int(root["first"])
    listed = [first + int(i) for i in order if not tree.nodes[first + int(i)]["flags"] & BANNED]
    games = sum(float(tree.nodes[i]["prior_visits"]) for i in listed)
    return Analysis(
        to_play=color,
        visits=int(root["visits"]),
        winrate=_winrate(tree, root, color, komi, deviation),
        score=_score(root, color, komi),
        score_deviation=deviation,
        moves=tuple(_statistics(tree, i, color, komi, games, deviation) for i in listed),
        ownership=tuple(ownership[points_of(search.size)].tolist()),
        simulations=simulations,
        seconds=seconds,
        depth=tree.depth(),
        nodes=tree.used,
        moves_by={name: count / total for name, count in counts.items()},
        full=tree.full,
    )


def _statistics(tree: Tree, index: int, color: int, komi: float, games: float, deviation: float) -> MoveStatistics:
    node = tree.nodes[index]
    rave = None
    if "rave" in tree.columns and (row := tree.columns["rave"][index])["visits"]:
        rave = _value(tree, color, float(row["value"]) / (SCALE * int(row["visits"])))
    line = tree.main_line(index)[:LONGEST_VARIATION]
    return MoveStatistics(
        move=int(node["move"]),
        visits=int(node["visits"]),
        winrate=_winrate(tree, node, color, komi, deviation),
        score=_score(node, color, komi),
        prior=float(node["prior_visits"]) / games if games else 0.0,
        rave=rave,
        variation=tuple(int(tree.nodes[i]["move"]) for i in line),
        variation_visits=tuple(int(tree.nodes[i]["visits"]) for i in line),
    )


def _value(tree: Tree, color: int, black: float) -> float:
    """A value of the tree, which are Black's, from the side of a colour."""
    return from_side(color, black, float(tree.record["win_weight"]))


def _winrate(tree: Tree, node: Any, color: int, komi: float, deviation: float) -> float:
    """How often `color` wins: the node's value less what its points are worth.

    Where only points count it is the probability that a score is above 0, if scores are normal with the node's mean and
    the deviation of all simulations.
    """
    if not node["visits"]:
        return 0.5
    value = _value(tree, color, float(node["mean"]))
    if not tree.record["win_weight"]:
        return NormalDist().cdf(value / max(deviation, 0.5))
    return min(1.0, max(0.0, value - float(tree.record["score_weight"]) * _score(node, color, komi)))


def _score(node: Any, color: int, komi: float) -> float:
    """The mean area score of a node's simulations, komi counted, from the side of a colour."""
    return from_side(color, float(node["score"]) / max(1, int(node["visits"])) - komi)
