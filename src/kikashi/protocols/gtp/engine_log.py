"""The log of an engine: what it says on standard error, bounded, however much that is."""

from __future__ import annotations

import contextlib
import os
import selectors
import threading
from pathlib import Path
from typing import IO

HEAD = TAIL = 1 << 18
"""Bytes that are kept from the beginning and from the end."""
CHUNK = 1 << 16
IN_A_PIPE = 1 << 20
"""Bytes that a pipe may hold."""
LEFT_OUT = "\n[kikashi: {:,} bytes were left out here]\n"


class EngineLog:
    """A file with the beginning and the end of what is written to `writer`, copied there by a thread.

    The end is kept in memory and written down now and then: at most TAIL bytes are lost if this process is killed. The
    file is removed if nothing was said. Raises OSError if it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file: IO[bytes] = path.open("wb", buffering=0)
        self._lock = threading.Lock()
        self._head = 0
        """Bytes in the file that stay there."""
        self._tail = b""
        self._left_out = self._unwritten = 0
        self._reader, self.writer = os.pipe()
        self._stopper, self._stop = os.pipe()
        os.set_blocking(self._reader, False)
        self._thread = threading.Thread(target=self._copy, name="engine log", daemon=True)
        self._thread.start()

    def give_away(self) -> None:
        """Close the writer here: the engine has it, or there is none."""
        os.close(self.writer)

    def last_bytes(self, count: int, patience: float = 0.0) -> bytes:
        """The last bytes that were said, after some seconds in which more may come, unless the engine is gone."""
        self._thread.join(patience)
        with self._lock:
            if not self._file.closed:
                self._take_what_is_there()
            if len(self._tail) >= count:
                return self._tail[-count:]
            before = min(self._head, count - len(self._tail))
            with self._path.open("rb") as file:
                file.seek(self._head - before)
                return file.read(before) + self._tail

    def close(self) -> None:
        """Write down what has been said so far; a process that still holds the writer is not waited for."""
        if self._file.closed:
            return
        os.close(self._stop)
        self._thread.join()
        self._take_what_is_there()
        self._write_tail()
        self._file.close()
        for descriptor in (self._reader, self._stopper):
            os.close(descriptor)
        if not self._head:
            self._path.unlink(missing_ok=True)

    def _copy(self) -> None:
        """In the thread: take what is said, until all writers are closed or it is stopped."""
        with selectors.DefaultSelector() as selector:
            for descriptor in (self._reader, self._stopper):
                selector.register(descriptor, selectors.EVENT_READ)
            while all(key.fd != self._stopper for key, _ in selector.select()):
                with self._lock, contextlib.suppress(BlockingIOError):  # `last_bytes` may have been quicker
                    if not self._take_chunk():
                        return

    def _take_what_is_there(self) -> None:
        """Take what was said before this call, and perhaps more; somebody may never fall silent."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(IN_A_PIPE // CHUNK):
                if not self._take_chunk():
                    return

    def _take_chunk(self) -> bool:
        """Take the next bytes; False at the end. Raises BlockingIOError if there are none yet."""
        data = os.read(self._reader, CHUNK)
        if room := max(0, HEAD - self._head):
            self._write(data[:room])
            self._head += len(data[:room])
        self._tail += data[room:]
        self._unwritten += len(data[room:])
        self._left_out += max(0, len(self._tail) - TAIL)
        self._tail = self._tail[-TAIL:]
        if self._unwritten >= TAIL:
            self._write_tail()
        return bool(data)

    def _write_tail(self) -> None:
        if not self._unwritten:
            return
        self._unwritten = 0
        note = LEFT_OUT.format(self._left_out).encode() if self._left_out else b""
        with contextlib.suppress(OSError):
            self._file.seek(self._head)
            self._file.truncate()
        self._write(note + self._tail)

    def _write(self, data: bytes) -> None:
        """Write to the file. A full disk is no reason to stop reading: the engine would wait for ever."""
        with contextlib.suppress(OSError):
            self._file.write(data)
