"""Files that players bring, plugins, weights and presets: where they are, and their copies in a match's folder.

A match can be resumed from anywhere: names of files mean what they meant in the directory where it was begun. A file
that is gone or was changed since is replaced by its copy, which is known by a hash of what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from os.path import normpath
from pathlib import Path
from typing import ClassVar, Self

from kikashi.files import digest_of
from kikashi.parts.models import content_of, models_of_a_player
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.registry import PartError
from kikashi.workers.serialization import Packed, packs, put

FOLDER = "files"
"""Of the copies, in the folder of a match."""


class FileChanged(ValueError):
    """A file is not what it was when the match began, and there is no copy: nobody's forfeit, but the match's end."""


@dataclass(frozen=True)
class Files:
    """Where the files that players name are found."""

    directory: str = ""
    """Where the match was begun; empty for the working directory."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """By name as players say it: the path of the copy, in a folder that is called by its hash."""

    def original(self, said: str) -> Path:
        """The file that a player names."""
        return Path(self.directory, said).absolute()

    def said(self, name: str) -> str:
        """How players name a file of which this may be the copy."""
        return next((said for said, copy in self.copies.items() if normpath(copy) == normpath(name)), name)


@dataclass(frozen=True)
class PlayersFile:
    """A file that a player names, as it was when the match began."""

    kind: ClassVar[str] = "file"
    file: str
    """As the player names it."""
    digest: str
    original: str
    copy: str = ""
    is_presets: bool = False
    """Whether not the player names it, but its preset."""

    @classmethod
    def named(cls, said: str, files: Files) -> Self:
        """The file that a player names, or its copy. Raises OSError if it cannot be read."""
        copy = files.copies.get(said, "")
        original = files.original(said)
        return cls(said, Path(copy).parent.name if copy else digest_of(original.read_bytes()), str(original), copy)

    @classmethod
    def of_preset(cls, path: str) -> Self:
        """The file that a preset names. Raises OSError if it cannot be read."""
        return cls(Path(path).name, digest_of(Path(path).read_bytes()), path, is_presets=True)

    def _found(self) -> tuple[str, bytes]:
        """A file that says what this one said when the match began, and what that is. Raises FileChanged."""
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
        """A file that says what this one said when the match began. Raises FileChanged."""
        return self._found()[0]

    def read(self) -> bytes:
        """What the file said when the match began. Raises FileChanged."""
        return self._found()[1]

    @property
    def is_changed(self) -> bool:
        """Whether only the copy says what the file said."""
        return self.path != self.original


class Plugin(PlayersFile):
    """A file with parts."""

    kind = "plugin"


class WeightsFile(PlayersFile):
    """A file of arrays, such as learned weights, which a preset's file or a setting names."""

    kind = "weights"


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
        stack.enter_context(models_of_a_player(lambda name: weights_called(name, weights)))
        yield


def weights_called(name: str, weights: Sequence[WeightsFile]) -> WeightsFile | None:
    """The file of weights that a preset means by a name: as the player says it, or the path of the file or its copy."""
    wanted = normpath(name)
    return next(
        (one for one in weights if wanted in map(normpath, filter(None, (one.file, one.original, one.copy)))), None
    )


def copy_path(folder: Path, name: str, data: bytes) -> Path:
    """Where the copy of a file with this name and content belongs."""
    return folder.absolute() / FOLDER / digest_of(data) / Path(name).name


@packs(Plugin)
@packs(WeightsFile)
def _pack_file(one: PlayersFile) -> Packed:
    return _unpack_file, (type(one), one.file, one.read(), one.is_presets)


def _unpack_file(kind: type[PlayersFile], file: str, data: bytes, is_presets: bool) -> PlayersFile:
    return kind(file, digest_of(data), put(file, data), is_presets=is_presets)
