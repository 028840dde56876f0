"""Clocks: time settings of GTP, KGS and KataGo, and the time left."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from kikashi.game.time_control import Clock
from kikashi.protocols.gtp.protocol import Arguments, Failure, command, question
from kikashi.protocols.gtp.session import GtpSession

MOST_STONES = 100_000
SHORTEST_PERIOD = 0.05
"""Seconds left in a period that ran out while the command was sent."""


def _overtime(field: str, arguments: Arguments) -> Clock:
    """Read main time, period, and the number of periods or of stones in each."""
    main, period, count = arguments.seconds(), arguments.seconds(), arguments.integer(1, MOST_STONES)
    if period <= 0:
        raise Failure("a period of no time is lost at once")
    return replace(Clock(main=main, period=period), **{field: count})


def _fischer(arguments: Arguments) -> Clock:
    return Clock(main=arguments.seconds(), increment=arguments.seconds())


def _fischer_capped(arguments: Arguments) -> Clock:
    clock = _fischer(arguments)
    full, longest = (cap if cap > 0 else math.inf for cap in (arguments.number(), arguments.number()))
    return replace(clock, full=full, longest=longest)


SYSTEMS: dict[str, Callable[[Arguments], Clock | None]] = {
    "none": lambda _: None,
    "absolute": lambda arguments: Clock(main=arguments.seconds()),
    "byoyomi": partial(_overtime, "periods"),
    "canadian": partial(_overtime, "stones"),
    "fischer": _fischer,
    "fischer-capped": _fischer_capped,
}
KGS_SYSTEMS = ("none", "absolute", "byoyomi", "canadian")


def _set_clock(session: GtpSession, arguments: Arguments, systems: tuple[str, ...]) -> None:
    system = arguments.text().lower()
    if system not in systems:
        raise Failure(f"{system!r} is not a time system: {', '.join(systems)}")
    clock = SYSTEMS[system](arguments)
    arguments.end()
    session.set_clock(clock)


@command("time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES")
def time_settings(session: GtpSession, arguments: Arguments) -> None:
    """Set main time, then Canadian overtime: stones in each period. No stones in a period with time mean no limit, as
    do three zeros; a period of no time means absolute time."""
    main, period, stones = arguments.seconds(), arguments.seconds(), arguments.integer(0, MOST_STONES)
    unlimited = (period > 0 and stones == 0) or main == period == 0
    canadian = period > 0 and stones > 0
    clock = Clock(main=main, period=period, stones=stones) if canadian else Clock(main=main)
    session.set_clock(None if unlimited else clock)
    session.has_no_limit = period > 0 and stones == 0  # after three zeros time_left still counts


@command("kgs-time_settings SYSTEM [SECONDS ...]")
def kgs_time_settings(session: GtpSession, arguments: Arguments) -> None:
    """Set ``none``, ``absolute MAIN``, ``byoyomi MAIN PERIOD PERIODS`` or ``canadian MAIN PERIOD STONES``."""
    _set_clock(session, arguments, KGS_SYSTEMS)


@command("kata-time_settings SYSTEM [SECONDS ...]")
def kata_time_settings(session: GtpSession, arguments: Arguments) -> None:
    """Set a system of KGS, ``fischer MAIN INCREMENT`` or ``fischer-capped MAIN INCREMENT MOST_MAIN MOST_PER_MOVE``;
    a cap of 0 or less is no cap."""
    _set_clock(session, arguments, tuple(SYSTEMS))


question("kata-list_time_settings", "List the systems of ``kata-time_settings``.", lambda session: " ".join(SYSTEMS))


@command("time_left COLOR SECONDS STONES")
def time_left(session: GtpSession, arguments: Arguments) -> None:
    """Set a player's clock: main time if STONES is 0, else the time left in the period, and the stones or periods left.
    Without time settings it is absolute time; after settings without a limit it is ignored."""
    color = arguments.color()
    seconds, stones = max(0.0, arguments.number()), arguments.integer(0, MOST_STONES) if arguments else 0
    if not session.has_no_limit:
        session.clocks[color] = _shown(session.start_clock or Clock(main=seconds), seconds, stones)
        session.warm_up()


def _shown(clock: Clock, seconds: float, stones: int) -> Clock:
    """Return a clock of the same kind with these seconds, and these stones or periods."""
    if stones == 0:
        return replace(clock, main=seconds, used=0.0, made=0)
    if clock.periods:
        left = min(max(seconds, SHORTEST_PERIOD), clock.period)  # only the rest of this period is sure
        return replace(clock, main=0.0, period=left, periods=stones)
    if clock.stones:
        stones = min(stones, clock.stones)
        return replace(clock, main=0.0, used=max(0.0, clock.period - seconds), made=clock.stones - stones)
    return replace(clock, main=seconds)
