"""A person against a preset."""

from __future__ import annotations

import time
from dataclasses import replace

from kikashi.board.points import BLACK, WHITE, parse_vertex
from kikashi.engine.limits import Limit
from kikashi.engine.turn import Turn
from kikashi.game import Game
from kikashi.game.moves import parse_color
from kikashi.game.time_control import Clock, parse_clock
from kikashi.terminal.counting import Count
from kikashi.web.analyses import make_analysis
from kikashi.web.events import ClockState, GameState
from kikashi.web.game_tree import GameTree
from kikashi.web.requests import KeptClock, NewGame, ResumeGame, Setup, Thought
from kikashi.web.tasks import Job, Task, compile_preset

HINT_SECONDS = 2.0
SLICE = 0.5
"""Seconds of a search after which others may search."""


class PlayTask(Task):
    """A game that a person plays. Its tree has one line: a move taken back is gone."""

    name = "play"
    _clocks: dict[int, Clock]

    def begin(self, request: NewGame) -> None:
        """Start a game. Raises ValueError for settings that cannot be."""
        setup = request.setup
        game = Game(setup.size, setup.komi, setup.rules)
        if setup.handicap:
            game.place_free_handicap(setup.handicap)
        self._start_game(setup, game)

    def resume(self, request: ResumeGame) -> None:
        """Resume a game that the page stored. Raises ValueError if its record is wrong."""
        tree = GameTree.from_sgf("play", request.sgf)
        game = tree.game(tree.line(0)[-1]).copy()
        winner, _, how = (tree.root.simple_text("RE") or "").partition("+")
        if how == "R":
            game.push("resign", WHITE if winner == "B" else BLACK)
        self._start_game(
            request.setup, game, request.clocks, f"{'B' if winner == 'B' else 'W'}+T" if how == "T" else ""
        )

    def _start_game(
        self, setup: Setup, game: Game, left: tuple[KeptClock, KeptClock] | None = None, flagged: str = ""
    ) -> None:
        """Start or resume a game, with the time that Black and White have left. Raises ValueError."""
        self.stop()
        preset = self.state.presets.get(setup.preset)
        clock = parse_clock(setup.thought.clock) if setup.thought.clock else None
        self.player = self.state.new_player(preset)
        self._limit = limit_of(setup.thought)
        self.setup = setup
        self.color = parse_color(setup.color)
        names = ("person", preset.name) if self.color == BLACK else (preset.name, "person")
        game.headers |= {"PB": names[0], "PW": names[1]}
        game.headers.pop("RE", None)
        self.game = game
        self.count = Count(game)
        self._clocks = {}
        if clock is not None:
            kept = left or (KeptClock(clock.main, clock.periods),) * 2
            self._clocks = {  # in Canadian time the period is whole again
                color: replace(clock, main=each.main, periods=min(clock.periods, each.periods))
                for color, each in zip((BLACK, WHITE), kept, strict=True)
            }
        self._since = time.monotonic()
        self._flagged = flagged
        self._advance()

    @property
    def is_open(self) -> bool:
        return hasattr(self, "game")

    # --- requests -----------------------------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        """Make the person's move. Raises ValueError if it is illegal, or not the person's turn."""
        self._require_turn()
        self.stop()  # a hint
        self.game.push(move)
        if self.color in self._clocks and not self._flagged:
            self._set_clock(self.color, self._clocks[self.color].after_move(time.monotonic() - self._since))
        self._since = time.monotonic()
        self._advance()

    def resign(self) -> None:
        self._require_running()
        self.stop()
        self.game.push("resign", self.color)
        self._advance()

    def undo(self) -> None:
        """Take back the person's last move and all since, dead stones and a lost clock too."""
        self.stop()
        if not self.is_open or not any(move.color == self.color for move in self.game.moves):
            raise ValueError("there is no move of yours to take back")
        while self.game.pop().color != self.color:
            pass
        self._flagged = ""
        self.count = Count(self.game)
        self._since = time.monotonic()
        self._advance()

    def hint(self) -> None:
        """Show the preset's analysis."""
        self._require_turn()
        self.start(self._advise)

    def mark_dead(self, point: str) -> None:
        if not self.is_open or not self.count.is_due:
            raise ValueError("dead stones are marked when both have passed")
        self.stop()
        self.count.change(parse_vertex(point, self.game.size))
        self._show()

    def game_tree(self) -> GameTree:
        """Return the game as a tree. Raises ValueError if there is none."""
        if not self.is_open:
            raise ValueError("no game has been started")
        tree = GameTree.from_game("play", self.game)
        if result := self._result():  # without the dead stones
            tree.root.set_text("RE", result)
        return tree

    def _require_running(self) -> None:
        if not self.is_open or self.game.is_over() or self._flagged:
            raise ValueError("no game is running: start a new one")

    def _require_turn(self) -> None:
        self._require_running()
        if self.game.turn != self.color:
            raise ValueError("it is not your turn")

    # --- the preset ---------------------------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Show the board, and start the preset's next job: a move or the count."""
        if self.count.is_due:
            self.start(self._count)
        elif not self.game.is_over() and not self._flagged and self.game.turn != self.color:
            self.start(self._answer)
        self._show()

    def _answer(self, job: Job) -> None:
        self.show_progress("thinking")
        compile_preset(self.player.preset)
        turn = Turn(self.player, self.game, self._limit, clock=self._clocks.get(self.game.turn))
        analysis = job.last(turn.think(every=SLICE, interrupted=job.is_stopped))
        with self.lock:
            if job.is_stopped() or analysis is None:
                return
            turn.play(turn.decide(analysis))
            if turn.clock is not None:
                self._set_clock(turn.color, turn.clock)
            self._since = time.monotonic()
            if not self.count.is_due:
                self._show(thinking=False)
        if self.count.is_due:
            self._count(job)

    def _count(self, job: Job) -> None:
        """Propose the dead stones."""
        self.show_progress("counting")
        compile_preset(self.player.preset)
        with self.state.search_lock.hold(job.is_stopped) as is_held:
            if is_held:
                count = Count(self.game)
                count.propose(self.player.copy())
        with self.lock:
            if not job.is_stopped() and is_held:
                self.count = count
                self._show(thinking=False)

    def _advise(self, job: Job) -> None:
        self.show_progress("a hint")
        adviser, limit = self.player.copy(), Limit(seconds=HINT_SECONDS)
        compile_preset(adviser.preset)
        game = self.game.copy()
        for found in job.iterate(adviser.think(game, limit, every=SLICE, interrupted=job.is_stopped)):
            self.post(
                make_analysis(found, board="play", node=game.move_count, preset=adviser.preset.name, running=True)
            )

    # --- clocks -------------------------------------------------------------------------------------------------------

    def _set_clock(self, color: int, clock: Clock) -> None:
        self._clocks[color] = clock
        if clock.is_flagged:
            self._flagged = "W+T" if color == BLACK else "B+T"

    def _clock_states(self, thinking: bool) -> list[ClockState]:
        states = []
        for color, clock in sorted(self._clocks.items()):
            is_running = self.game.turn == color and not self._result()
            spent = time.monotonic() - self._since if is_running and not thinking else 0.0
            states.append(ClockState(max(0.0, clock.main - spent), clock.periods, _overtime(clock), is_running))
        return states

    # --- the page -----------------------------------------------------------------------------------------------------

    def _result(self) -> str:
        return self._flagged or self.count.result() or ""

    def _show(self, *, thinking: bool | None = None) -> None:
        if thinking is None:
            thinking = self.job is not None and self.job.is_running
        tree = self.game_tree()
        self.post(tree.position(result=self._result(), dead=sorted(self.count.dead)))
        self.post(
            GameState(
                setup=self.setup,
                thinking=thinking,
                counting=self.count.is_due and not thinking,
                note=self.count.in_words() if self.count.is_due and not thinking else "",
                sgf=tree.as_sgf(),
                clocks=self._clock_states(thinking),
            )
        )


def limit_of(thought: Thought) -> Limit | None:
    """Return the limit of a move besides the clock; None for a clock alone. Raises ValueError without both."""
    if thought.clock is not None and thought.simulations is None and thought.seconds is None:
        return None
    return Limit(thought.simulations, thought.seconds)


def _overtime(clock: Clock) -> str:
    """Return the time besides main time in words: ``"3 × 30 s"``."""
    if clock.periods:
        return f"{clock.periods} × {clock.period:g} s"
    if clock.stones:
        return f"{clock.stones - clock.made} in {clock.period - clock.used:.0f} s"
    return f"+{clock.increment:g} s" if clock.increment else ""
