"""Executors: processes of this machine, the ranks of an MPI job, or the workers of a Dask cluster."""

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from typing import Any, Self

from kikashi.engine import machine
from kikashi.jit import compile_silently
from kikashi.protocols.gtp.process_group import end_session
from kikashi.wording import missing_extra
from kikashi.workers.processes import ProcessExecutor
from kikashi.workers.watchdog import mark_as_worker, pauses

EXECUTORS = ("processes", "mpi", "dask")
MAX_BREAKDOWNS = 3


@dataclass(frozen=True)
class Workers:
    """A way to make an executor, and the number of tasks that it runs at a time."""

    make: Callable[[], Executor]
    count: int
    leave: Callable[[], None] = lambda: None
    """Called last of all after Ctrl-C, when everything is written."""


def make_workers(
    name: str, count: int | None = None, *, scheduler: str = "", tell: Callable[[str], None] = lambda _line: None
) -> Workers:
    """Return workers of a kind in EXECUTORS; a count of None is one for each core.

    `scheduler` is the address of a Dask scheduler; `tell` receives messages for the user. Raises ValueError if there
    are no workers of that kind here.
    """
    if scheduler and name != "dask":
        raise ValueError(f"a scheduler is for the executor dask, not for {name}")
    if name == "dask":
        return _dask(scheduler, count, tell)
    count = count or machine.cores()
    if name == "processes":
        return Workers(lambda: ProcessExecutor(count, _begin, os.getpid()), count)
    if name == "mpi":
        return _mpi()
    raise ValueError(f"an executor is one of {', '.join(EXECUTORS)}, not {name!r}")


def _begin(parent: int) -> None:
    """Set up a worker: it ignores Ctrl-C, which is the parent's, and ends when its parent is gone.

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
    mark_as_worker()


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

    def leave() -> None:  # Dask's threads may wait for each other for ever when Python ends after Ctrl-C
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(130)

    return Workers(lambda: DaskExecutor(scheduler, count, _begin, tell), count or machine.cores(), leave=leave)


# --- running tasks ----------------------------------------------------------------------------------------------------

IsNeeded = Callable[[Any], bool]
Settle = Callable[[Any, BrokenExecutor], Any]
"""Returns the result of a task whose worker died, or None to run it again."""


def run_all(
    tasks: Sequence[Any],
    work: Callable[[Any], Any],
    workers: Workers,
    note: Callable[[Any], None],
    is_needed: IsNeeded = lambda _task: True,
) -> None:
    """Run tasks once, as `WorkerPool.run` does."""
    with WorkerPool(workers) as pool:
        pool.run(tasks, work, note, is_needed)


class WorkerPool:
    """Workers that stay for many batches of tasks. Use it as a context manager: an error ends them at once."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._executor: Executor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._executor is not None:
            if kind is None:
                self._executor.shutdown()
            elif hasattr(self._executor, "kill"):
                self._executor.kill()
            else:  # MPI's
                self._executor.shutdown(wait=False, cancel_futures=True)

    def run(
        self,
        tasks: Sequence[Any],
        work: Callable[[Any], Any],
        note: Callable[[Any], None],
        is_needed: IsNeeded = lambda _task: True,
        settle: Settle = lambda _task, _error: None,
        more_tasks: Callable[[], Iterable[Any]] = tuple,
    ) -> None:
        """Run tasks and note each result as it comes, until no needed task is left.

        After each result `is_needed` is called again for every task, and `more_tasks` for tasks that follow from the
        results. `settle` is called for a task whose worker died. An executor that breaks down is replaced and its
        tasks run again. Raises OSError after MAX_BREAKDOWNS.
        """
        pauses()  # start to watch for pauses of this process
        waiting = deque(task for task in tasks if is_needed(task))
        for _ in range(MAX_BREAKDOWNS):
            undone: list[Any] = []
            running: dict[Future[Any], Any] = {}  # in the order of the tasks
            cause = ""
            is_broken = False
            while (waiting and not is_broken) or running:
                is_broken = is_broken or not self._submit(waiting, running, work)
                done, _others = wait(running, return_when=FIRST_COMPLETED)
                for future in [future for future in running if future in done]:
                    task = running.pop(future)
                    try:
                        note(future.result())
                    except BrokenExecutor as error:
                        if (result := settle(task, error)) is not None:
                            note(result)
                        else:
                            undone.append(task)
                            is_broken, cause = True, str(error)
                    waiting = deque(task for task in [*waiting, *more_tasks()] if is_needed(task))
                    undone = [task for task in undone if is_needed(task)]
                    running = {one: task for one, task in running.items() if is_needed(task) or not one.cancel()}
            waiting = deque([*undone, *waiting])
            if not waiting:
                return
            if self._executor is not None:
                self._executor.shutdown()
                self._executor = None
        raise OSError(
            f"the workers broke down {MAX_BREAKDOWNS} times; what was done is kept and can be resumed"
            + (f" ({cause})" if cause else "")
        )

    def _submit(self, waiting: deque[Any], running: dict[Future[Any], Any], work: Callable[[Any], Any]) -> bool:
        """Submit tasks until every worker has one, and one more so that none waits; False if the executor is broken."""
        self._executor = self._executor or self._workers.make()
        room = getattr(self._executor, "capacity", self._workers.count) + 1  # Dask's workers come and go
        try:
            while waiting and len(running) < room:
                running[self._executor.submit(work, waiting[0])] = waiting[0]
                waiting.popleft()
        except BrokenExecutor:
            return False
        return True
