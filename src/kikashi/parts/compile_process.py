"""Compiling in another process, with a limit: what LLVM never ends, or what ends LLVM, does not touch this one.

The other process is `kikashi.parts.compile_child`; it fills the cache on disk, from which this one loads the result.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import sys
import time
from threading import Lock
from typing import Any

from kikashi.jit import tell_waiting
from kikashi.parts.registry import PartError

LIMIT = "KIKASHI_COMPILE_SECONDS"
"""The variable of the environment that says how long compiling a function of a plugin may take."""
DEFAULT_LIMIT = 60.0
"""Seconds of processor time."""
SLACK = 5.0
"""How many times as long it may take by the clock: a busy machine is no fault of a plugin's."""
CHILD = "kikashi.parts.compile_child"


class Compiler:
    """The process that compiles for this one, started when there is something to do."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        """The process that started it: a fork of that one starts its own."""
        self._code = 0
        """By which the last process ended."""

    def compile(self, where: str, job: dict[str, Any]) -> None:
        """Have a function of a part compiled, which a person knows by its file and line. Ctrl-C ends that at once.

        Raises PartError if the function does not compile, or not in time.
        """
        seconds = limit()
        line = json.dumps({**job, "path": sys.path, "seconds": seconds}).encode() + b"\n"
        with self._lock:
            try:
                answer = self._ask(line, job["part"], seconds * SLACK)
                if answer is None and self._end() == 0:  # it had been idle for too long just then
                    answer = self._ask(line, job["part"], seconds * SLACK)
            except BaseException:
                self._end()
                raise
        if answer is None:
            raise PartError(f"{where}: {_how_it_ended(self._code, seconds)}")
        if wrong := json.loads(answer):
            raise PartError(wrong)

    def _ask(self, line: bytes, name: str, seconds: float) -> bytes | None:
        """The answer to a job; None if the process has ended, or is to be ended."""
        if self._process is not None and (self._owner != os.getpid() or self._process.poll() is not None):
            self._end()
        if self._process is None:
            self._process, self._owner = _start(), os.getpid()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except BrokenPipeError:
            return None
        started = time.monotonic()
        with tell_waiting(name) as tell:
            while not select.select([process.stdout], [], [], 0.2)[0]:
                if time.monotonic() - started > seconds:
                    return None
                tell(time.monotonic() - started)
        return process.stdout.readline() or None

    def _end(self) -> int:
        """End the process, and tell by which code it ended."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in filter(None, (process.stdin, process.stdout)):
                pipe.close()
            if self._owner == os.getpid():
                process.kill()  # nothing, if it has ended
                self._code = process.wait()
        return self._code

    def close(self) -> None:
        """End the process, if there is one."""
        self._end()


def _start() -> subprocess.Popen[bytes]:
    words = [sys.executable, "-P", "-m", CHILD]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    # A group of its own: what a terminal sends to this process is this one's to pass on.
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=nowhere, bufsize=0, process_group=0)


def _how_it_ended(code: int, seconds: float) -> str:
    if code in (-signal.SIGKILL, -signal.SIGXCPU):
        return f"compiling it has not ended after {seconds:g} s ({LIMIT}=… allows more)"
    return f"compiling it ended by {signal.Signals(-code).name}" if code < 0 else f"compiling it ended with {code}"


def limit() -> float:
    """Seconds that compiling a function of a plugin may take. Raises PartError for a limit that is none."""
    said = os.environ.get(LIMIT) or str(DEFAULT_LIMIT)
    try:
        seconds = float(said)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 1_000_000:
        raise PartError(f"{LIMIT} must be seconds, 1 or more, not {said!r}")
    return seconds


COMPILER = Compiler()
atexit.register(COMPILER.close)
