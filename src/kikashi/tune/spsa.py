"""Which values meet next, and what follows from their games: simultaneous perturbation, SPSA (Spall 1992).

Numbers walk through their ranges. In each trial every number is moved up for one player and down for the other, at
random; whoever wins pulls the numbers a little towards its own. So two players tell something about every number at
once. The gains fall as Spall (1998) advises and chess programs tune by; how long the strides are follows from the
number of games and from what a setting is expected to be worth, so that nobody has to choose it. What was found is the
mean over the later half of the walk (Polyak and Juditsky 1992), as the last place has the noise of the last games.

Words have preferences and are drawn by them, more often the more they are preferred; whoever wins makes its word
preferred and the other's less (a gradient bandit, Sutton and Barto 2018, section 2.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from kikashi.stats.intervals import ELO_PER_NAT
from kikashi.tune.space import Value, Values
from kikashi.tune.tuning import Tuning

Numbers = NDArray[np.float64]
ALPHA = 0.602
"""How gains fall: the power of the number of trials."""
STABILITY = 0.1
"""The share of all trials during which gains hardly fall."""
FOLDS = 3.0
"""By so many times e the walk gets closer to the best values, if settings are worth what is expected of them."""
MOST_CHANCE = 0.25
"""The standard deviation, in ranges, by which results that are only chance may carry a number, and no further: with few
games strides are shorter, and what is found is closer to the start."""
MOST_CHANCE_OF_WORDS = 0.75
"""The same of preferences."""


@dataclass(frozen=True)
class Trial:
    """Values that are compared by games."""

    number: int
    first: Values
    second: Values


@dataclass(frozen=True)
class Outcome:
    """A trial that was played."""

    trial: Trial
    result: float | None
    """What the first won more than the second: half the difference of their points in a pair of games with each other,
    or the difference of their points in a pair with an opponent each. None if a game counts for nobody."""


@dataclass(frozen=True)
class Course:
    """Where a walk is by now."""

    mean: Numbers
    """Over its later half."""
    chance: Numbers
    """The standard deviation that this mean has where settings change nothing, and results are only chance."""


class Walk:
    """A walk through a space. What it asks for follows from the tuning, the number of the trial and what it is told."""

    def __init__(self, tuning: Tuning) -> None:
        """Raises ValueError if the tuning has no space."""
        self._seed, self.space = tuning.seed, tuning.space
        sizes = [max(1, len(parameter.words)) for parameter in self.space.parameters]
        self.slices = [slice(end - size, end) for end, size in zip(accumulate(sizes), sizes, strict=True)]
        """Of each parameter: its place, or the preferences of its words."""
        start = [0.0 if p.words else p.place(p.first) for p in self.space.parameters]
        self._is_number = np.repeat([not p.words for p in self.space.parameters], sizes)
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
        self._gain *= min(1.0, MOST_CHANCE / np.sqrt(varied * np.sum((self._gain * self._reach) ** 2)))
        # Where one of two words is better by what is expected, half of the trials compare them; of more words, fewer.
        self._word_gain = 2 * FOLDS * fall / (tuning.expected / ELO_PER_NAT * np.sum(fall))
        self._word_gain *= min(1.0, MOST_CHANCE_OF_WORDS / np.sqrt(varied / 2 * np.sum(self._word_gain**2)))

    def ask(self, number: int, outcomes: Sequence[Outcome]) -> Trial:
        """A trial, by these outcomes of the first trials."""
        random = np.random.default_rng([self._seed, number])
        self._go(outcomes)
        first, second = {}, {}
        for parameter, where in zip(self.space.parameters, self.slices, strict=True):
            state, values = self._states[len(outcomes)][where], list[Value]()
            if parameter.words:
                values += [parameter.words[k] for k in random.choice(state.size, 2, p=shares(state))]
            else:
                away, dither = self._reach[number] * random.choice([-1.0, 1.0]), random.random()
                values += [parameter.value(float(state[0]) + side, dither) for side in (away, -away)]
            first[parameter.setting], second[parameter.setting] = values
        return Trial(number, first, second)

    def course(self, outcomes: Sequence[Outcome]) -> Course:
        """Where the walk is after these outcomes of the first trials."""
        self._go(outcomes)
        count, half = len(outcomes), len(outcomes) // 2
        mean = np.mean(self._states[half : count + 1], axis=0)
        steps = np.array(self._steps[:count]).reshape(count, mean.size)
        weights = (count - np.maximum(np.arange(count), half - 1)) / (count - half + 1)
        return Course(mean, np.sqrt(np.sum((steps * weights[:, None]) ** 2, axis=0)))

    def _go(self, outcomes: Sequence[Outcome]) -> None:
        """Walk on by outcomes that were not told before."""
        for outcome in outcomes[len(self._steps) :]:
            step = self._step(outcome)
            state = self._states[-1] + step
            self._steps.append(step)
            self._states.append(np.where(self._is_number, np.clip(state, 0.0, 1.0), state))

    def _step(self, outcome: Outcome) -> Numbers:
        """What an outcome adds: towards the values that won, by how far they are from the others."""
        trial, result = outcome.trial, outcome.result or 0.0
        step = np.zeros(self._is_number.size)
        for parameter, where in zip(self.space.parameters, self.slices, strict=True):
            first, second = trial.first[parameter.setting], trial.second[parameter.setting]
            if parameter.words:
                signs = np.array([(word == first) - int(word == second) for word in parameter.words])
                step[where] = self._word_gain[trial.number] * len(signs) / 2 * result * signs
            else:
                apart = parameter.place(first) - parameter.place(second)
                step[where] = self._gain[trial.number] * result * apart / 2
        return step


def shares(preferences: Numbers) -> Numbers:
    """How often each word is drawn."""
    odds = np.exp(preferences - preferences.max())
    found: Numbers = odds / odds.sum()
    return found
