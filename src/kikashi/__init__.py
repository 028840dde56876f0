"""kikashi: the Monte-Carlo Go programs of the classic papers, as one engine and laboratory."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kikashi.game import Game, IllegalMove, Rules
    from kikashi.player import Player
    from kikashi.search.budget import Budget

__version__ = "0.2.0"
__all__ = ["Budget", "Game", "IllegalMove", "Player", "Rules", "__version__"]

_HOMES = {
    "Budget": "kikashi.search.budget",
    "Game": "kikashi.game",
    "IllegalMove": "kikashi.game",
    "Player": "kikashi.player",
    "Rules": "kikashi.game",
}


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used: ``kikashi --help`` need not wait for Numba."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'kikashi' has no attribute {name!r}")
