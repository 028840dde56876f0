"""Small files of weights for tests."""

from pathlib import Path

import numpy as np

from kikashi.learn.dataset import features_named, has_keys
from kikashi.playout.weights import FeatureWeights, Weights


def toy_weights(*specs: str, size: int = 5, keys: dict[str, list[int]] | None = None) -> Weights:
    """Weights that are all different, for features with named levels, and for some keys of others."""
    random = np.random.default_rng(1)
    found = []
    for used in features_named(list(specs)):
        if has_keys(used):
            images = used.part.options["levels"].images(np.array((keys or {})[str(used)], np.int64), used.values)
            names = np.unique(images.min(0))
            found.append(FeatureWeights(str(used), random.normal(0, 1, names.size), names))
        else:
            levels = len(used.part.options["levels"])
            found.append(FeatureWeights(str(used), np.concatenate([[0.0], random.normal(0, 1, levels - 1)])))
    return Weights(tuple(found), {"size": size})


def written(folder: Path, weights: Weights) -> str:
    """The path of a file with these weights."""
    path = folder / "weights.npz"
    path.write_bytes(weights.as_bytes())
    return str(path)
