"""Simultaneous perturbation, SPSA (Spall 1992): the optimiser of a tuning.

In each trial every number is moved up for one player and down for the other, at random, and the numbers move a little
towards those of the winner. So two players give information about every number at once. The gains fall as in Spall
(1998) and in the tuning of chess programs. Their size follows from the number of games and the expected worth of a
setting, so that users need not choose it. The result is the mean over the later half of all states (Polyak and Juditsky
1992), since the last one has the noise of the last games.

Words have preferences and are drawn by their softmax; a win raises the preference of its word and lowers that of the
other (a gradient bandit, Sutton and Barto 2018, section 2.8).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from kikashi.stats.intervals import ELO_PER_NAT
from kikashi.tune.tuning import Tuning, Value, Values

Numbers = NDArray[np.float64]
ALPHA = 0.602
"""Exponent by which gains fall with the number of trials."""
STABILITY = 0.1
"""Fraction of the trials during which gains hardly fall."""
FOLDS = 3.0
"""The distance to the best values falls by e to this power, if settings are worth as much as expected."""
MAX_NOISE = 0.25
"""Standard deviation at most, in ranges, of a number under random results: with few games the steps are shorter."""
MAX_WORD_NOISE = 0.75
"""The same of preferences."""


@dataclass(frozen=True)
class Trial:
    """Two sets of values to compare."""

    number: int
    first: Values
    second: Values


@dataclass(frozen=True)
class Outcome:
    trial: Trial
    result: float | None
    """Advantage of the first values, None if a game is void: half the difference of points in a pair of games with each
    other, or the difference of points in two pairs against an opponent."""


@dataclass(frozen=True)
class SpsaMean:
    """The mean state of the later half."""

    mean: Numbers
    noise: Numbers
    """Standard deviation of this mean if settings change nothing and results are random."""


class Spsa:
    """The optimiser. A trial follows from the tuning, its number and the outcomes before it."""

    def __init__(self, tuning: Tuning) -> None:
        """Raises ValueError if a start value is unknown."""
        self._seed, self.parameters = tuning.seed, tuning.parameter
        sizes = [max(1, len(parameter.words)) for parameter in self.parameters]
        self.slices = [slice(end - size, end) for end, size in zip(accumulate(sizes), sizes, strict=True)]
        """The part of a state of each parameter: its place, or the preferences of its words."""
        start = [0.0 if p.words else p.place(p.first) for p in self.parameters]
        self._is_number = np.repeat([not p.words for p in self.parameters], sizes)
        self._states = [np.repeat(start, sizes)]
        self._steps: list[Numbers] = []
        trials = np.arange(tuning.trials)
        fall = (1 + trials / (1 + STABILITY * tuning.trials)) ** -ALPHA
        self._reach = tuning.step * (tuning.last_step / tuning.step) ** (trials / tuning.trials)
        # A result is reach * slope on average, so a step gain * reach² * slope. Strength is taken for a parabola which
        # falls by what is expected in half a range; its slope then is this bend times the distance from the best.
        bend = 8 * tuning.expected / ELO_PER_NAT
        # Half of the pairs of games end with a point each; against opponents there is twice the chance in a result.
        varied = 1.0 if tuning.opponents else 0.5
        self._gain = FOLDS * fall / (bend * np.sum(fall * self._reach**2))
        self._gain *= min(1.0, MAX_NOISE / np.sqrt(varied * np.sum((self._gain * self._reach) ** 2)))
        # Where one of two words is better by what is expected, half of the trials compare them; of more words, fewer.
        self._word_gain = 2 * FOLDS * fall / (tuning.expected / ELO_PER_NAT * np.sum(fall))
        self._word_gain *= min(1.0, MAX_WORD_NOISE / np.sqrt(varied / 2 * np.sum(self._word_gain**2)))

    def propose(self, number: int, outcomes: Sequence[Outcome]) -> Trial:
        """Return a trial, given the outcomes of the first trials."""
        random = np.random.default_rng([self._seed, number])
        self._update(outcomes)
        first, second = {}, {}
        for parameter, where in zip(self.parameters, self.slices, strict=True):
            state, values = self._states[len(outcomes)][where], list[Value]()
            if parameter.words:
                values += [parameter.words[k] for k in random.choice(state.size, 2, p=softmax(state))]
            else:
                away, dither = self._reach[number] * random.choice([-1.0, 1.0]), random.random()
                values += [parameter.value(float(state[0]) + side, dither) for side in (away, -away)]
            first[parameter.setting], second[parameter.setting] = values
        return Trial(number, first, second)

    def mean(self, outcomes: Sequence[Outcome]) -> SpsaMean:
        """Return the mean state after the outcomes of the first trials."""
        self._update(outcomes)
        count, half = len(outcomes), len(outcomes) // 2
        mean = np.mean(self._states[half : count + 1], axis=0)
        steps = np.array(self._steps[:count]).reshape(count, mean.size)
        weights = (count - np.maximum(np.arange(count), half - 1)) / (count - half + 1)
        return SpsaMean(mean, np.sqrt(np.sum((steps * weights[:, None]) ** 2, axis=0)))

    def _update(self, outcomes: Sequence[Outcome]) -> None:
        """Add the states after outcomes that are new."""
        for outcome in outcomes[len(self._steps) :]:
            step = self._step(outcome)
            state = self._states[-1] + step
            self._steps.append(step)
            self._states.append(np.where(self._is_number, np.clip(state, 0.0, 1.0), state))

    def _step(self, outcome: Outcome) -> Numbers:
        """Return the step of an outcome: towards the values that won, by their distance from the others."""
        trial, result = outcome.trial, outcome.result or 0.0
        step = np.zeros(self._is_number.size)
        for parameter, where in zip(self.parameters, self.slices, strict=True):
            first, second = trial.first[parameter.setting], trial.second[parameter.setting]
            if parameter.words:
                signs = np.array([(word == first) - int(word == second) for word in parameter.words])
                step[where] = self._word_gain[trial.number] * len(signs) / 2 * result * signs
            else:
                apart = parameter.place(first) - parameter.place(second)
                step[where] = self._gain[trial.number] * result * apart / 2
        return step


def softmax(preferences: Numbers) -> Numbers:
    """Return the probability of each word."""
    odds = np.exp(preferences - preferences.max())
    found: Numbers = odds / odds.sum()
    return found
