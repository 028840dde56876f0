"""Bounded log of an engine's standard error."""

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
    """A file with the beginning and the end of the output to `writer`, copied by a thread; removed if it is empty.

    The end is kept in memory and written now and then: at most TAIL bytes are lost if this process is killed.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file: IO[bytes] = path.open("wb", buffering=0)
        self._lock = threading.Lock()
        self._head = 0
        """Bytes of the beginning in the file."""
        self._tail = b""
        self._left_out = self._unwritten = 0
        self._reader, self.writer = os.pipe()
        self._stopper, self._stop = os.pipe()
        os.set_blocking(self._reader, False)
        self._thread = threading.Thread(target=self._copy, name="engine log", daemon=True)
        self._thread.start()

    def give_away(self) -> None:
        """Close the writer in this process."""
        os.close(self.writer)

    def last_bytes(self, count: int, patience: float = 0.0) -> bytes:
        """Return the last bytes, after waiting `patience` seconds for the end of the output."""
        self._thread.join(patience)
        with self._lock:
            if not self._file.closed:
                self._take_available()
            if len(self._tail) >= count:
                return self._tail[-count:]
            before = min(self._head, count - len(self._tail))
            with self._path.open("rb") as file:
                file.seek(self._head - before)
                return file.read(before) + self._tail

    def close(self) -> None:
        """Write the output so far, without waiting for processes that hold the writer."""
        if self._file.closed:
            return
        os.close(self._stop)
        self._thread.join()
        self._take_available()
        self._write_tail()
        self._file.close()
        for descriptor in (self._reader, self._stopper):
            os.close(descriptor)
        if not self._head:
            self._path.unlink(missing_ok=True)

    def _copy(self) -> None:
        """Copy the output, in the thread, until all writers are closed or `close` is called."""
        with selectors.DefaultSelector() as selector:
            for descriptor in (self._reader, self._stopper):
                selector.register(descriptor, selectors.EVENT_READ)
            while all(key.fd != self._stopper for key, _ in selector.select()):
                with self._lock, contextlib.suppress(BlockingIOError):  # `last_bytes` may have been quicker
                    if not self._take_chunk():
                        return

    def _take_available(self) -> None:
        """Take the output so far: at most a full pipe, since a writer may never pause."""
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
        """Write to the file. A full disk must not stop the reading, or the engine would wait for ever."""
        with contextlib.suppress(OSError):
            self._file.write(data)
