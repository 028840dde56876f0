"""The controller's lines, read by a thread: a search can see that one has come."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

from kikashi.protocols.gtp.protocol import INTERRUPT

LONGEST_LINE = 1 << 20
"""What a line has beyond this is thrown away: no controller sends it, and memory is finite."""

PATIENCE = 5.0
"""Seconds after the end of the input in which a search goes on: a short script in a pipe gets its whole answer."""

LOOKS = 10
"""How often, in as many half seconds, a search must be seen in the same batch before it is taken for endless."""
HOPELESS = "kikashi: the input has ended and a search does not; a part of it may loop for ever"


class Lines:
    """Iterates over the lines of a file descriptor, waiting for them; ends with the file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._interrupts_read = self._interrupts_taken = 0
        self._ended = math.inf
        self._asked = 0
        """How often a search has asked whether it is to end; it does so after every batch of simulations."""
        Thread(target=self._read, name="gtp input", daemon=True).start()

    def __iter__(self) -> Iterator[str]:
        while (line := self._queue.get()) is not None:
            self._interrupts_taken += _is_interrupt(line)
            yield line

    def waiting(self) -> bool:
        """Whether a line is there already, or the end of the file."""
        self._asked += 1
        return not self._queue.empty()

    def interrupted(self) -> bool:
        """Whether a comment ``# interrupt`` is there already: it is for whatever was sent before it.

        Also if the file has ended a while ago and nothing is left to be done: nobody waits for the answer.
        """
        self._asked += 1
        is_over = self._queue.qsize() == 1 and time.monotonic() > self._ended + PATIENCE
        return is_over or self._interrupts_read > self._interrupts_taken

    def _read(self) -> None:
        """Read bytes rather than text: a thread that is stuck in a text file's read would hold up the exit."""
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
        """End the process if a search does not end after the input has: nothing can interrupt compiled code.

        Whoever compiles, or writes to a slow reader, is let alone.
        """
        seen, looks = self._asked, 0
        while looks < LOOKS:
            time.sleep(0.5)
            is_due = self._queue.qsize() <= 1 and time.monotonic() > self._ended + PATIENCE
            looks = looks + 1 if is_due and seen == self._asked and _is_in_a_search() else 0
            seen = self._asked
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
    """Whether a thread is in compiled code of a search: Python has come no further than the call."""
    modules = (str(frame.f_globals.get("__name__")) for frame in sys._current_frames().values())
    return any(name.startswith(("kikashi.search.", "kikashi.playout.")) for name in modules)


def _is_interrupt(line: str) -> bool:
    return line.strip() == INTERRUPT
