"""The search of all ranks as rank 0 sees it: a tree of its own, the sums of the others', and decisions by both."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import Any

from kikashi.engine.player import Player
from kikashi.engine.preset import Preset
from kikashi.mpi.gathering import Gathering
from kikashi.mpi.links import GETTING_READY, Links, Nap
from kikashi.mpi.orders import Describe, Forget, GoOn, NewSearch, Rest, Run, Start
from kikashi.mpi.totals import Merged, Totals, places
from kikashi.mpi.worker_rank import Searcher, described
from kikashi.search.analysis import LONGEST_VARIATION, Analysis, MoveStatistics, analyse
from kikashi.search.interface import Search, SearchRequest
from kikashi.search.tree import SCALE
from kikashi.search.tree_search import TreeSearch


class RankedSearch(Search):
    """A search that all ranks run: simulations are counted in all, and each rank has its share of them.

    Between `run` and `rest` the other ranks are at work, also while rank 0 does something else.
    """

    def __init__(self, own: Search, links: Links, plies: int = 0) -> None:
        self.own = own
        self.size = own.size
        self.worked = 0.0
        """Seconds that simulations of rank 0 have taken, exchanging included."""
        self._links = links
        self._gathering = Gathering(own, plies)
        self._aim: int | None = None
        """How many simulations the other ranks know that all are to run; None while they are at rest."""
        self._halted = Event()
        self._number = self._rests = 0

    # --- the face of a search -----------------------------------------------------------------------------------------

    def advance(self, moves: Iterable[int]) -> None:
        """As `TreeSearch.advance`, in every tree."""
        played = list(moves)
        self._links.tell(GoOn(played))
        self.own.advance(played)

    def clear(self) -> None:
        """As `Search.clear`, in every tree."""
        self._links.tell(Forget())
        self.own.clear()

    def start(self, situation: SearchRequest) -> None:
        """As `TreeSearch.start`, on every rank; there are no zones."""
        if situation.simulations is not None:
            situation = replace(situation, simulations=-(-situation.simulations // self._links.ranks))
        self._number = self._links.next_search()
        self._links.tell(Start.of(self._number, situation))
        self._halted.clear()
        self._aim, self._rests = None, 0
        self._gathering.begin(self._number)
        self.own.start(situation)

    def run(self, simulations: int, *, until: float | None = None, check: Callable[[], bool] | None = None) -> int:
        """As `TreeSearch.run`. The simulations of all ranks are counted, as far as they are known here.

        When rank 0 has run its share, it waits for the others: then it hears of one more simulation at least, unless
        the check says to stop. Raises ValueError if a part fails on any rank.
        """
        before = self.done
        is_enough = False

        def ask() -> bool:
            nonlocal is_enough
            is_enough = is_enough or (check is not None and check())
            return is_enough

        def look() -> bool:
            if self._links.is_time_to_look():
                with self._links.timed():
                    self._listen()
            return ask()

        self._aim_at(before + simulations)
        started = time.perf_counter()
        self._gathering.run(before + simulations, self._links, until=until, check=look)
        self.worked += time.perf_counter() - started
        nap = Nap()
        while self.done < before + simulations and not (is_enough or self._halted.is_set() or self.is_decided):
            if self.done > before and until is not None and time.perf_counter() >= until:
                break
            nap.take()
            self._listen()
            ask()
        return self.done - before

    def stop(self) -> None:
        """As `TreeSearch.stop`; the other ranks go on until `rest`."""
        self._halted.set()
        self.own.stop()

    @property
    def trees(self) -> Sequence[TreeSearch]:
        """Those of rank 0."""
        return self.own.trees

    def reseed(self) -> None:
        """As `Search.reseed`, on rank 0 alone."""
        self.own.reseed()

    def finish(self) -> None:
        """Have the other ranks stop, and wait for what they found in the end."""
        if self._aim is None:
            return
        self._aim = None
        self._rests += 1
        self._links.tell(Rest(self._rests))
        self._gathering.rest(self._rests)
        nap = Nap()
        while self._gathering.resting_below < self._links.ranks - 1:
            self._listen()
            nap.take()

    @property
    def is_decided(self) -> bool:
        """Whether the pruning rule has said that enough is known."""
        return self.own.is_decided

    @property
    def done(self) -> int:
        """How many simulations all ranks have run since the start, as far as it is known here."""
        return self.own.done + int(self._gathering.counts_below["done"])

    def child_visits(self) -> list[int]:
        """The visits of the root's moves, those of all ranks together."""
        visits, is_move = self._gathering.counts_below["visits"].copy(), self._gathering.counts_below["listed"] > 0
        for search in self.own.trees:
            children = search.tree.children()
            at = places(self.size)[children["move"]]
            visits[at] += children["visits"]
            is_move[at] = True
        found: list[int] = visits[is_move].tolist()
        return found

    def moves_by(self) -> Mapping[str, int]:
        """Moves of playouts so far by heuristic."""
        return self._gathering.moves_by()

    # --- what was found -----------------------------------------------------------------------------------------------

    def analysis(
        self,
        seconds: float = 0.0,
        *,
        moves_by: Mapping[str, int] | None = None,
        komi: float | None = None,
        most: int | None = None,
    ) -> Analysis:
        """As `Search.analysis`, of all ranks together; lines of moves, and the depth, are those of rank 0's tree."""
        totals, searches = self._gathering.all(), self.own.trees
        like = max(searches, key=lambda search: search.done)
        simulations = int(totals.added["done"])
        found = analyse(
            Merged(totals, like), simulations=simulations, seconds=seconds, moves_by=moves_by, komi=komi, most=most
        )
        return replace(
            found,
            moves=tuple(_with_line(move, totals, like) for move in found.moves),
            depth=max(search.tree.depth() for search in searches),
            nodes=int(totals.added["nodes"]),
            full=bool(totals.highest["full"]),
        )

    def process_report(self) -> list[dict[str, Any]]:
        """What each rank has done, rank 0 first."""
        self._links.tell(Describe())
        own = described(self._links, self._gathering, self.worked)
        others = self._links.answers(self._links.patience)
        return [own, *(others[rank] for rank in sorted(others))]

    # --- the other ranks ----------------------------------------------------------------------------------------------

    def _aim_at(self, simulations: int) -> None:
        """Tell the other ranks how many simulations all are to run, if they do not know."""
        if self._aim is None:
            self._gathering.work()
        self._links.start_listening()  # whatever was done since the last look: it was not theirs
        if self._aim != simulations:
            self._aim = simulations
            self._links.tell(Run(simulations))

    def _listen(self) -> None:
        """Take what has come from other ranks. Raises ValueError if one says that a part has failed."""
        for rank, numbers in self._links.reports():
            self._gathering.note(rank, numbers)
        self._gathering.exchange(self._links)
        while (complaint := self._links.take_complaint()) is not None:
            rank, number, trouble = complaint
            if number == self._number:
                raise ValueError(f"rank {rank}: {trouble}")
        self._links.check_silence(self._gathering.ranks_at_rest())


def _with_line(move: MoveStatistics, totals: Totals, search: TreeSearch) -> MoveStatistics:
    """A move with the line that follows it in a search, and the most simulations that it won on one rank."""
    wins = int(totals.highest["wins"][places(search.size)[move.move]]) / SCALE
    tree, child = search.tree, search.tree.child(move.move)
    line = [] if child is None else tree.main_line(child)[:LONGEST_VARIATION]
    if not line:
        return replace(move, best_wins=wins)
    return replace(
        move,
        variation=tuple(int(tree.nodes[i]["move"]) for i in line),
        variation_visits=tuple(int(tree.nodes[i]["visits"]) for i in line),
        best_wins=wins,
    )


class RankedPlayer(Player):
    """A player on rank 0, whose searches all ranks run."""

    def __init__(self, like: Player, links: Links, plies: int = 0) -> None:
        """Ranks share the statistics of as many plies from the root on while they search."""
        super().__init__(like.preset, limit=like.limit, threads=like.threads, seed=like.seed, megabytes=like.megabytes)
        self._links = links
        self._plies = plies

    def copy(
        self, preset: Preset | None = None, *, threads: int | None = None, megabytes: float | None = None
    ) -> Player:
        """As `Player.copy`, on all ranks."""
        return RankedPlayer(super().copy(preset, threads=threads, megabytes=megabytes), self._links, self._plies)

    def _new_search(self, size: int) -> Search:
        """A search on every rank. Raises ValueError if one cannot have it."""
        preset = self.preset.at(size)
        if preset.config.zone is not None:
            raise ValueError(f"preset {preset.name}: ranks do not share zones; leave out --ranks")
        if self._plies and preset.config.stages:
            raise ValueError(f"preset {preset.name} samples in stages: there are no plies to share; leave out --plies")
        if self._plies and preset.config.transpositions:
            raise ValueError(f"preset {preset.name} shares transpositions: ranks cannot share plies; leave out --plies")
        self._kept.drop()  # the other ranks are about to forget theirs
        how = (size, self.threads, self.seed, self.megabytes, self._plies)
        self._links.tell(NewSearch(preset.name, preset.table, *how))
        trouble: ValueError | None = None
        try:
            lender = Searcher(preset, threads=self.threads, seed=self.seed, megabytes=self.megabytes)
            own = lender.new_search(size, self._links)
        except ValueError as error:  # the same on all ranks, most likely; they are heard first
            trouble = error
        answers = self._links.answers(max(GETTING_READY, self._links.patience))
        if trouble is not None:
            raise trouble
        for rank, said in sorted(answers.items()):
            if said is not None:
                raise ValueError(f"rank {rank}: {said}")
        return RankedSearch(own, self._links, self._plies)
