"""The laboratory: what is measured of policies and programs. Knows nothing of how a move is found."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kikashi.lab.results import Experiment, Match

__all__ = ["Experiment", "Match"]


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used: workers, which import files of this folder, need none."""
    if name in __all__:
        return getattr(importlib.import_module("kikashi.lab.results"), name)
    raise AttributeError(f"module 'kikashi.lab' has no attribute {name!r}")
