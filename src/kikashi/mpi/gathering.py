"""What a rank knows of a search: its own part of it, and the latest that the ranks below have said of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kikashi.mpi.links import Links
from kikashi.mpi.orders import share_of
from kikashi.mpi.shared_plies import SharedPlies
from kikashi.mpi.staged_ranks import Check, SharedStages
from kikashi.mpi.totals import Totals, form_of, note_search
from kikashi.search.interface import Search


class Gathering:
    """One rank's own search beside the sums of the ranks below. They stay apart until somebody asks for all."""

    def __init__(self, search: Search, plies: int = 0) -> None:
        """Ranks share the statistics of as many plies while they search."""
        self.search = search
        self.shared = SharedPlies(search, plies) if plies else None
        self.number = self.rests = 0
        """Which search this is, and how often it was told to rest."""
        self.is_resting = False
        self._form = form_of(search)
        self._moves_before = list(search.moves_by().values())
        self._latest: dict[int, Totals] = {}
        self._sum = Totals(self._form)

    def begin(self, number: int) -> None:
        """Another search begins: what was said before is out of date."""
        self.number, self.rests, self.is_resting = number, 0, False
        self._moves_before = list(self.search.moves_by().values())
        if self.shared is not None:
            self.shared.begin(number)
        self._latest.clear()
        self._sum = Totals(self._form)

    def work(self) -> None:
        """The search goes on."""
        self.is_resting = False

    def rest(self, number: int) -> None:
        """The search has come to rest, for the time being."""
        self.rests, self.is_resting = number, True
        if self.shared is not None:
            self.shared.withdraw()

    def exchange(self, links: Links) -> None:
        """Share the first plies with other ranks, if they are to be shared and the search is at work."""
        if self.shared is not None and not self.is_resting:
            self.shared.exchange(links)

    def note(self, rank: int, numbers: np.ndarray) -> None:
        """What a rank below says, unless it is about another search."""
        said = Totals(self._form)
        if numbers.size != said.numbers.size:
            return  # about a search on another board, or by another preset
        said.numbers[:] = numbers
        if said.when[0] != self.number:
            return
        self._sum.add_counts(said)
        if (before := self._latest.get(rank)) is not None:
            self._sum.add_counts(before, -1)
        self._latest[rank] = said

    def ranks_at_rest(self) -> set[int]:
        """The ranks below that have said all they have to say, for the time being."""
        now = (self.number, self.rests)
        return {
            rank
            for rank, said in self._latest.items()
            if self.is_resting and said.when == now and said.added["resting"] == said.added["ranks"]
        }

    @property
    def counts_below(self) -> Any:
        """The sums of what the ranks below have said. They must not be changed."""
        return self._sum.added

    @property
    def resting_below(self) -> int:
        """How many ranks below have come to rest since all were last told to."""
        now = (self.number, self.rests)
        return sum(int(said.added["resting"]) for said in self._latest.values() if said.when == now)

    def own(self) -> Totals:
        """What this rank itself has found."""
        totals = Totals(self._form)
        totals.when = self.number, self.rests
        totals.added["ranks"], totals.added["resting"] = 1, self.is_resting
        for search in self.search.trees:
            note_search(totals, search)
        if self.shared is not None:
            self.shared.take_out(totals)
        totals.added["moves_by"] = self.moves_since()
        return totals

    def all(self) -> Totals:
        """What this rank and those below it have found."""
        totals = self.own()
        totals.add_counts(self._sum)
        totals.added["resting"] = self.is_resting + self.resting_below
        for said in self._latest.values():
            totals.add_highest(said)
        return totals

    def run(self, simulations: int, links: Links, *, until: float | None = None, check: Check | None = None) -> None:
        """Run this rank's share of simulations, of which all ranks are to have run this many since the start."""
        search = self.search
        if isinstance(search, SharedStages):
            search.aim, search.number = simulations, self.number
            search.run(simulations, until=until, check=check)
        elif (left := share_of(simulations, links.rank, links.ranks) - search.done) > 0:
            search.run(left, until=until, check=check)

    def moves_since(self) -> list[int]:
        """Moves of this rank's playouts by heuristic, since the search began."""
        now = self.search.moves_by().values()
        return [count - before for count, before in zip(now, self._moves_before, strict=True)]

    def moves_by(self) -> Mapping[str, int]:
        """Moves of playouts by heuristic, with those of the ranks below since the search began."""
        here, below = self.search.moves_by(), self.counts_below["moves_by"].tolist()
        return {name: count + more for (name, count), more in zip(here.items(), below, strict=True)}
