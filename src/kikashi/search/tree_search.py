"""Search with one tree, which threads share."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from threading import Event
from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import new_board
from kikashi.board.rng import stream
from kikashi.jit import announced
from kikashi.parts.binding import BoundPart
from kikashi.parts.blocks import block_of
from kikashi.parts.calling import RULE
from kikashi.parts.registry import PartError
from kikashi.playout.hash_store import NO_ENTRIES, USUAL_ROOM, Entries, Room
from kikashi.playout.simulation import Root, new_root
from kikashi.playout.worker import Memories, Worker
from kikashi.search import loop
from kikashi.search.analysis import Analysis, analyse
from kikashi.search.config import SearchConfig
from kikashi.search.interface import Search, SearchRequest, share_of
from kikashi.search.kinds import TREE_RULES, preset_keys
from kikashi.search.loop import (
    AT_A_MOMENT,
    SEARCH,
    grow_root,
    mark_region,
    run_simulations,
    sample_playouts,
    seen_table,
)
from kikashi.search.tree import BANNED, Tree, nodes_in
from kikashi.search.zones import Tuning, Zone, ZoneRule, on_board, widened

Kernel = Callable[..., None]
BATCH = 64 * 81
"""Simulations of a batch, times the points of the board: a few milliseconds."""


class SearchWorker(Worker):
    """A thread's records for playouts and for the rules of the search."""

    def __init__(
        self, config: SearchConfig, memories: Memories, tree: Tree, *, size: int, seed: int, number: int
    ) -> None:
        self._tree = tree
        super().__init__(config.policy, memories, size=size, seed=seed, number=number)
        self.search = np.zeros(1, SEARCH)[0]
        rules = config.all_rules
        for key in filter(rules.get, preset_keys()):
            if key in TREE_RULES:
                self.search[key] = self.rule(rules[key])
            else:
                self._call_at_moments(rules[key])
        for used in config.statistics.values():
            self._call_at_moments(used)
        for row, prior in enumerate(config.priors):
            self.search["prior"][row] = self.rule(prior.used)
            self.search["prior_games"][row] = prior.games
            self.search["prior_power"][row] = prior.power
            self.search["prior_relative"][row] = prior.relative
        self.search["priors"] = len(config.priors)
        self.search["even_games"] = config.even_games
        self.search["finds_owners"] = rules["evaluation"].part.options["owners"]
        self.region = int(self.search["region"]["address"])
        self.note_positions(seen_table(()))

    def columns(self, names: Sequence[str]) -> Mapping[str, Any]:
        return {name: block_of(self._tree.columns[name]) for name in names}

    def _call_at_moments(self, used: BoundPart) -> None:
        """Call a part at the moments of its kind. Raises PartError if there is no room."""
        own = self.own(used)
        for entry in used.part.kind.entries:
            if entry.moment and entry.name in used.part.functions:
                count = int(self.search[f"{entry.moment}_count"])
                if count == AT_A_MOMENT:
                    raise PartError(f"at most {AT_A_MOMENT} parts can be called {entry.called.partition(',')[0]}")
                self.search[entry.moment][count] = self.rule(used, entry.name, own)
                self.search[f"{entry.moment}_count"] = count + 1

    def note_positions(self, seen: np.ndarray) -> None:
        """Set the positions of the game so far, made by `seen_table`."""
        self._seen = seen
        self.search["seen"] = block_of(seen)


class TreeSearch(Search):
    """A search by the rules of a configuration, with threads that share one tree."""

    def __init__(
        self,
        config: SearchConfig,
        *,
        size: int,
        threads: int = 1,
        seed: int = 1,
        megabytes: float = 512.0,
        nodes: int | None = None,
    ) -> None:
        """Make a tree with this many `nodes`, or as fit into the memory. Raises ValueError if they are too few."""
        fewest = size * size + 2 + config.transpositions  # the root, its moves, the pass, and the root's position
        if nodes is not None and nodes < fewest:
            raise ValueError(f"a tree for {size}x{size} needs {fewest} nodes or more, not {nodes}")
        self.config = config
        self.seed = seed
        self.tree = Tree(
            nodes or nodes_in(megabytes, config.columns),
            columns=config.columns,
            win_weight=config.win_weight,
            score_weight=config.score_weight,
            transpositions=config.transpositions,
        )
        self.size = size
        self._usual_room = max(USUAL_ROOM.simulations, int(self.tree.record["capacity"]) // fewest)
        """Simulations that fill the tree if each expands a node; as not all do, twice as many may be run."""
        self.memories = Memories(Room(size), most=2 * self._usual_room)
        self._memory_room = self._usual_room
        self.root = new_root(new_board(size))
        self._stopped = Event()
        self.zone: Zone | None = None
        """Zone of the search; None for the whole board."""
        self._tuned = 0
        self._legal: set[int] = set()
        zoning: list[Kernel] = [] if config.zone is None else [sample_playouts, mark_region]
        with announced([run_simulations, *zoning, *config.functions], "for a search"):
            self.workers = [
                SearchWorker(config, self.memories, self.tree, size=size, seed=seed, number=number)
                for number in range(threads)
            ]
            self._call(run_simulations, self.workers[0], 0)
            if config.zone is not None:
                self._call(sample_playouts, self.workers[0], 0)
                self.marked(config.zone.groups, self.root)
        for worker in self.workers:
            worker.search["virtual_loss"] = config.virtual_loss if threads > 1 else 0
        self._is_decided = False

    @property
    def is_decided(self) -> bool:
        return self._is_decided

    def analysis(self, seconds: float = 0.0, *, komi: float | None = None, most: int | None = None) -> Analysis:
        return analyse(self, simulations=self.done, seconds=seconds, komi=komi, most=most)

    def advance(self, moves: Iterable[int]) -> None:
        for move in moves:
            if not self.tree.keep(move):
                break

    def clear(self) -> None:
        self.tree.clear()

    def reseed(self) -> None:
        for number, worker in enumerate(self.workers):
            worker.sim["rng"] = stream(self.seed, number)

    def start(self, request: SearchRequest) -> None:
        """Prepare for a position. The tree is kept, unless it is of another zone or its nodes have memories."""
        self.root, self._legal = request.root, set(request.legal)
        self._stopped.clear()
        self.tree.prunings = 0
        self._tuned = 0
        for worker in self.workers:
            worker.clear_counts()
        self._memory_room = self._usual_room if request.simulations is None else request.simulations
        table = seen_table(request.seen)
        for worker in self.workers:
            worker.search["region"]["address"] = 0 if request.everywhere else worker.region
            worker.note_positions(table)
        self._take_zone(None if request.everywhere else request.tuning)
        self._set_out()
        if self.zone is not None and not self._has_moves():
            self._take_zone(None)
            self._set_out()

    def _set_out(self) -> None:
        """Clear counts and memories, grow the root and ban the moves that the game forbids there."""
        self.memories.clear(self._memory_room)
        if self.config.keeps_slots:
            self.tree.clear()
        for worker in self.workers:
            for count in ("owned", "owned_count", "scores"):
                worker.search[count] = 0
            worker.sim["number"] = 0
        self._call(grow_root, self.workers[0])
        for child in self.tree.children():
            banned = child["move"] != PASS and int(child["move"]) not in self._legal
            child["flags"] = (child["flags"] & ~BANNED) | (BANNED if banned else 0)

    def _has_moves(self) -> bool:
        """Return whether a move other than a pass is legal at the root."""
        children = self.tree.children()
        return bool(((children["move"] != PASS) & (children["flags"] & BANNED == 0)).any())

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """Run simulations, until the time `until` (of time.perf_counter), `stop` or `check` at most.

        Returns their number. Raises PartError if a part fails. Ctrl-C stops the threads and is raised again. A full
        tree is pruned.
        """
        tuned = self._tune(simulations, check)
        before = int(self.tree.nodes[0]["visits"])
        enough = Event()

        def is_enough() -> bool:
            # The check comes first: at a pause it must be called too.
            if (check is not None and check()) or (until is not None and time.perf_counter() >= until):
                enough.set()
            return enough.is_set()

        left = simulations - tuned
        while left > 0 and not self._stopped.is_set() and not enough.is_set():
            if self.tree.is_full:
                self.tree.prune()
            ran = int(self.tree.nodes[0]["visits"])
            self._share_out(run_simulations, left, is_enough, enough)
            left -= int(self.tree.nodes[0]["visits"]) - ran
        return tuned + int(self.tree.nodes[0]["visits"]) - before

    def stop(self) -> None:
        self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        """Whether nothing runs until the next `start`."""
        return self._stopped.is_set()

    @property
    def trees(self) -> Sequence[TreeSearch]:
        return [self]

    def _share_out(self, kernel: Kernel, simulations: int, is_enough: Callable[[], bool], enough: Event) -> None:
        """Divide simulations among the threads; the first checks the clock for all."""
        threads = len(self.workers)
        if threads == 1:
            self._work(kernel, self.workers[0], simulations, is_enough)
            return
        with ThreadPoolExecutor(threads) as pool:
            running = [
                pool.submit(
                    self._work, kernel, worker, share_of(simulations, i, threads), enough.is_set if i else is_enough
                )
                for i, worker in enumerate(self.workers)
            ]
            try:
                for done in running:
                    done.result()
            except BaseException:
                self._stopped.set()
                raise

    def _work(self, kernel: Kernel, worker: SearchWorker, share: int, is_enough: Callable[[], bool]) -> None:
        """Run a thread's share of simulations, or until there is enough or the tree is full."""
        left = share
        while left > 0 and not self._stopped.is_set():
            batch = min(BATCH // self.size**2, left)
            self._call(kernel, worker, batch)
            left -= batch
            if is_enough() or self.tree.is_full:
                return

    def _call(self, kernel: Callable[..., Any], worker: SearchWorker, *arguments: int) -> Any:
        """Call a kernel of the loop with a thread's records. Raises PartError for an error of a part."""
        records = (worker.sim, worker.moves, worker.record, worker.search, self.tree.record)
        try:
            return kernel(self.root, *records, *arguments)
        except Exception as error:
            self._stopped.set()
            raise worker.explain(error) from error

    # --- zones --------------------------------------------------------------------------------------------------------

    def marked(self, used: BoundPart, root: Root) -> np.ndarray:
        """Return a mask of the points that a region rule marks in a position; the whole board if there are none."""
        worker = self.workers[0]
        rule = np.array(worker.rule(used), RULE)[()]
        try:
            mark_region(root, worker.sim, worker.record, rule)
        except Exception as error:
            raise worker.explain(error) from error
        board = on_board(self.size)
        found = (worker.sim["region"] != 0) & board
        return found if found.any() else board

    def zone_at(self, root: Root, rule: ZoneRule) -> np.ndarray:
        """Return a mask of the points in the zone of a position."""
        return widened(self.marked(rule.groups, root), rule.margin, self.size)

    def _take_zone(self, tuning: Tuning | None) -> None:
        """Find the zone of the root, and clear a tree of another zone.

        Without a tuning or its simulations, or if the zone is the whole board, there is none.
        """
        found = None
        if self.config.zone is not None and tuning is not None and tuning.simulations:
            points = self.zone_at(self.root, self.config.zone)
            found = Zone(points, tuning) if not points[on_board(self.size)].all() else None
        if self.zone is not None and self.zone.is_tuned and self.zone.is_as(found) and self.tree.nodes[0]["visits"]:
            self._count_outside(self.zone)
        elif self.zone is not None or found is not None:
            self.tree.clear()
            self.zone = found
        for worker in self.workers:
            worker.set_zoned(self.zone is not None)
            worker.sim["zone"] = 0 if self.zone is None else self.zone.points

    def _tune(self, simulations: int, check: Callable[[], bool] | None) -> int:
        """Tune the zone, unless it is tuned, by playouts of the whole board; return their number.

        When the check stops it, the playouts so far must suffice, so that the moves get some visits.
        """
        zone = self.zone
        if zone is None or zone.is_tuned:
            return 0
        over = Event()

        def is_over() -> bool:
            if (check is not None and check()) or time.perf_counter() >= zone.tuning.until:
                over.set()
            return over.is_set()

        before = self._counted()
        target = min(before + simulations, zone.tuning.simulations)
        for worker in self.workers:
            worker.set_zoned(False)
        while self._counted() < target and not over.is_set() and not self._stopped.is_set():
            self._share_out(sample_playouts, target - self._counted(), is_over, over)
        for worker in self.workers:
            worker.set_zoned(True)
        sampled = self._counted()
        if over.is_set() or sampled == zone.tuning.simulations:
            zone.tune(self._owners(), float(self.root["komi"]))
            self._set_out()
            self._tuned = sampled
            self._count_outside(zone)
        return sampled - before

    def _count_outside(self, zone: Zone) -> None:
        """Lower komi by the score outside, since simulations count the points inside only."""
        self.root = self.root.copy()
        self.root["komi"] -= zone.tuned

    def value_by(self, used: BoundPart) -> float:
        """Return the root's value, for Black, by another backup rule than the configuration's."""
        worker = self.workers[0]
        rule = np.array(worker.rule(used), RULE)[()]
        return float(loop.value_by(self.root, worker.sim, worker.record, self.tree.record, rule))

    @property
    def done(self) -> int:
        """Number of simulations since the start, those that tuned a zone included; also while they run."""
        return self._tuned + self._counted()

    def _counted(self) -> int:
        """Return the number of simulations of `_owners`."""
        return sum(int(worker.search["owned_count"]) for worker in self.workers)

    def child_visits(self) -> list[int]:
        visits: list[int] = self.tree.children()["visits"].tolist()
        return visits

    def ownership(self) -> np.ndarray:
        """Return the mean owner of each point, from -1 for White to 1 for Black, at the end of simulations.

        Outside a zone it is that of simulations of the whole board.
        """
        if self.zone is None or not self.zone.is_tuned:
            return self._owners()
        return np.where(self.zone.points & bool(self._counted()), self._owners(), self.zone.ownership)

    def _owners(self) -> np.ndarray:
        counts = sum(worker.search["owned"].astype(np.int64) for worker in self.workers)
        return np.asarray(counts / max(1, self._counted()))

    @property
    def outside_score(self) -> float | None:
        return None if self.zone is None else self.zone.outside

    def scores(self) -> np.ndarray:
        """Return the numbers of this search's simulations by score, from the lowest possible one."""
        return np.asarray(sum(worker.search["scores"] for worker in self.workers))

    def entries(self) -> Entries:
        """Return the entries of hashed memories since the start, and those without room."""
        return reduce(Entries.plus, self.memories.entries().values(), NO_ENTRIES)

    def moves_by(self) -> Mapping[str, int]:
        total: Counter[str] = Counter()
        for worker in self.workers:
            total.update(worker.moves_by())
        return total
