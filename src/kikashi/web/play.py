"""A person against a preset."""

from __future__ import annotations

import time
from dataclasses import replace

from kikashi.board.points import BLACK, WHITE, opponent, parse_vertex
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.turn import Turn
from kikashi.game import Game
from kikashi.game.moves import parse_color
from kikashi.game.time_control import Clock, parse_clock
from kikashi.terminal.counting import Count
from kikashi.web import requests
from kikashi.web.desk import Desk
from kikashi.web.events import ClockState, GameState
from kikashi.web.game_tree import Document
from kikashi.web.jobs import Job, prepare
from kikashi.web.messages import KeptClock, Setup, Thought
from kikashi.web.opinions import opinion_of

HINT_SECONDS = 2.0
SLICE = 0.5
"""Seconds of thought between two looks at who else waits."""


class PlayDesk(Desk):
    """A game that a person plays. The tree of its document has one line: what is taken back is gone."""

    task = "play"
    _clocks: dict[int, Clock]

    def begin(self, request: requests.NewGame) -> None:
        """Raises ValueError for a game that cannot be."""
        setup = request.setup
        game = Game(setup.size, setup.komi, setup.rules)
        if setup.handicap:
            game.place_free_handicap(setup.handicap)
        self._sit_down(setup, game)

    def resume(self, request: requests.ResumeGame) -> None:
        """Go on with a game that the page kept. Raises ValueError if it is none."""
        document = Document.from_sgf("play", request.sgf)
        game = document.game(document.line(0)[-1]).copy()
        winner, how = _ended(document.root.simple_text("RE") or "")
        if how == "R":
            game.push("resign", opponent(winner))
        self._sit_down(request.setup, game, request.clocks, f"{'BW'[winner - BLACK]}+T" if how == "T" else "")

    def _sit_down(
        self, setup: Setup, game: Game, left: tuple[KeptClock, KeptClock] | None = None, flagged: str = ""
    ) -> None:
        """Begin or go on, with what Black and White have left of their time. Raises ValueError."""
        self.stop()
        preset = self.house.presets.get(setup.preset)
        limits = self.house.limits
        clock = parse_clock(setup.thought.clock) if setup.thought.clock else None
        self.player = Player(preset, threads=limits.threads, megabytes=limits.megabytes)
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
            self._clocks = {color: _as_kept(clock, kept[color - BLACK]) for color in (BLACK, WHITE)}
        self._since = time.monotonic()
        self._flagged = flagged
        self._go_on()

    @property
    def is_open(self) -> bool:
        return hasattr(self, "game")

    # --- requests -----------------------------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        """The person's move. Raises ValueError if it is not legal, or not the person's turn."""
        self._must_go_on()
        if self.game.turn != self.color:
            raise ValueError("it is not your turn")
        self.stop()  # a hint
        self.game.push(move)
        self._stop_clock()
        self._go_on()

    def resign(self) -> None:
        self._must_go_on()
        self.stop()
        self.game.push("resign", self.color)
        self._go_on()

    def undo(self) -> None:
        """Take back up to the person's last move, and what was marked or lost since."""
        self.stop()
        if not self.is_open or not any(move.color == self.color for move in self.game.moves):
            raise ValueError("there is no move of yours to take back")
        while self.game.pop().color != self.color:
            pass
        self._flagged = ""
        self.count = Count(self.game)
        self._since = time.monotonic()
        self._go_on()

    def hint(self) -> None:
        """Tell what the preset would look at."""
        self._must_go_on()
        if self.game.turn != self.color:
            raise ValueError("it is not your turn")
        self.work(self._advise)

    def mark_dead(self, point: str) -> None:
        if not self.is_open or not self.count.is_due:
            raise ValueError("dead stones are marked when both have passed")
        self.stop()
        self.count.change(parse_vertex(point, self.game.size))
        self._tell()

    def document(self) -> Document:
        """The game as a tree."""
        if not self.is_open:
            raise ValueError("no game has been begun")
        document = Document.from_game("play", self.game)
        if result := self._result():  # without the dead stones
            document.root.set_text("RE", result)
        return document

    def _must_go_on(self) -> None:
        if not self.is_open or self.game.is_over() or self._flagged:
            raise ValueError("there is no game that goes on: begin a new one")

    # --- the preset ---------------------------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Tell what is on the board, and have the preset do what is its turn to do."""
        if self.count.is_due:
            self.work(self._count)
        elif not self.game.is_over() and not self._flagged and self.game.turn != self.color:
            self.work(self._answer)
        self._tell()

    def _answer(self, job: Job) -> None:
        self.working("thinking")
        prepare(self.player.preset)
        turn = Turn(self.player, self.game, self._limit, clock=self._clocks.get(self.game.turn))
        analysis = job.last(turn.think(every=SLICE, interrupted=job.is_stopped))
        with self.lock:
            if job.is_stopped() or analysis is None:
                return
            turn.play(turn.decide(analysis))
            if turn.clock is not None:
                self._show(turn.color, turn.clock)
            self._since = time.monotonic()
            if not self.count.is_due:
                self._tell(thinking=False)
        if self.count.is_due:
            self._count(job)

    def _count(self, job: Job) -> None:
        """Propose which stones are dead."""
        self.working("counting")
        prepare(self.player.preset)
        with self.house.turns.turn(job.is_stopped) as is_ours:
            if is_ours:
                count = Count(self.game)
                count.propose(self.player.copy())
        with self.lock:
            if not job.is_stopped() and is_ours:
                self.count = count
                self._tell(thinking=False)

    def _advise(self, job: Job) -> None:
        self.working("a hint")
        adviser, limit = self.player.copy(), Limit(seconds=HINT_SECONDS)
        prepare(adviser.preset)
        game = self.game.copy()
        for found in job.stepping(adviser.think(game, limit, every=SLICE, interrupted=job.is_stopped)):
            self.post(opinion_of(found, board="play", node=game.move_count, preset=adviser.preset.name, running=True))

    # --- clocks -------------------------------------------------------------------------------------------------------

    def _stop_clock(self) -> None:
        self._spend(self.color, time.monotonic() - self._since)
        self._since = time.monotonic()

    def _spend(self, color: int, seconds: float) -> None:
        if color in self._clocks and not self._flagged:
            self._show(color, self._clocks[color].after_move(seconds))

    def _show(self, color: int, clock: Clock) -> None:
        """Take what a clock shows after a move."""
        self._clocks[color] = clock
        if clock.is_flagged:
            self._flagged = "W+T" if color == BLACK else "B+T"

    def _clock_states(self, thinking: bool) -> list[ClockState]:
        states = []
        for color, clock in sorted(self._clocks.items()):
            is_running = self.game.turn == color and not self._result()
            spent = time.monotonic() - self._since if is_running and not thinking else 0.0
            states.append(ClockState(max(0.0, clock.main - spent), clock.periods, _more(clock), is_running))
        return states

    # --- telling ------------------------------------------------------------------------------------------------------

    def _result(self) -> str:
        return self._flagged or self.count.result() or ""

    def _tell(self, *, thinking: bool | None = None) -> None:
        if thinking is None:
            thinking = self.job is not None and self.job.is_running
        document = self.document()
        self.post(document.position(result=self._result(), dead=sorted(self.count.dead)))
        self.post(
            GameState(
                setup=self.setup,
                thinking=thinking,
                counting=self.count.is_due and not thinking,
                note=self.count.in_words() if self.count.is_due and not thinking else "",
                sgf=document.text(),
                clocks=self._clock_states(thinking),
            )
        )


def _ended(result: str) -> tuple[int, str]:
    """Who has won a game that was given up or lost on time, and by what of the two: ``R`` or ``T``; else nothing."""
    winner, _, how = result.partition("+")
    return (BLACK if winner == "B" else WHITE), (how if how in ("R", "T") else "")


def limit_of(thought: Thought) -> Limit | None:
    """The limit of a move besides the clock; None if there is a clock alone. Raises ValueError if there is neither."""
    if thought.clock is not None and thought.simulations is None and thought.seconds is None:
        return None
    return Limit(thought.simulations, thought.seconds)


def _as_kept(clock: Clock, kept: KeptClock) -> Clock:
    """A clock with what was left of it; in Canadian time, with a whole period."""
    return replace(clock, main=kept.main, periods=min(clock.periods, kept.periods))


def _more(clock: Clock) -> str:
    """What a player has besides main time: ``"3 × 30 s"``."""
    if clock.periods:
        return f"{clock.periods} × {clock.period:g} s"
    if clock.stones:
        return f"{clock.stones - clock.made} in {clock.period - clock.used:.0f} s"
    return f"+{clock.increment:g} s" if clock.increment else ""
