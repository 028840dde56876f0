"""A player: a preset, a game, a limit and a seed give a move with its analysis."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial

from kikashi.board.points import PASS, opponent
from kikashi.engine import machine
from kikashi.engine.limits import MOST_SIMULATIONS, PLAYER_LIMIT, UNLIMITED, Limit, SearchLimit
from kikashi.engine.move_choice import (
    Decision,
    Decisions,
    Remembered,
    best_move,
    has_opponent_passed,
    is_hopeless,
    keep_territory,
    rather_than_pass,
    should_pass,
)
from kikashi.engine.move_search import Check, MoveSearch, run, tuning_for
from kikashi.engine.preset import DEFAULT, Preset, load_preset
from kikashi.engine.trace import Traces
from kikashi.engine.trace_search import trace_search
from kikashi.engine.tree_reuse import KeptSearch
from kikashi.game import RESIGN, Game
from kikashi.search.analysis import Analysis, from_side
from kikashi.search.interface import Search
from kikashi.search.multi_start import MultiStart
from kikashi.search.staged import new_search
from kikashi.search.tree_search import TreeSearch
from kikashi.search.zones import UNTUNED

RESIGN_AFTER = 2
"""Decisions in a row that must be hopeless before a player resigns."""


class Player:
    """A player by a preset. Same preset, seed, limit in simulations and one thread: the same moves.

    `limit` is the default of its searches. The tree is kept from move to move of one game. `overrides` change settings
    of the preset: ``"selection.p=1.2"``. Raises ValueError for a bad preset or setting, TypeError for a bad limit.
    """

    def __init__(
        self,
        preset: str | Preset = DEFAULT,
        *,
        limit: Limit = PLAYER_LIMIT,
        threads: int = 1,
        seed: int = 1,
        megabytes: float = 512.0,
        overrides: Iterable[str] = (),
    ) -> None:
        if not isinstance(preset, str | Preset):
            raise TypeError(f"the preset is a Preset, or its name or path as a text, not {preset!r}")
        if not isinstance(limit, Limit):
            raise TypeError(f"the limit is a Limit, such as Limit(simulations=500), not {limit!r}")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        if seed < 0:
            raise ValueError(f"the seed must be at least 0, not {seed}")
        if not megabytes > 0:
            raise ValueError(f"megabytes must be above 0, not {megabytes}")
        if megabytes > (most := machine.megabytes()):
            raise ValueError(f"{megabytes:.0f} megabytes are more than this machine has: {most:.0f}")
        changes = tuple(overrides)
        if isinstance(preset, str) or changes:
            preset = load_preset(preset, changes)
        self.preset: Preset = preset
        """The preset of all board sizes; `Preset.at` has that of one size."""
        self.limit = limit
        self.threads = threads
        self.seed = seed
        self.megabytes = megabytes
        self.early_stop = True
        self._kept = KeptSearch(self._new_search)
        self._decisions = Decisions()
        self._last_limit = SearchLimit(0.0)

    def __repr__(self) -> str:
        threads = f", {self.threads} threads" if self.threads > 1 else ""
        return f"<Player {self.preset.name}, {self.limit} a move{threads}, seed {self.seed}>"

    def copy(
        self, preset: Preset | None = None, *, threads: int | None = None, megabytes: float | None = None
    ) -> Player:
        """Return a new player with these changes and without a tree. Raises ValueError."""
        return Player(
            preset or self.preset,
            limit=self.limit,
            threads=threads or self.threads,
            seed=self.seed,
            megabytes=megabytes or self.megabytes,
        )

    # --- moves --------------------------------------------------------------------------------------------------------

    def choose(self, game: Game, limit: Limit | None = None, *, interrupted: Check | None = None) -> Decision:
        """Search the position of a game, and decide on and remember a move. The game is not changed."""
        *_, analysis = self.think(game, limit, interrupted=interrupted)
        decision = self.decide(game, analysis)
        self.remember(game, decision)
        return decision

    def think(
        self,
        game: Game,
        limit: Limit | None = None,
        *,
        every: float | None = None,
        interrupted: Check | None = None,
        moves: Collection[int] | None = None,
        may_pass: bool = True,
    ) -> Iterator[Analysis]:
        """Search for a move until the limit is spent or the best move cannot be overtaken.

        The search may be longer if the preset has savings and the move is in doubt. Yields an analysis after every
        `every` seconds, and one at the end. `interrupted` is called every few milliseconds and ends the search when it
        is true. With `moves` only these and passing are searched. If another pass would win the count, passing is
        searched first, and moves only if it does not also win without the dead stones; or if `may_pass` is false.
        Under territory rules the last analysis may also have the value of a pass.
        """
        limit = _checked(game, limit or self.limit)
        if limit.clock is None:
            self.search_for(game.size)  # seconds of a move are for thinking, not for loading
        started, preset = time.perf_counter(), self.preset.at(game.size)
        saved = self._decisions.last(game, game.turn).savings
        simulations = preset.simulation_schedule.simulations(limit.simulations, game)
        own = SearchLimit(started, simulations, limit.seconds_at(game.size, game.move_count))
        main = None if limit.clock is None else limit.clock.main
        self._last_limit = own.with_savings(saved, preset.time_management.max_extension, main)
        search = MoveSearch(
            self._kept,
            preset,
            game,
            self._last_limit,
            shift=self._shift(game, game.turn),
            threads=self.threads,
            moves=moves,
            may_pass=may_pass,
            early_stop=self.early_stop,
            interrupted=interrupted,
        )
        yield from search.analyses(every)

    def decide(self, game: Game, analysis: Analysis) -> Decision:
        """Decide on a move by an analysis of the position of this game. Nothing is remembered: see `remember`."""
        preset = self.preset.at(game.size)
        best = best_move(analysis, preset.choice.rule)
        if best is None or (analysis.outside is None and should_pass(preset, game, analysis, best)):
            return Decision(PASS, analysis)
        may_resign = is_hopeless(preset, game, analysis) and game.move_count > game.size
        if may_resign and self._decisions.hopeless_in_a_row(game) + 1 >= RESIGN_AFTER:
            return Decision(RESIGN, analysis)
        if game.rules.counts_territory:
            return Decision(keep_territory(analysis, best), analysis)
        if best.move == PASS:
            best = rather_than_pass(game, analysis, preset.choice.rule) or best
        return Decision(best.move, analysis)

    def remember(self, game: Game, decision: Decision) -> None:
        """Remember a decision for later ones of the game, if its move is played: resignation, komi and savings."""
        found = decision.analysis
        shift = 0.0 if found.internal_komi is None else found.internal_komi - game.compensation
        preset = self.preset.at(game.size)
        extra = preset.komi.extra_after(from_side(game.turn, shift), found.winrate)
        saved = self._decisions.last(game, game.turn).savings
        savings = self._last_limit.saved_after(saved, found.simulations, found.seconds)
        self._decisions.note(game, decision.move, Remembered(is_hopeless(preset, game, found), extra, savings))

    @contextmanager
    def pondering(self, game: Game) -> Iterator[None]:
        """Search in the background while the body of the ``with`` runs, on the opponent's time.

        The next `choose` keeps the tree of the opponent's move.
        """
        tuning = tuning_for(self.preset.at(game.size), SearchLimit(time.perf_counter()))
        search = self._kept.prepare(game, shift=self._shift(game, opponent(game.turn)), tuning=tuning)
        with ThreadPoolExecutor(1, "ponder") as pool:
            thinking = pool.submit(search.run, MOST_SIMULATIONS)
            try:
                yield
            finally:
                search.stop()
                with suppress(ValueError):  # of a part: the next search will raise it
                    thinking.result()
                    search.finish()

    def new_game(self, *, reseed: bool = False) -> None:
        """Forget the tree and the decisions. With `reseed` the same random numbers are drawn again."""
        self._kept.forget()
        self._decisions.clear()
        if reseed and self._kept.search is not None:
            self._kept.search.reseed()

    # --- analyses -----------------------------------------------------------------------------------------------------

    def analyse(
        self, game: Game, limit: Limit | None = None, *, interrupted: Check | None = None, zoned: bool = True
    ) -> Analysis:
        """Spend the whole limit on the position of a game and return the last analysis; see `search`."""
        *_, analysis = self.search(game, limit, interrupted=interrupted, zoned=zoned)
        return analysis

    def search(
        self,
        game: Game,
        limit: Limit | None = None,
        *,
        every: float | None = None,
        first: float | None = None,
        interrupted: Check | None = None,
        moves: Collection[int] | None = None,
        most: int | None = None,
        zoned: bool = True,
        marks: Sequence[int] = (),
    ) -> Iterator[Analysis]:
        """Spend the whole limit on the position of a game, by the game's komi.

        Yields an analysis after `first` seconds, after every `every` seconds from then on, at the numbers of
        simulations in `marks`, and one at the end. With `moves` only these and passing are searched; an analysis has
        the `most` visited moves. If the preset has zones,
        the search keeps to one unless `zoned` is false. With UNLIMITED it runs until `interrupted`.
        """
        limit = _checked(game, limit or self.limit)
        own = SearchLimit(time.perf_counter(), limit.simulations, limit.seconds_at(game.size, game.move_count))
        preset = self.preset.at(game.size)
        tuning = tuning_for(preset, own, UNTUNED) if zoned else None
        simulations = None if limit == UNLIMITED else own.most_simulations(game.size, self.threads)
        search = self._kept.prepare(game, moves, tuning=tuning, simulations=simulations)
        rule, komi = preset.choice.rule, self._kept.komi
        found = run(search, own, [interrupted], rule, komi, most=most, every=every, first=first, marks=marks)
        if limit == UNLIMITED and every is not None and interrupted is not None:
            found = _repeated(search, found, every, interrupted)
        yield from found

    def trace(self, game: Game, simulations: int = 1, *, after: int = 0) -> Traces:
        """Run simulations one at a time on one thread, after some others, and return a record of each.

        Where this player has just searched the position of the game, the search goes on with its tree and memories; so
        does a further call. Otherwise it is new, as for `analyse`; a zone is tuned by the player's limit. There are
        fewer records if a pruning rule decides the search. Raises PartError if a part fails.

        >>> from kikashi import Game, Player
        >>> (first,) = Player("mogo-2006", seed=1).trace(Game(5))
        >>> first.path[0].selection.way, first.path[0].before.visits, first.path[0].after.visits
        ('largest', 0, 1)
        """
        _checked(game, self.limit)
        if simulations < 0 or after < 0:
            raise ValueError(f"simulations must be at least 0, not {min(simulations, after)}")
        own = SearchLimit(time.perf_counter(), self.limit.simulations)
        tuning = tuning_for(self.preset.at(game.size), own, UNTUNED)
        search = self._kept.at(game) or self._kept.prepare(game, tuning=tuning)
        search.run(after)
        return trace_search(search, simulations)

    @property
    def last_search(self) -> TreeSearch | None:
        """The search of the last position, or the first of several; its tree and memories may be read between runs."""
        return None if self._kept.search is None else self._kept.search.trees[0]

    def search_for(self, size: int) -> Search:
        """Return the search for boards of a size; make it and load its kernels if there is none."""
        return self._kept.for_size(size)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _new_search(self, size: int) -> Search:
        preset = self.preset.at(size)
        make = new_search if preset.starts == 1 else partial(MultiStart, searches=preset.starts)
        return make(preset.config, size=size, threads=self.threads, seed=self.seed, megabytes=self.megabytes)

    def _shift(self, game: Game, color: int) -> float:
        """Return the points added to komi, from Black's side, in a search of a move for a colour.

        Dynamic komi (Baier 2010, §7.4) is against that colour, by its last decision that was played in this game. A
        preset without komi takes all of it off. After a pass, where another one ends the game, the game's komi counts.
        """
        rule = self.preset.at(game.size).komi.rule
        if rule == "real" or has_opponent_passed(game):
            return 0.0
        if rule == "none":
            return -game.compensation
        return from_side(color, self._decisions.last(game, color).extra_komi)


def _checked(game: Game, limit: Limit) -> Limit:
    """Return the limit. Raises TypeError for another game or limit."""
    if not isinstance(game, Game):
        raise TypeError(f"a player thinks about a Game, not {game!r}")
    if not isinstance(limit, Limit):
        raise TypeError(f"the limit is a Limit, such as Limit(simulations=500), not {limit!r}")
    return limit


def _repeated(search: Search, found: Iterator[Analysis], every: float, interrupted: Check) -> Iterator[Analysis]:
    """Yield analyses; if the search is decided early, repeat the last one until interrupted."""
    for analysis in found:
        yield analysis
    again = time.perf_counter() + every
    while search.is_decided and not interrupted():
        time.sleep(0.005)
        if time.perf_counter() >= again:
            again += every
            yield analysis
