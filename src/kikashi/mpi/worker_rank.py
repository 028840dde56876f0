"""A rank that is not the first: it does what it is told, and says what it finds."""

from __future__ import annotations

import time
from typing import Any

from kikashi.board.points import vertex
from kikashi.board.rng import stream
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset_table
from kikashi.mpi.gathering import Gathering
from kikashi.mpi.links import BREATH, EVERY, Links, Nap
from kikashi.mpi.orders import Describe, Forget, GoOn, Leave, NewSearch, Order, Rest, Run, Start
from kikashi.mpi.staged_ranks import SharedStages
from kikashi.search.interface import Search
from kikashi.wording import reason


class Searcher(Player):
    """A player that only lends its search."""

    def new_search(self, size: int, links: Links) -> Search:
        """A rank's part of a search by the preset: in stages, all ranks have one seed, for each block has its own."""
        how: dict[str, Any] = {"size": size, "threads": self.threads, "megabytes": self.megabytes}
        preset = self.preset.at(size)
        if preset.config.stages and preset.starts == 1:
            return SharedStages(preset.config, links, seed=self.seed, **how)
        self.seed = seed_of_rank(self.seed, links.rank)
        return self._new_search(size)


def seed_of_rank(seed: int, rank: int) -> int:
    """The seed of a rank's search: for the first the player's own, for others one that no search of it has."""
    return int(stream(seed, rank, 1)) if rank else seed


class Follower:
    """Serves rank 0 until that says to leave."""

    def __init__(self, links: Links) -> None:
        self._links = links
        self._gathering: Gathering | None = None
        self._is_listened_to = False
        """Whether rank 0 waits for reports: from the first simulation until all ranks are at rest."""
        self._is_news = False
        self._reported = 0.0
        self._has_failed = False
        self.worked = 0.0
        """Seconds that simulations have taken, exchanging included."""

    def serve(self) -> None:
        """Do what is told. What cannot be helped ends the whole job."""
        try:
            while not isinstance(order := self._next_order(), Leave):
                self._obey(order)
            self._links.answer("bye")
            self._links.finish()
        except Exception as error:
            self._links.abort(f"rank {self._links.rank} on {self._links.host}: {error!r}: this job ends")

    def _next_order(self) -> Order:
        nap = Nap()
        while not self._links.has_order():
            if self._is_listened_to:
                self._pass_on()
            self._links.check_parent()
            nap.take()
        return self._links.take_order()

    def _obey(self, order: Order) -> None:
        if isinstance(order, NewSearch):
            self._make(order)
        elif isinstance(order, Describe):
            self._links.answer(described(self._links, self._gathering, self.worked))
        elif self._gathering is not None:
            try:
                self._search(order, self._gathering)
            except ValueError as error:  # of a part
                self._has_failed = True
                self._links.complain(self._gathering.number, str(error))

    def _make(self, order: NewSearch) -> None:
        self._gathering = None  # its memory may be needed
        try:
            player = Searcher(
                load_preset_table(order.preset, order.table),
                threads=order.threads,
                seed=order.seed,
                megabytes=order.megabytes,
            )
            self._gathering = Gathering(player.new_search(order.size, self._links), order.plies)
        except (ValueError, OSError, MemoryError) as error:
            self._links.answer(reason(error))
        else:
            self._links.answer(None)

    def _search(self, order: Order, gathering: Gathering) -> None:
        search = gathering.search
        if isinstance(order, Forget):
            search.clear()
        elif isinstance(order, GoOn):
            search.advance(order.moves)
        elif isinstance(order, Start):
            self._has_failed = self._is_listened_to = False
            gathering.begin(order.number)
            search.start(order.situation)
        elif isinstance(order, Run):
            self._run(order.simulations, gathering)
        elif isinstance(order, Rest):
            gathering.rest(order.number)
            self._report(gathering)

    # --- simulations --------------------------------------------------------------------------------------------------

    def _run(self, simulations: int, gathering: Gathering) -> None:
        """Run this rank's share of simulations, or until there is another order."""
        gathering.work()
        if not self._is_listened_to:
            self._links.start_listening()
        self._is_listened_to = True
        if not self._has_failed:
            started = time.perf_counter()
            gathering.run(simulations, self._links, check=self._look)
            self.worked += time.perf_counter() - started
        if not self._links.has_order():
            self._report(gathering)

    def _look(self) -> bool:
        """Between two batches: say what was found, if it is time; whether there is an order."""
        if self._links.is_time_to_look():
            with self._links.timed():
                self._is_news = True
                self._pass_on()
        return self._links.has_order()

    def _pass_on(self) -> None:
        """Hear what the ranks below say, and tell it upwards with what is new here, but not too often."""
        gathering = self._gathering
        if gathering is None:
            return
        for rank, numbers in self._links.reports():
            gathering.note(rank, numbers)
            self._is_news = True
        gathering.exchange(self._links)
        self._links.check_silence(gathering.ranks_at_rest())
        is_end = gathering.is_resting and self._is_news and self._is_all_at_rest(gathering)
        silent = time.perf_counter() - self._reported
        if is_end or silent > (EVERY if self._is_news else BREATH):
            self._report(gathering)

    def _report(self, gathering: Gathering) -> None:
        """Say what is known, unless the last report is still on its way."""
        if not self._links.can_report():
            self._is_news = True
            return
        self._links.report(gathering.all().numbers)
        self._reported, self._is_news = time.perf_counter(), False
        if gathering.is_resting and self._is_all_at_rest(gathering):
            self._is_listened_to = False

    def _is_all_at_rest(self, gathering: Gathering) -> bool:
        return gathering.resting_below == self._links.all_below


def described(links: Links, gathering: Gathering | None, worked: float) -> dict[str, Any]:
    """What a rank itself has done: in its present search, and in the whole job."""
    found: dict[str, Any] = {"rank": links.rank, "host": links.host, "simulations": 0, "visits": 0, "moves": {}}
    if gathering is not None:
        searches = gathering.search.trees
        moves: dict[str, int] = {}
        for child in (child for search in searches for child in search.tree.children() if child["visits"]):
            name = vertex(int(child["move"]))
            moves[name] = moves.get(name, 0) + int(child["visits"])
        found["simulations"] = gathering.search.done
        found["visits"] = sum(int(search.tree.nodes[0]["visits"]) for search in searches)
        found["moves"] = moves
    exchanged = {"exchanging": links.seconds, "messages": links.messages, "bytes": links.bytes}
    return found | {"working": worked} | exchanged
