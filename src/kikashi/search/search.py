"""A search: a recipe, a tree and threads, from a position to statistics of its moves."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import new_board
from kikashi.compiling import announced
from kikashi.playout.calling import RULE
from kikashi.playout.loop import HEURISTICS
from kikashi.playout.parts import Part
from kikashi.playout.policy import Policy
from kikashi.playout.raw import block_of
from kikashi.playout.simulation import Root, new_root
from kikashi.playout.specs import PartError
from kikashi.playout.uses import Use, use
from kikashi.playout.worker import Memories, Worker
from kikashi.search import loop
from kikashi.search.kinds import MOMENTS, REQUIRED, TREE_RULES, preset_keys, statistic
from kikashi.search.loop import AT_A_MOMENT, SEARCH, grow_root, run_simulations
from kikashi.search.tree import BANNED, COLUMNS, SLOT_ROW, SLOTS_COLUMN, Tree, nodes_in

BATCH = 64 * 81
"""Simulations between two looks at the clock, times the points of the board: a few milliseconds."""


@dataclass(frozen=True)
class Recipe:
    """What a search is made of, as data."""

    policy: Policy
    rules: Mapping[str, Use]
    """By key of `kikashi.search.kinds.preset_keys`: the rules of the tree."""
    win_weight: float = 1.0
    score_weight: float = 0.0
    priors: tuple[tuple[Use, float], ...] = ()
    """Heuristics, and how many virtual wins they give to their best proposal."""
    even_games: float = 0.0
    virtual_loss: int = 1
    """Counted only with several threads."""

    def __post_init__(self) -> None:
        if missing := [key for key in REQUIRED if key not in self.rules]:
            raise ValueError(f"a search needs a rule for its {missing[0]}")
        if len(self.priors) > HEURISTICS:
            raise ValueError(f"a search has at most {HEURISTICS} priors, not {len(self.priors)}")

    @property
    def functions(self) -> list[Any]:
        """What has to be compiled besides the loop."""
        uses = [*self.rules.values(), *self.statistics.values(), *(used for used, _ in self.priors)]
        return [*self.policy.functions, *(used.part.function for used in uses)]

    @property
    def uses(self) -> list[Use]:
        """All parts at work: those it names, the memories they read, and the statistics."""
        policy, priors = self.policy, (used for used, _ in self.priors)
        named = [*policy.heuristics, policy.feasibility, *policy.memories, *self.rules.values(), *priors]
        found = [each for used in named for each in _with_memories(used)]
        for used in found:  # statistics that are found on the way have their turn at the end
            known = {each.part.name for each in found if each.part.kind is statistic}
            for name in used.part.statistics:
                found += _with_memories(use(statistic, name)) if name not in known else ()
        return found

    @property
    def statistics(self) -> dict[str, Use]:
        """The statistics of nodes that some part reads, by name."""
        return {used.part.name: used for used in self.uses if used.part.kind is statistic}

    @property
    def columns(self) -> dict[str, Any]:
        """What is kept for each node beside the tree: the type of a row, by name. Raises PartError if a name is
        there twice or if there are too many."""
        owners: dict[str, Part] = {}
        for part in (used.part for used in self.uses if "row" in used.part.options):
            if owners.setdefault(part.name, part) is not part:
                raise PartError(f"{part} and {owners[part.name]} keep something for nodes under one name")
        rows = {name: part.options["row"] for name, part in owners.items()}
        rows |= {SLOTS_COLUMN: SLOT_ROW} if self.keeps_slots else {}
        if len(rows) > COLUMNS:
            raise PartError(f"at most {COLUMNS} parts can keep something for nodes, not {len(rows)}")
        return rows

    @property
    def keeps_slots(self) -> bool:
        """Whether some memory keeps something for each node."""
        return any("inherit" in used.part.functions for used in self.uses)


def _with_memories(used: Use) -> list[Use]:
    """A part in use and the memories that it reads, and these, and so on."""
    return [used, *(each for _, memory in used.memory_uses() for each in _with_memories(memory))]


class SearchWorker(Worker):
    """A thread's records for playouts and for the rules of the search."""

    def __init__(self, recipe: Recipe, memories: Memories, tree: Tree, *, size: int, seed: int, number: int) -> None:
        self._tree = tree
        super().__init__(recipe.policy, memories, size=size, seed=seed, number=number)
        self.search = np.zeros(1, SEARCH)[0]
        rules = {"tree_feasibility": recipe.policy.feasibility, **recipe.rules}
        for key, kind in preset_keys().items():
            if key in rules and key in TREE_RULES:
                self.search[key] = self.rule(rules[key])
            elif key in rules:
                self._at_moment(str(kind.moment), rules[key])
        for used in recipe.statistics.values():
            self._wire_statistic(used)
        for row, (used, games) in enumerate(recipe.priors):
            self.search["prior"][row] = self.rule(used)
            self.search["prior_games"][row] = games
        self.search["priors"] = len(recipe.priors)
        self.search["even_games"] = recipe.even_games
        self.region = int(self.search["region"]["address"])
        self.note_positions(seen_table(()))

    def columns(self, names: Sequence[str]) -> Mapping[str, Any]:
        """Where statistics of nodes are."""
        return {name: block_of(self._tree.columns[name]) for name in names}

    def _wire_statistic(self, used: Use) -> None:
        own = self.own(used)
        self._at_moment("over", used, own=own)
        if "grow" in used.part.functions:
            self._at_moment("grown", used, entry="grow", own=own)

    def _at_moment(self, moment: str, used: Use, **how: Any) -> None:
        """Have a part called at a moment of every simulation. Raises PartError if there is no such moment or room."""
        if moment not in MOMENTS:
            raise PartError(f"{used.part}: no moment is called {moment!r}; there are {', '.join(MOMENTS)}")
        entry, called_with = used.part.kind.entry(how.get("entry", "")), MOMENTS[moment].rpartition(": ")[2]
        signature = (entry or used.part.kind.entries[0]).signature
        if not signature.endswith(called_with) or "(" in signature.removesuffix(called_with):
            raise PartError(f"{used.part}: its kind says {signature}, but the moment {moment!r} gives {called_with}")
        count = int(self.search[f"{moment}_count"])
        if count == AT_A_MOMENT:
            when = MOMENTS[moment].partition(",")[0]
            raise PartError(f"at most {AT_A_MOMENT} parts can be called {when}")
        self.search[moment][count] = self.rule(used, **how)
        self.search[f"{moment}_count"] = count + 1

    def note_positions(self, seen: np.ndarray) -> None:
        """Tell which positions the game has had."""
        self._seen = seen
        self.search["seen"] = block_of(seen)


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

    def __init__(
        self,
        recipe: Recipe,
        *,
        size: int,
        threads: int = 1,
        seed: int = 1,
        megabytes: float = 512.0,
        nodes: int | None = None,
    ) -> None:
        """The tree has this many `nodes`, or as many as fit into the memory. Raises ValueError if they are too few."""
        fewest = size * size + 2  # the root, its moves and the pass
        if nodes is not None and nodes < fewest:
            raise ValueError(f"a tree for {size}x{size} needs {fewest} nodes or more, not {nodes}")
        self.recipe = recipe
        self.memories = Memories()
        self.tree = Tree(
            nodes or nodes_in(megabytes, recipe.columns),
            columns=recipe.columns,
            win_weight=recipe.win_weight,
            score_weight=recipe.score_weight,
        )
        self.size = size
        self.root = new_root(new_board(size))
        with announced([run_simulations, *recipe.functions]):
            self.workers = [
                SearchWorker(recipe, self.memories, self.tree, size=size, seed=seed, number=number)
                for number in range(threads)
            ]
            self._call(run_simulations, self.workers[0], 0)
        for worker in self.workers:
            worker.search["virtual_loss"] = recipe.virtual_loss if threads > 1 else 0
        self.stop = Event()

    def go_on(self, moves: Iterable[int]) -> None:
        """Keep of the tree what is below these moves, which were played since the start."""
        for move in moves:
            if not self.tree.keep(move):
                break

    def forget(self) -> None:
        """Forget the tree."""
        self.tree.clear()

    def start(self, root: Root, legal: Iterable[int], seen: Iterable[int], *, everywhere: bool = False) -> None:
        """Prepare for a position: the root's moves will be among `legal`, `seen` are the hashes of the game so far.

        `everywhere` says to look for moves on the whole board, whatever region the recipe keeps to. What the tree knows
        already is kept; the memories are cleared, and with them a tree whose nodes have some.
        """
        self.root = root
        self.stop.clear()
        self.memories.clear()
        self.tree.prunings = 0
        if self.recipe.keeps_slots:
            self.tree.clear()
        for worker in self.workers:
            for count in ("owned", "owned_count", "scores", "score_squares"):
                worker.search[count] = 0
            worker.search["region"]["address"] = 0 if everywhere else worker.region
        table = seen_table(seen)
        for worker in self.workers:
            worker.note_positions(table)
        self._restrict_root(set(legal))

    def _restrict_root(self, legal: set[int]) -> None:
        """Grow the root and ban what the game does not allow there, and nothing else."""
        self._call(grow_root, self.workers[0])
        for child in self.tree.children():
            banned = child["move"] != PASS and int(child["move"]) not in legal
            child["flags"] = (child["flags"] & ~BANNED) | (BANNED if banned else 0)

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """Run a number of simulations, or until the time `until` (of time.perf_counter) or `check` says to stop.

        Returns how many were run. Raises PartError if a part fails. Ctrl-C stops the threads and is raised again.
        Once `stop` is set, also from another thread, nothing is run until the next `start`. A tree that is full is
        pruned.
        """
        before = int(self.tree.nodes[0]["visits"])
        enough = Event()

        def is_enough() -> bool:
            # The check comes first: a pause must not hide what it would have said at this batch.
            if (check is not None and check()) or (until is not None and time.perf_counter() >= until):
                enough.set()
            return enough.is_set()

        left = simulations
        while left > 0 and not self.stop.is_set() and not enough.is_set():
            if self.tree.is_full:
                self.tree.prune()
            ran = int(self.tree.nodes[0]["visits"])
            if len(self.workers) == 1:
                self._work(self.workers[0], left, is_enough)
            else:
                self._work_in_threads(left, is_enough, enough)
            left -= int(self.tree.nodes[0]["visits"]) - ran
        return int(self.tree.nodes[0]["visits"]) - before

    def halt(self) -> None:
        """End what is running, also from another thread; nothing is run until the next `start`."""
        self.stop.set()

    def rest(self) -> None:
        """Have all that is not run by `run` itself come to an end; nothing, in a search of one process."""

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
        """Run simulations in one thread: its share, or until there is enough or the tree is full."""
        left = share
        while left > 0 and not self.stop.is_set():
            batch = min(BATCH // self.size**2, left)
            self._call(run_simulations, worker, batch)
            left -= batch
            if is_enough() or self.tree.is_full:
                return

    def _call(self, kernel: Callable[..., None], worker: SearchWorker, *arguments: int) -> None:
        """Call a kernel of the loop with a thread's records. Raises PartError for what a part did wrong."""
        records = (worker.sim, worker.moves, worker.record, worker.search, self.tree.record)
        try:
            kernel(self.root, *records, *arguments)
        except Exception as error:
            self.stop.set()
            raise worker.explain(error) from error

    def value_by(self, used: Use) -> float:
        """What another backup rule than the recipe's makes of the root's value, for Black."""
        worker = self.workers[0]
        rule = np.array(worker.rule(used), RULE)[()]
        return float(loop.value_by(self.root, worker.sim, worker.record, self.tree.record, rule))

    @property
    def done(self) -> int:
        """How many simulations were run since the start; it may be asked while they run."""
        return sum(int(worker.search["owned_count"]) for worker in self.workers)

    def visits_of_moves(self) -> list[int]:
        """The visits of the root's moves."""
        visits: list[int] = self.tree.children()["visits"].tolist()
        return visits

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
