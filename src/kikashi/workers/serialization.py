"""Tasks that travel to other machines, with the files that their players name: plugins, weights, presets of their own.

Files are read where a task is packed. Where it is unpacked they are written into a folder, and the task names them
there. `packs` is for types that name files in their own way.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from kikashi.files import digest_of
from kikashi.parts.specs import with_other_weights

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


def packs_table(kind: type) -> None:
    """Registers that settings of a type, whose preset is a table, take along the weights that the preset names."""

    def pack_settings(settings: Any) -> Packed | None:
        files: dict[str, bytes] = {}

        def note(path: str) -> str:
            files[path] = Path(path).read_bytes()
            return path

        with_other_weights(settings.preset, note)
        return (_unpack_settings, (kind, msgspec.to_builtins(settings), files)) if files else None

    packs(kind)(pack_settings)


def _unpack_settings(kind: type, table: dict[str, Any], files: Mapping[str, bytes]) -> Any:
    paths = {name: put(name, data) for name, data in files.items()}
    return msgspec.convert(table | {"preset": with_other_weights(table["preset"], paths.__getitem__)}, kind)
