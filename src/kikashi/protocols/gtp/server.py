"""The GTP engine: read command lines, run commands, write responses."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from io import TextIOWrapper
from queue import SimpleQueue
from threading import Thread
from typing import TextIO

import kikashi.protocols.gtp.commands  # noqa: F401 (registers them)
from kikashi.protocols.gtp import protocol
from kikashi.protocols.gtp.session import GtpSession
from kikashi.wording import reason

LONGEST_LINE = 1 << 20
"""Bytes of a line; more are dropped."""
PATIENCE = 5.0
"""Seconds that a search continues after the end of the input: a script in a pipe gets its whole response."""
LOOKS = 10
"""Half seconds in the same batch of simulations after which a search counts as endless."""
HOPELESS = "kikashi: the input has ended and a search does not; one of its parts may loop for ever"


def serve(session: GtpSession, lines: Lines, output: TextIO) -> None:
    """Answer commands until the controller quits or is gone."""
    if isinstance(output, TextIOWrapper):
        output.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    session.interrupted, session.is_awaited = lines.interrupted, lines.waiting
    coming = iter(lines)
    while session.running:
        with session.pondering():
            line = next(coming, None)
        if line is None:
            return
        for text in answers(session, line):
            output.write(text)
            output.flush()


def answers(session: GtpSession, line: str) -> Iterator[str]:
    """Yield the response to a line in pieces, as they are ready; nothing for an empty line."""
    command = protocol.parse_line(line)
    if command is None:
        return
    begun = False
    try:
        result = run(session, command)
        if isinstance(result, str):
            yield protocol.answer(command, result)
            return
        for text in result:
            yield text + "\n" if begun else f"={command.id}\n{text}\n"
            begun = True
    except MemoryError as error:
        yield "\n" if begun else protocol.failure(command, reason(error))
    except Exception as error:  # also a bug: it must not cost a game
        is_expected = isinstance(error, protocol.Failure | ValueError | OSError)
        yield "\n" if begun else protocol.failure(command, str(error) if is_expected else f"internal error: {error!r}")
    else:
        yield "\n" if begun else protocol.answer(command, "")


def run(session: GtpSession, command: protocol.Command) -> str | Iterator[str]:
    """Run a command. Raises Failure, ValueError or OSError if it fails."""
    known = protocol.COMMANDS.get(command.name)
    if known is None:
        raise protocol.Failure("unknown command")
    known.check_number(command.arguments)
    return known.function(session, protocol.Arguments(command.arguments, known.usage)) or ""


# --- the lines of the controller --------------------------------------------------------------------------------------


class Lines:
    """The lines of a file descriptor, read by a thread, so that a search can see them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._interrupts_read = self._interrupts_taken = 0
        self._ended = math.inf
        self._polls = 0
        """Calls of `waiting` and `interrupted`: a search makes one after every batch of simulations."""
        Thread(target=self._read, name="gtp input", daemon=True).start()

    def __iter__(self) -> Iterator[str]:
        while (line := self._queue.get()) is not None:
            self._interrupts_taken += _is_interrupt(line)
            yield line

    def waiting(self) -> bool:
        """Whether a line has come, or the end of the file."""
        self._polls += 1
        return not self._queue.empty()

    def interrupted(self) -> bool:
        """Whether a comment ``# interrupt`` has come, or the file ended a while ago after the last command."""
        self._polls += 1
        is_over = self._queue.qsize() == 1 and time.monotonic() > self._ended + PATIENCE
        return is_over or self._interrupts_read > self._interrupts_taken

    def _read(self) -> None:
        """Read bytes, not text: a thread in a text file's read would delay the exit."""
        rest = b""
        while data := self._chunk():
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                self._put(line)
            if len(rest) > LONGEST_LINE:
                rest = rest[:LONGEST_LINE]
        if rest:
            self._put(rest)
        self._ended = time.monotonic()
        self._queue.put(None)
        self._outlive_endless_parts()

    def _outlive_endless_parts(self) -> None:
        """Exit if a search does not end after the input: nothing can interrupt compiled code."""
        seen, looks = self._polls, 0
        while looks < LOOKS:
            time.sleep(0.5)
            is_due = self._queue.qsize() <= 1 and time.monotonic() > self._ended + PATIENCE
            looks = looks + 1 if is_due and seen == self._polls and _is_in_a_search() else 0
            seen = self._polls
        with suppress(OSError):
            os.write(2, f"{HOPELESS}\n".encode())
        os._exit(1)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, 1 << 16)
        except OSError:
            return b""

    def _put(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        self._interrupts_read += _is_interrupt(text)
        self._queue.put(text)


def _is_in_a_search() -> bool:
    """Whether a thread is in compiled code of a search: its Python frame is the caller's."""
    modules = (str(frame.f_globals.get("__name__")) for frame in sys._current_frames().values())
    return any(name.startswith(("kikashi.search.", "kikashi.playout.")) for name in modules)


def _is_interrupt(line: str) -> bool:
    return line.strip() == protocol.INTERRUPT
