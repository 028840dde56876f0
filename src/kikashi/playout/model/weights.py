"""Weights of features, as files: what `kikashi learn` writes and the heuristic `learned` reads.

A file is a NumPy archive: a header in JSON (format, board size, features, where it came from, figures) and for each
feature the weights of its levels; of one whose levels are keys, the keys that have a weight, the smallest of each set
of images. A weight is the logarithm of a gamma of Coulom 2007: the weights of a move add up.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.registry import SHIPPED, SHIPPED_PLAYOUTS, PartError, as_part
from kikashi.playout.kinds import feature
from kikashi.playout.tactics.shapes import Keys

FORMAT = 1


@dataclass(frozen=True)
class FeatureWeights:
    """The weights of one feature."""

    spec: str
    """The feature with its parameters, as in a list: ``distance(back=2)``."""
    values: np.ndarray
    """By level, or by key."""
    keys: np.ndarray | None = None
    """None where levels have names."""

    def bind(self) -> BoundPart:
        """The feature. Raises PartError if there is none that these weights are for."""
        bound = bind(feature, *as_part(self.spec))
        levels = bound.part.options["levels"]
        if isinstance(levels, Keys) != (self.keys is not None):
            raise PartError(f"{bound.part} has other levels than these weights: train them anew with kikashi learn")
        if not isinstance(levels, Keys) and len(levels) != self.values.size:
            raise PartError(
                f"{bound.part} has {len(levels)} levels and the weights {self.values.size}: "
                "train them anew with kikashi learn"
            )
        return bound

    def every_key(self) -> tuple[np.ndarray, np.ndarray]:
        """All images of the keys, and their weights."""
        bound = self.bind()
        images = np.asarray(bound.part.options["levels"].images(self.keys, bound.values))
        keys, first = np.unique(images.ravel(), return_index=True)
        return keys, np.tile(self.values, images.shape[0])[first]


@dataclass(frozen=True)
class Weights:
    """What a file holds."""

    features: tuple[FeatureWeights, ...]
    header: Mapping[str, Any]
    """What else is known: ``size``, ``sources``, ``figures``, ``versions`` …"""

    @property
    def size(self) -> int:
        """The board that they were trained on."""
        return int(self.header["size"])

    def bound_features(self) -> list[BoundPart]:
        """The features. Raises PartError if one is not there, or has other levels."""
        return [one.bind() for one in self.features]

    def as_bytes(self) -> bytes:
        """The file."""
        header = {**self.header, "format": FORMAT, "features": [one.spec for one in self.features]}
        arrays = {"header": np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), np.uint8)}
        for number, one in enumerate(self.features):
            arrays[f"values{number}"] = one.values.astype(np.float32)
            if one.keys is not None:
                arrays[f"keys{number}"] = one.keys.astype(np.int64)
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        return file.getvalue()


def read_weights(name: str, data: bytes) -> Weights:
    """Weights from the bytes of a file that messages call `name`. Raises PartError if they are none, or do not fit the
    features that there are."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            header = json.loads(arrays["header"].tobytes())
            if header["format"] != FORMAT:
                raise PartError(f"weights {name}: a file of format {header['format']}, and we read {FORMAT}")
            found = [
                FeatureWeights(
                    spec,
                    arrays[f"values{number}"].astype(np.float64),
                    arrays.get(f"keys{number}"),
                )
                for number, spec in enumerate(header.pop("features"))
            ]
            weights = Weights(tuple(found), header)
            _check(weights)
    except PartError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, OSError, zipfile.BadZipFile):
        raise PartError(f"weights {name}: this is not a file of weights") from None
    try:
        weights.bound_features()
    except PartError as error:
        raise PartError(f"weights {name}: {error}") from None
    return weights


def _check(weights: Weights) -> None:
    """Raise ValueError for what cannot be: numbers that are none, keys without weights."""
    int(weights.header["size"])
    for one in weights.features:
        if one.values.ndim != 1 or not np.isfinite(one.values).all():
            raise ValueError
        if one.keys is not None and (one.keys.shape != one.values.shape or one.keys.dtype != np.int64):
            raise ValueError


def features_read_by(bound: BoundPart) -> list[BoundPart]:
    """The features of the weights that a part reads, on any board. Raises PartError if a file is not right."""
    named = [str(bound.values[parameter]) for parameter in bound.part.models]
    found = {str(one): one for name in named for weights in weights_named(name) for one in weights.bound_features()}
    return list(found.values())


# --- by name ----------------------------------------------------------------------------------------------------------


_FOLDERS = {SHIPPED: "weights", SHIPPED_PLAYOUTS: "weights/playouts"}


@cache
def shipped_sizes(name: str = SHIPPED) -> tuple[int, ...]:
    """The sizes of boards that weights come with the package for."""
    folder = resources.files("kikashi") / _FOLDERS[name]
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    return tuple(sorted(int(name.removesuffix(".npz")) for name in names if name.endswith(".npz")))


def weights_for(name: str, size: int) -> Weights:
    """The weights of a file, or with a name of the package's own those for a board. Raises PartError."""
    if name not in _FOLDERS:
        return _of_file(name)
    if not shipped_sizes(name):
        raise PartError("no such weights come with this package: make some with kikashi learn, or make weights")
    return _of_package(name, min(shipped_sizes(name), key=lambda known: (abs(known - size), known)))


def weights_named(name: str) -> Iterator[Weights]:
    """All weights that a name may stand for, on any board. Raises PartError."""
    for size in shipped_sizes(name) if name in _FOLDERS else (0,):
        yield weights_for(name, size)


class WeightsSource(Protocol):
    """A file of weights that is known by its content: two that are equal hold the same."""

    def read(self) -> bytes:
        """The file. Raises OSError and ValueError."""

    def __hash__(self) -> int: ...


FindWeights = Callable[[str], WeightsSource | None]
_FIND: ContextVar[FindWeights | None] = ContextVar("_FIND", default=None)


@contextmanager
def weights_of_a_player(find: FindWeights) -> Iterator[None]:
    """Have files of weights found by `find` in the body of the ``with``; where it finds None, by their paths."""
    token = _FIND.set(find)
    try:
        yield
    finally:
        _FIND.reset(token)


def _of_file(name: str) -> Weights:
    find = _FIND.get()
    try:
        if find is not None and (source := find(name)) is not None:
            return weights_from(name, source)
        return _kept(name, Path(name).stat().st_mtime_ns)
    except OSError as error:
        raise PartError(f"weights {name}: {error.strerror or error}") from None


@lru_cache(maxsize=32)
def weights_from(name: str, source: WeightsSource) -> Weights:
    """The weights of a file that is known by its content. Raises PartError, and what reading it raises."""
    return read_weights(name, source.read())


@lru_cache(maxsize=32)
def _kept(name: str, _written: int) -> Weights:
    return read_weights(name, Path(name).read_bytes())


@cache
def _of_package(name: str, size: int) -> Weights:
    file = resources.files("kikashi") / _FOLDERS[name] / f"{size}.npz"
    return read_weights(f"{size}x{size}", file.read_bytes())
