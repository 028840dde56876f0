"""What tests of the GTP engine share: sending lines, and reading answers as strictly as front ends do."""

import re
import sys
from dataclasses import dataclass, field

from kikashi.board.points import parse_vertex
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.game import Game
from kikashi.protocols.gtp.server import answers
from kikashi.protocols.gtp.session import GtpSession

COMMAND = [sys.executable, "-m", "kikashi", "gtp"]
VERTEX = r"(?:[A-HJ-T](?:1[0-9]|[1-9])|pass)"


def new_session(size: int = 5, simulations: int = 20, *, preset: str = "kikashi", **more) -> GtpSession:
    """A session whose analyses end after one line: something is always waiting."""
    player = Player(preset, megabytes=4)
    session = GtpSession(player, limit=Limit(simulations), **{"size": size, "komi": 7.5, **more})
    session.is_awaited = lambda: True
    return session


def says(session: GtpSession, line: str) -> str:
    """All that is written for a line."""
    return "".join(answers(session, line))


def ok(session: GtpSession, line: str) -> str:
    """The text of an answer that must be a success."""
    text = says(session, line)
    check_answer(text)
    assert text.startswith("="), f"{line}: {text}"
    return text[1:].strip()


def fails(session: GtpSession, line: str) -> str:
    """The text of an answer that must be a failure: one line."""
    text = says(session, line)
    assert re.fullmatch(r"\? [^\n]+\n\n", text), f"{line}: {text!r}"
    assert "internal error" not in text, f"{line}: {text!r}"
    return text[2:].strip()


def play(session: GtpSession, *moves: str) -> None:
    """``"b C3"``, ``"w D3"``, …"""
    for move in moves:
        assert ok(session, f"play {move}") == ""


def check_answer(text: str, number: str = "") -> None:
    """An answer ends with its only empty line, begins with its id, and holds no control characters."""
    assert text.endswith("\n\n"), repr(text)
    assert "\n\n" not in text[:-2], repr(text)
    assert re.match(rf"[=?]{number}(\s|$)", text), repr(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text), repr(text)
    assert "Traceback" not in text
    assert "internal error" not in text, repr(text)
    if text.startswith("?"):
        assert text.count("\n") == 2, repr(text)


def noise(stderr: str) -> str:
    """What was written to standard error, but for the progress of compiling, which ranks of a job may write at once."""
    told = re.sub(r"kikashi: compiling.*", "", stderr)
    return told.lstrip("\n") if told.strip() else ""


def state(session: GtpSession) -> tuple[object, ...]:
    """All that a command that fails must leave as it was."""
    game = session.game
    return (
        (game.size, game.komi, game.rules, game.handicap, game.moves, str(game), game.turn),
        (dict(session.clocks), session.start_clock, session.last, session.player.preset, session.running),
    )


SETTLED = """
    . . . X O . .
    . O . X O . .
    . . . X O . .
    X . X X O . X
    . . . X O O O
    . X . X O . .
    . . . X O . .
"""
"""White's B6 and Black's G4 are dead; Black owns 28 points and White 21."""


WON_BY_A_DEAD_STONE = """
    . . . X . . X O .
    O . . X X X O O O
    . . . X . X O . O
    X X X X X X O O O
    X . X X O O O . O
    X X . X O . O O .
    X O X X O O . O O
    O O O O O . O . O
    . O . O . O O O .
"""
"""At komi -10.5 the count is W+8.5, but B+1.5 without A8, which is dead; F9 takes a stone, and White wins both ways."""


def settled_session() -> GtpSession:
    """A session at the end of a game, which `SETTLED` shows."""
    session = new_session(7, simulations=100)
    session.take_game(Game.from_diagram(SETTLED, komi=0.5))
    return session


# --- analysis lines ---------------------------------------------------------------------------------------------------


@dataclass
class Group:
    """An ``info`` group: its pairs, its line of moves, and what came after that."""

    pairs: dict[str, str]
    line: list[str]
    visits: list[int] = field(default_factory=list)


@dataclass
class Parsed:
    """A line of analysis."""

    groups: list[Group]
    root: dict[str, str] = field(default_factory=dict)
    ownership: list[float] = field(default_factory=list)


def parse_info(text: str) -> Parsed:
    """Read a line as front ends do: pairs of key and value up to ``pv``, then vertices; nothing may be left over."""
    head, _, owners = text.partition(" ownership ")
    head, _, root = head.partition(" rootInfo ")
    assert head.startswith("info move "), text
    groups = []
    for part in re.split(r"(?:^| )info ", head)[1:]:
        values, mark, line = part.partition(" pv ")
        assert mark, f"no pv: {part}"
        line, _, visits = line.partition(" pvVisits ")
        assert re.fullmatch(rf"{VERTEX}(?: {VERTEX})*", line), line
        groups.append(Group(_pairs(values), line.split(), [int(word) for word in visits.split()]))
    return Parsed(groups, _pairs(root), [float(word) for word in owners.split()])


def _pairs(text: str) -> dict[str, str]:
    words = text.split(" ") if text else []
    assert len(words) % 2 == 0, text
    assert "" not in words, f"two blanks: {text!r}"
    return dict(zip(words[::2], words[1::2], strict=True))


def group_of(player: Player, game: Game) -> list[int]:
    """The points of ``kikashi-group`` in a position."""
    return _points(player, game, "kikashi-group")


def zone_of(player: Player, game: Game) -> list[int]:
    """The points of ``kikashi-zone`` in a position."""
    return _points(player, game, "kikashi-zone")


def _points(player: Player, game: Game, command: str) -> list[int]:
    session = GtpSession(player)
    session.game = game
    return sorted(parse_vertex(name, game.size) for name in ok(session, command).split())
