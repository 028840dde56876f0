"""Where work is done: processes of this machine, or the ranks of an MPI job."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Any

from kikashi.lab.match import Workers

EXECUTORS = ("processes", "mpi")


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
