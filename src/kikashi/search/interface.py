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


def share_of(simulations: int, number: int, of: int) -> int:
    """Return a share of simulations; the first shares have one more if they cannot be divided evenly."""
    return simulations // of + (number < simulations % of)


@dataclass(frozen=True)
class SearchRequest:
    """A position to search; `kikashi.search_request` makes that of a game."""

    root: Root
    legal: Collection[int]
    """Legal moves at the root, besides passing."""
    seen: Collection[int] = ()
    """Hashes of the positions of the game so far, for superko."""
    everywhere: bool = False
    """Whether to search the whole board, despite the configuration's region or zone."""
    keeps_tree: bool = True
    """Whether the tree of an earlier position of the game may be used, and kept for a later one."""
    tuning: Tuning | None = None
    """Tuning of a zone, to which a search keeps if a move is possible there."""
    simulations: int | None = None
    """Upper bound of simulations, for the room of memories; None if unknown."""


class Search(ABC):
    """A search of positions of one board size. `start` prepares a position, `run` simulates, `analysis` reports."""

    size: int
    number: int = 0
    """Number of the position, which searches over several processes agree on."""

    @property
    @abstractmethod
    def trees(self) -> Sequence[TreeSearch]:
        """Component searches with one tree each."""

    @abstractmethod
    def start(self, request: SearchRequest) -> None:
        """Prepare for a position. The tree keeps what it knows of it; memories are cleared."""

    @abstractmethod
    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """Run simulations until a time (of time.perf_counter) or until `check` is true; return their number."""

    def run_share(
        self,
        simulations: int,
        share: tuple[int, int],
        *,
        until: float | None = None,
        check: Callable[[], bool] | None = None,
    ) -> int:
        """Run this search's share, number i of n, of the simulations of n searches since the start."""
        left = share_of(simulations, *share) - self.done
        return self.run(left, until=until, check=check) if left > 0 else 0

    @abstractmethod
    def stop(self) -> None:
        """End a run, also from another thread; nothing runs until the next `start`."""

    def finish(self) -> None:  # noqa: B027 – most searches have nothing to wait for
        """Wait for other processes of the search."""

    @abstractmethod
    def advance(self, moves: Iterable[int]) -> None:
        """Make the position after these moves the root, and keep the tree below it."""

    @abstractmethod
    def clear(self) -> None:
        """Forget the tree."""

    @abstractmethod
    def reseed(self) -> None:
        """Reset the random numbers to those of a new search."""

    @property
    @abstractmethod
    def done(self) -> int:
        """Number of simulations since the start."""

    @property
    @abstractmethod
    def is_decided(self) -> bool:
        """Whether a pruning rule has ended the search, so that nothing more runs."""

    @property
    def outside_score(self) -> float | None:
        """Mean score of the points outside the zone, for Black; None without a zone."""
        return None

    def process_report(self) -> list[dict[str, Any]]:
        """Return a report of each process that shares the search; empty if there is one."""
        return []

    @abstractmethod
    def child_visits(self) -> list[int]:
        """Return the visits of the root's moves."""

    @abstractmethod
    def moves_by(self) -> Mapping[str, int]:
        """Return the number of playout moves by heuristic since the start."""

    @abstractmethod
    def analysis(self, seconds: float = 0.0, *, komi: float | None = None, most: int | None = None) -> Analysis:
        """Return an analysis of the root.

        `komi` is the game's, if the search has another. With `most` only that many moves are reported, and the depth is
        that of their lines: this is fast.
        """
