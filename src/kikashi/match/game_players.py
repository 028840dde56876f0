"""Players at the board of one game: presets play in this process, GTP engines in one of their own."""

from __future__ import annotations

import contextlib
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

from kikashi.board.points import BLACK, EAST, NORTH, SOUTH, WEST, color_name, opponent, parse_vertex, vertex
from kikashi.engine.limits import on_clock
from kikashi.engine.move_choice import Decision
from kikashi.engine.move_search import SCORING_SIMULATIONS
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.scoring import judge
from kikashi.engine.tree_memory import megabytes_for
from kikashi.engine.warmup import warm_up
from kikashi.game import Game, Move
from kikashi.game.ownership import dead_stones, owners_by_point
from kikashi.game.time_control import Clock, moves_left
from kikashi.match.player_spec import SEED, Contestant
from kikashi.protocols.gtp.controller import Engine, EngineDied, EngineError
from kikashi.search.analysis import Analysis

GRACE = 1.0
"""Seconds after which an engine whose clock has run out is not waited for any more."""
Alive = Callable[[], bool]


class Seat(Protocol):
    """A player at the board of one game."""

    was_full: bool
    """Whether the tree had no room left when the last move was found."""
    evicted: int
    """Entries that memories had no room for when the last move was found; 0 if they were few."""
    cleans_up: bool
    """Whether dead stones are to be captured before a pass: the players do not agree about them."""

    def genmove(self, game: Game, clock: Clock | None = None, is_alive: Alive | None = None) -> str:
        """The name of a move for the player whose turn it is; it is not played. Raises what the player did wrong.

        `is_alive` is called now and then while a preset thinks.
        """

    def show(self, clock: Clock, color: int) -> None:
        """Be told what one's clock shows."""

    def see(self, move: Move) -> None:
        """Be told of a move of the opponent."""

    def take_back(self, game: Game, moves: int) -> None:
        """Be told that the last moves were taken back; the game is as it is now."""

    def dead(self, game: Game) -> set[int] | None:
        """The stones that it holds for dead; None if it cannot say."""

    def processor_seconds(self) -> float | None:
        """User and system time that it has used since it sat down; None if nobody can tell."""

    def last_words(self) -> list[str]:
        """The last lines that it said on standard error."""

    def close(self) -> None: ...


def take_seat(contestant: Contestant, game: Game, seed: int, timeout: float, log: Path | None = None) -> Seat:
    """Sit down at a game that may have moves already. Raises EngineError if an engine cannot be started."""
    if contestant.preset:
        return PresetSeat(contestant, game.size, seed)
    return EngineSeat(contestant, game, seed, timeout, log)


def log_folder(folder: str | Path, name: str) -> Path:
    """The folder for what a player says on standard error. A name that is no file's name gets a part of its hash."""
    plain = re.sub(r"[^\w.+-]+", "-", name).strip("-.")[:60]
    if plain != name or not name:  # others may look the same without their punctuation
        plain = f"{plain or 'player'}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
    return Path(folder) / "logs" / plain


# --- presets ----------------------------------------------------------------------------------------------------------


def new_player(contestant: Contestant, size: int, seed: int) -> Player:
    """The player of a preset, for games on boards of a size. Raises ValueError."""
    return Player(
        contestant.preset,
        threads=contestant.threads,
        seed=seed,
        megabytes=memory_of(contestant, size),
        overrides=contestant.overrides,
    )


def memory_of(contestant: Contestant, size: int) -> float:
    """The megabytes of a preset's tree: what was said, or what its limit needs."""
    if contestant.megabytes is not None:
        return contestant.megabytes
    clock = contestant.new_clock()
    limits = [contestant.seconds, None if clock is None else 2 * clock.seconds_for(moves_left(size, 0))]
    seconds = min((limit for limit in limits if limit is not None), default=None)
    return megabytes_for(size, contestant.simulations, None if seconds is None else seconds * contestant.threads)


@cache
def warm(contestant: Contestant) -> None:
    """Compile, or load, what a preset needs, once in a process: no move and no clock has to wait for it.

    Raises ValueError if a part does not compile or fails.
    """
    with contestant.parts():
        warm_up(load_preset(contestant.preset, contestant.overrides))


def was_full(analysis: Analysis) -> bool:
    """Whether the tree had no room left and dropped what was rarely visited."""
    return analysis.full


class PresetSeat:
    """A preset at the board."""

    def __init__(self, contestant: Contestant, size: int, seed: int) -> None:
        self._contestant = contestant
        warm(contestant)
        with contestant.parts():
            self._player = new_player(contestant, size, seed)
        self.was_full = False
        self.evicted = 0
        self.cleans_up = False
        self._processor_seconds = 0.0

    def genmove(self, game: Game, clock: Clock | None = None, is_alive: Alive | None = None) -> str:
        started = time.process_time()  # nobody else thinks in this process meanwhile
        try:
            return self._genmove(game, clock, is_alive)
        finally:
            self._processor_seconds += time.process_time() - started

    def _genmove(self, game: Game, clock: Clock | None, is_alive: Alive | None) -> str:
        limit = on_clock(self._contestant.limit, clock and clock.with_margin(moves_left(game.size, game.move_count)))
        with self._contestant.parts():
            decision = self._player.choose(game, limit, interrupted=is_alive)
            self.was_full = was_full(decision.analysis)
            self.evicted = decision.analysis.evicted
            cleans_up = self.cleans_up and decision.name == "pass"
            taking = self._capture(game, decision, is_alive) if cleans_up else None
        return decision.name if taking is None else vertex(taking)

    def _capture(self, game: Game, decision: Decision, is_alive: Alive | None) -> int | None:
        """The move next to a dead stone of the opponent that was visited most, if at all; None if there is none."""
        dead = self._dead(game, is_alive) & set(game.stones(opponent(game.turn)))
        beside = {p + step for p in dead for step in (NORTH, EAST, SOUTH, WEST)}
        visits = {move.move: move.visits for move in decision.analysis.moves}
        legal = [p for p in game.legal_moves if p in beside]
        return max(legal, key=lambda p: visits.get(p, 0), default=None)

    def dead(self, game: Game) -> set[int] | None:
        with self._contestant.parts():
            return self._dead(game)

    def _dead(self, game: Game, is_alive: Alive | None = None) -> set[int]:
        simulations = max(SCORING_SIMULATIONS, self._contestant.simulations or 0)
        analysis = judge(self._player, game, simulations=simulations, interrupted=is_alive)
        return set(dead_stones(game, owners_by_point(game.size, analysis.ownership)))

    def show(self, clock: Clock, color: int) -> None:
        """Nothing to do: the clock is there at the next move."""

    def see(self, move: Move) -> None:
        """Nothing to do: the game is there at the next move."""

    def take_back(self, game: Game, moves: int) -> None:
        """Nothing to do."""

    def processor_seconds(self) -> float | None:
        return self._processor_seconds

    def last_words(self) -> list[str]:
        return []

    def close(self) -> None:
        """Nothing to do."""


# --- engines ----------------------------------------------------------------------------------------------------------


def begin_commands(game: Game) -> list[str]:
    """GTP for the start of a game. Handicap stones are played, and komi is all that White has for them: engines differ
    about what else a handicap means."""
    stones = [f"play black {vertex(p)}" for p in game.root().stones(BLACK)]
    return [f"boardsize {game.size}", "clear_board", f"komi {game.compensation:g}", *stones]


class EngineSeat:
    """An engine at the board."""

    was_full = False
    evicted = 0

    def __init__(self, contestant: Contestant, game: Game, seed: int, timeout: float, log: Path | None = None) -> None:
        words = [word.replace(SEED, str(seed)) for word in contestant.command]
        self.engine = Engine(words, timeout=timeout, log=log, directory=contestant.directory)
        self.cleans_up = False
        with self._closed_on_error():
            for command in begin_commands(game):
                self.engine.ask(command)
            self._set_time(contestant)
            for move in game.moves:
                self.see(move)
        self._used_before = self.engine.processor_seconds()

    @contextlib.contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            if isinstance(error, EngineError):
                error.add_note("\n".join(self.engine.last_words()))
            self.engine.close()
            raise

    def _set_time(self, contestant: Contestant) -> None:
        """An engine need not know about time; only its time-out is certain."""
        clock = contestant.new_clock()
        if clock is not None:
            any(self._is_understood(command) for command in clock.gtp_settings())
        elif contestant.seconds is not None:
            self._is_understood(f"time_settings 0 {max(1, round(contestant.seconds))} 1")

    def _is_understood(self, command: str) -> bool:
        try:
            self.engine.ask(command)
        except EngineDied:
            raise
        except EngineError:
            return False
        return True

    def show(self, clock: Clock, color: int) -> None:
        self._is_understood(clock.gtp_time_left(color))

    def genmove(self, game: Game, clock: Clock | None = None, is_alive: Alive | None = None) -> str:
        command = "kgs-genmove_cleanup" if self.cleans_up and self._knows_cleanup() else "genmove"
        timeout = None if clock is None else clock.time_left + GRACE
        return self.engine.ask(f"{command} {color_name(game.turn)}", timeout=timeout)

    def _knows_cleanup(self) -> bool:
        return self.said("known_command kgs-genmove_cleanup") == "true"

    def said(self, command: str) -> str:
        """The answer to a command, in one line; nothing if the engine does not know it."""
        try:
            return " ".join(self.engine.ask(command).split())
        except EngineDied:
            raise
        except EngineError:
            return ""

    def see(self, move: Move) -> None:
        self.engine.ask(f"play {move}")

    def take_back(self, game: Game, moves: int) -> None:
        if all(self._is_understood("undo") for _ in range(moves)):
            return
        for command in begin_commands(game):
            self.engine.ask(command)
        for move in game.moves:
            self.see(move)

    def dead(self, game: Game) -> set[int] | None:
        try:
            named = {parse_vertex(name, game.size) for name in self.engine.ask("final_status_list dead").split()}
        except (EngineError, ValueError):
            return None
        return {p for p in named if game.color_at(p)}

    def processor_seconds(self) -> float | None:
        used = self.engine.processor_seconds()
        return None if used is None or self._used_before is None else used - self._used_before

    def last_words(self) -> list[str]:
        return self.engine.last_words()

    def close(self) -> None:
        self.engine.close()
