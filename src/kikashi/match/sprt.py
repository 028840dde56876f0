"""The sequential test of a match over its games, pair after pair."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from kikashi.match.one_game import GameRecord
from kikashi.match.settings import Bounds, MatchSettings, Pairing
from kikashi.stats.sequential import Pentanomial, Sprt, log_likelihood_ratios, sprt


def latest(records: Iterable[GameRecord]) -> list[GameRecord]:
    """The games in the order of the schedule; of one that was played again only the last time."""
    return sorted({record.number: record for record in records}.values(), key=lambda record: record.number)


def decision_of(settings: MatchSettings, records: Sequence[GameRecord]) -> Sprt:
    """What SPRT says about the first player of a match against the second. Raises ValueError if it has no SPRT."""
    return pairing_decision(settings.meetings()[0], records)


def pairing_decision(pairing: Pairing, records: Sequence[GameRecord]) -> Sprt:
    """What SPRT says about the first player of two against the second, pair after pair in the order of the schedule.

    It looks no further than to the first pair that is not complete, and what it has once decided stays: neither the
    order in which games happen to end nor those that were still under way change it. Raises ValueError if they have no
    SPRT.
    """
    bounds, so_far = _bounds(pairing), _counts(pairing, records)
    found = sprt(_as_counts(so_far[-1]), *bounds)
    ratios = log_likelihood_ratios(so_far, *bounds)
    decided = np.flatnonzero((ratios <= found.lower) | (ratios >= found.upper))
    return sprt(_as_counts(so_far[decided[0]]), *bounds) if decided.size else found


def course_of(settings: MatchSettings, records: Sequence[GameRecord]) -> list[float]:
    """The log-likelihood ratio before the first pair and after each. Raises ValueError if the match has no SPRT."""
    pairing = settings.meetings()[0]
    ratios: list[float] = log_likelihood_ratios(_counts(pairing, records), *_bounds(pairing)).tolist()
    return ratios


def _bounds(pairing: Pairing) -> Bounds:
    if pairing.sprt is None:
        raise ValueError("the match has no SPRT")
    return pairing.sprt


def _counts(pairing: Pairing, records: Sequence[GameRecord]) -> np.ndarray:
    """The five counts of pairs before the first pair and after each."""
    met = {pairing.first, pairing.second}
    points = complete_pairs([record for record in records if {record.black, record.white} == met], pairing.first)
    return np.cumsum([(0,) * 5, *(Pentanomial.of([pair]).counts for pair in points)], axis=0)


def _as_counts(row: np.ndarray) -> Pentanomial:
    a, b, c, d, e = row.tolist()
    return Pentanomial((a, b, c, d, e))


def complete_pairs(records: Sequence[GameRecord], name: str) -> list[float]:
    """A player's points in each pair of games, up to the first that is not complete.

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
    """The complete pairs of a match that is being played, in the order of the schedule.

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


def settled(settings: MatchSettings, records: Sequence[GameRecord]) -> list[GameRecord]:
    """The games by which a match that may still be under way is scored, in the order of the schedule.

    They are those of the complete pairs up to the first that is not complete, for each two players, and all games of
    two players about whom SPRT has decided. Of a match that is over they are all its games.
    """
    played, pairs = latest(records), PairsInOrder()
    complete = {record.number for late in played for pair in pairs.add(late) for record in pair}
    decided = {
        index
        for index, pairing in enumerate(settings.meetings())
        if pairing.sprt is not None and pairing_decision(pairing, played).decision != "continue"
    }
    return [record for record in played if record.number in complete or record.pairing in decided]
