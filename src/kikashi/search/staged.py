"""Searches of one ply in stages of blocks (Yoshizoe et al. 2006, Parallel Algorithm).

A block is a number of games whose random numbers follow from the seed, the stage and the number of the block alone, and
its results are integers that are added up. So neither the order in which blocks are run, nor how many threads or
processes share them, changes what is found. Only when all blocks of a stage are done are moves pruned.
"""

from __future__ import annotations

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
    """Some games of a stage, and how far they have got: a block may be left in the middle and taken up again."""

    stage: int
    number: int
    rng: np.uint64
    """The state of its random numbers."""
    done: int = 0


class StagedSearch(TreeSearch):
    """A search whose configuration has stages. Every position starts with an empty tree.

    `share` says which part of every stage this one is to run: the blocks whose number leaves the first as the remainder
    of a division by the second.
    """

    def __init__(self, config: SearchConfig, *, share: tuple[int, int] = (0, 1), **how: Any) -> None:
        super().__init__(config, **how)
        self.share = share
        self.stages = config.stages or Stages()
        self.stage = 0
        self._blocks: list[Block] = []
        """Those of the stage that are not done."""
        self._due: deque[tuple[Block, int]] = deque()
        """Those that a thread may take, and how many games of each."""

    def start(self, situation: SearchRequest) -> None:
        """As `TreeSearch.start`, but nothing is kept: what was sampled in another position are other games."""
        self.tree.clear()
        self.workers[0].sim["rng"] = stream(self.seed)  # the order of the root's moves: the same in all processes
        super().start(situation)
        self._enter_stage(0)
        self._is_decided = False

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """As `TreeSearch.run`, but what is not the number of simulations ends it only where a block ends.

        Where others have their share, the simulations are those of all together; returned is how many were run here. It
        ends early, and then runs nothing, when the pruning rule has said that enough is known.
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
        """The next blocks of this one's share, and how many games of each; other blocks are taken as done."""
        own, of = self.share
        for block in self._blocks:
            planned = min(games, self.stages.games - block.done)
            games -= planned
            if block.number % of == own and planned:
                yield block, planned
            else:
                block.done += planned

    def _work(self, kernel: Kernel, worker: SearchWorker, share: int, is_enough: Callable[[], bool]) -> None:
        """Run in one thread the blocks that are due, whatever its share of the games, or until there is enough."""
        while not self._stopped.is_set():
            try:
                block, games = self._due.popleft()
            except IndexError:  # other threads took the rest
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
        """Let moves be pruned, and enter the next stage.

        Where others have their share, `sums` are those of all together, by which the rule then judges; this one's own
        stay what they are.
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
    """All counts and sums of the root, its moves after it: a row of integers for each, which searches of one position
    may add to those of others."""
    return np.stack([column.astype(np.int64) for column in _sums(tree)], axis=1)


def set_root_sums(tree: Tree, sums: np.ndarray) -> None:
    """Put other counts and sums, from `root_sums`, in the place of the tree's."""
    for column, values in zip(_sums(tree), sums.T, strict=True):
        column[:] = values


def _sums(tree: Tree) -> Iterator[np.ndarray]:
    """Views of the numbers that simulations add to: those of nodes, and those of statistics but for what names a move.

    The moves of the root stand right after it in a tree of one ply.
    """
    rows = slice(0, 1 + len(tree.children()))
    for field in ("visits", "value", "score"):
        yield tree.nodes[rows][field]
    for column in tree.columns.values():
        for field in column.dtype.names or ():
            if field != "move" and column[field].ndim == 1:
                yield column[rows][field]
