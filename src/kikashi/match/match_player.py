"""The players of a match with their files: plugins, weights and presets, found, hashed, copied and sent.

A match can be resumed from anywhere: names of files mean what they meant in the directory where it was begun. A file
that is gone or was changed since is replaced by its copy, which is known by the hash of its content.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from os.path import normpath
from pathlib import Path
from typing import Any, ClassVar, Self

from kikashi.engine.limits import Limit
from kikashi.engine.named_files import LISTED_BY, preset_names
from kikashi.engine.overrides import as_toml, without
from kikashi.engine.preset import load_preset, preset_plugins
from kikashi.files import digest_of, write_whole
from kikashi.game.time_control import Clock, parse_clock
from kikashi.match.player_spec import Player, PlayerSpec, as_spec
from kikashi.parts.binding import PLUGINS, identity_of, with_other_weights
from kikashi.parts.models import content_of, models_of_a_player
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.registry import PartError
from kikashi.protocols.gtp.controller import find_program, is_own_command
from kikashi.wording import nearest
from kikashi.workers.serialization import Packed, packs, put

FOLDER = "files"
"""Folder of the copies, inside that of a match."""
SEED = "{seed}"
"""Stands for the game's seed in the command line of an engine."""


class FileChanged(ValueError):
    """A file is not what it was when the match began, and there is no copy: nobody's forfeit, but the match's end."""


@dataclass(frozen=True)
class Files:
    """The places of the files that players name."""

    directory: str = ""
    """Directory in which the match was begun; empty for the working directory."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """By the name that players use: the path of the copy, in a folder that is called by its hash."""

    def original(self, name: str) -> Path:
        """Return the path of a file that a player names."""
        return Path(self.directory, name).absolute()

    def name_of(self, path: str) -> str:
        """Return the name that players use for a file of which this may be the copy."""
        return next((name for name, copy in self.copies.items() if normpath(copy) == normpath(path)), path)


@dataclass(frozen=True)
class PlayerFile:
    """A file that a player names, as it was when the match began."""

    kind: ClassVar[str] = "file"
    file: str
    """The name that the player uses."""
    digest: str
    original: str
    copy: str = ""
    is_presets: bool = False
    """Whether its preset names it, not the player."""

    @classmethod
    def named(cls, name: str, files: Files) -> Self:
        """Return the file that a player names, or its copy. Raises OSError if it cannot be read."""
        copy = files.copies.get(name, "")
        original = files.original(name)
        return cls(name, Path(copy).parent.name if copy else digest_of(original.read_bytes()), str(original), copy)

    def _find(self) -> tuple[str, bytes]:
        """Return the path of a file with the content of the beginning, and that content. Raises FileChanged."""
        for path in filter(None, (self.original, self.copy)):
            try:
                data = Path(path).read_bytes()
            except OSError:
                continue
            if digest_of(data) == self.digest:
                return path, data
        raise FileChanged(f"{self.kind} {self.file} is gone or was changed during the match, and there is no copy")

    @property
    def path(self) -> str:
        """A file with the content that this one had when the match began. Raises FileChanged."""
        return self._find()[0]

    def read(self) -> bytes:
        """Return the content that the file had when the match began. Raises FileChanged."""
        return self._find()[1]

    def copied_to(self, folder: Path) -> Self:
        """Copy the file into the folder of a match. Raises OSError and FileChanged."""
        return dataclasses.replace(self, copy=write_copy(folder, self.file, self.read()))


class Plugin(PlayerFile):
    """A file with parts."""

    kind = "plugin"


class WeightsFile(PlayerFile):
    """A file of arrays, such as learned weights, which a preset's file or a setting names."""

    kind = "weights"

    def is_called(self, name: str) -> bool:
        """Return whether a preset means this file by a name: the player's, or the path of the file or its copy."""
        return normpath(name) in map(normpath, filter(None, (self.file, self.original, self.copy)))


@contextmanager
def in_use(plugins: Sequence[Plugin], weights: Sequence[WeightsFile] = ()) -> Iterator[None]:
    """Have the parts of a player's plugins known in the body of the ``with``, and its weights as they were when the
    match began. Raises FileChanged and PartError."""
    with ExitStack() as stack:
        paths = [plugin.path for plugin in plugins]
        try:
            stack.enter_context(plugins_of_a_player(paths))
        except (PartError, OSError):
            again = [plugin.path for plugin in plugins]
            if again == paths:
                raise
            stack.enter_context(plugins_of_a_player(again))  # one went while it was loaded: its copy is there
        for one in weights:
            content_of(one)  # they are in memory then: a file that is changed now changes nothing
        stack.enter_context(
            models_of_a_player(lambda name: next((one for one in weights if one.is_called(name)), None))
        )
        yield


@dataclass(frozen=True)
class MatchPlayer(PlayerSpec):
    """A player that is ready for a match: it has its limits, and its files are found."""

    plugin_files: tuple[Plugin, ...] = ()
    """Those that it names, and those of its preset."""
    weights: tuple[WeightsFile, ...] = ()
    """Files that the preset, if it is a file, and the overrides name."""
    directory: str = ""
    """Directory in which an engine is started; empty for the working directory."""

    @property
    def limit(self) -> Limit | None:
        """The limit of a move besides the clock; None if there is none."""
        return Limit(self.simulations, self.seconds) if self.has_limit else None

    def new_clock(self) -> Clock | None:
        """Return its clock at the beginning of a game; None if it has none."""
        return parse_clock(self.clock) if self.clock else None

    def parts(self) -> AbstractContextManager[None]:
        """Have its plugins' parts and its weights in the body of the ``with``. Raises FileChanged and PartError."""
        return in_use(self.plugin_files, self.weights) if self.files else nullcontext()

    @property
    def files(self) -> tuple[PlayerFile, ...]:
        return (*self.plugin_files, *self.weights)

    @property
    def identity(self) -> str:
        """Its identity, by `identity_of`; empty if it names no file, because then its text has all its settings."""
        if not (self.files or self.preset_file):
            return ""
        with self.parts():
            table = without(load_preset(self.preset, self.overrides).table, (PLUGINS,))  # its plugins are among ours
            return identity_of(table, [plugin.path for plugin in self.plugin_files])


def match_player(player: Player, *, files: Files | None = None, **limits: Any) -> MatchPlayer:
    """Return a player with its files, and `limits` where it names none, as `PlayerSpec.with_defaults` takes them.

    Raises ValueError if it cannot play.
    """
    given = as_spec(player)
    files = files or Files()
    spec = given.with_defaults(**limits)
    found = MatchPlayer(**{each.name: getattr(spec, each.name) for each in dataclasses.fields(spec)})
    if found.preset:
        try:
            return _with_files(found, files)
        except OSError as error:
            raise ValueError(f"player {given.name!r}: {error.filename}: {error.strerror}") from None
        except ValueError as error:
            raise ValueError(f"player {given.name!r}: {error}") from None
    words = found.command
    if not words or not (is_own_command(words) or find_program(words[0], files.directory)):
        guess = nearest(words[0] if words else "", preset_names(), LISTED_BY)
        raise ValueError(f"player {given.name!r} is neither a preset nor a program that can be found; {guess}")
    return dataclasses.replace(found, directory=files.directory)


def _with_files(player: MatchPlayer, files: Files) -> MatchPlayer:
    """Find the preset, plugins and weights of a player. Raises ValueError and OSError."""
    plugins = []
    for file in player.plugins:
        try:
            plugins.append(Plugin.named(file, files))
        except FileNotFoundError:
            raise ValueError(f"plugin {file}: no such file") from None
    preset = files.copies.get(player.preset, player.preset)
    preset = str(files.original(preset)) if preset.endswith(".toml") else preset
    for path in preset_plugins(preset):
        if not Path(path).is_file():
            raise ValueError(f"preset {preset}: plugin {path}: no such file")
        digest = digest_of(Path(path).read_bytes())
        if digest not in [each.digest for each in plugins]:
            plugins.append(Plugin(Path(path).name, digest, path, is_presets=True))
    found = dataclasses.replace(player, preset=preset, plugin_files=tuple(plugins))
    return with_more_weights(found, (), files)


def with_more_weights(player: MatchPlayer, overrides: Iterable[str], files: Files) -> MatchPlayer:
    """Return a player with its weights, and those that it names with each of some overrides. Raises ValueError and
    OSError."""

    def named(path: str) -> WeightsFile:
        return WeightsFile.named(files.name_of(path), files)

    found = dict.fromkeys(player.weights)
    with in_use(player.plugin_files), models_of_a_player(named):
        for more in ((), *((text,) for text in overrides)):
            found |= dict.fromkeys(map(named, load_preset(player.preset, (*player.overrides, *more)).weights))
    return dataclasses.replace(player, weights=tuple(found))


# --- copies -----------------------------------------------------------------------------------------------------------


def copy_path(folder: Path, name: str, data: bytes) -> Path:
    """Return the path of the copy of a file with this name and content."""
    return folder.absolute() / FOLDER / digest_of(data) / Path(name).name


def write_copy(folder: Path, name: str, data: bytes) -> str:
    """Write a copy into the folder of a match and return its path. Raises OSError."""
    path = copy_path(folder, name, data)
    write_whole(path, data)
    return str(path)


def with_copies(player: MatchPlayer, folder: Path) -> MatchPlayer:
    """Copy a player's files into the folder of a match. Raises OSError and FileChanged."""
    preset = player.preset
    return dataclasses.replace(
        player,
        plugin_files=tuple(one.copied_to(folder) for one in player.plugin_files),
        weights=tuple(one.copied_to(folder) for one in player.weights),
        preset=write_copy(folder, preset, preset_data(player)) if player.preset_file else preset,
    )


def preset_data(player: MatchPlayer) -> bytes:
    """Return a copy of the file of a player's preset, merged with its bases.

    It names copies of its weights and plugins, each in a folder that is called by its hash, beside the copy's own.
    Raises ValueError.
    """

    def beside(one: PlayerFile) -> str:
        return f"../{one.digest}/{Path(one.file).name}"

    with player.parts():
        table = dict(load_preset(player.preset).table)
    if PLUGINS in table:
        table[PLUGINS] = [beside(one) for one in player.plugin_files if one.is_presets]

    def copied(path: str) -> str:
        return next((beside(one) for one in player.weights if one.is_called(path)), path)

    return as_toml(with_other_weights(table, copied)).encode()


def changed_files(players: Iterable[MatchPlayer]) -> list[str]:
    """Return the files of which only the copies are as they were, as players name them. Raises FileChanged."""
    files = (one for player in players for one in player.files)
    return list(dict.fromkeys(one.file for one in files if one.path != one.original))


def copies_of(player: MatchPlayer, spec: PlayerSpec) -> dict[str, str]:
    """Return the copies of a player's files by the names that the spec has for them."""
    found = {one.file: one.copy for one in player.files if one.copy and not one.is_presets}
    return found | ({spec.preset: player.preset} if player.preset_file else {})


# --- sent to other machines -------------------------------------------------------------------------------------------


def files_of_player(player: MatchPlayer, spec: PlayerSpec) -> dict[str, bytes]:
    """Return the content of a player's files by the names that the spec has for them. Raises OSError, FileChanged."""
    found = {one.file: one.read() for one in player.files}
    return found | ({spec.preset: preset_data(player)} if player.preset_file else {})


@packs(Plugin)
@packs(WeightsFile)
def _pack_file(one: PlayerFile) -> Packed:
    return _unpack_file, (type(one), one.file, one.read(), one.is_presets)


def _unpack_file(kind: type[PlayerFile], file: str, data: bytes, is_presets: bool) -> PlayerFile:
    return kind(file, digest_of(data), put(file, data), is_presets=is_presets)


@packs(MatchPlayer)
def _pack_player(player: MatchPlayer) -> Packed | None:
    if player.preset_file:
        return _unpack_player, (dataclasses.replace(player, preset=""), player.preset, preset_data(player))
    if player.directory:
        return _unpack_engine, (dataclasses.replace(player, directory=""), player.directory)
    return None


def _unpack_player(rest: MatchPlayer, preset: str, data: bytes) -> MatchPlayer:
    return dataclasses.replace(rest, preset=put(preset, data))


def _unpack_engine(rest: MatchPlayer, directory: str) -> MatchPlayer:
    """An engine is started in the directory of the match, if that is here."""
    return dataclasses.replace(rest, directory=directory if Path(directory).is_dir() else "")
