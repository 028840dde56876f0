"""What rank 0 tells the other ranks to do: the face of a search, as messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kikashi.playout.simulation import ROOT
from kikashi.search.interface import SearchRequest


@dataclass(frozen=True)
class NewSearch:
    """Forget the last search and make another. The preset comes as the settings it is made from."""

    preset: str
    table: dict[str, Any]
    size: int
    threads: int
    seed: int
    megabytes: float
    plies: int
    """That ranks share the statistics of while they search."""


@dataclass(frozen=True)
class Forget:
    """As `TreeSearch.forget`."""


@dataclass(frozen=True)
class GoOn:
    """As `TreeSearch.advance`."""

    moves: Sequence[int]


@dataclass(frozen=True)
class Start:
    """As `TreeSearch.start`. The root has the board, the last moves and the komi; `seen` is for superko."""

    number: int
    """Of the search: what is said about another one is out of date."""
    root: bytes
    legal: Sequence[int]
    seen: Sequence[int]
    everywhere: bool
    simulations: int | None

    @classmethod
    def of(cls, number: int, situation: SearchRequest) -> Start:
        """The order to search a situation; there are no zones."""
        root, legal, seen = situation.root.tobytes(), [*situation.legal], [*situation.seen]
        return cls(number, root, legal, seen, situation.everywhere, situation.simulations)

    @property
    def situation(self) -> SearchRequest:
        """What is to be searched."""
        root = np.frombuffer(bytearray(self.root), ROOT)[0]
        return SearchRequest(root, self.legal, self.seen, self.everywhere, simulations=self.simulations)


@dataclass(frozen=True)
class Run:
    """Run simulations until all ranks together have run this many since the start: each has its share."""

    simulations: int


@dataclass(frozen=True)
class Rest:
    """Stop, and say what was found in the end."""

    number: int


@dataclass(frozen=True)
class Describe:
    """Say what this rank itself has done."""


@dataclass(frozen=True)
class Leave:
    """The job is over."""


Order = NewSearch | Forget | GoOn | Start | Run | Rest | Describe | Leave


def share_of(simulations: int, rank: int, ranks: int) -> int:
    """How many of all simulations are a rank's; where they cannot all have the same number, the first have one more."""
    return simulations // ranks + (rank < simulations % ranks)
