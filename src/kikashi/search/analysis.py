"""What a search found, as plain data: for a program, a front end or a file."""

from __future__ import annotations

import math
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
"""The most moves that a notebook is shown, and the least visits of one for each of the most visited move's."""
SHOWN_VARIATION = 8
EVICTED_SHARE = 0.01


def from_side(color: int, value: float, total: float = 0.0) -> float:
    """A value of Black's from the side of a colour, or one of that colour's from Black's.

    The values of both sides add up to `total`: 0 for scores, 1 for win rates.

    >>> from kikashi.board import WHITE
    >>> from_side(WHITE, 0.25, 1.0), from_side(WHITE, 3.5)
    (0.75, -3.5)
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
    best_wins: float | None = None
    """The most simulations that it won in one of several searches; None where there was only one."""
    first_put: float | None = None
    """The value of the simulations where who is to play was first to play there, less that of those where the opponent
    was (Yoshizoe et al. 2006); 0 for a pass, None where the search does not know."""
    pruned: bool = False
    """Whether it was given up: it will not be played."""

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

    def __str__(self) -> str:
        return f"{self.name}: {self.winrate:.1%}, {self.score:+.1f} points, {plural(self.visits, 'visit')}"

    def __repr__(self) -> str:
        return f"<MoveStatistics {self}>"

    def as_json(self) -> dict[str, Any]:
        """As numbers, texts and lists; moves by name."""
        return asdict(self) | {"move": self.name, "variation": self.names}


@dataclass(frozen=True)
class Analysis:
    """A search: the moves, the most visited first or, of a player that does not choose by visits, the best first, and
    how it went."""

    to_play: int
    visits: int
    winrate: float
    score: float
    score_deviation: float
    """The standard deviation of the score from simulation to simulation."""
    moves: tuple[MoveStatistics, ...]
    ownership: tuple[float, ...] = field(repr=False)
    """By point, A1 first, row by row: 1 is Black's for sure, -1 White's."""
    simulations: int
    """All of this search, those that tuned its zone among them; visits are of the tree alone."""
    seconds: float
    depth: int
    """The length of the longest line in the tree."""
    nodes: int
    moves_by: dict[str, float]
    """The share of playout moves by heuristic."""
    full: bool = False
    """Whether the tree had no room left and dropped rarely visited lines."""
    entries: Entries = NO_ENTRIES
    """Entries that hashed memories, such as replies to three moves, have made, and those that they evicted for want of
    room."""
    internal_komi: float | None = None
    """The komi of win rates and RAVE values, where it is not the game's (dynamic komi, or a tuned zone); scores are by
    the game's."""
    outside: float | None = None
    """What the points outside the zone add to all scores, from Black's side; None for a search of the whole board."""
    pass_gain: float | None = None
    """How many points more a pass is worth than the best of the other moves, found by searches of their own; only where
    territory counts and the question came up."""
    stones: tuple[int, ...] = field(default=(), repr=False)
    """The position, by point, A1 first: EMPTY, BLACK or WHITE."""
    last: int = PASS
    """The last move before it, a point or PASS."""

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

    @property
    def evicted(self) -> int:
        """How many entries hashed memories lost for want of room, if that is more than EVICTED_SHARE of them; else 0:
        as many are lost in a store that is large enough."""
        made, evicted = self.entries
        return evicted if evicted > EVICTED_SHARE * made else 0

    @property
    def komi_note(self) -> str:
        """What has to be said beside a win rate: ``", by a komi of 11.5"``, or nothing if the komi is the game's."""
        return "" if self.internal_komi is None else f", by a komi of {self.internal_komi:g}"

    def as_json(self) -> dict[str, Any]:
        """As numbers, texts, lists and dictionaries; moves by name."""
        changed = {"moves": [move.as_json() for move in self.moves], "last": vertex(self.last)}
        entries = {"entries": self.entries._asdict()}
        return asdict(self) | changed | entries | {"simulations_per_second": self.simulations_per_second}

    def as_frame(self) -> DataFrame:
        """The moves as a data frame, a row each. Raises ImportError where there is no pandas."""
        rows = [move.as_json() | {"variation": " ".join(move.names)} for move in self.moves]
        return data_frame({key: row[key] for key in row if key != "variation_visits"} for row in rows)

    def __str__(self) -> str:
        side, best = color_name(self.to_play).capitalize(), self.moves[0].name if self.moves else "no move"
        return f"{side} to play: {best}, {self.winrate:.0%}, {self.score:+.1f} points, {plural(self.visits, 'visit')}"

    def __repr__(self) -> str:
        return f"<Analysis {self}>"

    def picture(self, *, candidates: bool = True, ownership: bool = True) -> Picture:
        """The board as SVG, with the moves that were visited most and who owns what.

        A move has its win rate in percent, from the side of who is to play, and its visits. Raises ValueError if the
        analysis does not know the board.
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
        """What is worth showing, in the order of the moves."""
        least = SHOWN_SHARE * max((move.visits for move in self.moves), default=0)
        return [move for move in self.moves if move.visits and move.visits >= least][:SHOWN_MOVES]

    def _candidate(self, move: MoveStatistics) -> Candidate:
        share = move.visits / max(each.visits for each in self.moves)
        return Candidate(move.move, move.winrate, move.visits, share, about=str(move))

    def _repr_svg_(self) -> str | None:
        return str(self.picture()) if self.stones else None

    def _repr_html_(self) -> str:
        """The board beside a table of the moves."""
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
    """What is asked of a search when it is analysed."""

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
    def score_deviation(self) -> float: ...
    def moves_by(self) -> Mapping[str, int]: ...
    def entries(self) -> Entries: ...


def analyse(
    search: Searched,
    *,
    simulations: int,
    seconds: float,
    moves_by: Mapping[str, int] | None = None,
    komi: float | None = None,
    most: int | None = None,
) -> Analysis:
    """Report what the root of one tree says, as `kikashi.search.Search.analysis`."""
    counts = moves_by if moves_by is not None else search.moves_by()
    tree = search.tree
    color = int(search.root["board"]["to_play"])
    root = tree.nodes[0]
    total = max(1, sum(counts.values()))
    outside = search.outside_score
    komis = _komis(search, komi)
    is_usual = math.isclose(komis.internal, komis.real, abs_tol=1e-9)
    ownership = search.ownership()
    deviation = search.score_deviation()
    children = tree.children()
    order = np.argsort(-children["visits"].astype(np.int64), kind="stable")
    listed = (int(root["first"]) + order[_are_looked_at(children["flags"][order])]).tolist()
    games = float(tree.nodes["prior_visits"][listed].astype(np.float64).sum())
    moves = tuple(_statistics(tree, i, color, komis, games, deviation) for i in listed[:most])
    return Analysis(
        to_play=color,
        visits=int(root["visits"]),
        winrate=_winrate(tree, root, color, komis, deviation),
        score=_score(root, color, komis.real),
        score_deviation=deviation,
        moves=moves,
        ownership=tuple(ownership[_places(search.size)].tolist()),
        simulations=simulations,
        seconds=seconds,
        depth=tree.depth() if most is None else max((len(move.variation) for move in moves), default=0),
        nodes=tree.used,
        moves_by={name: count / total for name, count in counts.items()},
        full=tree.full,
        entries=search.entries(),
        internal_komi=None if is_usual else komis.internal + (outside or 0.0),
        outside=outside,
        stones=tuple(search.root["board"]["color"][_places(search.size)].tolist()),
        last=int(search.root["history"][-1]),
    )


@cache
def _places(size: int) -> np.ndarray:
    """The points of a board, A1 first, row by row."""
    return np.array(points_of(size))


def _are_looked_at(flags: np.ndarray) -> np.ndarray:
    """Whether moves of the root are ones that the game allows; those that were pruned since are."""
    return np.asarray((flags & BANNED == 0) | (flags & PRUNED != 0))


class Komis(NamedTuple):
    """The komi of the game, and that of the simulations; in a zone, less what the points outside are worth."""

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
        winrate=_winrate(tree, node, color, komis, deviation),
        score=_score(node, color, komis.real),
        prior=float(node["prior_visits"]) / games if games else 0.0,
        rave=rave,
        variation=tuple(int(tree.nodes[i]["move"]) for i in line),
        variation_visits=tuple(int(tree.nodes[i]["visits"]) for i in line),
        first_put=_first_put(tree, index, color),
        pruned=bool(node["flags"] & PRUNED),
    )


def _first_put(tree: Tree, index: int, color: int) -> float | None:
    """The difference of a move's first-put scores. Where only the player was ever first there, all simulations stand
    for what happens if the opponent is."""
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
    """A value of the tree, which are Black's, from the side of a colour."""
    return from_side(color, black, float(tree.record["win_weight"]))


def _winrate(tree: Tree, node: Any, color: int, komis: Komis, deviation: float) -> float:
    """How often `color` wins: the node's value less what its points are worth.

    Where only points count it is the probability that a score is above 0, if scores are normal with the node's mean and
    the deviation of all simulations.
    """
    if not node["visits"]:
        return 0.5
    value = _value(tree, color, float(node["mean"]))
    if not tree.record["win_weight"]:
        return NormalDist().cdf(value / max(deviation, 0.5))
    return min(1.0, max(0.0, value - float(tree.record["score_weight"]) * _score(node, color, komis.internal)))


def _score(node: Any, color: int, komi: float) -> float:
    """The mean area score of a node's simulations, komi counted, from the side of a colour."""
    return from_side(color, float(node["score"]) / max(1, int(node["visits"])) - komi)


# --- several searches -------------------------------------------------------------------------------------------------


def merged(found: Sequence[Analysis]) -> Analysis:
    """Analyses of one position by several searches as one: visits and simulations are added up, the rest is a mean.

    Win rates and scores count by visits, so that a move's wins are the sum of its wins. A move's line is that of the
    search that visited it most.
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
        moves=_merged_moves(found),
        ownership=tuple(_mean(owners, simulations) for owners in zip(*(each.ownership for each in found), strict=True)),
        simulations=sum(simulations),
        depth=max(each.depth for each in found),
        nodes=sum(each.nodes for each in found),
        full=any(each.full for each in found),
        entries=reduce(Entries.and_those, (each.entries for each in found)),
    )


def _merged_moves(found: Sequence[Analysis]) -> tuple[MoveStatistics, ...]:
    """The moves of all searches, the most visited first."""
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
    """The mean by weights; by equal weights if all are 0."""
    weights = weights if sum(weights) else [1] * len(weights)
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
