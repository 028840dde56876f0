"""Searches of one ply in stages of blocks (Yoshizoe et al. 2006, Parallel Algorithm).

The random numbers of a block of games depend on the seed, the stage and the number of the block only, and its results
are integers. So threads or processes may share blocks in any order with the same result. Moves are pruned when all
blocks of a stage are done.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kikashi.board.rng import stream
from kikashi.search.config import SearchConfig, Stages
from kikashi.search.interface import SearchRequest
from kikashi.search.loop import end_stage, value_root
from kikashi.search.tree import Tree
from kikashi.search.tree_search import Kernel, SearchWorker, TreeSearch


@dataclass
class Block:
    """Some games of a stage, and the number that is done."""

    stage: int
    number: int
    rng: np.uint64
    """State of its random numbers."""
    done: int = 0


class StagedSearch(TreeSearch):
    """A search whose configuration has stages. Every position starts with an empty tree.

    With a `share` of (i, n) it runs every n-th block of a stage, from block i on.
    """

    def __init__(self, config: SearchConfig, *, share: tuple[int, int] = (0, 1), **how: Any) -> None:
        super().__init__(config, **how)
        self.share = share
        self.stages = config.stages or Stages()
        self.stage = 0
        self._blocks: list[Block] = []
        """Blocks of the stage that are not done."""
        self._due: deque[tuple[Block, int]] = deque()
        """Blocks for threads to take, with the number of games to run."""

    def start(self, request: SearchRequest) -> None:
        """Prepare for a position, with an empty tree."""
        self.tree.clear()
        self.workers[0].sim["rng"] = stream(self.seed)  # the order of the root's moves: the same in all processes
        super().start(request)
        self._enter_stage(0)
        self._is_decided = False

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """Run simulations; a time or `check` ends it only at the end of a block, the pruning rule at that of a stage.

        If others run a share, the simulations are those of all together; the number of those run here is returned.
        """
        before = self.done
        while simulations > 0 and not self.is_decided:
            planned = min(simulations, sum(self.stages.games - block.done for block in self._blocks))
            self._due = deque(self._plan(planned))
            mine = sum(games for _, games in self._due)
            ran = super().run(mine, until=until, check=check)
            self._blocks = [block for block in self._blocks if block.done < self.stages.games]
            if ran < mine:
                break
            simulations -= planned
            if not self._blocks:
                self.finish_stage()
            if until is not None and time.perf_counter() >= until:
                break
        self._call(value_root, self.workers[0])
        return self.done - before

    def _plan(self, games: int) -> Iterator[tuple[Block, int]]:
        """Yield the next blocks of this share with their games; blocks of others count as done."""
        own, of = self.share
        for block in self._blocks:
            planned = min(games, self.stages.games - block.done)
            games -= planned
            if block.number % of == own and planned:
                yield block, planned
            else:
                block.done += planned

    def _work(self, kernel: Kernel, worker: SearchWorker, share: int, is_enough: Callable[[], bool]) -> None:
        """Run due blocks in one thread, or until there is enough."""
        while not self._stopped.is_set():
            try:
                block, games = self._due.popleft()
            except IndexError:  # no block is left
                return
            worker.sim["rng"] = block.rng
            before = block.stage * self.stages.blocks + block.number
            worker.sim["number"] = before * self.stages.games + block.done
            self._call(kernel, worker, games)
            block.rng = worker.sim["rng"]
            block.done += games
            if is_enough():
                return

    def finish_stage(self, sums: np.ndarray | None = None) -> None:
        """Apply the pruning rule and enter the next stage.

        If others run a share, the rule reads `sums`, those of all together; this search's own do not change.
        """
        own = root_sums(self.tree)
        if sums is not None:
            set_root_sums(self.tree, sums)
        self._is_decided = bool(self._call(end_stage, self.workers[0]))
        set_root_sums(self.tree, own)
        self._enter_stage(self.stage + 1)

    def _enter_stage(self, stage: int) -> None:
        self.stage = stage
        numbers = range(self.stages.blocks)
        self._blocks = [Block(stage, number, stream(self.seed, stage, number)) for number in numbers]


def new_search(config: SearchConfig, **how: Any) -> TreeSearch:
    """Make the search of a configuration: in stages if it has them.

    >>> from kikashi import Game, load_preset, search_request
    >>> search = new_search(load_preset("mogo-2006").config, size=5, seed=1, megabytes=16)
    >>> search.start(search_request(Game(5)))
    >>> search.run(50)
    50
    >>> search.analysis().visits
    50
    """
    return StagedSearch(config, **how) if config.stages else TreeSearch(config, **how)


# --- sums -------------------------------------------------------------------------------------------------------------


def root_sums(tree: Tree) -> np.ndarray:
    """Return all counts and sums of the root and its moves, a row of integers for each.

    Those of searches of one position may be added up.
    """
    return np.stack([column.astype(np.int64) for column in _sums(tree)], axis=1)


def set_root_sums(tree: Tree, sums: np.ndarray) -> None:
    """Replace the counts and sums of `root_sums`."""
    for column, values in zip(_sums(tree), sums.T, strict=True):
        column[:] = values


def _sums(tree: Tree) -> Iterator[np.ndarray]:
    """Yield views of the numbers that simulations add to, of nodes and of statistics.

    In a tree of one ply the root's moves follow it.
    """
    rows = slice(0, 1 + len(tree.children()))
    for field in ("visits", "value", "score"):
        yield tree.nodes[rows][field]
    for column in tree.columns.values():
        for field in column.dtype.names or ():
            if field != "move" and column[field].ndim == 1:
                yield column[rows][field]
