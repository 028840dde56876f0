"""Parameters of the running engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kikashi.engine.limits import Limit
from kikashi.protocols.gtp.protocol import Arguments, Failure
from kikashi.protocols.gtp.registry import Result, command
from kikashi.protocols.gtp.session import GtpSession
from kikashi.wording import nearest

MOST_THREADS = 256
LEAST_MEGABYTES = 1.0


@dataclass(frozen=True)
class Parameter:
    """A setting with a name."""

    get: Callable[[GtpSession], object]
    set: Callable[[GtpSession, Arguments], None]


def _limits(session: GtpSession) -> tuple[int | None, float | None]:
    return (None, None) if session.limit is None else (session.limit.simulations, session.limit.seconds)


def _set_limit(session: GtpSession, simulations: int | None, seconds: float | None) -> None:
    session.limit = Limit(simulations, seconds) if simulations is not None or seconds is not None else None


def _set_simulations(session: GtpSession, arguments: Arguments) -> None:
    count = None if arguments.takes("none") else arguments.integer(1, 999_999_999)
    _set_limit(session, count, _limits(session)[1])


def _set_seconds(session: GtpSession, arguments: Arguments) -> None:
    seconds = None if arguments.takes("none") else arguments.seconds()
    _set_limit(session, _limits(session)[0], seconds)


def _set_threads(session: GtpSession, arguments: Arguments) -> None:
    session.player = session.player.copy(threads=arguments.integer(1, MOST_THREADS))


def _set_megabytes(session: GtpSession, arguments: Arguments) -> None:
    megabytes = arguments.number()
    if megabytes < LEAST_MEGABYTES:
        raise Failure(f"megabytes must be at least {LEAST_MEGABYTES:g}, not {megabytes:g}")
    session.player = session.player.copy(megabytes=megabytes)


PARAMETERS = {
    "simulations": Parameter(lambda session: _limits(session)[0], _set_simulations),
    "seconds": Parameter(lambda session: _limits(session)[1], _set_seconds),
    "threads": Parameter(lambda session: session.player.threads, _set_threads),
    "megabytes": Parameter(lambda session: session.player.megabytes, _set_megabytes),
    "ponder": Parameter(
        lambda session: session.ponder, lambda session, arguments: setattr(session, "ponder", arguments.truth())
    ),
}
"""By the names of the options of ``kikashi gtp``."""
ALIASES = {
    "playouts": "simulations",
    "maxPlayouts": "simulations",
    "maxVisits": "simulations",
    "maxTime": "seconds",
    "numSearchThreads": "threads",
    "ponderingEnabled": "ponder",
}
"""KataGo's names of the parameters."""


def _named(arguments: Arguments) -> Parameter:
    text = arguments.text()
    name = ALIASES.get(text, text)
    if name not in PARAMETERS:
        raise Failure(f"there is no parameter {text!r}; {nearest(text, [*PARAMETERS, *ALIASES], 'kata-list-params')}")
    return PARAMETERS[name]


@command("kata-list-params")
def list_parameters(session: GtpSession, arguments: Arguments) -> Result:
    """List the names for ``kata-set-param``: those of the options, and KataGo's."""
    return " ".join([*PARAMETERS, *ALIASES])


@command("kata-get-param NAME")
def get_parameter(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the value of a parameter: a number, ``true`` or ``false``, or ``none`` for no limit."""
    value = _named(arguments).get(session)
    return f"{value:g}" if isinstance(value, float) else str(value).lower()


@command("kata-set-param NAME VALUE")
def set_parameter(session: GtpSession, arguments: Arguments) -> None:
    """Set ``simulations`` or ``seconds`` for each move (``none`` for no limit), ``threads``, ``megabytes``, or
    ``ponder`` (``true`` or ``false``), from the next move on."""
    _named(arguments).set(session, arguments)
