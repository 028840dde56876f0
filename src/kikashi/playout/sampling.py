"""Many playouts from one position, in threads that release the GIL, and their totals."""

import time
from collections import Counter
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
"""Playouts between two checks of the clock: a few milliseconds."""
TIMED_PLAYOUTS = 20_000
"""Playouts that memories have room for if a time is given."""


@dataclass(frozen=True)
class Totals:
    """Totals of some playouts."""

    playouts: int
    moves: int
    moves_by: dict[str, int]
    """Numbers of moves by heuristic, of uniform moves and of passes."""
    seconds: float
    cpu_seconds: float
    interrupted: bool
    scores: np.ndarray = field(repr=False)
    """Playouts by area score, Black minus White, from ``-MAX_SIZE**2``."""

    def black_wins(self, komi: float) -> float:
        """Return Black's win rate; a draw counts one half."""
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
    """Run a number of playouts, or as many as fit into a time, from `root`; call `on_batch` after each batch.

    With one thread and a number of playouts, the same seed gives the same totals. Ctrl-C ends early, with the totals so
    far. Raises PartError if a part fails.
    """
    if (playouts is None) == (seconds is None):
        raise ValueError("give either a number of playouts or a number of seconds")
    if seconds is not None and not 0 < seconds < 1e7:
        raise ValueError(f"seconds must be above 0 and below ten million, not {seconds}")
    size = int(root["board"]["size"])
    memories = Memories(Room(size, TIMED_PLAYOUTS if playouts is None else playouts))
    with announced([run_playouts, *policy.functions], "for playouts"):
        workers = [Worker(policy, memories, size=size, seed=seed, number=i) for i in range(threads)]
        totals = [np.zeros(1, TOTALS)[0] for _ in workers]
        run_playouts(root, workers[0].sim, workers[0].moves, workers[0].record, totals[0], 0)
    started, cpu_started = time.perf_counter(), time.process_time()
    stop = Event()

    def work(number: int) -> None:
        worker, total = workers[number], totals[number]
        own = np.inf if playouts is None else playouts // threads + (number < playouts % threads)
        try:
            while not stop.is_set() and (seconds is None or time.perf_counter() < started + seconds):
                batch = int(min(BATCH, own - int(total["playouts"])))
                if batch == 0:
                    return
                try:
                    run_playouts(root, worker.sim, worker.moves, worker.record, total, batch)
                except Exception as error:
                    raise worker.explain(error) from error
                if on_batch is not None:
                    on_batch(worker)
        except BaseException:
            stop.set()
            raise

    interrupted = False
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in [pool.submit(work, number) for number in range(threads)]:
                done.result()
        except KeyboardInterrupt:
            stop.set()
            interrupted = True
    moves_by: Counter[str] = Counter()
    for worker in workers:
        moves_by.update(worker.moves_by())
    return Totals(
        playouts=sum(int(total["playouts"]) for total in totals),
        moves=sum(int(total["moves"]) for total in totals),
        moves_by=dict(moves_by),
        seconds=time.perf_counter() - started,
        cpu_seconds=time.process_time() - cpu_started,
        interrupted=interrupted,
        scores=np.sum([total["scores"] for total in totals], axis=0),
    )


@kernel
def run_ownership(root: Root, sim: Simulation, moves: Candidates, policy: Any, owned: np.ndarray, count: int) -> None:
    """Run `count` simulations as `run_playouts` does; for each add one to ``owned[owner, point]`` at every point.

    The owner is BLACK, WHITE or, for neither, EMPTY: `owned` has WALL rows of POINTS integers.
    """
    for _ in range(count):
        begin(sim, policy, root)
        playout(sim, moves, policy)
        find_owners(sim)
        for p in range(POINTS):
            if sim.board.color[p] != WALL:
                owned[sim.owner[p], p] += 1


def estimate_ownership(policy: Policy, root: Root, *, playouts: int, seed: int = 1) -> np.ndarray:
    """Return Black's ownership of every point, from 0 to 1, over some playouts from `root`; neutral points count half.

    The same seed and side to play give the same result. Raises PartError if a part fails.
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
    """Yield the moves of one playout, each with the board after it (the same record each time).

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
