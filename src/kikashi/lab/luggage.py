"""Tasks that travel to other machines, with the files that their players name: plugins, and presets of their own.

Files are read where a task is packed. Where it is unpacked they are written into a folder, and the task names them
there. `packs` is for types that name files in their own way.
"""

from __future__ import annotations

import dataclasses
import io
import pickle
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from kikashi.lab.contestants import Contestant, presets_word
from kikashi.lab.files import Plugin, digest_of
from kikashi.preset import load_preset
from kikashi.settings import as_toml

Packed = tuple[Callable[..., Any], tuple[Any, ...]]
"""What is to be called where a thing is unpacked, and with what."""
Pack = Callable[[Any], Packed | None]

_PACKS: dict[type, Pack] = {}
_folder = Path()
"""For the files of what is being unpacked."""


def packs(kind: type) -> Callable[[Pack], Pack]:
    """Registers how things of a type are packed; None for as they are."""

    def register(pack: Pack) -> Pack:
        _PACKS[kind] = pack
        return pack

    return register


class _Packer(pickle.Pickler):
    """Packs things of registered types in their own way."""

    def reducer_override(self, thing: Any) -> Any:
        packed = _PACKS[type(thing)](thing) if type(thing) in _PACKS else None
        return NotImplemented if packed is None else packed


def pack(task: Any) -> bytes:
    """A task with its files. Raises OSError and FileChanged."""
    buffer = io.BytesIO()
    _Packer(buffer, pickle.HIGHEST_PROTOCOL).dump(task)
    return buffer.getvalue()


def unpack(data: bytes, folder: Path) -> Any:
    """A task as it was, its files in the folder. Only for data of those who may run programs here."""
    global _folder
    _folder = folder
    return pickle.loads(data)


def put(name: str, data: bytes) -> str:
    """Called while something is unpacked: the path of a file with this name and content."""
    path = _folder / digest_of(data) / Path(name).name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return str(path)


def preset_data(preset: str, player: Contestant | None = None) -> bytes:
    """A preset's file with what its bases say; the player knows the parts that it names. Raises ValueError."""
    with player.parts() if player else nullcontext():
        return as_toml(load_preset(preset).table).encode()


def files_of_player(text: str, player: Contestant) -> dict[str, bytes]:
    """The files that the text of a player names. Raises OSError and FileChanged."""
    found = {plugin.file: Path(plugin.path).read_bytes() for plugin in player.plugins}
    if player.presets_file:
        found[presets_word(text)] = preset_data(player.preset, player)
    return found


# --- players ----------------------------------------------------------------------------------------------------------


@packs(Plugin)
def _pack_plugin(plugin: Plugin) -> Packed:
    return _unpack_plugin, (plugin.file, Path(plugin.path).read_bytes())


def _unpack_plugin(file: str, data: bytes) -> Plugin:
    return Plugin(file, digest_of(data), put(file, data))


@packs(Contestant)
def _pack_player(player: Contestant) -> Packed | None:
    if player.presets_file:
        rest = dataclasses.replace(player, preset="")
        return _unpack_player, (rest, player.preset, preset_data(player.preset, player))
    if player.directory:
        return _unpack_engine, (dataclasses.replace(player, directory=""), player.directory)
    return None


def _unpack_player(rest: Contestant, preset: str, data: bytes) -> Contestant:
    return dataclasses.replace(rest, preset=put(preset, data))


def _unpack_engine(rest: Contestant, directory: str) -> Contestant:
    """An engine is started where it was asked for, if that directory is there."""
    return dataclasses.replace(rest, directory=directory if Path(directory).is_dir() else "")
