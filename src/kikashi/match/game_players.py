"""Players at the board of one game: presets play in this process, GTP engines in one of their own."""

import contextlib
import dataclasses
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from kikashi.board.points import BLACK, EAST, NORTH, SOUTH, WEST, color_name, opponent, parse_vertex, vertex
from kikashi.engine.limits import Limit, megabytes_for, on_clock
from kikashi.engine.move_choice import Decision
from kikashi.engine.move_search import SCORING_SIMULATIONS
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.scoring import judge
from kikashi.engine.warmup import warm_up
from kikashi.game import Game, Move
from kikashi.game.ownership import dead_stones, owners_by_point
from kikashi.game.time_control import Clock, moves_left
from kikashi.match.match_player import SEED, MatchPlayer
from kikashi.protocols.gtp.controller import Engine, EngineDied, EngineError

GRACE = 1.0
"""Seconds after which an engine whose clock has run out is not waited for any more."""
Alive = Callable[[], bool]
SIGNATURE_SIMULATIONS = 300


class GamePlayer:
    """A player of one game. The methods that do nothing here are for engines, which have a board of their own."""

    tree_full = False
    """Whether the tree had no room left when the last move was found."""
    evicted = 0
    """Entries that memories had no room for when the last move was found; 0 if they were few."""
    cleans_up = False
    """Whether dead stones are to be captured before a pass: the players do not agree about them."""

    def genmove(self, game: Game, clock: Clock | None = None, is_alive: Alive | None = None) -> str:
        """Return the name of a move for the side to play; it is not played. Raises what the player did wrong.

        `is_alive` is called now and then while a preset thinks.
        """
        raise NotImplementedError

    def dead_stones(self, game: Game) -> set[int] | None:
        """Return the stones that it holds for dead; None if it cannot name them."""
        raise NotImplementedError

    def processor_seconds(self) -> float | None:
        """Return the user and system time that it has used in this game; None if that is not known."""
        raise NotImplementedError

    def show_clock(self, clock: Clock, color: int) -> None:
        """Receive the time on its own clock."""

    def observe(self, move: Move) -> None:
        """Receive a move of the opponent."""

    def undo(self, game: Game, moves: int) -> None:
        """Take back the last moves; the game is as it is now."""

    def stderr_tail(self) -> list[str]:
        """Return its last lines on standard error."""
        return []

    def close(self) -> None:
        """End its process, if it has one."""


def join_game(player: MatchPlayer, game: Game, seed: int, timeout: float, log: Path | None = None) -> GamePlayer:
    """Let a player join a game, which may have moves already. Raises EngineError if an engine cannot be started."""
    if player.preset:
        return PresetPlayer(player, game.size, seed)
    return EnginePlayer(player, game, seed, timeout, log)


def log_folder(folder: str | Path, name: str) -> Path:
    """Return the folder for a player's standard error. A name that is no file's name gets a part of its hash."""
    plain = re.sub(r"[^\w.+-]+", "-", name).strip("-.")[:60]
    if plain != name or not name:  # others may look the same without their punctuation
        plain = f"{plain or 'player'}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"
    return Path(folder) / "logs" / plain


# --- presets ----------------------------------------------------------------------------------------------------------


def new_player(player: MatchPlayer, size: int, seed: int) -> Player:
    """Return the player of a preset, for games on boards of a size. Raises ValueError."""
    return Player(
        player.preset,
        threads=player.threads,
        seed=seed,
        megabytes=memory_of(player, size),
        overrides=player.overrides,
    )


def memory_of(player: MatchPlayer, size: int) -> float:
    """Return the megabytes of a preset's tree: its own number, or what its limit needs."""
    if player.megabytes is not None:
        return player.megabytes
    clock = player.new_clock()
    limits = [player.seconds, None if clock is None else 2 * clock.seconds_for(moves_left(size, 0))]
    seconds = min((limit for limit in limits if limit is not None), default=None)
    return megabytes_for(size, player.simulations, None if seconds is None else seconds * player.threads)


@cache
def warm(player: MatchPlayer) -> None:
    """Compile, or load, what a preset needs, once in a process: no move and no clock has to wait for it.

    Raises ValueError if a part does not compile or fails.
    """
    with player.parts():
        warm_up(load_preset(player.preset, player.overrides))


@cache
def signature(player: MatchPlayer, size: int) -> str:
    """Return a short hash of how a preset plays on boards of a size: of a small search with one thread.

    Another signature is another program, whatever its name. Raises ValueError.
    """
    warm(player)
    limited = dataclasses.replace(player, simulations=SIGNATURE_SIMULATIONS, seconds=None, clock=None, threads=1)
    with player.parts():
        found = new_player(limited, size, seed=1).analyse(Game(size), Limit(simulations=SIGNATURE_SIMULATIONS))
    moves = [(move.move, move.visits, move.winrate, move.score) for move in found.moves]
    return hashlib.sha256(repr((moves, found.visits, found.ownership)).encode()).hexdigest()[:8]


class PresetPlayer(GamePlayer):
    """A preset in a game, played by this process."""

    def __init__(self, player: MatchPlayer, size: int, seed: int) -> None:
        self._spec, self._limit = player, player.limit
        warm(player)
        with player.parts():
            self._player = new_player(player, size, seed)
        self._processor_seconds = 0.0

    def genmove(self, game: Game, clock: Clock | None = None, is_alive: Alive | None = None) -> str:
        limit = on_clock(self._limit, clock and clock.with_margin(moves_left(game.size, game.move_count)))
        started = time.process_time()  # nobody else thinks in this process meanwhile
        try:
            with self._spec.parts():
                decision = self._player.choose(game, limit, interrupted=is_alive)
                cleans_up = self.cleans_up and decision.name == "pass"
                taking = self._capture(game, decision, is_alive) if cleans_up else None
        finally:
            self._processor_seconds += time.process_time() - started
        self.tree_full, self.evicted = decision.analysis.full, decision.analysis.evicted
        return decision.name if taking is None else vertex(taking)

    def _capture(self, game: Game, decision: Decision, is_alive: Alive | None) -> int | None:
        """Return the most visited move next to a dead stone of the opponent; None if there is no such move."""
        dead = self._dead(game, is_alive) & set(game.stones(opponent(game.turn)))
        beside = {p + step for p in dead for step in (NORTH, EAST, SOUTH, WEST)}
        visits = {move.move: move.visits for move in decision.analysis.moves}
        legal = [p for p in game.legal_moves if p in beside]
        return max(legal, key=lambda p: visits.get(p, 0), default=None)

    def dead_stones(self, game: Game) -> set[int] | None:
        with self._spec.parts():
            return self._dead(game)

    def _dead(self, game: Game, is_alive: Alive | None = None) -> set[int]:
        simulations = max(SCORING_SIMULATIONS, self._spec.simulations or 0)
        analysis = judge(self._player, game, simulations=simulations, interrupted=is_alive)
        return set(dead_stones(game, owners_by_point(game.size, analysis.ownership)))

    def processor_seconds(self) -> float | None:
        return self._processor_seconds


# --- engines ----------------------------------------------------------------------------------------------------------


def begin_commands(game: Game) -> list[str]:
    """Return the GTP commands for the start of a game.

    Handicap stones are played, and komi is all that White has for them: engines differ about what else they mean.
    """
    stones = [f"play black {vertex(p)}" for p in game.root().stones(BLACK)]
    return [f"boardsize {game.size}", "clear_board", f"komi {game.compensation:g}", *stones]


class EnginePlayer(GamePlayer):
    """An engine in a game, in a process of its own."""

    def __init__(self, player: MatchPlayer, game: Game, seed: int, timeout: float, log: Path | None = None) -> None:
        words = [word.replace(SEED, str(seed)) for word in player.command]
        self.engine = Engine(words, timeout=timeout, log=log, directory=player.directory)
        with self._closed_on_error():
            for command in begin_commands(game):
                self.engine.ask(command)
            self._set_time(player)
            for move in game.moves:
                self.observe(move)
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

    def _set_time(self, player: MatchPlayer) -> None:
        """Send the time settings. An engine need not understand them; only its time-out is certain."""
        clock = player.new_clock()
        if clock is not None:
            any(self._is_understood(command) for command in clock.gtp_settings())
        elif player.seconds is not None:
            self._is_understood(f"time_settings 0 {max(1, round(player.seconds))} 1")

    def answer(self, command: str) -> str | None:
        """Return the answer to a command in one line; None if the engine does not know it."""
        try:
            return " ".join(self.engine.ask(command).split())
        except EngineDied:
            raise
        except EngineError:
            return None

    def _is_understood(self, command: str) -> bool:
        return self.answer(command) is not None

    def show_clock(self, clock: Clock, color: int) -> None:
        self._is_understood(clock.gtp_time_left(color))

    def genmove(self, game: Game, clock: Clock | None = None, is_alive: Alive | None = None) -> str:
        knows_cleanup = self.cleans_up and self.answer("known_command kgs-genmove_cleanup") == "true"
        command = "kgs-genmove_cleanup" if knows_cleanup else "genmove"
        timeout = None if clock is None else clock.time_left + GRACE
        return self.engine.ask(f"{command} {color_name(game.turn)}", timeout=timeout)

    def observe(self, move: Move) -> None:
        self.engine.ask(f"play {move}")

    def undo(self, game: Game, moves: int) -> None:
        if all(self._is_understood("undo") for _ in range(moves)):
            return
        for command in begin_commands(game):
            self.engine.ask(command)
        for move in game.moves:
            self.observe(move)

    def dead_stones(self, game: Game) -> set[int] | None:
        try:
            named = {parse_vertex(name, game.size) for name in self.engine.ask("final_status_list dead").split()}
        except (EngineError, ValueError):
            return None
        return {p for p in named if game.color_at(p)}

    def processor_seconds(self) -> float | None:
        used = self.engine.processor_seconds()
        return None if used is None or self._used_before is None else used - self._used_before

    def stderr_tail(self) -> list[str]:
        return self.engine.last_words()

    def close(self) -> None:
        self.engine.close()
