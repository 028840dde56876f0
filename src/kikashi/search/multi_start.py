"""Multi-start (Baier 2010, §7.1): several searches of a position, each from a seed of its own, that share a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kikashi.board.points import POINTS
from kikashi.board.rng import stream
from kikashi.playout.simulation import Root
from kikashi.search.analysis import Analysis, merged
from kikashi.search.config import SearchConfig
from kikashi.search.interface import Search, SearchRequest
from kikashi.search.staged import new_search
from kikashi.search.tree_search import BATCH, TreeSearch

TURN = 8 * BATCH
"""Simulations of one search before the next has its turn, times the points of the board: some tens of milliseconds."""


class MultiStart(Search):
    """Searches that take turns, so that all have got equally far whenever the time is over.

    Each has all threads, its share of the memory, and a tree of its own, which it keeps for the next move as a single
    search does. The first has the seed of a single search.
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
        """The position that is searched."""
        return self.searches[0].root

    def advance(self, moves: Iterable[int]) -> None:
        """As `TreeSearch.advance`, in every tree."""
        played = list(moves)
        for search in self.searches:
            search.advance(played)

    def clear(self) -> None:
        """As `Search.clear`, in every tree."""
        for search in self.searches:
            search.clear()

    def reseed(self) -> None:
        """As `TreeSearch.reseed`, in every search."""
        for search in self.searches:
            search.reseed()

    def start(self, situation: SearchRequest) -> None:
        """As `TreeSearch.start`, for all; a preset that has several searches has no zones."""
        if situation.simulations is not None:
            situation = replace(situation, simulations=-(-situation.simulations // len(self.searches)))
        for search in self.searches:
            search.start(situation)

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """As `TreeSearch.run`: the simulations of all are counted, and each has its share of them."""
        before = self.done
        for search, turn in self._turns(before + simulations):
            ran = search.run(turn, until=until, check=check)
            if (ran < turn and not search.is_decided) or (until is not None and time.perf_counter() >= until):
                break
        return self.done - before

    def _turns(self, simulations: int) -> Iterator[tuple[TreeSearch, int]]:
        """Whose turn it is, and for how many simulations, until all have run this many: the one that has run fewest.

        Where they cannot all have the same number, the first have one more.
        """
        count, longest = len(self.searches), TURN // self.size**2
        shares = [simulations // count + (number < simulations % count) for number in range(count)]
        pairs = list(zip(self.searches, shares, strict=True))
        while left := [pair for pair in pairs if pair[0].done < pair[1] and not pair[0].is_decided]:
            search, share = min(left, key=lambda pair: pair[0].done)
            yield search, min(longest, share - search.done)

    def stop(self) -> None:
        """As `TreeSearch.stop`, all of them."""
        for search in self.searches:
            search.stop()

    @property
    def trees(self) -> Sequence[TreeSearch]:
        """All of them."""
        return self.searches

    def analysis(
        self,
        seconds: float = 0.0,
        *,
        moves_by: Mapping[str, int] | None = None,
        komi: float | None = None,
        most: int | None = None,
    ) -> Analysis:
        """As `Search.analysis`, of all searches together."""
        counts = self.moves_by() if moves_by is None else moves_by
        return merged([each.analysis(seconds, moves_by=counts, komi=komi, most=most) for each in self.searches])

    @property
    def is_decided(self) -> bool:
        """Whether enough is known in all of them."""
        return all(search.is_decided for search in self.searches)

    @property
    def done(self) -> int:
        """How many simulations all have run since the start."""
        return sum(search.done for search in self.searches)

    def child_visits(self) -> list[int]:
        """The visits of the root's moves, those of all searches together."""
        total, is_move = np.zeros(POINTS, np.int64), np.zeros(POINTS, bool)
        for children in (search.tree.children() for search in self.searches):
            total[children["move"]] += children["visits"]
            is_move[children["move"]] = True
        visits: list[int] = total[is_move].tolist()
        return visits

    def moves_by(self) -> Mapping[str, int]:
        """Moves of playouts so far by heuristic."""
        total: dict[str, int] = {}
        for search in self.searches:
            for name, count in search.moves_by().items():
                total[name] = total.get(name, 0) + count
        return total


def seed_of(seed: int, number: int) -> int:
    """The seed of one of several searches: for the first the player's own, for others one that no player will have."""
    return int(stream(seed, number)) if number else seed
