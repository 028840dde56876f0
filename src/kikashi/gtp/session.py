"""One controller's session: a game, a player, clocks, and the commands that change them."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from io import TextIOWrapper
from typing import TextIO

from kikashi.board.points import BLACK, PASS, WHITE, points_of
from kikashi.game import RESIGN, Game, Rules
from kikashi.gtp import commands
from kikashi.gtp.arguments import Arguments
from kikashi.gtp.lines import Lines
from kikashi.gtp.protocol import Command, Failure, answer, failure, parse_line
from kikashi.gtp.prudence import UNSEEN, prudent
from kikashi.player import Decision, Player
from kikashi.preset import Preset
from kikashi.search.analysis import Analysis
from kikashi.search.budget import Budget, Clock, moves_left

DEFAULT_SIZE, DEFAULT_KOMI = 19, 7.5
DEFAULT_PLAYOUTS = 10_000
"""Of a move where neither the user nor a clock says how long to think."""
JUDGING_PLAYOUTS = 1_000
"""At the least, to tell which stones are dead."""
WARM_UP_SIZE = 5
NO_LIMIT = Budget(seconds=900_000.0)


class Session:
    """What commands work on."""

    def __init__(
        self,
        player: Player,
        *,
        budget: Budget | None = None,
        rules: str | None = None,
        size: int = DEFAULT_SIZE,
        komi: float = DEFAULT_KOMI,
        ponder: bool = False,
    ) -> None:
        self.player = player
        self.budget = budget
        """What the user asked for; None for a default number of playouts, or the clock."""
        self.game = Game(size, komi, rules or "positional")
        self.insists_on_rules = rules is not None
        """Whether the user chose the rules, so that what a file says does not change them."""
        self.clocks: dict[int, Clock | None] = {BLACK: None, WHITE: None}
        self.start_clock: Clock | None = None
        """What both clocks show at the beginning of a game; None for no limit."""
        self.has_no_limit = False
        """Whether the controller said so: then what is left means nothing."""
        self.ponder = ponder
        self.last: Decision | None = None
        self.running = True
        self._interrupted: Callable[[], bool] = lambda: False
        self._waiting: Callable[[], bool] = lambda: False
        self._own_move: tuple[Game, int] | None = None
        """The game and its length after the last move that was thought out here: then it is the opponent's time."""
        self._warm_for: Preset | None = None

    # --- the loop -----------------------------------------------------------------------------------------------------

    def serve(self, lines: Lines, output: TextIO) -> None:
        """Answer commands until the controller quits or is gone."""
        if isinstance(output, TextIOWrapper):
            output.reconfigure(encoding="utf-8", errors="replace", newline="\n")
        self._interrupted, self._waiting = lines.interrupted, lines.waiting
        coming = iter(lines)
        while self.running:
            with self._pondering():
                line = next(coming, None)
            if line is None:
                return
            for text in self.answers(line):
                output.write(text)
                output.flush()

    def answers(self, line: str) -> Iterator[str]:
        """What to write for a line: nothing, an answer, or an answer that grows line by line."""
        command = parse_line(line)
        if command is None:
            return
        begun = False
        try:
            result = self.run(command)
            if isinstance(result, str):
                yield answer(command, result)
                return
            for text in result:
                yield text + "\n" if begun else f"={command.id}\n{text}\n"
                begun = True
        except (Failure, ValueError, OSError) as problem:  # of commands, the game, files, parts: one line each
            yield "\n" if begun else failure(command, str(problem))
        except Exception as problem:  # a mistake of ours must not cost anybody a game
            yield "\n" if begun else failure(command, f"internal error: {problem!r}")
        else:
            yield "\n" if begun else answer(command, "")

    def run(self, command: Command) -> str | Iterator[str]:
        """Do a command. Raises Failure, ValueError or OSError if it cannot be done."""
        known = commands.find(command.name)
        if known is None:
            raise Failure("unknown command")
        return known.function(self, Arguments(command.arguments, known.usage))

    def is_interrupted(self) -> bool:
        """Whether the controller wants the search to end."""
        return self._interrupted()

    def is_awaited(self) -> bool:
        """Whether the controller has sent anything, which ends an analysis."""
        return self._waiting()

    def _pondering(self) -> AbstractContextManager[None]:
        if self.ponder and self._own_move == (self.game, self.game.move_count) and not self.game.is_over():
            return self.player.pondering(self.game)
        return nullcontext()

    # --- the game -----------------------------------------------------------------------------------------------------

    def new_game(self, size: int | None = None) -> None:
        """An empty board, the same komi and rules, full clocks."""
        self.take_game(Game(size or self.game.size, self.game.komi, self.game.rules))

    def take_game(self, game: Game) -> None:
        """Go on with another game."""
        self.game = game
        self.clocks = {BLACK: self.start_clock, WHITE: self.start_clock}
        self.player.forget()
        self.last = None

    def set_rules(self, rules: Rules) -> None:
        self.game.rules = rules

    def set_clock(self, clock: Clock | None) -> None:
        """Give both players this clock; None for no limit."""
        self.start_clock, self.has_no_limit = clock, clock is None
        self.clocks = {BLACK: clock, WHITE: clock}
        if clock is not None:
            self.warm_up()

    def warm_up(self) -> None:
        """Compile, or load, what two moves in succession need, before it costs time on the clock."""
        if self._warm_for is self.player.preset:
            return
        game, player = Game(WARM_UP_SIZE), Player(self.player.preset, budget=Budget(playouts=8), megabytes=1)
        for _ in range(2):
            game.push(player.choose(game).move)
        self._warm_for = self.player.preset

    def last_words(self) -> str:
        """The last move in a sentence."""
        if self.last is None:
            return "no move yet"
        found = self.last.analysis
        return (
            f"{self.last.name}: win rate {found.winrate:.1%}, {found.score:+.1f} points, "
            f"{found.simulations:,} simulations in {found.seconds:.1f} s"
        )

    # --- thinking -----------------------------------------------------------------------------------------------------

    def think(self, color: int, every: float | None = None, moves: Collection[int] | None = None) -> Iterator[Analysis]:
        """Think about a move for a player, with an analysis now and then; the clock runs meanwhile. With `moves` only
        about these and passing."""
        if not self.game.is_legal("pass", color):
            raise Failure("the game is over: a player has resigned")
        clock = self.clocks[color]
        self.player.budget = self.budget or (Budget(playouts=DEFAULT_PLAYOUTS) if clock is None else NO_LIMIT)
        started = time.perf_counter()
        meant = clock and prudent(clock, moves_left(self.game.size, self.game.move_count))
        yield from self.player.think(
            self.game.turned_to(color), clock=meant, every=every, interrupted=self.is_interrupted, moves=moves
        )
        if clock is not None:
            self.clocks[color] = clock.spent(time.perf_counter() - started + UNSEEN)

    def decide(self, color: int, analysis: Analysis, *, play: bool = True) -> Decision:
        """Decide on what was found, and play it."""
        self.last = self.player.decide(self.game.turned_to(color), analysis)
        return self.play(color, self.last) if play else self.last

    def play(self, color: int, decision: Decision) -> Decision:
        """Play what was decided on. A resignation is only said: no front end takes it for a move."""
        if decision.move != RESIGN:
            self.game.push(decision.move, color)
        self.last, self._own_move = decision, (self.game, self.game.move_count)
        return decision

    def judge(self, *, on_clock_of: int | None = None) -> Analysis:
        """Search the position well enough to tell who owns what, as if nobody had passed or resigned: simulations that
        end with the next pass would tell nothing. It may be on a player's time."""
        started = time.perf_counter()
        game = self.game.copy()
        while game.moves and game.moves[-1].point in (PASS, RESIGN):
            game.pop()
        playouts = max(JUDGING_PLAYOUTS, (self.budget and self.budget.playouts) or 0)
        self.player.budget = Budget(playouts=playouts)
        analysis = self.player.analyse(game.turned_to(self.game.turn), interrupted=self.is_interrupted)
        clock = self.clocks[on_clock_of] if on_clock_of is not None else None
        if clock is not None and on_clock_of is not None:
            self.clocks[on_clock_of] = replace(clock, main=max(0.0, clock.main - (time.perf_counter() - started)))
        return analysis

    def owners(self, analysis: Analysis) -> dict[int, float]:
        """By point: 1 is Black's for sure, -1 White's."""
        return dict(zip(points_of(self.game.size), analysis.ownership, strict=True))
