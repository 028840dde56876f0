"""Views of a game: pictures in a terminal that can show them, plain text elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from kikashi.board.points import BLACK, PASS, opponent
from kikashi.game import Game
from kikashi.game.moves import format_points
from kikashi.terminal import board_view
from kikashi.terminal.counting import Count

HINTS = 5
"""Moves that a hint names."""
_SIDE = 31
"""Columns beside the board: 80 in all with a 19x19 board."""
_DEAD = "✕"
_LISTED_BELOW = 3
"""Moves that are listed where there is no room beside the board."""
Found = TypeVar("Found")


@dataclass
class View:
    """The game as shown to the person who plays `color` against a player of this name."""

    console: Console
    count: Count
    color: int
    name: str
    evaluation: board_view.EvaluationText | None = None
    """The player's evaluation at its last move."""

    @property
    def game(self) -> Game:
        return self.count.game

    @property
    def draws(self) -> bool:
        return board_view.can_draw(self.console, self._width)

    @property
    def colored(self) -> bool:
        return self.draws and board_view.has_colors(self.console)

    @property
    def dead_sign(self) -> str:
        """The mark of dead stones, in words."""
        return _DEAD if self.draws else "x and o"

    def say(self, text: str, *, is_copied: bool = False) -> None:
        """Print plain text; on a terminal it is wrapped between words, unless a person may copy it."""
        soft = is_copied or not self.console.is_terminal
        self.console.print(text, markup=False, highlight=False, soft_wrap=soft)

    def show(self) -> None:
        if self.draws:
            title = self.count.result() or f"move {self.game.move_count + 1}"
            self.picture(title, self._side(), marks=dict.fromkeys(self.count.dead, _DEAD))
        else:
            signs = {p: "xo"[self.game.color_at(p) != BLACK] for p in self.count.dead}
            self.say(f"{board_view.marked_diagram(self.game, signs)}\n{self._status()}")

    def picture(
        self,
        title: str,
        side: RenderableType,
        *,
        marks: Mapping[int, str] | None = None,
        ownership: Sequence[float] | None = None,
    ) -> None:
        """Show the board, and something beside it, or below it if the console is narrow."""
        last = max(PASS, self.game.moves[-1].point) if self.game.moves else PASS
        board = board_view.draw(self.game.board, last, marks=marks, ownership=ownership, colored=self.colored)
        left = Panel(board, title=title, border_style=board_view.FRAME, expand=False)
        if not self._has_side:
            self.console.print(left, side, sep="\n")
            return
        grid = Grid.grid()
        grid.add_column(width=self._width)
        grid.add_column(width=_SIDE)
        height = max(self.game.size + 4, HINTS + 6)
        grid.add_row(left, Panel(side, title=self._about(), border_style=board_view.FRAME, height=height))
        self.console.print(grid)

    def thinking(self, think: Callable[[], Found], who: str = "") -> Found:
        """Call a function while a line says that the player, or somebody else, is thinking."""
        if not self.draws:
            return think()
        status = self.console.status(f"{who or self.name} is thinking")
        try:
            with status:
                return think()
        finally:
            status.stop()  # Ctrl-C may come while it starts, when the cursor is hidden already

    @property
    def _has_side(self) -> bool:
        return self.console.width >= self._width + _SIDE

    @property
    def _width(self) -> int:
        return 2 * self.game.size + 11

    def _side(self) -> RenderableType:
        """Return the players, the engine's evaluation and the last moves."""
        lines: list[RenderableType] = []
        for color in (self.color, opponent(self.color)):
            name = "you" if color == self.color else self.name
            taken = f", {self.game.prisoners(color)} taken"
            lines.append(Text.assemble(self._stone(color), " ", (name, "bold"), (taken, "dim"), no_wrap=True))
        if self.evaluation is not None:
            lines += ["", Text.assemble(board_view.bar(self.evaluation.black, 20), " ", self.evaluation.text)]
        room = max(self.game.size + 2, HINTS + 4) - len(lines) - 1 if self._has_side else _LISTED_BELOW
        moves = list(enumerate(self.game.moves, 1))[-room:]
        lines += [""] if moves else []
        lines += [Text.assemble(f"{number:3} ", self._stone(move.color), " ", move.name) for number, move in moves]
        return Group(*lines)

    def _stone(self, color: int) -> Text:
        return board_view.stone(color, colored=self.colored)

    def _about(self) -> str:
        return f"{self.game.size}x{self.game.size}, komi {format_points(self.game.komi)}"

    def _status(self) -> str:
        taken = ", ".join(f"{name} has taken {self.game.prisoners(color)}" for color, name in board_view.NAMES.items())
        last = f", last move {self.game.moves[-1]}" if self.game.moves else ""
        return f"move {self.game.move_count + 1}, {self._about()}, {self.game.rules} rules; {taken}{last}"
