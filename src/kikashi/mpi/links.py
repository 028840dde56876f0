"""Who talks to whom: ranks are a tree with rank 0 on top. Orders go down, sums go up, and nobody waits for a message
while it has simulations to run.

A rank passes on what it is told, and adds what the ranks below it say to its own, so that no rank talks to more than
`FAN` others, however many there are.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from kikashi.mpi.orders import Order
from kikashi.wording import missing_extra

FAN = 16
"""How many ranks a rank talks to directly, besides the one above it."""
EVERY = 0.07
"""Seconds between two messages about what was found."""
LOOK = 0.01
"""Seconds between two looks for messages of a rank that has simulations to run."""
BREATH = 1.0
"""Seconds between two messages of a rank that has nothing new to say but is not at rest."""
GETTING_READY = 900.0
"""Seconds that a rank may take for a new search: everything may have to be compiled."""
SHORTEST_NAP, LONGEST_NAP = 0.0002, 0.005
ORDER, REPORT, ANSWER, COMPLAINT, STAGE, AGREED, SHARED = range(1, 8)


Stage = tuple[int, int]
"""The number of a search, and of a stage in it."""


class Links:
    """The ranks that one rank talks to.

    `patience` is how many seconds a rank may be silent that should say something; then the job ends, with a line that
    names it.
    """

    def __init__(self, patience: float) -> None:
        """Raises ValueError if MPI is not here."""
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:
            raise ValueError(missing_extra("--ranks", "mpi", error)) from None
        self._mpi = MPI
        self._world = MPI.COMM_WORLD.Dup()  # messages of anybody else stay apart
        self.rank, self.ranks = int(self._world.Get_rank()), int(self._world.Get_size())
        self.patience = patience
        self.above = (self.rank - 1) // FAN
        first = FAN * self.rank + 1
        self.below = list(range(first, min(first + FAN, self.ranks)))
        self.all_below = sum(_under(rank, self.ranks) for rank in self.below)
        """How many ranks there are below, directly or not."""
        self.host = socket.gethostname()
        self.seconds = 0.0
        """That this rank has spent in exchanging, while it had simulations to run."""
        self.messages = self.bytes = 0
        """Of numbers, that were sent or received."""
        self._sending: list[Any] = []
        self._report: Any = None
        self._sharing: dict[int, Any] = {}
        self._heard: dict[int, float] = {}
        self._look_again = 0.0
        self._searches = 0
        self._parent = os.getppid()

    # --- orders -------------------------------------------------------------------------------------------------------

    def tell(self, order: Order) -> None:
        """Give an order to the ranks below."""
        self._sending = [request for request in self._sending if not request.Test()]
        self._sending += [self._world.isend(order, rank, ORDER) for rank in self.below]

    def next_search(self) -> int:
        """On rank 0: a number for a search that none before it had, whatever preset or board."""
        self._searches += 1
        return self._searches

    def has_order(self) -> bool:
        """Whether an order has come."""
        return bool(self._world.Iprobe(source=self.above, tag=ORDER))

    def take_order(self) -> Order:
        """The order that has come; it is passed on first."""
        order: Order = self._world.recv(source=self.above, tag=ORDER)
        self.tell(order)
        return order

    # --- reports ------------------------------------------------------------------------------------------------------

    def can_report(self) -> bool:
        """Whether the last report is on its way, so that the next may follow."""
        return self._report is None or bool(self._report.Test())

    def report(self, numbers: np.ndarray) -> None:
        """Send sums upwards. They must not be changed any more."""
        self.messages, self.bytes = self.messages + 1, self.bytes + numbers.nbytes
        self._report = self._world.Isend(numbers, self.above, REPORT)

    def reports(self) -> Iterator[tuple[int, np.ndarray]]:
        """What has come from below, and from whom."""
        for rank, numbers in self._received(REPORT) if self.below else ():
            self._heard[rank] = time.perf_counter()
            yield rank, numbers

    def _received(self, tag: int) -> Iterator[tuple[int, np.ndarray]]:
        """Numbers that have come under a tag, and from whom."""
        status = self._mpi.Status()
        while (message := self._world.Improbe(tag=tag, status=status)) is not None:
            numbers = np.empty(status.Get_count(self._mpi.INT64_T), np.int64)
            message.Recv(numbers)
            self.messages, self.bytes = self.messages + 1, self.bytes + numbers.nbytes
            yield int(status.Get_source()), numbers

    # --- first plies --------------------------------------------------------------------------------------------------

    @property
    def neighbours(self) -> list[int]:
        """The ranks below, and the one above if there is one."""
        return [*self.below, *([self.above] if self.rank else [])]

    def share(self, rank: int, numbers: np.ndarray) -> None:
        """Send statistics to a neighbour, unless the last are still on their way."""
        if rank in self._sharing and not self._sharing[rank].Test():
            return
        self.messages, self.bytes = self.messages + 1, self.bytes + numbers.nbytes
        self._sharing[rank] = self._world.Isend(numbers, rank, SHARED)

    def shared(self) -> Iterator[tuple[int, np.ndarray]]:
        """What neighbours have sent, and who."""
        yield from self._received(SHARED)

    # --- answers ------------------------------------------------------------------------------------------------------

    def answer(self, what: Any) -> None:
        """Say something to rank 0."""
        self._sending.append(self._world.isend((self.rank, what), 0, ANSWER))

    def take_answer(self) -> tuple[int, Any] | None:
        """On rank 0: who has said what, if anybody has said anything."""
        if not self._world.Iprobe(tag=ANSWER):
            return None
        answer: tuple[int, Any] = self._world.recv(tag=ANSWER)
        return answer

    def complain(self, number: int, trouble: str) -> None:
        """Tell rank 0 that a part has failed in a search."""
        self._sending.append(self._world.isend((self.rank, number, trouble), 0, COMPLAINT))

    def take_complaint(self) -> tuple[int, int, str] | None:
        """On rank 0: which rank has failed in which search, and why, if any has."""
        if not self._world.Iprobe(tag=COMPLAINT):
            return None
        complaint: tuple[int, int, str] = self._world.recv(tag=COMPLAINT)
        return complaint

    def answers(self, seconds: float) -> dict[int, Any]:
        """On rank 0: wait until every other rank has said something. Ends the job if one does not in this time."""
        found: dict[int, Any] = {}
        until = time.perf_counter() + seconds
        nap = Nap()
        while len(found) < self.ranks - 1:
            answer = self.take_answer()
            if answer is not None:
                found[answer[0]] = answer[1]
            elif time.perf_counter() > until:
                self.give_up(next(rank for rank in range(1, self.ranks) if rank not in found), seconds)
            else:
                nap.take()
        return found

    # --- stages -------------------------------------------------------------------------------------------------------

    def tell_stage(self, when: Stage, sums: np.ndarray) -> None:
        """Send upwards what this rank and those below have found in the stages up to one."""
        self._sending.append(self._world.isend((when, sums), self.above, STAGE))

    def stage_sums(self, when: Stage) -> Iterator[tuple[int, np.ndarray]]:
        """What has come from below about a stage, and from whom."""
        status = self._mpi.Status()
        while self.below and self._world.Iprobe(tag=STAGE, status=status):
            about, sums = self._world.recv(source=status.Get_source(), tag=STAGE)
            if about == when:
                yield int(status.Get_source()), sums

    def agree(self, when: Stage, sums: np.ndarray) -> None:
        """Tell the ranks below what all have found."""
        self._sending += [self._world.isend((when, sums), rank, AGREED) for rank in self.below]

    def agreed_sums(self, when: Stage) -> np.ndarray | None:
        """What all have found, if it has come from above."""
        while self._world.Iprobe(source=self.above, tag=AGREED):
            about, sums = self._world.recv(source=self.above, tag=AGREED)
            if about == when:
                return np.asarray(sums)
        return None

    # --- silence ------------------------------------------------------------------------------------------------------

    def start_listening(self) -> None:
        """From now on the ranks below should say something now and then."""
        self._heard = dict.fromkeys(self.below, time.perf_counter())

    def check_silence(self, excused: Collection[int]) -> None:
        """End the job if a rank below has said nothing for too long; some may be excused, having nothing to say."""
        now = time.perf_counter()
        for rank, heard in self._heard.items():
            if now - heard > self.patience and rank not in excused:
                self.give_up(rank, now - heard)

    def check_parent(self) -> None:
        """Leave at once if who started this process is gone."""
        if os.getppid() != self._parent:
            os._exit(1)

    def give_up(self, rank: int, seconds: float) -> NoReturn:
        """End the whole job because a rank is silent."""
        self.abort(f"rank {rank} has said nothing for {seconds:.0f} seconds, so it is lost: this job ends")

    def abort(self, why: str) -> NoReturn:
        """End the whole job, with one line on standard error."""
        print(f"kikashi: {why}", file=sys.stderr, flush=True)
        self._world.Abort(1)
        raise SystemExit(1)  # where MPI does not come back from that, neither does this

    def finish(self) -> None:
        """Wait until all that was said is on its way."""
        nap = Nap()
        until = time.perf_counter() + self.patience
        while not all(each.Test() for each in [*self._sending, *self._sharing.values()]) or not self.can_report():
            for _ in self.shared():
                pass  # nobody needs it any more, but who sent it waits
            if time.perf_counter() > until:
                self.abort(f"rank {self.rank} on {self.host} cannot get rid of its messages: this job ends")
            nap.take()
        self._sending = []

    # --- time ---------------------------------------------------------------------------------------------------------

    def is_time_to_look(self) -> bool:
        """Whether a rank that has simulations to run should look for messages again."""
        return time.perf_counter() >= self._look_again

    @contextmanager
    def timed(self) -> Iterator[None]:
        """What the body of the ``with`` takes is time spent in exchanging."""
        started = time.perf_counter()
        try:
            yield
        finally:
            now = time.perf_counter()
            self.seconds += now - started
            self._look_again = now + LOOK


def _under(rank: int, ranks: int) -> int:
    """How many ranks a rank speaks for, itself included."""
    first = FAN * rank + 1
    return 1 + sum(_under(each, ranks) for each in range(first, min(first + FAN, ranks)))


class Nap:
    """Sleeps that become longer, so that what comes soon is seen soon and a long wait costs nothing.

    Whoever waits inside MPI keeps a core busy.
    """

    def __init__(self) -> None:
        self._seconds = SHORTEST_NAP

    def take(self) -> None:
        """Sleep."""
        time.sleep(self._seconds)
        self._seconds = min(2 * self._seconds, LONGEST_NAP)
