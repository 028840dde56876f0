"""The controller's lines, read by a thread: a search can see that one has come."""

from __future__ import annotations

import os
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Thread

from kikashi.gtp.protocol import INTERRUPT

LONGEST_LINE = 1 << 20
"""What a line has beyond this is thrown away: no controller sends it, and memory is finite."""


class Lines:
    """Iterates over the lines of a file descriptor, waiting for them; ends with the file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._interrupts_read = self._interrupts_taken = 0
        Thread(target=self._read, name="gtp input", daemon=True).start()

    def __iter__(self) -> Iterator[str]:
        while (line := self._queue.get()) is not None:
            self._interrupts_taken += _is_interrupt(line)
            yield line

    def waiting(self) -> bool:
        """Whether a line is there already, or the end of the file."""
        return not self._queue.empty()

    def interrupted(self) -> bool:
        """Whether a comment ``# interrupt`` is there already: it is for whatever was sent before it."""
        return self._interrupts_read > self._interrupts_taken

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
        self._queue.put(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, 1 << 16)
        except OSError:
            return b""

    def _put(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace")
        self._interrupts_read += _is_interrupt(text)
        self._queue.put(text)


def _is_interrupt(line: str) -> bool:
    return line.strip() == INTERRUPT
