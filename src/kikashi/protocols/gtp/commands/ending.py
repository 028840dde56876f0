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
    vertex,
)
from kikashi.engine.move_choice import Decision
from kikashi.engine.scoring import decided_score, territory
from kikashi.game import RESIGN
from kikashi.game.moves import format_score
from kikashi.game.ownership import statuses
from kikashi.game.territory import chains
from kikashi.protocols.gtp.arguments import Arguments
from kikashi.protocols.gtp.protocol import Failure
from kikashi.protocols.gtp.registry import Result, command
from kikashi.protocols.gtp.session import Session
from kikashi.search.analysis import Analysis


@command("final_score")
def final_score(session: Session, arguments: Arguments) -> Result:
    """The area count of the board as it stands, no stone taken for dead: ``B+3.5``, ``W+2``, ``0``. Where territory
    counts, the stones that simulations hold for dead are prisoners, and eyes in seki are no territory."""
    game = session.game
    if not game.rules.counts_territory:
        return format_score(game.score())
    judged = statuses(game, session.owners())
    dead, seki = ([p for p, status in judged.items() if status == wanted] for wanted in ("dead", "seki"))
    return format_score(game.score(dead, seki))


@command("kikashi-estimate_score")
def estimate_score(session: Session, arguments: Arguments) -> Result:
    """The count by simulations, dead stones taken off: a point counts for the player who owns it far more often than
    the other, and for nobody if neither does."""
    return format_score(decided_score(session.owners(), session.game.compensation))


@command("final_status_list STATUS")
def final_status_list(session: Session, arguments: Arguments) -> Result:
    """The stones that simulations hold for ``alive``, ``dead`` or in ``seki``, one chain in a line; also
    ``black_territory``, ``white_territory`` and ``dame``."""
    wanted = arguments.text()
    points = {"black_territory": BLACK, "white_territory": WHITE, "dame": EMPTY}
    if wanted not in ("alive", "dead", "seki", *points):
        raise Failure(f"{wanted!r} is not a status: alive, dead, seki, black_territory, white_territory, dame")
    owners = session.owners()
    if wanted in points:
        return " ".join(vertex(p) for p in territory(session.game, owners, points[wanted]))
    judged = statuses(session.game, owners)
    return "\n".join(" ".join(map(vertex, chain)) for chain in chains(session.game.board) if judged[chain[0]] == wanted)


@command("genmove_cleanup COLOR", "kgs-genmove_cleanup COLOR")
def genmove_cleanup(session: Session, arguments: Arguments) -> Result:
    """Like ``genmove``, but goes for the dead stones of the opponent while there are any; never ``resign``."""
    color = arguments.color()
    judged = statuses(session.game, session.owners(on_clock_of=color))
    dead = [p for p in session.game.stones(opponent(color)) if judged[p] == "dead"]
    turn = session.turn(color)
    *_, analysis = session.think(turn, may_pass=not dead)
    taking = _best_beside(dead, analysis)
    move = turn.decide(analysis).move if taking is None else taking
    return session.play(turn, Decision(PASS if move == RESIGN else move, analysis)).name


def _best_beside(stones: list[int], analysis: Analysis) -> int | None:
    """The most visited move next to one of these stones; None if there is no such move."""
    beside = {p + step for p in stones for step in (NORTH, EAST, SOUTH, WEST)}
    return next((move.move for move in analysis.moves if move.move in beside), None)
