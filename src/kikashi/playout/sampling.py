"""Many playouts from one position, in threads that release the GIL, and their totals."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, MAX_SIZE, POINTS, WALL
from kikashi.jit import announced, kernel
from kikashi.playout.candidates import Candidates
from kikashi.playout.hash_store import Room
from kikashi.playout.loop import TOTALS, begin, choose, make_move, playout, run_playouts
from kikashi.playout.policy import Policy
from kikashi.playout.simulation import HISTORY, Root, Simulation, find_owners
from kikashi.playout.worker import Memories, Worker

BATCH = 256
"""Playouts between two looks at the clock: a few milliseconds."""
IN_TIME = 20_000
"""Playouts that memories have room for where a time is given."""


@dataclass(frozen=True)
class Totals:
    """What playouts added up to."""

    playouts: int
    moves: int
    moves_by: dict[str, int]
    """Moves made by each heuristic, by the uniform choice, and passes."""
    seconds: float
    cpu_seconds: float
    interrupted: bool
    scores: np.ndarray = field(repr=False)
    """Playouts by area score, Black minus White, from ``-MAX_SIZE**2``."""

    def black_wins(self, komi: float) -> float:
        """The share of playouts that Black wins; a draw counts one half."""
        margin = np.arange(-MAX_SIZE * MAX_SIZE, MAX_SIZE * MAX_SIZE + 1) - komi
        return float(((np.sign(margin) + 1) / 2 * self.scores).sum() / max(1, self.playouts))

    @property
    def mean_score(self) -> float:
        """Black's mean area score, without komi."""
        scores = np.arange(-MAX_SIZE * MAX_SIZE, MAX_SIZE * MAX_SIZE + 1)
        return float((scores * self.scores).sum() / max(1, self.playouts))


def sample(
    policy: Policy,
    root: Root,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    seed: int = 1,
    on_batch: Callable[[Worker], None] | None = None,
) -> Totals:
    """Run a number of playouts, or as many as fit into a time, from `root`. `on_batch` is called after each batch.

    One thread and a number of playouts: the same seed gives the same totals. Ctrl-C ends it early, with what there is.
    Raises PartError if a part fails.
    """
    if (playouts is None) == (seconds is None):
        raise ValueError("say either how many playouts or how many seconds")
    if seconds is not None and not 0 < seconds < 1e7:
        raise ValueError(f"seconds must be above 0 and below ten million, not {seconds}")
    size = int(root["board"]["size"])
    memories = Memories(Room(size, IN_TIME if playouts is None else playouts))
    with announced([run_playouts, *policy.functions], "for playouts"):
        workers = [Worker(policy, memories, size=size, seed=seed, number=i) for i in range(threads)]
        totals = [np.zeros(1, TOTALS)[0] for _ in workers]
        run_playouts(root, workers[0].sim, workers[0].moves, workers[0].record, totals[0], 0)
    started, cpu_started = time.perf_counter(), time.process_time()
    stop = Event()
    deadline = None if seconds is None else started + seconds

    def work(number: int) -> None:
        share = None if playouts is None else playouts // threads + (number < playouts % threads)
        try:
            _run_batches(root, workers[number], totals[number], share, deadline, stop, on_batch)
        except BaseException:
            stop.set()
            raise

    interrupted = _in_threads(work, threads, stop)
    elapsed, cpu_elapsed = time.perf_counter() - started, time.process_time() - cpu_started
    return _sum(workers, totals, elapsed, cpu_elapsed, interrupted)


@kernel
def run_ownership(root: Root, sim: Simulation, moves: Candidates, policy: Any, owned: np.ndarray, count: int) -> None:
    """Run `count` simulations as `run_playouts` does; for each add one to ``owned[owner, point]`` at every point.

    The owner is BLACK, WHITE or EMPTY for neither: `owned` has WALL rows of POINTS integers.
    """
    for _ in range(count):
        begin(sim, policy, root)
        playout(sim, moves, policy)
        find_owners(sim)
        for p in range(POINTS):
            if sim.board.color[p] != WALL:
                owned[sim.owner[p], p] += 1


def estimate_ownership(policy: Policy, root: Root, *, playouts: int, seed: int = 1) -> np.ndarray:
    """Return Black's share of every point over some playouts from `root`; a neutral point counts one half.

    The same seed gives the same shares, for each side to play its own. Raises PartError if a part fails.
    """
    board = root["board"]
    owned = np.zeros((WALL, POINTS), np.int64)
    with announced([run_ownership, *policy.functions], "for playouts"):
        worker = Worker(policy, Memories(), size=int(board["size"]), seed=seed, number=int(board["to_play"]))
        for done in range(0, playouts, BATCH):
            try:
                run_ownership(root, worker.sim, worker.moves, worker.record, owned, min(BATCH, playouts - done))
            except Exception as error:
                raise worker.explain(error) from error
    return (owned[BLACK] + owned[EMPTY] / 2) / np.maximum(1, owned.sum(axis=0))


def play_out(policy: Policy, root: Root, *, seed: int = 1) -> Iterator[tuple[int, Any]]:
    """One playout, move by move: each move with the board after it (the same record each time).

    >>> from kikashi.board import new_board
    >>> from kikashi.playout import make_policy, new_root
    >>> moves = [move for move, board in play_out(make_policy("uniform"), new_root(new_board(3)), seed=1)]
    >>> moves[-2:]
    [0, 0]
    """
    with announced([choose, *policy.functions], "for playouts"):
        worker = Worker(policy, Memories(), size=int(root["board"]["size"]), seed=seed)
        begin(worker.sim, worker.record, root)
        while worker.sim["passes"] < 2 and worker.sim["length"] < worker.record["move_limit"] + HISTORY:
            move = choose(worker.sim, worker.moves, worker.record)
            make_move(worker.sim, worker.record, move)
            yield int(move), worker.sim["board"]


def _in_threads(work: Callable[[int], None], threads: int, stop: Event) -> bool:
    """Run `work` in each thread to the end; True if Ctrl-C made it end early."""
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in [pool.submit(work, number) for number in range(threads)]:
                done.result()
        except KeyboardInterrupt:
            stop.set()
            return True
    return False


def _run_batches(
    root: Root,
    worker: Worker,
    totals: Any,
    share: int | None,
    deadline: float | None,
    stop: Event,
    on_batch: Callable[[Worker], None] | None,
) -> None:
    while not stop.is_set() and (deadline is None or time.perf_counter() < deadline):
        batch = BATCH if share is None else min(BATCH, share - int(totals["playouts"]))
        if batch == 0:
            return
        try:
            run_playouts(root, worker.sim, worker.moves, worker.record, totals, batch)
        except Exception as error:
            raise worker.explain(error) from error
        if on_batch is not None:
            on_batch(worker)


def _sum(workers: list[Worker], totals: list[Any], seconds: float, cpu_seconds: float, interrupted: bool) -> Totals:
    moves_by: dict[str, int] = {}
    for worker in workers:
        for name, count in worker.moves_by().items():
            moves_by[name] = moves_by.get(name, 0) + count
    return Totals(
        playouts=sum(int(total["playouts"]) for total in totals),
        moves=sum(int(total["moves"]) for total in totals),
        moves_by=moves_by,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        interrupted=interrupted,
        scores=np.sum([total["scores"] for total in totals], axis=0),
    )
