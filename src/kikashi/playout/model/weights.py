"""Weights of features, as files, which `kikashi learn` writes and the heuristic `learned` reads.

A file is a NumPy archive: a header in JSON (format, board size, features, where it came from, figures) and for each
feature the weights of its levels; of one whose levels are keys, the keys that have a weight, the smallest of each set
of images. A weight is the logarithm of a gamma of Coulom 2007: the weights of a move add up. With the target "values"
it is one of a logistic regression: the weights of all moves add up to the value of a position.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.models import NOT_A_FILE
from kikashi.parts.registry import PartError, as_part
from kikashi.playout.kinds import feature
from kikashi.playout.tactics.shapes import Keys

FORMAT = 1
MOVES, VALUES = "moves", "values"
"""Targets that weights are learned for."""


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
        """Bind the feature. Raises PartError if there is none that these weights are for."""
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
        """Return all images of the keys, and their weights."""
        bound = self.bind()
        images = np.asarray(bound.part.options["levels"].images(self.keys, bound.values))
        keys, first = np.unique(images.ravel(), return_index=True)
        return keys, np.tile(self.values, images.shape[0])[first]


@dataclass(frozen=True)
class Weights:
    """The content of a file."""

    features: tuple[FeatureWeights, ...]
    header: Mapping[str, Any]
    """Further facts: ``size``, ``sources``, ``figures``, ``versions`` …; the ``target`` if not moves."""

    @property
    def target(self) -> str:
        """``"moves"``, or ``"values"`` for weights of positions."""
        return str(self.header.get("target", MOVES))

    @property
    def size(self) -> int:
        """The board that they were trained on."""
        return int(self.header["size"])

    def bound_features(self) -> list[BoundPart]:
        """Return the features. Raises PartError if one is not there, or has other levels."""
        return [one.bind() for one in self.features]

    def as_bytes(self) -> bytes:
        """Return the file."""
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
    """Read weights from the bytes of a file that messages call `name`. Raises PartError if they are none, or do not fit
    the features."""
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
    except NOT_A_FILE:
        raise PartError(f"weights {name}: this is not a file of weights") from None
    try:
        weights.bound_features()
    except PartError as error:
        raise PartError(f"weights {name}: {error}") from None
    return weights


def _check(weights: Weights) -> None:
    """Raise ValueError for infinite weights, and for keys without weights."""
    int(weights.header["size"])
    for one in weights.features:
        if one.values.ndim != 1 or not np.isfinite(one.values).all():
            raise ValueError
        if one.keys is not None and (one.keys.shape != one.values.shape or one.keys.dtype != np.int64):
            raise ValueError
