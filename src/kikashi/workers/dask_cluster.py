"""An executor on a Dask cluster: that of a scheduler elsewhere, or one inside this process.

Dask gives the tasks of a lost worker to others. Here every task is one future of `concurrent.futures`, and so its
result is counted once. A worker runs tasks in processes of its own, so that a game that crashes or hangs ends neither
the worker nor other games, and is reported as one of this machine; it returns the files that the task wrote.
"""

import dataclasses
import logging
import os
import platform
import signal
import tempfile
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker, LocalCluster, get_worker
from distributed.comm import get_address_host_port

from kikashi.engine import machine
from kikashi.workers.processes import Begin, ProcessExecutor, WorkerDied
from kikashi.workers.serialization import pack, unpack, version

CONNECT_SECONDS = 20
CLOSE_SECONDS = 10
LOST = "the Dask scheduler was lost"
Tell = Callable[[str], None]
TRAVELLING = ("KIKASHI_", "NUMBA_")
"""Prefixes of the environment variables that travel with a task."""
LOCAL = {"KIKASHI_CACHE", "KIKASHI_TRUST_CACHE", "NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}
"""Variables of one machine, which do not."""
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


def make_job(client: str, begin: Begin, work: Callable[[Any], Any], task: Any) -> Job:
    """Pack a task with its files and environment. Raises OSError and FileChanged."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(TRAVELLING) and name not in LOCAL}
    return Job(client, variables, begin, pack((work, task)))


# --- the executor -----------------------------------------------------------------------------------------------------


class WorkersLost(WorkerDied):
    """Workers were lost, one after another, at the same task."""

    def __str__(self) -> str:
        return f"several workers of the cluster were lost, one after another,{self.about or ' at one task'}"


class DaskExecutor(Executor):
    """An executor over the workers of a cluster."""

    def __init__(self, scheduler: str, count: int | None, begin: Begin, tell: Tell) -> None:
        """Connect to a scheduler by its address or the file it has written; if empty, start a cluster here.

        It runs `count` tasks at a time, or what the cluster can, in processes that call `begin` first. Raises
        ValueError or OSError if there is no such cluster.
        """
        self._scheduler, self._begin, self._tell = scheduler, begin, tell
        self._client_id = uuid.uuid4().hex
        self._closing = False
        self._count, self._capacity = count, 1
        self._cluster: Any = None
        self._client: Any = None
        try:
            with _quiet():
                self._cluster = None if scheduler else _local_cluster(count or machine.cores())
                self._client = _connected(self._cluster or scheduler)
            self._workers = set(self._client.nthreads())
            self._client.subscribe_topic("all", self._on_event)
        except BaseException:
            self.kill()
            raise
        if self._cluster is not None and _has_dashboard():
            tell(f"the cluster's dashboard: {self._cluster.dashboard_link}")
        if not self._workers:
            tell(f"the scheduler at {scheduler} has no workers yet: the games wait for them")

    @property
    def capacity(self) -> int:
        """Current number of tasks at a time, at least one."""
        if self._count is not None:
            return self._count
        with suppress(Exception):  # the tasks report a lost scheduler
            self._capacity = max(1, sum(self._client.nthreads().values()))
        return self._capacity

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        """Run `work(task)`. It cannot be cancelled: the cluster may have begun with it."""
        (task,) = arguments
        job = make_job(self._client_id, self._begin, work, task)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            key = f"kikashi-{self._client_id}-{uuid.uuid4().hex}"
            remote = self._client.submit(_run_at_worker, version(), job, key=key, pure=False)
        except Exception as error:
            raise BrokenExecutor(LOST) from error
        remote.add_done_callback(partial(self._arrived, future, getattr(task, "folder", "")))
        return future

    def _arrived(self, future: Future[Any], folder: str, remote: Any) -> None:
        """Pass on the result or the failure of a task."""
        try:
            future.set_result(self._answer(remote).unpacked(folder))
        except BaseException as error:
            future.set_exception(error)

    def _answer(self, remote: Any) -> Answer:
        if self._closing or remote.status in ("cancelled", "lost"):  # there is no result to wait for
            raise BrokenExecutor(LOST)
        try:
            answer: Answer = remote.result()
        except OtherVersion:
            raise
        except KilledWorker as error:
            raise WorkersLost(None) from error
        except (CancelledError, OSError) as error:
            raise BrokenExecutor(LOST) from error
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())
            raise ValueError(
                f"the cluster cannot take a task ({text}); scheduler and workers need {version()} as well"
            ) from error
        return answer

    def _on_event(self, event: tuple[float, Any]) -> None:
        """Report a worker that is lost, from an event of the cluster."""
        what = event[1]
        if self._closing or not isinstance(what, dict):
            return
        address = what.get("worker")
        if what.get("action") == "add-worker":
            self._workers.add(address)
        elif what.get("action") == "remove-worker":
            self._workers.discard(address)
            ours = any(self._client_id in str(key) for key in what.get("processing-tasks", ()))
            then = "its games are played again" if ours else "it had no game to play"
            left = "" if self._workers else "; no worker is left, and the games wait for one"
            if ours or left:
                self._tell(f"the worker at {address} was lost: {then}{left}")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, or end our own. All tasks are expected to be done."""
        self.kill()

    def kill(self) -> None:
        """End all tasks, and leave the cluster or end our own."""
        self._closing = True
        if self._client is not None:
            if self._cluster is None:
                _in_time(partial(self._client.run, end_client, self._client_id, on_error="ignore"))
            else:
                end_client(self._client_id)
            _in_time(partial(self._client.close, timeout=CLOSE_SECONDS))
        if self._cluster is not None:
            _in_time(partial(self._cluster.close, timeout=CLOSE_SECONDS))


def _connected(scheduler: Any) -> Any:
    """Return a client of a scheduler: its cluster, its address or its file. Raises ValueError and OSError."""
    if not isinstance(scheduler, str):
        return Client(scheduler, set_as_default=False)
    is_file = scheduler.endswith(".json")
    if is_file and not Path(scheduler).is_file():
        raise ValueError(f"no scheduler has written the file {scheduler}")
    try:
        if is_file:
            return Client(scheduler_file=scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        address = scheduler if "://" in scheduler else f"tcp://{scheduler}"
        get_address_host_port(address, strict=True)
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except OSError as error:
        raise OSError(f"no Dask scheduler has answered at {scheduler} in {CONNECT_SECONDS} seconds") from error
    except ValueError as error:
        raise ValueError(f"a scheduler's address is as tcp://host:8786, not {scheduler!r} ({error})") from error


def _local_cluster(count: int) -> Any:
    """Start a cluster inside this process; tasks run in processes of their own. Raises OSError if it does not start.

    Anyone who reaches a scheduler or a worker can run code there. So neither has an address outside this process.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # threads inherit it
    try:
        return LocalCluster(
            n_workers=1,
            threads_per_worker=count,
            processes=False,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",  # it only shows; without a dashboard it has a few pages of text
            worker_dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
    except (RuntimeError, ValueError) as error:
        raise OSError(f"a Dask cluster does not start here: {' '.join(str(error).split())}") from error
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _has_dashboard() -> bool:
    """Return whether Dask can show a dashboard: its libraries are not part of the extra."""
    try:
        import distributed.dashboard.scheduler
    except ImportError:
        return False
    return bool(distributed.dashboard.scheduler)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's own messages."""
    for name in ["distributed", "tornado", "bokeh", "asyncio", *logging.root.manager.loggerDict]:
        if name.startswith(("distributed", "tornado", "bokeh", "asyncio")):  # each has a level of its own
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _in_time(work: Callable[[], Any]) -> None:
    """Do something that others may block, for at most twice CLOSE_SECONDS."""

    def quietly() -> None:
        with suppress(Exception):
            work()

    thread = threading.Thread(target=quietly, daemon=True)
    thread.start()
    thread.join(2 * CLOSE_SECONDS)


# --- at the worker ----------------------------------------------------------------------------------------------------


class _Pool:
    """The processes of one client. They end when none has had a task for a while: the client may be gone."""

    def __init__(self, job: Job, scratch: str | None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kikashi-", dir=scratch, ignore_cleanup_errors=True)
        self._processes = ProcessExecutor(1, job.begin, os.getpid(), job.environment)
        self.tasks = 0
        self.timer: threading.Timer | None = None

    def run(self, data: bytes, is_cancelled: IsCancelled) -> Answer:
        """Run a task in a process."""
        with tempfile.TemporaryDirectory(dir=self._folder.name, ignore_cleanup_errors=True) as folder:
            result, failure = None, None
            try:
                result = self._processes.run(_run, (data, folder, self._folder.name), is_cancelled=is_cancelled)
            except Exception as error:
                failure = error
            paths = [path for path in Path(folder).rglob("*") if path.is_file()]
            files = {str(path.relative_to(folder)): path.read_bytes() for path in paths}
        return Answer(result, failure, files)

    def end(self) -> None:
        """End all processes at once."""
        self._processes.kill()
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
    with _LOCK:
        pool = _POOLS[job.client] = _POOLS.get(job.client) or _Pool(job, scratch)
        pool.tasks += 1
        if pool.timer is not None:
            pool.timer.cancel()
    try:
        return pool.run(job.data, is_cancelled)
    finally:
        with _LOCK:
            pool.tasks -= 1
            if not pool.tasks:
                pool.timer = threading.Timer(LINGER, end_client, (job.client, pool))
                pool.timer.daemon = True
                pool.timer.start()


def end_client(client: str, idle: _Pool | None = None) -> None:
    """End the processes of a client at once; those of a pool only if it is still idle."""
    with _LOCK:
        pool = _POOLS.get(client)
        if pool is None or (idle is not None and (pool is not idle or pool.tasks)):
            return
        del _POOLS[client]
    pool.end()


def _run(data: bytes, folder: str, unpacked: str) -> Any:
    """Unpack a task and run it, in a process; it writes into a folder of this machine."""
    work, task = unpack(data, Path(unpacked) / str(os.getpid()))
    if hasattr(task, "folder"):
        task = dataclasses.replace(task, folder=folder)
    return work(task)


def _run_at_worker(required: str, job: Job) -> Answer:
    """Run a task in a worker. The scheduler cancels it when its client is gone."""
    worker = get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return run_job(required, job, worker.local_directory, is_cancelled)
