"""A match: a schedule of pairs of games, players that meet, a journal that loses nothing.

`kikashi.lab.match_settings` says what is to be played, `schedule` lists the games, `run_match` has them played by any
executor and writes each down as it ends. What is known then is in `kikashi.lab.standing`.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import msgspec
import numba
import numpy as np

from kikashi import __version__, sgf
from kikashi.files import write_whole
from kikashi.gtp.controller import find_program
from kikashi.lab.contestants import Contestant
from kikashi.lab.journal import Journal, check_same, read_header
from kikashi.lab.match_settings import MatchSettings, with_todays_names
from kikashi.lab.one_game import GameRecord, GameTask, play_game
from kikashi.lab.openings import read_openings
from kikashi.lab.statistics import Pentanomial, Sprt, log_likelihood_ratios, sprt
from kikashi.lab.workers import Workers, run_all

Listener = Callable[[GameRecord], None]

# --- what a match was begun with --------------------------------------------------------------------------------------


def header(settings: MatchSettings, players: Sequence[Contestant]) -> dict[str, Any]:
    """The first line of a match's journal."""
    versions = {
        "kikashi": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
    }
    plugins = {plugin.file: plugin.digest for player in players for plugin in player.plugins}
    return {"kind": "match", "settings": msgspec.to_builtins(settings), "plugins": plugins, "versions": versions}


def settings_of(header: Mapping[str, Any]) -> MatchSettings:
    """The settings in a journal's first line, also in one of an older version. Raises ValueError."""
    if header.get("kind") != "match":
        raise ValueError(f"this is the journal of a {header.get('kind')}, not of a match")
    table = header.get("settings")
    return msgspec.convert(with_todays_names(table) if isinstance(table, dict) else table, MatchSettings)


def _with_todays_settings(header: dict[str, Any]) -> dict[str, Any]:
    return header | {"settings": msgspec.to_builtins(settings_of(header))}


def resumed_settings(folder: Path, said: Mapping[str, Any], openings: Sequence[str] = ()) -> MatchSettings:
    """The settings of the match in a folder, which is to go on.

    Raises ValueError if there is no match, or if it was begun with other settings than those that were said.
    """
    header = read_header(folder)
    settings = settings_of(header)
    table = msgspec.to_builtins(settings) | dict(said)
    if openings:
        table["openings"] = read_openings(openings, settings.size)
    check_same(folder, _with_todays_settings(header), {"kind": "match", "settings": table})
    return settings


def free_folder(settings: MatchSettings) -> Path:
    """A folder for a match that is not there yet."""
    names = [re.sub(r"[^\w.+-]+", "-", name).strip("-")[:30] for name in settings.names]
    name = "-vs-".join(names[:2]) + (f"-and-{len(names) - 2}" if len(names) > 2 else "")
    number = 1
    while (folder := Path("matches") / f"{name}-{number}").exists():
        number += 1
    return folder


# --- the schedule -----------------------------------------------------------------------------------------------------


def schedule(settings: MatchSettings, players: Sequence[Contestant]) -> Iterator[GameTask]:
    """All games in order: first a pair of every two players who meet, then their second pairs, and so on.

    Raises ValueError if a game could not be played or counted.
    """
    _check(settings, players)
    named = {player.name: player for player in players}
    meetings = settings.meetings()
    number = 0
    for pair in range(max(pairing.pairs for pairing in meetings)):
        for index, pairing in enumerate(meetings):
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


def _check(settings: MatchSettings, players: Sequence[Contestant]) -> None:
    """Raise ValueError if a game could not be played or counted."""
    if settings.referee == "gnugo" and find_program("gnugo") is None:
        raise ValueError("GNU Go is to count, but is not installed")
    for player in players:
        if player.command and (player.seconds or 0) >= settings.timeout:
            raise ValueError(
                f"{player.name} may think for {player.seconds:g} s, but times out at {settings.timeout:g} s"
            )


def derived(*of: object) -> int:
    """A number from 0 to 2^31 - 1 that depends on all of these and on nothing else."""
    digest = hashlib.blake2b(repr(of).encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> 1


# --- running ----------------------------------------------------------------------------------------------------------


def run_match(
    settings: MatchSettings, folder: Path, workers: Workers, *, resume: bool = False, listener: Listener | None = None
) -> list[GameRecord]:
    """Play what is left to play of a match and return all its games.

    Every game is in the folder when it has ended; the listener hears of each, first of those that were there before.
    Raises ValueError if the settings are not those of the journal, OSError if the folder cannot be written to.
    """
    players = settings.contestants()
    tasks = list(schedule(settings, players))
    tell = listener or (lambda _record: None)
    with Journal(
        folder, header(settings, players), GameRecord, resume=resume, upgrade=_with_todays_settings
    ) as journal:
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


def decision_of(settings: MatchSettings, records: Sequence[GameRecord]) -> Sprt:
    """What SPRT says about the first player against the second, pair after pair in the order of the schedule.

    It looks no further than to the first pair that is not complete, and what it has once decided stays: neither the
    order in which games happen to end nor those that were still under way change it.
    """
    if settings.sprt is None:
        raise ValueError("the match has no SPRT")
    points = complete_pairs(records, settings.names[0])
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
