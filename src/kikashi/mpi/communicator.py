"""Messages between the ranks of a search.

Ranks form a tree with rank 0, the leader, at its root: a rank talks to its parent and at most `FAN_OUT` children.
Commands go down; a rank forwards a command before it obeys. Sums go up; a rank adds those of its children to its own.
No rank waits for a message while it has simulations to run.
"""

import os
import socket
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import numpy as np

from kikashi.wording import missing_extra, reason

FAN_OUT = 16
"""Children of a rank at most."""
REPORT_INTERVAL = 0.07
"""Seconds between two reports of a rank."""
POLL_INTERVAL = 0.01
"""Seconds between two looks for messages of a rank that runs simulations."""
HEARTBEAT = 1.0
"""Seconds between two reports of a rank with nothing new to report."""
SETUP_TIMEOUT = 900.0
"""Seconds that a rank may take to prepare a new search: all kernels may have to be compiled."""
SHORTEST_SLEEP, LONGEST_SLEEP = 0.0002, 0.005
COMMAND, REPORT, REPLY, FAILURE, STAGE_SUMS, STAGE_TOTAL, SHARED_PLIES = range(1, 8)

Made = TypeVar("Made")
Command = tuple[Callable[..., None], tuple[Any, ...]]
"""A method of `WorkerRank`, and its arguments."""


class Communicator:
    """The messages of one rank.

    `patience` is the number of seconds that a rank with something to report may be silent. Then the job ends, with a
    line that names the rank. Raises ValueError if MPI is missing.
    """

    def __init__(self, patience: float) -> None:
        try:
            from mpi4py import MPI
        except (ImportError, RuntimeError) as error:
            raise ValueError(missing_extra("--ranks", "mpi", error)) from None
        self._mpi = MPI
        self._world = MPI.COMM_WORLD.Dup()  # keeps our messages apart from those of other code
        self.rank, self.ranks = int(self._world.Get_rank()), int(self._world.Get_size())
        self.place = self.rank, self.ranks
        """As `Search.run_share` takes it."""
        self.patience = patience
        self.parent = (self.rank - 1) // FAN_OUT
        self.children = children_of(self.rank, self.ranks)
        self.descendants = subtree_size(self.rank, self.ranks) - 1
        self.host = socket.gethostname()
        self.seconds = 0.0
        """Seconds spent in exchange while there were simulations to run."""
        self.messages = self.bytes = 0
        """Number and size of the arrays sent and received."""
        self._sending: list[Any] = []
        self._report: Any = None
        self._sharing: dict[int, Any] = {}
        self._last_heard: dict[int, float] = {}
        self._next_poll = 0.0
        self._launcher = os.getppid()

    # --- commands, down the tree --------------------------------------------------------------------------------------

    def command(self, method: Callable[..., None], *arguments: Any) -> None:
        """Have all descendants call a method of their `WorkerRank`."""
        self._sending = [request for request in self._sending if not request.Test()]
        for rank in self.children:
            self.send((method, arguments), rank, COMMAND)

    def has_command(self) -> bool:
        return bool(self._world.Iprobe(source=self.parent, tag=COMMAND))

    def receive_command(self) -> Command:
        """Receive a command and forward it."""
        method, arguments = self._world.recv(source=self.parent, tag=COMMAND)
        self.command(method, *arguments)
        return method, arguments

    # --- arrays: reports up the tree, statistics of the first plies to neighbours -------------------------------------

    def can_report(self) -> bool:
        """Return whether the last report has left, so that the next may follow."""
        return self._report is None or bool(self._report.Test())

    def report(self, numbers: np.ndarray) -> None:
        """Send sums to the parent; the array must not be changed afterwards."""
        self._report = self._send_array(numbers, self.parent, REPORT)

    def reports(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the reports that have arrived, with their senders."""
        for rank, numbers in self._arrays(REPORT) if self.children else ():
            self._last_heard[rank] = time.perf_counter()
            yield rank, numbers

    @property
    def neighbours(self) -> list[int]:
        """The children, and the parent if there is one."""
        return [*self.children, *([self.parent] if self.rank else [])]

    def share(self, rank: int, numbers: np.ndarray) -> None:
        """Send statistics to a neighbour, unless the last ones have not left yet."""
        if rank not in self._sharing or self._sharing[rank].Test():
            self._sharing[rank] = self._send_array(numbers, rank, SHARED_PLIES)

    def shared(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the statistics that neighbours have sent, with their senders."""
        yield from self._arrays(SHARED_PLIES)

    def _send_array(self, numbers: np.ndarray, rank: int, tag: int) -> Any:
        self.messages, self.bytes = self.messages + 1, self.bytes + numbers.nbytes
        return self._world.Isend(numbers, rank, tag)

    def _arrays(self, tag: int) -> Iterator[tuple[int, np.ndarray]]:
        status = self._mpi.Status()
        while (message := self._world.Improbe(tag=tag, status=status)) is not None:
            numbers = np.empty(status.Get_count(self._mpi.INT64_T), np.int64)
            message.Recv(numbers)
            self.messages, self.bytes = self.messages + 1, self.bytes + numbers.nbytes
            yield int(status.Get_source()), numbers

    # --- objects: replies and failures to the leader, sums of stages up and down --------------------------------------

    def send(self, message: Any, rank: int, tag: int) -> None:
        self._sending.append(self._world.isend(message, rank, tag))

    def objects(self, tag: int) -> Iterator[tuple[int, Any]]:
        """Yield the objects that have arrived under a tag, with their senders."""
        status = self._mpi.Status()
        while self._world.Iprobe(tag=tag, status=status):
            yield int(status.Get_source()), self._world.recv(source=status.Get_source(), tag=tag)

    def reply(self, message: Any) -> None:
        self.send(message, 0, REPLY)

    def replies(self, seconds: float) -> dict[int, Any]:
        """Wait for a reply of every other rank. Ends the job if one does not come in time."""
        found: dict[int, Any] = {}
        until = time.perf_counter() + seconds
        backoff = Backoff()
        while len(found) < self.ranks - 1:
            if (message := next(self.objects(REPLY), None)) is not None:
                found[message[0]] = message[1]
            elif time.perf_counter() > until:
                self.give_up(next(rank for rank in range(1, self.ranks) if rank not in found), seconds)
            else:
                backoff.sleep()
        return found

    def make_everywhere(self, make: Callable[[], tuple[Made, str]]) -> Made:
        """Make what all ranks make, each with its identity, and return it on rank 0 when all have the same.

        Raises ValueError for a rank that cannot make it or has another one, and what `make` raises.
        """
        failure: Exception | None = None
        try:
            made, own = make()
        except (ValueError, OSError, MemoryError) as error:  # most likely of all ranks, whose replies must be received
            failure = error
        if self.rank:
            self.reply((own, "") if failure is None else ("", reason(failure)))
        replies = {} if self.rank else self.replies(max(SETUP_TIMEOUT, self.patience))
        if failure is not None:
            raise failure
        for rank, (identity, error_text) in sorted(replies.items()):
            if error_text:
                raise ValueError(f"rank {rank}: {error_text}")
            if identity != own:
                wanted = "all need the same version, preset, plugins and weights"
                raise ValueError(f"rank {rank} is another program than rank 0: {wanted}")
        return made

    # --- failures of ranks --------------------------------------------------------------------------------------------

    def expect_reports(self) -> None:
        """Start to measure the silence of the children."""
        self._last_heard = dict.fromkeys(self.children, time.perf_counter())

    def check_silence(self, paused: Collection[int]) -> None:
        """End the job if a child has been silent for too long and is not paused."""
        now = time.perf_counter()
        for rank, heard in self._last_heard.items():
            if now - heard > self.patience and rank not in paused:
                self.give_up(rank, now - heard)

    def check_launcher(self) -> None:
        """Leave at once if the process that started this one is gone."""
        if os.getppid() != self._launcher:
            os._exit(1)

    def give_up(self, rank: int, seconds: float) -> NoReturn:
        self.abort(f"rank {rank} has been silent for {seconds:.0f} seconds, so it is lost: this job ends")

    def abort(self, message: str) -> NoReturn:
        """End the job with one line on standard error."""
        print(f"kikashi: {message}", file=sys.stderr, flush=True)
        self._world.Abort(1)
        raise SystemExit(1)  # where MPI does not return from that, neither does this

    def flush(self) -> None:
        """Wait until all messages have left."""
        backoff = Backoff()
        until = time.perf_counter() + self.patience
        while not all(each.Test() for each in [*self._sending, *self._sharing.values()]) or not self.can_report():
            for _ in self.shared():
                pass  # no use any more, but its sender waits
            if time.perf_counter() > until:
                self.abort(f"rank {self.rank} on {self.host} cannot send its messages: this job ends")
            backoff.sleep()
        self._sending = []

    # --- time ---------------------------------------------------------------------------------------------------------

    def is_time_to_poll(self) -> bool:
        """Return whether a rank that runs simulations should look for messages again."""
        return time.perf_counter() >= self._next_poll

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count the time of the body of the ``with`` as exchange."""
        started = time.perf_counter()
        try:
            yield
        finally:
            now = time.perf_counter()
            self.seconds += now - started
            self._next_poll = now + POLL_INTERVAL


def children_of(rank: int, ranks: int) -> list[int]:
    first = FAN_OUT * rank + 1
    return list(range(first, min(first + FAN_OUT, ranks)))


def subtree_size(rank: int, ranks: int) -> int:
    """Return the number of a rank's descendants, itself included."""
    return 1 + sum(subtree_size(child, ranks) for child in children_of(rank, ranks))


class Backoff:
    """Sleeps of increasing length. A rank that waits inside MPI would keep a core busy."""

    def __init__(self) -> None:
        self._seconds = SHORTEST_SLEEP

    def sleep(self) -> None:
        time.sleep(self._seconds)
        self._seconds = min(2 * self._seconds, LONGEST_SLEEP)
