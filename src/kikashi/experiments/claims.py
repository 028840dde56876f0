"""Claims of the papers, as data beside the rows of an experiment, and the tests that decide them.

A kind of experiment gives observations by label (`Design.observations`): the points of a player's games, the errors of
an operator. A claim names labels and a test. Its `Effect` is above 0 if the observations agree with the claim, and
`decide` turns the effects of a paper's claims into verdicts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from statistics import NormalDist, fmean, linear_regression, variance
from typing import Annotated, Literal, NamedTuple

import msgspec

from kikashi.stats.intervals import two_proportions, wilson

Observations = Mapping[str, Sequence[float]]
"""By label: ``LGRF-2``, or one of a series by number, ``BASIC, 10,000``."""
Verdict = Literal["reproduced", "contradicted", "same direction, not decided", "not decided", "not run"]
SIGNIFICANCE = 0.05
"""Of all claims of a paper together."""
CONFIDENCE = 0.95
_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
Within = Annotated[float, msgspec.Meta(gt=0)]


class Effect(NamedTuple):
    """A difference that a claim says is above 0, with its 95 % interval and the two-sided p-value of no difference."""

    value: float
    low: float
    high: float
    p: float
    observations: int

    @property
    def flipped(self) -> Effect:
        """The effect of the opposite claim."""
        return self._replace(value=-self.value, low=-self.high, high=-self.low)


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
    def is_absolute(self) -> bool:
        """Whether the claim compares with a number, and so holds only for the paper's own limits."""
        return False

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
    def is_absolute(self) -> bool:
        return not (isinstance(self.first, str) and isinstance(self.second, str))

    def effect(self, observations: Observations, *, paired: bool = False) -> Effect | None:
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
    """No difference was shown. It is reproduced if the interval of the difference is within `within` of 0."""

    first: str
    second: str | float
    within: Within = 0.1

    @property
    def is_absolute(self) -> bool:
        return not isinstance(self.second, str)

    def effect(self, observations: Observations, *, paired: bool = False) -> Effect | None:
        sides = [_series(observations, side) for side in (self.first, self.second)]
        pooled = [[v for values in side.values() for v in values] if isinstance(side, dict) else side for side in sides]
        return None if [] in pooled else _difference(pooled[0], pooled[1], paired)

    def verdict(self, effect: Effect, p: float) -> Verdict:
        if -self.within < effect.low and effect.high < self.within:
            return "reproduced"
        return "contradicted" if p < SIGNIFICANCE else "not decided"


class Rises(Claim, frozen=True, kw_only=True, tag="rises"):
    """The mean of a series rises with its number: the change over the series, by regression on the logarithm."""

    series: str

    def effect(self, observations: Observations, *, paired: bool = False) -> Effect | None:
        series = _series(observations, self.series)
        known = {n: values for n, values in series.items() if values} if isinstance(series, dict) else {}
        return _trend(known) if len(known) > 1 else None


class Falls(Rises, frozen=True, kw_only=True, tag="falls"):
    """The mean of a series falls with its number."""

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
        bounds = wilson(sum(values), len(values))
        p = _two_sided(value / math.sqrt(number * (1 - number) / len(values)))
        return Effect(value, bounds.low - number, bounds.high - number, p, len(values))
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
