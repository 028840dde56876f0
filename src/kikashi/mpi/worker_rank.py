"""A rank that is not the leader: it obeys commands, and reports its sums."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from kikashi.engine.preset import load_preset_table
from kikashi.mpi.communicator import FAILURE, HEARTBEAT, REPORT_INTERVAL, Backoff, Communicator
from kikashi.mpi.rank_search import RankSearch, describe_rank, new_rank_search
from kikashi.parts.binding import identity_of
from kikashi.search.interface import SearchRequest


class WorkerRank:
    """A rank whose public methods are the commands of the leader."""

    def __init__(self, communicator: Communicator) -> None:
        self._communicator = communicator
        self._current: RankSearch | None = None
        self._has_quit = False
        self._is_reporting = False
        """Whether the leader expects reports: from the first simulation until all ranks are paused."""
        self._has_news = False
        self._reported = 0.0
        self._has_failed = False
        self._worked = 0.0
        """Seconds that simulations have taken, with exchange."""

    def serve(self) -> None:
        """Obey commands until `quit`. An unexpected error ends the whole job."""
        try:
            while not self._has_quit:
                self._obey_next()
            self._communicator.flush()
        except Exception as error:
            self._communicator.abort(
                f"rank {self._communicator.rank} on {self._communicator.host}: {error!r}: this job ends"
            )

    def _obey_next(self) -> None:
        backoff = Backoff()
        while not self._communicator.has_command():
            if self._is_reporting:
                self._forward()
            self._communicator.check_launcher()
            backoff.sleep()
        method, arguments = self._communicator.receive_command()
        try:
            method(self, *arguments)
        except ValueError as error:  # of a part
            self._has_failed = True
            self._communicator.send((self._ranks.number, str(error)), 0, FAILURE)

    # --- commands -----------------------------------------------------------------------------------------------------

    def quit(self) -> None:
        self._has_quit = True
        self._communicator.reply("quit")

    def new_search(self, preset: str, table: dict[str, Any], plies: int, how: Mapping[str, Any]) -> None:
        """Replace the search by one of a preset with these settings; `how` is that of `new_rank_search`."""
        self._current = None  # its memory may be needed
        self._is_reporting = False
        with suppress(ValueError, OSError, MemoryError):  # rank 0 reports it
            self._current = self._communicator.make_everywhere(
                lambda: (
                    RankSearch(new_rank_search(load_preset_table(preset, table), self._communicator, **how), plies),
                    identity_of(table),
                )
            )

    def describe(self) -> None:
        self._communicator.reply(describe_rank(self._communicator, self._current, self._worked))

    @property
    def _ranks(self) -> RankSearch:
        assert self._current is not None
        return self._current

    def clear(self) -> None:
        self._ranks.search.clear()

    def advance(self, moves: Sequence[int]) -> None:
        self._ranks.search.advance(moves)

    def start(self, number: int, request: SearchRequest) -> None:
        """As `Search.start`, for the search with a number: messages about another one are out of date."""
        self._has_failed = self._is_reporting = False
        self._ranks.begin(number)
        self._ranks.search.start(request)

    def run(self, simulations: int) -> None:
        """Run simulations until all ranks together have run this many since the start, or until the next command."""
        self._ranks.is_paused = False
        if not self._is_reporting:
            self._communicator.expect_reports()
        self._is_reporting = True
        if not self._has_failed:
            started = time.perf_counter()
            self._ranks.search.run_share(simulations, self._communicator.place, check=self._poll)
            self._worked += time.perf_counter() - started
        if not self._communicator.has_command():
            self._report()

    def pause(self, number: int) -> None:
        """Stop, and report the final sums."""
        self._ranks.pause(number)
        self._report()

    # --- reports ------------------------------------------------------------------------------------------------------

    def _poll(self) -> bool:
        """Exchange messages between two batches, if it is time; return whether there is a command."""
        if self._communicator.is_time_to_poll():
            with self._communicator.timed():
                self._has_news = True
                self._forward()
        return self._communicator.has_command()

    def _forward(self) -> None:
        """Receive the reports of the children, and report to the parent if it is time."""
        ranks = self._ranks
        for rank, numbers in self._communicator.reports():
            ranks.receive(rank, numbers)
            self._has_news = True
        ranks.exchange(self._communicator)
        self._communicator.check_silence(ranks.paused_children())
        is_final = self._has_news and self._are_all_paused()
        silent = time.perf_counter() - self._reported
        if is_final or silent > (REPORT_INTERVAL if self._has_news else HEARTBEAT):
            self._report()

    def _report(self) -> None:
        """Send all totals, unless the last report has not left yet."""
        if not self._communicator.can_report():
            self._has_news = True
            return
        self._communicator.report(self._ranks.all_totals().numbers)
        self._reported, self._has_news = time.perf_counter(), False
        if self._are_all_paused():
            self._is_reporting = False

    def _are_all_paused(self) -> bool:
        return self._ranks.is_paused and self._ranks.paused_descendants == self._communicator.descendants
