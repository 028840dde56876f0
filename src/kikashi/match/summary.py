"""What is known from the games of a match: scores, intervals, ratings, and what was odd about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import msgspec

from kikashi.match.one_game import FORFEIT, GameRecord
from kikashi.match.settings import MatchSettings, Pairing
from kikashi.match.sprt import decision_of, pairing_decision
from kikashi.stats.intervals import EloEstimate, Interval, duplicates, elo_interval, two_proportions, wilson
from kikashi.stats.rating import bootstrap
from kikashi.stats.sequential import Sprt


@dataclass(frozen=True)
class PairingScore:
    """Two players' games, from the side of the first."""

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
    """What the sequential test says, if these two have one of their own."""

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
        """How much stronger the first is, with the bounds of the interval."""
        return elo_interval(self.wins, self.draws, self.losses)


@dataclass(frozen=True)
class PlayerTimes:
    """How a player spent its time."""

    name: str
    moves: int
    seconds: float
    processor_a_move: float | None
    """Seconds of user and system time, of all its threads and processes; None if nobody could tell."""
    full: int
    """Moves that it thought about with a full tree."""
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
class Standing:
    """All that is known."""

    players: tuple[str, ...]
    pairings: tuple[PairingScore, ...]
    times: tuple[PlayerTimes, ...]
    ratings: dict[str, EloEstimate]
    """Bradley–Terry with bootstrap intervals; empty for two players."""
    comparisons: tuple[Comparison, ...]
    sprt: Sprt | None
    duplicates: tuple[tuple[int, ...], ...]
    """Numbers of games with the same moves."""
    disputed: tuple[int, ...]
    """Numbers of games whose winner depends on who counts."""
    uncounted: tuple[int, ...]
    """Numbers of games that the referee could not count; the result is that of our playouts."""
    forfeits: tuple[tuple[int, str], ...]
    """Number of the game and what happened."""
    not_begun: tuple[tuple[int, str], ...]
    """Games that count for nobody: number, and why a player could not begin."""
    mean_length: float

    def as_json(self) -> dict[str, Any]:
        """As numbers, texts, lists and dictionaries."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        for table, score in zip(found["pairings"], self.pairings, strict=True):
            table |= {
                "games": score.games,
                "share": score.share,
                "interval": [score.interval.low, score.interval.high],
                "elo": msgspec.to_builtins(score.elo),
            }
        return found


def standing(settings: MatchSettings, records: Sequence[GameRecord]) -> Standing:
    """Work out what the games say; those that could not begin count for nobody."""
    names = settings.names
    decision = decision_of(settings, records) if settings.sprt is not None else None
    not_begun = tuple((record.number, record.reason) for record in records if record.is_void)
    records = [record for record in records if not record.is_void]
    met = dict.fromkeys(tuple(sorted((r.black, r.white), key=names.index)) for r in records)
    tests = {frozenset((two.first, two.second)): two for two in settings.pairings if two.sprt is not None}
    pairings = tuple(_pairing(records, a, b, tests.get(frozenset((a, b)))) for a, b in met)
    groups = duplicates([record.moves for record in records if record.ended != FORFEIT])
    numbers = [record.number for record in records if record.ended != FORFEIT]
    return Standing(
        players=names,
        pairings=pairings,
        times=tuple(_times(records, name) for name in names),
        ratings=ratings(names, [records]) if len(names) > 2 and records else {},
        comparisons=tuple(_comparisons(pairings, names, _common_opponents(settings))),
        sprt=decision,
        duplicates=tuple(tuple(numbers[i] for i in group) for group in groups),
        disputed=tuple(record.number for record in records if record.disputed),
        uncounted=tuple(r.number for r in records if r.counts and settings.referee not in r.counts),
        forfeits=tuple((record.number, record.reason) for record in records if record.ended == FORFEIT),
        not_begun=not_begun,
        mean_length=sum(len(record.moves) for record in records) / max(1, len(records)),
    )


def _pairing(records: Sequence[GameRecord], first: str, second: str, test: Pairing | None) -> PairingScore:
    games = [record for record in records if {record.black, record.white} == {first, second}]
    points = [record.points(first) for record in games]
    lost_by_forfeit = [record for record in games if record.ended == FORFEIT]
    return PairingScore(
        first=first,
        second=second,
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        forfeits=(
            sum(record.winner == second for record in lost_by_forfeit),
            sum(record.winner == first for record in lost_by_forfeit),
        ),
        as_black=_mean([record.points(first) for record in games if record.black == first]),
        as_white=_mean([record.points(first) for record in games if record.white == first]),
        sprt=pairing_decision(test, games) if test is not None else None,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _times(records: Sequence[GameRecord], name: str) -> PlayerTimes:
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
    """Bradley–Terry over the games of some matches, with intervals by bootstrap over pairs."""
    pairs: dict[tuple[int, int, int], list[GameRecord]] = {}
    for number, records in enumerate(matches):
        for record in records:
            pairs.setdefault((number, record.pairing, record.pair), []).append(record)
    games = []
    for played in pairs.values():
        a, b = sorted((played[0].black, played[0].white), key=names.index)
        games.append((a, b, sum(record.points(a) for record in played), len(played)))
    return bootstrap(names, games)


def _common_opponents(settings: MatchSettings) -> list[str]:
    """The players that others are compared by: the last one, if the settings do not say."""
    if settings.pairings:
        return list(dict.fromkeys(pairing.second for pairing in settings.pairings))
    return [settings.only_with or settings.names[-1]]


def _comparisons(
    pairings: Sequence[PairingScore], names: tuple[str, ...], opponents: Sequence[str]
) -> Iterator[Comparison]:
    """Every two players that met a common opponent, by the z-test for two proportions.

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
