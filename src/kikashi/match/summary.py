"""The summary of a match: scores, ratings and tests over its games, and all registered statistics."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import Any, TypeVar

import numpy as np

from kikashi.match.one_game import FORFEIT, GameRecord
from kikashi.match.settings import Bounds, MatchSettings, Pairing
from kikashi.stats.intervals import EloEstimate, Interval, elo_interval, two_proportions, wilson
from kikashi.stats.rating import bootstrap
from kikashi.stats.sequential import Pentanomial, Sprt, always_valid_p, log_likelihood_ratios, sprt

Numbered = TypeVar("Numbered", bound=Any)
ALIKE = 0.1
"""Players are alike if the share of points is less than this from a half."""


@dataclass(frozen=True)
class PairingScore:
    """The games of two players, from the side of the first."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int
    forfeits: tuple[int, int]
    """Games that the first and the second lost by a forfeit; they are among wins and losses."""
    as_black: float
    """The first one's share of points with Black, and with White; nan if there were no such games."""
    as_white: float
    sprt: Sprt | None = None
    """Result of the sequential test, if these two have one of their own."""

    @property
    def games(self) -> int:
        """Wins, draws and losses together."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Wins, and half of the draws."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float:
        """Points of a game; 0 if there was none."""
        return self.points / max(1, self.games)

    @property
    def interval(self) -> Interval:
        """Wilson's, 95 %."""
        return wilson(self.points, self.games)

    @property
    def elo(self) -> EloEstimate:
        """Elo by which the first is stronger, with the bounds of the interval."""
        return elo_interval(self.wins, self.draws, self.losses)


@dataclass(frozen=True)
class PlayerTimes:
    """Moves, time and memory of a player."""

    name: str
    moves: int
    seconds: float
    processor_a_move: float | None
    """Seconds of user and system time, of all its threads and processes; None if that is not known."""
    full: int
    """Moves that were found with a full tree."""
    evicted: int = 0
    """Entries that its memories had no room for."""

    @property
    def per_move(self) -> float:
        """Seconds for a move."""
        return self.seconds / max(1, self.moves)


@dataclass(frozen=True)
class Comparison:
    """Two players against a common opponent: whether they differ."""

    first: str
    second: str
    opponent: str
    z: float
    p: float


@dataclass(frozen=True)
class MatchSummary:
    """Results of a match; games that could not begin count for nobody."""

    settings: MatchSettings
    records: tuple[GameRecord, ...]
    """The games that count."""
    void: tuple[GameRecord, ...]
    """Games that could not begin."""
    pairings: tuple[PairingScore, ...]
    times: tuple[PlayerTimes, ...]
    ratings: dict[str, EloEstimate]
    """Bradley–Terry with bootstrap intervals; empty for two players."""
    comparisons: tuple[Comparison, ...]
    sprt: Sprt | None

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players."""
        return self.settings.names

    @property
    def games(self) -> int:
        """Games that count."""
        return len(self.records)


def summarize(settings: MatchSettings, records: Sequence[GameRecord]) -> MatchSummary:
    """Return the summary of a match."""
    names = settings.names
    counted = tuple(record for record in records if not record.is_void)
    met = dict.fromkeys(tuple(sorted((r.black, r.white), key=names.index)) for r in counted)
    tests = {frozenset((two.first, two.second)): two for two in settings.pairings if two.sprt is not None}
    pairings = tuple(_pairing(counted, a, b, tests.get(frozenset((a, b)))) for a, b in met)
    return MatchSummary(
        settings=settings,
        records=counted,
        void=tuple(record for record in records if record.is_void),
        pairings=pairings,
        times=tuple(player_times(counted, name) for name in names),
        ratings=ratings(names, [counted]) if len(names) > 2 and counted else {},
        comparisons=tuple(_comparisons(pairings, names, _common_opponents(settings))),
        sprt=pairing_decision(settings.all_pairings()[0], records) if settings.sprt is not None else None,
    )


def games_between(records: Iterable[GameRecord], first: str, second: str) -> list[GameRecord]:
    return [record for record in records if {record.black, record.white} == {first, second}]


def _pairing(records: Sequence[GameRecord], first: str, second: str, test: Pairing | None) -> PairingScore:
    games = games_between(records, first, second)
    points = [record.points(first) for record in games]
    forfeited = [record.winner for record in games if record.ended == FORFEIT]
    return PairingScore(
        first=first,
        second=second,
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        forfeits=(forfeited.count(second), forfeited.count(first)),
        as_black=_mean([record.points(first) for record in games if record.black == first]),
        as_white=_mean([record.points(first) for record in games if record.white == first]),
        sprt=pairing_decision(test, games) if test is not None else None,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def player_times(records: Sequence[GameRecord], name: str) -> PlayerTimes:
    sides = [(r, side) for r in records for side, player in enumerate((r.black, r.white)) if player == name]
    known = [(used, r.thought[side]) for r, side in sides if (used := r.processor[side]) is not None]
    return PlayerTimes(
        name=name,
        moves=sum(record.thought[side] for record, side in sides),
        seconds=sum(record.seconds[side] for record, side in sides),
        processor_a_move=sum(used for used, _ in known) / max(1, sum(moves for _, moves in known)) if known else None,
        full=sum(record.full[side] for record, side in sides),
        evicted=sum(record.evicted[side] for record, side in sides),
    )


def ratings(names: tuple[str, ...], matches: Sequence[Sequence[GameRecord]]) -> dict[str, EloEstimate]:
    """Return Bradley–Terry ratings over the games of some matches, with intervals by bootstrap over pairs."""
    pairs: dict[tuple[int, int, int], list[GameRecord]] = {}
    for number, records in enumerate(matches):
        for record in records:
            pairs.setdefault((number, record.pairing, record.pair), []).append(record)
    games = []
    for pair in pairs.values():
        a, b = sorted((pair[0].black, pair[0].white), key=names.index)
        games.append((a, b, sum(record.points(a) for record in pair), len(pair)))
    return bootstrap(names, games)


def _common_opponents(settings: MatchSettings) -> list[str]:
    """Return the players that others are compared by: the last one, if the settings name none."""
    if settings.pairings:
        return list(dict.fromkeys(pairing.second for pairing in settings.pairings))
    return [settings.only_with or settings.names[-1]]


def _comparisons(
    pairings: Sequence[PairingScore], names: tuple[str, ...], opponents: Sequence[str]
) -> Iterator[Comparison]:
    """Compare every two players that met a common opponent, by the z-test for two proportions.

    Those who stop by SPRT are left out: the test takes the number of games as given.
    """
    pairings = [score for score in pairings if score.sprt is None]
    if len(names) < 3:
        return
    for common in opponents:
        against = [(score.first, score.points, score.games) for score in pairings if score.second == common]
        against += [
            (score.second, score.games - score.points, score.games) for score in pairings if score.first == common
        ]
        for (a, points_a, games_a), (b, points_b, games_b) in combinations(against, 2):
            test = two_proportions(points_a, games_a, points_b, games_b)
            yield Comparison(a, b, common, test.z, test.p)


# --- pairs in the order of the schedule, and SPRT over them -----------------------------------------------------------


def latest(records: Iterable[Numbered]) -> list[Numbered]:
    """Return the games, or other results, in the order of the schedule; of one that was repeated only the last."""
    return sorted({record.number: record for record in records}.values(), key=lambda record: record.number)


def pairing_decision(pairing: Pairing, records: Sequence[GameRecord]) -> Sprt:
    """Return the result of SPRT for two players, pair after pair in the order of the schedule.

    It looks no further than to the first pair that is not complete, and a decision stays: neither the order in which
    games happen to end nor those that were still in progress change it. Raises ValueError if they have no SPRT.
    """
    bounds, so_far = _bounds(pairing), _counts(pairing, records)
    found = sprt(_as_counts(so_far[-1]), *bounds)
    ratios = log_likelihood_ratios(so_far, *bounds)
    decided = np.flatnonzero((ratios <= found.lower) | (ratios >= found.upper))
    return sprt(_as_counts(so_far[decided[0]]), *bounds) if decided.size else found


def is_over(pairing: Pairing, records: Sequence[GameRecord]) -> bool:
    """Return whether a sequential test has ended the games of two players, one look after each pair of games."""
    if pairing.sprt is not None:
        return pairing_decision(pairing, records).decision != "continue"
    if pairing.decided_at is None:
        return False
    points = complete_pairs(games_between(records, pairing.first, pairing.second), pairing.first)
    so_far = [(total, 2 * pairs) for pairs, total in enumerate(accumulate(points), 1)]
    return any(min(*p_different_or_alike(*score)) < pairing.decided_at for score in so_far)


def is_complete(settings: MatchSettings, records: Sequence[GameRecord]) -> bool:
    """Return whether all pairings have their games, or were decided by a sequential test; void games do not count."""
    for number, pairing in enumerate(settings.all_pairings()):
        played = [record for record in records if record.pairing == number and not record.is_void]
        if len(played) < 2 * pairing.pairs and not is_over(pairing, played):
            return False
    return True


def p_different_or_alike(points: float, games: float, within: float = ALIKE) -> tuple[float, float]:
    """Return the p-values, valid at any time, of no difference, and of a share that is `within` or more from a half."""
    far = 1.0
    if abs(points / games - 0.5) < within:
        far = max(always_valid_p(points, games, 0.5 + side * within) for side in (-1, 1))
    return always_valid_p(points, games), far


def llr_by_pair(settings: MatchSettings, records: Sequence[GameRecord]) -> list[float]:
    """Return the log-likelihood ratio before the first pair and after each. Raises ValueError without SPRT."""
    pairing = settings.all_pairings()[0]
    ratios: list[float] = log_likelihood_ratios(_counts(pairing, records), *_bounds(pairing)).tolist()
    return ratios


def _bounds(pairing: Pairing) -> Bounds:
    if pairing.sprt is None:
        raise ValueError("the match has no SPRT")
    return pairing.sprt


def _counts(pairing: Pairing, records: Sequence[GameRecord]) -> np.ndarray:
    """Return the five counts of pairs before the first pair and after each."""
    points = complete_pairs(games_between(records, pairing.first, pairing.second), pairing.first)
    return np.cumsum([(0,) * 5, *(Pentanomial.of([pair]).counts for pair in points)], axis=0)


def _as_counts(row: np.ndarray) -> Pentanomial:
    a, b, c, d, e = row.tolist()
    return Pentanomial((a, b, c, d, e))


def complete_pairs(records: Sequence[GameRecord], name: str) -> list[float]:
    """Return a player's points in each pair of games, up to the first that is not complete.

    A pair with a game that could not begin counts for nobody.
    """
    pairs = PairsInOrder()
    return [
        sum(record.points(name) for record in pair)
        for late in latest(records)
        for pair in pairs.add(late)
        if not any(record.is_void for record in pair)
    ]


class PairsInOrder:
    """The complete pairs of a match in progress, in the order of the schedule.

    A score over the games that happen to have ended is biased, because short games end sooner: with many workers a
    player that wins early and loses late looks too good for hours.
    """

    def __init__(self) -> None:
        self._waiting: defaultdict[tuple[int, int], dict[int, GameRecord]] = defaultdict(dict)
        self._next: Counter[int] = Counter()
        """By number of a pairing: its first pair that is not complete."""

    def add(self, record: GameRecord) -> list[list[GameRecord]]:
        """Take a game, and return the pairs that now follow the ones that were returned before."""
        index = record.pairing
        self._waiting[index, record.pair][record.number] = record
        found = []
        while len(self._waiting.get((index, self._next[index]), {})) == 2:
            found.append(list(self._waiting.pop((index, self._next[index])).values()))
            self._next[index] += 1
        return found


def scored_games(settings: MatchSettings, records: Sequence[GameRecord]) -> list[GameRecord]:
    """Return the games that score a match, even one in progress, in the order of the schedule.

    They are those of the complete pairs up to the first that is not complete, for each pairing, and all games of a
    pairing that SPRT has decided. Of a match that is over they are all its games. Those that could not begin, and
    count for nobody, are always among them.
    """
    played, pairs = latest(records), PairsInOrder()
    complete = {record.number for late in played for pair in pairs.add(late) for record in pair}
    decided = {index for index, pairing in enumerate(settings.all_pairings()) if is_over(pairing, played)}
    return [one for one in played if one.is_void or one.number in complete or one.pairing in decided]
