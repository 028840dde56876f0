"""Analysis in the formats of Leela Zero, KataGo and CGOS."""

import json
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kikashi.board.points import parse_vertex, points_of
from kikashi.protocols.formatting import from_the_top, lower_bound, visited_moves
from kikashi.protocols.gtp.protocol import Arguments, Failure, Result, command
from kikashi.protocols.gtp.session import GtpSession
from kikashi.search.analysis import Analysis, MoveStatistics, from_side

SWITCHES = ("rootInfo", "ownership", "pvVisits")
"""Optional fields of KataGo's lines."""
IGNORED = ("ownershipStdev", "movesOwnership", "movesOwnershipStdev", "pvEdgeVisits")
_OWNERSHIP_SIGNS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


@dataclass
class Request:
    color: int
    every: float = 1.0
    """Seconds between two lines."""
    most_moves: int = 1000
    switches: set[str] = field(default_factory=set)
    """The switches that are on."""
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
        elif kata and key in (*SWITCHES, *IGNORED):
            (request.switches.add if arguments.truth() else request.switches.discard)(key)
        else:
            raise Failure(f"{key!r} is not a key of an analysis")
    request.every = max(request.every, 0.01)
    return request


def _restrict(request: Request, key: str, size: int, arguments: Arguments) -> None:
    """Read ``allow`` or ``avoid COLOR VERTEX,VERTEX UNTIL_DEPTH``; only the next move can be restricted."""
    color, names = arguments.color(), arguments.text().split(",")
    try:
        points = {parse_vertex(name, size) for name in names}
    except ValueError as error:
        raise Failure(str(error)) from None
    arguments.integer(1, 1000)
    if color == request.color and key == "avoid":
        request.avoided |= points
    elif color == request.color:
        request.allowed = points


# --- the commands -----------------------------------------------------------------------------------------------------

Format = Callable[[Analysis, Request], str]


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
    decision = session.take_turn(_read_request(session, arguments, kata=True).color)
    return iter((_cgos(decision.analysis), f"play {decision.name}"))


# --- the formats: all values are from the mover's side ----------------------------------------------------------------


def _lz(analysis: Analysis, request: Request) -> str:
    """Return ``info move E4 visits 10 winrate 5012 …``: rates in ten thousandths, the variation last in each group."""

    def rate(share: float) -> int:
        return round(10_000 * min(1.0, max(0.0, share)))

    return " ".join(
        f"info move {move.name} visits {move.visits} winrate {rate(move.winrate)} prior {rate(move.prior)} "
        f"lcb {rate(lower_bound(move.winrate, move.visits))} order {order} pv {' '.join(move.names)}"
        for order, move in enumerate(visited_moves(analysis, request.most_moves))
    )


def _kata(analysis: Analysis, request: Request) -> str:
    """Return KataGo's line: rates from 0 to 1, utilities from -1 to 1, scores in points."""
    groups = []
    for order, move in enumerate(visited_moves(analysis, request.most_moves)):
        bound = lower_bound(move.winrate, move.visits)
        groups.append(
            f"info move {move.name} {_kata_values(move, analysis.score_deviation)} prior {move.prior:.6f} "
            f"lcb {bound:.6f} utilityLcb {2 * bound - 1:.6f} order {order} pv {' '.join(move.names)}"
        )
        if "pvVisits" in request.switches:
            groups.append(f"pvVisits {' '.join(map(str, move.variation_visits))}")
    if "rootInfo" in request.switches:
        groups.append(f"rootInfo {_kata_values(analysis, analysis.score_deviation)}")
    if "ownership" in request.switches:
        groups.append("ownership " + " ".join(f"{owner:.3f}" for owner in _owners(analysis)))
    return " ".join(groups)


def _kata_values(found: Analysis | MoveStatistics, deviation: float) -> str:
    return (
        f"visits {found.visits} utility {2 * found.winrate - 1:.6f} winrate {found.winrate:.6f} "
        f"scoreMean {found.score:.3f} scoreStdev {deviation:.3f} scoreLead {found.score:.3f} "
        f"scoreSelfplay {found.score:.3f}"
    )


def _cgos(analysis: Analysis) -> str:
    """Return a JSON object; ownership is a character a point, from ``A``, the opponent's, to ``+``, the mover's."""
    found = _cgos_values(analysis)
    found["moves"] = [
        {"move": move.name, **_cgos_values(move), "prior": round(move.prior, 4), "pv": " ".join(move.names)}
        for move in visited_moves(analysis, 20)
    ]
    found["ownership"] = "".join(_OWNERSHIP_SIGNS[round(62 * (owner + 1) / 2)] for owner in _owners(analysis))
    return json.dumps(found, separators=(",", ":"))


def _cgos_values(found: Analysis | MoveStatistics) -> dict[str, object]:
    return {"winrate": round(found.winrate, 4), "visits": found.visits, "score": round(found.score, 2)}


def _owners(analysis: Analysis) -> list[float]:
    """Return the ownership row by row from the top left."""
    return [from_side(analysis.to_play, owner) for owner in from_the_top(analysis.ownership)]
