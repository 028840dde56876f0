"""GTP controller: drive an engine in a process of its own, with time-outs and clear errors.

Commands have ids, and a response must have the id of its command. An engine whose first response has no id gets
commands without ids: it must respond in order, and leave no output when the next command is sent.
"""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, cast

from kikashi.protocols.gtp.engine_log import EngineLog
from kikashi.protocols.gtp.process_group import OWN_GROUP, end_family, processor_seconds

LONGEST = 1 << 20
"""Bytes of a response."""
_ANSWER = re.compile(r"([=?])([0-9]*)(.*)", re.DOTALL)
TICK = 0.5
"""Seconds of one wait. A longer one means that this process was suspended, which does not count for a time-out."""
LAST_WORDS = 4096
"""Bytes at the end of an engine's log that are shown."""
GAMES = "/usr/games"
"""The folder of GNU Go on Debian, often not on the path."""


def find_program(name: str, directory: str = "") -> str | None:
    """Return the file of a program on the path or in `GAMES`, or None. With a slash it is relative to `directory`."""
    if "/" in name:
        return shutil.which(Path(directory, name).absolute())
    return shutil.which(name) or shutil.which(name, path=GAMES)


def is_own_command(words: Sequence[str]) -> bool:
    """Whether a command line is ``kikashi gtp …``, which runs even if it is not on the path."""
    return list(words[:2]) == ["kikashi", "gtp"]


def _to_be_run(words: list[str], directory: str) -> list[str]:
    if is_own_command(words):
        return [sys.executable, "-P", "-m", *words]  # no module of the working directory
    return [find_program(words[0], directory) or words[0], *words[1:]] if words else words


class EngineError(RuntimeError):
    """An error response of an engine."""


class EngineDied(EngineError):
    """An engine that exited, did not respond in time, or does not speak GTP."""


class Engine:
    """A GTP engine in a process, as a context manager that quits it and ends all processes that it started.

    Its standard error goes to the file `log`, shortened in the middle; an empty log is removed.
    """

    def __init__(
        self, command: str | Sequence[str], *, timeout: float = 60.0, log: Path | None = None, directory: str = ""
    ) -> None:
        words = shlex.split(command) if isinstance(command, str) else list(command)
        self.command = shlex.join(words)
        self.timeout = timeout
        self._buffer = b""
        self._commands = 0
        self._has_ids: bool | None = None
        """Whether its responses have ids; None before the first."""
        self._is_lost = False
        self._log = None if log is None else EngineLog(log)
        try:
            self._process = subprocess.Popen(
                _to_be_run(words, directory),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if self._log is None else self._log.writer,
                cwd=directory or None,
                process_group=OWN_GROUP,
            )
            self._stdin, self._stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        except OSError as error:
            self._is_lost = True
            raise EngineDied(f"{self.command}: cannot be started: {error.strerror}") from error
        finally:
            if self._log is not None:
                self._log.give_away()
                if self._is_lost:
                    self._log.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, command: str, *, timeout: float | None = None) -> str:
        """Send a command and return the text of the response. Raises EngineError for a ``?``, EngineDied for none."""
        try:
            return self._ask(command, self.timeout if timeout is None else timeout)
        except EngineDied:
            self._is_lost = True
            raise

    def _ask(self, command: str, timeout: float) -> str:
        stdin, stdout = self._stdin, self._stdout
        self._check_silence(stdout, command)
        self._commands += 1
        number = "" if self._has_ids is False else str(self._commands)
        try:
            stdin.write(f"{number} {command}\n".lstrip().encode())
            stdin.flush()
        except (BrokenPipeError, OSError) as error:
            raise EngineDied(f"{self.command}: closed its input before {command!r}") from error
        answer = self._read(stdout, command, timeout)
        parts = _ANSWER.fullmatch(answer)
        if parts is None:
            raise EngineDied(f"{self.command}: {command!r} got {answer[:40]!r}, which is not GTP")
        sign, id_, text = parts[1], parts[2], parts[3].strip()
        if self._has_ids is None:
            self._has_ids = bool(id_)
            if not id_ and sign == "?":  # it may have taken the id for the command
                return self._ask(command, timeout)
        expected = number if self._has_ids else ""
        if id_ not in ((expected, "") if sign == "?" else (expected,)):
            raise EngineDied(f"{self.command}: {command!r} with id {expected or 'none'} got {answer[:40]!r}")
        if sign == "?":
            raise EngineError(f"{self.command}: {command!r} failed: {text}")
        return text

    def _check_silence(self, stdout: IO[bytes], command: str) -> None:
        """Raise EngineDied if it has written more than its responses so far."""
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            if selector.select(0):
                self._buffer += os.read(stdout.fileno(), 65536)
        if left := self._buffer.strip():
            output = left[:40].decode("utf-8", "replace")
            raise EngineDied(f"{self.command}: wrote {output!r} before {command!r}, which is no response")
        self._buffer = b""

    def _read(self, stdout: IO[bytes], command: str, timeout: float) -> str:
        left, last = timeout, time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while True:
                answer, end, rest = self._buffer.replace(b"\r", b"").lstrip(b"\n").partition(b"\n\n")
                if end:
                    self._buffer = rest
                    return answer.decode("utf-8", "replace")
                if left <= 0:
                    raise EngineDied(f"{self.command}: no answer to {command!r} in {timeout:g} seconds")
                has_data = selector.select(min(left, TICK))
                now = time.monotonic()
                left, last = left - min(now - last, TICK), now
                if not has_data:
                    continue
                data = os.read(stdout.fileno(), 65536)
                if not data:
                    raise EngineDied(f"{self.command}: died at {command!r}")
                if len(self._buffer) > LONGEST:
                    raise EngineDied(f"{self.command}: endless answer to {command!r}")
                self._buffer += data

    def last_words(self, lines: int = 10) -> list[str]:
        """Return the last lines of its log; none if it has no log."""
        if self._log is None:
            return []
        patience = 0.5 if self._is_lost else 0.0  # it may be about to write why
        try:
            data = self._log.last_bytes(LAST_WORDS, patience)
        except OSError:
            return []
        return [line.rstrip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()][-lines:]

    def processor_seconds(self) -> float | None:
        """Return the processor time of it and its children; None if it is gone."""
        return None if self._process.returncode is not None else processor_seconds(self._process.pid)

    def close(self) -> None:
        """Send ``quit``, then end it and all processes that it started."""
        if not self._is_lost:
            with contextlib.suppress(EngineError):
                self.ask("quit", timeout=2.0)
        if self._process.returncode is None:
            end_family(self._process)
        for pipe in (self._stdin, self._stdout):
            with contextlib.suppress(OSError):
                pipe.close()
        if self._log is not None:
            self._log.close()
