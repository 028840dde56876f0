"""Analysis in the formats of Leela Zero, KataGo and CGOS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kikashi.board.points import parse_vertex, points_of
from kikashi.protocols.gtp import analysis_lines
from kikashi.protocols.gtp.protocol import Arguments, Failure
from kikashi.protocols.gtp.registry import Result, command
from kikashi.protocols.gtp.session import GtpSession
from kikashi.search.analysis import Analysis

EVERY = 100
"""Default number of centiseconds between two lines."""


@dataclass
class Request:
    """The arguments of an analysis command."""

    color: int
    every: float = EVERY / 100
    most_moves: int = 1000
    kata: analysis_lines.Extras = field(default_factory=analysis_lines.Extras)
    allowed: set[int] | None = None
    avoided: set[int] = field(default_factory=set)

    def moves(self, size: int) -> set[int] | None:
        """Return the moves to search; None for all."""
        if self.allowed is None and not self.avoided:
            return None
        return (set(points_of(size)) if self.allowed is None else self.allowed) - self.avoided


def _read_request(session: GtpSession, arguments: Arguments, *, kata: bool) -> Request:
    """Read ``[COLOR] [CENTISECONDS] [KEY VALUE ...]``."""
    request = Request(arguments.color_or(session.game.turn))
    if arguments.peek().isdigit():
        request.every = arguments.integer(0, 1_000_000) / 100
    switches = {"rootInfo": "root_info", "ownership": "ownership", "pvVisits": "pv_visits"} if kata else {}
    ignored = ("ownershipStdev", "movesOwnership", "movesOwnershipStdev", "pvEdgeVisits") if kata else ()
    while arguments:
        key = arguments.text()
        if key == "interval":
            request.every = arguments.integer(0, 1_000_000) / 100
        elif key == "maxmoves":
            request.most_moves = arguments.integer(1, 1000)
        elif key == "minmoves":
            arguments.integer(0, 1000)
        elif key in ("allow", "avoid"):
            _restrict(request, key, session.game.size, arguments)
        elif key in switches:
            setattr(request.kata, switches[key], arguments.truth())
        elif key in ignored:
            arguments.truth()
        else:
            raise Failure(f"{key!r} is not a key of an analysis")
    request.every = max(request.every, 0.01)
    return request


def _restrict(request: Request, key: str, size: int, arguments: Arguments) -> None:
    """Read ``allow`` or ``avoid COLOR VERTEX,VERTEX UNTIL_DEPTH``; only the next move can be restricted."""
    color = arguments.color()
    try:
        points = {parse_vertex(name, size) for name in arguments.text().split(",")}
    except ValueError as error:
        raise Failure(str(error)) from None
    arguments.integer(1, 1000)
    if color != request.color:
        return
    if key == "avoid":
        request.avoided |= points
    else:
        request.allowed = points


Format = Callable[[Analysis, Request], str]


def _lz(analysis: Analysis, request: Request) -> str:
    return analysis_lines.lz(analysis, request.most_moves)


def _kata(analysis: Analysis, request: Request) -> str:
    return analysis_lines.kata(analysis, request.most_moves, request.kata)


def _analyse(session: GtpSession, request: Request, line: Format) -> Iterator[str]:
    begun = False
    for analysis in session.watch(request.color, request.every, request.moves(session.game.size)):
        if begun and session.is_awaited():
            return
        begun = True
        yield line(analysis, request)


def _genmove(session: GtpSession, request: Request, line: Format) -> Iterator[str]:
    for analysis in session.think(request.color, every=request.every, moves=request.moves(session.game.size)):
        yield line(analysis, request)
    yield f"play {session.play(session.decide(analysis)).name}"


@command("lz-analyze [COLOR] [INTERVAL] [KEY VALUE ...]")
def lz_analyze(session: GtpSession, arguments: Arguments) -> Result:
    """Write Leela Zero's lines until anything is sent. Keys: ``interval`` in centiseconds, ``minmoves``, ``maxmoves``,
    ``allow`` and ``avoid`` with colour, vertices and depth."""
    return _analyse(session, _read_request(session, arguments, kata=False), _lz)


@command("kata-analyze [COLOR] [INTERVAL] [KEY VALUE ...]")
def kata_analyze(session: GtpSession, arguments: Arguments) -> Result:
    """Write KataGo's lines until anything is sent. Keys as for ``lz-analyze``, and ``rootInfo``, ``ownership`` and
    ``pvVisits`` with ``true`` or ``false``."""
    return _analyse(session, _read_request(session, arguments, kata=True), _kata)


@command("lz-genmove_analyze [COLOR] [INTERVAL] [KEY VALUE ...]")
def lz_genmove_analyze(session: GtpSession, arguments: Arguments) -> Result:
    """Like ``genmove``, with Leela Zero's lines during the search and ``play VERTEX`` at the end. Keys as for
    ``lz-analyze``."""
    return _genmove(session, _read_request(session, arguments, kata=False), _lz)


@command("kata-genmove_analyze [COLOR] [INTERVAL] [KEY VALUE ...]")
def kata_genmove_analyze(session: GtpSession, arguments: Arguments) -> Result:
    """Like ``genmove``, with KataGo's lines during the search and ``play VERTEX`` at the end. Keys as for
    ``kata-analyze``."""
    return _genmove(session, _read_request(session, arguments, kata=True), _kata)


@command("cgos-genmove_analyze [COLOR] [INTERVAL]")
def cgos_genmove_analyze(session: GtpSession, arguments: Arguments) -> Result:
    """Like ``genmove``, with one line of JSON as CGOS's viewers read it, then ``play VERTEX``."""
    return _cgos(session, _read_request(session, arguments, kata=True).color)


def _cgos(session: GtpSession, color: int) -> Iterator[str]:
    decision = session.take_turn(color)
    yield analysis_lines.cgos(decision.analysis)
    yield f"play {decision.name}"
