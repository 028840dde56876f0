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
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

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

    def __init__(self, count: int, begin: Begin, parent: int) -> None:
        """`begin(parent)` is called first in every process."""
        self._threads = ThreadPoolExecutor(count)
        self._start = started_with({})
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


READY = "ready"
"""What a process says first of all."""


class Process:
    """One process that does tasks. It is never forked: threads and compiled code do not survive that."""

    def __init__(self, connection: Connection, process: subprocess.Popen[bytes]) -> None:
        self._connection, self._process = connection, process
        self._is_ready = self._is_gone = False

    def do(self, work: Callable[..., Any], arguments: tuple[Any, ...], more: dict[str, Any]) -> Any:
        """Have a task done. Raises what it raises, WorkerDied, and OSError if the process cannot begin."""
        try:
            self._is_ready = self._is_ready or self._connection.recv() == READY
            self._connection.send((work, arguments, more))
            is_done, result = self._connection.recv()
        except (EOFError, OSError) as error:
            if self._is_ready:  # else it ends by itself, with a code that tells why
                self.kill()
            died = WorkerDied(self._wait())
            if not self._is_ready and not died.signal:  # nobody's task has to do with it
                raise OSError(f"{died} before it had anything to do") from error
            raise died from error
        if not is_done:
            raise result
        return result

    def end(self) -> None:
        """Let it go when it has nothing to do."""
        self._connection.close()
        self._wait()

    def kill(self) -> None:
        """End it at once, and what it has started, whether it lives or has left something behind."""
        if not self._is_gone:
            end_session(self._process.pid)
            self._process.kill()  # it may have only just begun, with no session yet

    def _wait(self) -> int:
        """Wait for its end; from then on its number may be somebody else's."""
        code = self._process.wait()
        self._is_gone = True
        return code


PROGRAM = f"import sys; sys.path[:] = sys.argv[2:]; from {__name__} import serve_at; serve_at(int(sys.argv[1]))"


def started_with(variables: Mapping[str, str]) -> Start:
    """Starts processes as programs of their own, with more variables in their environment.

    Python's own processes would run the user's script once more, unless it is guarded against that, and a daemon may
    not have any. Modules are found where this process finds them.
    """

    def start(begin: Begin, parent: int) -> Process:
        connection, theirs = multiprocessing.Pipe()
        handle, path = theirs.fileno(), [os.path.abspath(folder) for folder in sys.path]
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, str(handle), *path],
            stdin=subprocess.DEVNULL,
            pass_fds=[handle],
            env={**os.environ, **variables},
            start_new_session=True,
        )
        theirs.close()
        with contextlib.suppress(OSError):  # it has died already: whoever gives it a task will see
            connection.send((begin, parent))
        return Process(connection, process)

    return start


def serve_at(handle: int) -> None:
    """In a process that `started_with` has started: what it is to begin with arrives first."""
    connection = Connection(handle)
    try:
        begin, parent = connection.recv()
    except (EOFError, OSError):  # whoever has started it is gone
        return
    begin(parent)
    with contextlib.suppress(BrokenPipeError):
        connection.send(READY)
    _serve(connection)


def _serve(connection: Connection) -> None:
    """In the process: do one task after another until nobody asks any more."""
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
