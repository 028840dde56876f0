"""A match: a schedule of pairs of games, players that meet, a journal that loses nothing.

`MatchSettings` say what is to be played, `schedule` lists the games, `run_match` has them played by any executor and
writes each down as it ends. What is known then is in `kikashi.lab.standing`.
"""

from __future__ import annotations

import hashlib
import platform
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from itertools import combinations, count, takewhile
from pathlib import Path
from typing import Any

import msgspec
import numba
import numpy as np

from kikashi import __version__, sgf
from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.game import Game, Rules
from kikashi.gtp.controller import find_program
from kikashi.lab.contestants import Contestant, distinct, parse_contestant
from kikashi.lab.journal import Journal, write_whole
from kikashi.lab.one_game import GameRecord, GameTask, play_game
from kikashi.lab.openings import Opening
from kikashi.lab.statistics import Pentanomial, Sprt, log_likelihood_ratios, sprt
from kikashi.search.budget import Budget

MOST_GAMES = 1_000_000
MOST_ELO = 2000
MOST_SECONDS = 1_000_000
BREAKDOWNS = 3
"""So often may a pool of workers break down before the match is given up."""


class MatchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be played. Raises ValueError if it cannot be."""

    players: tuple[str, ...]
    games: int = 100
    """For each two players, rounded up to whole pairs."""
    size: int = 9
    komi: float = 7.5
    rules: str = "positional"
    playouts: int | None = None
    seconds: float | None = None
    openings: tuple[Opening, ...] = ((),)
    seed: int = 1
    referee: str = "playouts"
    sprt: tuple[float, float] | None = None
    timeout: float = 120.0
    move_limit: int = 0
    """0 for three times the points of the board."""
    only_with: str | None = None
    """The player that everybody meets; None for a round robin."""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise ValueError("a match needs two players at least")
        if not 1 <= self.games <= MOST_GAMES:
            raise ValueError(f"games are from 1 to {MOST_GAMES:,}, not {self.games}")
        if not MIN_SIZE <= self.size <= MAX_SIZE:
            raise ValueError(f"boards are from {MIN_SIZE} to {MAX_SIZE}, not {self.size}")
        Game(self.size, self.komi, Rules.named(self.rules))
        if self.sprt is not None and len(self.players) != 2:
            raise ValueError(f"SPRT is for two players, not {len(self.players)}")
        if self.sprt is not None and not -MOST_ELO <= self.sprt[0] < self.sprt[1] <= MOST_ELO:
            raise ValueError(f"SPRT needs elo0 below elo1, as in 0,50, both from -{MOST_ELO} to {MOST_ELO}")
        if not 0 < self.timeout < MOST_SECONDS:
            raise ValueError(f"the time-out is above 0 and below {MOST_SECONDS:,} seconds, not {self.timeout}")
        if self.playouts is not None or self.seconds is not None:
            Budget(playouts=self.playouts, seconds=self.seconds)
        if self.referee not in ("playouts", "gnugo"):
            raise ValueError(f"the referee is playouts or gnugo, not {self.referee!r}")
        if not self.openings:
            raise ValueError("a match needs one opening at least, if only the empty board")
        for opening in self.openings:
            self.after(opening)

    def after(self, moves: Opening) -> Game:
        """A game of the match after these moves. Raises IllegalMove."""
        game = Game(self.size, self.komi, self.rules)
        for name in moves:
            game.push(name)
        return game

    def contestants(self) -> tuple[Contestant, ...]:
        """The players. Raises ValueError for one that there is not."""
        return distinct([parse_contestant(text, playouts=self.playouts, seconds=self.seconds) for text in self.players])


def header(settings: MatchSettings) -> dict[str, Any]:
    """The first line of a match's journal."""
    versions = {
        "kikashi": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }
    plugins = {plugin.file: plugin.digest for player in settings.contestants() for plugin in player.plugins}
    return {"kind": "match", "settings": msgspec.to_builtins(settings), "plugins": plugins, "versions": versions}


def settings_of(header: dict[str, Any]) -> MatchSettings:
    """The settings in a journal's first line. Raises ValueError."""
    if header.get("kind") != "match":
        raise ValueError(f"this is the journal of a {header.get('kind')}, not of a match")
    return msgspec.convert(header.get("settings"), MatchSettings)


def schedule(settings: MatchSettings) -> Iterator[GameTask]:
    """All games in order: first a pair of every two players, then their second pairs, and so on."""
    players = settings.contestants()
    pairings = [
        (a, b)
        for a, b in combinations(players, 2)
        if settings.only_with is None or settings.only_with in (a.name, b.name)
    ]
    if not pairings:
        names = ", ".join(player.name for player in players)
        raise ValueError(f"no player is called {settings.only_with!r}; there are {names}")
    if settings.referee == "gnugo" and find_program("gnugo") is None:
        raise ValueError("GNU Go is to count, but is not installed")
    for player in players:
        if player.command and (player.seconds or 0) >= settings.timeout:
            raise ValueError(
                f"{player.name} may think for {player.seconds:g} s, but times out at {settings.timeout:g} s"
            )
    number = 0
    for pair in range((settings.games + 1) // 2):
        opening = settings.openings[derived(settings.seed, "opening", pair) % len(settings.openings)]
        for pairing, (a, b) in enumerate(pairings):
            seeds = {player.name: derived(settings.seed, pair, player.name) for player in (a, b)}
            for black, white in ((a, b), (b, a)):
                yield GameTask(
                    number=number,
                    pairing=pairing,
                    pair=pair,
                    black=black,
                    white=white,
                    seeds=(seeds[black.name], seeds[white.name]),
                    size=settings.size,
                    komi=settings.komi,
                    rules=settings.rules,
                    opening=opening,
                    referee=settings.referee,
                    timeout=settings.timeout,
                    move_limit=settings.move_limit or 3 * settings.size**2,
                )
                number += 1


def derived(*of: object) -> int:
    """A number from 0 to 2^31 - 1 that depends on all of these and on nothing else."""
    digest = hashlib.blake2b(repr(of).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


# --- running ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Workers:
    """Where games are played: a way to make an executor, and how many games it plays at a time."""

    make: Callable[[], Executor]
    count: int
    stop: Callable[[Executor], None] = lambda executor: executor.shutdown(wait=False, cancel_futures=True)
    """Ends an executor without waiting for the games it is at."""
    leave: Callable[[], None] = lambda: None
    """Called last of all after Ctrl-C, when everything has been said."""


Listener = Callable[[GameRecord], None]


def run_match(
    settings: MatchSettings, folder: Path, workers: Workers, *, resume: bool = False, listener: Listener | None = None
) -> list[GameRecord]:
    """Play what is left to play of a match and return all its games.

    Every game is in the folder when it has ended; the listener hears of each, first of those that were there before.
    Raises ValueError if the settings are not those of the journal, OSError if the folder cannot be written to.
    """
    tasks = list(schedule(settings))
    tell = listener or (lambda _record: None)
    with Journal(folder, header(settings), GameRecord, resume=resume) as journal:
        done = {record.number for record in journal.records}

        def file_of(record: GameRecord) -> Path:
            return folder / "games" / f"{record.number:06}.sgf"

        for record in journal.records:
            if not file_of(record).exists():
                write_whole(file_of(record), as_sgf(record, settings))
            tell(record)

        def note(record: GameRecord) -> None:
            write_whole(file_of(record), as_sgf(record, settings))
            journal.append(record)
            tell(record)

        def is_enough() -> bool:
            return settings.sprt is not None and decision_of(settings, journal.records).decision != "continue"

        run_all([task for task in tasks if task.number not in done], play_game, workers, note, is_enough)
        return sorted(journal.records, key=lambda record: record.number)


def run_all(
    tasks: Sequence[Any],
    work: Callable[[Any], Any],
    workers: Workers,
    note: Callable[[Any], None],
    is_enough: Callable[[], bool] = lambda: False,
) -> None:
    """Have tasks done by workers and note each result as it comes, until all are done or there is enough.

    A pool that breaks down, because a worker was killed for one, is replaced and its tasks are done again.
    """
    waiting = deque([] if is_enough() else tasks)
    breakdowns = 0
    while waiting:
        executor = workers.make()
        try:
            waiting = _use_pool(executor, workers.count, waiting, work, note, is_enough)
        except BaseException:
            workers.stop(executor)
            raise
        executor.shutdown()
        breakdowns += bool(waiting)
        if waiting and breakdowns >= BREAKDOWNS:
            raise OSError(f"the workers broke down {breakdowns} times; what was done is kept and can be resumed")


def _use_pool(
    executor: Executor,
    count: int,
    waiting: deque[Any],
    work: Callable[[Any], Any],
    note: Callable[[Any], None],
    is_enough: Callable[[], bool],
) -> deque[Any]:
    """Use an executor until all is done, or it breaks down: then return what is left to do."""
    running: dict[Future[Any], Any] = {}
    broken = False
    while (waiting and not broken) or running:
        while waiting and not broken and len(running) < count + 1:  # one in hand, so that no worker waits for us
            task = waiting.popleft()
            try:
                running[executor.submit(work, task)] = task
            except BrokenExecutor:
                waiting.appendleft(task)
                broken = True
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=lambda future: str(running[future])):
            task = running.pop(future)
            try:
                note(future.result())
            except BrokenExecutor:
                waiting.appendleft(task)
                broken = True
            if is_enough():
                waiting.clear()
                for other in running:
                    other.cancel()
                running = {other: task for other, task in running.items() if not other.cancelled()}
    return waiting


def decision_of(settings: MatchSettings, records: Sequence[GameRecord]) -> Sprt:
    """What SPRT says about the first player against the second, pair after pair in the order of the schedule.

    It looks no further than to the first pair that is not complete, and what it has once decided stays: neither the
    order in which games happen to end nor those that were still under way change it.
    """
    if settings.sprt is None:
        raise ValueError("the match has no SPRT")
    points = complete_pairs(records, settings.contestants()[0].name)
    found = sprt(Pentanomial.of(points), *settings.sprt)
    so_far = np.cumsum([(0,) * 5, *(Pentanomial.of([pair]).counts for pair in points)], axis=0)
    ratios = log_likelihood_ratios(so_far, *settings.sprt)
    decided = np.flatnonzero((ratios <= found.lower) | (ratios >= found.upper))
    return sprt(Pentanomial(tuple(so_far[decided[0]].tolist())), *settings.sprt) if decided.size else found


def complete_pairs(records: Sequence[GameRecord], name: str) -> list[float]:
    """A player's points in each pair of games, up to the first that is not complete."""
    pairs: dict[int, list[float]] = {}
    for record in records:
        pairs.setdefault(record.pair, []).append(record.points(name))
    return [sum(points) for points in takewhile(lambda pair: len(pair) == 2, (pairs.get(n, []) for n in count()))]


def as_sgf(record: GameRecord, settings: MatchSettings) -> str:
    """A game as a file, with what a replay needs to know."""
    game = settings.after(record.moves)
    game.headers |= {"PB": record.black, "PW": record.white, "RO": str(record.number)}
    about = [f"seeds {record.seeds[0]} and {record.seeds[1]}", f"opening of {len(record.opening)} moves"]
    if record.reason:
        about.append(record.reason)
    about += [f"{way}: {count}" for way, count in record.counts.items()]
    game.headers["GC"] = "; ".join(about)
    root = sgf.game_tree(game)
    root.set_text("RE", record.result)  # the referee's; the board as it stands may say something else
    return sgf.dump([root])
