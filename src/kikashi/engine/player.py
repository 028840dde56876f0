"""A player: a preset, a game and a seed give a move with its analysis."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from kikashi.board.points import PASS, opponent
from kikashi.engine import machine
from kikashi.engine.decisions import Decisions, Remembered
from kikashi.engine.limits import MOST_SIMULATIONS, PLAYER_BUDGET, Budget, Limit
from kikashi.engine.move_choice import (
    LOST_WINRATE,
    Decision,
    best_but_pass,
    best_move,
    gain_of_pass,
    has_opponent_passed,
    is_game_decided,
    is_hopeless,
    is_unsettled,
    is_won_both_ways,
    keeping_territory,
    may_cost_territory,
    ranked,
    rather_than_pass,
    should_pass,
    told_as_pass,
)
from kikashi.engine.preset import DEFAULT, Preset, load_preset
from kikashi.engine.roots import is_pass_in_doubt, root_of
from kikashi.engine.stopping import CLEAR_AFTER, Check, Question, run, told_on, will_not_be_overtaken
from kikashi.engine.tree_reuse import KeptSearch
from kikashi.game import RESIGN, Game
from kikashi.game.time_control import Clock, moves_left
from kikashi.parts.uses import use
from kikashi.search.analysis import Analysis, MoveStatistics, analyse, from_side
from kikashi.search.interface import AnySearch
from kikashi.search.kinds import region
from kikashi.search.multi_start import Starts
from kikashi.search.search import Search
from kikashi.search.staged import new_search
from kikashi.search.zones import UNTUNED, Tuning, ZoneRule

RESIGN_AFTER = 2
"""Decisions in a row that must be hopeless before a player resigns."""
JUDGING_SIMULATIONS = 1_000
"""What it takes to tell which stones are dead."""
JUDGING_SHARE = 0.2
"""The part of a move's time that is kept for judging, where territory counts."""


class Player:
    """Plays by a preset. Same preset, seed, budget in simulations and one thread: the same moves.

    The tree is kept from move to move of one game. `overrides` change settings of the preset: ``"selection.p=1.2"``.
    Raises ValueError for a preset or a setting that is not right.
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
        """For all sizes of boards; a game is played by what it is `at` its size."""
        self.budget = budget or PLAYER_BUDGET
        self.threads = threads
        self.seed = seed
        self.megabytes = megabytes
        self.early_stop = True
        self._kept = KeptSearch(self._new_search)
        self._decisions = Decisions()
        self._allowed = Limit(0.0)
        """What the last move that was thought about could use."""

    def choose(self, game: Game, *, clock: Clock | None = None, interrupted: Check | None = None) -> Decision:
        """Think about the position of a game and decide on a move for the player to move.

        The game is not changed. The decision is remembered, as by `remember`.
        """
        *_, analysis = self.think(game, clock=clock, interrupted=interrupted)
        decision = self.decide(game, analysis)
        self.remember(game, decision)
        return decision

    def think(
        self,
        game: Game,
        *,
        clock: Clock | None = None,
        every: float | None = None,
        interrupted: Check | None = None,
        moves: Collection[int] | None = None,
        may_pass: bool = True,
    ) -> Iterator[Analysis]:
        """Search until the budget is spent, the clock says so or the best move cannot be overtaken; longer if the
        preset has a reserve and it is not clear what to play.

        Yields an analysis after every `every` seconds, and one at the end. `interrupted` is asked every few
        milliseconds; when it says yes, the search ends. With `moves` only these and passing are looked at. After a pass
        of the opponent that wins the count, passing is looked at alone; other moves only if that does not win without
        the dead stones, too, or if `may_pass` is false. Where territory counts, the last analysis may also say what a
        pass is worth.
        """
        started = time.perf_counter()
        share = None if clock is None else clock.seconds_for(moves_left(game.size, game.move_count))
        seconds = min((limit for limit in (self.budget.seconds, share) if limit is not None), default=None)
        saved = self._decisions.last(game, game.turn).spare
        limit = self._allowed = Limit(started, self._simulations(game), seconds).with_spare(
            saved, self.preset.at(game.size).reserve.most, None if clock is None else clock.main
        )
        asked = Question(game, moves, every, interrupted)
        if may_pass and game.rules.counts_territory:
            return self._run_for_territory(asked, limit)
        if may_pass and is_pass_in_doubt(game):
            return self._run_after_pass(asked, limit)
        return self._run_on_moves(asked, limit)

    def _simulations(self, game: Game) -> int | None:
        """The simulations of the budget, as the preset shares them out among the moves of a game."""
        effort = self.preset.at(game.size).effort
        if self.budget.simulations is None or effort.rule == "even":
            return self.budget.simulations
        share = effort.share(len(game.legal_moves), game.move_count + 1)
        return max(1, round(share * self.budget.simulations))

    def analyse(self, game: Game, *, interrupted: Check | None = None, zoned: bool = True) -> Analysis:
        """Spend the whole budget on the position of a game, without deciding anything: by the game's komi.

        Where the preset has zones it keeps to one, unless `zoned` is false; the score outside is not tuned.
        """
        *_, analysis = self.study(game, interrupted=interrupted, zoned=zoned)
        return analysis

    def study(
        self,
        game: Game,
        *,
        every: float | None = None,
        first: float | None = None,
        interrupted: Check | None = None,
        moves: Collection[int] | None = None,
        zoned: bool = True,
    ) -> Iterator[Analysis]:
        """As `analyse`; yields an analysis after `first` seconds, after every `every` seconds from then on, and one at
        the end. With `moves` only these and passing are looked at."""
        limit = Limit(time.perf_counter(), self.budget.simulations, self.budget.seconds)
        tuning = self._tuning(game, limit, UNTUNED) if zoned else None
        search = self._kept.prepare(game, moves, tuning=tuning, simulations=self._most(game, limit))
        return self._run(search, limit, every, [interrupted], first=first)

    def memory(self, name: str) -> list[np.ndarray]:
        """The integers of the memories of this name after a search, for instruments; see `Memories.named`."""
        return [] if self._kept.search is None else self._kept.search.first.memories.named(name)

    def watch(
        self,
        game: Game,
        every: float,
        interrupted: Check,
        *,
        moves: Collection[int] | None = None,
        most: int | None = None,
    ) -> Iterator[Analysis]:
        """Search until interrupted, and yield an analysis after every `every` seconds and one at the end.

        With `moves` only these and passing are looked at; of what was found the `most` visited are told. The komi is
        the game's.
        """
        limit = Limit(time.perf_counter())
        search = self._kept.prepare(game, moves, tuning=self._tuning(game, limit, UNTUNED))
        found = self._run(search, limit, every, [interrupted], most=most)
        return told_on(search, found, every, interrupted)

    @contextmanager
    def pondering(self, game: Game) -> Iterator[None]:
        """Think on the opponent's time: search in the background while the body of the ``with`` runs.

        The next `choose` starts from what was found, if the opponent plays a move that was looked at.
        """
        tuning = self._tuning(game, Limit(time.perf_counter()))
        search = self._kept.prepare(game, shift=self._shift(game, opponent(game.turn)), tuning=tuning)
        with ThreadPoolExecutor(1, "ponder") as pool:
            thinking = pool.submit(search.run, MOST_SIMULATIONS)
            try:
                yield
            finally:
                search.halt()
                with suppress(ValueError):  # of a part: the next search will tell
                    thinking.result()
                    search.rest()

    def with_preset(self, preset: Preset) -> Player:
        """A player that differs only in its preset, and knows nothing yet."""
        return Player(preset, budget=self.budget, threads=self.threads, seed=self.seed, megabytes=self.megabytes)

    def resize(self, *, threads: int | None = None, megabytes: float | None = None) -> None:
        """Have another number of threads, or another memory for the tree; what was found is forgotten.

        Raises ValueError, and changes nothing, if that cannot be.
        """
        changed = Player(self.preset, threads=threads or self.threads, megabytes=megabytes or self.megabytes)
        self.threads, self.megabytes = changed.threads, changed.megabytes
        self._kept.drop()

    def forget(self) -> None:
        """Forget what was found and decided: a new game begins."""
        self._kept.forget()
        self._decisions.clear()

    def start_over(self) -> None:
        """Forget everything, and draw the same random numbers again: the same question has the same answer then."""
        self.forget()
        if isinstance(self._kept.search, Search | Starts):
            self._kept.search.reseed()

    def group(self, game: Game) -> list[int]:
        """The points that the preset's region, or the middle of its zone, has in the position of a game: the groups of
        the last moves. Presets that have neither are shown those of `common_fate`."""
        used = self.preset.at(game.size).recipe.rules.get("region") or self._zone_rule(game).groups
        return _listed(self._kept.for_size(game.size).first.marked(used, root_of(game)))

    def zone(self, game: Game) -> list[int]:
        """The points of the zone that the preset, or `mogo-2006-zone`, has in the position of a game."""
        return _listed(self._kept.for_size(game.size).first.zone_at(root_of(game), self._zone_rule(game)))

    def _zone_rule(self, game: Game) -> ZoneRule:
        return self.preset.at(game.size).recipe.zone or ZoneRule(use(region, "common_fate"))

    def ranks(self) -> list[dict[str, Any]]:
        """What each of the processes has done that share the searches of this player; nothing where there is one."""
        return []

    # --- thinking -----------------------------------------------------------------------------------------------------

    def extra_komi(self, game: Game, color: int) -> float:
        """The points on top of the game's komi, against the player, by which it would think about a move for a colour.

        More than 0 only by dynamic komi (Baier 2010, §7.4), and only after decisions that were played in this game.
        After a pass, where another one ends the game, the game's komi is the question.
        """
        if self.preset.at(game.size).komi.rule != "dynamic" or has_opponent_passed(game):
            return 0.0
        return self._decisions.last(game, color).extra_komi

    def _shift(self, game: Game, color: int) -> float:
        """The same from Black's side, as komi is: White's extra points lower it. A preset without komi takes off all of
        it, but for the question whether to end the game, which is the game's."""
        if self.preset.at(game.size).komi.rule == "none":
            return 0.0 if has_opponent_passed(game) else -game.compensation
        return from_side(color, self.extra_komi(game, color))

    def _tuning(self, game: Game, limit: Limit, alpha: float | None = None) -> Tuning | None:
        """How to tune a zone within a limit, by the preset's alpha if none is given; None if it has no zones."""
        rule = self.preset.at(game.size).recipe.zone
        return None if rule is None else rule.tuning_for(limit.simulations, limit.started, limit.until, alpha)

    def _most(self, game: Game, limit: Limit) -> int:
        """How many simulations of a game's position a limit allows."""
        return limit.most_simulations(game.size, self.threads)

    def _new_search(self, size: int) -> AnySearch:
        """One search, or as many as the preset says, for boards of a size."""
        preset = self.preset.at(size)
        recipe, starts = preset.recipe, preset.starts
        if starts == 1:
            return new_search(recipe, size=size, threads=self.threads, seed=self.seed, megabytes=self.megabytes)
        return Starts(
            recipe, searches=starts, size=size, threads=self.threads, seed=self.seed, megabytes=self.megabytes
        )

    @property
    def searched(self) -> Search | None:
        """The search of the last position, or one of several, for instruments that look at its tree and memories while
        nothing runs; None if there was none."""
        return None if self._kept.search is None else self._kept.search.first

    def _analyse(
        self, search: AnySearch, seconds: float, moves_by: dict[str, int], most: int | None = None
    ) -> Analysis:
        """What a search has found so far."""
        assert isinstance(search, Search | Starts)
        komi = self._kept.komi
        found = analyse(search, simulations=search.done, seconds=seconds, moves_by=moves_by, komi=komi, most=most)
        return ranked(found, self.preset.at(search.size).choice.rule)

    def _run(
        self,
        search: AnySearch,
        limit: Limit,
        every: float | None,
        checks: Iterable[Check | None],
        *,
        first: float | None = None,
        most: int | None = None,
    ) -> Iterator[Analysis]:
        """Run simulations up to a limit, or until one of the checks says yes. Yields analyses as `think` does, but the
        first after `first` seconds, if that is given."""
        return run(search, limit, every, checks, partial(self._analyse, search, most=most), first=first)

    def _run_after_pass(self, asked: Question, limit: Limit) -> Iterator[Analysis]:
        """Judge the board with the opponent to move; think about moves only if to pass again would not win both ways.

        Judging has half of the time, and as many simulations as it takes; so have the moves then.
        """
        judging = Limit(limit.started, JUDGING_SIMULATIONS, limit.half().until - limit.started)
        turned = asked.game.turned_to(opponent(asked.game.turn))
        search = self._kept.prepare(turned, judging=True, simulations=JUDGING_SIMULATIONS)
        for after in self._run(search, judging, asked.every, [asked.interrupted]):
            analysis = told_as_pass(after)
            yield analysis
        if not is_won_both_ways(asked.game, analysis.ownership):
            # To pass would be to give up: that no move wins must be known as well as which stones are dead.
            simulations = max(limit.simulations, JUDGING_SIMULATIONS)
            left = Limit(time.perf_counter(), simulations, limit.until - time.perf_counter())
            yield from self._run_on_moves(asked, left)

    def _run_for_territory(self, asked: Question, limit: Limit) -> Iterator[Analysis]:
        """Think about moves; if the best may cost territory, find out what a pass is worth in its place, as if nobody
        had passed. A part of the time is kept for that."""
        game = asked.game
        for analysis in self._run_on_moves(asked, limit.all_but(JUDGING_SHARE)):
            yield analysis
        best = self._best(game, analysis)
        other = best if best is None or best.move != PASS else best_but_pass(analysis)
        if best is None or other is None or not may_cost_territory(game, analysis, best):
            return
        now = time.perf_counter()
        judging = Limit(now, JUDGING_SIMULATIONS, limit.until - now)
        turned = game.turned_to(opponent(game.turn))
        search = self._kept.prepare(turned, judging=True, simulations=JUDGING_SIMULATIONS)
        *_, after = self._run(search, judging, None, [asked.interrupted])
        yield replace(analysis, pass_gain=gain_of_pass(told_as_pass(after).moves[0], other))

    def _run_on_moves(self, asked: Question, limit: Limit) -> Iterator[Analysis]:
        """Run simulations up to a limit, or until it is clear which of the moves to play."""
        game, shift = asked.game, self._shift(asked.game, asked.game.turn)
        tuning, most = self._tuning(game, limit), self._most(game, limit)
        search = self._kept.prepare(game, asked.moves, shift=shift, tuning=tuning, simulations=most)
        is_limited = "region" in self.preset.at(game.size).recipe.rules or search.outside_score is not None
        if asked.moves is None and (is_limited or self.extra_komi(game, game.turn)):
            return self._run_in_halves(asked, search, limit)
        return self._run_until_decided(asked, search, limit)

    def _run_until_decided(self, asked: Question, search: AnySearch, limit: Limit) -> Iterator[Analysis]:
        """Run simulations up to a limit, or until the best move cannot be overtaken or is clear, or who wins; while
        the move is in doubt, on and on up to what is spare."""
        preset = self.preset.at(search.size)
        analysis: Analysis | None = None
        # Where territory counts, a search that is won or lost still has to tell a wasted move from a pass.
        if self.early_stop and preset.reserve.decided and not asked.game.rules.counts_territory:
            for analysis in self._run(search, limit.part(CLEAR_AFTER), asked.every, [asked.interrupted]):
                yield analysis
            if asked.is_withdrawn or (analysis and is_game_decided(analysis, preset.reserve.decided)):
                return

        def is_decided() -> bool:
            by_visits = preset.choice.rule == "visits"
            return self.early_stop and by_visits and will_not_be_overtaken(search, limit, preset.reserve.clear)

        analysis = None
        for longer in [limit, *limit.extensions()]:
            if analysis is not None and not is_unsettled(analysis, preset.reserve.close):
                return
            limit = longer
            for analysis in self._run(search, limit, asked.every, [is_decided, asked.interrupted]):
                yield analysis
            if asked.is_withdrawn:
                return

    def _run_in_halves(self, asked: Question, search: AnySearch, limit: Limit) -> Iterator[Analysis]:
        """Run simulations in the region or zone that the preset keeps to, or by a komi that is not the game's.

        If half of the budget says that this was not the question, the other half is for the whole board and by the
        game's komi.
        """
        game, half = asked.game, limit.half()
        for analysis in self._run(search, half, asked.every, [asked.interrupted]):
            yield analysis
        if asked.is_withdrawn:
            return
        if limit.simulations > half.simulations and self._asked_in_vain(game, analysis):
            is_limited = "region" in self.preset.at(game.size).recipe.rules or analysis.outside is not None
            limit = limit.after(half)
            search = self._kept.prepare(game, everywhere=is_limited, simulations=self._most(game, limit))
        yield from self._run_until_decided(asked, search, limit)

    def _asked_in_vain(self, game: Game, analysis: Analysis) -> bool:
        """Whether a pass, which stands for a move outside the region, looks best; or whether the game is won as it
        stands, dead stones taken off or not, but by the internal komi lost: then to pass is to win, and any move may do
        harm. Whether to pass at all is nothing that a zone could tell."""
        best = self._best(game, analysis)
        if best is None:
            return False
        is_lost = analysis.internal_komi is not None and best.winrate < LOST_WINRATE
        if is_lost and is_won_both_ways(game, analysis.ownership):
            return True
        if analysis.outside is not None:
            return best.move == PASS or should_pass(self.preset, game, analysis, best)
        is_elsewhere = "region" in self.preset.at(game.size).recipe.rules and best.move == PASS
        return is_elsewhere and not should_pass(self.preset, game, analysis, best)

    # --- deciding -----------------------------------------------------------------------------------------------------

    def decide(self, game: Game, analysis: Analysis) -> Decision:
        """What to do about an analysis of the position of this game. Nothing is remembered: see `remember`."""
        return Decision(self._decide(game, analysis), analysis)

    def _decide(self, game: Game, analysis: Analysis) -> int:
        best = self._best(game, analysis)
        if best is None or (analysis.outside is None and should_pass(self.preset, game, analysis, best)):
            return PASS
        may_resign = self._is_hopeless(game, analysis) and game.move_count > game.size
        if may_resign and self._decisions.hopeless_in_a_row(game) + 1 >= RESIGN_AFTER:
            return RESIGN
        if game.rules.counts_territory:
            return keeping_territory(analysis, best)
        if best.move == PASS:
            best = rather_than_pass(game, analysis, self.preset.at(game.size).choice.rule) or best
        return best.move

    def _best(self, game: Game, analysis: Analysis) -> MoveStatistics | None:
        return best_move(analysis, self.preset.at(game.size).choice.rule)

    def _is_hopeless(self, game: Game, analysis: Analysis) -> bool:
        """Whether an analysis of the whole board says so by the game's komi: a player does not resign because it asked
        for too much, or did not look elsewhere."""
        best, is_usual = self._best(game, analysis), analysis.internal_komi is None and analysis.outside is None
        return best is not None and is_usual and is_hopeless(self.preset, game, best)

    def remember(self, game: Game, decision: Decision) -> None:
        """Keep in mind a decision in the position of this game: a later one may be to resign, or by another komi.

        It counts only in games where the move was then played.
        """
        found = decision.analysis
        shift = 0.0 if found.internal_komi is None else found.internal_komi - game.compensation
        extra = self.preset.at(game.size).komi.extra_after(from_side(game.turn, shift), found.winrate)
        saved = self._decisions.last(game, game.turn).spare
        spare = self._allowed.left_over(saved, found.simulations, found.seconds)
        self._decisions.note(game, decision.move, Remembered(self._is_hopeless(game, found), extra, spare))


def _listed(points: np.ndarray) -> list[int]:
    found: list[int] = np.flatnonzero(points).tolist()
    return found
