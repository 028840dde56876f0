"""What a worker of a cluster does: it has tasks done by processes of its own, and sends back what they wrote.

A game that crashes or hangs so takes neither the worker nor the other games with it, and is told as if it had been
played by a process of this machine. Nothing here knows which library has brought the task.
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
from kikashi.workers.processes import Begin, Process, WorkerDied, started_with
from kikashi.workers.serialization import pack, unpack

TRAVELLING = ("KIKASHI_", "NUMBA_")
"""How the variables begin that travel with a task."""
AT_HOME = {"KIKASHI_CACHE", "KIKASHI_TRUST_CACHE", "NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}
"""Those of them that say something about one machine."""


LOOK = 0.5
"""Seconds between two looks whether tasks are still wanted."""
LINGER = 10.0
"""Seconds that processes without a task wait for another."""
IsWanted = Callable[[], bool]


@dataclass(frozen=True)
class Job:
    """A task on its way to a worker."""

    crew: str
    """Who asks: processes are kept for each."""
    environment: Mapping[str, str]
    begin: Begin
    data: bytes
    """What is to be called, with what, both packed."""


@dataclass(frozen=True)
class Answer:
    """What a task came to."""

    result: Any = None
    error: Exception | None = None
    """What it raised, or WorkerDied if its process has died."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """What was written into the task's folder."""

    def unpacked(self, folder: str) -> Any:
        """The result, with the files in a folder. Raises what the task has raised."""
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
    """This version of kikashi, as exactly as games depend on it."""
    digest = hashlib.sha256()
    for source in sorted(path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".toml")):
        digest.update(source.relative_to(PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return f"kikashi {__version__} ({digest.hexdigest()[:8]})"


def make_job(crew: str, begin: Begin, work: Callable[[Any], Any], task: Any) -> Job:
    """A task with all that it needs elsewhere. Raises OSError and FileChanged."""
    found = {name: value for name, value in os.environ.items() if name.startswith(TRAVELLING) and name not in AT_HOME}
    return Job(crew, found, begin, pack((work, task)))


# --- at the worker ----------------------------------------------------------------------------------------------------


class _Pool:
    """The processes of one crew. One whose task nobody wants any more is ended, and so are all when none has a task."""

    def __init__(self, job: Job, scratch: str | None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kikashi-", dir=scratch, ignore_cleanup_errors=True)
        self._job = job
        self._idle: list[Process] = []
        self._busy: dict[Process, IsWanted] = {}
        self.tasks = 0
        """How many are being done."""
        self._is_ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        idle = 0
        while not self._is_ended.wait(LOOK):
            for process, is_wanted in list(self._busy.items()):
                if not is_wanted():
                    process.kill()
            idle = 0 if self.tasks else idle + 1
            if idle * LOOK > LINGER:
                _end_idle(self)

    def do(self, data: bytes, is_wanted: IsWanted) -> Answer:
        """Have a task done by a process that is idle, or a new one."""
        process = self._idle.pop() if self._idle else started_with(self._job.environment)(self._job.begin, os.getpid())
        self._busy[process] = is_wanted
        with tempfile.TemporaryDirectory(dir=self._folder.name, ignore_cleanup_errors=True) as folder:
            answer = _asked(process, (data, folder, self._folder.name))
            answer = dataclasses.replace(answer, files=_files_in(Path(folder)))
        del self._busy[process]
        if not isinstance(answer.error, WorkerDied):
            self._idle.append(process)
        return answer

    def end(self) -> None:
        """Whatever they are at."""
        self._is_ended.set()
        for process in [*self._idle, *self._busy]:
            process.kill()
        for process in self._idle:
            process.end()
        self._folder.cleanup()


def _asked(process: Process, arguments: tuple[Any, ...]) -> Answer:
    try:
        return Answer(result=process.do(_do, arguments, {}))
    except Exception as error:
        return Answer(error=error)


_POOLS: dict[str, _Pool] = {}
_LOCK = threading.Lock()


def do_job(wanted: str, job: Job, scratch: str | None = None, is_wanted: IsWanted = lambda: True) -> Answer:
    """Have a task done here; files go below the folder `scratch`. Once it is not wanted any more, its process is ended.

    Raises OtherVersion if this is not the version that is wanted.
    """
    if version() != wanted:
        raise OtherVersion(
            f"a worker on {platform.node()} has {version()}, but this is {wanted}: install the same on both"
        )
    pool = _pool_of(job, scratch)
    try:
        return pool.do(job.data, is_wanted)
    finally:
        with _LOCK:
            pool.tasks -= 1


def end_games(crew: str) -> None:
    """End the processes of a crew, whatever they are at."""
    with _LOCK:
        pool = _POOLS.pop(crew, None)
    if pool is not None:
        pool.end()


def _end_idle(pool: _Pool) -> None:
    """End a pool that still has nothing to do: nobody can tell whether its client lives."""
    with _LOCK:
        crews = [crew for crew, known in _POOLS.items() if known is pool and not pool.tasks]
        for crew in crews:
            del _POOLS[crew]
    if crews:
        pool.end()


def _pool_of(job: Job, scratch: str | None) -> _Pool:
    """The pool of a job's crew, with one more task. Those that have nothing to do go: their client may be gone."""
    with _LOCK:
        if job.crew not in _POOLS:
            for crew in [crew for crew, pool in _POOLS.items() if not pool.tasks]:
                _POOLS.pop(crew).end()
            _POOLS[job.crew] = _Pool(job, scratch)
        pool = _POOLS[job.crew]
        pool.tasks += 1
        return pool


def _files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _do(data: bytes, folder: str, shelf: str) -> Any:
    """In a process: unpack a task and do it; what it writes goes into a folder of this machine."""
    work, task = unpack(data, Path(shelf) / str(os.getpid()))
    if hasattr(task, "folder"):
        task = dataclasses.replace(task, folder=folder)
    return work(task)
