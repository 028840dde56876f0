"""Time controls: the clock of a player, written as text and as GTP commands.

``300`` is five minutes for the game, ``300+5`` five minutes and five seconds more after each move, ``300+3x30`` three
periods of 30 seconds (byo-yomi) after the main time, ``300+25/600`` 25 moves in each ten minutes (Canadian).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from kikashi.board.points import color_name

LAG = 0.1
"""Seconds of each move kept for the way to the server and back."""
MOVE_DELAY = 0.03
"""Seconds by which a move may come later than planned: the last simulations, pipes, a busy machine."""
CONTROLLER_DELAY = 0.01
"""Seconds of a move that only the controller's clock counts."""
EXTRA_MOVES = 30
"""Moves by which a game may be longer than expected without a loss on time."""
MAX_SECONDS, MAX_PERIODS = 1_000_000, 1000
_NUMBER = r"(\d+(?:\.\d+)?)"
_TEXT = re.compile(rf"{_NUMBER}(?:\+(?:(\d+)([x/]))?{_NUMBER})?")


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

    @property
    def is_flagged(self) -> bool:
        """Whether the time has run out."""
        return self.main < 0

    @property
    def time_left(self) -> float:
        """The most seconds that the next move may take."""
        if self.periods:
            return self.main + self.period * self.periods
        return self.main + (self.period - self.used if self.stones else 0.0)

    def seconds_for(self, moves_left: int) -> float:
        """Return the seconds to think about one move of a player who will make about `moves_left` more."""
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

    def with_margin(self, moves_left: int) -> Clock:
        """Return a clock that shows less, so that moves which come later than planned still come in time."""
        if self.stones:
            return replace(self, used=self.used + MOVE_DELAY * self.stones)
        if self.periods:
            return self  # `seconds_for` keeps a tenth of a period back, and delays do not add up
        margin = MOVE_DELAY * (moves_left + EXTRA_MOVES)
        if self.increment:
            margin = min(margin, self.main / 2)
        return replace(self, main=max(0.0, self.main - margin))

    def after_move(self, seconds: float) -> Clock:
        """Return the clock after a move that took `seconds`."""
        main = self.main - seconds
        if main >= 0 and self.main > 0:
            return replace(self, main=min(main + self.increment, self.full))
        if self.periods > 0:
            lost = int(-min(main, 0.0) // self.period) if self.period > 0 else self.periods
            left = self.periods - lost
            return replace(self, main=0.0, periods=left) if left > 0 else replace(self, main=-1.0, periods=0)
        if self.stones > 0:
            used, made = self.used + seconds - max(self.main, 0.0), self.made + 1
            if used > self.period:
                return replace(self, main=-1.0, used=used)
            ends = made == self.stones
            return replace(self, main=0.0, used=0.0 if ends else used, made=0 if ends else made)
        return replace(self, main=main)

    def gtp_settings(self) -> list[str]:
        """Return the GTP commands that set this clock, the best first; send the first that an engine knows."""
        main = f"time_settings {round(self.main)}"
        if self.increment:
            return [f"kata-time_settings fischer {self.main:g} {self.increment:g}", f"{main} 0 0"]
        if self.periods:
            byoyomi = f"kgs-time_settings byoyomi {self.main:g} {self.period:g} {self.periods}"
            return [byoyomi, f"{main} {max(1, int(self.period))} 1"]
        return [f"{main} {round(self.period)} {self.stones}"]

    def gtp_time_left(self, color: int) -> str:
        """Return the GTP command with the time left, in whole seconds and never more than there are."""
        if self.main > 0 or not (self.periods or self.stones):
            seconds, stones = self.main, 0
        elif self.periods:
            seconds, stones = self.period, self.periods
        else:
            seconds, stones = self.period - self.used, self.stones - self.made
        return f"time_left {color_name(color)} {int(seconds)} {stones}"


def parse_clock(text: str) -> Clock:
    """Read a clock from text, in one of the forms above. Raises ValueError."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"a clock is written as in 300, 300+5, 300+3x30 or 300+25/600, not {text!r}")
    main, count, kind, seconds = match.groups()
    main, number, seconds = float(main), int(count or 0), float(seconds or 0)
    if not 0 < main + seconds < MAX_SECONDS or (kind and not (seconds > 0 and 1 <= number <= MAX_PERIODS)):
        raise ValueError(f"a clock has some time, less than {MAX_SECONDS:,} seconds, not {text!r}")
    if kind == "x":
        return Clock(main=main, period=seconds, periods=number)
    if kind == "/":
        return Clock(main=main, period=seconds, stones=number)
    if main == 0:
        raise ValueError(f"a clock with an increment needs main time for the first move, not {text!r}")
    return Clock(main=main, increment=seconds)


def moves_left(size: int, move_count: int) -> int:
    """Estimate a player's moves to come, if games have three quarters as many moves as points."""
    points = size * size
    return max(points // 12, (points * 3 // 4 - move_count) // 2)
