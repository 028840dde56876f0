"""The players of a match: presets, which play in this process, and GTP engines, which have one of their own."""

from __future__ import annotations

import argparse
import difflib
import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, Protocol

from kikashi.board.points import color_name
from kikashi.game import Game, Move
from kikashi.gtp.controller import Engine, EngineDied, EngineError, find_program
from kikashi.lab.memory import megabytes_for
from kikashi.player import Player
from kikashi.playout.plugins import load_plugin
from kikashi.preset import is_preset, load_preset, preset_names
from kikashi.search.analysis import Analysis
from kikashi.search.budget import Budget

DEFAULT_SIMULATIONS = 1000
MOST_MEGABYTES = 1_000_000
SEED = "{seed}"
"""Stands for the game's seed in the command line of an engine."""


class PluginChanged(ValueError):
    """A plugin is not what it was when the match began: nobody's forfeit, but the end of the match."""


@dataclass(frozen=True)
class Plugin:
    """A file with parts, as it was when the match began."""

    file: str
    digest: str

    @classmethod
    def read(cls, file: str) -> Plugin:
        """Load a file. Raises ValueError."""
        load_plugin(file)
        return cls(file, _digest(file))

    def load(self) -> None:
        """Load it where a game is played, perhaps in another process. Raises PluginChanged."""
        try:
            same = _digest(self.file) == self.digest
        except OSError as error:
            raise PluginChanged(f"plugin {self.file}: {error.strerror}") from error
        if not same:
            raise PluginChanged(f"plugin {self.file} was changed during the match")
        load_plugin(self.file)


def _digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]


@dataclass(frozen=True)
class Contestant:
    """A player as it was asked for: ``lgrf2 --simulations 2000`` or ``name=GNU gnugo --mode gtp --seed {seed}``."""

    name: str
    """What it is called in results; the text it came from, if it was not named."""
    preset: str = ""
    """Empty for an engine."""
    overrides: tuple[str, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    """With parts that the overrides may name."""
    simulations: int | None = None
    seconds: float | None = None
    threads: int = 1
    megabytes: float | None = None
    """For the tree; None for what the budget needs."""
    command: tuple[str, ...] = ()
    """Of an engine."""


class Seat(Protocol):
    """A player at the board of one game."""

    was_full: bool
    """Whether the tree had no room left when the last move was found."""

    def genmove(self, game: Game) -> str:
        """The name of a move for the player whose turn it is; it is not played. Raises what the player did wrong."""

    def see(self, move: Move) -> None:
        """Be told of a move, one's own included."""

    def close(self) -> None: ...


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("preset")
    parser.add_argument("--simulations", "--playouts", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--megabytes", type=float)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    parser.add_argument("--plugin", dest="plugins", action="append", default=[])
    return parser


def name_of(text: str) -> str:
    """What a player is called. Raises ValueError if the text cannot be a player."""
    return _name_and_words(text)[0]


def _name_and_words(text: str) -> tuple[str, list[str]]:
    """A player's name, which is the whole text if it was not named, and the words after the name."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"player {text!r}: {error}") from None
    if not words:
        raise ValueError("a player needs a name")
    name = words.pop(0).removeprefix("name=") if words[0].startswith("name=") else text
    name = " ".join(name.split())  # it becomes part of a line
    if not name:
        raise ValueError(f"player {text!r} has an empty name")
    return name, words


def parse_contestant(
    text: str, *, simulations: int | None = None, seconds: float | None = None, megabytes: float | None = None
) -> Contestant:
    """A player from a line, which may begin with ``name=NAME``.

    A preset that names no budget gets the simulations and seconds given here, one that names no memory the megabytes.
    Raises ValueError.
    """
    name, words = _name_and_words(text)
    if words and is_preset(words[0]):
        return _preset(name, words, Contestant(name, simulations=simulations, seconds=seconds, megabytes=megabytes))
    if not words or find_program(words[0]) is None:
        close = difflib.get_close_matches(words[0], preset_names(), 1) if words else []
        guess = f"; did you mean {close[0]}?" if close else f"; presets are {', '.join(preset_names())}"
        raise ValueError(f"player {text!r} is neither a preset nor a program that can be found{guess}")
    return Contestant(name, command=tuple(words), seconds=seconds)


def _preset(name: str, words: list[str], given: Contestant) -> Contestant:
    try:
        said = _parser().parse_args(words)
        plugins = tuple(Plugin.read(file) for file in said.plugins)
        load_preset(said.preset, said.overrides)
        if said.simulations is None and said.seconds is None:
            said.simulations, said.seconds = given.simulations, given.seconds
        if said.simulations is None and said.seconds is None:
            said.simulations = DEFAULT_SIMULATIONS
        Budget(simulations=said.simulations, seconds=said.seconds)
        if not 1 <= said.threads <= 256:
            raise ValueError(f"threads are from 1 to 256, not {said.threads}")
        megabytes = given.megabytes if said.megabytes is None else said.megabytes
        if megabytes is not None and not 1 <= megabytes <= MOST_MEGABYTES:
            raise ValueError(f"megabytes are from 1 to {MOST_MEGABYTES:,}, not {megabytes:g}")
    except ValueError as error:
        raise ValueError(f"player {shlex.join(words)!r}: {error}") from None
    return Contestant(
        name=name,
        preset=said.preset,
        overrides=tuple(said.overrides),
        plugins=plugins,
        simulations=said.simulations,
        seconds=said.seconds,
        threads=said.threads,
        megabytes=megabytes,
    )


def distinct(contestants: Sequence[Contestant]) -> tuple[Contestant, ...]:
    """The players as they are. Raises ValueError if two have the same name: results could not be told apart."""
    names = [contestant.name for contestant in contestants]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two players are called {name!r}; begin one with name=NAME")
    return tuple(contestants)


def take_seat(contestant: Contestant, game: Game, seed: int, timeout: float) -> Seat:
    """Sit down at a game that may have moves already. Raises EngineError if an engine cannot be started."""
    if contestant.preset:
        return PresetSeat(contestant, game.size, seed)
    return EngineSeat(contestant, game, seed, timeout)


def new_player(contestant: Contestant, size: int, seed: int) -> Player:
    """The player of a preset, for games on boards of a size. Raises ValueError."""
    seconds = None if contestant.seconds is None else contestant.seconds * contestant.threads
    return Player(
        contestant.preset,
        budget=Budget(simulations=contestant.simulations, seconds=contestant.seconds),
        threads=contestant.threads,
        seed=seed,
        megabytes=contestant.megabytes or megabytes_for(size, contestant.simulations, seconds),
        overrides=contestant.overrides,
    )


def was_full(analysis: Analysis) -> bool:
    """Whether the tree had no room left and dropped what was rarely visited."""
    return analysis.full


class PresetSeat:
    """A preset at the board."""

    def __init__(self, contestant: Contestant, size: int, seed: int) -> None:
        for plugin in contestant.plugins:
            plugin.load()
        self._player = new_player(contestant, size, seed)
        self.was_full = False

    def genmove(self, game: Game) -> str:
        decision = self._player.choose(game)
        self.was_full = was_full(decision.analysis)
        return decision.name

    def see(self, move: Move) -> None:
        """Nothing to do: the game is there at the next move."""

    def close(self) -> None:
        """Nothing to do."""


class EngineSeat:
    """An engine at the board."""

    was_full = False

    def __init__(self, contestant: Contestant, game: Game, seed: int, timeout: float) -> None:
        self._engine = Engine([word.replace(SEED, str(seed)) for word in contestant.command], timeout=timeout)
        try:
            for command in (f"boardsize {game.size}", "clear_board", f"komi {game.komi:g}"):
                self._engine.ask(command)
            if contestant.seconds is not None:
                self._set_time(contestant.seconds)
            for move in game.moves:
                self.see(move)
        except BaseException:
            self._engine.close()
            raise

    def _set_time(self, seconds: float) -> None:
        """An engine need not know about time; only its time-out is certain."""
        try:
            self._engine.ask(f"time_settings 0 {max(1, round(seconds))} 1")
        except EngineDied:
            raise
        except EngineError:
            pass

    def genmove(self, game: Game) -> str:
        return self._engine.ask(f"genmove {color_name(game.turn)}")

    def see(self, move: Move) -> None:
        self._engine.ask(f"play {move}")

    def close(self) -> None:
        self._engine.close()
