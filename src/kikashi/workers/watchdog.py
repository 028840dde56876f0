"""A time-out for what runs in a worker's own process, where nothing can interrupt a part that loops for ever.

Before a preset thinks, the worker writes down what the game comes to if no answer is found. If no simulations are done
for too long, a timer that needs neither Python nor its lock ends the process; whoever started it reads the note.
"""

from __future__ import annotations

import faulthandler
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

FOLDER = "playing"
"""In the folder of a match: notes about games that are being played."""
EVERY = 0.5
"""Seconds between two signs of life that are taken note of: setting the timer starts a thread."""

TRIES = 100
"""How often a file is tried to be made in a folder that others remove."""

_is_worker = False


def this_is_a_worker() -> None:
    """From now on this process may be ended by a `Watch`."""
    global _is_worker
    _is_worker = True


def note_of(folder: str | Path, number: int) -> Path:
    """The file with what game `number` comes to if its worker does not live."""
    return Path(folder) / FOLDER / f"{number:06}.json"


def trace_of(note: Path) -> Path:
    """The file that says where the worker was when its time was up; empty or missing if it was not."""
    return note.with_suffix(".txt")


def forget(note: Path) -> None:
    """Nothing is to be learned from a note any more."""
    note.unlink(missing_ok=True)
    trace_of(note).unlink(missing_ok=True)
    with suppress(OSError):  # there are others, or there never was one
        note.parent.rmdir()


def _new_trace(note: Path) -> IO[bytes]:
    """Begin the file of a trace. Another worker may remove the folder, which is empty, at any moment before."""
    for _ in range(TRIES - 1):
        note.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            return trace_of(note).open("wb")
    note.parent.mkdir(parents=True, exist_ok=True)
    return trace_of(note).open("wb")


def was_too_late(note: Path) -> bool:
    """Whether a worker was ended because its time was up."""
    try:
        return trace_of(note).stat().st_size > 0
    except OSError:
        return False


class Watch:
    """Ends this process if what it watches gives no sign of life for some seconds, after a text was noted.

    Nothing of this happens in a process that is not a worker of its own. Use it as a context manager.
    """

    def __init__(self, note: Path, seconds: float) -> None:
        self._note, self._seconds = note, seconds
        self._since = 0.0
        """When the timer was set; 0 if it is not."""
        self._trace: IO[bytes] | None = None

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.rest()
        if self._trace is not None:
            self._trace.close()
            forget(self._note)

    def begin(self, text: Callable[[], bytes]) -> None:
        """Watch from now on, with another text."""
        if not _is_worker:
            return
        if self._trace is None:
            self._trace = _new_trace(self._note)
        self._note.write_bytes(text())
        self.is_alive()

    def is_alive(self) -> bool:
        """Give a sign of life; the answer is always False, for a search that asks whether it should end."""
        now = time.monotonic()
        if self._trace is not None and now - self._since > min(EVERY, self._seconds / 4):
            self._since = now
            faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._trace)
        return False

    def rest(self) -> None:
        """Do not watch until the next beginning."""
        if self._since:
            faulthandler.cancel_dump_traceback_later()
            self._since = 0.0
