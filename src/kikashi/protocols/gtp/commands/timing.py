"""Clocks: GTP's own, KGS's and KataGo's settings, and what is left of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from kikashi.game.time_control import Clock
from kikashi.protocols.gtp.arguments import Arguments
from kikashi.protocols.gtp.protocol import Failure
from kikashi.protocols.gtp.registry import Result, command
from kikashi.protocols.gtp.session import Session

MOST_STONES = 100_000
SHORTEST_PERIOD = 0.05
"""Seconds that a period is taken to have left if it has run out on the way here."""


def _absolute(arguments: Arguments) -> Clock:
    return Clock(main=arguments.seconds())


def _byoyomi(arguments: Arguments) -> Clock:
    return _checked(
        Clock(main=arguments.seconds(), period=arguments.seconds(), periods=arguments.integer(1, MOST_STONES))
    )


def _canadian(arguments: Arguments) -> Clock:
    return _checked(
        Clock(main=arguments.seconds(), period=arguments.seconds(), stones=arguments.integer(1, MOST_STONES))
    )


def _fischer(arguments: Arguments) -> Clock:
    return Clock(main=arguments.seconds(), increment=arguments.seconds())


def _fischer_capped(arguments: Arguments) -> Clock:
    clock = _fischer(arguments)
    full, longest = (cap if cap > 0 else math.inf for cap in (arguments.number(), arguments.number()))
    return replace(clock, full=full, longest=longest)


def _checked(clock: Clock) -> Clock:
    if clock.period <= 0:
        raise Failure("a period of no time is lost at once")
    return clock


SYSTEMS: dict[str, Callable[[Arguments], Clock | None]] = {
    "none": lambda _: None,
    "absolute": _absolute,
    "byoyomi": _byoyomi,
    "canadian": _canadian,
    "fischer": _fischer,
    "fischer-capped": _fischer_capped,
}
KGS_SYSTEMS = ("none", "absolute", "byoyomi", "canadian")


def _settings(session: Session, arguments: Arguments, systems: tuple[str, ...]) -> Result:
    system = arguments.text().lower()
    if system not in systems:
        raise Failure(f"{system!r} is not a time system: {', '.join(systems)}")
    clock = SYSTEMS[system](arguments)
    arguments.end()
    session.set_clock(clock)
    return ""


@command("time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES")
def time_settings(session: Session, arguments: Arguments) -> Result:
    """Main time, then this many stones in each period. No stones in a period that has time means no limit, as do three
    zeros; a period of no time means absolute time."""
    main, period, stones = arguments.seconds(), arguments.seconds(), arguments.integer(0, MOST_STONES)
    unlimited = (period > 0 and stones == 0) or main == period == 0
    canadian = period > 0 and stones > 0
    clock = Clock(main=main, period=period, stones=stones) if canadian else Clock(main=main)
    session.set_clock(None if unlimited else clock)
    session.has_no_limit = period > 0 and stones == 0  # after three zeros what is left may still be told
    return ""


@command("kgs-time_settings SYSTEM [SECONDS ...]")
def kgs_time_settings(session: Session, arguments: Arguments) -> Result:
    """``none``, ``absolute MAIN``, ``byoyomi MAIN PERIOD PERIODS`` or ``canadian MAIN PERIOD STONES``."""
    return _settings(session, arguments, KGS_SYSTEMS)


@command("kata-time_settings SYSTEM [SECONDS ...]")
def kata_time_settings(session: Session, arguments: Arguments) -> Result:
    """KGS's systems, ``fischer MAIN INCREMENT`` and ``fischer-capped MAIN INCREMENT MOST_MAIN MOST_PER_MOVE``; a cap of
    0 or less is no cap."""
    return _settings(session, arguments, tuple(SYSTEMS))


@command("kata-list_time_settings")
def kata_list_time_settings(session: Session, arguments: Arguments) -> Result:
    """The systems that ``kata-time_settings`` knows."""
    return " ".join(SYSTEMS)


@command("time_left COLOR SECONDS STONES")
def time_left(session: Session, arguments: Arguments) -> Result:
    """What a player's clock shows: main time if STONES is 0, else the time of the period and its stones, or the periods
    that are left. Without time settings it is absolute time; after settings without a limit it is ignored."""
    color = arguments.color()
    seconds, stones = max(0.0, arguments.number()), arguments.integer(0, MOST_STONES) if arguments else 0
    if not session.has_no_limit:
        session.clocks[color] = _shown(session.start_clock or Clock(main=seconds), seconds, stones)
        session.warm_up()
    return ""


def _shown(clock: Clock, seconds: float, stones: int) -> Clock:
    """A clock of the same kind that shows these seconds, and these stones or periods."""
    if stones == 0:
        return replace(clock, main=seconds, used=0.0, made=0)
    if clock.periods:
        left = min(max(seconds, SHORTEST_PERIOD), clock.period)  # what is left of this period is all that is sure
        return replace(clock, main=0.0, period=left, periods=stones)
    if clock.stones:
        stones = min(stones, clock.stones)
        return replace(clock, main=0.0, used=max(0.0, clock.period - seconds), made=clock.stones - stones)
    return replace(clock, main=seconds)
