"""The end of a game: the count, which stones are dead, and playing it out."""

from __future__ import annotations

from kikashi.board.points import BLACK, EMPTY, WHITE, opponent, points_of, vertex
from kikashi.game import Game
from kikashi.game.moves import format_score
from kikashi.game.status import chains, statuses
from kikashi.gtp.arguments import Arguments
from kikashi.gtp.commands import Result, command
from kikashi.gtp.protocol import Failure
from kikashi.gtp.session import Session


@command("final_score")
def final_score(session: Session, arguments: Arguments) -> Result:
    """The area count of the board as it stands, no stone taken for dead: ``B+3.5``, ``W+2``, ``0``."""
    return format_score(session.game.score())


@command("kikashi-estimate_score")
def estimate_score(session: Session, arguments: Arguments) -> Result:
    """The count when the stones that simulations hold for dead are taken off and points go to who owns them."""
    owners = session.owners(session.judge())
    black = sum((owner > 0) - (owner < 0) for owner in owners.values())
    return format_score(black - session.game.komi)


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
    owned = {p: BLACK if owner > 0.5 else WHITE if owner < -0.5 else EMPTY for p, owner in owners.items()}
    return [p for p in points_of(game.size) if (game.color_at(p) == EMPTY or p in dead) and owned[p] == color]


@command("genmove_cleanup COLOR", "kgs-genmove_cleanup COLOR")
def genmove_cleanup(session: Session, arguments: Arguments) -> Result:
    """Like ``genmove``, but does not pass or resign while dead stones of the opponent are on the board."""
    color = arguments.color()
    judged = statuses(session.game, session.owners(session.judge()))
    enemy = opponent(color)
    *_, analysis = session.think(color)
    decision = session.decide(color, analysis, play=False)
    move = decision.name
    if any(status == "dead" and session.game.color_at(p) == enemy for p, status in judged.items()):
        others = [found.move for found in analysis.moves if found.move != "pass" and found.visits]
        move = others[0] if move in ("pass", "resign") and others else move
    session.game.push(move, color)
    return move
