"""The runner of a match: a schedule of pairs of games, workers that play them, a journal that loses nothing.

`schedule` lists the games of `kikashi.match.settings`, `run_match` plays them on any executor and writes each down as
it ends. The results are in `kikashi.match.summary`.
"""

import dataclasses
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from kikashi.files import write_whole
from kikashi.match.failures import Failures, remove_old_notes, settle_game
from kikashi.match.journal import Journal, JournalError, check_same, read_header, refuse_begun
from kikashi.match.match_player import Files, MatchPlayer, changed_files, with_copies
from kikashi.match.one_game import GameRecord, GameTask, as_sgf, play_game
from kikashi.match.preflight import Started, drop_empty_logs, keep_log, start_players
from kikashi.match.provenance import files_of, header, settings_of, with_current_settings
from kikashi.match.settings import MatchSettings, read_openings
from kikashi.match.summary import latest, pairing_decision
from kikashi.protocols.gtp.controller import find_program
from kikashi.wording import convert
from kikashi.workers.executors import WorkerPool, Workers

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


def free_folder(settings: MatchSettings) -> Path:
    """Return a new folder for a match: ``matches/kikashi-150-vs-gnugo-1``."""
    names = [re.sub(r"[^\w.+]+", "-", spec.short_name).strip("-")[:30] for spec in settings.specs]
    name = "-vs-".join(names[:2]) + (f"-and-{len(names) - 2}" if len(names) > 2 else "")
    number = 1
    while (folder := Path("matches") / f"{name}-{number}").exists():
        number += 1
    return folder


# --- the schedule -----------------------------------------------------------------------------------------------------


def schedule(settings: MatchSettings, players: Sequence[MatchPlayer]) -> Iterator[GameTask]:
    """Yield all games in order: first a pair of each pairing, then their second pairs, and so on.

    Raises ValueError if a game could not be played or counted.
    """
    _check(settings, players)
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


def _check(settings: MatchSettings, players: Sequence[MatchPlayer]) -> None:
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
    receives each, first those of an earlier run, and `tell` messages for the user. Raises
    ValueError if the settings are not those of the journal or a player cannot play, MatchStopped if one fails again
    and again, OSError if the folder cannot be written to.
    """
    with ExitStack() as stack:
        match = _Match(settings, folder, stack.enter_context(WorkerPool(workers)), listener, tell)
        if resume:
            match.resume(stack)
        else:
            match.begin(stack)
        return match.play()


class _Match:
    """A match that is being played."""

    journal: Journal[GameRecord]

    def __init__(
        self, settings: MatchSettings, folder: Path, pool: WorkerPool, listener: Listener | None, tell: Tell | None
    ) -> None:
        self.settings, self.folder = settings, folder
        self._pool = pool
        self._listener: Listener = listener or (lambda _record: None)
        self._tell: Tell = tell or (lambda _line: None)
        self._failures = Failures(settings.forfeits)
        self._before: list[GameRecord] = []
        """Games of an earlier run, except those that could not begin: these are played again."""
        self._tasks: list[GameTask] = []
        self._pairings = settings.all_pairings()
        self._decided: set[int] = set()
        """Numbers of the pairings that SPRT has decided."""

    def begin(self, stack: ExitStack) -> None:
        """Start the players, and the journal of a new match."""
        files = Files()
        players = self.settings.match_players(files)
        self._plan(players)
        refuse_begun(self.folder)
        started = start_players(players, self.settings, self._pool)
        players = tuple(with_copies(player, self.folder) for player in players)
        self._plan(players)
        self._open(stack, header(self.settings, players, self.folder, files, started), resume=False)
        self._keep_logs(started)

    def resume(self, stack: ExitStack) -> None:
        """Open the journal, and start the players if there is anything left to play."""
        before = msgspec.json.decode(msgspec.json.encode(with_current_settings(read_header(self.folder))))
        files = files_of(before, self.folder)
        players = self.settings.match_players(files)
        self._plan(players)
        self._open(stack, header(self.settings, players, self.folder, files), resume=True)
        for file in changed_files(players):
            self._tell(f"{file} has changed since {self.folder} was begun: the match goes on with its copy")
        if not any(self._is_needed(task) for task in self._left()):
            return
        started = start_players(players, self.settings, self._pool)
        now = header(self.settings, players, self.folder, files, started)
        now = msgspec.json.decode(msgspec.json.encode(now))
        if any(before.get(key) != now[key] for key in ("settings", "players", "versions", "machine")):
            self.journal.advance(now)
        self._keep_logs(started)

    def _plan(self, players: Sequence[MatchPlayer]) -> None:
        folder = str(self.folder.absolute())
        self._tasks = [dataclasses.replace(task, folder=folder) for task in schedule(self.settings, players)]

    def _open(self, stack: ExitStack, line: Mapping[str, Any], *, resume: bool) -> None:
        self.journal = stack.enter_context(
            Journal(self.folder, line, GameRecord, resume=resume, upgrade=with_current_settings, free=MAY_CHANGE)
        )
        self._before = [record for record in latest(self.journal.records) if not record.is_void]
        for number in range(len(self._pairings)):
            self._decide(number)

    def _keep_logs(self, started: Sequence[Started]) -> None:
        for one in started:
            keep_log(self.folder, one)

    def _left(self) -> list[GameTask]:
        done = {record.number for record in self._before}
        return [task for task in self._tasks if task.number not in done]

    def _is_needed(self, task: GameTask) -> bool:
        return task.pairing not in self._decided

    def _decide(self, number: int) -> None:
        """Note a pairing that SPRT has decided."""
        pairing = self._pairings[number]
        if pairing.sprt is not None and pairing_decision(pairing, self.journal.records).decision != "continue":
            self._decided.add(number)

    def play(self) -> list[GameRecord]:
        """Play what is left and return all games."""
        for record in self._before:
            if not self._file_of(record).exists():
                write_whole(self._file_of(record), as_sgf(record, self.settings))
            self._listener(record)
        left = self._left()
        remove_old_notes(self.folder, left, self._tell)
        try:
            self._pool.run(left, play_game, self._note, self._is_needed, self._settle)
        finally:
            drop_empty_logs(self.folder)
        return latest(self.journal.records)

    def _file_of(self, record: GameRecord) -> Path:
        return self.folder / "games" / f"{record.number:06}.sgf"

    def _note(self, record: GameRecord) -> None:
        write_whole(self._file_of(record), as_sgf(record, self.settings))
        self.journal.append(record)
        self._decide(record.pairing)
        self._listener(record)
        self._failures.note(record)

    def _settle(self, task: GameTask, error: Exception) -> GameRecord | None:
        return settle_game(self.folder, task, error, self._tell)
