"""The interface of every search: one tree, several in turn, or one spread over processes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kikashi.playout.simulation import Root
from kikashi.search.analysis import Analysis
from kikashi.search.zones import Tuning

if TYPE_CHECKING:
    from kikashi.search.tree_search import TreeSearch


@dataclass(frozen=True)
class SearchRequest:
    """A position to search; `kikashi.search_request` makes that of a game."""

    root: Root
    legal: Collection[int]
    """The moves that may be made at the root, besides passing."""
    seen: Collection[int] = ()
    """The hashes of the positions of the game so far, for superko."""
    everywhere: bool = False
    """Whether to look for moves on the whole board, whatever region or zone the configuration keeps to."""
    tuning: Tuning | None = None
    """With this a search that has zones keeps to one, if some move can be made in it."""
    simulations: int | None = None
    """The most simulations the search will run, for the room of its memories; None if unknown."""


class Search(ABC):
    """A search of positions of one board size. `start` prepares a position, `run` simulates, `analysis` reports."""

    size: int

    @property
    @abstractmethod
    def trees(self) -> Sequence[TreeSearch]:
        """The searches with one tree each that this one is made of."""

    @abstractmethod
    def start(self, request: SearchRequest) -> None:
        """Prepare for a position. The tree keeps what it knows of it; memories are cleared."""

    @abstractmethod
    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """Run simulations until a time (of time.perf_counter) or until `check` is true; return how many were run."""

    @abstractmethod
    def stop(self) -> None:
        """End what is running, also from another thread; nothing is run until the next `start`."""

    def finish(self) -> None:  # noqa: B027 – most have nothing beside `run`
        """Wait for what runs beside `run`, such as other processes."""

    @abstractmethod
    def advance(self, moves: Iterable[int]) -> None:
        """Make the position after these moves the root, and keep the tree below it."""

    @abstractmethod
    def clear(self) -> None:
        """Forget the tree."""

    @abstractmethod
    def reseed(self) -> None:
        """Draw the same random numbers again as when the search was new."""

    @property
    @abstractmethod
    def done(self) -> int:
        """Number of simulations since the start."""

    @property
    @abstractmethod
    def is_decided(self) -> bool:
        """Whether a pruning rule has found that enough is known: then nothing more is run."""

    @property
    def outside_score(self) -> float | None:
        """Mean score of the points outside the zone, for Black; None where the whole board is searched."""
        return None

    def process_report(self) -> list[dict[str, Any]]:
        """What each of the processes that share the search has done; nothing where there is one."""
        return []

    @abstractmethod
    def child_visits(self) -> list[int]:
        """Visits of the root's moves."""

    @abstractmethod
    def moves_by(self) -> Mapping[str, int]:
        """Playout moves so far by heuristic."""

    @abstractmethod
    def analysis(
        self,
        seconds: float = 0.0,
        *,
        moves_by: Mapping[str, int] | None = None,
        komi: float | None = None,
        most: int | None = None,
    ) -> Analysis:
        """Report what the root says.

        `moves_by` counts playout moves by heuristic, all of them if it is None. `komi` is the game's, where the search
        has another. With `most` only that many moves are reported, and the depth is that of their lines: for callers
        who look ten times a second and must not hold up the search.
        """
