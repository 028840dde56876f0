"""Where work is done: processes of this machine, the ranks of an MPI job, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from kikashi.engine import machine
from kikashi.jit import compile_silently
from kikashi.protocols.gtp.process_group import end_session
from kikashi.wording import missing_extra
from kikashi.workers.pauses import pauses
from kikashi.workers.processes import Processes
from kikashi.workers.watchdog import this_is_a_worker

EXECUTORS = ("processes", "mpi", "dask")
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
    places: Callable[[Executor], int] | None = None
    """How many games an executor plays at a time by now, where workers come and go."""


def make_workers(
    name: str, count: int | None = None, *, scheduler: str = "", tell: Callable[[str], None] = lambda _line: None
) -> Workers:
    """Workers of a kind in EXECUTORS; a count of None is as many as there is room for.

    `scheduler` is the address of a Dask scheduler; `tell` hears what a person should know. Raises ValueError if there
    are no workers of that kind here.
    """
    if scheduler and name != "dask":
        raise ValueError(f"a scheduler is for the executor dask, not for {name}")
    if name == "dask":
        return _dask(scheduler, count, tell)
    count = count or machine.cores()
    if name == "processes":
        return Workers(lambda: Processes(count, _begin, os.getpid()), count, _kill)
    if name == "mpi":
        return _mpi()
    raise ValueError(f"an executor is one of {', '.join(EXECUTORS)}, not {name!r}")


def _begin(parent: int) -> None:
    """In a worker: Ctrl-C is the parent's business, and without a parent there is nothing left to do.

    A worker and the engines it starts are a session, which ends as one.
    """
    _begin_anywhere()
    if os.getsid(0) != os.getpid():
        os.setsid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        end_session(os.getpid())
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def _begin_anywhere() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    compile_silently()  # the parent draws its progress on the same screen
    this_is_a_worker()


def _kill(executor: Executor) -> None:
    if isinstance(executor, Processes):
        executor.kill()


def _mpi() -> Workers:
    try:
        from mpi4py import MPI
        from mpi4py.futures import MPIPoolExecutor
    except (ImportError, RuntimeError) as error:
        raise ValueError(missing_extra("--executor mpi", "mpi", error)) from None
    ranks = int(MPI.COMM_WORLD.Get_size())
    if ranks < 2:
        raise ValueError(
            "start it as `mpiexec -n RANKS python -m mpi4py.futures -m kikashi match …`, with two ranks at least"
        )

    def leave() -> None:  # else the other ranks would finish their games first
        MPI.COMM_WORLD.Abort(130)

    return Workers(lambda: MPIPoolExecutor(initializer=_begin_anywhere), ranks - 1, leave=leave)


def _dask(scheduler: str, count: int | None, tell: Callable[[str], None]) -> Workers:
    try:
        from kikashi.workers.dask_cluster import DaskExecutor
    except ImportError as error:
        raise ValueError(missing_extra("--executor dask", "dask", error)) from None

    def places(executor: Executor) -> int:
        return executor.places if isinstance(executor, DaskExecutor) and count is None else count or 1

    def kill(executor: Executor) -> None:
        if isinstance(executor, DaskExecutor):
            executor.kill()

    def leave() -> None:  # Dask's threads may wait for each other for ever when Python ends after Ctrl-C
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)

    at_a_time = count or machine.cores()
    return Workers(lambda: DaskExecutor(scheduler, at_a_time, _begin, tell), at_a_time, kill, leave, places)


# --- working ----------------------------------------------------------------------------------------------------------

Settle = Callable[[Any, BrokenExecutor], Any]
"""What a task came to whose worker died; None if it is to be done again."""
Further = Callable[[], Iterable[Any]]
"""Tasks that follow from the results so far."""


def run_all(
    tasks: Sequence[Any],
    work: Callable[[Any], Any],
    workers: Workers,
    note: Callable[[Any], None],
    is_needed: Callable[[Any], bool] = lambda _task: True,
) -> None:
    """Have tasks done by workers and note each result as it comes, until no task is left that is needed.

    A pool that breaks down, because a worker was killed for one, is replaced and its tasks are done again.
    """
    with Crew(workers) as crew:
        crew.run(tasks, work, note, is_needed)


class Crew:
    """Workers that stay for several lots of tasks. Use it as a context manager: an error ends them at once."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._executor: Executor | None = None

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._executor is not None:
            if kind is None:
                self._executor.shutdown()
            else:
                self._workers.stop(self._executor)

    def run(
        self,
        tasks: Sequence[Any],
        work: Callable[[Any], Any],
        note: Callable[[Any], None],
        is_needed: Callable[[Any], bool] = lambda _task: True,
        settle: Settle = lambda _task, _error: None,
        further: Further = tuple,
    ) -> None:
        """Have tasks done and note each result as it comes, until no task is left that is needed.

        `is_needed` is asked again about every task after each result: what is known may be enough. `settle` is asked
        about a task whose worker died. `further` is asked after each result for tasks that were not known before.
        Raises OSError after several breakdowns.
        """
        pauses()  # from now on, whether this process is stopped is known
        waiting = deque(task for task in tasks if is_needed(task))
        breakdowns = 0
        while waiting:
            self._executor = self._executor or self._workers.make()
            lot = _Lot(self._executor, self._workers, work, note, is_needed, settle, further)
            waiting = lot.run(waiting)
            if not waiting:
                return
            self._executor.shutdown()
            self._executor = None
            breakdowns += 1
            if breakdowns >= BREAKDOWNS:
                raise OSError(
                    f"the workers broke down {breakdowns} times; what was done is kept and can be resumed"
                    + (f" ({lot.trouble})" if lot.trouble else "")
                )


@dataclass
class _Lot:
    """Tasks that are given to one executor."""

    executor: Executor
    workers: Workers
    work: Callable[[Any], Any]
    note: Callable[[Any], None]
    is_needed: Callable[[Any], bool]
    settle: Settle
    further: Further
    trouble: str = ""
    """What is known about the last breakdown."""

    def run(self, waiting: deque[Any]) -> deque[Any]:
        """Use the executor until all is done, or it breaks down: then return what is left to do."""
        running: dict[Future[Any], Any] = {}  # in the order of the tasks
        undone: list[Any] = []
        broken = False
        while (waiting and not broken) or running:
            room = self._places() + 1  # one in hand, so that no worker waits
            while waiting and not broken and len(running) < room:
                try:
                    running[self.executor.submit(self.work, waiting[0])] = waiting[0]
                    waiting.popleft()
                except BrokenExecutor:
                    broken = True
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in [future for future in running if future in done]:
                task = running.pop(future)
                if not self._is_noted(task, future):
                    undone.append(task)
                    broken = True
                waiting = deque(task for task in [*waiting, *self.further()] if self.is_needed(task))
                undone = [task for task in undone if self.is_needed(task)]
                running = {other: task for other, task in running.items() if self.is_needed(task) or not other.cancel()}
        return deque([*undone, *waiting])

    def _places(self) -> int:
        return self.workers.count if self.workers.places is None else self.workers.places(self.executor)

    def _is_noted(self, task: Any, future: Future[Any]) -> bool:
        """Note the result of a task; False if there is none, because its worker died."""
        try:
            result = future.result()
        except BrokenExecutor as error:
            result = self.settle(task, error)
            if result is None:
                self.trouble = str(error)
                return False
        self.note(result)
        return True
