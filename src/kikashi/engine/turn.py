"""One turn of a game: the player searches while the clock runs, decides, remembers its decision and plays it."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator

from kikashi.engine.limits import Limit, on_clock
from kikashi.engine.move_choice import Decision
from kikashi.engine.move_search import Check
from kikashi.engine.player import Player
from kikashi.game import RESIGN, Game
from kikashi.game.time_control import CONTROLLER_DELAY, Clock, moves_left
from kikashi.search.analysis import Analysis


class Turn:
    """A turn of a colour in a game. `clock`, which runs while the player thinks, is that colour's."""

    def __init__(
        self,
        player: Player,
        game: Game,
        limit: Limit | None = None,
        *,
        clock: Clock | None = None,
        color: int | None = None,
        with_margin: bool = False,
    ) -> None:
        """Without a `limit` the clock limits the search; without either, the player's own limit does.

        `with_margin` keeps time back for the delays of another program.
        """
        self.color = game.turn if color is None else color
        self.clock = clock
        self._delay = CONTROLLER_DELAY if with_margin else 0.0
        self._player = player
        self._game = game
        self._position = game.turned_to(self.color)
        shown = clock.with_margin(moves_left(game.size, game.move_count)) if clock and with_margin else clock
        self._limit = on_clock(limit, shown)

    def think(
        self,
        *,
        every: float | None = None,
        interrupted: Check | None = None,
        moves: Collection[int] | None = None,
        may_pass: bool = True,
    ) -> Iterator[Analysis]:
        """Search, as `Player.think`; at the end set `clock` to the time left."""
        started = time.perf_counter()
        yield from self._player.think(
            self._position, self._limit, every=every, interrupted=interrupted, moves=moves, may_pass=may_pass
        )
        if self.clock is not None:
            self.clock = self.clock.after_move(time.perf_counter() - started + self._delay)

    def decide(self, analysis: Analysis) -> Decision:
        """Decide on a move by the last analysis; nothing is played."""
        return self._player.decide(self._position, analysis)

    def play(self, decision: Decision, *, resigns: bool = True) -> Decision:
        """Remember a decision and play it; a resignation only if it `resigns`."""
        self._player.remember(self._position, decision)
        if resigns or decision.move != RESIGN:
            self._game.push(decision.name, self.color)
        return decision

    def take(self, *, interrupted: Check | None = None) -> Decision:
        """Search, decide and play in one call."""
        *_, analysis = self.think(interrupted=interrupted)
        return self.play(self.decide(analysis))
