"""Threads that analyse positions, each with a player of its own, and say what they find."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock, Thread

from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import Preset, load_preset
from kikashi.engine.warmup import warm_up
from kikashi.playout.heuristics.watching import owners_after
from kikashi.protocols.kata.messages import Answer, Message, Notice, Query, Side
from kikashi.protocols.kata.queries import Position
from kikashi.protocols.kata.queue import Job, Jobs
from kikashi.protocols.kata.responses import answer
from kikashi.search.analysis import Analysis
from kikashi.wording import reason

OWNERS = "first_move_owners"
"""The memory that tells who owns what after each move."""
LONGEST = 900_000.0
"""Seconds for a position that is given more than a limit can have."""
Write = Callable[[Message], None]


@dataclass(frozen=True)
class Defaults:
    """What a query gets that does not ask for anything else."""

    simulations: int = 1_000
    seconds: float | None = None
    side: Side = "BLACK"


class Engine:
    """Analyses positions in threads. `write` is called by all of them, and for every position once with a final answer.

    `new_player` makes a player from a preset; each thread has one, and another if it is asked for owners after moves.
    """

    def __init__(
        self, new_player: Callable[[Preset], Player], preset: Preset, defaults: Defaults, threads: int, write: Write
    ) -> None:
        self._new_player = new_player
        self._presets = {False: preset, True: load_preset(preset, [f'memories+="{OWNERS}"'])}
        self._defaults = defaults
        self._write = write
        self._jobs = Jobs()
        self._compiling = Lock()
        self._warm: set[bool] = set()
        self._threads = [Thread(target=self._work, name=f"analysis {i}", daemon=True) for i in range(threads)]
        for thread in self._threads:
            thread.start()

    def add(self, positions: list[Position]) -> None:
        """Have positions analysed, when their turn comes."""
        self._jobs.add(positions)

    def terminate(self, is_meant: Callable[[Position], bool]) -> None:
        """End the analysis of positions: each has its final answer soon, or at once if nobody has begun."""
        for position in self._jobs.terminate(is_meant):
            self._write(_nothing(position))

    def finish(self) -> None:
        """Wait until everything is answered; nothing more can be added."""
        self._jobs.close()
        for thread in self._threads:
            thread.join()

    def drop(self) -> None:
        """Stop what is being analysed, which is answered with what was found, and forget the rest."""
        self._jobs.terminate(lambda _: True)

    def quit(self) -> None:
        """End without waiting: what is being analysed is answered, the rest is not."""
        self.drop()
        self.finish()

    # --- in a thread ----------------------------------------------------------------------------------------------

    def _work(self) -> None:
        players: dict[bool, Player] = {}
        while (job := self._jobs.take()) is not None:
            try:
                for message in self._answers(job, players):
                    self._write(message)
            except Exception as problem:  # of a part, or a mistake of ours: the others must have their answers
                players.clear()
                self._write(Notice(error=reason(problem), id=job.position.id))
            finally:
                self._jobs.done(job)

    def _answers(self, job: Job, players: dict[bool, Player]) -> Iterator[Answer]:
        """Reports while the position is searched, and the final answer."""
        position = job.position
        query = position.query
        wants_owners = query.include_moves_ownership or query.include_moves_ownership_stdev
        player = self._player(wants_owners, players)
        game = position.game()
        allowed = position.moves(game)

        def told(analysis: Analysis, *, is_during_search: bool) -> Answer:
            blocks = player.last_search.memories.named(OWNERS) if player.last_search else []
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
        searched = player.search(
            game, self._limit(query), every=every, first=wait, interrupted=job.stop.is_set, moves=allowed
        )
        for analysis in searched:
            if due is not None and time.perf_counter() >= due and not job.stop.is_set():
                yield told(analysis, is_during_search=True)
                due = time.perf_counter() + every if every else None
        yield told(analysis, is_during_search=False)

    def _player(self, wants_owners: bool, players: dict[bool, Player]) -> Player:
        """A player that knows nothing of other positions: what it finds does not depend on who was asked before."""
        if wants_owners not in players:
            preset = self._presets[wants_owners]
            with self._compiling:  # once, whoever comes first
                if wants_owners not in self._warm:
                    warm_up(preset)
                    self._warm.add(wants_owners)
                players[wants_owners] = self._new_player(preset)
        players[wants_owners].new_game(reseed=True)
        return players[wants_owners]

    def _limit(self, query: Query) -> Limit:
        settings, usual = query.override_settings, self._defaults
        seconds = settings.max_time or usual.seconds
        visits = query.max_visits or settings.max_visits or usual.simulations
        return Limit(visits, None if seconds is None else min(seconds, LONGEST))


def _nothing(position: Position) -> Answer:
    """The final answer of a position that nobody has begun with."""
    return Answer(id=position.id, turn_number=position.turn, is_during_search=False, no_results=True)
