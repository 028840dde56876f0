"""An executor of processes in which one that dies takes only its own task with it, and how it died is known."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

Begin = Callable[[int], None]


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
        self._begin = (begin, parent)
        self._idle: queue.SimpleQueue[_Process] = queue.SimpleQueue()
        self._all: list[_Process] = []
        self._is_ended = False

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        return self._threads.submit(self._do, work, *arguments, **more)

    def _do(self, work: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        try:
            process = self._idle.get_nowait()
        except queue.Empty:
            process = _Process(*self._begin)
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


class _Process:
    """One process. It is spawned rather than forked: threads and compiled code do not survive a fork."""

    def __init__(self, begin: Begin, parent: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, begin, parent), daemon=True)
        self._process.start()
        theirs.close()

    def do(self, work: Callable[..., Any], arguments: tuple[Any, ...], more: dict[str, Any]) -> Any:
        """Have a task done. Raises what it raises, and WorkerDied."""
        try:
            self._connection.send((work, arguments, more))
            is_done, result = self._connection.recv()
        except (EOFError, OSError) as error:
            self._end_group()
            self._process.join()
            raise WorkerDied(self._process.exitcode) from error
        if not is_done:
            raise result
        return result

    def end(self) -> None:
        """Let it go when it has nothing to do."""
        self._connection.close()
        self._process.join()

    def kill(self) -> None:
        """End it at once, and what it has started."""
        self._end_group()
        self._process.kill()

    def _end_group(self) -> None:
        if self._process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # it has only just begun, or is gone
                os.killpg(self._process.pid, signal.SIGKILL)


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
        connection.send(answer)


def _sendable(error: Exception) -> Exception:
    """An error as it is, or what it says if it would not arrive as it is."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
