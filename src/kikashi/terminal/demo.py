"""The demonstration: the two programs that began it all play each other, live."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from rich.align import Align
from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from kikashi import sgf
from kikashi.board.points import BLACK, WHITE, color_name
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.session import Session
from kikashi.engine.warmup import announced_for
from kikashi.files import check_writable, free_name, write_whole
from kikashi.game import RESIGN, Game, Move
from kikashi.game.time_control import Clock
from kikashi.jit import compiling, unreported
from kikashi.terminal import board_view as view
from kikashi.wording import plural

PRESETS = {BLACK: "crazystone-2006", WHITE: "mogo-2006"}
KOMI = 7.5
CHANGED = "choice.resign=0.05"
"""Changes of the presets: a lost game is resigned early."""
SECONDS = 75.0
_LINES, _MOST_LINES = 15, 32
"""Inside the frames: what the players and a few moves need, and what is of use."""
_RIGHT, _MOST_RIGHT = 46, 76
_ABOVE_MOVES = 12
"""Lines on the right that are not of the list of moves."""
_COLUMNS: tuple[tuple[str, JustifyMethod], ...] = (
    ("", "right"),
    ("move", "left"),
    ("wins", "right"),
    ("score", "right"),
    ("simulations", "right"),
)


@dataclass(frozen=True)
class Ply:
    number: int
    move: Move
    evaluation: view.EvaluationText
    simulations: int
    per_second: float
    variation: tuple[str, ...]
    """The names of the expected moves, this one first."""


class Match:
    """A game of the two programs. Same seed and simulations: the same game.

    Without `simulations` each has half of the `seconds` for all its moves.
    """

    def __init__(self, *, size: int = 9, seed: int = 2006, seconds: float = SECONDS, simulations: int | None = None):
        self.game = Game(size, KOMI)
        self.game.headers = {"PB": PRESETS[BLACK], "PW": PRESETS[WHITE], "GN": f"kikashi demo, seed {seed}"}
        limit = Limit(simulations, seconds if simulations is None else None)
        clock = Clock(main=seconds / 2) if simulations is None else None
        self.players = {color: Player(name, seed=seed + color, overrides=[CHANGED]) for color, name in PRESETS.items()}
        self._sessions = {
            color: Session(player, self.game, limit, clock=clock) for color, player in self.players.items()
        }

    def compile(self) -> None:
        """Compile the kernels before the clocks start."""
        with announced_for([player.preset for player in self.players.values()], "for both players"):
            for session in self._sessions.values():
                session.warm_up()

    def plies(self) -> Iterator[Ply]:
        """Play the game, move by move."""
        while not self.game.is_over():
            yield self._next()

    def _next(self) -> Ply:
        color = self.game.turn
        player = self.players[color]
        decision = self._sessions[color].take_turn()
        analysis = decision.analysis
        expected = next((m.names for m in analysis.moves if m.move == decision.move), (decision.name,))
        ply = Ply(
            number=self.game.move_count,
            move=self.game.moves[-1],
            evaluation=view.evaluation_text(analysis, decision.move),
            simulations=analysis.simulations,
            per_second=analysis.simulations_per_second,
            variation=expected,
        )
        effort = plural(ply.simulations, "simulation")
        self.game.comments[ply.number] = (
            f"{player.preset.name}: {ply.evaluation.text}, {ply.evaluation.score} after {effort}; {' '.join(expected)}"
        )
        return ply


def run(
    console: Console,
    *,
    seed: int = 2006,
    seconds: float = SECONDS,
    simulations: int | None = None,
    size: int = 9,
    output: str | os.PathLike[str] = "demo.sgf",
) -> bool:
    """Show a game, live in a terminal and as plain lines elsewhere, and save it; False if Ctrl-C ended it.

    No file is overwritten: the game goes into the next that is free, such as ``demo-2.sgf``. Raises OSError if the
    game cannot be saved, before it is played where that can be known.
    """
    wanted = Path(output)
    check_writable(wanted)
    match = Match(size=size, seed=seed, seconds=seconds, simulations=simulations)
    try:
        _watch(console, match)
    except KeyboardInterrupt:
        if match.game.moves:
            moves, file = _save(match.game, wanted)
            _say(console, f"Stopped after {plural(moves, 'move')}; the game so far is in {file}")
        else:
            _say(console, "Stopped before the first move.")
        return False
    result = match.game.headers["RE"] = match.game.result() or ""  # these two count the board as it stands
    moves, file = _save(match.game, wanted)
    winner = f" ({PRESETS[BLACK if result.startswith('B') else WHITE]})" if result != "0" else ""
    _say(console, f"{view.result_in_words(result)}{winner}, after {plural(moves, 'move')}.", wrapped=True)
    _say(console, f"The game with comments is in {file}")
    return True


def _save(game: Game, wanted: Path) -> tuple[int, Path]:
    """Write the game. Return its number of moves, and the file."""
    file = free_name(wanted)
    write_whole(file, sgf.write_game(game), make_folders=False)
    return sum(move.point != RESIGN for move in game.moves), file


def _say(console: Console, line: str, *, wrapped: bool = False) -> None:
    """Print a line; on a terminal `wrapped` between words, unless a person may copy it."""
    console.print(line, soft_wrap=not (wrapped and console.is_terminal), highlight=False, markup=False)


def _watch(console: Console, match: Match) -> None:
    screen = Screen(match, console.width, console.height - 2, colored=view.has_colors(console))
    if not view.can_draw(console, screen.width, screen.height + 2):
        _list(console, match)
        return
    live = Live(screen, console=console, refresh_per_second=4)
    try:
        with live:
            with unreported():  # the screen does that
                match.compile()
            for ply in match.plies():
                screen.show(ply)
                live.refresh()
    finally:
        live.stop()  # Ctrl-C may come while it starts, when the cursor is hidden already


def _list(console: Console, match: Match) -> None:
    """Print a line for each move, with as many columns as a terminal has room for, and the last position."""
    for color, player in match.players.items():
        _say(console, f"{view.NAMES[color]}: {player.preset.name}, {player.preset.source}", wrapped=True)
    match.compile()
    for ply in match.plies():
        columns = (
            f"{ply.number:3} {color_name(ply.move.color)} {ply.move.name:6}",
            f" {ply.evaluation.text:>6}",
            f" {ply.evaluation.score:>6}",
            f" {ply.simulations:8,} simulations",
            f" {ply.per_second:8,.0f}/s",
            f"  {' '.join(ply.variation[1:6])}",
        )
        lines = ("".join(columns[:count]).rstrip() for count in range(len(columns), 0, -1))
        _say(console, next(line for line in lines if not console.is_terminal or len(line) <= max(20, console.width)))
    _say(console, str(match.game))


class Screen:
    """The live picture: the board and the course of the game on the left, the players on the right.

    It takes a `width` and a `height`, or more if it needs more. Another thread draws it, so only `show` changes it.
    While kernels are compiled it shows how many.
    """

    def __init__(self, match: Match, width: int = 80, height: int = 22, *, colored: bool = True) -> None:
        self._players = match.players
        self._game = match.game
        self._plies: tuple[Ply, ...] = ()
        self._colored = colored
        self._left = max(34, 2 * match.game.size + 12)
        self._right = min(_MOST_RIGHT, max(_RIGHT, width - self._left))
        self._lines = max(min(height - 2, _MOST_LINES), _LINES, match.game.size + 2)
        self.width, self.height = self._left + self._right, self._lines + 2
        self._spinner = Spinner("dots", style="bold")
        self._frame: RenderableType = self._draw()

    def show(self, ply: Ply) -> None:
        self._plies += (ply,)
        self._frame = self._draw()

    def __rich__(self) -> RenderableType:
        return self._draw() if compiling() else self._frame

    def _draw(self) -> RenderableType:
        grid = Table.grid()
        grid.add_column(width=self._left)
        grid.add_column(width=self._right)
        panel = partial(Panel, height=self.height, border_style=view.FRAME)
        title = self._game.result() or f"move {len(self._plies) + 1}"
        about = f"{self._game.size}x{self._game.size}, komi {KOMI}"
        grid.add_row(panel(self._course(), title=title), panel(self._evaluations(), title=about))
        return grid

    def _course(self) -> RenderableType:
        """Return the board, and Black's chances from move to move."""
        last = self._plies[-1].move.point if self._plies else 0
        board = Align.center(view.draw(self._game.board, max(last, 0), colored=self._colored))
        room = self._lines - (self._game.size + 2) - 2
        if room < 1:
            return board
        shares = [ply.evaluation.black for ply in self._plies]
        joint = [(before + after) / 2 for before, after in pairwise(shares[:1] + shares)]  # both have their say
        heading = Text("Black's chances, move by move", style="dim")
        return Group(board, "", heading, view.winrate_graph(joint, self._left - 4, min(room, 14)))

    def _evaluations(self) -> RenderableType:
        """Return both players, the last moves, and the line that the last mover expects."""
        lines: list[RenderableType] = []
        for color in PRESETS:
            lines += [*self._player(color), ""]
        lines.append(self._compilation() or self._moves())
        last = self._plies[-1] if self._plies else None
        if last is not None and last.variation[1:]:
            expected = Text.assemble(self._stone(last.move.color), (f" expects {' '.join(last.variation[1:])}", "dim"))
            expected.no_wrap, expected.overflow = True, "ellipsis"
            lines += ["", expected]
        return Group(*lines)

    def _player(self, color: int) -> list[RenderableType]:
        player = self._players[color]
        mine = [ply for ply in self._plies if ply.move.color == color]
        head = Table.grid(expand=True)
        head.add_column()
        head.add_column(justify="right")
        name = Text.assemble(self._stone(color), " ", (player.preset.name, "bold"))
        is_busy = self._game.turn == color and not self._game.is_over()
        self._spinner.update(text=Text("compiling" if compiling() else "thinking", style="bold"))
        taken = self._game.prisoners(color)
        head.add_row(name, self._spinner if is_busy else Text(f"{taken} taken" if taken else "", style="dim"))
        paper = Text(f"  {player.preset.source}", style="dim", no_wrap=True, overflow="ellipsis")
        if not mine:
            return [head, paper, Text("  …", style="dim")]
        last = mine[-1]
        line = Table.grid(padding=(0, 1, 0, 0))
        speed = Text(f"{last.per_second:,.0f} sims/s", style="dim")
        rate = Text(f"{last.evaluation.text:<6}", style="bold")
        line.add_row(" ", view.bar(last.evaluation.black, self._right - 28), rate, speed)
        return [head, paper, line]

    def _compilation(self) -> RenderableType | None:
        """Return the progress of compiling; None while nothing is compiled."""
        state = compiling()
        if state is None:
            return None
        done, total, words = state
        once = Text("Compiling both programs, only once:", style="dim")
        return Group(once, view.bar(done / total, self._right - 4), Text(words, style="dim"))

    def _stone(self, color: int) -> Text:
        return view.stone(color, colored=self._colored)

    def _moves(self) -> RenderableType:
        table = Table(box=None, padding=(0, 1, 0, 0), show_header=True, header_style="dim", expand=True)
        for heading, justify in _COLUMNS:
            table.add_column(heading, justify=justify)
        for ply in self._plies[_ABOVE_MOVES - self._lines :]:
            name = Text.assemble(self._stone(ply.move.color), " ", ply.move.name)
            table.add_row(str(ply.number), name, ply.evaluation.text, ply.evaluation.score, f"{ply.simulations:,}")
        return table
