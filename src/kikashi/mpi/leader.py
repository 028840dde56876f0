"""The search of all ranks on rank 0, and the player that decides by it."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from threading import Event
from typing import Any

from kikashi.engine.player import Player
from kikashi.engine.preset import Preset
from kikashi.mpi.communicator import FAILURE, Backoff, Communicator
from kikashi.mpi.rank_search import Check, RankSearch, describe_rank, new_rank_search
from kikashi.mpi.root_totals import MergedRoot, RootTotals, move_indices
from kikashi.mpi.worker_rank import WorkerRank
from kikashi.parts.binding import identity_of
from kikashi.search.analysis import LONGEST_VARIATION, Analysis, MoveStatistics, analyse
from kikashi.search.interface import Search, SearchRequest
from kikashi.search.tree import SCALE
from kikashi.search.tree_search import TreeSearch

SEARCH_NUMBERS = count(1)
"""No two searches of a job have one number, whatever their preset or board."""


class DistributedSearch(Search):
    """A search by all ranks. Simulations are those of all ranks together, and each rank runs its share of them.

    Between `run` and `finish` the other ranks go on, also while rank 0 does something else.
    """

    def __init__(self, own: Search, communicator: Communicator, plies: int = 0) -> None:
        """`own` is the search of rank 0."""
        self.own = own
        self.size = own.size
        self.worked = 0.0
        """Seconds that simulations of rank 0 have taken, with exchange."""
        self._communicator = communicator
        self._ranks = RankSearch(own, plies)
        self._goal: int | None = None
        """Simulations that the other ranks know as the goal of all; None while they are paused."""
        self._stopped = Event()
        self._pauses = 0

    # --- methods of every search --------------------------------------------------------------------------------------

    def advance(self, moves: Iterable[int]) -> None:
        played = list(moves)
        self._communicator.command(WorkerRank.advance, played)
        self.own.advance(played)

    def clear(self) -> None:
        self._communicator.command(WorkerRank.clear)
        self.own.clear()

    def start(self, request: SearchRequest) -> None:
        """As `Search.start`, on every rank; zones are not possible."""
        if request.simulations is not None:
            request = replace(request, simulations=-(-request.simulations // self._communicator.ranks))
        number = next(SEARCH_NUMBERS)
        self._communicator.command(WorkerRank.start, number, request)
        self._stopped.clear()
        self._goal, self._pauses = None, 0
        self._ranks.begin(number)
        self.own.start(request)

    def run(self, simulations: int, *, until: float | None = None, check: Check | None = None) -> int:
        """As `Search.run`. The simulations of all ranks count, as far as they are known here.

        After its own share rank 0 waits for the others: for one more simulation at least, unless `check` is true.
        Raises ValueError if a part fails on any rank.
        """
        before = self.done
        is_enough = False

        def is_checked() -> bool:
            nonlocal is_enough
            is_enough = is_enough or (check is not None and check())
            return is_enough

        def poll() -> bool:
            if self._communicator.is_time_to_poll():
                with self._communicator.timed():
                    self._receive()
            return is_checked()

        self._send_goal(before + simulations)
        started = time.perf_counter()
        self.own.run_share(before + simulations, self._communicator.place, until=until, check=poll)
        self.worked += time.perf_counter() - started
        backoff = Backoff()
        while self.done < before + simulations and not (is_enough or self._stopped.is_set() or self.is_decided):
            if self.done > before and until is not None and time.perf_counter() >= until:
                break
            backoff.sleep()
            self._receive()
            is_checked()
        return self.done - before

    def stop(self) -> None:
        """As `Search.stop`; the other ranks go on until `finish`."""
        self._stopped.set()
        self.own.stop()

    @property
    def trees(self) -> Sequence[TreeSearch]:
        return self.own.trees

    def reseed(self) -> None:
        """As `Search.reseed`, on rank 0 alone."""
        self.own.reseed()

    def finish(self) -> None:
        """Pause the other ranks, and wait for their final sums."""
        if self._goal is None:
            return
        self._goal = None
        self._pauses += 1
        self._communicator.command(WorkerRank.pause, self._pauses)
        self._ranks.pause(self._pauses)
        backoff = Backoff()
        while self._ranks.paused_descendants < self._communicator.ranks - 1:
            self._receive()
            backoff.sleep()

    @property
    def is_decided(self) -> bool:
        return self.own.is_decided

    @property
    def done(self) -> int:
        """Known number of simulations of all ranks since the start."""
        return self.own.done + int(self._ranks.descendant_sums["done"])

    def child_visits(self) -> list[int]:
        sums = self._ranks.descendant_sums
        visits, is_move = sums["visits"].copy(), sums["listed"] > 0
        for search in self.own.trees:
            children = search.tree.children()
            at = move_indices(self.size)[children["move"]]
            visits[at] += children["visits"]
            is_move[at] = True
        found: list[int] = visits[is_move].tolist()
        return found

    def moves_by(self) -> Mapping[str, int]:
        return self._ranks.moves_by()

    def analysis(self, seconds: float = 0.0, *, komi: float | None = None, most: int | None = None) -> Analysis:
        """As `Search.analysis`, of all ranks together; variations and depth are those of rank 0's tree."""
        totals, searches = self._ranks.all_totals(), self.own.trees
        longest = max(searches, key=lambda search: search.done)
        found = analyse(
            MergedRoot(totals, longest, self.moves_by()),
            simulations=int(totals.sums["done"]),
            seconds=seconds,
            komi=komi,
            most=most,
        )
        return replace(
            found,
            moves=tuple(_with_variation(move, totals, longest) for move in found.moves),
            depth=max(search.tree.depth() for search in searches),
            nodes=int(totals.sums["nodes"]),
            full=bool(totals.maxima["full"]),
        )

    def process_report(self) -> list[dict[str, Any]]:
        """Return the work of each rank, rank 0 first."""
        self._communicator.command(WorkerRank.describe)
        own = describe_rank(self._communicator, self._ranks, self.worked)
        others = self._communicator.replies(self._communicator.patience)
        return [own, *(others[rank] for rank in sorted(others))]

    # --- the other ranks ----------------------------------------------------------------------------------------------

    def _send_goal(self, simulations: int) -> None:
        """Send the other ranks the number of simulations that all are to run, unless they know it."""
        if self._goal is None:
            self._ranks.is_paused = False
        self._communicator.expect_reports()  # silence since the last poll was not theirs
        if self._goal != simulations:
            self._goal = simulations
            self._communicator.command(WorkerRank.run, simulations)

    def _receive(self) -> None:
        """Receive messages of other ranks. Raises ValueError if a part has failed on one."""
        for rank, numbers in self._communicator.reports():
            self._ranks.receive(rank, numbers)
        self._ranks.exchange(self._communicator)
        for rank, (number, error) in self._communicator.objects(FAILURE):
            if number == self._ranks.number:
                raise ValueError(f"rank {rank}: {error}")
        self._communicator.check_silence(self._ranks.paused_children())


def _with_variation(move: MoveStatistics, totals: RootTotals, search: TreeSearch) -> MoveStatistics:
    """Add to a move its variation in a search, and its most wins on one rank."""
    wins = int(totals.maxima["wins"][move_indices(search.size)[move.move]]) / SCALE
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


class DistributedPlayer(Player):
    """A player on rank 0 whose searches run on all ranks."""

    def __init__(self, player: Player, communicator: Communicator, plies: int = 0) -> None:
        """Ranks share the statistics of the first `plies`."""
        how = {"threads": player.threads, "seed": player.seed, "megabytes": player.megabytes}
        super().__init__(player.preset, limit=player.limit, **how)  # type: ignore[arg-type]
        self._communicator = communicator
        self._plies = plies

    def copy(self, preset: Preset | None = None, **changes: Any) -> Player:
        return DistributedPlayer(super().copy(preset, **changes), self._communicator, self._plies)

    def _new_search(self, size: int) -> Search:
        """Make a search on every rank. Raises ValueError if that is impossible on one."""
        preset = self.preset.at(size)
        if preset.config.zone is not None:
            raise ValueError(f"preset {preset.name}: ranks do not share zones; leave out --ranks")
        if self._plies and preset.config.stages:
            raise ValueError(f"preset {preset.name} samples in stages: there are no plies to share; leave out --plies")
        if self._plies and preset.config.transpositions:
            raise ValueError(f"preset {preset.name} shares transpositions: ranks cannot share plies; leave out --plies")
        self._kept.drop()  # the other ranks are about to drop theirs
        how: dict[str, Any] = {"size": size, "threads": self.threads, "seed": self.seed, "megabytes": self.megabytes}
        self._communicator.command(WorkerRank.new_search, preset.name, preset.table, self._plies, how)
        own = self._communicator.make_everywhere(
            lambda: (new_rank_search(preset, self._communicator, **how), identity_of(preset.table))
        )
        return DistributedSearch(own, self._communicator, self._plies)
