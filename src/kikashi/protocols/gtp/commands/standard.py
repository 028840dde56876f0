"""What GTP 2 demands of every engine, and taking moves back."""

from __future__ import annotations

import time

from kikashi import __version__
from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.game import RESIGN
from kikashi.protocols.gtp.arguments import Arguments
from kikashi.protocols.gtp.protocol import Failure
from kikashi.protocols.gtp.registry import COMMANDS, Result, command
from kikashi.protocols.gtp.session import Session
from kikashi.wording import plural

LARGEST_KOMI = 100_000
LIZZIES_LEAST = "0.15"


@command("protocol_version")
def protocol_version(session: Session, arguments: Arguments) -> Result:
    """2."""
    return "2"


@command("name")
def name(session: Session, arguments: Arguments) -> Result:
    """``kikashi``."""
    return "kikashi"


@command("version")
def version(session: Session, arguments: Arguments) -> Result:
    """``0.15`` and the version of kikashi: Lizzie takes the first for Leela Zero's, and starts from 0.15 on."""
    return f"{LIZZIES_LEAST} (kikashi {__version__})"


@command("known_command NAME")
def known_command(session: Session, arguments: Arguments) -> Result:
    """``true`` or ``false``."""
    return "true" if arguments and arguments.text() in COMMANDS else "false"


@command("list_commands", "help")
def list_commands(session: Session, arguments: Arguments) -> Result:
    """The names of all commands."""
    return "\n".join(COMMANDS)


@command("quit")
def quit_session(session: Session, arguments: Arguments) -> Result:
    """Answers and ends."""
    session.running = False
    return ""


@command("boardsize SIZE")
def boardsize(session: Session, arguments: Arguments) -> Result:
    """Clears the board and gives it a size from 2 to 19. Fails for any other: ``unacceptable size``."""
    try:
        size = arguments.integer(MIN_SIZE, MAX_SIZE)
    except Failure:
        raise Failure(f"unacceptable size: boards are from {MIN_SIZE} to {MAX_SIZE}") from None
    session.new_game(size)
    return ""


@command("clear_board")
def clear_board(session: Session, arguments: Arguments) -> Result:
    """A new game; komi, rules and time settings stay."""
    session.new_game()
    return ""


@command("komi POINTS")
def komi(session: Session, arguments: Arguments) -> Result:
    """Sets the komi, a multiple of 1/2."""
    points = arguments.number()
    if abs(points) > LARGEST_KOMI:
        raise Failure(f"komi {points:g} is more than {LARGEST_KOMI}")
    session.game.komi = points
    return ""


@command("get_komi")
def get_komi(session: Session, arguments: Arguments) -> Result:
    """The komi."""
    return f"{session.game.komi:g}"


@command("play COLOR VERTEX")
def play(session: Session, arguments: Arguments) -> Result:
    """Plays a move, of either player. Fails with the reason if it is illegal."""
    color = arguments.color()
    session.game.push(arguments.text(), color)
    return ""


@command("genmove COLOR")
def genmove(session: Session, arguments: Arguments) -> Result:
    """Thinks, plays and answers a vertex, ``pass`` or ``resign``. ``# interrupt`` makes it decide at once."""
    color = arguments.color()
    turn = session.turn(color)
    *_, analysis = session.think(turn)
    return session.play(turn, turn.decide(analysis)).name


@command("reg_genmove COLOR")
def reg_genmove(session: Session, arguments: Arguments) -> Result:
    """What `genmove` would play, not played; never ``resign``."""
    color = arguments.color()
    turn = session.turn(color)
    *_, analysis = session.think(turn)
    session.last = decision = turn.decide(analysis)
    return analysis.moves[0].name if decision.move == RESIGN else decision.name


@command("undo")
def undo(session: Session, arguments: Arguments) -> Result:
    """Takes the last move back. Fails if there is none: ``cannot undo``."""
    return gg_undo(session, Arguments((), "undo"))


@command("gg-undo [MOVES]")
def gg_undo(session: Session, arguments: Arguments) -> Result:
    """Takes this many moves back, one if no number is given. Fails, and takes none, if there are fewer."""
    count = arguments.integer(1, 100_000) if arguments else 1
    if count > session.game.move_count:
        raise Failure(f"cannot undo {count} of {plural(session.game.move_count, 'move')}")
    for _ in range(count):
        session.game.pop()
    return ""


@command("cputime")
def cputime(session: Session, arguments: Arguments) -> Result:
    """Seconds of processor time this engine has taken."""
    return f"{time.process_time():.3f}"
