"""A search: a policy, the rules, a tree and threads, from a position to statistics of its moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any, cast

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import new_board
from kikashi.compiling import announced
from kikashi.playout.parts import Feasibility, Heuristic, Use
from kikashi.playout.policy import Memories, Policy, Worker
from kikashi.playout.simulation import Root, new_root
from kikashi.search import loop
from kikashi.search.loop import (
    ASKED_BACKUP,
    ASKED_EXPANSION,
    ASKED_PRIOR,
    ASKED_REGION,
    ASKED_SELECTION,
    ASKED_TREE_FEASIBILITY,
    SEARCH,
    grow_root,
    run_simulations,
)
from kikashi.search.rules import Backup, Expansion, Region, Selection
from kikashi.search.tree import BANNED, Tree

BATCH = 64 * 81
"""Simulations between two looks at the clock, times the points of the board: a few milliseconds."""


@dataclass(frozen=True)
class Rules:
    """What a search is made of, as data."""

    policy: Policy
    selection: Use
    expansion: Use
    backup: Use
    win_weight: float = 1.0
    score_weight: float = 0.0
    priors: tuple[tuple[Use, float], ...] = ()
    """Heuristics, and how many virtual wins they give to their best proposal."""
    even_games: float = 0.0
    virtual_loss: int = 1
    """Counted only with several threads."""
    tree_feasibility: Use | None = None
    """Which moves the tree has; None for those that playouts may make."""
    region: Use | None = None
    """Where the tree looks for moves; None for the whole board."""

    @property
    def functions(self) -> list[Any]:
        """What has to be compiled besides the loop."""
        uses = [self.selection, self.expansion, self.backup, self.feasible, *(used for used, _ in self.priors)]
        uses += [] if self.region is None else [self.region]
        return [*self.policy.functions, *(used.part.function for used in uses)]

    @property
    def feasible(self) -> Use:
        """Which moves the tree has."""
        return self.tree_feasibility or self.policy.feasibility


class SearchWorker(Worker):
    """A thread's records for playouts and for the rules of the search."""

    def __init__(self, rules: Rules, memories: Memories, *, size: int, seed: int, number: int) -> None:
        super().__init__(rules.policy, memories, size=size, seed=seed, number=number)
        self.search = np.zeros(1, SEARCH)[0]
        self._wire_rule("selection", ASKED_SELECTION, rules.selection)
        self._wire_rule("expansion", ASKED_EXPANSION, rules.expansion)
        self._wire_rule("backup", ASKED_BACKUP, rules.backup)
        self._wire_rule("feasibility", ASKED_TREE_FEASIBILITY, rules.feasible)
        if rules.region is not None:
            self._wire_rule("region", ASKED_REGION, rules.region)
        self.region = int(self.search["region"])
        self.search["rave"] = cast(Selection, rules.selection.part).rave
        self.search["even_games"] = rules.even_games
        for k, (used, games) in enumerate(rules.priors):
            self.search["prior"][k] = cast(Heuristic, used.part).propose_address
            self.search["prior_own"][k] = self._own(used)
            self.search["prior_games"][k] = games
            self._asked[ASKED_PRIOR + k] = used.part
        self.search["priors"] = len(rules.priors)
        self.see(seen_table(()))

    def _wire_rule(self, name: str, asked: int, used: Use) -> None:
        part = cast("Selection | Expansion | Backup | Feasibility | Region", used.part)
        self.search[name] = part.rule_address
        self.search[f"{name}_own"] = self._own(used)
        self._asked[asked] = part

    def see(self, seen: np.ndarray) -> None:
        """Tell which positions the game has had."""
        self._seen = seen
        self.search["seen"] = (int(seen.ctypes.data), seen.size)


def seen_table(hashes: Iterable[int]) -> np.ndarray:
    """The positions of a game as the table that `kikashi.search.loop.is_seen` reads."""
    known = {h for h in hashes if h != 0}
    slots = 16
    while slots < 2 * len(known):
        slots *= 2
    table = np.zeros(2 * slots, np.int32)
    for position in known:
        loop.note_seen(table, np.uint64(position))  # type: ignore[arg-type]
    return table


class Search:
    """Searches positions by rules, with threads that share one tree."""

    def __init__(self, rules: Rules, *, size: int, threads: int = 1, seed: int = 1, megabytes: float = 512.0) -> None:
        self.rules = rules
        self.memories = Memories()
        self.tree = Tree.of_megabytes(megabytes, win_weight=rules.win_weight, score_weight=rules.score_weight)
        self.size = size
        self.root = new_root(new_board(size))
        with announced([run_simulations, *rules.functions]):
            self.workers = [
                SearchWorker(rules, self.memories, size=size, seed=seed, number=number) for number in range(threads)
            ]
            self._call(run_simulations, self.workers[0], 0)
        for worker in self.workers:
            worker.search["virtual_loss"] = rules.virtual_loss if threads > 1 else 0
        self.stop = Event()

    def start(self, root: Root, legal: Iterable[int], seen: Iterable[int], *, everywhere: bool = False) -> None:
        """Prepare for a position: the root's moves will be among `legal`, `seen` are the hashes of the game so far.

        `everywhere` says to look for moves on the whole board, whatever region the rules keep to. What the tree knows
        already is kept; the memories are cleared, and with them a tree whose nodes have some.
        """
        self.root = root
        self.stop.clear()
        self.memories.clear()
        if self.workers[0].record["inheritors"]:
            self.tree.clear()
        for worker in self.workers:
            for count in ("owned", "owned_count", "scores", "score_squares"):
                worker.search[count] = 0
            worker.search["region"] = 0 if everywhere else worker.region
        table = seen_table(seen)
        for worker in self.workers:
            worker.see(table)
        self._restrict_root(set(legal))

    def _restrict_root(self, legal: set[int]) -> None:
        """Grow the root and ban what the game does not allow there, and nothing else."""
        self._call(grow_root, self.workers[0])
        for child in self.tree.children():
            banned = child["move"] != PASS and int(child["move"]) not in legal
            child["flags"] = (child["flags"] & ~BANNED) | (BANNED if banned else 0)

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """Run so many more simulations, or until the time `until` (of time.perf_counter) or `check` says to stop.

        Returns how many were run. Raises PartError if a part fails. Ctrl-C stops the threads and is raised again.
        Once `stop` is set, also from another thread, nothing is run until the next `start`.
        """
        before = int(self.tree.nodes[0]["visits"])
        enough = Event()

        def is_enough() -> bool:
            # The check comes first: a pause must not hide what it would have said at this batch.
            if (check is not None and check()) or (until is not None and time.perf_counter() >= until):
                enough.set()
            return enough.is_set()

        if len(self.workers) == 1:
            self._work(self.workers[0], simulations, is_enough)
        else:
            self._work_in_threads(simulations, is_enough, enough)
        return int(self.tree.nodes[0]["visits"]) - before

    def _work_in_threads(self, simulations: int, is_enough: Callable[[], bool], enough: Event) -> None:
        """Share the simulations out; the first thread looks at the clock for all."""
        threads = len(self.workers)
        with ThreadPoolExecutor(threads) as pool:
            shares = [simulations // threads + (i < simulations % threads) for i in range(threads)]
            running = [
                pool.submit(self._work, worker, share, is_enough if i == 0 else enough.is_set)
                for i, (worker, share) in enumerate(zip(self.workers, shares, strict=True))
            ]
            try:
                for done in running:
                    done.result()
            except BaseException:
                self.stop.set()
                raise

    def _work(self, worker: SearchWorker, share: int, is_enough: Callable[[], bool]) -> None:
        left = share
        while left > 0 and not self.stop.is_set():
            batch = min(BATCH // self.size**2, left)
            self._call(run_simulations, worker, batch)
            left -= batch
            if is_enough():
                return

    def _call(self, kernel: Callable[..., None], worker: SearchWorker, *arguments: int) -> None:
        """Call a kernel of the loop with a thread's records. Raises PartError for what a part did wrong."""
        records = (worker.sim, worker.moves, worker.record, worker.search, self.tree.record)
        try:
            kernel(self.root, *records, *arguments)
        except Exception as error:
            self.stop.set()
            raise worker.explain(error) from error

    @property
    def done(self) -> int:
        """How many simulations were run since the start; it may be asked while they run."""
        return sum(int(worker.search["owned_count"]) for worker in self.workers)

    def ownership(self) -> np.ndarray:
        """By point, from -1 for White's to 1 for Black's: who owned it at the end of the simulations of this search."""
        counts = sum(worker.search["owned"].astype(np.int64) for worker in self.workers)
        return np.asarray(counts / max(1, self.done))

    def score_deviation(self) -> float:
        """The standard deviation of the scores of this search's simulations."""
        count, scores, squares = (
            sum(int(worker.search[name]) for worker in self.workers)
            for name in ("owned_count", "scores", "score_squares")
        )
        mean = scores / max(1, count)
        return float(max(0.0, squares / max(1, count) - mean * mean) ** 0.5)

    def moves_by(self) -> Mapping[str, int]:
        """Moves of playouts so far by heuristic."""
        total: dict[str, int] = {}
        for worker in self.workers:
            for name, count in worker.moves_by().items():
                total[name] = total.get(name, 0) + count
        return total
