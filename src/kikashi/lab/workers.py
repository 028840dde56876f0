"""Where work is done: processes of this machine, or the ranks of an MPI job."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

EXECUTORS = ("processes", "mpi")
BREAKDOWNS = 3
"""The number of breakdowns of the workers after which the work is given up."""


@dataclass(frozen=True)
class Workers:
    """Where games are played: a way to make an executor, and how many games it plays at a time."""

    make: Callable[[], Executor]
    count: int
    stop: Callable[[Executor], None] = lambda executor: executor.shutdown(wait=False, cancel_futures=True)
    """Ends an executor without waiting for the games it is at."""
    leave: Callable[[], None] = lambda: None
    """Called last of all after Ctrl-C, when everything has been said."""


def make_workers(name: str, count: int) -> Workers:
    """Workers of a kind in EXECUTORS. Raises ValueError if there are none of that kind here."""
    if name == "processes":
        return Workers(lambda: _processes(count), count, _kill)
    if name == "mpi":
        return _mpi()
    raise ValueError(f"an executor is one of {', '.join(EXECUTORS)}, not {name!r}")


def _processes(count: int) -> Executor:
    """Spawned rather than forked: threads and compiled code do not survive a fork."""
    return ProcessPoolExecutor(
        count, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(os.getpid(),)
    )


def _begin(parent: int) -> None:
    """In a worker: Ctrl-C is the parent's business, and without a parent there is nothing left to do.

    A worker and the engines it starts are a group of processes, which ends as one.
    """
    _ignore_interrupts()
    os.setsid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _kill(executor: Executor) -> None:
    processes: dict[int, Any] = getattr(executor, "_processes", None) or {}
    executor.shutdown(wait=False, cancel_futures=True)
    for process in list(processes.values()):
        with contextlib.suppress(ProcessLookupError):  # it has only just begun, or is gone
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()


def _mpi() -> Workers:
    try:
        from mpi4py import MPI
        from mpi4py.futures import MPIPoolExecutor
    except (ImportError, RuntimeError) as error:
        raise ValueError(f"MPI is not here ({error}); install kikashi[mpi]") from None
    ranks = int(MPI.COMM_WORLD.Get_size())
    if ranks < 2:
        raise ValueError(
            "start it as `mpiexec -n RANKS python -m mpi4py.futures -m kikashi match …`, with two ranks at least"
        )

    def leave() -> None:  # else the other ranks would finish their games first
        MPI.COMM_WORLD.Abort(130)

    return Workers(lambda: MPIPoolExecutor(initializer=_ignore_interrupts), ranks - 1, leave=leave)


# --- working ----------------------------------------------------------------------------------------------------------


def run_all(
    tasks: Sequence[Any],
    work: Callable[[Any], Any],
    workers: Workers,
    note: Callable[[Any], None],
    is_enough: Callable[[], bool] = lambda: False,
) -> None:
    """Have tasks done by workers and note each result as it comes, until all are done or there is enough.

    A pool that breaks down, because a worker was killed for one, is replaced and its tasks are done again.
    """
    waiting = deque([] if is_enough() else tasks)
    breakdowns = 0
    while waiting:
        executor = workers.make()
        try:
            waiting = _use_pool(executor, workers.count, waiting, work, note, is_enough)
        except BaseException:
            workers.stop(executor)
            raise
        executor.shutdown()
        breakdowns += bool(waiting)
        if waiting and breakdowns >= BREAKDOWNS:
            raise OSError(f"the workers broke down {breakdowns} times; what was done is kept and can be resumed")


def _use_pool(
    executor: Executor,
    count: int,
    waiting: deque[Any],
    work: Callable[[Any], Any],
    note: Callable[[Any], None],
    is_enough: Callable[[], bool],
) -> deque[Any]:
    """Use an executor until all is done, or it breaks down: then return what is left to do."""
    running: dict[Future[Any], Any] = {}  # in the order of the tasks
    undone: list[Any] = []
    broken = False
    while (waiting and not broken) or running:
        while waiting and not broken and len(running) < count + 1:  # one in hand, so that no worker waits for us
            try:
                running[executor.submit(work, waiting[0])] = waiting[0]
                waiting.popleft()
            except BrokenExecutor:
                broken = True
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in [future for future in running if future in done]:
            task = running.pop(future)
            try:
                note(future.result())
            except BrokenExecutor:
                undone.append(task)
                broken = True
            if is_enough():
                waiting.clear()
                undone.clear()
                running = {other: task for other, task in running.items() if not other.cancel()}
    return deque([*undone, *waiting])
