"""A session of any front end: a game, its player, limit and clocks, and searches that can be interrupted."""

import time
from collections.abc import Iterator
from dataclasses import InitVar, dataclass
from typing import Any, ClassVar

from kikashi.board.points import BLACK, WHITE
from kikashi.engine.limits import UNLIMITED, Limit, on_clock
from kikashi.engine.move_choice import Decision
from kikashi.engine.move_search import Check
from kikashi.engine.player import Player
from kikashi.engine.warmup import warm_up
from kikashi.game import RESIGN, Game, Move
from kikashi.game.time_control import CONTROLLER_DELAY, Clock, moves_left
from kikashi.search.analysis import Analysis
from kikashi.wording import plural


@dataclass(eq=False)
class Session:
    """A game and a player that thinks about it. GTP, KataGo's JSON, the page and the terminal differ in words only.

    A turn is `think`, `decide` and `play`, or all of them in `take_turn`; `analyse` plays nothing. One thread uses a
    session at a time. Two players of one game have a session each, with the same game.
    """

    player: Player
    game: Game
    limit: Limit | None = None
    """Of a turn; None for the clock alone or, without one, for `default_limit`."""
    clock: InitVar[Clock | None] = None
    """Of both players."""
    with_margin: bool = False
    """Whether time is kept back for delays of another program."""
    interrupted: Check | None = None
    """Called every few milliseconds of a search, which ends when it is true."""
    default_limit: ClassVar[Limit | None] = None
    """None for the player's own."""

    def __post_init__(self, clock: Clock | None) -> None:
        self.clocks: dict[int, Clock | None] = {BLACK: clock, WHITE: clock}

    def start(self, game: Game, clock: Clock | None = None, *, reseed: bool = False) -> None:
        """Continue with another game, of which the player knows nothing. With `reseed` it draws the same numbers."""
        self.game = game
        self.clocks = {BLACK: clock, WHITE: clock}
        self.player.new_game(reseed=reseed)

    def warm_up(self) -> None:
        """Compile or load the player's kernels before a clock runs."""
        warm_up(self.player.preset)
        self.player.search_for(self.game.size)

    # --- a turn -------------------------------------------------------------------------------------------------------

    def think(self, color: int | None = None, **how: Any) -> Iterator[Analysis]:
        """Search for a colour's move, by default of the side to play, as `Player.think`; its clock runs meanwhile.

        `how` has the keywords of `Player.think`. Raises ValueError if a player has resigned.
        """
        color = self.game.turn if color is None else color
        if not self.game.is_legal("pass", color):
            raise ValueError("the game is over: a player has resigned")
        position, clock, started = self.game.turned_to(color), self.clocks[color], time.perf_counter()
        if clock is None:
            limit = self.limit or self.default_limit
        else:
            left = moves_left(position.size, position.move_count)
            limit = on_clock(self.limit, clock.with_margin(left) if self.with_margin else clock)
        yield from self.player.think(position, limit, interrupted=self.interrupted, **how)
        if clock is not None:
            delay = CONTROLLER_DELAY if self.with_margin else 0.0
            self.clocks[color] = clock.after_move(time.perf_counter() - started + delay)

    def decide(self, analysis: Analysis) -> Decision:
        """Decide on a move by the last analysis of `think`; nothing is played."""
        return self.player.decide(self.game.turned_to(analysis.to_play), analysis)

    def play(self, decision: Decision, *, resigns: bool = True) -> Decision:
        """Remember a decision and play it; a resignation only if it `resigns`."""
        color = decision.analysis.to_play
        self.player.remember(self.game.turned_to(color), decision)
        if resigns or decision.move != RESIGN:
            self.game.push(decision.name, color)
        return decision

    def take_turn(self, color: int | None = None) -> Decision:
        """Search, decide and play."""
        *_, analysis = self.think(color)
        return self.play(self.decide(analysis))

    @property
    def flagged(self) -> int | None:
        """The colour whose time has run out."""
        return next((color for color, clock in self.clocks.items() if clock is not None and clock.is_flagged), None)

    # --- the opponent -------------------------------------------------------------------------------------------------

    def push(self, move: int | str, *, seconds: float = 0.0) -> None:
        """Play a move of the side to play, which took `seconds` of its clock. Raises IllegalMove."""
        color = self.game.turn
        self.game.push(move)
        if (clock := self.clocks[color]) is not None and self.flagged is None:
            self.clocks[color] = clock.after_move(seconds)

    def undo(self, count: int = 1) -> list[Move]:
        """Take moves back and return them, the last one first. Raises ValueError if there are fewer."""
        if count > self.game.move_count:
            raise ValueError(f"cannot undo {count} of {plural(self.game.move_count, 'move')}")
        return [self.game.pop() for _ in range(count)]

    def undo_turn(self, color: int) -> list[Move]:
        """Take back a colour's last move and all since. Raises ValueError if it has made none."""
        mine = [number for number, move in enumerate(self.game.moves) if move.color == color]
        if not mine:
            raise ValueError("there is no move of yours to take back")
        return self.undo(self.game.move_count - mine[-1])

    # --- analyses -----------------------------------------------------------------------------------------------------

    def analyse(
        self, color: int | None = None, limit: Limit = UNLIMITED, *, interrupted: Check | None = None, **how: Any
    ) -> Iterator[Analysis]:
        """Search the position of the game with a colour to play, as `Player.search`; no clock runs."""
        position = self.game.copy() if color is None else self.game.turned_to(color)
        return self.player.search(position, limit, interrupted=interrupted or self.interrupted, **how)
