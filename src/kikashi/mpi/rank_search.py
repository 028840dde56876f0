"""The part of one rank in a search: its own search, and the latest sums of its descendants."""

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from kikashi.board.points import vertex
from kikashi.board.rng import stream
from kikashi.engine.player import Player
from kikashi.engine.preset import Preset
from kikashi.mpi.communicator import STAGE_SUMS, STAGE_TOTAL, Backoff, Communicator
from kikashi.mpi.root_totals import Layout, RootTotals
from kikashi.mpi.shared_plies import SharedPlies
from kikashi.search.config import SearchConfig
from kikashi.search.interface import Search
from kikashi.search.loop import value_root
from kikashi.search.staged import Block, StagedSearch, root_sums
from kikashi.search.tree_search import TreeSearch

Check = Callable[[], bool]


def new_rank_search(preset: Preset, communicator: Communicator, *, size: int, seed: int = 1, **how: Any) -> Search:
    """Make a rank's own search by a preset. `how` has threads and megabytes. Raises ValueError."""
    preset = preset.at(size)
    if preset.config.stages and preset.starts == 1:  # one seed for all ranks: every block has its own numbers
        return StagedRankSearch(preset.config, communicator, size=size, seed=seed, **how)
    return Player(preset, seed=seed_of_rank(seed, communicator.rank), **how).search_for(size)


def seed_of_rank(seed: int, rank: int) -> int:
    """Return the seed of a rank's search: the player's own on rank 0, else one that no other search of it has."""
    return int(stream(seed, rank, 1)) if rank else seed


class RankSearch:
    """One rank's own search beside the sums of its descendants, which never mix."""

    def __init__(self, search: Search, plies: int = 0) -> None:
        """With `plies` above 0 the ranks share the statistics of these first plies."""
        self.search = search
        self.shared = SharedPlies(search, plies) if plies else None
        self.number = self.pauses = 0
        """Number of the search, and of its pauses so far."""
        self.is_paused = False
        self._layout = Layout.of(search)
        self._latest: dict[int, RootTotals] = {}
        """Latest totals of each child and its descendants."""
        self._sum = RootTotals(self._layout)

    def begin(self, number: int) -> None:
        """Begin a search: sums of the last one are out of date."""
        self.number, self.pauses, self.is_paused = number, 0, False
        self.search.number = number
        if self.shared is not None:
            self.shared.begin(number)
        self._latest.clear()
        self._sum = RootTotals(self._layout)

    def pause(self, number: int) -> None:
        self.pauses, self.is_paused = number, True
        if self.shared is not None:
            self.shared.withdraw()

    def exchange(self, communicator: Communicator) -> None:
        """Exchange the first plies with other ranks, if they are shared and the search is not paused."""
        if self.shared is not None and not self.is_paused:
            self.shared.exchange(communicator)

    def receive(self, rank: int, numbers: np.ndarray) -> None:
        """Keep the report of a child, unless it is about another search."""
        totals = RootTotals(self._layout)
        if numbers.size != totals.numbers.size:
            return  # another board or preset
        totals.numbers[:] = numbers
        if totals.stamp[0] != self.number:
            return
        self._sum.add_sums(totals)
        if (before := self._latest.get(rank)) is not None:
            self._sum.add_sums(before, -1)
        self._latest[rank] = totals

    def paused_children(self) -> set[int]:
        """Return the children that have reported the present pause of all their descendants."""
        now = (self.number, self.pauses)
        return {
            rank
            for rank, totals in self._latest.items()
            if self.is_paused and totals.stamp == now and totals.sums["paused"] == totals.sums["ranks"]
        }

    @property
    def paused_descendants(self) -> int:
        """Number of descendants that have reported the present pause."""
        now = (self.number, self.pauses)
        return sum(int(totals.sums["paused"]) for totals in self._latest.values() if totals.stamp == now)

    @property
    def descendant_sums(self) -> Any:
        """Sums of the descendants, read-only."""
        return self._sum.sums

    def own_totals(self) -> RootTotals:
        totals = RootTotals(self._layout)
        totals.stamp = self.number, self.pauses
        totals.sums["ranks"], totals.sums["paused"] = 1, self.is_paused
        for search in self.search.trees:
            totals.add_search(search)
        if self.shared is not None:
            self.shared.subtract_from(totals)
        totals.sums["moves_by"] = list(self.search.moves_by().values())
        return totals

    def all_totals(self) -> RootTotals:
        totals = self.own_totals()
        totals.add_sums(self._sum)
        totals.sums["paused"] = self.is_paused + self.paused_descendants
        for each in self._latest.values():
            totals.add_maxima(each)
        return totals

    def moves_by(self) -> Mapping[str, int]:
        """Return playout moves by heuristic since the start, those of the descendants included."""
        own, others = self.search.moves_by(), self.descendant_sums["moves_by"].tolist()
        return {name: count + more for (name, count), more in zip(own.items(), others, strict=True)}


def describe_rank(communicator: Communicator, rank_search: RankSearch | None, worked: float) -> dict[str, Any]:
    """Return the work of one rank: in its present search, and in the whole job."""
    work: dict[str, Any] = {
        "rank": communicator.rank,
        "host": communicator.host,
        "simulations": 0,
        "visits": 0,
        "moves": {},
        "working": worked,
        "exchanging": communicator.seconds,
        "messages": communicator.messages,
        "bytes": communicator.bytes,
    }
    if rank_search is not None:
        work["simulations"] = rank_search.search.done
        for search in rank_search.search.trees:
            work["visits"] += int(search.tree.nodes[0]["visits"])
            for child in search.tree.children():
                if child["visits"]:
                    name = vertex(int(child["move"]))
                    work["moves"][name] = work["moves"].get(name, 0) + int(child["visits"])
    return work


# --- searches in stages -----------------------------------------------------------------------------------------------


class StagedRankSearch(StagedSearch):
    """A rank's part of a search in stages (Yoshizoe et al. 2006, figure 2; the master samples too).

    The ranks divide the blocks of a stage. Each block has its own random numbers and sums are integers, so the result
    is the same for any number of ranks. With pruning, all ranks wait at the end of a stage for the sums of all, and
    prune the same moves; else no rank waits for another. `run` goes on until all ranks have run `goal` simulations.
    """

    def __init__(self, config: SearchConfig, communicator: Communicator, **how: Any) -> None:
        super().__init__(config, share=communicator.place, **how)
        self.goal = 0
        self._communicator = communicator
        self._has_sent = False
        self._received: dict[int, np.ndarray] = {}

    def run(self, simulations: int, *, until: float | None = None, check: Check | None = None) -> int:
        """Run simulations as `StagedSearch.run`, but up to the goal."""
        before = self.done
        while not self.is_decided and self.goal > self.stage * self._games_of_stage:
            self._due = deque(self._plan(0))
            mine = sum(games for _, games in self._due)
            if TreeSearch.run(self, mine, until=until, check=check) < mine:
                break
            if self.goal < (self.stage + 1) * self._games_of_stage or not self._end_stage(until, check):
                break
        self._call(value_root, self.workers[0])
        return self.done - before

    def run_share(
        self, simulations: int, share: tuple[int, int], *, until: float | None = None, check: Check | None = None
    ) -> int:
        self.goal = simulations
        return self.run(simulations, until=until, check=check)

    @property
    def _games_of_stage(self) -> int:
        return self.stages.blocks * self.stages.games

    def _plan(self, games: int) -> Iterator[tuple[Block, int]]:
        """Yield this rank's blocks of the stage, with the games of each that are left up to the goal."""
        own, of = self.share
        planned = self.goal - self.stage * self._games_of_stage
        for block in self._blocks[own::of]:
            left = min(planned - block.number * self.stages.games, self.stages.games) - block.done
            if left > 0:
                yield block, left

    def _enter_stage(self, stage: int) -> None:
        super()._enter_stage(stage)
        self._has_sent = False
        self._received.clear()

    def _end_stage(self, until: float | None, check: Check | None) -> bool:
        """Prune by the sums of all ranks and enter the next stage; return False if time or `check` ended the wait."""
        sums, backoff = None, Backoff()
        while "pruning" in self.config.rules and (sums := self._exchange()) is None:
            is_late = until is not None and time.perf_counter() >= until
            if is_late or self._stopped.is_set() or (check is not None and check()):
                return False
            backoff.sleep()
        self.finish_stage(sums)
        return True

    def _exchange(self) -> np.ndarray | None:
        """Take part in the addition; return the sums of all ranks when they are known."""
        communicator, stage = self._communicator, (self.number, self.stage)
        for rank, (about, sums) in communicator.objects(STAGE_SUMS):
            if about == stage:
                self._received[rank] = sums
        if len(self._received) < len(communicator.children):
            return None
        total = sum(self._received.values(), root_sums(self.tree))
        if communicator.rank:
            if not self._has_sent:
                communicator.send((stage, total), communicator.parent, STAGE_SUMS)
                self._has_sent = True
            agreed = [sums for _, (about, sums) in communicator.objects(STAGE_TOTAL) if about == stage]
            if not agreed:
                return None
            total = agreed[0]
        for rank in communicator.children:
            communicator.send((stage, total), rank, STAGE_TOTAL)
        return np.asarray(total)
