"""Pseudo-terminals: run a program in one, type to it, and read the screen as a person does."""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_SEQUENCE = re.compile(r"\x1b(?:\[([?0-9;]*)([@-~])|\][^\x07]*\x07|([78DEMc=>]))")
_TAB = 8
PATIENCE = 300.0
"""Seconds after which a program is taken to hang; the first one may compile for minutes."""


class Screen:
    """The few control sequences that our programs and readline send; any other one is an error."""

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        self.columns, self.lines = columns, lines
        self.row = self.column = 0
        self.cursor_is_visible = True
        self.gone: list[str] = []
        """Lines that have left at the top."""
        self._rows = [self._blank() for _ in range(lines)]
        self._kept = (0, 0)
        self._rest = ""

    def _blank(self) -> list[str]:
        return [" "] * self.columns

    @property
    def shown(self) -> list[str]:
        """The lines on the screen, without blanks at their ends."""
        return ["".join(row).rstrip() for row in self._rows]

    @property
    def everything(self) -> str:
        """The lines that have left at the top, and those on the screen."""
        return "\n".join([*self.gone, *self.shown]).rstrip()

    def feed(self, text: str) -> None:
        """Do what a terminal does with a text; an unfinished control sequence waits for its end."""
        text, at = self._rest + text, 0
        self._rest = ""
        while at < len(text):
            if text[at] != "\x1b":
                self._put(text[at])
                at += 1
            elif found := _SEQUENCE.match(text, at):
                self._control(found)
                at = found.end()
            else:
                self._rest = text[at:]
                assert len(self._rest) < 200, f"unknown control sequence: {self._rest[:20]!r}"
                return

    def _put(self, sign: str) -> None:
        if sign == "\n":
            self._down()
        elif sign == "\r":
            self.column = 0
        elif sign == "\b":
            self.column = max(0, min(self.column, self.columns - 1) - 1)
        elif sign == "\t":
            self.column = min(self.columns - 1, (self.column // _TAB + 1) * _TAB)
        elif sign >= " ":
            if self.column == self.columns:  # a full line wraps at the next sign only
                self.column = 0
                self._down()
            self._rows[self.row][self.column] = sign
            self.column += 1

    def _down(self) -> None:
        if self.row + 1 < self.lines:
            self.row += 1
            return
        self.gone.append("".join(self._rows.pop(0)).rstrip())
        self._rows.append(self._blank())

    def _control(self, found: re.Match[str]) -> None:
        said, final, short = found.groups()
        if short in ("7", "8"):
            if short == "7":
                self._kept = self.row, self.column
            else:
                self.row, self.column = self._kept
        elif short in ("D", "E"):
            self._down()
            self.column = 0 if short == "E" else self.column
        elif short == "M":
            self.row = max(0, self.row - 1)
        elif final is not None:
            self._sequence(said, final)

    def _sequence(self, said: str, final: str) -> None:
        numbers = [int(number) for number in re.findall(r"\d+", said)]
        count = max(1, numbers[0] if numbers else 1)
        here = min(self.column, self.columns - 1)
        if final in "hl":
            self.cursor_is_visible = final == "h" if "?25" in said else self.cursor_is_visible
        elif final in "AB":
            self.row = max(0, self.row - count) if final == "A" else min(self.lines - 1, self.row + count)
        elif final in "CD":
            self.column = max(0, here - count) if final == "D" else min(self.columns - 1, here + count)
        elif final == "G":
            self.column = min(self.columns, count) - 1
        elif final == "H":
            row, column = (*numbers, 1, 1)[:2]
            self.row, self.column = min(self.lines, max(1, row)) - 1, min(self.columns, max(1, column)) - 1
        elif final == "P":
            row = self._rows[self.row]
            self._rows[self.row] = (row[:here] + row[here + count :] + self._blank())[: self.columns]
        elif final in "JK":
            self._erase(final, numbers[0] if numbers else 0, here)
        else:
            assert final in "mnc", f"unknown control sequence: {said}{final}"

    def _erase(self, final: str, how: int, here: int) -> None:
        start, end = (0 if how else here), (here + 1 if how == 1 else self.columns)
        self._rows[self.row][start:end] = " " * (end - start)
        if final == "J" and how != 1:
            for number in range(0 if how == 2 else self.row + 1, self.lines):
                self._rows[number] = self._blank()


class Terminal:
    """A program in a pseudo-terminal, with the screen that it draws. Leaving the ``with`` ends it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 80,
        lines: int = 24,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.screen = Screen(columns, lines)
        self.written = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            list(command),
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**inherited, "TERM": "xterm-256color", "INPUTRC": os.devnull, **(environment or {})},
            start_new_session=True,
        )
        self._theirs = theirs
        """Kept open, so that the state of the terminal can be asked for when the program has ended."""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._theirs)
        os.close(self._ours)

    def read(self, seconds: float = 0.1) -> None:
        """Take in what is written within this time."""
        ready, _, _ = select.select([self._ours], [], [], seconds)
        if ready:
            data = os.read(self._ours, 1 << 16)
            self.written += data
            self.screen.feed(self._decoder.decode(data))

    def until(self, is_there: Callable[[Screen], bool] | str) -> Screen:
        """Wait until the screen shows a text, or a state holds. Fails after a very long time, or at the program's end
        without it."""
        check = (lambda screen: is_there in screen.everything) if isinstance(is_there, str) else is_there
        deadline = time.monotonic() + PATIENCE
        while not check(self.screen):
            ended = self.process.poll() is not None
            before = len(self.written)
            self.read()
            if ended and len(self.written) == before:
                assert check(self.screen), f"it has ended:\n{self.screen.everything}"
            assert time.monotonic() < deadline, f"in vain:\n{self.screen.everything}"
        return self.screen

    def type(self, text: str) -> None:
        """Type a text; ``\\x03`` is Ctrl-C for a program that reads keys, `interrupt` for all."""
        os.write(self._ours, text.encode())

    def interrupt(self) -> None:
        """Send what Ctrl-C sends to the program and the processes that it has started."""
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self) -> int:
        """Wait for the end, take in all that is written, and return the exit code. Fails after a very long time."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            self.read()
            assert time.monotonic() < deadline, f"it does not end:\n{self.screen.everything}"
        before = -1
        while before != len(self.written):
            before = len(self.written)
            self.read(0.05)
        return self.process.returncode

    @property
    def echoes(self) -> bool:
        """Whether the terminal shows what is typed, line by line, as it did at the start."""
        flags = termios.tcgetattr(self._theirs)[3]
        return bool(flags & termios.ECHO) and bool(flags & termios.ICANON)
