"""The worker's side of a cluster: it runs tasks in processes of its own and returns the files that they wrote.

So a game that crashes or hangs ends neither the worker nor other games, and is reported as one of this machine.
Nothing here depends on the library that has brought the task.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import platform
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from kikashi import __version__
from kikashi.jit import PACKAGE
from kikashi.workers.processes import Begin, Process, WorkerDied, start_process
from kikashi.workers.serialization import pack, unpack

TRAVELLING = ("KIKASHI_", "NUMBA_")
"""Prefixes of the environment variables that travel with a task."""
LOCAL = {"KIKASHI_CACHE", "KIKASHI_TRUST_CACHE", "NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}
"""Variables of one machine, which do not."""
INTERVAL = 0.5
"""Seconds between two checks for cancelled tasks."""
LINGER = 10.0
"""Seconds that idle processes wait for a task."""
IsCancelled = Callable[[], bool]


@dataclass(frozen=True)
class Job:
    """A task on its way to a worker."""

    client: str
    """Id of the client: each has processes of its own."""
    environment: Mapping[str, str]
    begin: Begin
    data: bytes
    """The packed function and its argument."""


@dataclass(frozen=True)
class Answer:
    """The outcome of a task."""

    result: Any = None
    error: Exception | None = None
    """Exception of the task, or WorkerDied."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Content of the files in the task's folder."""

    def unpacked(self, folder: str) -> Any:
        """Write the files into a folder and return the result. Raises what the task has raised."""
        for name, data in self.files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if self.error is not None:
            raise self.error
        return self.result


class OtherVersion(ValueError):
    """A worker has another version of kikashi."""


@cache
def version() -> str:
    """Return the version of kikashi with a hash of its sources."""
    digest = hashlib.sha256()
    for source in sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".toml")):
        digest.update(source.relative_to(PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return f"kikashi {__version__} ({digest.hexdigest()[:8]})"


def make_job(client: str, begin: Begin, work: Callable[[Any], Any], task: Any) -> Job:
    """Pack a task with its files and environment. Raises OSError and FileChanged."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(TRAVELLING) and name not in LOCAL}
    return Job(client, variables, begin, pack((work, task)))


# --- at the worker ----------------------------------------------------------------------------------------------------


class _Pool:
    """The processes of one client. A process ends when its task is cancelled, all of them when none has a task."""

    def __init__(self, job: Job, scratch: str | None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kikashi-", dir=scratch, ignore_cleanup_errors=True)
        self._job = job
        self._idle: list[Process] = []
        self._busy: dict[Process, IsCancelled] = {}
        self.tasks = 0
        self._is_ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        idle = 0
        while not self._is_ended.wait(INTERVAL):
            for process, is_cancelled in list(self._busy.items()):
                if is_cancelled():
                    process.kill()
            idle = 0 if self.tasks else idle + 1
            if idle * INTERVAL > LINGER:
                _end_idle(self)

    def run(self, data: bytes, is_cancelled: IsCancelled) -> Answer:
        """Run a task in an idle process, or a new one."""
        job = self._job
        process = self._idle.pop() if self._idle else start_process(job.begin, os.getpid(), job.environment)
        self._busy[process] = is_cancelled
        with tempfile.TemporaryDirectory(dir=self._folder.name, ignore_cleanup_errors=True) as folder:
            result, failure = None, None
            try:
                result = process.run(_run, (data, folder, self._folder.name), {})
            except Exception as error:
                failure = error
            paths = [path for path in Path(folder).rglob("*") if path.is_file()]
            files = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
        del self._busy[process]
        if not isinstance(failure, WorkerDied):
            self._idle.append(process)
        return Answer(result, failure, files)

    def end(self) -> None:
        """End all processes at once."""
        self._is_ended.set()
        for process in [*self._idle, *self._busy]:
            process.kill()
        for process in self._idle:
            process.end()
        self._folder.cleanup()


_POOLS: dict[str, _Pool] = {}
_LOCK = threading.Lock()


def run_job(required: str, job: Job, scratch: str | None = None, is_cancelled: IsCancelled = lambda: False) -> Answer:
    """Run a task here, with files below the folder `scratch`, until it ends or is cancelled.

    Raises OtherVersion if this is not the required version.
    """
    if version() != required:
        raise OtherVersion(
            f"a worker on {platform.node()} has {version()}, but this is {required}: install the same on both"
        )
    pool = _pool_of(job, scratch)
    try:
        return pool.run(job.data, is_cancelled)
    finally:
        with _LOCK:
            pool.tasks -= 1


def end_client(client: str) -> None:
    """End the processes of a client at once."""
    with _LOCK:
        pool = _POOLS.pop(client, None)
    if pool is not None:
        pool.end()


def _end_idle(pool: _Pool) -> None:
    """End a pool if it is still idle: its client may be gone."""
    with _LOCK:
        clients = [client for client, known in _POOLS.items() if known is pool and not pool.tasks]
        for client in clients:
            del _POOLS[client]
    if clients:
        pool.end()


def _pool_of(job: Job, scratch: str | None) -> _Pool:
    """Return the pool of a job's client, with one more task. End idle pools if it is new: their clients may be gone."""
    with _LOCK:
        if job.client not in _POOLS:
            for client in [client for client, pool in _POOLS.items() if not pool.tasks]:
                _POOLS.pop(client).end()
            _POOLS[job.client] = _Pool(job, scratch)
        pool = _POOLS[job.client]
        pool.tasks += 1
        return pool


def _run(data: bytes, folder: str, unpacked: str) -> Any:
    """Unpack a task and run it, in a process; it writes into a folder of this machine."""
    work, task = unpack(data, Path(unpacked) / str(os.getpid()))
    if hasattr(task, "folder"):
        task = dataclasses.replace(task, folder=folder)
    return work(task)
