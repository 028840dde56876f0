"""GTP 2's required commands, and undo."""

from __future__ import annotations

import time

from kikashi import __version__
from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.game import RESIGN
from kikashi.protocols.gtp.protocol import Arguments, Failure
from kikashi.protocols.gtp.registry import COMMANDS, Result, command
from kikashi.protocols.gtp.session import GtpSession

LARGEST_KOMI = 100_000


@command("protocol_version")
def protocol_version(session: GtpSession, arguments: Arguments) -> Result:
    """Answer ``2``."""
    return "2"


@command("name")
def name(session: GtpSession, arguments: Arguments) -> Result:
    """Answer ``kikashi``."""
    return "kikashi"


@command("version")
def version(session: GtpSession, arguments: Arguments) -> Result:
    """Answer ``0.15`` and the version of kikashi: Lizzie reads the first as Leela Zero's, and needs at least 0.15."""
    return f"0.15 (kikashi {__version__})"


@command("known_command NAME")
def known_command(session: GtpSession, arguments: Arguments) -> Result:
    """Answer ``true`` or ``false``."""
    return "true" if arguments and arguments.text() in COMMANDS else "false"


@command("list_commands", "help")
def list_commands(session: GtpSession, arguments: Arguments) -> Result:
    """List the names of all commands."""
    return "\n".join(COMMANDS)


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


@command("get_komi")
def get_komi(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the komi."""
    return f"{session.game.komi:g}"


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


@command("cputime")
def cputime(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the processor time of this engine in seconds."""
    return f"{time.process_time():.3f}"
