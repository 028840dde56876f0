"""Claims of the papers, as data beside the rows of an experiment, and the tests that decide them.

A kind of experiment gives observations by label (`Design.observations`): the points of a player's games, the errors of
an operator. A claim names labels and a test. Its `Effect` is above 0 if the observations agree with the claim, and
`decide` turns the effects of a paper's claims into verdicts.

Games of one player, against a number or against the other player of the claim, are tested at any time
(`kikashi.stats.sequential.always_valid_p`): a run may stop when they decide, and go on later. Two players that met a
third, errors and trends are tested once, at the planned size.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from statistics import NormalDist, fmean, linear_regression, variance
from typing import Annotated, Literal, NamedTuple

import msgspec

from kikashi.match.summary import ALIKE
from kikashi.stats.intervals import two_proportions, wilson
from kikashi.stats.sequential import always_valid_interval, always_valid_p

Observations = Mapping[str, Sequence[float]]
"""By label: ``LGRF-2``, or one of a series by number, ``BASIC, 10,000``."""
Verdict = Literal["reproduced", "contradicted", "same direction, not decided", "not decided", "not run"]
SIGNIFICANCE = 0.05
"""Of all claims of a paper together."""
CONFIDENCE = 0.95
EVEN = 0.5
"""Share of the games of equals."""
AGAINST = " against "
"""Between the names of two players, in the label of the points of the first in their own games."""
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
Within = Annotated[float, msgspec.Meta(gt=0)]


class Effect(NamedTuple):
    """A difference that a claim says is above 0, with its 95 % interval and the two-sided p-value of no difference."""

    value: float
    low: float
    high: float
    p: float
    observations: int
    score: tuple[float, float] | None = None
    """Points of games that are tested at any time, and the share of them that is no difference."""

    def __str__(self) -> str:
        return f"{self.value:+.3g} [{self.low:+.3g}, {self.high:+.3g}], p = {self.p:.2g}"

    @property
    def flipped(self) -> Effect:
        score = self.score and (self.observations - self.score[0], 1 - self.score[1])
        return self._replace(value=-self.value, low=-self.high, high=-self.low, score=score)

    def p_within(self, bound: float) -> float:
        """Return the p-value of a difference of `bound` or more: of the likelier of its two signs, two-sided."""
        if abs(self.value) >= bound:
            return 1.0
        if self.score is not None:
            points, equal = self.score
            shares = [share for share in (equal - bound, equal + bound) if 0 < share < 1]
            return max((always_valid_p(points, self.observations, share) for share in shares), default=0.0)
        errors = {bound - self.value: self.high - self.value, bound + self.value: self.value - self.low}
        return max(_two_sided(room * _Z / error) if error > 0 else 1.0 for room, error in errors.items())


# --- tests ------------------------------------------------------------------------------------------------------------


class Claim(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True, tag_field="test"):
    """A sentence of a paper, with its section."""

    text: str
    where: str

    def effect(self, observations: Observations, *, paired: bool = False) -> Effect | None:
        """Return the effect in the observations; None if some are missing.

        With `paired` the observations of all labels are of the same positions, in the same order.
        """
        raise NotImplementedError

    @property
    def likely_if_weaker(self) -> Verdict | None:
        """A verdict that smaller limits than the paper's make likely, so that it says nothing.

        A claim that a program beats another holds only for the paper's own limits; so does one that it loses.
        """
        return None

    def verdict(self, effect: Effect, p: float) -> Verdict:
        """Return the verdict by an effect and its p-value, corrected for other tests."""
        if p < SIGNIFICANCE:
            return "reproduced" if effect.value > 0 else "contradicted"
        return "same direction, not decided" if effect.value > 0 else "not decided"


class Greater(Claim, frozen=True, kw_only=True, tag="greater"):
    """The mean of one label is above that of another, or above a number.

    A label of a series without its number stands for the whole series: the claim must hold at each number that both
    have, from `since` to `to`, so its effect is the least certain of these (an intersection-union test).
    """

    first: str | float
    second: str | float
    since: int = 0
    to: int | None = None

    @property
    def likely_if_weaker(self) -> Verdict | None:
        if isinstance(self.first, str):
            return None if isinstance(self.second, str) else "contradicted"
        return "reproduced" if self.first == EVEN else None

    def effect(self, observations: Observations, *, paired: bool = False) -> Effect | None:
        if (direct := _direct(observations, self.first, self.second)) is not None:
            return direct
        sides = [_series(observations, side) for side in (self.first, self.second)]
        numbers = set.intersection(*(set(side) for side in sides if isinstance(side, dict)))
        last = math.inf if self.to is None else self.to
        wanted = [number for number in numbers if number == ALONE or self.since <= number <= last]
        effects = []
        for number in wanted:
            first, second = (side[number] if isinstance(side, dict) else side for side in sides)
            if first != [] and second != []:
                effects.append(_difference(first, second, paired))
        worst = min(effects, key=lambda effect: math.copysign(1 - effect.p, effect.value), default=None)
        if worst is None or len(effects) == 1 == len(wanted):
            return worst
        if worst.value < 0:  # the least of several: Bonferroni's correction
            return worst._replace(p=min(1.0, worst.p * len(effects)))
        return worst if len(effects) == len(wanted) else worst._replace(p=1.0)  # the series has just begun


class Alike(Claim, frozen=True, kw_only=True, tag="alike"):
    """No difference was shown. It is reproduced if a difference of `within` or more is rejected.

    Its p-value is that of such a difference, or where nothing speaks against one, that of no difference; twice that,
    for it is the less likely of two.
    """

    first: str
    second: str | float
    within: Within = ALIKE

    @property
    def likely_if_weaker(self) -> Verdict | None:
        return None if isinstance(self.second, str) else "contradicted"

    def effect(self, observations: Observations, *, paired: bool = False) -> Effect | None:
        effect = _direct(observations, self.first, self.second)
        if effect is None:
            sides = [_series(observations, side) for side in (self.first, self.second)]
            pooled = [
                [v for values in side.values() for v in values] if isinstance(side, dict) else side for side in sides
            ]
            if [] in pooled:
                return None
            effect = _difference(pooled[0], pooled[1], paired)
        found = effect.p_within(self.within) if self._is_alike(effect) else effect.p
        return effect._replace(p=min(1.0, 2 * found))

    def _is_alike(self, effect: Effect) -> bool:
        return effect.p_within(self.within) < SIGNIFICANCE

    def verdict(self, effect: Effect, p: float) -> Verdict:
        if p >= SIGNIFICANCE:
            return "not decided"
        return "reproduced" if self._is_alike(effect) else "contradicted"


class Rises(Claim, frozen=True, kw_only=True, tag="rises"):
    """The mean of a series rises with its number: the change over the series, by regression on the logarithm."""

    series: str

    def effect(self, observations: Observations, *, paired: bool = False) -> Effect | None:
        series = _series(observations, self.series)
        known = {n: values for n, values in series.items() if values} if isinstance(series, dict) else {}
        return _trend(known) if len(known) > 1 else None


class Falls(Rises, frozen=True, kw_only=True, tag="falls"):
    def effect(self, observations: Observations, *, paired: bool = False) -> Effect | None:
        effect = super().effect(observations, paired=paired)
        return effect and effect.flipped


AnyClaim = Greater | Alike | Rises | Falls


def decide(claims: Sequence[AnyClaim], effects: Sequence[Effect | None]) -> list[Verdict]:
    """Return the verdicts on claims, with Holm's correction (1979) over those that have an effect."""
    known = sorted((effect.p, place) for place, effect in enumerate(effects) if effect is not None)
    corrected, largest = {}, 0.0
    for rank, (p, place) in enumerate(known):
        corrected[place] = largest = max(largest, min(1.0, p * (len(known) - rank)))
    return [
        "not run" if effect is None else claim.verdict(effect, corrected[place])
        for place, (claim, effect) in enumerate(zip(claims, effects, strict=True))
    ]


def needed_share(claim: AnyClaim, effect: Effect, tests: int) -> float | None:
    """Return how many times as many observations would decide a claim, if the effect is as it seems; None if never."""
    half = (effect.high - effect.low) / 2
    if isinstance(claim, Alike):
        room = claim.within - abs(effect.value)
        return (half / room) ** 2 if room > 0 else None
    wanted = NormalDist().inv_cdf(1 - SIGNIFICANCE / (2 * max(1, tests)))
    z = abs(effect.value) * _Z / half if half else 0.0
    return (wanted / z) ** 2 if z > 0.1 else None


# --- differences ------------------------------------------------------------------------------------------------------

ALONE = 0
"""Number of a label that is no series."""
_OF_SERIES = re.compile(r"(.*?), (\d[\d,]*)")


def _series(observations: Observations, label: str | float) -> dict[int, list[float]] | float:
    """Return the observations of a label, or of a series by number; a number stands for itself."""
    if not isinstance(label, str):
        return float(label)
    if label in observations:
        return {ALONE: list(observations[label])}
    matches = {name: _OF_SERIES.fullmatch(name) for name in observations}
    return {
        int(match[2].replace(",", "")): list(observations[name])
        for name, match in matches.items()
        if match and match[1] == label
    }


def _direct(observations: Observations, first: str | float, second: str | float) -> Effect | None:
    """Return the effect in games of two players against each other; None if there are none."""
    points = observations.get(f"{first}{AGAINST}{second}")
    return _above(points, EVEN) if points else None


def _difference(first: Sequence[float] | float, second: Sequence[float] | float, paired: bool) -> Effect:
    """Return how far the first mean is above the second, or above a number."""
    if isinstance(first, float):
        return _difference(second, first, paired).flipped
    if isinstance(second, float):
        return _above(first, second)
    if paired:
        return _above([a - b for a, b in zip(first, second, strict=True)], 0.0)
    value, count = fmean(first) - fmean(second), len(first) + len(second)
    if _are_scores(first) and _are_scores(second):
        a, b = wilson(sum(first), len(first)), wilson(sum(second), len(second))
        below = math.hypot(fmean(first) - a.low, b.high - fmean(second))  # Newcombe 1998, method 10
        above = math.hypot(a.high - fmean(first), fmean(second) - b.low)
        p = two_proportions(sum(first), len(first), sum(second), len(second)).p
        return Effect(value, value - below, value + above, p, count)
    return _normal(value, math.sqrt(_variance(first) / len(first) + _variance(second) / len(second)), count)


def _above(values: Sequence[float], number: float) -> Effect:
    value = fmean(values) - number
    if _are_scores(values) and 0 < number < 1:
        points, games = sum(values), len(values)
        bounds, p = always_valid_interval(points, games), always_valid_p(points, games, number)
        return Effect(value, bounds.low - number, bounds.high - number, p, games, (points, number))
    return _normal(value, math.sqrt(_variance(values) / len(values)), len(values))


def _trend(series: Mapping[int, Sequence[float]]) -> Effect:
    """Return the change of a series from its first number to its last, by a straight line over their logarithms."""
    points = [(math.log(number), value) for number, values in series.items() for value in values]
    x, y = [at for at, _ in points], [value for _, value in points]
    slope, intercept = linear_regression(x, y)
    rest = sum((value - intercept - slope * at) ** 2 for at, value in points) / max(1, len(points) - 2)
    middle = fmean(x)
    error = math.sqrt(rest / sum((at - middle) ** 2 for at in x))
    span = max(x) - min(x)
    return _normal(slope * span, error * span, len(points))


def _normal(value: float, error: float, count: int) -> Effect:
    if not error > 0:  # too few observations, or all the same: nothing is known about their spread
        return Effect(value, -math.inf, math.inf, 1.0, count)
    p = _two_sided(value / error)
    return Effect(value, value - _Z * error, value + _Z * error, p, count)


def _two_sided(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


def _variance(values: Sequence[float]) -> float:
    return variance(values) if len(values) > 1 else 0.0


def _are_scores(values: Sequence[float]) -> bool:
    """Return whether all values are results of games."""
    return set(values) <= {0.0, 0.5, 1.0}
