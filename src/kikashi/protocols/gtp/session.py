"""The session of a GTP controller: rules, clocks and pondering as the controller sets them."""

import sys
import time
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace

from kikashi.board.points import BLACK, PASS, WHITE
from kikashi.engine.limits import ENGINE_LIMIT, Limit
from kikashi.engine.move_choice import Decision, is_won_both_ways, start_of
from kikashi.engine.move_search import SCORING_SIMULATIONS, Check
from kikashi.engine.player import Player
from kikashi.engine.scoring import before_the_end, judge
from kikashi.engine.session import Session
from kikashi.game import Game, Rules
from kikashi.game.ownership import owners_by_point
from kikashi.game.time_control import Clock
from kikashi.search.analysis import Analysis
from kikashi.wording import plural

DEFAULT_SIZE, DEFAULT_KOMI = 19, 7.5
EVICTED = (
    "kikashi: memories of playouts have no room left and drop their oldest entries; "
    "start with a greater --megabytes, which gives them more too"
)
FULL = (
    "kikashi: the tree has no room left, so rarely visited lines are dropped and searched anew; "
    "start with a greater --megabytes to keep them"
)


class GtpSession(Session):
    """The state that commands read and change."""

    default_limit = ENGINE_LIMIT

    def __init__(
        self,
        player: Player,
        *,
        limit: Limit | None = None,
        rules: str | None = None,
        size: int = DEFAULT_SIZE,
        komi: float = DEFAULT_KOMI,
        ponder: bool = False,
    ) -> None:
        super().__init__(player, Game(size, komi, rules or "positional"), limit, with_margin=True)
        self.friendly_pass = False
        """Whether dead stones are removed by agreement; the player passes only if it wins either way."""
        self.insists_on_rules = rules is not None
        """Whether the user chose the rules, so that files do not change them."""
        self.start_clock: Clock | None = None
        """The clock of both players at the start of a game; None for no limit."""
        self.has_no_limit = False
        """Whether the controller set no limit; time left is then ignored."""
        self.ponder = ponder
        self.last: Decision | None = None
        self.running = True
        self.is_awaited: Check = lambda: False
        """Whether the controller has sent anything, which ends an analysis."""
        self._last_played: tuple[Game, int] | None = None
        """The game and its length after the player's last move: the time to ponder."""
        self._passed_on: tuple[Game, tuple[float, ...]] | None = None
        """The position and ownership of the player's last pass in a won game, without final passes. The verdict on
        dead stones must stay the same."""
        self._warnings: set[str] = set()

    # --- the game -----------------------------------------------------------------------------------------------------

    def new_game(self, size: int | None = None) -> None:
        """Start a game with the same komi and rules and full clocks."""
        self.take_game(Game(size or self.game.size, self.game.komi, self.game.rules))

    def take_game(self, game: Game) -> None:
        """Continue with another game and full clocks."""
        self.start(game, self.start_clock)
        self.last = None

    def set_rules(self, rules: Rules, friendly_pass: bool) -> None:
        """Set rules, and whether dead stones are removed by agreement."""
        self.game.rules, self.friendly_pass = rules, friendly_pass

    def set_clock(self, clock: Clock | None) -> None:
        """Set the clock of both players; None for no limit."""
        self.start_clock, self.has_no_limit = clock, clock is None
        self.clocks = {BLACK: clock, WHITE: clock}
        if clock is not None:
            self.warm_up()

    def last_words(self) -> str:
        """Return the last move in a sentence."""
        if self.last is None:
            return "no move yet"
        found = self.last.analysis
        return (
            f"{self.last.name}: win rate {found.winrate:.1%}{found.komi_note}, {found.score:+.1f} points, "
            f"{plural(found.simulations, 'simulation')} in {found.seconds:.1f} s"
        )

    # --- thinking -----------------------------------------------------------------------------------------------------

    def pondering(self) -> AbstractContextManager[None]:
        """Search while the body of the ``with`` runs, if pondering is on and it is the opponent's turn."""
        if self.ponder and self._last_played == (self.game, self.game.move_count) and not self.game.is_over():
            return self.player.pondering(self.game)
        return nullcontext()

    def watch(self, color: int, every: float, moves: Collection[int] | None = None) -> Iterator[Analysis]:
        """Analyse for a player until the controller sends anything."""
        for analysis in self.analyse(color, every=every, interrupted=self.is_awaited, moves=moves):
            self._warn_of_full_memory(analysis)
            yield analysis

    def decide(self, analysis: Analysis) -> Decision:
        self._warn_of_full_memory(analysis)
        return super().decide(analysis)

    def _warn_of_full_memory(self, analysis: Analysis) -> None:
        """Warn on standard error, once a session, of a full tree or full memories."""
        for is_so, line in ((analysis.full, FULL), (analysis.evicted, EVICTED)):
            if is_so and line not in self._warnings:
                self._warnings.add(line)
                with suppress(OSError):  # a closed stream must not lose a game
                    print(line, file=sys.stderr, flush=True)

    def play(self, decision: Decision, *, resigns: bool = False) -> Decision:
        """Play a decision. A resignation is only answered: front ends do not record it as a move."""
        position, ownership = self.game.turned_to(decision.analysis.to_play), decision.analysis.ownership
        if decision.move == PASS and is_won_both_ways(position, ownership):
            self._passed_on = before_the_end(position), ownership
        super().play(decision, resigns=resigns)
        self.last, self._last_played = decision, (self.game, self.game.move_count)
        return decision

    def judge(self, *, on_clock_of: int | None = None) -> Analysis:
        """Search the ownership of the position before final passes or a resignation, on the clock of `on_clock_of`."""
        started = time.perf_counter()
        count = max(SCORING_SIMULATIONS, (self.limit and self.limit.simulations) or 0)
        analysis = judge(self.player, self.game, simulations=count, interrupted=self.interrupted)
        clock = self.clocks[on_clock_of] if on_clock_of is not None else None
        if clock is not None and on_clock_of is not None:
            self.clocks[on_clock_of] = replace(clock, main=max(0.0, clock.main - (time.perf_counter() - started)))
        return analysis

    def owners(self, *, on_clock_of: int | None = None) -> dict[int, float]:
        """Return ownership by point: 1 is Black's for sure, -1 White's. From the player's pass here, or a search."""
        if self._passed_on is not None:
            then, now = self._passed_on[0], before_the_end(self.game)
            if (*start_of(then), *then.moves) == (*start_of(now), *now.moves):
                return owners_by_point(self.game.size, self._passed_on[1])
        return owners_by_point(self.game.size, self.judge(on_clock_of=on_clock_of).ownership)
