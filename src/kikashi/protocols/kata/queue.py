"""Positions that wait to be analysed or are: who is next, and how they are ended."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from itertools import count
from threading import Condition, Event

from kikashi.protocols.kata.queries import Position


class Job:
    """One position, and whether its analysis is to end."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.stop = Event()


class Jobs:
    """A queue for several threads: the highest priority first, and of those the oldest."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: list[tuple[int, int, Job]] = []
        self._running: set[Job] = set()
        self._number = count()
        self._is_closed = False

    def add(self, positions: Iterable[Position]) -> None:
        """Have positions analysed."""
        with self._changed:
            for position in positions:
                heapq.heappush(self._waiting, (-position.priority, next(self._number), Job(position)))
            self._changed.notify_all()

    def take(self) -> Job | None:
        """The next position, when there is one; None when no more will come. Whoever takes one calls `done`."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            if not self._waiting:
                return None
            job = heapq.heappop(self._waiting)[2]
            self._running.add(job)
            return job

    def done(self, job: Job) -> None:
        """A position has had its final answer."""
        with self._changed:
            self._running.discard(job)

    def terminate(self, is_meant: Callable[[Position], bool]) -> list[Position]:
        """End the analysis of positions; returns those that nobody has begun, which are taken off."""
        with self._changed:
            for job in self._running:
                if is_meant(job.position):
                    job.stop.set()
            dropped = sorted(entry for entry in self._waiting if is_meant(entry[2].position))
            self._waiting = [entry for entry in self._waiting if not is_meant(entry[2].position)]
            heapq.heapify(self._waiting)
            return [entry[2].position for entry in dropped]

    def close(self) -> None:
        """No more positions will come."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
