"""Our own tactical problems: small fights on a board that is settled otherwise, with their right moves; and moves that
our searches overlooked in games.

Reading order: `load_problems` (the data), `script_of` (a problem as the commands and the answer of a regression file),
`load_overlooked` (such a file).
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from kikashi.board.points import PASS, color_name, parse_vertex, point, vertex
from kikashi.experiments.regression import Expected, Script, Step, parse_scripts
from kikashi.game import Game
from kikashi.game.diagram import parse_diagram
from kikashi.game.moves import parse_color
from kikashi.protocols.gtp.protocol import Command
from kikashi.wording import convert, read_toml

DATA = "problems.toml"
OVERLOOKED = "overlooked.tst"
MARK = "*"


@dataclass(frozen=True)
class Problem:
    name: str
    theme: str
    why: str
    diagram: str
    to_play: int
    komi: float
    answers: frozenset[int]
    marked: frozenset[int]
    """The empty points of the fight."""

    def game(self) -> Game:
        """The position, with who is to play and the komi that makes the fight decide."""
        return Game.from_diagram(self.diagram, self.to_play, self.komi)


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    theme: str
    to_play: Literal["black", "white"]
    komi: float
    answers: list[str]
    why: str
    board: str


@cache
def load_problems() -> tuple[Problem, ...]:
    """The problems of the package, those of a theme together."""
    return parse_problems((files(__package__) / DATA).read_bytes())


def parse_problems(text: bytes | str) -> tuple[Problem, ...]:
    """The problems of a file. Raises ValueError if it is not one such as ours."""
    entries = convert(read_toml(text), dict[str, _Entry])
    return tuple(_problem(name, entry) for name, entry in entries.items())


def _problem(name: str, entry: _Entry) -> Problem:
    rows = [line.split() for line in entry.board.strip().splitlines()]
    size = parse_diagram(entry.board)[0]
    marked = frozenset(
        point(column, size - index)
        for index, row in enumerate(rows)
        for column, sign in enumerate(row, start=1)
        if sign == MARK
    )
    answers = frozenset(parse_vertex(answer, size) for answer in entry.answers)
    if not answers or not answers <= marked | {PASS}:
        raise ValueError(f"{name}: an answer must be a marked point or pass")
    color = parse_color(entry.to_play)
    diagram = "\n".join(" ".join(row) for row in rows)
    return Problem(name, entry.theme, entry.why.strip(), diagram, color, entry.komi, answers, marked)


def load_overlooked() -> list[Script]:
    """Positions of games that were lost by a move that the search had not looked at, with that move as the answer."""
    return parse_scripts((files(__package__) / OVERLOOKED).read_text("utf-8"), OVERLOOKED)


def script_of(problem: Problem) -> Script:
    """Return a problem as the commands and the answer of a regression file."""
    game, player = problem.game(), color_name(problem.to_play)
    stones = [word for color in ("black", "white") for p in game.stones(color) for word in (color, vertex(p))]
    commands = {
        "boardsize": (str(game.size),),
        "komi": (f"{problem.komi:g}",),
        "set_position": tuple(stones),
        "gogui-setup_player": (player,),
    }
    steps = [Step(0, Command("", name, arguments), problem.theme) for name, arguments in commands.items()]
    expected = Expected("|".join(sorted(map(vertex, problem.answers))))
    question = Step(0, Command("", "reg_genmove", (player,)), problem.theme, expected)
    return Script(problem.name, (*steps, question))
