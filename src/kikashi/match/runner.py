"""The runner of a match: a schedule of pairs of games, workers that play them, a journal that loses nothing.

`schedule` lists the games of `kikashi.match.settings`, `run_match` plays them on any executor and writes each down as
it ends. The results are in `kikashi.match.summary`.
"""

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from kikashi.files import write_whole
from kikashi.match.failures import Failures, remove_old_notes, settle_game
from kikashi.match.journal import Journal, JournalError, check_same, read_header, refuse_begun
from kikashi.match.match_player import Files, MatchPlayer, changed_files, with_copies
from kikashi.match.one_game import GameRecord, GameTask, as_sgf, play_game
from kikashi.match.preflight import Started, drop_empty_logs, keep_logs, start_players
from kikashi.match.provenance import files_of, header, settings_of, with_current_settings
from kikashi.match.settings import MatchSettings, read_openings
from kikashi.match.summary import is_over, latest
from kikashi.protocols.gtp.controller import find_program
from kikashi.wording import convert
from kikashi.workers.executors import WorkerPool, Workers

Result = TypeVar("Result")
Listener = Callable[[GameRecord], None]
Tell = Callable[[str], None]
HANDICAP_KOMI = 0.5
MAY_CHANGE = ("games", "forfeits", "timeout")
"""Settings that may be others when a match is resumed."""

# --- the folder -------------------------------------------------------------------------------------------------------


def new_settings(given: Mapping[str, Any], openings: Sequence[str] = ()) -> MatchSettings:
    """Return the settings of a new match, with defaults for those not given. Raises ValueError and OSError.

    With a handicap the defaults are no opening, and half a point of komi.
    """
    defaults = {"komi": HANDICAP_KOMI} if given.get("handicap") else {}
    settings = convert({**defaults, **given}, MatchSettings)
    named = openings or (["none"] if settings.handicap else [])
    return msgspec.structs.replace(settings, openings=read_openings(named, settings.size))


def resumed_settings(folder: Path, given: Mapping[str, Any], openings: Sequence[str] = ()) -> MatchSettings:
    """Return the settings of the match in a folder, which is to go on, perhaps with more games.

    Raises ValueError if there is no match, or if it was begun with other settings than the given ones.
    """
    before = read_header(folder)
    settings = settings_of(before)
    table = settings.as_table() | dict(given)
    if openings:
        table["openings"] = read_openings(openings, settings.size)
    wanted = convert(table, MatchSettings)
    check_same(folder, with_current_settings(before), {"kind": "match", "settings": wanted.as_table()}, MAY_CHANGE)
    if wanted.games < settings.games:
        raise JournalError(f"{folder} was begun with games {settings.games}, not {wanted.games}: it can only get more")
    return wanted


def free_folder(settings: MatchSettings, place: Path = Path("matches")) -> Path:
    """Return a new folder for a match: ``matches/kikashi-150-vs-gnugo-1``."""
    names = [re.sub(r"[^\w.+]+", "-", spec.short_name).strip("-")[:30] for spec in settings.specs]
    name = "-vs-".join(names[:2]) + (f"-and-{len(names) - 2}" if len(names) > 2 else "")
    number = 1
    while (folder := place / f"{name}-{number}").exists():
        number += 1
    return folder


# --- the schedule -----------------------------------------------------------------------------------------------------


def schedule(settings: MatchSettings, players: Sequence[MatchPlayer]) -> Iterator[GameTask]:
    """Yield all games in order: first a pair of each pairing, then their second pairs, and so on.

    Raises ValueError if a game could not be played or counted.
    """
    check_playable(settings, players)
    named = {player.name: player for player in players}
    pairings = settings.all_pairings()
    number = 0
    for pair in range(max(pairing.pairs for pairing in pairings)):
        for index, pairing in enumerate(pairings):
            if pair >= pairing.pairs:
                continue
            opening = pairing.openings[derived(settings.seed, "opening", pair) % len(pairing.openings)]
            seeds = {name: derived(settings.seed, pair, name) for name in (pairing.first, pairing.second)}
            for black, white in ((pairing.first, pairing.second), (pairing.second, pairing.first)):
                yield GameTask(
                    number=number,
                    pairing=index,
                    pair=pair,
                    black=named[black],
                    white=named[white],
                    seeds=(seeds[black], seeds[white]),
                    opening=opening,
                    settings=settings,
                )
                number += 1


def check_playable(settings: MatchSettings, players: Sequence[MatchPlayer]) -> None:
    """Raise ValueError if a game could not be played or counted."""
    if settings.referee == "gnugo" and find_program("gnugo") is None:
        raise ValueError("GNU Go is to count, but is not installed")
    for player in players:
        if player.command and not player.clock and (player.seconds or 0) >= settings.timeout:
            raise ValueError(
                f"{player.name} may think for {player.seconds:g} s, but times out at {settings.timeout:g} s"
            )


def derived(*of: object) -> int:
    """Return a number from 0 to 2^31 - 1 that depends on all of these and on nothing else."""
    digest = hashlib.blake2b(repr(of).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


# --- running ----------------------------------------------------------------------------------------------------------


def run_match(
    settings: MatchSettings,
    folder: Path,
    workers: Workers,
    *,
    resume: bool = False,
    listener: Listener | None = None,
    tell: Tell | None = None,
) -> list[GameRecord]:
    """Play what is left of a match and return all its games.

    Every player is started once before the first game. Every game is in the folder when it has ended; the listener
    receives each, first those of an earlier run, and `tell` messages for the user. Raises ValueError if the settings
    are not those of the journal or a player cannot play, MatchStopped if one fails again and again, OSError if the
    folder cannot be written to.
    """
    with WorkerPool(workers) as pool:
        return _Match(settings, folder, pool, listener, tell).run(resume=resume)


class GamesRun(Generic[Result]):
    """A run of games in a folder: it starts the players, opens the journal, and has the games played."""

    noun = "match"
    upgrade: Callable[[dict[str, Any]], dict[str, Any]] = staticmethod(lambda line: line)
    """Makes a header of an older version one of this."""
    journal: Journal[Result]

    def __init__(
        self, settings: MatchSettings, folder: Path, pool: WorkerPool, tell: Tell | None, failures: Failures
    ) -> None:
        self.settings, self.folder, self.failures = settings, folder, failures
        self.tell: Tell = tell or (lambda _line: None)
        self.players: tuple[MatchPlayer, ...] = ()
        self._pool = pool

    def find_players(self, files: Files) -> tuple[MatchPlayer, ...]:
        """Return the players. Raises ValueError for one that cannot play."""
        return self.settings.match_players(files)

    def header(self, files: Files, started: Sequence[Started] = ()) -> dict[str, Any]:
        return header(self.settings, self.players, self.folder, files, started)

    def open_journal(self, line: Mapping[str, Any], *, resume: bool) -> Journal[Result]:
        """Open the journal. Raises JournalError."""
        raise NotImplementedError

    def left(self) -> list[GameTask]:
        raise NotImplementedError

    def keep(self, record: GameRecord) -> None:
        raise NotImplementedError

    def is_needed(self, task: GameTask) -> bool:
        return True

    def more_tasks(self) -> Iterable[GameTask]:
        """Return games that follow from the results so far."""
        return ()

    def play_left(self, play: Callable[[GameTask], GameRecord]) -> None:
        left = self.left()
        remove_old_notes(self.folder, left, self.tell)
        try:
            self._pool.run(left, play, self.keep, self.is_needed, self._settle, self.more_tasks)
        finally:
            drop_empty_logs(self.folder)

    def _settle(self, task: GameTask, error: Exception) -> GameRecord | None:
        return settle_game(self.folder, task, error, self.tell)

    def begin(self, stack: ExitStack, *, resume: bool) -> None:
        """Start the players, and the journal of a new run."""
        if resume:
            self._resume(stack)
            return
        files = Files()
        self.players = self.find_players(files)
        check_playable(self.settings, self.players)
        refuse_begun(self.folder)
        started = start_players(self.players, self.settings, self._pool)
        self.players = tuple(with_copies(player, self.folder) for player in self.players)
        self.journal = stack.enter_context(self.open_journal(self.header(files, started), resume=False))
        keep_logs(self.folder, started)

    def _resume(self, stack: ExitStack) -> None:
        """Open the journal, and start the players if there is anything left to play."""
        before = _as_read(self.upgrade(read_header(self.folder)))
        files = files_of(before, self.folder)
        self.players = self.find_players(files)
        check_playable(self.settings, self.players)
        self.journal = stack.enter_context(self.open_journal(self.header(files), resume=True))
        if not any(self.is_needed(task) for task in self.left()):
            return
        for file in changed_files(self.players):
            self.tell(f"{file} has changed since {self.folder} was begun: the {self.noun} goes on with its copy")
        started = start_players(self.players, self.settings, self._pool)
        now = _as_read(self.header(files, started))
        if any(before.get(key) != now[key] for key in ("settings", "players", "versions", "machine")):
            self.journal.advance(now)
        keep_logs(self.folder, started)


def _as_read(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a header as it is read from a journal."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(line))
    return found


class _Match(GamesRun[GameRecord]):
    upgrade = staticmethod(with_current_settings)

    def __init__(
        self, settings: MatchSettings, folder: Path, pool: WorkerPool, listener: Listener | None, tell: Tell | None
    ) -> None:
        super().__init__(settings, folder, pool, tell, Failures(settings.forfeits))
        self._listener: Listener = listener or (lambda _record: None)
        self._pairings = settings.all_pairings()
        self._decided: set[int] = set()
        """Numbers of the pairings that a sequential test has decided."""

    def run(self, *, resume: bool) -> list[GameRecord]:
        with ExitStack() as stack:
            self.begin(stack, resume=resume)
            for record in self._played():
                if not self._file_of(record).exists():
                    write_whole(self._file_of(record), as_sgf(record, self.settings))
                self._listener(record)
            self.play_left(play_game)
            return latest(self.journal.records)

    def open_journal(self, line: Mapping[str, Any], *, resume: bool) -> Journal[GameRecord]:
        journal = Journal(self.folder, line, GameRecord, resume=resume, upgrade=self.upgrade, free=MAY_CHANGE)
        for number in range(len(self._pairings)):
            self._decide(number, journal.records)
        return journal

    def _played(self) -> list[GameRecord]:
        """Return the games of the journal, except those that could not begin: these are played again."""
        return [record for record in latest(self.journal.records) if not record.is_void]

    def left(self) -> list[GameTask]:
        done, folder = {record.number for record in self._played()}, str(self.folder.absolute())
        tasks = (task for task in schedule(self.settings, self.players) if task.number not in done)
        return [dataclasses.replace(task, folder=folder) for task in tasks]

    def is_needed(self, task: GameTask) -> bool:
        return task.pairing not in self._decided

    def _decide(self, number: int, records: Sequence[GameRecord]) -> None:
        """Note a pairing that a sequential test has decided."""
        if is_over(self._pairings[number], records):
            self._decided.add(number)

    def _file_of(self, record: GameRecord) -> Path:
        return self.folder / "games" / f"{record.number:06}.sgf"

    def keep(self, record: GameRecord) -> None:
        write_whole(self._file_of(record), as_sgf(record, self.settings))
        self.journal.append(record)
        self._decide(record.pairing, self.journal.records)
        self._listener(record)
        self.failures.note(record)
