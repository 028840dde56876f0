"""A person against a preset."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from threading import Timer

from kikashi.board.points import BLACK, EMPTY, WHITE, parse_vertex, points_of
from kikashi.engine.limits import Limit
from kikashi.engine.session import Session
from kikashi.game import Game
from kikashi.game.moves import parse_color
from kikashi.game.territory import owners
from kikashi.game.time_control import parse_clock
from kikashi.protocols.formatting import from_the_top
from kikashi.terminal.counting import Count
from kikashi.web.analyses import make_analysis
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import ClockState, CountRow, GameState, KeptClock, MoveName, Notice, Setup, Thought, handles
from kikashi.web.shelf import Item
from kikashi.web.tasks import Job, Task

HINT_SECONDS = 2.0
SLICE = 0.5
"""Seconds of a search after which others may search."""


class PlayTask(Task):
    """A game that a person plays. Its tree has one line: a move taken back is gone."""

    name = "play"
    _flag: Timer | None = None
    """It fires when the person's time is up."""
    _is_hurried: bool | None = None
    """Whether the preset must move at once; None while it does not search."""

    @handles("new_game")
    def begin(self, setup: Setup) -> None:
        """Start a game. Raises ValueError for settings that cannot be."""
        game = Game(setup.size, setup.komi, setup.rules)
        if setup.handicap:
            game.place_free_handicap(setup.handicap)
        self._start_game(setup, game)
        self.release()
        self._save()

    def resume(self, key: str, item: Item) -> None:
        """Resume a game of the shelf. Raises ValueError if its record is wrong."""
        assert item.setup is not None
        tree = GameTree.from_sgf("play", item.sgf)
        game = tree.game(tree.line(0)[-1]).copy()
        winner, _, how = (tree.root.simple_text("RE") or "").partition("+")
        if how == "R":
            game.push("resign", WHITE if winner == "B" else BLACK)
        loser = WHITE if winner == "B" else BLACK
        self._start_game(item.setup, game, item.clocks, loser if how == "T" else None)
        if key != self.key:
            self.release(key)

    def _start_game(
        self, setup: Setup, game: Game, left: tuple[KeptClock, KeptClock] | None = None, loser: int | None = None
    ) -> None:
        """Start or resume a game, with the time that Black and White have left; a loser has none. Raises ValueError."""
        preset = self.state.presets.get(setup.preset)
        clock = parse_clock(setup.thought.clock) if setup.thought.clock else None
        limit = limit_of(setup.thought)
        self.stop()
        self.session = Session(self.state.new_player(preset), game, limit)
        self.setup = setup
        self.color = parse_color(setup.color)
        opponent = f"{preset.name}, level {setup.level}" if setup.level else preset.name
        names = (setup.name or "You", opponent)
        game.headers |= dict(zip(("PB", "PW"), names if self.color == BLACK else names[::-1], strict=True))
        game.headers.pop("RE", None)
        self.count = Count(game)
        if clock is not None:
            kept = left or (KeptClock(clock.main, clock.periods),) * 2
            for color, each in zip((BLACK, WHITE), kept, strict=True):  # in Canadian time the period is whole again
                main = -1.0 if color == loser else each.main
                self.session.clocks[color] = replace(clock, main=main, periods=min(clock.periods, each.periods))
        self._since = time.monotonic()
        self._is_accepted = False
        self._advance()

    @property
    def is_open(self) -> bool:
        return hasattr(self, "session")

    @property
    def game(self) -> Game:
        return self.session.game

    # --- requests -----------------------------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        """Make the person's move. Raises ValueError if it is illegal, or not the person's turn."""
        self._require_turn()
        self.stop()  # a hint
        self.session.push(move, seconds=time.monotonic() - self._since)
        self._since = time.monotonic()
        self._advance()
        self._save()
        if move == "pass":
            self.post(Notice("You passed.", "undo"))

    @handles("resign")
    def resign(self) -> None:
        self._require_running()
        self.stop()
        self.game.push("resign", self.color)
        self._advance()
        self._save()

    @handles("undo")
    def undo(self) -> None:
        """Take back the person's last move and all since, dead stones and a lost clock too."""
        self.stop()
        if not self.is_open:
            raise ValueError("no game has been started")
        self.session.undo_turn(self.color)
        if (loser := self.session.flagged) is not None and self.setup.thought.clock:
            self.session.clocks[loser] = parse_clock(self.setup.thought.clock)
        self._is_accepted = False
        self.count = Count(self.game)
        self._since = time.monotonic()
        self._advance()
        self._save()

    @handles("hint")
    def hint(self) -> None:
        """Show the preset's analysis."""
        self._require_turn()
        self.start(self._advise)

    @handles("mark_dead")
    def mark_dead(self, point: MoveName) -> None:
        """Mark a chain as dead, or as alive again."""
        if not self.is_open or not self.count.is_due or self._is_accepted:
            raise ValueError("dead stones are marked when both have passed, until the count is accepted")
        self.stop()
        self.count.change(parse_vertex(point, self.game.size))
        self._show()
        self._save()

    @handles("accept_count")
    def accept(self) -> None:
        """Accept the count."""
        if not self.is_open or not self.count.is_due:
            raise ValueError("there is no count to accept")
        self.stop()
        self._is_accepted = True
        self._show()
        self._save()

    def interrupt(self) -> None:
        """Stop a hint, or let the preset play its best move so far; without any it pauses until `go_on`."""
        if self._is_hurried is not None:
            self._is_hurried = True
            return
        self.stop()
        if self.is_open:
            self._show()

    @handles("continue_game")
    def go_on(self) -> None:
        """Let the preset think that was stopped."""
        self._require_running()
        self._advance()

    def game_tree(self) -> GameTree:
        """Return the game as a tree. Raises ValueError if there is none."""
        if not self.is_open:
            raise ValueError("no game has been started")
        tree = GameTree.from_game("play", self.game, self.setup.rules)
        if result := self._result():  # without the dead stones
            tree.root.set_text("RE", result)
        return tree

    def close(self) -> None:
        """Stop the job and the clock."""
        self.stop()
        if self._flag is not None:
            self._flag.cancel()

    def _require_running(self) -> None:
        if not self.is_open or self.game.is_over() or self.session.flagged is not None:
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
        elif not self._result() and self.game.turn != self.color:
            self.start(self._answer)
        self._show()

    def _answer(self, job: Job) -> None:
        session = self.session
        if not self.compile(job, session.player.preset):
            return
        self.show_progress(f"{session.player.preset.name} thinks")
        self._since, self._is_hurried = time.monotonic(), False
        session.interrupted = lambda: job.is_stopped() or bool(self._is_hurried)
        try:
            analysis = job.last(session.think(every=SLICE))
        finally:
            self._is_hurried = None
        with self.lock:
            if job.is_stopped() or analysis is None:
                return
            session.play(session.decide(analysis))
            self._since = time.monotonic()
            if not self.count.is_due:
                self._show(thinking=False)
            self._save()
        if self.count.is_due:
            self._count(job)

    def _count(self, job: Job) -> None:
        """Propose the dead stones."""
        self.show_progress("counting")
        if not self.compile(job, self.session.player.preset):
            return
        with self.state.search_lock.hold(job.is_stopped) as is_held:
            if is_held:
                count = Count(self.game)
                count.propose(self.session.player.copy())
        with self.lock:
            if not job.is_stopped() and is_held:
                self.count = count
                self._show(thinking=False)
                self._save()

    def _advise(self, job: Job) -> None:
        self.show_progress("a hint")
        adviser, limit = self.session.player.copy(), Limit(seconds=HINT_SECONDS)
        if not self.compile(job, adviser.preset):
            return
        game = self.game.copy()
        for found in job.iterate(adviser.think(game, limit, every=SLICE, interrupted=job.is_stopped)):
            self.post(
                make_analysis(found, game, board="play", node=game.move_count, preset=adviser.preset.name, running=True)
            )

    # --- clocks -------------------------------------------------------------------------------------------------------

    def _watch_clock(self) -> None:
        """Let the flag fall when the person's time is up."""
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        clock = self.session.clocks[self.color]
        if clock is None or self._result() or self.game.turn != self.color:
            return
        moves, left = self.game.move_count, clock.time_left - (time.monotonic() - self._since)

        def fall() -> None:
            with self.lock:
                if not self._result() and self.game.turn == self.color and self.game.move_count == moves:
                    self.stop()
                    self.session.clocks[self.color] = replace(clock, main=-1.0, periods=0)
                    self._show()
                    self._save()

        self._flag = Timer(max(0.0, left), fall)
        self._flag.daemon = True
        self._flag.start()

    def _clock_states(self) -> list[ClockState]:
        """Return both clocks; that of the player to move runs."""
        states = []
        for color, clock in self.session.clocks.items():
            if clock is None:
                continue
            is_running = self.game.turn == color and not self._result() and (color == self.color or self.is_busy)
            main, period, periods = max(0.0, clock.main), clock.period - clock.used, clock.periods
            spent = time.monotonic() - self._since if is_running else 0.0
            if periods and clock.period and spent > main:
                lost = int((spent - main) // clock.period)
                main, period, periods = 0.0, clock.period - (spent - main) % clock.period, max(1, periods - lost)
            elif clock.stones and spent > main:
                main, period = 0.0, max(0.0, period - (spent - main))
            else:
                main = max(0.0, main - spent)
            states.append(ClockState(main, period, periods, clock.stones - clock.made, clock.increment, is_running))
        return states

    # --- the page -----------------------------------------------------------------------------------------------------

    def _result(self) -> str:
        if (loser := self.session.flagged) is not None:
            return "W+T" if loser == BLACK else "B+T"
        return self.count.result() or ""

    def _show(self, *, thinking: bool | None = None) -> None:
        if thinking is None:
            thinking = self.is_busy
        is_counted = self.count.is_due and not thinking
        rows, territory = count_in_parts(self.game, self.count.dead) if is_counted else ([], "")
        is_waiting = not thinking and not self._result() and self.game.turn != self.color
        self.post(self.game_tree().position(result=self._result(), dead=sorted(self.count.dead)))
        self.post(
            GameState(
                setup=self.setup,
                thinking=thinking,
                paused=is_waiting,
                counting=is_counted and not self._is_accepted,
                accepted=self._is_accepted,
                count=rows,
                territory=territory,
                clocks=self._clock_states(),
            )
        )
        self._watch_clock()

    def _save(self) -> None:
        """Keep the game on the shelf."""
        kept = [KeptClock(max(0.0, clock.main), clock.periods) for clock in self.session.clocks.values() if clock]
        self.keep(self.game_tree(), "game", setup=self.setup, clocks=(kept[0], kept[1]) if kept else None)


def count_in_parts(game: Game, dead: set[int]) -> tuple[list[CountRow], str]:
    """Return the count of a finished game by parts, each for Black and White, and the owner of each point."""
    board = game.board.copy()
    for p in dead:
        board["color"][p] = EMPTY
    owner = owners(board)
    stones = Counter(int(board["color"][p]) for p in owner)
    empty = Counter(color for p, color in owner.items() if board["color"][p] == EMPTY)
    rows = [CountRow("territory", empty[BLACK], empty[WHITE])]
    if game.rules.counts_territory:
        lost = Counter(game.color_at(p) for p in dead)
        rows.append(CountRow("prisoners", game.prisoners(BLACK) + lost[WHITE], game.prisoners(WHITE) + lost[BLACK]))
    else:
        rows.insert(0, CountRow("stones", stones[BLACK], stones[WHITE]))
    rows.append(CountRow("komi", 0, game.komi))
    if game.bonus:
        rows.append(CountRow("handicap", 0, game.bonus))
    rows.append(CountRow("total", sum(row.black for row in rows), sum(row.white for row in rows)))
    shown = from_the_top(points_of(game.size))
    return rows, "".join(".XO"[owner[p]] for p in shown)


def limit_of(thought: Thought) -> Limit | None:
    """Return the limit of a move besides the clock; None for a clock alone. Raises ValueError without both."""
    if thought.clock is not None and thought.simulations is None and thought.seconds is None:
        return None
    return Limit(thought.simulations, thought.seconds)
