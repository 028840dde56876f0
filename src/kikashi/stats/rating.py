"""Ratings of many players from the games between them, with intervals (Bradley and Terry 1952)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kikashi.stats.intervals import ELO_PER_NAT, EloEstimate, check_confidence, check_score, expected

Numbers = NDArray[np.float64]

PRIOR = 1.0
"""Virtual draws of each player beside the real games, spread evenly over all others."""
UNSEEN = 1.0
"""Virtual wins, and virtual losses, of each player in the bootstrap, spread evenly over its opponents."""
TOLERANCE = 1e-8
NEWTON_STEPS = 500


@dataclass(frozen=True)
class Ratings:
    """Elo by name; the mean is 0."""

    elo: Mapping[str, float]

    def expected(self, a: str, b: str) -> float:
        """Return the expected share of A in games with B."""
        return expected(self.elo[a] - self.elo[b])


def bradley_terry(
    names: Sequence[str],
    results: Mapping[tuple[str, str], tuple[float, float]],
    prior: float = PRIOR,
) -> Ratings:
    """Return the most likely ratings (Bradley and Terry, 1952) for results by pairing: A's points, and games.

    A pairing may be given in both directions. The prior draws keep a player who won every game finite, and players
    who never met comparable (compare Bayeselo's prior). Raises ValueError for a name unknown or given twice, for
    points that are not from 0 to the number of games, and for a prior that is not positive.

    >>> ratings = bradley_terry(["a", "b", "c"], {("a", "b"): (7, 10), ("b", "c"): (6, 10)})
    >>> {name: round(elo) for name, elo in ratings.elo.items()}
    {'a': 106, 'b': -24, 'c': -82}
    >>> round(ratings.expected("a", "c"), 2)
    0.75
    """
    index = _checked_index(names)
    points = np.zeros((1, len(names), len(names)))
    for (a, b), (points_of_a, games) in results.items():
        check_score(points_of_a, games)
        i, j = _checked_pairing(index, a, b)
        points[0, i, j] += points_of_a
        points[0, j, i] += games - points_of_a
    ratings = _centred(_fit(points, prior))[0]
    return Ratings(dict(zip(names, ratings.tolist(), strict=True)))


def bootstrap(
    names: Sequence[str],
    games: Iterable[tuple[str, str, float, int]],
    samples: int = 1000,
    seed: int = 1,
    confidence: float = 0.95,
) -> dict[str, EloEstimate]:
    """Return the ratings of `bradley_terry` with percentile intervals (Rubin, The Bayesian bootstrap, 1981).

    An item of games is a group that depends on each other, such as a pair: A, B, A's points, number of games. Each
    sample weights the items of a pairing anew, with two virtual ones, a win of either side (Laplace's rule of
    succession): else nothing would vary where all items ended alike. The virtual items count once for a player, not
    once for a pairing, or many lopsided pairings would draw their players to the middle. A player who won every point
    has no upper bound, one who won none no lower bound. The same seed gives the same intervals. Raises ValueError as
    `bradley_terry` does, for less than one sample, and for a confidence not between 0 and 1.

    >>> pairs = [("a", "b", 1.5, 2)] * 10 + [("a", "b", 0.0, 2)] * 3
    >>> estimate = bootstrap(["a", "b"], pairs)["a"]
    >>> estimate.low < estimate.elo < estimate.high
    True
    """
    if samples < 1:
        raise ValueError(f"a bootstrap needs at least one sample, not {samples}")
    check_confidence(confidence)
    tails = (1 - confidence) / 2
    index = _checked_index(names)
    points = np.zeros((1 + samples, len(names), len(names)))
    rng = np.random.default_rng(seed)
    by_pairing = _outcomes_by_pairing(index, games)
    opponents = Counter(player for pairing in by_pairing for player in pairing)
    for (i, j), outcomes in by_pairing.items():
        most = max(sum(points_of_both) for points_of_both in outcomes)
        extremes = ((most, 0.0), (0.0, most))
        kinds = list(dict.fromkeys([*outcomes, *extremes]))
        seen = np.array([outcomes[kind] for kind in kinds])
        unseen = UNSEEN * (1 / opponents[i] + 1 / opponents[j]) / 2
        weights = seen + unseen * np.array([kind in extremes for kind in kinds])
        drawn = seen.sum() * rng.dirichlet(weights, size=samples)
        points[:, [i, j], [j, i]] = np.vstack([seen, drawn]) @ np.array(kinds)
    ratings = _centred(_fit(points, PRIOR))
    low, high = np.quantile(ratings[1:], [tails, 1 - tails], axis=0)
    won, lost = points[0].sum(axis=1), points[0].sum(axis=0)
    low[won == 0], high[lost == 0] = -math.inf, math.inf
    return {name: EloEstimate(float(ratings[0, i]), float(low[i]), float(high[i])) for name, i in index.items()}


def connected_groups(names: Sequence[str], pairings: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of players without a game between them: one group if all ratings can be compared."""
    group = {name: {name} for name in names}
    for a, b in pairings:
        if group[a] is not group[b]:
            group[a] |= group[b]
            for name in group[b]:
                group[name] = group[a]
    return list({id(members): [name for name in names if name in members] for members in group.values()}.values())


def _outcomes_by_pairing(
    index: Mapping[str, int], games: Iterable[tuple[str, str, float, int]]
) -> dict[tuple[int, int], Counter[tuple[float, float]]]:
    """Count the points of both players for each pairing, the first of the names first."""
    outcomes: dict[tuple[int, int], Counter[tuple[float, float]]] = {}
    for a, b, points_of_a, count in games:
        i, j = _checked_pairing(index, a, b)
        check_score(points_of_a, count)
        points = {i: points_of_a, j: count - points_of_a}
        first, second = sorted(points)
        outcomes.setdefault((first, second), Counter())[points[first], points[second]] += 1
    return outcomes


def _fit(points: Numbers, prior: float) -> Numbers:
    """Return the most likely strengths, in log odds, for each table of points [sample, player, opponent].

    Newton's method, each step cut to ln(1 + r) / r of it, r being the most that it changes a difference: curvature
    grows at most e^r-fold on the way, so no step goes too far (Sun and Tran-Dinh, Generalized self-concordant
    functions, 2019). The last player stays at 0.
    """
    if not 0 < prior < math.inf:
        raise ValueError(f"the prior must be positive, not {prior}")
    samples, players, _ = points.shape
    points = points + prior / 2 / max(1, players - 1) * (1 - np.eye(players))
    games = points + points.transpose(0, 2, 1)
    strength, step = np.zeros((samples, players)), np.zeros((samples, players))
    for _ in range(NEWTON_STEPS):
        share = 1 / (1 + np.exp(strength[:, None, :] - strength[:, :, None]))
        surprise = points * share.transpose(0, 2, 1)
        slope = np.sum(surprise - surprise.transpose(0, 2, 1), axis=2)
        certainty = games * share * share.transpose(0, 2, 1)
        curvature = np.sum(certainty, axis=2)[:, :, None] * np.eye(players) - certainty
        step[:, :-1] = np.linalg.solve(curvature[:, :-1, :-1], slope[:, :-1, None])[:, :, 0]
        reach = np.ptp(step, axis=1, keepdims=True)
        strength += step * (np.log1p(reach) / np.maximum(reach, np.finfo(np.float64).tiny))
        if reach.max() <= TOLERANCE:
            return strength
    raise ArithmeticError("the ratings do not settle")


def _centred(strength: Numbers) -> Numbers:
    """Convert strengths to Elo, relative to their mean."""
    mean: Numbers = strength.mean(axis=1, keepdims=True)
    return ELO_PER_NAT * (strength - mean)


def _checked_index(names: Sequence[str]) -> dict[str, int]:
    index = {name: i for i, name in enumerate(names)}
    if not names or len(index) < len(names):
        raise ValueError(f"ratings need at least one name and none twice, not {', '.join(names) or 'none'}")
    return index


def _checked_pairing(index: Mapping[str, int], a: str, b: str) -> tuple[int, int]:
    if a == b or a not in index or b not in index:
        raise ValueError(f"a game needs two of {', '.join(index)}, not {a} and {b}")
    return index[a], index[b]
