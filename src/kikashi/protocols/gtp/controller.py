"""The controller's side of GTP: drive an engine in a process of its own, with time-outs and clear errors.

Every command has an id, and an answer must have the id of its command: an old answer is never taken for that to a later
command. An engine whose first answer has no id is asked without ids from then on. It must answer in order, and nothing
may be left of what it said when the next command is sent.
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
from types import TracebackType
from typing import IO

from kikashi.protocols.gtp.engine_log import EngineLog
from kikashi.protocols.gtp.process_group import OWN_GROUP, end_family, processor_seconds

LONGEST = 1 << 20
"""Bytes that an answer may have."""
_ANSWER = re.compile(r"([=?])([0-9]*)(.*)", re.DOTALL)
TICK = 0.5
"""Seconds that a wait may take: only those in which we run too count for a time-out."""
LAST_WORDS = 4096
"""Bytes at the end of an engine's log that are looked at."""
GAMES = "/usr/games"
"""Where Debian puts GNU Go; it is not on everybody's path."""


def find_program(name: str, directory: str = "") -> str | None:
    """The file of a program on the path or among the games; None if there is none.

    A name with a slash is a file, seen from the directory if one is given.
    """
    if "/" in name:
        return shutil.which(Path(directory, name).absolute())
    return shutil.which(name) or shutil.which(name, path=GAMES)


def is_own_command(words: Sequence[str]) -> bool:
    """Whether a command line is ``kikashi gtp …``, which is found even where the command is not on the path."""
    return list(words[:2]) == ["kikashi", "gtp"]


def _to_be_run(words: list[str], directory: str) -> list[str]:
    if is_own_command(words):
        return [sys.executable, "-P", "-m", *words]  # no module of the working directory
    return [find_program(words[0], directory) or words[0], *words[1:]] if words else words


class EngineError(RuntimeError):
    """An engine that answered with an error."""


class EngineDied(EngineError):
    """An engine that is gone, does not answer in time, or does not speak GTP."""


class Engine:
    """A GTP engine in a process. Use it as a context manager; it is told to quit, and ended with all that it started.

    It is started in `directory`, if one is given. The beginning and the end of what it says on standard error go to the
    file `log`, which is gone afterwards if it said nothing; without a log nobody hears it.
    """

    def __init__(
        self, command: str | Sequence[str], *, timeout: float = 60.0, log: Path | None = None, directory: str = ""
    ) -> None:
        words = shlex.split(command) if isinstance(command, str) else list(command)
        self.command = shlex.join(words)
        self.timeout = timeout
        self._buffer = b""
        self._asked = 0
        self._has_ids: bool | None = None
        """Whether its answers have ids; None before the first."""
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(self, command: str, *, timeout: float | None = None) -> str:
        """Send a command and return the text of the answer. Raises EngineError for a ``?``, EngineDied for none."""
        try:
            return self._ask(command, self.timeout if timeout is None else timeout)
        except EngineDied:
            self._is_lost = True
            raise

    def _ask(self, command: str, timeout: float) -> str:
        stdin, stdout = self._pipes()
        self._refuse_unasked(stdout, command)
        self._asked += 1
        number = "" if self._has_ids is False else str(self._asked)
        try:
            stdin.write(f"{number} {command}\n".lstrip().encode())
            stdin.flush()
        except (BrokenPipeError, OSError) as error:
            raise EngineDied(f"{self.command}: closed its input before {command!r}") from error
        answer = self._read(stdout, command, timeout)
        parts = _ANSWER.fullmatch(answer)
        if parts is None:
            raise EngineDied(f"{self.command}: {command!r} got {answer[:40]!r}, which is not GTP")
        sign, said, text = parts[1], parts[2], parts[3].strip()
        if self._has_ids is None:
            self._has_ids = bool(said)
            if not said and sign == "?":  # it may have taken the id for the command
                return self._ask(command, timeout)
        expected = number if self._has_ids else ""
        if said not in ((expected, "") if sign == "?" else (expected,)):
            raise EngineDied(f"{self.command}: {command!r} with id {expected or 'none'} got {answer[:40]!r}")
        if sign == "?":
            raise EngineError(f"{self.command}: {command!r} failed: {text}")
        return text

    def _refuse_unasked(self, stdout: IO[bytes], command: str) -> None:
        """Raise EngineDied if it has said more than the answers to the commands so far."""
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            if selector.select(0):
                self._buffer += os.read(stdout.fileno(), 65536)
        if left := self._buffer.strip():
            said = left[:40].decode("utf-8", "replace")
            raise EngineDied(f"{self.command}: said {said!r} before {command!r}, which nobody had asked")
        self._buffer = b""

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process.stdin is None or self._process.stdout is None:
            raise EngineDied(f"{self.command}: has no pipes")
        return self._process.stdin, self._process.stdout

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
                has_said = selector.select(min(left, TICK))
                now = time.monotonic()
                left, last = left - min(now - last, TICK), now  # if it was longer, we were stopped, and so was it
                if not has_said:
                    continue
                data = os.read(stdout.fileno(), 65536)
                if not data:
                    raise EngineDied(f"{self.command}: died at {command!r}")
                if len(self._buffer) > LONGEST:
                    raise EngineDied(f"{self.command}: endless answer to {command!r}")
                self._buffer += data

    def last_words(self, lines: int = 10) -> list[str]:
        """The last lines that it said on standard error, as far as they are in its log; none if it has no log."""
        if self._log is None:
            return []
        patience = 0.5 if self._is_lost else 0.0  # it may be about to say why
        try:
            data = self._log.last_bytes(LAST_WORDS, patience)
        except OSError:
            return []
        return [line.rstrip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()][-lines:]

    def processor_seconds(self) -> float | None:
        """User and system time that it and what it started have used so far; None if it is gone."""
        return None if self._process.returncode is not None else processor_seconds(self._process.pid)

    def close(self) -> None:
        """Tell it to quit, if it still listens, then end it and all that it has started."""
        if not self._is_lost:
            with contextlib.suppress(EngineError):
                self.ask("quit", timeout=2.0)
        if self._process.returncode is None:
            end_family(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self._log is not None:
            self._log.close()
