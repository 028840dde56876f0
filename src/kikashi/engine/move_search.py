"""The search for a move: a few phases, each a root, a limit and a stopping rule, run by one loop."""

import time
from bisect import bisect_right
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kikashi.board.points import PASS, opponent
from kikashi.engine.limits import SearchLimit
from kikashi.engine.move_choice import (
    LOST_WINRATE,
    as_pass,
    best_but_pass,
    best_move,
    gain_of_pass,
    is_game_decided,
    is_unsettled,
    is_won_both_ways,
    may_cost_territory,
    ranked,
    should_pass,
)
from kikashi.engine.preset import Preset
from kikashi.engine.tree_reuse import KeptSearch, is_pass_in_doubt
from kikashi.game import Game
from kikashi.search.analysis import Analysis
from kikashi.search.interface import Search
from kikashi.search.zones import Tuning

Check = Callable[[], bool]
SCORING_SIMULATIONS = 1_000
"""Simulations that suffice to find out which stones are dead."""
SCORING_SHARE = 0.2
"""Share of a move's time that is kept for scoring a pass, where territory counts."""
CLEAR_AFTER = 0.25
"""Share of a limit after which a move, or the winner, may be clear."""


@dataclass(frozen=True)
class Phase:
    """A prepared search, its limit, and a rule that ends it earlier."""

    search: Search
    limit: SearchLimit
    is_enough: Check | None = None
    report: Callable[[Analysis], Analysis] = lambda analysis: analysis
    """Conversion of an analysis of this search into one of the game's position."""
    is_silent: bool = False
    """Whether its analyses are not reported."""


Phases = Generator[Phase, Analysis | None, Analysis | None]
"""Phases in turn. Each is sent the last analysis of the one before, None if that had nothing to run."""


def run(
    search: Search,
    limit: SearchLimit,
    checks: Iterable[Check | None],
    rule: str,
    komi: float,
    *,
    most: int | None = None,
    every: float | None = None,
    first: float | None = None,
    marks: Sequence[int] = (),
) -> Iterator[Analysis]:
    """Run simulations up to a limit, or until one of the checks is true.

    Yields an analysis after `first` seconds, after every `every` seconds, at exactly the numbers of simulations in
    `marks`, which rise, and at the end. It has the `most` visited moves in the order of a rule of choice, and scores by
    the game's komi.
    """
    begun = ended = False

    def is_ended() -> bool:
        nonlocal ended
        ended = ended or any(check() for check in checks if check is not None)
        return ended

    def is_over() -> bool:
        return ended or search.done >= limit.simulations or (begun and time.perf_counter() >= limit.until)

    try:
        while not is_over():
            wait = every if begun or first is None else first
            begun = True
            pause = limit.until if wait is None else min(limit.until, time.perf_counter() + wait)
            due = bisect_right(marks, search.done)
            goal = min([limit.simulations, *marks[due : due + 1]])
            ran = search.run(goal - search.done, until=pause, check=is_ended)
            ended = ended or not ran or is_over()
            if ended:
                search.finish()
            seconds = time.perf_counter() - limit.started
            yield ranked(search.analysis(seconds, komi=komi, most=most), rule)
    finally:  # also if the caller takes no further analysis
        search.finish()


def tuning_for(preset: Preset, limit: SearchLimit, alpha: float | None = None) -> Tuning | None:
    """Return the tuning of a zone within a limit, by the preset's alpha if none is given; None without zones."""
    zone = preset.config.zone
    return None if zone is None else zone.tuning_for(limit.simulations, limit.started, limit.until, alpha)


def will_not_be_overtaken(search: Search, limit: SearchLimit, clear: float) -> bool:
    """Return whether no other move can, or is likely to, become the most visited one.

    It is unlikely after a part of the simulations (`CLEAR_AFTER`) if no other has the share `clear` of its visits.
    """
    visits, done = search.child_visits(), search.done
    if len(visits) < 2 or not done:
        return False
    second, first = sorted(visits)[-2:]
    left = limit.simulations_left(done)
    return first - second > left or (second < clear * first and done >= CLEAR_AFTER * (done + left))


@dataclass
class MoveSearch:
    kept: KeptSearch
    preset: Preset
    """The preset at the game's board size."""
    game: Game
    limit: SearchLimit
    shift: float = 0.0
    """Points added to komi, from Black's side (dynamic komi)."""
    threads: int = 1
    moves: Collection[int] | None = None
    """The only moves to search, besides passing."""
    may_pass: bool = True
    early_stop: bool = True
    interrupted: Check | None = None

    def analyses(self, every: float | None = None) -> Iterator[Analysis]:
        """Run the phases; yield an analysis after every `every` seconds, and one at the end of each phase."""
        phases = self._phases()
        found: Analysis | None = None
        while True:
            try:
                phase = phases.send(found)
            except StopIteration as end:
                if end.value is not None:
                    yield end.value
                return
            found = None
            checks, rule = [phase.is_enough, self.interrupted], self.preset.choice.rule
            pause = None if phase.is_silent else every
            for analysis in run(phase.search, phase.limit, checks, rule, self.kept.komi, every=pause):
                found = phase.report(analysis)
                if not phase.is_silent:
                    yield found

    @property
    def _is_withdrawn(self) -> bool:
        return self.interrupted is not None and self.interrupted()

    # --- phases -------------------------------------------------------------------------------------------------------

    def _phases(self) -> Phases:
        """Yield the phases of the whole search; return an analysis that no phase reports."""
        if self.may_pass and self.game.rules.counts_territory:
            return (yield from self._for_territory())
        if self.may_pass and is_pass_in_doubt(self.game):
            yield from self._after_pass()
        else:
            yield from self._on_moves(self.limit)
        return None

    def _after_pass(self) -> Phases:
        """Score the board with the opponent to move; search moves only if passing again would not win both ways.

        Each has half of the time, and at least the simulations that scoring needs.
        """
        analysis = yield self._scoring(self.limit.part(0.5).until - self.limit.started, self.limit.started)
        if analysis is None or is_won_both_ways(self.game, analysis.ownership):
            return analysis
        # Passing would give the game up, so that no move wins must be as certain as which stones are dead.
        simulations = max(self.limit.simulations, SCORING_SIMULATIONS)
        now = time.perf_counter()
        return (yield from self._on_moves(SearchLimit(now, simulations, self.limit.until - now)))

    def _for_territory(self) -> Phases:
        """Search moves; if the best may cost territory, compare it with a pass, as if nobody had passed.

        A part of the time is kept for that.
        """
        analysis = yield from self._on_moves(self.limit.all_but(SCORING_SHARE))
        best = None if analysis is None else best_move(analysis, self.preset.choice.rule)
        if analysis is None or best is None:
            return None
        other = best if best.move != PASS else best_but_pass(analysis)
        if other is None or not may_cost_territory(self.game, analysis, best):
            return None
        now = time.perf_counter()
        after = yield replace(self._scoring(self.limit.until - now, now), is_silent=True)
        return None if after is None else replace(analysis, pass_gain=gain_of_pass(after.moves[0], other))

    def _scoring(self, seconds: float, started: float) -> Phase:
        """Search the position after a pass, long enough to tell which stones are dead."""
        turned = self.game.turned_to(opponent(self.game.turn))
        search = self.kept.prepare(turned, judging=True, simulations=SCORING_SIMULATIONS)
        return Phase(search, SearchLimit(started, SCORING_SIMULATIONS, seconds), report=as_pass)

    def _on_moves(self, limit: SearchLimit) -> Phases:
        """Search moves, at first in the preset's region or zone, or by its internal komi. Returns the last analysis.

        If half of the limit shows that to be misleading, the other half is for the whole board by the game's komi.
        """
        search = self._prepare(limit, tuning=tuning_for(self.preset, limit), shift=self.shift, moves=self.moves)
        is_restricted = self._has_region or search.outside_score is not None
        if self.moves is not None or not (is_restricted or (self.shift and self.preset.komi.rule == "dynamic")):
            return (yield from self._until_decided(search, limit))
        half = limit.part(0.5)
        analysis = yield Phase(search, half)
        if analysis is None or self._is_withdrawn:
            return analysis
        if limit.simulations > half.simulations and self._is_misleading(analysis):
            limit = limit.after(half)
            search = self._prepare(limit, everywhere=self._has_region or analysis.outside is not None)
        return (yield from self._until_decided(search, limit)) or analysis

    def _until_decided(self, search: Search, limit: SearchLimit) -> Phases:
        """Search until the move or the game is decided; use savings while the move is in doubt.

        Returns the last analysis.
        """
        management = self.preset.time_management
        last: Analysis | None = None
        # Under territory rules a search of a decided game still has to tell a wasted move from a pass.
        if self.early_stop and management.decided and not self.game.rules.counts_territory:
            last = yield Phase(search, limit.part(CLEAR_AFTER))
            if self._is_withdrawn or (last is not None and is_game_decided(last, management.decided)):
                return last
        analysis: Analysis | None = None
        for longer in [limit, *limit.extensions()]:
            if analysis is not None and not is_unsettled(analysis, management.close):
                break
            analysis = yield Phase(search, longer, partial(self._is_decided, search, longer))
            last = analysis or last
            if self._is_withdrawn:
                break
        return last

    def _is_decided(self, search: Search, limit: SearchLimit) -> bool:
        may_stop = self.early_stop and self.preset.choice.rule == "visits"
        return may_stop and will_not_be_overtaken(search, limit, self.preset.time_management.early_stop)

    # --- roots --------------------------------------------------------------------------------------------------------

    @property
    def _has_region(self) -> bool:
        return "region" in self.preset.config.rules

    def _prepare(self, limit: SearchLimit, **how: Any) -> Search:
        return self.kept.prepare(self.game, simulations=limit.most_simulations(self.game.size, self.threads), **how)

    def _is_misleading(self, analysis: Analysis) -> bool:
        """Return whether the best move may lie outside of the region or zone, or the internal komi misleads.

        A pass stands for a move outside a region. A zone cannot tell whether to pass at all. The internal komi misleads
        if the game is won as it stands, dead stones taken off or not, but lost by that komi.
        """
        best = best_move(analysis, self.preset.choice.rule)
        if best is None:
            return False
        is_lost = analysis.internal_komi is not None and best.winrate < LOST_WINRATE
        if is_lost and is_won_both_ways(self.game, analysis.ownership):
            return True
        passes = should_pass(self.preset, self.game, analysis, best)
        if analysis.outside is not None:
            return best.move == PASS or passes
        return self._has_region and best.move == PASS and not passes
