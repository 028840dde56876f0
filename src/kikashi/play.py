"""A person against a player, at a prompt."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from shlex import quote
from typing import TextIO, TypeVar

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from kikashi import sgf
from kikashi.board.points import BLACK, PASS, opponent, parse_vertex
from kikashi.deciding import Decision
from kikashi.game import Game, IllegalMove
from kikashi.game.moves import format_points, format_score
from kikashi.player import Player, warm_up
from kikashi.search.analysis import Analysis
from kikashi.terminal import FRAME, NAMES, Opinion, bar, can_draw, draw, opinion, owner_diagram, result_in_words, stone

FILE = "kikashi-game.sgf"
KOMI, HANDICAP_KOMI = 7.5, 0.5
HINTS = 5
"""Moves that a hint names."""
HELP = """\
d4          play at D4           pass, resign   as in any game
undo        take your last move back, and the answer to it
hint        what the engine would look at in your place
estimate    who is ahead, and who is likely to own what
board       show the board       save FILE      write the game as SGF
help        this                 quit           leave; the game is saved
Every stone on the board counts as alive: take what is dead before both pass."""
_SIDE = 31
"""Columns beside the board: 80 in all with a 19x19 board."""
Found = TypeVar("Found")

Ask = Callable[[str], str]
"""Shows a prompt and gives the line a person typed; raises EOFError when there is no more."""


def asker(console: Console, stream: TextIO | None = None) -> Ask:
    """A way to ask a person: at the terminal, or by reading lines of a stream, which are then printed too."""
    source = sys.stdin if stream is None else stream
    if source is sys.stdin and source.isatty():
        with suppress(ImportError):
            importlib.import_module("readline")  # input() then edits lines and remembers them
        return input

    def ask(prompt: str) -> str:
        line = source.readline()
        if not line:
            raise EOFError
        console.print(f"{prompt}{line.rstrip()}", markup=False, highlight=False, soft_wrap=True)
        return line

    return ask


def new_game(
    *,
    size: int | None = None,
    komi: float | None = None,
    handicap: int = 0,
    rules: str | None = None,
    load: str | os.PathLike[str] | None = None,
) -> Game:
    """A game to play: a new one, 9x9 by default, or one from an SGF file that is to be continued.

    Raises ValueError for settings that are not right, OSError if the file cannot be read.
    """
    if load is None:
        game = Game(size or 9, KOMI, rules or "positional")
        if handicap:
            game.place_free_handicap(handicap)
            game.komi = HANDICAP_KOMI
    else:
        game = sgf.read_game(Path(load), rules=rules)
        if handicap or size not in (None, game.size):
            raise ValueError(f"size and handicap come with {load}: leave the options out")
        game.headers.pop("RE", None)  # the game goes on
    if komi is not None:
        game.komi = komi
    return game


class Table:
    """A game between a person and a player. The game is changed as they play.

    `ask` reads from the person; games are saved in `folder` unless the person names another.
    """

    def __init__(
        self,
        console: Console,
        ask: Ask,
        player: Player,
        game: Game,
        *,
        color: int = BLACK,
        ponder: bool = False,
        folder: str | os.PathLike[str] = ".",
    ) -> None:
        self.console = console
        self.player = player
        self.game = game
        self.color = color
        self._ask = ask
        self._ponder = ponder
        self._folder = Path(folder)
        self._adviser = player.with_preset(player.preset)
        self._opinion: Opinion | None = None
        self._file: Path | None = None
        self._saved = game.moves
        self._is_open = True
        game.headers.setdefault("PB" if color == BLACK else "PW", "person")
        game.headers.setdefault("PW" if color == BLACK else "PB", player.preset.name)

    def run(self) -> bool:
        """Play until the person leaves, and save the game if that was not done. False if Ctrl-C ended it."""
        try:
            self._welcome()
            while self._is_open:
                if self.game.turn == self.color or self.game.is_over():
                    self._obey(self._listen())
                else:
                    self._answer()
        except EOFError:
            self._say("")
        except KeyboardInterrupt:
            self._say("")
            self._leave()
            return False
        self._leave()
        return True

    # --- the person ---------------------------------------------------------------------------------------------------

    def _listen(self) -> str:
        prompt = "the game is over: save FILE, undo or quit> " if self.game.is_over() else f"{NAMES[self.color]}> "
        ponder = self._ponder and not self.game.is_over()
        with self.player.pondering(self.game) if ponder else nullcontext():
            return self._ask(prompt).strip()

    def _obey(self, line: str) -> None:
        """Do what a line says; what cannot be done is told in one line."""
        word, _, rest = line.partition(" ")
        commands: dict[str, Callable[[], None]] = {
            "": lambda: None,
            "undo": self._undo,
            "hint": self._hint,
            "estimate": self._estimate,
            "board": self._show,
            "help": lambda: self._say(HELP),
            "?": lambda: self._say(HELP),
            "save": lambda: self._save(rest.strip()),
            "quit": self._quit,
            "exit": self._quit,
        }
        try:
            commands.get(word.lower(), lambda: self._move(line))()
        except (ValueError, OSError) as problem:
            self._say(" ".join(str(problem).split()))

    def _move(self, text: str) -> None:
        if self.game.is_over():
            raise ValueError("the game is over: save FILE, undo or quit")
        if text.lower() != "resign":
            try:
                parse_vertex(text, self.game.size)
            except ValueError as problem:
                raise ValueError(f"{problem}; help tells what can be said") from None
        try:
            self.game.push(text)
        except IllegalMove as problem:
            reason = str(problem).partition(" is illegal: ")[2]
            raise ValueError(f"not at {text.upper()}: {reason or problem}") from None
        self._after_move()

    def _undo(self) -> None:
        mine = [number for number, move in enumerate(self.game.moves) if move.color == self.color]
        if not mine:
            raise ValueError("there is no move of yours to take back")
        taken = [self.game.pop().name for _ in range(self.game.move_count - mine[-1])]
        self._opinion = None
        self._show()
        self._say(f"taken back: {', '.join(reversed(taken))}")

    def _quit(self) -> None:
        self._is_open = False

    # --- the engine ---------------------------------------------------------------------------------------------------

    def _answer(self) -> None:
        decision: Decision = self._thinking(lambda: self.player.choose(self.game))
        self._opinion = opinion(decision.analysis, decision.move)
        self.game.push(decision.move)
        verb = {"pass": "passes", "resign": "resigns"}.get(decision.name, f"plays {decision.name}")
        self._after_move(f"{self.player.preset.name} {verb} ({self._opinion.text}, {_effort(decision.analysis)})")

    def _hint(self) -> None:
        analysis = self._advice()
        best = [move for move in analysis.moves if move.visits][:HINTS]
        if not best:
            raise ValueError("there is nothing left but to pass")
        letters = dict(zip((move.move for move in best), "abcde", strict=False))
        lines = [
            f"{letters[move.move]} {move.name:4}{opinion(analysis, move.move).text:>7}{move.visits:>7,} visits"
            for move in best
        ]
        lines.append(f"\n{best[0].name}, then {' '.join(best[0].names[1:9]) or 'anything'}")
        if self._draws():
            marks = {p: letter for p, letter in letters.items() if p != PASS}
            self._print(draw(self.game.board, self._last(), marks=marks), "hint", Text("\n".join(lines)))
        else:
            self._say("\n".join(lines))

    def _estimate(self) -> None:
        analysis = self._advice()
        score = format_score(round(2 * analysis.black_score) / 2)
        said = f"about {score}, komi included\n{opinion(analysis).text}"
        if self._draws():
            board = draw(self.game.board, self._last(), ownership=analysis.ownership)
            legend = Text("\n\ndark: likely Black's\nlight: likely White's", style="dim")
            self._print(board, "estimate", Text.assemble(said, legend))
        else:
            self._say(f"{owner_diagram(self.game, analysis.ownership)}\n{said}")
            self._say("x: likely Black's; o: likely White's, stones that are as good as dead included")

    def _advice(self) -> Analysis:
        """What an adviser finds, who is not the opponent: that one must not learn from the person's questions."""
        if self.game.is_over():
            raise ValueError("the game is over: save FILE, undo or quit")
        return self._thinking(lambda: self._adviser.analyse(self.game))

    def _thinking(self, think: Callable[[], Found]) -> Found:
        if not self._draws():
            return think()
        with self.console.status(f"{self.player.preset.name} is thinking"):
            return think()

    def _welcome(self) -> None:
        warm_up(self.player.preset)  # compiles, and says so
        self._show()
        self._say(f"You are {NAMES[self.color]}, {self.player.preset.name} is {NAMES[opponent(self.color)]}. ", end="")
        self._say("Type a point such as d4, or help.")
        if self.game.is_over():
            self._tell_result()

    # --- what is shown ------------------------------------------------------------------------------------------------

    def _after_move(self, note: str = "") -> None:
        """Show the board after an answer of the engine, or when the game is over."""
        if note or self.game.is_over():
            self._show()
        if note:
            self._say(note)
        if self.game.is_over():
            self._tell_result()

    def _tell_result(self) -> None:
        result = self.game.result() or ""
        self._say(f"{result_in_words(result)} ({result})")

    def _show(self) -> None:
        if self._draws():
            title = self.game.result() or f"move {self.game.move_count + 1}"
            self._print(draw(self.game.board, self._last()), title, self._side())
        else:
            self._say(f"{self.game}\n{self._status()}")

    def _draws(self) -> bool:
        return can_draw(self.console, self._width + _SIDE)

    @property
    def _width(self) -> int:
        return 2 * self.game.size + 11

    def _print(self, board: Text, title: str, side: RenderableType) -> None:
        """A picture: the board, and something beside it."""
        grid = Grid.grid()
        grid.add_column(width=self._width)
        grid.add_column(width=_SIDE)
        left = Panel(board, title=title, border_style=FRAME, expand=False)
        height = max(self.game.size + 4, HINTS + 6)
        grid.add_row(left, Panel(side, title=self._about(), border_style=FRAME, height=height))
        self.console.print(grid)

    def _side(self) -> RenderableType:
        """The players, what the engine thinks and the last moves."""
        lines: list[RenderableType] = []
        for color in (self.color, opponent(self.color)):
            name = "you" if color == self.color else self.player.preset.name
            taken = f" {self.game.prisoners(color)} taken"
            lines.append(Text.assemble(stone(color), " ", (name, "bold"), (taken, "dim"), no_wrap=True))
        if self._opinion is not None:
            lines += ["", Text.assemble(bar(self._opinion.black, 20), " ", self._opinion.text)]
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

    def _last(self) -> int:
        return max(PASS, self.game.moves[-1].point) if self.game.moves else PASS

    def _say(self, text: str, end: str = "\n") -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True, end=end)

    # --- files --------------------------------------------------------------------------------------------------------

    def _save(self, name: str) -> None:
        """Write the game. Raises OSError, and ValueError if the file exists and was not written here before."""
        file = self._folder / Path(name).expanduser() if name else self._file or self._free_name()
        if not file.suffix:
            file = file.with_suffix(".sgf")
        if file != self._file and file.exists():
            raise ValueError(f"{file} is there already; save it under another name")
        sgf.save([sgf.game_tree(self.game)], file)
        self._file, self._saved = file, self.game.moves
        self._say(f"saved in {file}")

    def _leave(self) -> None:
        """Save what was played; if that fails, print it."""
        if self.game.moves and self.game.moves != self._saved:
            try:
                self._save("")
            except (ValueError, OSError) as problem:
                self._say(f"{' '.join(str(problem).split())}; so here is the game:\n{sgf.write_game(self.game)}")
        if self._file is not None and not self.game.is_over():
            color = "" if self.color == BLACK else " --color white"
            self._say(f"go on with: kikashi play {self.player.preset.name}{color} --load {quote(str(self._file))}")

    def _free_name(self) -> Path:
        file, number = self._folder / FILE, 1
        while file.exists():
            number += 1
            file = self._folder / FILE.replace(".", f"-{number}.")
        return file


def _effort(analysis: Analysis) -> str:
    return f"{analysis.simulations:,} simulations in {analysis.seconds:.1f} s"
