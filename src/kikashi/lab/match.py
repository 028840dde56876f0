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
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import numba
import numpy as np

from kikashi import __version__, sgf
from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.game import Game, Rules
from kikashi.lab.contestants import Contestant, distinct, parse_contestant
from kikashi.lab.journal import Journal, write_whole
from kikashi.lab.one_game import GameRecord, GameTask, play_game
from kikashi.lab.openings import Opening
from kikashi.lab.statistics import Pentanomial, Sprt, sprt

MOST_GAMES = 1_000_000
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
        if self.sprt is not None and (len(self.players) != 2 or self.sprt[0] >= self.sprt[1]):
            raise ValueError("SPRT is for two players and needs elo0 below elo1, as in 0,50")
        if self.referee not in ("playouts", "gnugo"):
            raise ValueError(f"the referee is playouts or gnugo, not {self.referee!r}")

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
    return {"kind": "match", "settings": msgspec.to_builtins(settings), "versions": versions}


def settings_of(header: dict[str, Any]) -> MatchSettings:
    """The settings in a journal's first line. Raises ValueError."""
    if header.get("kind") != "match":
        raise ValueError(f"this is the journal of a {header.get('kind')}, not of a match")
    return msgspec.convert(header["settings"], MatchSettings)


def schedule(settings: MatchSettings) -> Iterator[GameTask]:
    """All games in order: first a pair of every two players, then their second pairs, and so on."""
    players = settings.contestants()
    pairings = [
        (a, b)
        for a, b in combinations(players, 2)
        if settings.only_with is None or settings.only_with in (a.name, b.name)
    ]
    if not pairings:
        raise ValueError(f"no player is called {settings.only_with!r}")
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
        for record in journal.records:
            tell(record)

        def note(record: GameRecord) -> None:
            write_whole(folder / "games" / f"{record.number:06}.sgf", as_sgf(record, settings))
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
                waiting.append(task)
                broken = True
            if is_enough():
                waiting.clear()
                for other in running:
                    other.cancel()
                running = {other: task for other, task in running.items() if not other.cancelled()}
    return waiting


def decision_of(settings: MatchSettings, records: Sequence[GameRecord]) -> Sprt:
    """What SPRT says about the pairs that are complete, for the first player against the second."""
    if settings.sprt is None:
        raise ValueError("the match has no SPRT")
    first = settings.contestants()[0].name
    counts = Pentanomial.of([points for points, games in pair_points(records, first) if games == 2])
    return sprt(counts, *settings.sprt)


def pair_points(records: Sequence[GameRecord], name: str) -> Iterator[tuple[float, int]]:
    """For each pair of games of a player: the points it got and how many of the games are there."""
    pairs: dict[tuple[int, int], list[float]] = {}
    for record in records:
        if name in (record.black, record.white):
            pairs.setdefault((record.pairing, record.pair), []).append(record.points(name))
    for points in pairs.values():
        yield sum(points), len(points)


def as_sgf(record: GameRecord, settings: MatchSettings) -> str:
    """A game as a file, with what a replay needs to know."""
    game = Game(settings.size, settings.komi, settings.rules)
    game.headers |= {"PB": record.black, "PW": record.white, "RE": record.result, "RO": str(record.number)}
    about = [f"seeds {record.seeds[0]} and {record.seeds[1]}", f"opening of {len(record.opening)} moves"]
    if record.reason:
        about.append(record.reason)
    about += [f"{way}: {count}" for way, count in record.counts.items()]
    game.headers["GC"] = "; ".join(about)
    for name in record.moves:
        game.push(name)
    return sgf.write_game(game)
