"""The controller's lines, read by a thread: a search can see that one has come."""

from __future__ import annotations

import os
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Event, Thread

from kikashi.gtp.protocol import INTERRUPT

LONGEST_LINE = 1 << 20
"""What a line has beyond this is thrown away: no controller sends it, and memory is finite."""


class Lines:
    """Iterates over the lines of a file descriptor, waiting for them; ends with the file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self.interrupt = Event()
        """Set by the comment ``# interrupt``."""
        Thread(target=self._read, name="gtp input", daemon=True).start()

    def __iter__(self) -> Iterator[str]:
        while (line := self._queue.get()) is not None:
            yield line

    def waiting(self) -> bool:
        """Whether a line is there already, or the end of the file."""
        return not self._queue.empty()

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
        if text.strip() == INTERRUPT:
            self.interrupt.set()
        self._queue.put(text)
