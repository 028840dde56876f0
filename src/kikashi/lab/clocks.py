"""Clocks of a match: read from text, told to engines, and whether a flag has fallen.

``300`` is five minutes for the game, ``300+5`` five minutes and five seconds more after each move, ``300+3x30`` three
periods of 30 seconds (byo-yomi) after the main time, ``300+25/600`` 25 moves in each ten minutes (Canadian).
"""

from __future__ import annotations

import re

from kikashi.board.points import color_name
from kikashi.search.budget import Clock, moves_left

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
