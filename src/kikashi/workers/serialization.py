"""Serialization of tasks for other machines, with the files that their players name: plugins, weights, presets.

`pack` reads the files; `unpack` writes them into a folder, and the task names them there. Types that name files in
their own way register with `packs`.
"""

import hashlib
import io
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from kikashi import __version__
from kikashi.files import digest_of
from kikashi.jit import PACKAGE

Packed = tuple[Callable[..., Any], tuple[Any, ...]]
"""Function that unpacks a value, and its arguments."""
Pack = Callable[[Any], Packed | None]

_PACKS: dict[type, Pack] = {}
_folder = Path()
"""Folder for the files of the task that is being unpacked."""


def packs(kind: type) -> Callable[[Pack], Pack]:
    """Register a function that packs values of a type; it returns None for the default way."""

    def register(pack: Pack) -> Pack:
        _PACKS[kind] = pack
        return pack

    return register


@cache
def version() -> str:
    """Return the version of kikashi with a hash of its sources: all machines that share a task have the same."""
    digest = hashlib.sha256()
    for source in sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".toml")):
        digest.update(source.relative_to(PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return f"kikashi {__version__} ({digest.hexdigest()[:8]})"


class _Packer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        packed = _PACKS[type(value)](value) if type(value) in _PACKS else None
        return NotImplemented if packed is None else packed


def pack(task: Any) -> bytes:
    """Serialize a task with its files. Raises OSError and FileChanged."""
    buffer = io.BytesIO()
    _Packer(buffer, pickle.HIGHEST_PROTOCOL).dump(task)
    return buffer.getvalue()


def unpack(data: bytes, folder: Path) -> Any:
    """Restore a task, its files in the folder. The data can run any code: it must be trusted."""
    global _folder
    _folder = folder
    return pickle.loads(data)


def put(name: str, data: bytes) -> str:
    """Write a file of the task that is being unpacked and return its path."""
    path = _folder / digest_of(data) / Path(name).name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return str(path)
