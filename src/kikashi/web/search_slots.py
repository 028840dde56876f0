"""Who may search when: all pages share one number of threads, and who waits gets the next turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import TypeVar

Item = TypeVar("Item")
LOOK_AGAIN = 0.2
"""Seconds after which who waits looks whether its page is still there."""


class Turns:
    """Threads that are lent for a short while, first come, first served."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._free = threads
        self._waiting: deque[object] = deque()
        self._changed = Condition()

    @property
    def is_free(self) -> bool:
        """Whether nobody searches."""
        return self._free == self.threads

    @contextmanager
    def turn(self, is_ended: Callable[[], bool]) -> Iterator[bool]:
        """All threads for as long as the body runs; False, and none, if `is_ended` says yes before it is our turn."""
        ticket = object()
        with self._changed:
            self._waiting.append(ticket)
            while not (self._waiting[0] is ticket and self._free) and not is_ended():
                self._changed.wait(LOOK_AGAIN)
            is_ours = self._waiting[0] is ticket and bool(self._free) and not is_ended()
            self._waiting.remove(ticket)
            if is_ours:
                self._free = 0
            self._changed.notify_all()
        try:
            yield is_ours
        finally:
            if is_ours:
                with self._changed:
                    self._free = self.threads
                    self._changed.notify_all()

    def stepping(self, steps: Iterator[Item], is_ended: Callable[[], bool]) -> Iterator[Item]:
        """What an iterator yields; each step has a turn of its own. Ends early where `is_ended` says so."""
        while True:
            with self.turn(is_ended) as is_ours:
                if not is_ours:
                    return
                try:
                    found = next(steps)
                except StopIteration:
                    return
            yield found
