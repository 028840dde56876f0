"""Threads that analyse positions, each in a session of its own."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from math import inf
from queue import PriorityQueue
from threading import Event, Lock, Thread

from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import Preset, load_preset
from kikashi.engine.session import Session
from kikashi.game import Game
from kikashi.playout.heuristics.instruments import owners_after
from kikashi.protocols.kata.messages import Answer, Message, Notice, Query, Side
from kikashi.protocols.kata.queries import Position
from kikashi.protocols.kata.responses import answer
from kikashi.search.analysis import Analysis
from kikashi.wording import reason

OWNERS = "first_move_owners"
"""The memory of the ownership after each move."""
MAX_SECONDS = 900_000.0
"""Seconds of a position; more are cut."""
Write = Callable[[Message], None]


@dataclass(frozen=True)
class Defaults:
    """Limits and side of a query that names none."""

    simulations: int = 1_000
    seconds: float | None = None
    side: Side = "BLACK"


@dataclass
class Job:
    """A position that waits for a thread or is being analysed."""

    position: Position
    is_begun: bool = False
    stop: Event = field(default_factory=Event)


class Engine:
    """Analysis in threads. All of them call `write`, once with a final answer for every position.

    `new_player` makes a player from a preset. A thread has one session, and another for ownership after each move.
    """

    def __init__(
        self, new_player: Callable[[Preset], Player], preset: Preset, defaults: Defaults, threads: int, write: Write
    ) -> None:
        self._new_player = new_player
        self._presets = {False: preset, True: load_preset(preset, [f'memories+="{OWNERS}"'])}
        self._defaults = defaults
        self._write = write
        self._queue: PriorityQueue[tuple[float, int, Job | None]] = PriorityQueue()
        """The highest priority first, then the oldest; None, last, ends a thread."""
        self._jobs: dict[int, Job] = {}
        """By number, until they are answered."""
        self._lock = Lock()
        self._number = count()
        self._threads = [Thread(target=self._work, name=f"analysis {i}", daemon=True) for i in range(threads)]
        for thread in self._threads:
            thread.start()

    def add(self, positions: list[Position]) -> None:
        for position in positions:
            with self._lock:
                number = next(self._number)
                job = self._jobs[number] = Job(position)
            self._queue.put((-position.priority, number, job))

    def terminate(self, is_meant: Callable[[Position], bool]) -> None:
        """End the analysis of positions: each gets its final answer soon, or at once if it was not begun."""
        for position in self._stop(is_meant):
            self._write(Answer(id=position.id, turn_number=position.turn, is_during_search=False, no_results=True))

    def _stop(self, is_meant: Callable[[Position], bool]) -> list[Position]:
        """Stop running analyses. Drop the positions that were not begun, and return them."""
        with self._lock:
            meant = {number: job for number, job in self._jobs.items() if is_meant(job.position)}
            for number, job in meant.items():
                job.stop.set()
                if not job.is_begun:
                    del self._jobs[number]
        return [job.position for job in meant.values() if not job.is_begun]

    def finish(self) -> None:
        """Wait until all positions are answered; no more can be added."""
        for _ in self._threads:
            self._queue.put((inf, next(self._number), None))
        for thread in self._threads:
            thread.join()

    def drop(self) -> None:
        """Stop the running analyses, which are answered, and drop the waiting positions."""
        self._stop(lambda _: True)

    def quit(self) -> None:
        """Answer the running analyses at once, drop the waiting positions, and end."""
        self.drop()
        self.finish()

    # --- in a thread ----------------------------------------------------------------------------------------------

    def _work(self) -> None:
        sessions: dict[bool, Session] = {}
        while True:
            _, number, job = self._queue.get()
            if job is None:
                return
            with self._lock:
                job.is_begun = number in self._jobs
            if not job.is_begun:  # dropped meanwhile
                continue
            try:
                for message in self._answers(job, sessions):
                    self._write(message)
            except Exception as problem:  # of a part, or a bug: other positions must have their answers
                sessions.clear()
                self._write(Notice(error=reason(problem), id=job.position.id))
            finally:
                with self._lock:
                    del self._jobs[number]

    def _answers(self, job: Job, sessions: dict[bool, Session]) -> Iterator[Answer]:
        """Yield reports during the search, and the final answer."""
        position = job.position
        query = position.query
        wants_owners = query.include_moves_ownership or query.include_moves_ownership_stdev
        game = position.game()
        session = self._session(wants_owners, game, sessions)
        session.interrupted = job.stop.is_set
        allowed = position.moves(game)

        def report(analysis: Analysis, *, is_during_search: bool) -> Answer:
            search = session.player.last_search
            blocks = search.memories.named(OWNERS) if search else []
            return answer(
                position,
                game,
                analysis,
                side=query.override_settings.report_analysis_winrates_as or self._defaults.side,
                is_during_search=is_during_search,
                allowed=allowed,
                owners=owners_after(blocks[0], game.size) if blocks else None,
            )

        every, first = query.report_during_search_every, query.first_report_during_search_after
        wait = first or every
        due = time.perf_counter() + wait if wait else None
        for analysis in session.analyse(None, self._limit(query), every=every, first=wait, moves=allowed):
            if due is not None and time.perf_counter() >= due and not job.stop.is_set():
                yield report(analysis, is_during_search=True)
                due = time.perf_counter() + every if every else None
        yield report(analysis, is_during_search=False)

    def _session(self, wants_owners: bool, game: Game, sessions: dict[bool, Session]) -> Session:
        """Return a session that knows no other position: results do not depend on earlier queries."""
        if wants_owners not in sessions:
            session = Session(self._new_player(self._presets[wants_owners]), game)
            session.warm_up()
            sessions[wants_owners] = session
        sessions[wants_owners].start(game, reseed=True)
        return sessions[wants_owners]

    def _limit(self, query: Query) -> Limit:
        settings, defaults = query.override_settings, self._defaults
        seconds = settings.max_time or defaults.seconds
        visits = query.max_visits or settings.max_visits or defaults.simulations
        return Limit(visits, None if seconds is None else min(seconds, MAX_SECONDS))
