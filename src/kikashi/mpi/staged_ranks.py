"""Searches in stages over many ranks (Yoshizoe et al. 2006, figure 2; the master samples too).

The blocks of a stage are shared out. Each has random numbers of its own, and sums are integers, so what is found is the
same however many ranks there are. Where moves are pruned, all ranks wait at the end of a stage for the sums of all, and
prune the same moves; where none are, nobody waits for anybody.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kikashi.mpi.links import Links, Nap
from kikashi.search.config import SearchConfig
from kikashi.search.loop import value_root
from kikashi.search.staged import Block, StagedSearch, root_sums
from kikashi.search.tree_search import TreeSearch

Check = Callable[[], bool]


class SharedStages(StagedSearch):
    """A rank's part of a search in stages: `run` goes on until all ranks together have run `aim` simulations."""

    def __init__(self, config: SearchConfig, links: Links, **how: Any) -> None:
        super().__init__(config, share=(links.rank, links.ranks), **how)
        self.aim = 0
        self.number = 0
        """Of the search, so that sums of an earlier one are not taken for its."""
        self._links = links
        self._has_told = False
        self._from_below: dict[int, np.ndarray] = {}

    def run(self, simulations: int, *, until: float | None = None, check: Check | None = None) -> int:
        """As `StagedSearch.run`, but up to the aim, however many simulations that is for this rank."""
        before = self.done
        while not self.is_decided and self.aim > self.stage * self._games_of_stage:
            self._due = deque(self._plan(0))
            mine = sum(games for _, games in self._due)
            if TreeSearch.run(self, mine, until=until, check=check) < mine:
                break
            if self.aim < (self.stage + 1) * self._games_of_stage or not self._ended_stage(until, check):
                break
        self._call(value_root, self.workers[0])
        return self.done - before

    @property
    def _games_of_stage(self) -> int:
        return self.stages.blocks * self.stages.games

    def _plan(self, games: int) -> Iterator[tuple[Block, int]]:
        """This rank's blocks of the stage, and how many games of each are left up to the aim."""
        own, of = self.share
        planned = self.aim - self.stage * self._games_of_stage
        for block in self._blocks[own::of]:
            left = min(planned - block.number * self.stages.games, self.stages.games) - block.done
            if left > 0:
                yield block, left

    # --- the end of a stage -------------------------------------------------------------------------------------------

    def _enter_stage(self, stage: int) -> None:
        super()._enter_stage(stage)
        self._has_told = False
        self._from_below.clear()

    def _ended_stage(self, until: float | None, check: Check | None) -> bool:
        """Prune by the sums of all ranks and enter the next stage; False if something else came first."""
        if "pruning" not in self.config.rules:
            self.finish_stage()
            return True
        sums = self._agreed_sums(until, check)
        if sums is not None:
            self.finish_stage(sums)
        return sums is not None

    def _agreed_sums(self, until: float | None, check: Check | None) -> np.ndarray | None:
        """The sums of all ranks at the end of this stage; None if it is time, or if the check says to stop."""
        nap = Nap()
        while (sums := self._exchanged()) is None:
            is_late = until is not None and time.perf_counter() >= until
            if is_late or self._stopped.is_set() or (check is not None and check()):
                return None
            nap.take()
        return sums

    def _exchanged(self) -> np.ndarray | None:
        """Take part in adding up what there is to be added; the sums of all ranks, when they are known."""
        links, when = self._links, (self.number, self.stage)
        for rank, sums in links.stage_sums(when):
            self._from_below[rank] = sums
        if len(self._from_below) < len(links.below):
            return None
        total = sum(self._from_below.values(), root_sums(self.tree))
        if links.rank:
            if not self._has_told:
                links.tell_stage(when, total)
                self._has_told = True
            found = links.agreed_sums(when)
            if found is None:
                return None
            total = found
        links.agree(when, total)
        return np.asarray(total)
