"""Clocks of a match: read from text, told to engines, and whether a flag has fallen.

``300`` is five minutes for the game, ``300+5`` five minutes and five seconds more after each move, ``300+3x30`` three
periods of 30 seconds (byo-yomi) after the main time, ``300+25/600`` 25 moves in each ten minutes (Canadian).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from kikashi.board.points import color_name

LAG = 0.1
"""Seconds kept back from each move for the way to the server and back."""
LATE = 0.03
"""Seconds that a move may come later than planned: the last simulations, pipes, a busy machine."""
UNSEEN = 0.01
"""Seconds of a move that only the controller's clock sees."""
MOVES_KEPT = 30
"""How many moves longer than expected a game may be without a loss on time."""


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
    """The most seconds that one move may take."""

    def seconds_for(self, moves_left: int) -> float:
        """How many seconds to think about one move, if the player will make about `moves_left` more."""
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

    def prudent(self, moves_left: int) -> Clock:
        """A clock that shows less, so that moves which come later than planned still come in time."""
        if self.stones:
            return replace(self, used=self.used + LATE * self.stones)
        if self.periods:
            return self  # `seconds_for` keeps a tenth of a period back, and delays do not add up
        kept = LATE * (moves_left + MOVES_KEPT)
        if self.increment:
            kept = min(kept, self.main / 2)
        return replace(self, main=max(0.0, self.main - kept))

    def spent(self, seconds: float) -> Clock:
        """The clock after a move that took `seconds`; `main` below 0 means that time ran out."""
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
    """About how many moves a player will still make, if the game has as many moves as three quarters of the points."""
    points = size * size
    return max(points // 12, (points * 3 // 4 - move_count) // 2)


# --- as text, and as GTP ---

LONGEST = 1_000_000
MOST_PERIODS = 1000
EXAMPLES = "300, 300+5, 300+3x30 or 300+25/600"
_NUMBER = r"(\d+(?:\.\d+)?)"
_TEXT = re.compile(rf"{_NUMBER}(?:\+(?:(\d+)([x/]))?{_NUMBER})?")


def parse_clock(text: str) -> Clock:
    """A clock from text, as in the head of this file. Raises ValueError.

    >>> clock = parse_clock("300+3x30")
    >>> clock.main, clock.periods, clock.period
    (300.0, 3, 30.0)
    """
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"a clock is written as in {EXAMPLES}, not {text!r}")
    main, count, kind, seconds = match.groups()
    main, number, seconds = float(main), int(count or 0), float(seconds or 0)
    if not 0 < main + seconds < LONGEST or (kind and not (seconds > 0 and 1 <= number <= MOST_PERIODS)):
        raise ValueError(f"a clock has some time, less than {LONGEST:,} seconds, not {text!r}")
    if kind == "x":
        return Clock(main=main, period=seconds, periods=number)
    if kind == "/":
        return Clock(main=main, period=seconds, stones=number)
    if main == 0:
        raise ValueError(f"a clock with an increment needs main time for the first move, not {text!r}")
    return Clock(main=main, increment=seconds)


def is_flagged(clock: Clock) -> bool:
    """Whether the time has run out."""
    return clock.main < 0


def time_left(clock: Clock) -> float:
    """The most seconds that the next move may take."""
    if clock.periods:
        return clock.main + clock.period * clock.periods
    return clock.main + (clock.period - clock.used if clock.stones else 0.0)


def seconds_a_move(clock: Clock, size: int) -> float:
    """About what the longest thoughts of a game will take."""
    return 2 * clock.seconds_for(moves_left(size, 0))


def settings_commands(clock: Clock) -> list[str]:
    """GTP commands that set a clock, the best one first: an engine gets the first that it knows."""
    if clock.increment:
        return [
            f"kata-time_settings fischer {clock.main:g} {clock.increment:g}",
            f"time_settings {round(clock.main)} 0 0",
        ]
    if clock.periods:
        return [
            f"kgs-time_settings byoyomi {clock.main:g} {clock.period:g} {clock.periods}",
            f"time_settings {round(clock.main)} {max(1, int(clock.period))} 1",
        ]
    return [f"time_settings {round(clock.main)} {round(clock.period)} {clock.stones}"]


def left_command(clock: Clock, color: int) -> str:
    """The GTP command that tells what a player's clock shows; whole seconds, and never more than there are."""
    if clock.main > 0 or not (clock.periods or clock.stones):
        return f"time_left {color_name(color)} {int(clock.main)} 0"
    if clock.periods:
        return f"time_left {color_name(color)} {int(clock.period)} {clock.periods}"
    return f"time_left {color_name(color)} {int(clock.period - clock.used)} {clock.stones - clock.made}"
