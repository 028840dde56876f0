"""How long to think: a number of simulations, seconds, or a share of the clock."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

LAG = 0.1
"""Seconds kept back for the way to the server and back."""


@dataclass(frozen=True)
class Budget:
    """What one move may cost: whichever runs out first. Raises ValueError if it allows nothing or everything."""

    playouts: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.playouts is None and self.seconds is None:
            raise ValueError("say how many playouts or how many seconds a move may take")
        if self.playouts is not None and self.playouts < 1:
            raise ValueError(f"playouts must be at least 1, not {self.playouts}")
        if self.seconds is not None and not 0 < self.seconds < 1e6:
            raise ValueError(f"seconds must be above 0, not {self.seconds}")


@dataclass(frozen=True)
class Clock:
    """One player's time: main time, then by system.

    - absolute: nothing after the main time
    - byoyomi: `periods` periods of `period` seconds, a period being lost when it runs out
    - canadian: `stones` moves in each `period` seconds; in the present one `made` moves took `used` seconds
    - fischer: `increment` seconds more after each move, but never more than `full` in all
    """

    main: float = 0.0
    period: float = 0.0
    periods: int = 0
    stones: int = 0
    increment: float = 0.0
    used: float = 0.0
    made: int = 0
    full: float = math.inf
    longest: float = math.inf
    """What one move may take at the most."""

    def seconds_for(self, moves_left: int) -> float:
        """How long to think about one move when the player will make about so many more."""
        share = max(self.main, 0.0) / max(1, moves_left)
        at_most = max(self.main, 0.0)
        if self.periods > 0:
            share = max(share, 0.9 * self.period)
            at_most += self.period
        elif self.stones > 0:
            each = (self.period - self.used) / (self.stones - self.made)
            share = share + 0.5 * each if self.main > 0 else each
            at_most = at_most + each if self.main > 0 else self.period - self.used
        else:
            share += 0.9 * self.increment
        at_most = min(at_most, self.longest)
        return max(0.0, min(share, at_most - LAG if at_most > 2 * LAG else at_most / 2))

    def spent(self, seconds: float) -> Clock:
        """The clock after a move that took so long; `main` below 0 means that time ran out."""
        main = self.main - seconds
        if main >= 0 and self.main > 0:
            return replace(self, main=min(main + self.increment, self.full))
        if self.periods > 0:
            lost = int(-min(main, 0.0) // self.period) if self.period > 0 else self.periods
            left = self.periods - lost
            return replace(self, main=0.0, periods=left) if left > 0 else replace(self, main=-1.0, periods=0)
        if self.stones > 0:
            return self._spent_of_period(seconds - max(self.main, 0.0))
        return replace(self, main=main)

    def _spent_of_period(self, seconds: float) -> Clock:
        used, made = self.used + seconds, self.made + 1
        if used > self.period:
            return replace(self, main=-1.0, used=used)
        return (
            replace(self, main=0.0, used=used, made=made)
            if made < self.stones
            else replace(self, main=0.0, used=0.0, made=0)
        )


def moves_left(size: int, move_count: int) -> int:
    """About how many moves a player will still make: the game is taken to be as long as three quarters of the board."""
    points = size * size
    return max(points // 12, (points * 3 // 4 - move_count) // 2)
