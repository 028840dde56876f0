"""Limits: what one move or analysis may cost, and how a search keeps to it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from kikashi.game.time_control import Clock, moves_left
from kikashi.wording import plural

MOST_SIMULATIONS = 1 << 40
"""More than any search will run: the limit of a search that has none."""
POINTS_PER_SECOND = 2_000_000
"""Simulations a second times points of the board: what one thread does on a machine of the 2020s."""
EXTENSIONS = 4
"""Steps in which an undecided search gets the savings of earlier moves."""


@dataclass(frozen=True)
class Limit:
    """What one move may cost: a number of simulations, seconds, a share of a clock; whichever runs out first.

    Raises ValueError if it allows nothing, or has no limit at all; TypeError for what is not a number.
    """

    simulations: int | None = None
    seconds: float | None = None
    clock: Clock | None = None

    def __post_init__(self) -> None:
        if self.simulations is not None and not hasattr(self.simulations, "__index__"):
            raise TypeError(f"simulations are a whole number, not {self.simulations!r}")
        if self.seconds is not None and not hasattr(self.seconds, "__float__"):
            raise TypeError(f"seconds are a number, not {self.seconds!r}")
        if self.clock is not None and not isinstance(self.clock, Clock):
            raise TypeError(f"the clock is a Clock, not {self.clock!r}")
        if self.simulations is None and self.seconds is None and self.clock is None:
            raise ValueError("say how many simulations or how many seconds a move may take")
        if self.simulations is not None and self.simulations < 1:
            raise ValueError(f"simulations must be at least 1, not {self.simulations}")
        if self.seconds is not None and not 0 < self.seconds < 1e6:
            raise ValueError(f"seconds must be above 0 and below a million, not {self.seconds}")

    def __str__(self) -> str:
        """``500 simulations``, ``2 seconds``, or both."""
        limits = [plural(self.simulations, "simulation")] if self.simulations is not None else []
        limits += [f"{self.seconds:g} second{'' if self.seconds == 1 else 's'}"] if self.seconds is not None else []
        limits += ["its share of the clock"] if self.clock is not None else []
        return " or ".join(limits)

    def seconds_at(self, size: int, move_count: int) -> float | None:
        """Seconds for a move of a game: its own, and its share of the clock; None if neither limits it."""
        share = None if self.clock is None else self.clock.seconds_for(moves_left(size, move_count))
        return min((each for each in (self.seconds, share) if each is not None), default=None)


def on_clock(limit: Limit | None, clock: Clock | None) -> Limit | None:
    """A limit that a clock limits as well; None if there is neither."""
    if clock is None:
        return limit
    return Limit(clock=clock) if limit is None else replace(limit, clock=clock)


PLAYER_LIMIT = Limit(simulations=2_000)
"""For each move of a player that is given no limit."""
ENGINE_LIMIT = Limit(simulations=10_000)
"""For each move of an engine where neither the user nor a clock sets one."""
UNLIMITED = Limit(simulations=MOST_SIMULATIONS)
"""For a search that only its caller stops."""


class Savings(NamedTuple):
    """What earlier moves left unused."""

    simulations: int = 0
    seconds: float = 0.0


class SearchLimit:
    """The limit of one search: simulations, and a time that runs from `started` (of time.perf_counter).

    An undecided search may also use the `savings`.
    """

    def __init__(
        self,
        started: float,
        simulations: int | None = None,
        seconds: float | None = None,
        savings: Savings | None = None,
    ) -> None:
        self.started = started
        self.simulations = MOST_SIMULATIONS if simulations is None else simulations
        self.until = math.inf if seconds is None else started + seconds
        self.savings = savings or Savings()

    @property
    def seconds(self) -> float:
        """From the start to the end, infinite if there is none."""
        return self.until - self.started

    def with_savings(self, saved: Savings, times: float, main: float | None = None) -> SearchLimit:
        """The limit with the savings that a move may use: at most `times` its own limit, and of a clock at most half of
        the main time that is left."""
        seconds = min(saved.seconds, times * self.seconds if times else 0.0, math.inf if main is None else main / 2)
        savings = Savings(round(min(saved.simulations, times * self.simulations)), max(0.0, seconds))
        return SearchLimit(self.started, self.simulations, self.seconds, savings)

    def saved_after(self, before: Savings, simulations: int, seconds: float) -> Savings:
        """Savings after a search within this limit, from those before it and from what it used."""
        return Savings(
            max(0, before.simulations + self.simulations - simulations) if self.simulations < MOST_SIMULATIONS else 0,
            max(0.0, before.seconds + self.seconds - seconds) if self.seconds < math.inf else 0.0,
        )

    def extensions(self) -> Iterator[SearchLimit]:
        """The limit with more and more of the savings, up to all of them."""
        for step in range(1, EXTENSIONS + 1 if any(self.savings) else 1):
            part = step / EXTENSIONS
            simulations = self.simulations + round(part * self.savings.simulations)
            yield SearchLimit(self.started, simulations, self.seconds + part * self.savings.seconds)

    def part(self, share: float) -> SearchLimit:
        """A share of the limit, one simulation at least."""
        return SearchLimit(self.started, max(1, int(share * self.simulations)), share * self.seconds)

    def all_but(self, share: float) -> SearchLimit:
        """The limit less a share of its time."""
        return SearchLimit(self.started, self.simulations, (1 - share) * self.seconds, self.savings)

    def after(self, used: SearchLimit) -> SearchLimit:
        """What is left for a search that starts now, when the limit `used` has been spent."""
        now = time.perf_counter()
        return SearchLimit(now, self.simulations - used.simulations, self.until - now, self.savings)

    def most_simulations(self, size: int, threads: int) -> int:
        """The most simulations a search may run on a board of this size, savings included: a generous guess where time
        is the limit."""
        seconds = self.seconds + self.savings.seconds
        in_time = seconds * threads * POINTS_PER_SECOND / size**2
        return int(min(self.simulations + self.savings.simulations, max(1.0, in_time)))

    def simulations_left(self, done: int) -> float:
        """How many more simulations fit, at the speed of the first `done`."""
        now = time.perf_counter()
        per_second = done / max(now - self.started, 1e-3)
        return min(self.simulations - done, per_second * max(0.0, self.until - now))
