"""What a search begins from: a position, and what the game says about it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from kikashi.playout.simulation import Root
from kikashi.search.zones import Tuning


@dataclass(frozen=True)
class Situation:
    """A position to be searched; `kikashi.situation_of` makes that of a game."""

    root: Root
    legal: Collection[int]
    """The moves that may be made at the root, besides passing."""
    seen: Collection[int] = ()
    """The hashes of the positions of the game so far, for superko."""
    everywhere: bool = False
    """Whether to look for moves on the whole board, whatever region or zone the recipe keeps to."""
    tuning: Tuning | None = None
    """With this a recipe that has zones keeps to one, if some move can be made in it."""
    simulations: int | None = None
    """How many the search will run at most, for the room of its memories; None if that is not known."""
