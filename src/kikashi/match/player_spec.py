"""The players of a match as they were asked for: presets with options, and command lines of GTP engines."""

from __future__ import annotations

import argparse
import dataclasses
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

from kikashi.engine.limits import Limit
from kikashi.engine.overrides import as_toml, read_override, read_value, toml_value
from kikashi.engine.preset import PLUGINS, load_preset, preset_plugins
from kikashi.engine.preset_files import LISTED_BY, is_preset, preset_names
from kikashi.files import write_whole
from kikashi.game.time_control import Clock, parse_clock
from kikashi.match.player_files import Files, PlayersFile, Plugin, WeightsFile, copy_path, in_use, weights_called
from kikashi.parts.binding import with_other_weights
from kikashi.parts.models import models_of_a_player
from kikashi.protocols.gtp.controller import find_program, is_own_command
from kikashi.wording import nearest
from kikashi.workers.serialization import Packed, packs, put

DEFAULT_SIMULATIONS = 1000
MOST_MEGABYTES = 1_000_000
BUDGETS = ("--simulations", "--playouts", "--seconds")
"""Options of a preset that say what it may spend on a move."""
SEED = "{seed}"
"""Stands for the game's seed in the command line of an engine."""
IN_FRONT = ("name", "seconds", "clock")
"""What may stand before a player, as in ``name=GNU seconds=5 gnugo --mode gtp``."""


@dataclass(frozen=True)
class Contestant:
    """A player as it was asked for: ``lgrf2 --simulations 2000`` or ``name=GNU gnugo --mode gtp --seed {seed}``."""

    name: str
    """What it is called in results; the text it came from, if it was not named."""
    preset: str = ""
    """A name or the path of a file; empty for an engine."""
    overrides: tuple[str, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    """With parts that the overrides may name."""
    weights: tuple[WeightsFile, ...] = ()
    """That the preset, if it is a file, and the overrides name."""
    simulations: int | None = None
    seconds: float | None = None
    clock: str = ""
    """As `kikashi.game.time_control` writes it; empty for none."""
    threads: int = 1
    megabytes: float | None = None
    """For the tree; None for what the budget needs."""
    command: tuple[str, ...] = ()
    """Of an engine."""
    directory: str = ""
    """Where an engine is started; empty for the working directory."""

    @property
    def limit(self) -> Limit | None:
        """The limit of a move besides the clock; None if there is none."""
        has_limit = self.simulations is not None or self.seconds is not None
        return Limit(self.simulations, self.seconds) if has_limit else None

    def new_clock(self) -> Clock | None:
        """What its clock shows at the beginning of a game; None if it has none."""
        return parse_clock(self.clock) if self.clock else None

    @contextmanager
    def parts(self) -> Iterator[None]:
        """Have its plugins' parts and its weights in the body of the ``with``. Raises FileChanged and PartError."""
        with in_use(self.plugins, self.weights):
            yield

    @property
    def files(self) -> tuple[PlayersFile, ...]:
        """Its plugins and its weights."""
        return (*self.plugins, *self.weights)

    @property
    def presets_file(self) -> str:
        """The path of its preset, if that is a file."""
        return self.preset if self.preset.endswith(".toml") else ""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(_in_our_words(message, [name for action in self._actions for name in action.option_strings]))


def _in_our_words(message: str, options: Sequence[str]) -> str:
    """What argparse says about the words of a player."""
    types = {"int": "a whole number", "float": "a number"}
    if found := re.fullmatch(r"unrecognized arguments: (\S+).*", message):
        return f"there is no option {found[1]}; {nearest(found[1], options)}"
    if found := re.fullmatch(r"argument (\S+): invalid (\w+) value: (.*)", message):
        return f"{found[1].partition('/')[0]} must be {types.get(found[2], found[2])}, not {found[3]}"
    if found := re.fullmatch(r"argument (\S+): expected one argument", message):
        return f"{found[1].partition('/')[0]} needs a value"
    return message


@cache
def _parser() -> argparse.ArgumentParser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("preset")
    parser.add_argument("--simulations", "--playouts", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--clock")
    parser.add_argument("--megabytes", type=float)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", dest="overrides", action="append", default=[])
    parser.add_argument("--plugin", dest="plugins", action="append", default=[])
    return parser


def name_of(text: str) -> str:
    """What a player is called. Raises ValueError if the text cannot be a player."""
    return _read(text)[0]


def short_name(text: str) -> str:
    """A name for folders: that of the player if it has one, else its preset and budget, or its program.

    Raises ValueError if the text cannot be a player.

    >>> [short_name(text) for text in ("lgrf2 --simulations 150 --set even_games=1", "/usr/games/gnugo --mode gtp")]
    ['lgrf2-150', 'gnugo']
    """
    name, _, words = _read(text)
    if text.startswith("name=") or not words:
        return name
    if not _are_preset(words):
        return Path(words[0]).stem
    said = said_player(text)
    budget = [str(said.simulations)] if said.simulations is not None else []
    budget += [f"{said.seconds:g}s"] if said.seconds is not None else []
    return "-".join([Path(said.preset).stem if said.preset.endswith(".toml") else said.preset, *budget])


def names_preset(text: str) -> bool:
    """Whether a player is a preset and not an engine. Raises ValueError if the text cannot be a player."""
    return _are_preset(_read(text)[2])


def names_budget(text: str) -> bool:
    """Whether a player says itself how much it may spend on a move. Raises ValueError if it cannot be a player."""
    _, in_front, words = _read(text)
    return bool({"seconds", "clock"} & in_front.keys()) or _say_budget(words)


class SaidPlayer(NamedTuple):
    """What the text of a player says it may spend on a move; of an engine the preset is empty."""

    preset: str
    simulations: int | None
    seconds: float | None
    threads: int


def said_player(text: str) -> SaidPlayer:
    """Read the text of a player, but neither its preset nor its plugins. Raises ValueError if it cannot be a player."""
    _, in_front, words = _read(text)
    seconds = float(in_front["seconds"]) if "seconds" in in_front else None
    if not _are_preset(words):
        return SaidPlayer("", None, seconds, 1)
    said = _parser().parse_args(words)
    return SaidPlayer(said.preset, said.simulations, said.seconds or seconds, said.threads)


def _say_budget(words: list[str]) -> bool:
    return any(word.partition("=")[0] in BUDGETS for word in words)


def without_name(text: str) -> str:
    """The text of a player without the name in front, if it has one there."""
    return shlex.join(shlex.split(text)[1:]) if text.startswith("name=") else text


def _are_preset(words: list[str]) -> bool:
    return bool(words) and is_preset(words[0]) and not is_own_command(words)


def _read(text: str) -> tuple[str, dict[str, str], list[str]]:
    """A player's name, which is the whole text if it was not named, what else stands in front, and all other words."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"player {text!r}: {error}") from None
    if not words:
        raise ValueError("a player needs a name")
    in_front = {}
    while words and (key := words[0].partition("=")[0]) in IN_FRONT and "=" in words[0]:
        in_front[key] = words.pop(0).partition("=")[2]
    name = " ".join(in_front.pop("name", text).split())  # it becomes part of a line
    if not name:
        raise ValueError(f"player {text!r} has an empty name")
    return name, in_front, words


def parse_contestant(
    text: str,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    megabytes: float | None = None,
    clock: str | None = None,
    files: Files | None = None,
) -> Contestant:
    """A player from a line, which may begin with ``name=NAME``, ``seconds=SECONDS`` and ``clock=CLOCK``.

    A preset that names no budget gets the simulations and seconds given here, one that names no memory the megabytes;
    whoever names no clock gets this one. Raises ValueError.
    """
    name, in_front, words = _read(text)
    files = files or Files()
    try:
        said_seconds = float(in_front["seconds"]) if "seconds" in in_front else None
        if said_seconds is not None:
            Limit(seconds=said_seconds)
        said_clock = in_front.get("clock", clock or "")
        if said_clock:
            parse_clock(said_clock)
    except ValueError as error:
        raise ValueError(f"player {text!r}: {error}") from None
    given = Contestant(name, simulations=simulations, seconds=seconds, megabytes=megabytes, clock=said_clock)
    if said_seconds is not None:
        given = dataclasses.replace(given, simulations=None, seconds=said_seconds)
    if _are_preset(words):
        return _preset(words, given, files)
    if not words or not (is_own_command(words) or find_program(words[0], files.directory)):
        guess = nearest(words[0] if words else "", preset_names(), LISTED_BY)
        raise ValueError(f"player {text!r} is neither a preset nor a program that can be found; {guess}")
    return dataclasses.replace(given, simulations=None, megabytes=None, command=tuple(words), directory=files.directory)


def _preset(words: list[str], given: Contestant, files: Files) -> Contestant:
    try:
        said = _parser().parse_args(words)
        plugins = tuple(_plugin(file, files) for file in said.plugins)
        name = files.copies.get(said.preset, said.preset)
        preset = str(files.original(name)) if name.endswith(".toml") else name
        plugins += tuple(_presets_plugins(preset, plugins))
        weights = _weights(preset, said.overrides, plugins, files)
        clock = given.clock if said.clock is None else said.clock
        if clock:
            parse_clock(clock)
        if said.simulations is None and said.seconds is None:
            said.simulations, said.seconds = given.simulations, given.seconds
        if said.simulations is None and said.seconds is None and not clock:
            said.simulations = DEFAULT_SIMULATIONS
        if said.simulations is not None or said.seconds is not None:
            Limit(simulations=said.simulations, seconds=said.seconds)
        if not 1 <= said.threads <= 256:
            raise ValueError(f"threads are from 1 to 256, not {said.threads}")
        megabytes = given.megabytes if said.megabytes is None else said.megabytes
        if megabytes is not None and not 1 <= megabytes <= MOST_MEGABYTES:
            raise ValueError(f"megabytes are from 1 to {MOST_MEGABYTES:,}, not {megabytes:g}")
    except OSError as error:
        raise ValueError(f"player {shlex.join(words)!r}: {error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"player {shlex.join(words)!r}: {error}") from None
    return Contestant(
        name=given.name,
        preset=preset,
        overrides=tuple(said.overrides),
        plugins=plugins,
        weights=weights,
        simulations=said.simulations,
        seconds=said.seconds,
        clock=clock,
        threads=said.threads,
        megabytes=megabytes,
    )


def _plugin(file: str, files: Files) -> Plugin:
    try:
        return Plugin.named(file, files)
    except FileNotFoundError:
        raise ValueError(f"plugin {file}: no such file") from None


def _weights(preset: str, overrides: Sequence[str], plugins: Sequence[Plugin], files: Files) -> tuple[WeightsFile, ...]:
    """The files of weights that a preset names. Raises ValueError and OSError if the preset is not right."""
    with in_use(plugins), models_of_a_player(lambda name: WeightsFile.named(files.said(name), files)):
        found = [WeightsFile.named(files.said(name), files) for name in load_preset(preset, overrides).weights]
    return tuple(dict.fromkeys(found))


def with_more_weights(contestant: Contestant, overrides: Iterable[str], files: Files) -> Contestant:
    """The player with the weights that it names with some other settings too, each of them alone. Raises ValueError and
    OSError."""
    found = dict.fromkeys(contestant.weights)
    for change in overrides:
        found |= dict.fromkeys(_weights(contestant.preset, (*contestant.overrides, change), contestant.plugins, files))
    return dataclasses.replace(contestant, weights=tuple(found))


def _presets_plugins(preset: str, said: Sequence[Plugin]) -> Iterator[Plugin]:
    """The plugins that a preset names, but those that the player names, too."""
    for path in preset_plugins(preset):
        if not Path(path).is_file():
            raise ValueError(f"preset {preset}: plugin {path}: no such file")
        plugin = Plugin.of_preset(path)
        if plugin.digest not in [each.digest for each in said]:
            yield plugin


def distinct(contestants: Sequence[Contestant]) -> tuple[Contestant, ...]:
    """The players as they are. Raises ValueError if two have the same name: results could not be told apart."""
    names = [contestant.name for contestant in contestants]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two players are called {name!r}; begin one with name=NAME")
    return tuple(contestants)


# --- what decides how a player plays ----------------------------------------------------------------------------------


def settings_of_player(text: str, *, simulations: int | None, seconds: float | None, clock: str | None) -> str:
    """What a player is, whatever its name: two with the same text are the same player. Reads no file.

    Raises ValueError if the text cannot be a player.
    """
    _, in_front, words = _read(text)
    budget = {"simulations": simulations, "seconds": seconds, "clock": clock} | in_front
    if not _are_preset(words):
        del budget["simulations"]
    elif _say_budget(words):
        del budget["simulations"], budget["seconds"]
    elif budget["simulations"] is None and budget["seconds"] is None and not budget["clock"]:
        budget["simulations"] = DEFAULT_SIMULATIONS
    told = [f"{key} {value}" for key, value in budget.items() if value is not None]
    return ", ".join([shlex.join(words), *told])


# --- copies -----------------------------------------------------------------------------------------------------------


def with_copies(contestant: Contestant, folder: Path) -> Contestant:
    """The player with its files copied into the folder of a match. Raises OSError and FileChanged."""
    preset = contestant.preset
    if contestant.presets_file:
        preset = _written(folder, preset, preset_data(contestant))
    return dataclasses.replace(
        contestant,
        plugins=tuple(
            dataclasses.replace(one, copy=_written(folder, one.file, one.read())) for one in contestant.plugins
        ),
        weights=tuple(
            dataclasses.replace(one, copy=_written(folder, one.file, one.read())) for one in contestant.weights
        ),
        preset=preset,
    )


def _written(folder: Path, name: str, data: bytes) -> str:
    path = copy_path(folder, name, data)
    write_whole(path, data)
    return str(path)


def preset_data(contestant: Contestant) -> bytes:
    """A copy of the file of a player's preset, with what its bases say.

    It names copies of its weights and plugins, each in a folder that is called by its hash, beside the copy's own.
    Raises ValueError.
    """
    with contestant.parts():
        table = dict(load_preset(contestant.preset).table)
    if PLUGINS in table:
        table[PLUGINS] = [f"../{one.digest}/{Path(one.file).name}" for one in contestant.plugins if one.is_presets]

    def copied(path: str) -> str:
        one = weights_called(path, contestant.weights)
        return path if one is None else f"../{one.digest}/{Path(one.file).name}"

    return as_toml(with_other_weights(table, copied)).encode()


def with_other_files(text: str, paths: Mapping[str, str]) -> str:
    """The text of a player, with other paths for files that it names."""
    words: list[str] = []
    for word in shlex.split(text):
        option, equals, said = word.partition("=")
        if words and words[-1] == "--set":
            words.append(setting_with_other_files(word, paths))
        elif option == "--set" and equals:
            words.append(f"{option}={setting_with_other_files(said, paths)}")
        elif option == "--plugin" and equals:
            words.append(f"{option}={paths.get(said, said)}")
        else:
            words.append(paths.get(word, word))
    return shlex.join(words)


def setting_with_other_files(text: str, paths: Mapping[str, str]) -> str:
    """A setting, ``key=value``, with other paths for weights that it names."""
    value = read_value(read_override(text).value)
    changed = with_other_weights(value, lambda path: paths.get(path, path))
    return text if changed == value else f"{text.partition('=')[0]}={toml_value(changed)}"


def presets_word(text: str) -> str:
    """How the text of a player names its preset, or its program. Raises ValueError."""
    return _read(text)[2][0]


def changed_files(contestants: Iterable[Contestant]) -> list[str]:
    """The files that only their copies are like, as players name them, each once. Raises FileChanged."""
    files = (one for contestant in contestants for one in contestant.files)
    return list(dict.fromkeys(one.file for one in files if one.is_changed))


def copies_of(contestant: Contestant, said: str) -> dict[str, str]:
    """The copies of a player's files, by how the text of the player names them."""
    found = {one.file: one.copy for one in contestant.files if one.copy and not one.is_presets}
    if contestant.presets_file:
        found[presets_word(said)] = contestant.preset
    return found


# --- sent to other machines ---


def files_of_player(text: str, player: Contestant) -> dict[str, bytes]:
    """The files that the text of a player names. Raises OSError and FileChanged."""
    found = {one.file: one.read() for one in player.files}
    if player.presets_file:
        found[presets_word(text)] = preset_data(player)
    return found


@packs(Contestant)
def _pack_player(player: Contestant) -> Packed | None:
    if player.presets_file:
        rest = dataclasses.replace(player, preset="")
        return _unpack_player, (rest, player.preset, preset_data(player))
    if player.directory:
        return _unpack_engine, (dataclasses.replace(player, directory=""), player.directory)
    return None


def _unpack_player(rest: Contestant, preset: str, data: bytes) -> Contestant:
    return dataclasses.replace(rest, preset=put(preset, data))


def _unpack_engine(rest: Contestant, directory: str) -> Contestant:
    """An engine is started where it was asked for, if that directory is there."""
    return dataclasses.replace(rest, directory=directory if Path(directory).is_dir() else "")
