"""The end of a game: score, dead stones, cleanup."""

from kikashi.board.points import BLACK, EAST, EMPTY, NORTH, PASS, SOUTH, WEST, WHITE, opponent, vertex
from kikashi.engine.move_choice import Decision
from kikashi.engine.scoring import decided_score, territory
from kikashi.game import RESIGN
from kikashi.game.moves import format_score
from kikashi.game.ownership import statuses
from kikashi.game.territory import chains
from kikashi.protocols.gtp.protocol import Arguments, Failure, Result, command
from kikashi.protocols.gtp.session import GtpSession


@command("final_score")
def final_score(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the area score of the board as it is, without dead stones: ``B+3.5``, ``W+2``, ``0``. By territory rules,
    the stones that simulations find dead are prisoners, and eyes in seki are no territory."""
    game = session.game
    if not game.rules.counts_territory:
        return format_score(game.score())
    judged = statuses(game, session.owners())
    dead, seki = ([p for p, each in judged.items() if each == status] for status in ("dead", "seki"))
    return format_score(game.score(dead, seki))


@command("kikashi-estimate_score")
def estimate_score(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the score by simulations, without dead stones: a point counts for the player who owns it far more often
    than the other, and for nobody if neither does."""
    return format_score(decided_score(session.owners(), session.game.compensation))


@command("final_status_list STATUS")
def final_status_list(session: GtpSession, arguments: Arguments) -> Result:
    """List the stones that are ``alive``, ``dead`` or in ``seki`` by simulations, one chain in a line; also
    ``black_territory``, ``white_territory`` and ``dame``."""
    status = arguments.text()
    points = {"black_territory": BLACK, "white_territory": WHITE, "dame": EMPTY}
    if status not in ("alive", "dead", "seki", *points):
        raise Failure(f"{status!r} is not a status: alive, dead, seki, black_territory, white_territory, dame")
    owners = session.owners()
    if status in points:
        return " ".join(vertex(p) for p in territory(session.game, owners, points[status]))
    judged = statuses(session.game, owners)
    return "\n".join(" ".join(map(vertex, chain)) for chain in chains(session.game.board) if judged[chain[0]] == status)


@command("genmove_cleanup COLOR", "kgs-genmove_cleanup COLOR")
def genmove_cleanup(session: GtpSession, arguments: Arguments) -> Result:
    """Like ``genmove``, but capture the opponent's dead stones while there are any; never ``resign``."""
    color = arguments.color()
    judged = statuses(session.game, session.owners(on_clock_of=color))
    dead = [p for p in session.game.stones(opponent(color)) if judged[p] == "dead"]
    *_, analysis = session.think(color, may_pass=not dead)
    beside = {p + step for p in dead for step in (NORTH, EAST, SOUTH, WEST)}
    capture = next((move.move for move in analysis.moves if move.move in beside), None)
    move = session.decide(analysis).move if capture is None else capture
    return session.play(Decision(PASS if move == RESIGN else move, analysis)).name
