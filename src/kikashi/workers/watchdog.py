"""A time-out for parts that loop for ever inside a worker's own process, where nothing can interrupt them.

Before a preset searches, the worker writes a note: the result of the game if no move is found. If no simulations are
done for too long, a timer that needs neither Python nor its lock ends the process. The parent then reads the note.

A time-out must not count pauses of the whole machine: a suspended job, a frozen container. A thread of the parent reads
the clock at short intervals; a long gap is a pause.
"""

import faulthandler
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

FOLDER = "playing"
"""Folder, inside that of a match, with the notes about games in progress."""
INTERVAL = 0.5
"""Least seconds between two settings of the timer: each starts a thread."""
ATTEMPTS = 100
"""Attempts to create a file in a folder that other workers remove."""
READING_INTERVAL = 0.25
"""Seconds between two readings of the clock."""
SHORTEST_PAUSE = 2.0
"""Seconds of the shortest gap that counts as a pause: a busy machine is late too, but less."""

_is_worker = False


def mark_as_worker() -> None:
    """Allow a `Watchdog` to end this process."""
    global _is_worker
    _is_worker = True


def note_path(folder: str | Path, number: int) -> Path:
    """Return the path of the note about a game."""
    return Path(folder) / FOLDER / f"{number:06}.json"


def trace_path(note: Path) -> Path:
    """Return the path of the stack trace at the time-out; without one the file is empty or missing."""
    return note.with_suffix(".txt")


def remove_note(note: Path) -> None:
    """Remove a note, its trace, and the folder if it is empty then."""
    note.unlink(missing_ok=True)
    trace_path(note).unlink(missing_ok=True)
    with suppress(OSError):  # there are others, or there never was one
        note.parent.rmdir()


def _open_trace(note: Path) -> IO[bytes]:
    """Create the file of a trace, although another worker may remove the empty folder at any moment before."""
    for _ in range(ATTEMPTS):
        note.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            return trace_path(note).open("wb")
    raise FileNotFoundError(f"cannot create {trace_path(note)}")


def has_timed_out(note: Path) -> bool:
    """Return whether the worker that wrote a note was ended by its timer."""
    try:
        return trace_path(note).stat().st_size > 0
    except OSError:
        return False


class Watchdog:
    """A timer that ends this process, after writing a note, unless `keep_alive` is called in time.

    It does nothing in a process that is not a worker of its own. Use it as a context manager.
    """

    def __init__(self, note: Path, seconds: float) -> None:
        self._note, self._seconds = note, seconds
        self._armed_at = 0.0
        """Time at which the timer was set; 0 if it is not."""
        self._trace: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.disarm()
        if self._trace is not None:
            self._trace.close()
            remove_note(self._note)

    def arm(self, text: Callable[[], bytes]) -> None:
        """Write the note and start the timer."""
        if not _is_worker:
            return
        if self._trace is None:
            self._trace = _open_trace(self._note)
        self._note.write_bytes(text())
        self.keep_alive()

    def keep_alive(self) -> bool:
        """Restart the timer. Return False always: a search may call this as its test for interruption."""
        now = time.monotonic()
        if self._trace is not None and now - self._armed_at > min(INTERVAL, self._seconds / 4):
            self._armed_at = now
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._trace)
        return False

    def disarm(self) -> None:
        """Stop the timer until it is armed again."""
        if self._armed_at:
            faulthandler.cancel_dump_traceback_later()
            self._armed_at = 0.0


# --- pauses -----------------------------------------------------------------------------------------------------------


class Pauses:
    """Pauses of a process, found by readings of its clock."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock, self._last = clock, clock()
        self._pauses: list[tuple[float, float]] = []
        self._lock = threading.Lock()

    def read_clock(self) -> None:
        """Read the clock, and record a pause if the last reading is long ago."""
        with self._lock:
            now = self._clock()
            if now - self._last >= SHORTEST_PAUSE:
                self._pauses.append((self._last, now))
            self._last = now

    def since(self, moment: float) -> float:
        """Return the seconds of pauses after a moment of `time.perf_counter`."""
        self.read_clock()
        with self._lock:
            return sum(end - max(begin, moment) for begin, end in self._pauses if end > moment)


_of_process: dict[int, Pauses] = {}


def pauses() -> Pauses:
    """Return the pauses of this process since the first call in it."""
    if os.getpid() not in _of_process:
        found = _of_process[os.getpid()] = Pauses()
        threading.Thread(target=_watch, args=(found,), daemon=True).start()
    return _of_process[os.getpid()]


def _watch(found: Pauses) -> None:
    while True:
        time.sleep(READING_INTERVAL)
        found.read_clock()
