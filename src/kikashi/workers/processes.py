"""An executor of processes in which one that dies takes only its own task with it, and how it died is known."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Protocol

from kikashi.protocols.gtp.process_group import end_session

Begin = Callable[[int], None]
Start = Callable[[Begin, int], "Process"]


class WorkerDied(BrokenExecutor):
    """A process died at its task."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code
        self.about = ""
        """What is known about the task."""

    @property
    def signal(self) -> str:
        """The name of the signal that ended it; empty if none did."""
        if self.exit_code is None or self.exit_code >= 0:
            return ""
        try:
            return signal.Signals(-self.exit_code).name
        except ValueError:
            return f"signal {-self.exit_code}"

    def __str__(self) -> str:
        how = f"was ended by {self.signal}" if self.signal else f"ended with code {self.exit_code}"
        return f"a worker {how}{self.about}"


class Processes(Executor):
    """Processes, begun when they are needed, each with a thread here that gives it one task after another."""

    def __init__(self, count: int, begin: Begin, parent: int, start: Start | None = None) -> None:
        """`begin(parent)` is called first in every process; `start` is how one is started, `spawned` if not said."""
        self._threads = ThreadPoolExecutor(count)
        self._start = start or spawned
        self._begin = (begin, parent)
        self._idle: queue.SimpleQueue[Process] = queue.SimpleQueue()
        self._all: list[Process] = []
        self._is_ended = False

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        return self._threads.submit(self._do, work, *arguments, **more)

    def _do(self, work: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        try:
            process = self._idle.get_nowait()
        except queue.Empty:
            process = self._start(*self._begin)
            self._all.append(process)
        if self._is_ended:
            process.kill()
        result = process.do(work, arguments, more)
        self._idle.put(process)
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        for process in self._all:
            process.end()

    def kill(self) -> None:
        """End all processes, and the engines that they have started, whatever they are at."""
        self._is_ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self._all):
            process.kill()


class _Living(Protocol):
    """What the libraries' processes have in common."""

    @property
    def pid(self) -> int | None: ...

    def kill(self) -> None: ...


class Process:
    """One process that does tasks. It is never forked: threads and compiled code do not survive that."""

    def __init__(self, connection: Connection, process: _Living, ended: Callable[[], int | None]) -> None:
        """`ended` waits for the end of the process and returns its exit code."""
        self._connection, self._process, self._ended = connection, process, ended
        self._is_gone = False

    def do(self, work: Callable[..., Any], arguments: tuple[Any, ...], more: dict[str, Any]) -> Any:
        """Have a task done. Raises what it raises, and WorkerDied."""
        try:
            self._connection.send((work, arguments, more))
            is_done, result = self._connection.recv()
        except (EOFError, OSError) as error:
            self.kill()
            raise WorkerDied(self._wait()) from error
        if not is_done:
            raise result
        return result

    def end(self) -> None:
        """Let it go when it has nothing to do."""
        self._connection.close()
        self._wait()

    def kill(self) -> None:
        """End it at once, and what it has started, whether it lives or has left something behind."""
        if self._process.pid is not None and not self._is_gone:
            end_session(self._process.pid)
            self._process.kill()  # it may have only just begun, with no session yet

    def _wait(self) -> int | None:
        """Wait for its end; from then on its number may be somebody else's."""
        code = self._ended()
        self._is_gone = True
        return code


def spawned(begin: Begin, parent: int) -> Process:
    """A process of Python's own kind; a daemon cannot have one."""
    context = multiprocessing.get_context("spawn")
    connection, theirs = context.Pipe()
    process = context.Process(target=_serve_spawned, args=(theirs, begin, parent), daemon=True)
    with _safe_path():
        process.start()
    theirs.close()

    def ended() -> int | None:
        process.join()
        return process.exitcode

    return Process(connection, process, ended)


def started_with(variables: Mapping[str, str]) -> Start:
    """Starts processes as programs of their own, with more variables in their environment; daemons may do so too."""

    def start(begin: Begin, parent: int) -> Process:
        connection, theirs = multiprocessing.Pipe()
        program = f"from {__name__} import serve_at; serve_at({theirs.fileno()})"
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", program],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={**os.environ, **variables},
            start_new_session=True,
        )
        theirs.close()
        with contextlib.suppress(OSError):  # it has died already: whoever gives it a task will see
            connection.send((begin, parent))
        return Process(connection, process, process.wait)

    return start


def serve_at(handle: int) -> None:
    """In a process that `started_with` has started: what it is to begin with arrives first."""
    connection = Connection(handle)
    _serve(connection, *connection.recv())


SAFE_PATH = "PYTHONSAFEPATH"
"""As ``python -P``, which multiprocessing has no way to say: no module is taken from the working directory."""
_STARTING = threading.Lock()


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """Have Python start with `SAFE_PATH` in the body of the ``with``."""
    with _STARTING:
        before = os.environ.setdefault(SAFE_PATH, _OURS)
        try:
            yield
        finally:
            if before == _OURS:
                del os.environ[SAFE_PATH]


_OURS = "kikashi"
"""The value of `SAFE_PATH` if the user has not set it."""


def _serve_spawned(connection: Connection, begin: Begin, parent: int) -> None:
    if os.environ.get(SAFE_PATH) == _OURS:  # engines that are started from here may be modules in their folder
        del os.environ[SAFE_PATH]
    _serve(connection, begin, parent)


def _serve(connection: Connection, begin: Begin, parent: int) -> None:
    """In the process: do one task after another until nobody asks any more."""
    begin(parent)
    while True:
        try:
            work, arguments, more = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer = (True, work(*arguments, **more))
        except Exception as error:
            answer = (False, _sendable(error))
        try:
            connection.send(answer)
        except BrokenPipeError:  # nobody is left to hear it
            return


def _sendable(error: Exception) -> Exception:
    """An error as it is, or what it says if it would not arrive as it is."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
