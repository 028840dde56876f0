"""What a person sees of a game: pictures in a terminal that can show them, plain text elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from kikashi.board.points import PASS, opponent
from kikashi.game.moves import format_points
from kikashi.terminal.board_view import FRAME, NAMES, Opinion, bar, can_draw, draw, stone
from kikashi.terminal.counting import Count

HINTS = 5
"""Moves that a hint names."""
_SIDE = 31
"""Columns beside the board: 80 in all with a 19x19 board."""
_DEAD = "✕"
Found = TypeVar("Found")


class View:
    """Shows a game to the person who plays `color` against a player of this name."""

    def __init__(self, console: Console, count: Count, color: int, name: str) -> None:
        self.console = console
        self.count = count
        self.game = count.game
        self.color = color
        self.name = name
        self.opinion: Opinion | None = None
        """What the player thought at its last move."""

    @property
    def draws(self) -> bool:
        """Whether the console can show pictures of the board."""
        return can_draw(self.console, self._width + _SIDE)

    def say(self, text: str, end: str = "\n") -> None:
        """Plain text, whatever is in it."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True, end=end)

    def show(self) -> None:
        """The position."""
        if self.draws:
            title = self.count.result() or f"move {self.game.move_count + 1}"
            self.picture(title, self._side(), marks=dict.fromkeys(self.count.dead, _DEAD))
        else:
            self.say(f"{self.game}\n{self._status()}")

    def picture(
        self,
        title: str,
        side: RenderableType,
        *,
        marks: Mapping[int, str] | None = None,
        ownership: Sequence[float] | None = None,
    ) -> None:
        """The board, and something beside it."""
        last = max(PASS, self.game.moves[-1].point) if self.game.moves else PASS
        board = draw(self.game.board, last, marks=marks, ownership=ownership)
        grid = Grid.grid()
        grid.add_column(width=self._width)
        grid.add_column(width=_SIDE)
        left = Panel(board, title=title, border_style=FRAME, expand=False)
        height = max(self.game.size + 4, HINTS + 6)
        grid.add_row(left, Panel(side, title=self._about(), border_style=FRAME, height=height))
        self.console.print(grid)

    def thinking(self, think: Callable[[], Found]) -> Found:
        """Say that the player is thinking while it does."""
        if not self.draws:
            return think()
        with self.console.status(f"{self.name} is thinking"):
            return think()

    @property
    def _width(self) -> int:
        return 2 * self.game.size + 11

    def _side(self) -> RenderableType:
        """The players, what the engine thinks and the last moves."""
        lines: list[RenderableType] = []
        for color in (self.color, opponent(self.color)):
            name = "you" if color == self.color else self.name
            taken = f" {self.game.prisoners(color)} taken"
            lines.append(Text.assemble(stone(color), " ", (name, "bold"), (taken, "dim"), no_wrap=True))
        if self.opinion is not None:
            lines += ["", Text.assemble(bar(self.opinion.black, 20), " ", self.opinion.text)]
        room = max(self.game.size + 2, HINTS + 4) - len(lines) - 1
        moves = list(enumerate(self.game.moves, 1))[-room:]
        lines += [""] if moves else []
        lines += [Text.assemble(f"{number:3} ", stone(move.color), " ", move.name) for number, move in moves]
        return Group(*lines)

    def _about(self) -> str:
        return f"{self.game.size}x{self.game.size}, komi {format_points(self.game.komi)}"

    def _status(self) -> str:
        taken = ", ".join(f"{NAMES[color]} has taken {self.game.prisoners(color)}" for color in NAMES)
        last = f", last move {self.game.moves[-1]}" if self.game.moves else ""
        return f"move {self.game.move_count + 1}, {self._about()}, {self.game.rules} rules; {taken}{last}"
