"""A game of a person against a player at a prompt."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from shlex import join
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from kikashi import sgf
from kikashi.board.points import BLACK, PASS, opponent, parse_vertex, vertex
from kikashi.engine.levels import MOST, level_of
from kikashi.engine.limits import Limit
from kikashi.engine.move_choice import has_opponent_passed
from kikashi.engine.player import Player
from kikashi.engine.session import Session
from kikashi.engine.warmup import warm_up
from kikashi.game import Game, IllegalMove
from kikashi.game.moves import format_score
from kikashi.search.analysis import Analysis
from kikashi.terminal.board_view import NAMES, evaluation_text, owner_diagram
from kikashi.terminal.counting import Count, warning_before_pass
from kikashi.terminal.game_view import HINTS, View
from kikashi.terminal.prompt import Ask
from kikashi.terminal.saved_game import Record
from kikashi.wording import plural

Found = TypeVar("Found")
KOMI, HANDICAP_KOMI = 7.5, 0.5
HINT_SECONDS = 3.0
"""Least time of a hint or an estimate, unless the strongest level is done before."""
HELP = """\
d4          play at D4
pass        pass; resign gives the game up
undo        take your last move back
hint        what a strong player would try
estimate    who is ahead, who owns what
board       show the board
save FILE   write the game as SGF
help        this
quit        leave; the game is kept
When both have passed, dead stones are proposed, and you say whether that is right."""
HOW_TO_COUNT = "Right? Enter: yes. A point such as {point}: its stones are {other}. undo: play on."
COUNTING = "Enter accepts the count, a point with stones changes it, undo plays on"
COUNTING_PROMPT, OVER_PROMPT = "dead stones", "game over"
OVER = "the game is over: save FILE, undo or quit"


def new_game(
    *,
    size: int | None = None,
    komi: float | None = None,
    handicap: int = 0,
    rules: str | None = None,
    load: str | os.PathLike[str] | None = None,
) -> Game:
    """Return a new game, 9x9 by default, or one from an SGF file to continue. Raises ValueError and OSError."""
    if load is None:
        game = Game(size or 9, KOMI, rules or "positional")
        game.headers["DT"] = date.today().isoformat()
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


@dataclass
class Table:
    """A game between a person and a player. The game is changed as they play.

    `ask` reads from the person. The game is saved after every move, in `folder` unless the person chooses another;
    `command` continues it, with the file added. The player is called by its `name`, else by its preset's.
    """

    console: Console
    ask: Ask
    player: Player
    game: Game
    color: int = BLACK
    ponder: bool = False
    folder: str | os.PathLike[str] = "."
    command: Sequence[str] = ()
    name: str = ""

    def __post_init__(self) -> None:
        usual = ["kikashi", "play", self.player.preset.name, *([] if self.color == BLACK else ["--color", "white"])]
        self.command, self.name = self.command or usual, self.name or self.player.preset.name
        self._session = Session(self.player, self.game)
        self._adviser = adviser_of(self.player)
        self._count = Count(self.game)
        self._record = Record(self._count, Path(self.folder))
        self._view = View(self.console, self._count, self.color, self.name)
        self._say = self._view.say
        self._has_warned = False
        self._is_open = True
        self._is_accepted = False
        """Whether the person has agreed to the count."""
        self._commands: dict[str, Callable[[str], None]] = {
            "undo": lambda _: self._undo(),
            "hint": lambda _: self._hint(),
            "estimate": lambda _: self._estimate(),
            "board": lambda _: self._view.show(),
            "help": lambda _: self._say(HELP),
            "save": lambda name: self._say(f"saved in {self._record.save_as(name)}"),
            "quit": lambda _: setattr(self, "_is_open", False),
        }
        mine, other = ("PB", "PW") if self.color == BLACK else ("PW", "PB")
        self.game.headers = {mine: "person", other: self.name} | self.game.headers

    def run(self) -> bool:
        """Play until the person leaves; the game is saved then. False if Ctrl-C ended it."""
        is_interrupted = False
        try:
            self._welcome()
            while self._is_open:
                if self.game.turn == self.color or self.game.is_over():
                    self._obey(self._listen())
                else:
                    self._answer()
        except (EOFError, KeyboardInterrupt) as end:
            self._say("")
            is_interrupted = isinstance(end, KeyboardInterrupt)
        self._leave()
        return not is_interrupted

    def words(self) -> Iterable[str]:
        """Return the words that the tab key completes: commands and points."""
        if self._is_counting:
            return [*self._commands, *(vertex(p) for color in NAMES for p in self.game.stones(color))]
        points = [] if self.game.is_over() else [vertex(p) for p in self.game.legal_moves if p != PASS]
        return [*self._commands, "pass", "resign", *points]

    @property
    def _is_counting(self) -> bool:
        """Whether the person has not yet agreed to the count."""
        return self._count.is_due and not self._is_accepted

    # --- the person ---------------------------------------------------------------------------------------------------

    def _listen(self) -> str:
        over = COUNTING_PROMPT if self._is_counting else OVER_PROMPT
        prompt = f"{over if self.game.is_over() else NAMES[self.color]}> "
        ponder = self.ponder and not self.game.is_over()
        with self.player.pondering(self.game) if ponder else nullcontext():
            return self.ask(prompt).strip()

    def _obey(self, line: str) -> None:
        """Run the command in a line; an error is one line."""
        word, _, rest = line.partition(" ")
        word = {"?": "help", "exit": "quit"}.get(word.lower(), word.lower())
        try:
            if word in self._commands:
                self._commands[word](rest.strip())
            elif self._is_counting and word in ("", "yes", "y", "ok"):
                self._accept()
            elif self._is_counting:
                self._change(line)
            elif word:
                self._move(line)
        except (ValueError, OSError) as problem:
            self._say(_in_a_line(problem))

    def _move(self, text: str) -> None:
        if self.game.is_over():
            raise ValueError(OVER)
        if text.lower() == "pass" and not self._really_passes():
            return
        if text.lower() != "resign":
            self._read_point(text)
        try:
            self.game.push(text)
        except IllegalMove as problem:
            reason = str(problem).partition(" is illegal: ")[2]
            raise ValueError(f"not at {text.upper()}: {reason or problem}") from None
        self._after_move()

    def _really_passes(self) -> bool:
        """Return whether to pass; ask again before a pass that ends and loses a game that could be won."""
        if not has_opponent_passed(self.game):
            return True
        warning = self._advised(lambda: warning_before_pass(self._adviser, self.game))
        if warning is None:
            return True
        self._say(warning)
        return self.ask("pass all the same, yes or no> ").strip().lower() in ("yes", "y", "pass")

    def _read_point(self, text: str) -> int:
        try:
            return parse_vertex(text, self.game.size)
        except ValueError as problem:
            raise ValueError(f"{problem}; help lists the commands") from None

    def _change(self, text: str) -> None:
        """Turn a living chain into a dead one, or the other way round."""
        if text.lower() in ("pass", "resign") or self._read_point(text) == PASS:
            raise ValueError(COUNTING)
        self._count.change(self._read_point(text))
        self._keep()
        self._view.show()
        self._show_result()

    def _accept(self) -> None:
        self._is_accepted = True
        self._say(f"Agreed: {self._count.in_words().splitlines()[0]}\nsave FILE, undo or quit")

    def _show_result(self) -> None:
        """Print the result, and during the count the dead stones and how to change them."""
        if self._is_counting:
            dead = self._count.dead_in_words()
            marked = f"Dead, marked {self._view.dead_sign} and not counted: {dead}"
            self._say(marked if dead else "No stones are dead.")
        self._say(self._count.in_words())
        stones = [p for color in NAMES for p in self.game.stones(color)]
        if self._is_counting and stones:
            first = min(self._count.dead or stones)
            other = "alive" if self._count.dead else "dead"
            self._say(HOW_TO_COUNT.format(point=vertex(first).lower(), other=other))

    def _undo(self) -> None:
        taken = [move.name for move in self._session.undo_turn(self.color)]
        self._view.evaluation = None
        self._count.dead.clear()
        self._is_accepted = False
        self._keep()
        self._view.show()
        self._say(f"taken back: {', '.join(reversed(taken))}")

    # --- the engine ---------------------------------------------------------------------------------------------------

    def _answer(self) -> None:
        decision = self._view.thinking(self._session.take_turn)
        found = decision.analysis
        thought = self._view.evaluation = evaluation_text(found, decision.move)
        verb = {"pass": "passes", "resign": "resigns"}.get(decision.name, f"plays {decision.name}")
        effort = f"{plural(found.simulations, 'simulation')} in {found.seconds:.1f} s{found.komi_note}"
        self._after_move(f"{self.name} {verb} ({thought.text}, {effort})")

    def _hint(self) -> None:
        analysis = self._advice()
        best = [move for move in analysis.moves if move.visits][:HINTS]
        if not best:
            raise ValueError("there is nothing left but to pass")
        letters = dict(zip((move.move for move in best), "abcde", strict=False))
        lines = [
            f"{letters[move.move]} {move.name:4}{evaluation_text(analysis, move.move).text:>7}{move.visits:>7,} visits"
            for move in best
        ]
        lines.append(f"\n{best[0].name}, then {' '.join(best[0].names[1:9]) or 'anything'}")
        if self._view.draws:
            marks = {p: letter for p, letter in letters.items() if p != PASS}
            self._view.picture("hint", Text("\n".join(lines)), marks=marks)
        else:
            self._say("\n".join(lines))

    def _estimate(self) -> None:
        analysis = self._advice()
        score = format_score(round(2 * analysis.black_score) / 2)
        text = f"about {score}, komi included\n{evaluation_text(analysis).text}"
        if self._view.colored:
            legend = Text("\n\ndark: likely Black's\nlight: likely White's", style="dim")
            self._view.picture("estimate", Text.assemble(text, legend), ownership=analysis.ownership)
        else:
            self._say(f"{owner_diagram(self.game, analysis.ownership)}\n{text}")
            self._say("x: likely Black's; o: likely White's, stones that are as good as dead included")

    def _advice(self) -> Analysis:
        """Return the adviser's analysis. Raises ValueError if the game is over."""
        if self.game.is_over():
            raise ValueError(COUNTING if self._is_counting else OVER)
        return self._advised(lambda: self._adviser.analyse(self.game))

    def _advised(self, think: Callable[[], Found]) -> Found:
        """Call the adviser, whose kernels are loaded first: compiling and thinking share a line of the screen."""
        warm_up(self._adviser.preset)
        return self._view.thinking(think, self._adviser.preset.name)

    # --- the course of the game ---------------------------------------------------------------------------------------

    def _welcome(self) -> None:
        self._session.warm_up()  # compiles, and says so
        self._propose()
        self._view.show()
        sides = f"You are {NAMES[self.color]}, {self.name} is {NAMES[opponent(self.color)]}."
        self._say(f"{sides} Type a point such as d4, or help.")
        self._say(f"By {self.game.rules.in_words}.")
        if self.game.is_over():
            self._show_result()

    def _after_move(self, note: str = "") -> None:
        """Save the game; show the board after an answer of the engine, or when the game is over."""
        self._keep()
        if self._count.is_due:
            self._propose()
            self._keep()
        if note or self.game.is_over():
            self._view.show()
        if note:
            self._say(note)
        if self.game.is_over():
            self._show_result()

    def _propose(self) -> None:
        """Propose dead stones if both have passed."""
        if self._count.is_due:
            self._advised(lambda: self._count.propose(self._adviser))

    def _keep(self) -> None:
        """Save the game; print a line at the first failure."""
        try:
            self._record.keep()
        except OSError as problem:
            if not self._has_warned:
                self._say(f"the game cannot be saved: {_in_a_line(problem)}; save FILE writes it elsewhere")
            self._has_warned = True

    def _leave(self) -> None:
        """Print the name of the saved game, or the game if it could not be saved."""
        try:
            self._record.keep()
        except OSError as problem:
            self._say(f"{_in_a_line(problem)}; so here is the game:\n{self._record.text()}", is_copied=True)
        if self._record.file is not None and self._record.is_kept:
            self._say(f"saved in {self._record.file}", is_copied=True)
            if not self.game.is_over():
                self._say(f"go on with: {join([*self.command, '--load', str(self._record.file)])}", is_copied=True)


def adviser_of(player: Player) -> Player:
    """Return the player that gives hints and judges the board: the strongest level, or the opponent's limit if larger.

    It is not the opponent, whose tree must not grow by the person's questions.
    """
    level, own = level_of(MOST), player.limit
    simulations = None if own.simulations is None else max(own.simulations, level.simulations)
    limit = Limit(simulations, max(own.seconds or 0.0, HINT_SECONDS))
    return Player(level.preset, limit=limit, threads=player.threads, seed=player.seed, megabytes=player.megabytes)


def _in_a_line(problem: Exception) -> str:
    return " ".join(str(problem).split())
