"""Compiling parts: those of plugins in another process, with a limit, since LLVM may never finish them or crash.

``python -m kikashi.parts.compiling`` is the other process. It reads jobs from standard input, a line of JSON each,
fills the cache on disk, and answers each job with a line: an error, or nothing. It ends after a while without jobs, and
when the process that started it is gone.
"""

import atexit
import json
import math
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

from kikashi.jit import native_address, tell_waiting
from kikashi.parts.diagnosis import diagnosis
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.registry import BROUGHT_BY, KINDS, Part, PartError, find

LIMIT = "KIKASHI_COMPILE_SECONDS"
"""Environment variable: seconds of processor time for a function of a plugin."""
DEFAULT_LIMIT = "60"
SLACK = 5.0
"""Wall-clock time as a multiple of the limit, for busy machines."""
IDLE = 10.0
"""Seconds without a job after which the other process ends."""


def address_of(part: Part, name: str) -> int:
    """Return the address of one of the part's functions; 0 if it has none of this name.

    A plugin's function is compiled in another process, which it may crash, and then loaded. Raises PartError if it does
    not compile.
    """
    found = _compiled(part, name)
    if isinstance(found, PartError):
        raise found
    return found


@cache
def _compiled(part: Part, name: str) -> int | PartError:
    """Return the address, or the error: a failure of a minute is not repeated."""
    plugin = BROUGHT_BY.get(part.function.__module__)
    job = {"plugin": plugin, "kind": part.kind.name, "part": part.name, "file": part.file, "entry": name}
    where = f"{part} in {part.file}, line {part.line}"
    try:
        return compile_here(part, name, first=(lambda: COMPILER.compile(where, job)) if plugin else None)
    except PartError as error:
        return error


def compile_here(part: Part, name: str, *, first: Callable[[], None] | None = None) -> int:
    """Do the same in this process, after a call of `first` if the function is not on disk. Raises PartError."""
    entry, function = part.kind.entry(name), part.functions.get(name)
    if entry is None or function is None:
        return 0
    signature = entry.types(part.own_dtype())
    try:
        return native_address(function, signature, first=first)
    except PartError:
        raise
    except Exception as error:  # Numba lets KeyError and others out for what it cannot type
        reason, line = diagnosis(error, function, signature)
        raise PartError(f"{part} in {part.file}, line {line}, does not compile: {reason}") from error


class Compiler:
    """The other process, started at the first job."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        """Process that started it: a fork of that one starts its own."""
        self._code = 0
        """Exit code of the last process."""

    def compile(self, where: str, job: dict[str, Any]) -> None:
        """Have a function compiled that messages call `where`. Ctrl-C ends that at once.

        Raises PartError if the function does not compile, or not in time.
        """
        seconds = limit()
        line = json.dumps({**job, "path": sys.path, "seconds": seconds}).encode() + b"\n"
        with self._lock:
            try:
                answer = self._send(line, job["part"], seconds * SLACK)
                if answer is None and self.close() == 0:  # it had been idle for too long just then
                    answer = self._send(line, job["part"], seconds * SLACK)
            except BaseException:
                self.close()
                raise
        if answer is None:
            raise PartError(f"{where}: {_describe_end(self._code, seconds)}")
        if problem := json.loads(answer):
            raise PartError(problem)

    def _send(self, line: bytes, name: str, seconds: float) -> bytes | None:
        """Return the answer to a job; None if the process has ended, or takes longer than these seconds."""
        if self._process is not None and (self._owner != os.getpid() or self._process.poll() is not None):
            self.close()
        if self._process is None:
            self._process, self._owner = _start(), os.getpid()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except BrokenPipeError:
            _await_end(process, seconds)
            return None
        started = time.monotonic()
        with tell_waiting(name) as tell:
            while not select.select([process.stdout], [], [], 0.2)[0]:
                if time.monotonic() - started > seconds:
                    return None
                tell(time.monotonic() - started)
        if not (answer := process.stdout.readline()):
            _await_end(process, seconds)
        return answer or None

    def close(self) -> int:
        """End the process, if there is one, and return the exit code of the last one."""
        process, self._process = self._process, None
        if process is not None:
            if self._owner == os.getpid():
                process.kill()  # nothing, if it has ended; before its input, at whose end it would seem to succeed
                self._code = process.wait()
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()
        return self._code


def _start() -> subprocess.Popen[bytes]:
    words = [sys.executable, "-P", "-m", "kikashi.parts.compiling"]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    # A group of its own: a terminal's signals are for this process to pass on.
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=nowhere, bufsize=0, process_group=0)


def _await_end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Let a process that has closed its pipes end by itself: killed before that, it would seem to have failed."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def _describe_end(code: int, seconds: float) -> str:
    if code in (-signal.SIGKILL, -signal.SIGXCPU):
        return f"compiling it has not ended after {seconds:g} s ({LIMIT}=… allows more)"
    return f"compiling it ended by {signal.Signals(-code).name}" if code < 0 else f"compiling it ended with {code}"


def limit() -> float:
    """Return the processor time for a function of a plugin, in seconds. Raises PartError for a bad setting."""
    setting = os.environ.get(LIMIT) or DEFAULT_LIMIT
    try:
        seconds = float(setting)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 1_000_000:
        raise PartError(f"{LIMIT} must be seconds, 1 or more, not {setting!r}")
    return seconds


COMPILER = Compiler()
atexit.register(COMPILER.close)


# --- the other process ------------------------------------------------------------------------------------------------


def _do(job: dict[str, Any]) -> str:
    """Compile a function of a part; return the error, or nothing."""
    sys.path[:] = job["path"]
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)  # LLVM obeys nothing else
    soft = math.ceil(time.process_time() + job["seconds"])
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    try:
        with plugins_of_a_player([job["plugin"]]):
            part = find(KINDS[job["kind"]], job["part"], beside=job["file"])
            if part.file == job["file"]:
                compile_here(part, job["entry"])
    except PartError as error:
        return str(error)
    return ""


def _read(jobs: SimpleQueue[dict[str, Any]]) -> None:
    for line in sys.stdin:
        jobs.put(json.loads(line))
    os._exit(0)  # in the middle of a job, if need be


def _run() -> None:
    with os.fdopen(os.dup(sys.stdout.fileno()), "w") as answers:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for plugins that print
        jobs: SimpleQueue[dict[str, Any]] = SimpleQueue()
        Thread(target=_read, args=(jobs,), daemon=True).start()
        while True:
            try:
                job = jobs.get(timeout=IDLE)
            except Empty:
                return
            print(json.dumps(_do(job)), file=answers, flush=True)


if __name__ == "__main__":
    _run()
    os._exit(0)
