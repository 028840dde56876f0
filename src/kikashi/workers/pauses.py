"""Pauses of this process: a suspended job, a frozen container.

A time-out must not count them. A thread reads the clock at short intervals; a long gap is a pause.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

INTERVAL = 0.25
"""Seconds between two readings of the clock."""
SHORTEST = 2.0
"""Seconds of the shortest gap that counts as a pause: a busy machine is late too, but less."""


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
            if now - self._last >= SHORTEST:
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
        time.sleep(INTERVAL)
        found.read_clock()
