"""Times in which this process did not run: a container that was paused, a job that was suspended.

A time-out counts only time in which whoever watches ran too. A thread looks at the clock again and again; where it
comes late, the process was stopped.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

EVERY = 0.25
"""Seconds between two looks."""
LEAST = 2.0
"""Seconds without a look from which on the process was stopped: a busy machine comes late too, but not as late."""


class Pauses:
    """Stops of a process, by the looks at its clock."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock, self._last = clock, clock()
        self._stops: list[tuple[float, float]] = []
        """Beginning and end of each."""
        self._lock = threading.Lock()

    def look(self) -> None:
        """Look at the clock, and note a stop if this comes late."""
        with self._lock:
            now = self._clock()
            if now - self._last >= LEAST:
                self._stops.append((self._last, now))
            self._last = now

    def since(self, moment: float) -> float:
        """The seconds after a moment, by `time.perf_counter`, in which the process was stopped."""
        self.look()
        with self._lock:
            return sum(end - max(begin, moment) for begin, end in self._stops if end > moment)


_of_process: dict[int, Pauses] = {}


def pauses() -> Pauses:
    """The stops of this process since this was first called in it."""
    if os.getpid() not in _of_process:
        found = _of_process[os.getpid()] = Pauses()
        threading.Thread(target=_keep_looking, args=(found,), daemon=True).start()
    return _of_process[os.getpid()]


def _keep_looking(found: Pauses) -> None:
    while True:
        time.sleep(EVERY)
        found.look()
