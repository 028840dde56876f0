"""Multi-start (Baier 2010, §7.1): several searches of a position, each from a seed of its own, that share a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from kikashi.board.rng import stream
from kikashi.playout.simulation import Root
from kikashi.search.search import BATCH, Recipe, Search

TURN = 8 * BATCH
"""Simulations of one search before the next has its turn, times the points of the board: some tens of milliseconds."""


class Starts:
    """Searches that take turns, so that all have got equally far whenever the time is over.

    Each has all threads, its share of the memory, and a tree of its own, which it keeps for the next move as a single
    search does. The first has the seed of a single search.
    """

    def __init__(
        self, recipe: Recipe, *, searches: int, size: int, threads: int = 1, seed: int = 1, megabytes: float = 512.0
    ) -> None:
        self.size = size
        self.searches = [
            Search(recipe, size=size, threads=threads, seed=seed_of(seed, number), megabytes=megabytes / searches)
            for number in range(searches)
        ]

    @property
    def root(self) -> Root:
        """The position that is searched."""
        return self.searches[0].root

    def go_on(self, moves: Iterable[int]) -> None:
        """As `Search.go_on`, in every tree."""
        played = list(moves)
        for search in self.searches:
            search.go_on(played)

    def forget(self) -> None:
        """As `Search.forget`, in every tree."""
        for search in self.searches:
            search.forget()

    def start(self, root: Root, legal: Iterable[int], seen: Iterable[int], *, everywhere: bool = False) -> None:
        """As `Search.start`, for all."""
        legal, seen = list(legal), list(seen)
        for search in self.searches:
            search.start(root, legal, seen, everywhere=everywhere)

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """As `Search.run`: the simulations of all are counted, and each has its share of them."""
        before = self.done
        shares = self._shares(before + simulations)
        while left := [search for search, share in zip(self.searches, shares, strict=True) if search.done < share]:
            search = min(left, key=lambda search: search.done)
            turn = min(max(1, TURN // self.size**2), shares[self.searches.index(search)] - search.done)
            ran = search.run(turn, until=until, check=check)
            if ran < turn or (until is not None and time.perf_counter() >= until):
                break
        return self.done - before

    def _shares(self, simulations: int) -> list[int]:
        """Simulations divided among the searches: equal numbers, and one more for the first where that does not go."""
        count = len(self.searches)
        return [simulations // count + (number < simulations % count) for number in range(count)]

    def halt(self) -> None:
        """As `Search.halt`, all of them."""
        for search in self.searches:
            search.halt()

    @property
    def done(self) -> int:
        """How many simulations all have run since the start."""
        return sum(search.done for search in self.searches)

    def visits_of_moves(self) -> list[int]:
        """The visits of the root's moves, those of all searches together."""
        total: dict[int, int] = {}
        for search in self.searches:
            for child in search.tree.children():
                total[int(child["move"])] = total.get(int(child["move"]), 0) + int(child["visits"])
        return list(total.values())

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
