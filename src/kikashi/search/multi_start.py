"""Multi-start (Baier 2010, §7.1): several searches of a position, each from its own seed, that share a limit."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kikashi.board.points import POINTS
from kikashi.board.rng import stream
from kikashi.playout.simulation import Root
from kikashi.search.analysis import Analysis, merged, shares_of
from kikashi.search.config import SearchConfig
from kikashi.search.interface import Search, SearchRequest, share_of
from kikashi.search.staged import new_search
from kikashi.search.tree_search import BATCH, TreeSearch

TURN = 8 * BATCH
"""Simulations of one search in a turn, times the points of the board: some tens of milliseconds."""


class MultiStart(Search):
    """Searches that take turns, so that all have about as many simulations whenever the time is over.

    Each has all threads, a share of the memory, and its own tree. The first has the seed of a single search.
    """

    def __init__(
        self,
        config: SearchConfig,
        *,
        searches: int,
        size: int,
        threads: int = 1,
        seed: int = 1,
        megabytes: float = 512.0,
    ) -> None:
        self.size = size
        self.searches = [
            new_search(config, size=size, threads=threads, seed=seed_of(seed, number), megabytes=megabytes / searches)
            for number in range(searches)
        ]

    @property
    def root(self) -> Root:
        """Position of the search."""
        return self.searches[0].root

    def advance(self, moves: Iterable[int]) -> None:
        since = list(moves)
        for search in self.searches:
            search.advance(since)

    def clear(self) -> None:
        for search in self.searches:
            search.clear()

    def reseed(self) -> None:
        for search in self.searches:
            search.reseed()

    def start(self, request: SearchRequest) -> None:
        """Prepare all searches for a position, each for its share of the simulations."""
        if request.simulations is not None:
            request = replace(request, simulations=-(-request.simulations // len(self.searches)))
        for search in self.searches:
            search.start(request)

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """Run the simulations of all searches together, each a share of them."""
        before = self.done
        for search, turn in self._turns(before + simulations):
            ran = search.run(turn, until=until, check=check)
            if (ran < turn and not search.is_decided) or (until is not None and time.perf_counter() >= until):
                break
        return self.done - before

    def _turns(self, simulations: int) -> Iterator[tuple[TreeSearch, int]]:
        """Yield the search with the fewest simulations and their number in its turn, until all have run this many.

        If the shares differ, the first searches have one more.
        """
        count, longest = len(self.searches), TURN // self.size**2
        shares = [share_of(simulations, number, count) for number in range(count)]
        pairs = list(zip(self.searches, shares, strict=True))
        while left := [pair for pair in pairs if pair[0].done < pair[1] and not pair[0].is_decided]:
            search, share = min(left, key=lambda pair: pair[0].done)
            yield search, min(longest, share - search.done)

    def stop(self) -> None:
        for search in self.searches:
            search.stop()

    @property
    def trees(self) -> Sequence[TreeSearch]:
        return self.searches

    def analysis(self, seconds: float = 0.0, *, komi: float | None = None, most: int | None = None) -> Analysis:
        found = merged([each.analysis(seconds, komi=komi, most=most) for each in self.searches])
        return replace(found, moves_by=shares_of(self.moves_by()))

    @property
    def is_decided(self) -> bool:
        return all(search.is_decided for search in self.searches)

    @property
    def done(self) -> int:
        return sum(search.done for search in self.searches)

    def child_visits(self) -> list[int]:
        total, is_move = np.zeros(POINTS, np.int64), np.zeros(POINTS, bool)
        for children in (search.tree.children() for search in self.searches):
            total[children["move"]] += children["visits"]
            is_move[children["move"]] = True
        visits: list[int] = total[is_move].tolist()
        return visits

    def moves_by(self) -> Mapping[str, int]:
        total: Counter[str] = Counter()
        for search in self.searches:
            total.update(search.moves_by())
        return total


def seed_of(seed: int, number: int) -> int:
    """Return the seed of one of several searches: the player's for the first, others that no player has."""
    return int(stream(seed, number)) if number else seed
