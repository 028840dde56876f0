"""How long to think: a number of simulations, seconds, or a share of the clock, and what is kept back from each."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

MOST_SIMULATIONS = 1 << 40
"""More than any search will run: the limit of a search that has none."""
POINTS_PER_SECOND = 2_000_000
"""Simulations a second times points of the board: what one thread does on a machine of the 2020s."""


@dataclass(frozen=True, init=False)
class Budget:
    """What one move may cost: whichever runs out first.

    ``playouts`` is another name for ``simulations``. Raises ValueError if the budget allows nothing, if it has no limit
    at all, or if both names are given with different numbers.
    """

    simulations: int | None
    seconds: float | None

    def __init__(
        self, simulations: int | None = None, seconds: float | None = None, *, playouts: int | None = None
    ) -> None:
        if simulations is not None and playouts is not None and simulations != playouts:
            raise ValueError(f"simulations and playouts are the same: they cannot be {simulations} and {playouts}")
        count = playouts if simulations is None else simulations
        if count is None and seconds is None:
            raise ValueError("say how many simulations or how many seconds a move may take")
        if count is not None and count < 1:
            raise ValueError(f"simulations must be at least 1, not {count}")
        if seconds is not None and not 0 < seconds < 1e6:
            raise ValueError(f"seconds must be above 0 and below a million, not {seconds}")
        object.__setattr__(self, "simulations", count)
        object.__setattr__(self, "seconds", seconds)

    @property
    def playouts(self) -> int | None:
        """The simulations, under their other name."""
        return self.simulations


PLAYER_BUDGET = Budget(simulations=2_000)
"""For each move of a player that is given no budget."""
ENGINE_BUDGET = Budget(simulations=10_000)
"""For each move of an engine where neither the user nor a clock says how long to think."""
CLOCK_ONLY = Budget(seconds=900_000.0)
"""For a move that only the clock ends."""


EXTENSIONS = 4
"""Steps in which a search gets what is spare."""


class Spare(NamedTuple):
    """What earlier moves have left over."""

    simulations: int = 0
    seconds: float = 0.0


class Limit:
    """What one search may use: simulations, and a time that runs from `started` (of time.perf_counter).

    A search that cannot make up its mind may also have what is `spare`.
    """

    def __init__(
        self, started: float, simulations: int | None = None, seconds: float | None = None, spare: Spare | None = None
    ) -> None:
        self.started = started
        self.simulations = MOST_SIMULATIONS if simulations is None else simulations
        self.until = math.inf if seconds is None else started + seconds
        self.spare = spare or Spare()

    @property
    def seconds(self) -> float:
        """From the start to the end, infinite if there is none."""
        return self.until - self.started

    def with_spare(self, saved: Spare, times: float, main: float | None = None) -> Limit:
        """The limit with what a move may have of what was saved: so many times its own, and of a clock at most half of
        the main time that is left."""
        seconds = min(saved.seconds, times * self.seconds if times else 0.0, math.inf if main is None else main / 2)
        spare = Spare(round(min(saved.simulations, times * self.simulations)), max(0.0, seconds))
        return Limit(self.started, self.simulations, self.seconds, spare)

    def left_over(self, saved: Spare, simulations: int, seconds: float) -> Spare:
        """What there is to spare when a search within this limit has used so much, and so much had been saved."""
        return Spare(
            max(0, saved.simulations + self.simulations - simulations) if self.simulations < MOST_SIMULATIONS else 0,
            max(0.0, saved.seconds + self.seconds - seconds) if self.seconds < math.inf else 0.0,
        )

    def extensions(self) -> Iterator[Limit]:
        """The limit with more and more of what is spare, up to all of it."""
        for step in range(1, EXTENSIONS + 1 if any(self.spare) else 1):
            part = step / EXTENSIONS
            simulations = self.simulations + round(part * self.spare.simulations)
            yield Limit(self.started, simulations, self.seconds + part * self.spare.seconds)

    def half(self) -> Limit:
        """Half of the limit, one simulation at least."""
        return self.part(0.5)

    def part(self, share: float) -> Limit:
        """A share of the limit, one simulation at least."""
        return Limit(self.started, max(1, int(share * self.simulations)), share * self.seconds)

    def all_but(self, share: float) -> Limit:
        """The limit less a share of its time."""
        return Limit(self.started, self.simulations, (1 - share) * self.seconds, self.spare)

    def after(self, used: Limit) -> Limit:
        """What is left for a search that starts now, when the limit `used` has been spent."""
        now = time.perf_counter()
        return Limit(now, self.simulations - used.simulations, self.until - now, self.spare)

    def most_simulations(self, size: int, threads: int) -> int:
        """How many simulations a search may run on a board of this size, what is spare included: a generous guess where
        time is the limit."""
        seconds = self.seconds + self.spare.seconds
        in_time = seconds * threads * POINTS_PER_SECOND / size**2
        return int(min(self.simulations + self.spare.simulations, max(1.0, in_time)))

    def simulations_left(self, done: int) -> float:
        """How many more simulations fit, at the speed of the first `done`."""
        now = time.perf_counter()
        per_second = done / max(now - self.started, 1e-3)
        return min(self.simulations - done, per_second * max(0.0, self.until - now))
