"""An executor of processes: one that dies fails only its own task, with the cause of its death."""

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
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from kikashi.protocols.gtp.process_group import end_session

Begin = Callable[[int], None]
"""Function that a new process calls first, with the process id of its parent."""


class WorkerDied(BrokenExecutor):
    """A process died while it ran a task."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(exit_code)
        self.exit_code = exit_code
        self.about = ""
        """Description of the task."""

    @property
    def signal(self) -> str:
        """Name of the signal that ended it; empty if none did."""
        if self.exit_code is None or self.exit_code >= 0:
            return ""
        try:
            return signal.Signals(-self.exit_code).name
        except ValueError:
            return f"signal {-self.exit_code}"

    def __str__(self) -> str:
        how = f"was ended by {self.signal}" if self.signal else f"ended with code {self.exit_code}"
        return f"a worker {how}{self.about}"


class ProcessExecutor(Executor):
    """Processes, started when they are needed, each fed by a thread of this process."""

    def __init__(self, count: int, begin: Begin, parent: int, variables: Mapping[str, str] = {}) -> None:
        """`begin`, `parent` and `variables` are those of `start_process`."""
        self._threads = ThreadPoolExecutor(count)
        self._start = partial(start_process, begin, parent, variables)
        self._idle: queue.SimpleQueue[Process] = queue.SimpleQueue()
        self._all: list[Process] = []
        self._is_ended = False

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        return self._threads.submit(self.run, work, arguments, more)

    def run(self, *task: Any, **how: Any) -> Any:
        """Run a task in an idle process, or a new one, as `Process.run`."""
        try:
            process = self._idle.get_nowait()
        except queue.Empty:
            process = self._start()
            self._all.append(process)
        if self._is_ended:
            process.kill()
        try:
            return process.run(*task, **how)
        finally:
            if not process.is_gone:
                self._idle.put(process)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        for process in self._all:
            process.end()

    def kill(self) -> None:
        """End all processes at once, and the engines that they have started."""
        self._is_ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self._all):
            process.kill()
        with contextlib.suppress(queue.Empty):
            while True:
                self._idle.get_nowait().end()


READY = "ready"
"""First message of a process."""
CANCEL_INTERVAL = 0.5
"""Seconds between two checks for a cancelled task."""


class Process:
    """A process that runs tasks. It is never forked: threads and compiled code do not survive that."""

    def __init__(self, connection: Connection, process: subprocess.Popen[bytes]) -> None:
        self._connection, self._process = connection, process
        self._is_ready = self.is_gone = False

    def run(
        self,
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
        more: Mapping[str, Any] = {},
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Any:
        """Run a task; end the process if the task is cancelled.

        Raises what the task raises, WorkerDied, and OSError if the process cannot begin.
        """
        try:
            self._is_ready = self._is_ready or self._connection.recv() == READY
            self._connection.send((work, arguments, more))
            while is_cancelled is not None and not self._connection.poll(CANCEL_INTERVAL):
                if is_cancelled():
                    self.kill()
            is_done, result = self._connection.recv()
        except (EOFError, OSError) as error:
            if self._is_ready:  # else it ends by itself, with an exit code of its own
                self.kill()
            died = WorkerDied(self._wait())
            if not self._is_ready and not died.signal:  # no task is the cause
                raise OSError(f"{died} before its first task") from error
            raise died from error
        if not is_done:
            raise result
        return result

    def end(self) -> None:
        """End it when it is idle."""
        self._connection.close()
        self._wait()

    def kill(self) -> None:
        """End it at once, and all that it has started and that outlived it."""
        if not self.is_gone:
            end_session(self._process.pid)
            self._process.kill()  # it may have only just begun, with no session yet

    def _wait(self) -> int:
        """Wait for its end; the system may reuse its id from then on."""
        code = self._process.wait()
        self.is_gone = True
        return code


PROGRAM = f"import sys; sys.path[:] = sys.argv[2:]; from {__name__} import serve_at; serve_at(int(sys.argv[1]))"


def start_process(begin: Begin, parent: int, variables: Mapping[str, str] = {}) -> Process:
    """Start a process as a program of its own, with more variables in its environment.

    A process of `multiprocessing` would run an unguarded script of the user once more, and a daemon may not start any.
    Modules are found where this process finds them.
    """
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
    with contextlib.suppress(OSError):  # it has died already: its first task fails
        connection.send((begin, parent))
    return Process(connection, process)


def serve_at(handle: int) -> None:
    """Run tasks in a process of `start_process`, one after another, until the connection closes."""
    connection = Connection(handle)
    answer: Any = READY
    try:
        begin, parent = connection.recv()
    except (EOFError, OSError):  # the parent is gone
        return
    begin(parent)
    while True:
        with contextlib.suppress(BrokenPipeError):
            connection.send(answer)
        try:
            work, arguments, more = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer = (True, work(*arguments, **more))
        except Exception as error:
            answer = (False, _sendable(error))


def _sendable(error: Exception) -> Exception:
    """Return an error, or its text in a RuntimeError if it cannot be pickled."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
