"""Analysis of a search as plain data, for programs, front ends and files."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache, reduce
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from kikashi.board.points import BLACK, PASS, WHITE, color_name, opponent, points_of, vertex
from kikashi.pictures.boards import Candidate, draw_board
from kikashi.pictures.svg import Picture
from kikashi.pictures.tables import DataFrame, data_frame, html_table
from kikashi.playout.hash_store import NO_ENTRIES, Entries
from kikashi.playout.simulation import Root
from kikashi.search.tree import BANNED, PRUNED, SCALE, Tree
from kikashi.search.zones import Zone
from kikashi.wording import plural

LONGEST_VARIATION = 20
SHOWN_MOVES, SHOWN_SHARE = 8, 0.02
"""Limits of the moves shown in a notebook: their number, and their share of the most visited move's visits."""
SHOWN_VARIATION = 8
EVICTED_SHARE = 0.01


def from_side(color: int, value: float, total: float = 0.0) -> float:
    """Convert a value of Black's to the side of a colour, or back.

    The values of both sides add up to `total`: 0 for scores, 1 for win rates.

    >>> from kikashi.board import WHITE
    >>> from_side(WHITE, 0.25, 1.0), from_side(WHITE, 3.5)
    (0.75, -3.5)
    """
    return value if color == BLACK else total - value


@dataclass(frozen=True)
class MoveStatistics:
    """Statistics of a move at the root; win rate and score are those of the player to move."""

    move: int
    """A point or PASS."""
    visits: int
    winrate: float
    score: float
    """Mean area score of its simulations, komi counted."""
    prior: float
    """Share of the virtual games of all moves."""
    rave: float | None
    """Value of all simulations that had the move at any time; None if the search keeps none."""
    variation: tuple[int, ...]
    """Most visited moves from here, this one first."""
    variation_visits: tuple[int, ...]
    best_wins: float | None = None
    """Most wins in one of several searches; None if there was only one."""
    first_put: float | None = None
    """Value of the simulations in which the player to move played there first, less that of those in which the opponent
    did (Yoshizoe et al. 2006); 0 for a pass, None if unknown."""
    pruned: bool = False

    @property
    def name(self) -> str:
        """``"E5"`` or ``"pass"``."""
        return vertex(self.move)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variation's moves, this one first."""
        return tuple(vertex(move) for move in self.variation)

    @property
    def wins(self) -> float:
        """Number of its simulations that were won."""
        return self.winrate * self.visits

    def __str__(self) -> str:
        return f"{self.name}: {self.winrate:.1%}, {self.score:+.1f} points, {plural(self.visits, 'visit')}"

    def __repr__(self) -> str:
        return f"<MoveStatistics {self}>"

    def as_json(self) -> dict[str, Any]:
        """Return numbers, texts and lists; moves by name."""
        return asdict(self) | {"move": self.name, "variation": self.names}


@dataclass(frozen=True)
class Analysis:
    """Result of a search: the moves in the order of visits, or of the player's rule of choice, and totals."""

    to_play: int
    visits: int
    winrate: float
    score: float
    score_deviation: float
    """Standard deviation of the scores of simulations."""
    moves: tuple[MoveStatistics, ...]
    ownership: tuple[float, ...] = field(repr=False)
    """Mean owner by point, A1 first, row by row: from 1 for Black to -1 for White."""
    simulations: int
    """Simulations of this search, those that tuned its zone included; visits are those of the tree."""
    seconds: float
    depth: int
    """Length of the longest line in the tree."""
    nodes: int
    moves_by: dict[str, float]
    """Share of playout moves by heuristic."""
    scores: dict[int, int] = field(default_factory=dict, repr=False)
    """Simulations by score: Black's area less White's, without komi."""
    full: bool = False
    """Whether the tree was full and dropped rarely visited lines."""
    entries: Entries = NO_ENTRIES
    """Entries of hashed memories, such as replies to three moves, and those evicted for want of room."""
    internal_komi: float | None = None
    """Komi of win rates and RAVE values if it is not the game's (dynamic komi, or a tuned zone); scores are by the
    game's."""
    outside: float | None = None
    """Score of the points outside the zone for Black, part of all scores; None without a zone."""
    pass_gain: float | None = None
    """Points by which a pass is better than the best of the other moves; None if it was not searched."""
    stones: tuple[int, ...] = field(default=(), repr=False)
    """Position by point, A1 first: EMPTY, BLACK or WHITE."""
    last: int = PASS
    """The last move, a point or PASS."""

    @property
    def black_winrate(self) -> float:
        """Win rate of Black."""
        return from_side(self.to_play, self.winrate, 1.0)

    @property
    def black_score(self) -> float:
        """Score of Black."""
        return from_side(self.to_play, self.score)

    @property
    def simulations_per_second(self) -> float:
        """Speed of the search."""
        return self.simulations / max(self.seconds, 1e-9)

    @property
    def evicted(self) -> int:
        """Entries that hashed memories lost for want of room; 0 up to EVICTED_SHARE of them, which is usual."""
        made, evicted = self.entries
        return evicted if evicted > EVICTED_SHARE * made else 0

    @property
    def komi_note(self) -> str:
        """Note beside a win rate: ``", by a komi of 11.5"``, or empty if the komi is the game's."""
        return "" if self.internal_komi is None else f", by a komi of {self.internal_komi:g}"

    def as_json(self) -> dict[str, Any]:
        """Return numbers, texts, lists and dictionaries; moves by name."""
        changed = {"moves": [move.as_json() for move in self.moves], "last": vertex(self.last)}
        entries = {"entries": self.entries._asdict()}
        return asdict(self) | changed | entries | {"simulations_per_second": self.simulations_per_second}

    def as_frame(self) -> DataFrame:
        """Return the moves as a data frame, a row each. Raises ImportError without pandas."""
        rows = [move.as_json() | {"variation": " ".join(move.names)} for move in self.moves]
        return data_frame({key: row[key] for key in row if key != "variation_visits"} for row in rows)

    def __str__(self) -> str:
        side, best = color_name(self.to_play).capitalize(), self.moves[0].name if self.moves else "no move"
        return f"{side} to play: {best}, {self.winrate:.0%}, {self.score:+.1f} points, {plural(self.visits, 'visit')}"

    def __repr__(self) -> str:
        return f"<Analysis {self}>"

    def picture(self, *, candidates: bool = True, ownership: bool = True) -> Picture:
        """Draw the board as SVG with the most visited moves, their win rates in percent and visits, and ownership.

        Raises ValueError if the analysis does not know the board.
        """
        if not self.stones:
            raise ValueError("this analysis does not know the board that it is of")
        return draw_board(
            math.isqrt(len(self.stones)),
            self.stones,
            about=str(self),
            last=self.last,
            ownership=self.ownership if ownership else (),
            candidates=[self._candidate(move) for move in self._shown()] if candidates else (),
        )

    def _shown(self) -> list[MoveStatistics]:
        """Return the moves to show, in order."""
        least = SHOWN_SHARE * max((move.visits for move in self.moves), default=0)
        return [move for move in self.moves if move.visits and move.visits >= least][:SHOWN_MOVES]

    def _candidate(self, move: MoveStatistics) -> Candidate:
        share = move.visits / max(each.visits for each in self.moves)
        return Candidate(move.move, move.winrate, move.visits, share, about=str(move))

    def _repr_svg_(self) -> str | None:
        return str(self.picture()) if self.stones else None

    def _repr_html_(self) -> str:
        """Return the board beside a table of the moves."""
        head = ["move", "visits", "win rate", "score", "continues"]
        rows = [
            [
                move.name,
                f"{move.visits:,}",
                f"{move.winrate:.1%}",
                f"{move.score:+.1f}",
                " ".join(move.names[1:SHOWN_VARIATION]),
            ]
            for move in self._shown()
        ]
        parts = [self._repr_svg_() or "", f"<div><p>{self}{self.komi_note}</p>{html_table(head, rows)}</div>"]
        return f'<div style="display: flex; flex-wrap: wrap; gap: 1.5em">{"".join(parts)}</div>'


class Searched(Protocol):
    """Parts of a search that an analysis reads."""

    @property
    def tree(self) -> Tree: ...
    @property
    def root(self) -> Root: ...
    @property
    def size(self) -> int: ...
    @property
    def zone(self) -> Zone | None: ...
    @property
    def outside_score(self) -> float | None: ...
    def ownership(self) -> np.ndarray: ...
    def scores(self) -> np.ndarray: ...
    def moves_by(self) -> Mapping[str, int]: ...
    def entries(self) -> Entries: ...


def analyse(
    search: Searched,
    *,
    simulations: int,
    seconds: float,
    komi: float | None = None,
    most: int | None = None,
) -> Analysis:
    """Return the analysis of one tree, as `kikashi.search.Search.analysis`."""
    tree = search.tree
    color = int(search.root["board"]["to_play"])
    root = tree.nodes[0]
    outside = search.outside_score
    komis = _komis(search, komi)
    is_usual = math.isclose(komis.internal, komis.real, abs_tol=1e-9)
    ownership = search.ownership()
    scores = search.scores()
    deviation = score_deviation(scores)
    children = tree.children()
    order = np.argsort(-children["visits"].astype(np.int64), kind="stable")
    flags = children["flags"][order]
    is_legal = (flags & BANNED == 0) | (flags & PRUNED != 0)
    listed = (int(root["first"]) + order[is_legal]).tolist()
    games = float(tree.nodes["prior_visits"][listed].astype(np.float64).sum())
    moves = tuple(_statistics(tree, i, color, komis, games, deviation) for i in listed[:most])
    return Analysis(
        to_play=color,
        visits=int(root["visits"]),
        winrate=winrate_of(tree, root, color, komis, deviation),
        score=_score(root, color, komis.real),
        score_deviation=deviation,
        scores={int(at) - scores.size // 2: int(scores[at]) for at in np.flatnonzero(scores)},
        moves=moves,
        ownership=tuple(ownership[_places(search.size)].tolist()),
        simulations=simulations,
        seconds=seconds,
        depth=tree.depth() if most is None else max((len(move.variation) for move in moves), default=0),
        nodes=tree.used,
        moves_by=shares_of(search.moves_by()),
        full=tree.full,
        entries=search.entries(),
        internal_komi=None if is_usual else komis.internal + (outside or 0.0),
        outside=outside,
        stones=tuple(search.root["board"]["color"][_places(search.size)].tolist()),
        last=int(search.root["history"][-1]),
    )


def score_deviation(scores: np.ndarray) -> float:
    """Return the standard deviation of scores that are counted from the lowest to the highest possible one."""
    points = np.arange(scores.size) - scores.size // 2
    count = max(1, int(scores.sum()))
    mean = int(scores @ points) / count
    return float(max(0.0, int(scores @ points**2) / count - mean * mean) ** 0.5)


def shares_of(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the share of each count in their sum."""
    total = max(1, sum(counts.values()))
    return {name: count / total for name, count in counts.items()}


@cache
def _places(size: int) -> np.ndarray:
    """Return the points of a board, A1 first, row by row."""
    return np.array(points_of(size))


class Komis(NamedTuple):
    """Komi of the game and of the simulations; in a zone, less the score outside."""

    real: float
    internal: float


def _komis(search: Searched, komi: float | None) -> Komis:
    internal = float(search.root["komi"])
    if search.zone is None:
        return Komis(internal if komi is None else komi, internal)
    real = internal + search.zone.tuned if komi is None else komi
    return Komis(real - search.zone.outside, internal)


def _statistics(tree: Tree, index: int, color: int, komis: Komis, games: float, deviation: float) -> MoveStatistics:
    node = tree.nodes[index]
    rave = None
    if "rave" in tree.columns and (row := tree.columns["rave"][index])["visits"]:
        rave = _value(tree, color, float(row["value"]) / (SCALE * int(row["visits"])))
    line = tree.main_line(index)[:LONGEST_VARIATION]
    return MoveStatistics(
        move=int(node["move"]),
        visits=int(node["visits"]),
        winrate=winrate_of(tree, node, color, komis, deviation),
        score=_score(node, color, komis.real),
        prior=float(node["prior_visits"]) / games if games else 0.0,
        rave=rave,
        variation=tuple(int(tree.nodes[i]["move"]) for i in line),
        variation_visits=tuple(int(tree.nodes[i]["visits"]) for i in line),
        first_put=_first_put(tree, index, color),
        pruned=bool(node["flags"] & PRUNED),
    )


def _first_put(tree: Tree, index: int, color: int) -> float | None:
    """Return the difference of a move's first-put scores.

    If the opponent was never first there, all simulations stand for those in which it was.
    """
    if "first_puts" not in tree.columns:
        return None
    if tree.nodes[index]["move"] == PASS:
        return 0.0
    row, root = tree.columns["first_puts"][index], tree.nodes[0]
    sums = {BLACK: (row["black_value"], row["black_visits"]), WHITE: (row["white_value"], row["white_visits"])}
    value, visits = sums[color]
    other_value, other_visits = sums[opponent(color)] if sums[opponent(color)][1] else (root["value"], root["visits"])
    if not visits:
        return None
    difference = int(value) / (SCALE * int(visits)) - int(other_value) / (SCALE * int(other_visits))
    return from_side(color, difference)


def _value(tree: Tree, color: int, black: float) -> float:
    """Convert a value of the tree, which are Black's, to the side of a colour."""
    return from_side(color, black, float(tree.record["win_weight"]))


def winrate_of(tree: Tree, node: Any, color: int, komis: Komis, deviation: float) -> float:
    """Return the win rate of `color`: the node's value less that of its points.

    If only points count, it is the probability of a score above 0 by a normal distribution with the node's mean and the
    deviation of all simulations.
    """
    if not node["visits"]:
        return 0.5
    value = _value(tree, color, float(node["mean"]))
    if not tree.record["win_weight"]:
        return NormalDist().cdf(value / max(deviation, 0.5))
    return min(1.0, max(0.0, value - float(tree.record["score_weight"]) * _score(node, color, komis.internal)))


def _score(node: Any, color: int, komi: float) -> float:
    """Return the mean area score of a node's simulations for a colour, komi counted."""
    return from_side(color, float(node["score"]) / max(1, int(node["visits"])) - komi)


# --- several searches -------------------------------------------------------------------------------------------------


def merged(found: Sequence[Analysis]) -> Analysis:
    """Merge analyses of one position by several searches: sums of visits and simulations, means of other values.

    Win rates and scores are weighted by visits. A move's variation is that of the search that visited it most.
    """
    visits, simulations = [each.visits for each in found], [each.simulations for each in found]
    score = _mean((each.score for each in found), visits)
    squares = _mean((each.score_deviation**2 + (each.score - score) ** 2 for each in found), simulations)
    return replace(
        found[0],
        visits=sum(visits),
        winrate=_mean((each.winrate for each in found), visits),
        score=score,
        score_deviation=math.sqrt(squares),
        scores=dict(sum((Counter(each.scores) for each in found), Counter())),
        moves=_merged_moves(found),
        ownership=tuple(_mean(owners, simulations) for owners in zip(*(each.ownership for each in found), strict=True)),
        simulations=sum(simulations),
        depth=max(each.depth for each in found),
        nodes=sum(each.nodes for each in found),
        full=any(each.full for each in found),
        entries=reduce(Entries.plus, (each.entries for each in found)),
    )


def _merged_moves(found: Sequence[Analysis]) -> tuple[MoveStatistics, ...]:
    """Return the moves of all searches, the most visited first."""
    by_move: dict[int, list[MoveStatistics]] = {}
    for each in found:
        for move in each.moves:
            by_move.setdefault(move.move, []).append(move)
    return tuple(sorted(map(_merged_move, by_move.values()), key=lambda move: -move.visits))


def _merged_move(found: Sequence[MoveStatistics]) -> MoveStatistics:
    visits = [each.visits for each in found]
    known = [each.rave for each in found if each.rave is not None]
    puts = [each.first_put for each in found if each.first_put is not None]
    return replace(
        max(found, key=lambda each: each.visits),
        visits=sum(visits),
        winrate=_mean((each.winrate for each in found), visits),
        score=_mean((each.score for each in found), visits),
        prior=_mean((each.prior for each in found), [1] * len(found)),
        rave=_mean(known, [1] * len(known)) if known else None,
        best_wins=max(each.wins for each in found),
        first_put=_mean(puts, [1] * len(puts)) if puts else None,
        pruned=all(each.pruned for each in found),
    )


def _mean(values: Iterable[float], weights: Sequence[int]) -> float:
    """Return the mean by weights; by equal weights if all are 0."""
    weights = weights if sum(weights) else [1] * len(weights)
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
