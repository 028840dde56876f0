"""What the results of games say about strength, and how sure it is.

A draw counts half a point; a share is points per game. Reading order: one score (`wilson`, `elo_interval`), two of
them (`two_proportions`), a match that stops when it has said enough (`Pentanomial`, `sprt`), and a check that games
differ at all (`duplicates`). Tables of many players are in `kikashi.stats.rating`.

Elo is logistic: 400 points are odds of ten to one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

ELO_PER_NAT = 400 / math.log(10)
"""Elo points of one unit of log odds."""


# --- one score --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Interval:
    """Where the true share lies, at some confidence."""

    low: float
    high: float


@dataclass(frozen=True)
class EloEstimate:
    """A difference in Elo, and where the true one lies at some confidence."""

    elo: float
    low: float
    high: float


def wilson(score: float, games: float, confidence: float = 0.95) -> Interval:
    """The score interval of Wilson (1927) for the share; (0, 1) if there are no games.

    Made for wins and losses; draws vary less, so with them it is wider than it need be. Raises ValueError unless the
    score is from 0 to the number of games.

    >>> found = wilson(89, 100)
    >>> round(found.low, 3), round(found.high, 3)
    (0.814, 0.937)
    """
    check_score(score, games)
    z = NormalDist().inv_cdf((1 + checked_confidence(confidence)) / 2)
    if games == 0:
        return Interval(0.0, 1.0)
    return Interval(_wilson_low(score, games, z), 1 - _wilson_low(games - score, games, z))


def _wilson_low(score: float, games: float, z: float) -> float:
    """The lower root of (score - games p)² = z² games p (1 - p), as the one over the upper: it is exactly 0 at 0."""
    middle = score + z * z / 2
    return score * score / (games * (middle + z * math.sqrt(score * (games - score) / games + z * z / 4)))


def expected(elo: float) -> float:
    """The share of the points that a player stronger by `elo` is expected to take.

    >>> round(expected(191), 2)
    0.75
    """
    odds = 10 ** (-abs(elo) / 400)
    return 1 / (1 + odds) if elo >= 0 else odds / (1 + odds)


def elo(share: float) -> float:
    """How much stronger a player with that share is; infinite at 0 and 1. Raises ValueError outside of them.

    >>> round(elo(0.75))
    191
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share is from 0 to 1, not {share}")
    if share in (0, 1):
        return math.inf if share else -math.inf
    return ELO_PER_NAT * (math.log(share) - math.log1p(-share))


def elo_interval(wins: int, draws: int, losses: int, confidence: float = 0.95) -> EloEstimate:
    """The Elo of a match result, with the Wilson interval in Elo; 0 between the infinities if there are no games.

    Raises ValueError if a count is negative.

    >>> found = elo_interval(wins=60, draws=10, losses=30)
    >>> round(found.elo), round(found.low), round(found.high)
    (108, 37, 178)
    """
    if min(wins, draws, losses) < 0:
        raise ValueError(f"counts of games cannot be negative: {wins} wins, {draws} draws, {losses} losses")
    games = wins + draws + losses
    points = wins + draws / 2
    interval = wilson(points, games, confidence)
    return EloEstimate(elo(points / games if games else 0.5), elo(interval.low), elo(interval.high))


def check_score(points: float, games: float) -> None:
    if not 0 <= points <= games < math.inf:
        raise ValueError(f"points must be from 0 to the number of games, not {points} of {games}")


def checked_confidence(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence is between 0 and 1, not {confidence}")
    return confidence


# --- two scores -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ZTest:
    """A normal test statistic, positive if A did better, and the chance of one as far from 0 if nothing differs."""

    z: float
    p: float


def two_proportions(wins_a: float, games_a: float, wins_b: float, games_b: float) -> ZTest:
    """The two-sided z-test with pooled variance of whether A's and B's shares differ (Fleiss, 1981, chapter 2).

    Where the games cannot tell (a side has none, or every one of both sides ended alike) z is 0 and p is 1. Raises
    ValueError unless wins are from 0 to the number of games.

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


# --- a match that stops by itself -------------------------------------------------------------------------------------

PAIR_SHARES = np.array([0, 0.25, 0.5, 0.75, 1])
"""A's share of a pair of games, for each of the five results."""

EMPTY_CELL = 1e-3
"""The count given to a result that never came, as fishtest does: else it would be held to be impossible."""

BISECTIONS = 60


@dataclass(frozen=True)
class Pentanomial:
    """How many pairs of games, colours exchanged, gave A 0, 1/2, 1, 3/2 and 2 points.

    The games of a pair share their opening and so depend on each other: pairs are counted, not games. Raises
    ValueError unless there are five counts of at least 0.
    """

    counts: tuple[int, int, int, int, int]

    def __post_init__(self) -> None:
        if len(self.counts) != 5 or not all(0 <= count < math.inf for count in self.counts):
            raise ValueError(f"the results of pairs are five counts of at least 0, not {self.counts}")

    @classmethod
    def of(cls, points: Iterable[float]) -> Pentanomial:
        """The counts of A's points in each pair. Raises ValueError if these are not 0, 1/2, 1, 3/2 or 2.

        >>> Pentanomial.of([2, 1, 1, 0.5])
        Pentanomial(counts=(0, 1, 2, 0, 1))
        """
        counts = [0] * 5
        for pair in points:
            if pair not in (0, 0.5, 1, 1.5, 2):
                raise ValueError(f"a pair of games gives 0, 1/2, 1, 3/2 or 2 points, not {pair}")
            counts[int(2 * pair)] += 1
        return cls((counts[0], counts[1], counts[2], counts[3], counts[4]))

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return sum(self.counts)


@dataclass(frozen=True)
class Sprt:
    """Where a sequential test stands: H1 is accepted at the upper bound, H0 at the lower."""

    llr: float
    lower: float
    upper: float
    decision: Literal["H0", "H1", "continue"]
    elo0: float = 0.0
    """What H0 says, and H1: how much stronger the first is."""
    elo1: float = 0.0


def sprt(counts: Pentanomial, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> Sprt:
    """Wald's (1945) test of H0, A is elo0 stronger, against H1, it is elo1 stronger; elo0 < elo1.

    Alpha is the chance to accept H1 where H0 holds, beta the chance of the other mistake, both nearly. Raises
    ValueError unless elo0 < elo1, both finite, and alpha and beta are positive with a sum below 1.

    >>> sprt(Pentanomial((10, 10, 40, 30, 40)), elo0=0, elo1=50).decision
    'H1'
    """
    if not (alpha > 0 and beta > 0 and alpha + beta < 1):
        raise ValueError(f"alpha and beta must be positive with a sum below 1, not {alpha} and {beta}")
    lower, upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
    llr = float(log_likelihood_ratios(np.array([counts.counts]), elo0, elo1)[0])
    if llr >= upper:
        return Sprt(llr, lower, upper, "H1", elo0, elo1)
    return Sprt(llr, lower, upper, "H0" if llr <= lower else "continue", elo0, elo1)


def log_likelihood_ratios(counts: NDArray[np.integer] | Numbers, elo0: float, elo1: float) -> Numbers:
    """The log of how much likelier elo1 makes each row of five counts than elo0 does; 0 for a row of none.

    The generalised ratio of fishtest's LLRcalc.py: under each hypothesis the five chances are the most likely ones
    with the mean that it asks for (Van den Bergh, support_MLE_multinomial.pdf, proposition 1.1). Raises ValueError
    unless elo0 < elo1, both finite, and the rows are five counts of at least 0.
    """
    share0, share1 = expected(elo0), expected(elo1)
    if not 0 < share0 < share1 < 1:
        raise ValueError(f"elo0 must be less than elo1 and both be finite, not {elo0} and {elo1}")
    seen = np.asarray(counts, dtype=np.float64)
    if seen.ndim != 2 or seen.shape[1] != 5 or not np.all((seen >= 0) & (seen < np.inf)):
        raise ValueError("the results of pairs are rows of five counts of at least 0")
    filled = np.where(seen == 0, EMPTY_CELL, seen)
    ratios = _loss_by_mean(filled, share0) - _loss_by_mean(filled, share1)
    return np.where(seen.any(axis=1), ratios, 0.0)


def _loss_by_mean(counts: Numbers, mean: float) -> Numbers:
    """The log of how much less likely each row's counts are with that mean share than with the observed one.

    The most likely chances with that mean are the observed ones divided by 1 + x (share - mean), x being Lagrange's
    multiplier (Owen, Empirical Likelihood, 2001, chapter 2). It maximises the loss, which is concave in it. Bisection
    finds it as t = mean + x mean (1 - mean), which is from 0 to 1 and makes the divisors sums of positive terms.
    """
    at_0, at_1 = (1 - PAIR_SHARES) / (1 - mean), PAIR_SHARES / mean
    low, high = np.zeros((len(counts), 1)), np.ones((len(counts), 1))
    for _ in range(BISECTIONS):
        t = (low + high) / 2
        slope = np.sum(counts * (at_1 - at_0) / ((1 - t) * at_0 + t * at_1), axis=1, keepdims=True)
        low, high = np.where(slope > 0, t, low), np.where(slope > 0, high, t)
    loss: Numbers = np.sum(counts * np.log((1 - t) * at_0 + t * at_1), axis=1)
    return loss


# --- the games themselves ---------------------------------------------------------------------------------------------


def duplicates(move_sequences: Iterable[Iterable[Hashable]]) -> list[tuple[int, ...]]:
    """Groups of indexes, two or more, of games that are the same move by move; the earliest first.

    >>> duplicates([["E5", "C3"], ["E5", "G7"], ["E5", "C3"]])
    [(0, 2)]
    """
    groups: dict[tuple[Hashable, ...], list[int]] = {}
    for index, moves in enumerate(move_sequences):
        groups.setdefault(tuple(moves), []).append(index)
    return [tuple(group) for group in groups.values() if len(group) > 1]
