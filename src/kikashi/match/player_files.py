"""Files that players bring, plugins and presets of their own: where they are, and their copies in a match's folder.

A match can be resumed from anywhere: names of files mean what they meant in the directory where it was begun. A file
that is gone or was changed since is replaced by its copy, which is known by a hash of what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kikashi.files import digest_of
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.specs import PartError
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


@dataclass(frozen=True)
class Plugin:
    """A file with parts, as it was when the match began."""

    file: str
    """As the player names it."""
    digest: str
    original: str
    copy: str = ""

    @classmethod
    def named(cls, said: str, files: Files) -> Plugin:
        """The file that a player names, or its copy. Raises OSError if it cannot be read."""
        copy = files.copies.get(said, "")
        original = files.original(said)
        return cls(said, Path(copy).parent.name if copy else digest_of(original.read_bytes()), str(original), copy)

    @property
    def path(self) -> str:
        """A file that says what the plugin said when the match began. Raises FileChanged."""
        for path in filter(None, (self.original, self.copy)):
            try:
                if digest_of(Path(path).read_bytes()) == self.digest:
                    return path
            except OSError:
                continue
        raise FileChanged(f"plugin {self.file} is gone or was changed during the match, and there is no copy")

    @property
    def is_changed(self) -> bool:
        """Whether only the copy says what the plugin said."""
        return self.path != self.original


@contextmanager
def in_use(plugins: Sequence[Plugin]) -> Iterator[None]:
    """Have the parts of a player's plugins known in the body of the ``with``. Raises FileChanged and PartError."""
    with ExitStack() as stack:
        paths = [plugin.path for plugin in plugins]
        try:
            stack.enter_context(plugins_of_a_player(paths))
        except (PartError, OSError):
            again = [plugin.path for plugin in plugins]
            if again == paths:
                raise
            stack.enter_context(plugins_of_a_player(again))  # one went while it was loaded: its copy is there
        yield


def copy_path(folder: Path, name: str, data: bytes) -> Path:
    """Where the copy of a file with this name and content belongs."""
    return folder.absolute() / FOLDER / digest_of(data) / Path(name).name


@packs(Plugin)
def _pack_plugin(plugin: Plugin) -> Packed:
    return _unpack_plugin, (plugin.file, Path(plugin.path).read_bytes())


def _unpack_plugin(file: str, data: bytes) -> Plugin:
    return Plugin(file, digest_of(data), put(file, data))
