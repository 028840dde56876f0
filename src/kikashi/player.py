"""A player: a preset, a game and a seed give a move with its analysis."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from kikashi.board.points import BLACK, PASS, opponent, parse_vertex, vertex
from kikashi.game import RESIGN, Game, Move
from kikashi.playout.simulation import HISTORY, Root, new_root
from kikashi.preset import DEFAULT, Preset, load_preset
from kikashi.search.analysis import Analysis, MoveStatistics, analyse
from kikashi.search.budget import Budget, Clock, moves_left
from kikashi.search.search import Search

Check = Callable[[], bool]
UNLIMITED = 1 << 40
ROBUST_SHARE = 0.5
"""A move may be preferred for its value if it has this share of the visits of the most visited."""
SURE = 0.9
"""Above this win rate a player whose count is won passes rather than plays on where both are the same."""
RESIGN_AFTER = 2
"""Times in a row that the win rate must be too low before a player resigns."""


@dataclass(frozen=True)
class Decision:
    """A move and why."""

    move: int
    """A point, PASS or RESIGN."""
    analysis: Analysis

    @property
    def name(self) -> str:
        """``"E5"``, ``"pass"`` or ``"resign"``."""
        return "resign" if self.move == RESIGN else vertex(self.move)


class _Limit:
    """What a search may use: playouts, and a time, from when it started."""

    def __init__(self, started: float, playouts: int | None = None, seconds: float | None = None) -> None:
        self.started = started
        self.playouts = UNLIMITED if playouts is None else playouts
        self.until = math.inf if seconds is None else started + seconds

    def half(self) -> _Limit:
        """Half of it, one playout at least."""
        return _Limit(self.started, max(1, self.playouts // 2), (self.until - self.started) / 2)

    def after(self, used: _Limit) -> _Limit:
        """What is left of it, for a search that starts now, when something has been used."""
        now = time.perf_counter()
        return _Limit(now, self.playouts - used.playouts, self.until - now)


class Player:
    """Plays by a preset. Same preset, seed, budget in playouts and one thread: the same moves.

    The tree is kept from move to move of one game. Raises ValueError for a preset or setting that is not right.
    """

    def __init__(
        self,
        preset: str | Preset = DEFAULT,
        *,
        budget: Budget | None = None,
        threads: int = 1,
        seed: int = 1,
        megabytes: float = 512.0,
        overrides: Iterable[str] = (),
    ) -> None:
        self.preset = load_preset(preset, overrides) if isinstance(preset, str) else preset
        self.budget = budget or Budget(playouts=2000)
        self.threads = threads
        self.seed = seed
        self.megabytes = megabytes
        self.early_stop = True
        self._search: Search | None = None
        self._start: tuple[object, ...] = ()
        self._moves: tuple[Move, ...] = ()
        self._turn = BLACK
        self._low = 0

    def choose(self, game: Game, *, clock: Clock | None = None, interrupted: Check | None = None) -> Decision:
        """Think about the position of a game and decide on a move for the player to move. The game is not changed."""
        *_, analysis = self.think(game, clock=clock, interrupted=interrupted)
        return self.decide(game, analysis)

    def think(
        self,
        game: Game,
        *,
        clock: Clock | None = None,
        every: float | None = None,
        interrupted: Check | None = None,
        moves: Collection[int] | None = None,
    ) -> Iterator[Analysis]:
        """Search until the budget is spent, the clock says so or the best move cannot be overtaken.

        Yields an analysis every so many seconds, and the last one at the end. `interrupted` is asked every few
        milliseconds; when it says yes, that is the end. With `moves` only these and passing are looked at.
        """
        started = time.perf_counter()
        search = self._prepare(game, moves)
        share = None if clock is None else clock.seconds_for(moves_left(game.size, game.move_count))
        seconds = min((limit for limit in (self.budget.seconds, share) if limit is not None), default=None)
        limit = _Limit(started, self.budget.playouts, seconds)
        if self.preset.rules.region is None or moves is not None:
            return self._run_until_decided(search, limit, every, interrupted)
        return self._run_near_or_far(game, search, limit, every, interrupted)

    def analyse(self, game: Game, *, interrupted: Check | None = None) -> Analysis:
        """Spend the whole budget on the position of a game, without deciding anything."""
        limit = _Limit(time.perf_counter(), self.budget.playouts, self.budget.seconds)
        *_, analysis = self._run(self._prepare(game), limit, None, [interrupted])
        return analysis

    def watch(
        self, game: Game, every: float, interrupted: Check, *, moves: Collection[int] | None = None
    ) -> Iterator[Analysis]:
        """Analyse without end, with an analysis every so many seconds, until interrupted; with `moves` only these."""
        return self._run(self._prepare(game, moves), _Limit(time.perf_counter()), every, [interrupted])

    @contextmanager
    def pondering(self, game: Game) -> Iterator[None]:
        """Think on the opponent's time: search in the background while the body of the ``with`` runs.

        What is found is of use to the next `choose`, if the opponent plays what was looked at.
        """
        search = self._prepare(game)
        room = search.tree.nodes.size

        def think() -> None:
            search.run(UNLIMITED, check=lambda: search.tree.used >= room)

        with ThreadPoolExecutor(1, "ponder") as pool:
            thinking = pool.submit(think)
            try:
                yield
            finally:
                search.stop.set()
                with suppress(ValueError):  # of a part: the next search will tell
                    thinking.result()

    def with_preset(self, preset: Preset) -> Player:
        """A player that differs only in its preset, and knows nothing yet."""
        return Player(preset, budget=self.budget, threads=self.threads, seed=self.seed, megabytes=self.megabytes)

    def forget(self) -> None:
        """Think afresh about the next position: a new game begins."""
        self._start, self._moves, self._low = (), (), 0

    # --- thinking -----------------------------------------------------------------------------------------------------

    def _prepare(self, game: Game, moves: Collection[int] | None = None, *, everywhere: bool = False) -> Search:
        """A search whose tree knows what was found before, if the game has gone on from there.

        With `moves` only these and passing are looked at; with `everywhere` the whole board, whatever the preset says.
        """
        if self._search is None or self._search.size != game.size:
            self._search = Search(
                self.preset.rules, size=game.size, threads=self.threads, seed=self.seed, megabytes=self.megabytes
            )
            self._start = ()
        start, known = _start_of(game), len(self._moves)
        went_on = start == self._start and game.moves[:known] == self._moves and _took_turns(game, known, self._turn)
        usual = moves is None and not everywhere
        if usual and went_on:
            for move in game.moves[known:]:
                if not self._search.tree.keep(move.point):
                    break
        else:
            self._search.tree.clear()
        # A tree of other moves than usual is of no use to another search.
        self._start, self._moves, self._turn = start if usual else (), game.moves, game.turn
        legal = game.legal_moves if moves is None else [p for p in moves if game.is_legal(p)]
        seen = (h for h, _ in game.positions())
        self._search.start(root_of(game), legal, seen, everywhere=everywhere or moves is not None)
        return self._search

    def _run(
        self, search: Search, limit: _Limit, every: float | None, checks: Iterable[Check | None]
    ) -> Iterator[Analysis]:
        """Run simulations up to a limit, or until one of the checks says yes; an analysis now and then."""
        begun = ended = False
        before = search.moves_by()

        def is_ended() -> bool:
            nonlocal ended
            ended = ended or any(check() for check in checks if check is not None)
            return ended

        while not ended and search.done < limit.playouts and (not begun or time.perf_counter() < limit.until):
            begun = True
            pause = limit.until if every is None else min(limit.until, time.perf_counter() + every)
            ran = search.run(limit.playouts - search.done, until=pause, check=is_ended)
            ended = ended or not ran
            moves_by = {name: count - before[name] for name, count in search.moves_by().items()}
            seconds = time.perf_counter() - limit.started
            yield analyse(search, simulations=search.done, seconds=seconds, moves_by=moves_by)

    def _run_until_decided(
        self, search: Search, limit: _Limit, every: float | None, interrupted: Check | None
    ) -> Iterator[Analysis]:
        """Run simulations up to a limit, or until the best move cannot be overtaken."""

        def is_decided() -> bool:
            by_visits = self.preset.choice.rule == "visits"
            return self.early_stop and by_visits and _cannot_be_overtaken(search, limit)

        return self._run(search, limit, every, [is_decided, interrupted])

    def _run_near_or_far(
        self, game: Game, search: Search, limit: _Limit, every: float | None, interrupted: Check | None
    ) -> Iterator[Analysis]:
        """Run simulations in the region that the preset keeps to. There a pass stands for a move elsewhere: where it
        looks best with half of the budget spent, the other half is for the whole board."""
        half = limit.half()
        for analysis in self._run(search, half, every, [interrupted]):
            best = self._best(analysis)
            yield analysis
        if interrupted is not None and interrupted():
            return
        passing = best is not None and best.move == "pass" and not self._should_pass(game, analysis, best)
        if passing and limit.playouts > half.playouts:
            search = self._prepare(game, everywhere=True)
            limit = limit.after(half)
        yield from self._run_until_decided(search, limit, every, interrupted)

    # --- deciding -----------------------------------------------------------------------------------------------------

    def decide(self, game: Game, analysis: Analysis) -> Decision:
        """Make up the mind about what was found by thinking about the position of this game."""
        return Decision(self._decide(game, analysis), analysis)

    def _decide(self, game: Game, analysis: Analysis) -> int:
        best = self._best(analysis)
        if best is None or self._should_pass(game, analysis, best):
            return PASS
        bad = 0 < self.preset.choice.resign > best.winrate and self.preset.rules.win_weight > 0
        low = bad and not _count_is_won(game)
        self._low = self._low + 1 if low else 0
        if self._low >= RESIGN_AFTER and game.move_count > game.size:
            return RESIGN
        return parse_vertex(best.move, game.size)

    def _best(self, analysis: Analysis) -> MoveStatistics | None:
        tried = [move for move in analysis.moves if move.visits]
        if not tried:
            return analysis.moves[0] if analysis.moves else None
        if self.preset.choice.rule == "value":
            return max(tried, key=lambda move: move.winrate)
        if self.preset.choice.rule == "robust":
            enough = [move for move in tried if move.visits >= ROBUST_SHARE * tried[0].visits]
            return max(enough, key=lambda move: move.winrate)
        return tried[0]

    def _should_pass(self, game: Game, analysis: Analysis, best: MoveStatistics) -> bool:
        """Whether passing wins: the count is won, and the opponent has passed or nothing is left to gain."""
        if not _count_is_won(game):
            return False
        if game.moves and game.moves[-1].point == PASS:
            return True
        passing = next((move for move in analysis.moves if move.move == "pass"), None)
        sure = self.preset.rules.win_weight > 0 and passing is not None and passing.visits > 0
        return bool(sure and passing and passing.winrate > SURE and passing.winrate >= best.winrate)


def root_of(game: Game) -> Root:
    """Where simulations start in a game."""
    points = [move.point for move in game.moves if move.point != RESIGN]
    passes = 0
    if points and points[-1] == PASS:
        passes = 2 if game.is_over() else 1
    return new_root(game.board, history=tuple(points[-HISTORY:]), passes=min(passes, 1), komi=game.komi)


def _start_of(game: Game) -> tuple[object, ...]:
    """What must be the same for a tree to be of use in a game, besides the moves."""
    start = game.root()
    return (game.size, game.komi, game.rules, start.hash, start.turn)


def _took_turns(game: Game, since: int, turn: int) -> bool:
    """Whether the players took turns from a move on, when it was the turn of `turn`, and still do."""
    movers = [*(move.color for move in game.moves[since:]), game.turn]
    return all(mover == (turn if number % 2 == 0 else opponent(turn)) for number, mover in enumerate(movers))


def _count_is_won(game: Game) -> bool:
    score = game.score()
    return score > 0 if game.turn == BLACK else score < 0


def _cannot_be_overtaken(search: Search, limit: _Limit) -> bool:
    """Whether the second most visited move could no longer become the most visited one in what is left."""
    visits, done, now = search.tree.children()["visits"], search.done, time.perf_counter()
    if visits.size < 2 or not done:
        return False
    left = min(limit.playouts - done, done / max(now - limit.started, 1e-3) * max(0.0, limit.until - now))
    second, first = sorted(visits.tolist())[-2:]
    return bool(first - second > left)
