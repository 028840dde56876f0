"""Sequential tests of matches: SPRT by the results of game pairs, and a p-value that is valid at any time."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kikashi.stats.intervals import Interval, check_confidence, check_score, expected

Numbers = NDArray[np.float64]

PAIR_SHARES = np.array([0, 0.25, 0.5, 0.75, 1])
"""A's share of a pair of games, for each of the five results."""
EMPTY_CELL = 1e-3
"""Count of a result that never occurred, as in fishtest: 0 would make it impossible."""
BISECTIONS = 60
Decision = Literal["H0", "H1", "continue"]


@dataclass(frozen=True)
class Pentanomial:
    """Numbers of game pairs, colours exchanged, that gave A 0, 1/2, 1, 3/2 and 2 points.

    The games of a pair share their opening and so depend on each other: pairs are counted, not games. Raises
    ValueError unless there are five counts of at least 0.
    """

    counts: tuple[int, int, int, int, int]

    def __post_init__(self) -> None:
        if len(self.counts) != 5 or not all(0 <= count < math.inf for count in self.counts):
            raise ValueError(f"the results of pairs are five counts of at least 0, not {self.counts}")

    @classmethod
    def of(cls, points: Iterable[float]) -> "Pentanomial":
        """Count A's points in each pair. Raises ValueError if these are not 0, 1/2, 1, 3/2 or 2.

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
        """Number of pairs."""
        return sum(self.counts)


@dataclass(frozen=True)
class Sprt:
    """State of a sequential test: H1 is accepted at the upper bound, H0 at the lower."""

    llr: float
    lower: float
    upper: float
    decision: Decision
    elo0: float = 0.0
    elo1: float = 0.0
    pairs: int = 0
    """Pairs of games that were tested."""


def sprt(counts: Pentanomial, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> Sprt:
    """Run Wald's (1945) test of H0, A is elo0 stronger, against H1, it is elo1 stronger.

    Alpha is nearly the chance to accept H1 where H0 holds, beta that of the opposite error. Raises ValueError unless
    elo0 < elo1, both finite, and alpha and beta are positive with a sum below 1.

    >>> sprt(Pentanomial((10, 10, 40, 30, 40)), elo0=0, elo1=50).decision
    'H1'
    """
    if not (alpha > 0 and beta > 0 and alpha + beta < 1):
        raise ValueError(f"alpha and beta must be positive with a sum below 1, not {alpha} and {beta}")
    lower, upper = math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)
    llr = float(log_likelihood_ratios(np.array([counts.counts]), elo0, elo1)[0])
    decision: Decision = "H1" if llr >= upper else "H0" if llr <= lower else "continue"
    return Sprt(llr, lower, upper, decision, elo0, elo1, counts.pairs)


def log_likelihood_ratios(counts: NDArray[np.integer] | Numbers, elo0: float, elo1: float) -> Numbers:
    """Return the log-likelihood ratio of elo1 over elo0 for each row of five counts; 0 for a row of zeros.

    This is the generalised ratio of fishtest's LLRcalc.py: under each hypothesis the five chances are the most likely
    ones with its mean (Van den Bergh, support_MLE_multinomial.pdf, proposition 1.1). Raises ValueError unless
    elo0 < elo1, both finite, and the rows are five counts of at least 0.
    """
    share0, share1 = expected(elo0), expected(elo1)
    if not 0 < share0 < share1 < 1:
        raise ValueError(f"elo0 must be less than elo1 and both be finite, not {elo0} and {elo1}")
    seen = np.asarray(counts, dtype=np.float64)
    if seen.ndim != 2 or seen.shape[1] != 5 or not np.all((seen >= 0) & (seen < np.inf)):
        raise ValueError("the results of pairs are rows of five counts of at least 0")
    filled = np.where(seen == 0, EMPTY_CELL, seen)
    ratios = _log_likelihood_loss(filled, share0) - _log_likelihood_loss(filled, share1)
    return np.where(seen.any(axis=1), ratios, 0.0)


def _log_likelihood_loss(counts: Numbers, mean: float) -> Numbers:
    """Return by how much a given mean share lowers the best log-likelihood of each row.

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


# --- tests valid at any time ------------------------------------------------------------------------------------------


def always_valid_p(points: float, games: float, share: float = 0.5) -> float:
    """Return the two-sided p-value of a share of points; one may look after every pair of games, and stop at will.

    It is the inverse of the mean likelihood ratio of all shares from 0 to 1 over `share`, a supermartingale where
    `share` holds: the chance that it ever falls below a bound is at most that bound (Ville 1939, Robbins 1970). With
    colours exchanged in pairs an advantage of one colour only makes it smaller. Raises ValueError unless the share is
    between 0 and 1, and the points are from 0 to the number of games.

    >>> round(always_valid_p(30, 40), 3), always_valid_p(0, 0)
    (0.032, 1.0)
    """
    check_score(points, games)
    if not 0 < share < 1:
        raise ValueError(f"a share is between 0 and 1, not {share}")
    mean = math.lgamma(points + 1) + math.lgamma(games - points + 1) - math.lgamma(games + 2)
    return math.exp(min(0.0, points * math.log(share) + (games - points) * math.log1p(-share) - mean))


def always_valid_interval(points: float, games: float, confidence: float = 0.95) -> Interval:
    """Return the shares that `always_valid_p` does not reject, wherever one stops. Raises ValueError.

    >>> interval = always_valid_interval(30, 40)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.512, 0.914)
    """
    check_score(points, games)
    check_confidence(confidence)
    if games == 0:
        return Interval(0.0, 1.0)
    bounds = []
    for end in (0.0, 1.0):
        outside, inside = end, points / games
        for _ in range(BISECTIONS):
            middle = (outside + inside) / 2
            is_inside = 0 < middle < 1 and always_valid_p(points, games, middle) > 1 - confidence
            outside, inside = (outside, middle) if is_inside else (middle, inside)
        bounds.append(outside)
    return Interval(*bounds)
