"""kikashi: the Monte-Carlo Go programs of the classic papers, as one engine and laboratory."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kikashi.game import Game, IllegalMove, Rules

__version__ = "0.1.0"
__all__ = ["Game", "IllegalMove", "Rules", "__version__"]


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used: ``kikashi --help`` need not wait for Numba."""
    if name in ("Game", "IllegalMove", "Rules"):
        import kikashi.game

        return getattr(kikashi.game, name)
    raise AttributeError(f"module 'kikashi' has no attribute {name!r}")
