"""Models: files of arrays that parts read.

A model is a parameter of a part, the path of a file: after ``@evaluation(models={"table": Arrays(values="f8")})`` a
preset has ``evaluation = { rule = "NAME", table = "mine.npz" }``, and the part reads ``my.table.values``. The file
belongs to the player: a match hashes and copies it.
"""

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np

from kikashi.parts.blocks import BLOCK, block_of

SUFFIX = ".npz"
"""Suffix of a file of arrays."""
NOT_A_FILE = (ValueError, KeyError, TypeError, AttributeError, EOFError, OSError, BadZipFile)
"""Errors of a file that NumPy cannot read, or that lacks an array."""


class Model(ABC):
    """A type of file, and the field of ``my`` that a part reads it by. Two that are equal read files alike."""

    default: str = ""
    """Name of a file of the package; empty if every user must name a file."""
    names: tuple[str, ...] = ()
    """Names of all files of the package that may be given in place of a path."""
    noun: str = "arrays"
    wanted: str = "the path of a file of arrays"
    """Descriptions of the file, for errors."""
    dtype: np.dtype[Any]
    """Type of the field."""

    @abstractmethod
    def read(self, name: str, data: bytes) -> Any:
        """Read the content of a file that messages call `name`. Raises ValueError."""

    @abstractmethod
    def wire(self, worker: Any, name: str) -> Any:
        """Return the value of the field for a worker, which keeps the arrays. Raises ValueError."""

    def parts(self, name: str) -> list[Any]:
        """Return the bound parts that a file makes a worker call. Raises ValueError for a bad file."""
        load(self, name)
        return []


@dataclass(frozen=True, init=False)
class Arrays(Model):
    """Arrays by name, with their NumPy types: a part sees each as a block, which `records` shows as an array.

    >>> Arrays(values="f8").dtype.names
    ('values',)
    """

    types: tuple[tuple[str, str], ...]

    def __init__(self, **types: str) -> None:
        object.__setattr__(self, "types", tuple(types.items()))

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """A block for each array."""
        return np.dtype([(name, BLOCK) for name, _ in self.types], align=True)

    def read(self, name: str, data: bytes) -> list[np.ndarray]:
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                return [np.ascontiguousarray(arrays[key], kind).ravel() for key, kind in self.types]
        except NOT_A_FILE:
            names = ", ".join(key for key, _ in self.types)
            raise ValueError(f"arrays {name}: this is not a file with {names}") from None

    def wire(self, worker: Any, name: str) -> Any:
        return tuple(map(block_of, worker.keep(name, load(self, name))))


# --- files ------------------------------------------------------------------------------------------------------------


class Source(Protocol):
    """A file that is known by its content: two that are equal hold the same."""

    def read(self) -> bytes:
        """Return the content. Raises OSError and ValueError."""

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class _FileAtPath:
    path: str
    written: int

    def read(self) -> bytes:
        return Path(self.path).read_bytes()


FindFile = Callable[[str], Source | None]
_FIND: ContextVar[FindFile | None] = ContextVar("_FIND", default=None)


@contextmanager
def models_of_a_player(find: FindFile) -> Iterator[None]:
    """Find files by `find` in the body of the ``with``; where it returns None, by their paths."""
    token = _FIND.set(find)
    try:
        yield
    finally:
        _FIND.reset(token)


def find_file(name: str) -> Source:
    """Return the file that settings name. Raises OSError."""
    find = _FIND.get()
    source = find(name) if find is not None else None
    return source or _FileAtPath(name, Path(name).stat().st_mtime_ns)


def load(model: Model, name: str) -> Any:
    """Return the content of a file, which is kept in memory. Raises ValueError."""
    try:
        return _content(model, name, find_file(name))
    except OSError as error:
        raise ValueError(f"{model.noun} {name}: {error.strerror or error}") from None


@lru_cache(maxsize=32)
def _content(model: Model, name: str, source: Source) -> Any:
    return model.read(name, content_of(source))


@lru_cache(maxsize=32)
def content_of(source: Source) -> bytes:
    """Return the bytes of a file, which are kept in memory. Raises OSError and ValueError."""
    return source.read()
