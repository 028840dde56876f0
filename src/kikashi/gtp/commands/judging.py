"""The end of a game: the count, which stones are dead, and playing it out."""

from __future__ import annotations

from kikashi.board.points import (
    BLACK,
    EAST,
    EMPTY,
    NORTH,
    PASS,
    SOUTH,
    WEST,
    WHITE,
    opponent,
    parse_vertex,
    points_of,
    vertex,
)
from kikashi.game import RESIGN, Game
from kikashi.game.moves import format_score
from kikashi.game.status import SURE, chains, statuses
from kikashi.gtp.arguments import Arguments
from kikashi.gtp.commands import Result, command
from kikashi.gtp.protocol import Failure
from kikashi.gtp.session import Session
from kikashi.player import Decision
from kikashi.search.analysis import Analysis


@command("final_score")
def final_score(session: Session, arguments: Arguments) -> Result:
    """The area count of the board as it stands, no stone taken for dead: ``B+3.5``, ``W+2``, ``0``."""
    return format_score(session.game.score())


@command("kikashi-estimate_score")
def estimate_score(session: Session, arguments: Arguments) -> Result:
    """The count when the stones that simulations hold for dead are taken off and points go to who owns them; what is
    open counts for nobody."""
    owned = [_owner(owner) for owner in session.owners(session.judge()).values()]
    return format_score(owned.count(BLACK) - owned.count(WHITE) - session.game.komi)


def _owner(owner: float) -> int:
    """Whose a point is, EMPTY if that is not sure."""
    return BLACK if owner > SURE else WHITE if owner < -SURE else EMPTY


@command("final_status_list STATUS")
def final_status_list(session: Session, arguments: Arguments) -> Result:
    """The stones that are ``alive``, ``dead`` or in ``seki``, one chain in a line, as simulations end; also
    ``black_territory``, ``white_territory`` and ``dame``."""
    wanted = arguments.text()
    points = {"black_territory": BLACK, "white_territory": WHITE, "dame": EMPTY}
    if wanted not in ("alive", "dead", "seki", *points):
        raise Failure(f"{wanted!r} is not a status: alive, dead, seki, black_territory, white_territory, dame")
    owners = session.owners(session.judge())
    if wanted in points:
        return " ".join(vertex(p) for p in _territory(session.game, owners, points[wanted]))
    judged = statuses(session.game, owners)
    return "\n".join(" ".join(map(vertex, chain)) for chain in chains(session.game) if judged[chain[0]] == wanted)


def _territory(game: Game, owners: dict[int, float], color: int) -> list[int]:
    """The empty points, and those of dead stones, that a player owns; EMPTY for those nobody does."""
    dead = {p for p, status in statuses(game, owners).items() if status == "dead"}
    free = (p for p in points_of(game.size) if game.color_at(p) == EMPTY or p in dead)
    return [p for p in free if _owner(owners[p]) == color]


@command("genmove_cleanup COLOR", "kgs-genmove_cleanup COLOR")
def genmove_cleanup(session: Session, arguments: Arguments) -> Result:
    """Like ``genmove``, but goes for the dead stones of the opponent while there are any; never ``resign``."""
    color = arguments.color()
    judged = statuses(session.game, session.owners(session.judge(on_clock_of=color)))
    *_, analysis = session.think(color)
    dead = [p for p in session.game.stones(opponent(color)) if judged[p] == "dead"]
    taking = _best_beside(dead, session.game.size, analysis)
    move = session.decide(color, analysis, play=False).move if taking is None else taking
    return session.play(color, Decision(PASS if move == RESIGN else move, analysis)).name


def _best_beside(stones: list[int], size: int, analysis: Analysis) -> int | None:
    """The most visited move next to one of these stones; None if there is none."""
    beside = {p + step for p in stones for step in (NORTH, EAST, SOUTH, WEST)}
    moves = (parse_vertex(move.move, size) for move in analysis.moves)
    return next((p for p in moves if p in beside), None)
