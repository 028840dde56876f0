"""Confidence intervals and tests of match scores.

A draw counts half a point; a share is points per game. Elo is logistic: 400 points are odds of ten to one.
"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from statistics import NormalDist

ELO_PER_NAT = 400 / math.log(10)
"""Elo points of one unit of log odds."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval of a share."""

    low: float
    high: float


@dataclass(frozen=True)
class EloEstimate:
    """A difference in Elo with its confidence interval."""

    elo: float
    low: float
    high: float


def wilson(score: float, games: float, confidence: float = 0.95) -> Interval:
    """Return the score interval of Wilson (1927) for the share; (0, 1) if there are no games.

    It is made for wins and losses. Draws vary less, so with them it is wider than necessary. Raises ValueError unless
    the score is from 0 to the number of games.

    >>> interval = wilson(89, 100)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.814, 0.937)
    """
    check_score(score, games)
    check_confidence(confidence)
    if games == 0:
        return Interval(0.0, 1.0)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return Interval(_wilson_low(score, games, z), 1 - _wilson_low(games - score, games, z))


def _wilson_low(score: float, games: float, z: float) -> float:
    """Return the lower root of (score - games p)² = z² games p (1 - p), written so that it is exactly 0 at 0."""
    middle = score + z * z / 2
    return score * score / (games * (middle + z * math.sqrt(score * (games - score) / games + z * z / 4)))


def expected(elo: float) -> float:
    """Return the expected share of a player who is stronger by `elo`.

    >>> round(expected(191), 2)
    0.75
    """
    odds = 10 ** (-abs(elo) / 400)
    return 1 / (1 + odds) if elo >= 0 else odds / (1 + odds)


def elo(share: float) -> float:
    """Return the Elo difference of a share; infinite at 0 and 1. Raises ValueError outside of them.

    >>> round(elo(0.75))
    191
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share is from 0 to 1, not {share}")
    if share in (0, 1):
        return math.inf if share else -math.inf
    return ELO_PER_NAT * (math.log(share) - math.log1p(-share))


def elo_interval(wins: int, draws: int, losses: int, confidence: float = 0.95) -> EloEstimate:
    """Return the Elo of a match result with its Wilson interval; 0 between the infinities if there are no games.

    Raises ValueError if a count is negative.

    >>> estimate = elo_interval(wins=60, draws=10, losses=30)
    >>> round(estimate.elo), round(estimate.low), round(estimate.high)
    (108, 37, 178)
    """
    if min(wins, draws, losses) < 0:
        raise ValueError(f"counts of games cannot be negative: {wins} wins, {draws} draws, {losses} losses")
    games = wins + draws + losses
    points = wins + draws / 2
    interval = wilson(points, games, confidence)
    return EloEstimate(elo(points / games if games else 0.5), elo(interval.low), elo(interval.high))


def check_score(points: float, games: float) -> None:
    """Raise ValueError unless the points are from 0 to a finite number of games."""
    if not 0 <= points <= games < math.inf:
        raise ValueError(f"points must be from 0 to the number of games, not {points} of {games}")


def check_confidence(confidence: float) -> None:
    """Raise ValueError unless the confidence is between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence is between 0 and 1, not {confidence}")


@dataclass(frozen=True)
class ZTest:
    """A normal test statistic, positive if A did better, and its two-sided p-value."""

    z: float
    p: float


def two_proportions(wins_a: float, games_a: float, wins_b: float, games_b: float) -> ZTest:
    """Test whether the shares of A and B differ: two-sided z-test with pooled variance (Fleiss, 1981, chapter 2).

    Without evidence (a side has no games, or all games of both ended alike) z is 0 and p is 1. Raises ValueError
    unless wins are from 0 to the number of games.

    >>> round(two_proportions(65, 100, 50, 100).p, 3)
    0.032
    """
    check_score(wins_a, games_a)
    check_score(wins_b, games_b)
    wins, games = wins_a + wins_b, games_a + games_b
    if games_a == 0 or games_b == 0 or wins in (0, games):
        return ZTest(0.0, 1.0)
    pooled = wins / games
    error = math.sqrt(pooled * (1 - pooled) * (1 / games_a + 1 / games_b))
    z = (wins_a / games_a - wins_b / games_b) / error
    return ZTest(z, math.erfc(abs(z) / math.sqrt(2)))


def duplicates(move_sequences: Iterable[Iterable[Hashable]]) -> list[tuple[int, ...]]:
    """Return the groups of indices of games that are equal move by move, the earliest first.

    Equal games are one observation, not several.

    >>> duplicates([["E5", "C3"], ["E5", "G7"], ["E5", "C3"]])
    [(0, 2)]
    """
    groups: dict[tuple[Hashable, ...], list[int]] = {}
    for index, moves in enumerate(move_sequences):
        groups.setdefault(tuple(moves), []).append(index)
    return [tuple(group) for group in groups.values() if len(group) > 1]
