"""GTP 2's required commands, and undo."""

import time

from kikashi import __version__
from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.game import RESIGN
from kikashi.protocols.gtp.protocol import COMMANDS, Arguments, Failure, Result, command, question
from kikashi.protocols.gtp.session import GtpSession

LARGEST_KOMI = 100_000


VERSION = "Answer ``0.15`` and the version of kikashi: Lizzie reads the first as Leela Zero's, and needs at least 0.15."

question("protocol_version", "Answer ``2``.", lambda session: "2")
question("name", "Answer ``kikashi``.", lambda session: "kikashi")
question("version", VERSION, lambda session: f"0.15 (kikashi {__version__})")
question("list_commands", "List the names of all commands.", lambda session: "\n".join(COMMANDS))
question("help", "List the names of all commands.", lambda session: "\n".join(COMMANDS))
question("cputime", "Answer the processor time of the engine in seconds.", lambda session: f"{time.process_time():.3f}")
question("get_komi", "Answer the komi.", lambda session: f"{session.game.komi:g}")


@command("known_command NAME")
def known_command(session: GtpSession, arguments: Arguments) -> Result:
    """Answer ``true`` or ``false``."""
    return "true" if arguments and arguments.text() in COMMANDS else "false"


@command("quit")
def quit_session(session: GtpSession, arguments: Arguments) -> None:
    """Answer and exit."""
    session.running = False


@command("boardsize SIZE")
def boardsize(session: GtpSession, arguments: Arguments) -> None:
    """Clear the board and set its size, from 2 to 19. Fails for any other: ``unacceptable size``."""
    try:
        size = arguments.integer(MIN_SIZE, MAX_SIZE)
    except Failure:
        raise Failure(f"unacceptable size: boards are from {MIN_SIZE} to {MAX_SIZE}") from None
    session.new_game(size)


@command("clear_board")
def clear_board(session: GtpSession, arguments: Arguments) -> None:
    """Start a new game; komi, rules and time settings stay."""
    session.new_game()


@command("komi POINTS")
def komi(session: GtpSession, arguments: Arguments) -> None:
    """Set the komi, a multiple of 1/2."""
    points = arguments.number()
    if abs(points) > LARGEST_KOMI:
        raise Failure(f"komi {points:g} is more than {LARGEST_KOMI}")
    session.game.komi = points


@command("play COLOR VERTEX")
def play(session: GtpSession, arguments: Arguments) -> None:
    """Play a move of either player. Fails with the reason if it is illegal."""
    color = arguments.color()
    session.game.push(arguments.text(), color)


@command("genmove COLOR")
def genmove(session: GtpSession, arguments: Arguments) -> Result:
    """Search, play a move and answer it: a vertex, ``pass`` or ``resign``. ``# interrupt`` ends the search at once."""
    return session.take_turn(arguments.color()).name


@command("reg_genmove COLOR")
def reg_genmove(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the move of ``genmove`` without playing it; never ``resign``."""
    *_, analysis = session.think(arguments.color())
    session.last = decision = session.decide(analysis)
    return analysis.moves[0].name if decision.move == RESIGN else decision.name


@command("undo")
def undo(session: GtpSession, arguments: Arguments) -> None:
    """Take the last move back. Fails if there is none: ``cannot undo``."""
    session.undo()


@command("gg-undo [MOVES]")
def gg_undo(session: GtpSession, arguments: Arguments) -> None:
    """Take moves back, one without a number. Fails, and takes none back, if there are fewer."""
    session.undo(arguments.integer(1, 100_000) if arguments else 1)
