"""Positions: the board, handicaps, setup and files."""

from pathlib import Path

from kikashi import sgf
from kikashi.board.points import BLACK, WHITE, color_name, vertex
from kikashi.files import write_whole
from kikashi.game import Game
from kikashi.game.moves import format_points
from kikashi.protocols.gtp.protocol import Arguments, Failure, Result, command
from kikashi.protocols.gtp.session import GtpSession


@command("showboard")
def showboard(session: GtpSession, arguments: Arguments) -> Result:
    """Show the board, with prisoners, komi, rules and the player to move."""
    game = session.game
    about = [
        f"{color_name(game.turn)} to play, move {game.move_count + 1}",
        f"komi {format_points(game.komi)}, {game.rules}",
        f"black has taken {game.prisoners(BLACK)}, white {game.prisoners(WHITE)}",
    ]
    return "\n" + "\n".join([str(game), *about])


@command("list_stones COLOR")
def list_stones(session: GtpSession, arguments: Arguments) -> Result:
    """List the vertices of a player's stones."""
    return " ".join(map(vertex, session.game.stones(arguments.color())))


@command("is_legal COLOR VERTEX")
def is_legal(session: GtpSession, arguments: Arguments) -> Result:
    """Answer ``1`` or ``0``."""
    color = arguments.color()
    return str(int(session.game.is_legal(arguments.vertex(session.game.size), color)))


@command("all_legal COLOR")
def all_legal(session: GtpSession, arguments: Arguments) -> Result:
    """List the points where a player may play; passing is always legal and not listed."""
    legal = session.game.turned_to(arguments.color()).legal_moves
    return " ".join(vertex(p) for p in legal if p)


# --- handicap ---------------------------------------------------------------------------------------------------------


@command("fixed_handicap STONES")
def fixed_handicap(session: GtpSession, arguments: Arguments) -> Result:
    """Place 2 to 9 stones on the star points and list them. Fails if the board is not empty or too small."""
    return _vertices(session, session.game.place_fixed_handicap(arguments.integer(0, 9)))


@command("place_free_handicap STONES")
def place_free_handicap(session: GtpSession, arguments: Arguments) -> Result:
    """Place stones of the engine's choice and list them. Fails if the board is not empty."""
    return _vertices(session, session.game.place_free_handicap(arguments.integer(0, 361)))


@command("set_free_handicap VERTEX VERTEX ...")
def set_free_handicap(session: GtpSession, arguments: Arguments) -> None:
    """Place stones of the controller's choice. Fails if a point is repeated or the board not empty."""
    points = []
    while arguments:
        points.append(arguments.point(session.game.size))
    _vertices(session, session.game.set_free_handicap(points))


def _vertices(session: GtpSession, points: list[int]) -> str:
    session.player.new_game()
    return " ".join(map(vertex, points))


# --- positions --------------------------------------------------------------------------------------------------------


@command("set_position [COLOR VERTEX ...]", "gogui-setup [COLOR VERTEX ...]")
def set_position(session: GtpSession, arguments: Arguments) -> None:
    """Start from these stones, Black to play; komi and rules stay. Fails if a chain has no liberty."""
    stones: dict[int, list[int]] = {BLACK: [], WHITE: []}
    while arguments:
        color = arguments.color()
        stones[color].append(arguments.point(session.game.size))
    game = Game(session.game.size, session.game.komi, session.game.rules)
    game.setup(stones[BLACK], stones[WHITE])
    session.take_game(game)


@command("gogui-setup_player COLOR")
def setup_player(session: GtpSession, arguments: Arguments) -> None:
    """Set the player to move."""
    session.take_game(session.game.turned_to(arguments.color()))


@command("gogui-play_sequence [COLOR VERTEX ...]")
def play_sequence(session: GtpSession, arguments: Arguments) -> None:
    """Play several moves, all of them or, if one is illegal, none."""
    trial = session.game.copy()
    while arguments:
        color = arguments.color()
        trial.push(arguments.vertex(trial.size), color)
    session.game = trial


# --- files ------------------------------------------------------------------------------------------------------------


@command("loadsgf FILE [MOVE]")
def loadsgf(session: GtpSession, arguments: Arguments) -> Result:
    """Read the main line of a game, up to the position before MOVE if it is given, and answer the player to move. The
    rules are the file's, unless the engine was started with ``--rules``. On failure the game stays as it was."""
    path = Path(arguments.text())
    before = arguments.integer(0, 1_000_000) if arguments else None
    try:
        if path.exists() and not path.is_file():  # a device or a pipe may never end
            raise Failure("cannot load file: it is a folder or a device")
        rules = session.game.rules if session.insists_on_rules else None
        game = sgf.read_game(path, moves=None if before is None else max(0, before - 1), rules=rules)
    except OSError as error:
        raise Failure(f"cannot load file: {error.strerror or error}") from None
    except ValueError as error:
        raise Failure(f"cannot load file: {error}") from None
    session.take_game(game)
    return color_name(game.turn)


@command("printsgf [FILE]")
def printsgf(session: GtpSession, arguments: Arguments) -> Result:
    """Answer the game as SGF, or write it to a file, whose name cannot have blanks. The result is that of the loaded
    file, until a move is played; two passes alone give none."""
    text = sgf.write_game(session.game)
    if not arguments:
        return text
    write_whole(arguments.text(), text, make_folders=False)
    return None
