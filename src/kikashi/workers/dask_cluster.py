"""An executor on a Dask cluster: that of a scheduler elsewhere, or one inside this process.

Dask gives the tasks of a lost worker to others. Here every task is one future of `concurrent.futures`, and so its
result is counted once.
"""

from __future__ import annotations

import logging
import signal
import threading
import uuid
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker, LocalCluster, get_worker
from distributed.comm import get_address_host_port

from kikashi.workers.dask_worker import Answer, Job, OtherVersion, end_client, make_job, run_job, version
from kikashi.workers.processes import Begin, WorkerDied

CONNECT_SECONDS = 20
CLOSE_SECONDS = 10
LOST = "the Dask scheduler was lost"
Tell = Callable[[str], None]


class WorkersLost(WorkerDied):
    """Workers were lost, one after another, at the same task."""

    def __str__(self) -> str:
        return f"several workers of the cluster were lost, one after another,{self.about or ' at one task'}"


class DaskExecutor(Executor):
    """An executor over the workers of a cluster."""

    def __init__(self, scheduler: str, count: int, begin: Begin, tell: Tell) -> None:
        """Connect to a scheduler by its address or the file it has written; if empty, start `count` workers here.

        Processes that run tasks call `begin` first. Raises ValueError or OSError if there is no such cluster.
        """
        self._scheduler, self._begin, self._tell = scheduler, begin, tell
        self._client_id = uuid.uuid4().hex
        self._closing = False
        self._capacity = 1
        self._cluster: Any = None
        self._client: Any = None
        try:
            with _quiet():
                self._cluster = None if scheduler else _local_cluster(count)
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
            remote = self._client.submit(_run, version(), job, key=key, pure=False)
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


def _run(required: str, job: Job) -> Answer:
    """Run a task in a worker. The scheduler cancels it when its client is gone."""
    worker = get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return run_job(required, job, worker.local_directory, is_cancelled)


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
    """Whether Dask can show a dashboard: its libraries are not part of the extra."""
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
