"""The sequential test of a match over its games, pair after pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count

import numpy as np

from kikashi.lab.match_settings import MatchSettings
from kikashi.lab.one_game import GameRecord
from kikashi.lab.statistics import Pentanomial, Sprt, log_likelihood_ratios, sprt


def latest(records: Iterable[GameRecord]) -> list[GameRecord]:
    """The games in the order of the schedule; of one that was played again only the last time."""
    return sorted({record.number: record for record in records}.values(), key=lambda record: record.number)


def decision_of(settings: MatchSettings, records: Sequence[GameRecord]) -> Sprt:
    """What SPRT says about the first player against the second, pair after pair in the order of the schedule.

    It looks no further than to the first pair that is not complete, and what it has once decided stays: neither the
    order in which games happen to end nor those that were still under way change it.
    """
    if settings.sprt is None:
        raise ValueError("the match has no SPRT")
    so_far = _counts(settings, records)
    found = sprt(_as_counts(so_far[-1]), *settings.sprt)
    ratios = log_likelihood_ratios(so_far, *settings.sprt)
    decided = np.flatnonzero((ratios <= found.lower) | (ratios >= found.upper))
    return sprt(_as_counts(so_far[decided[0]]), *settings.sprt) if decided.size else found


def course_of(settings: MatchSettings, records: Sequence[GameRecord]) -> list[float]:
    """The log-likelihood ratio before the first pair and after each. Raises ValueError if the match has no SPRT."""
    if settings.sprt is None:
        raise ValueError("the match has no SPRT")
    ratios: list[float] = log_likelihood_ratios(_counts(settings, records), *settings.sprt).tolist()
    return ratios


def _counts(settings: MatchSettings, records: Sequence[GameRecord]) -> np.ndarray:
    """The five counts of pairs before the first pair and after each."""
    points = complete_pairs(records, settings.names[0])
    return np.cumsum([(0,) * 5, *(Pentanomial.of([pair]).counts for pair in points)], axis=0)


def _as_counts(row: np.ndarray) -> Pentanomial:
    a, b, c, d, e = row.tolist()
    return Pentanomial((a, b, c, d, e))


def complete_pairs(records: Sequence[GameRecord], name: str) -> list[float]:
    """A player's points in each pair of games, up to the first that is not complete.

    A pair with a game that could not begin counts for nobody.
    """
    pairs: dict[int, list[GameRecord]] = {}
    for record in latest(records):
        pairs.setdefault(record.pair, []).append(record)
    found: list[float] = []
    for number in count():
        pair = pairs.get(number, [])
        if len(pair) < 2:
            return found
        if not any(record.is_void for record in pair):
            found.append(sum(record.points(name) for record in pair))
    return found
