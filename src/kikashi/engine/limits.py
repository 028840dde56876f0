"""Limits of a move or an analysis: simulations, seconds, a clock, savings of earlier moves, and memory."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from kikashi.engine import machine
from kikashi.game.time_control import Clock, moves_left
from kikashi.search.tree import NODE
from kikashi.wording import plural

MOST_SIMULATIONS = 1 << 40
"""The limit of a search that has none."""
POINTS_PER_SECOND = 2_000_000
"""Simulations a second, times points of the board, of one thread on a machine of the 2020s."""
EXTENSIONS = 4
"""Time extensions of an undecided search."""


@dataclass(frozen=True)
class Limit:
    """Limit of a move: simulations, seconds, a share of a clock; whichever runs out first.

    Raises ValueError for a limit of 0 or less, or none at all; TypeError for a value that is not a number.
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
            raise ValueError("a limit needs a number of simulations or of seconds")
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
        """Return the seconds for a move of a game, by the limit and the clock; None without either."""
        share = None if self.clock is None else self.clock.seconds_for(moves_left(size, move_count))
        return min((each for each in (self.seconds, share) if each is not None), default=None)


def on_clock(limit: Limit | None, clock: Clock | None) -> Limit | None:
    """Return a limit with a clock added; None if there is neither."""
    if clock is None:
        return limit
    return Limit(clock=clock) if limit is None else replace(limit, clock=clock)


PLAYER_LIMIT = Limit(simulations=2_000)
"""Default of a `Player`."""
ENGINE_LIMIT = Limit(simulations=10_000)
"""Default of an engine without a clock."""
UNLIMITED = Limit(simulations=MOST_SIMULATIONS)
"""Limit of a search that its caller stops."""


class Savings(NamedTuple):
    """Simulations and seconds that earlier moves left unused."""

    simulations: int = 0
    seconds: float = 0.0


class SearchLimit:
    """Limit of one search: simulations, time from `started` (of time.perf_counter), and savings if undecided."""

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
        """Seconds from start to end; infinite without an end."""
        return self.until - self.started

    def with_savings(self, saved: Savings, times: float, main: float | None = None) -> SearchLimit:
        """Return the limit with savings: at most `times` the limit, and half of the main time of a clock."""
        seconds = min(saved.seconds, times * self.seconds if times else 0.0, math.inf if main is None else main / 2)
        savings = Savings(round(min(saved.simulations, times * self.simulations)), max(0.0, seconds))
        return SearchLimit(self.started, self.simulations, self.seconds, savings)

    def saved_after(self, before: Savings, simulations: int, seconds: float) -> Savings:
        """Return the savings after a search that used this much, from those before it."""
        return Savings(
            max(0, before.simulations + self.simulations - simulations) if self.simulations < MOST_SIMULATIONS else 0,
            max(0.0, before.seconds + self.seconds - seconds) if self.seconds < math.inf else 0.0,
        )

    def extensions(self) -> Iterator[SearchLimit]:
        """Yield the limit with more and more of the savings, up to all of them."""
        for step in range(1, EXTENSIONS + 1 if any(self.savings) else 1):
            part = step / EXTENSIONS
            simulations = self.simulations + round(part * self.savings.simulations)
            yield SearchLimit(self.started, simulations, self.seconds + part * self.savings.seconds)

    def part(self, share: float) -> SearchLimit:
        """Return a share of the limit, at least one simulation."""
        return SearchLimit(self.started, max(1, int(share * self.simulations)), share * self.seconds)

    def all_but(self, share: float) -> SearchLimit:
        """Return the limit less a share of its time."""
        return SearchLimit(self.started, self.simulations, (1 - share) * self.seconds, self.savings)

    def after(self, used: SearchLimit) -> SearchLimit:
        """Return the limit of a search that starts now, after another within the limit `used`."""
        now = time.perf_counter()
        return SearchLimit(now, self.simulations - used.simulations, self.until - now, self.savings)

    def most_simulations(self, size: int, threads: int) -> int:
        """Return an upper estimate of the simulations of a search on a board of this size, savings included."""
        seconds = self.seconds + self.savings.seconds
        in_time = seconds * threads * POINTS_PER_SECOND / size**2
        return int(min(self.simulations + self.savings.simulations, max(1.0, in_time)))

    def simulations_left(self, done: int) -> float:
        """Return the number of further simulations within the limit, at the speed of the first `done`."""
        now = time.perf_counter()
        per_second = done / max(now - self.started, 1e-3)
        return min(self.simulations - done, per_second * max(0.0, self.until - now))


# --- memory -----------------------------------------------------------------------------------------------------------

LEAST_MEGABYTES = 128.0
MOST_MEGABYTES = 4096.0
REUSE = 1.25
"""Factor for the part of the tree that is kept from move to move."""


def megabytes_for(size: int, simulations: int | None = None, seconds: float | None = None) -> float:
    """Return the megabytes of a tree with one expansion, a node for every point and for passing, in each simulation.

    The smaller of both limits counts. The result is from LEAST_MEGABYTES to `ceiling`.
    """
    limits = [] if simulations is None else [float(simulations)]
    if seconds is not None:
        limits.append(seconds * POINTS_PER_SECOND / size**2)
    needed = min(limits, default=0.0) * (size**2 + 1) * NODE.itemsize * REUSE / 2**20
    return max(LEAST_MEGABYTES, min(needed, ceiling()))


def ceiling() -> float:
    """Return the megabytes that each of two players may have if every core plays a game in half of the memory."""
    return min(MOST_MEGABYTES, machine.megabytes() / 2 / (2 * machine.cores()))
