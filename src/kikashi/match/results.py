"""Matches from Python: played in one call, or read from their folders, shown by a notebook, and rated together.

    match = Match.play("lgrf2", "mogo-2006", simulations=500, games=20)
    print(match)
    match.game(0)

`kikashi match` does the same on a command line, and writes the same folders.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from kikashi import sgf
from kikashi.game import Game
from kikashi.match.journal import FILE, is_begun, read_header, read_records, require_match
from kikashi.match.match_report import summary_elements, write_report
from kikashi.match.one_game import GameRecord, as_sgf
from kikashi.match.player_spec import Player
from kikashi.match.provenance import settings_of
from kikashi.match.runner import Listener, Tell, free_folder, new_settings, resumed_settings, run_match
from kikashi.match.settings import MatchSettings
from kikashi.match.statistics import compute, lines, notes, verdict
from kikashi.match.summary import MatchSummary, latest, ratings, scored_games, summarize
from kikashi.pictures.tables import DataFrame, data_frame
from kikashi.report import Document, Items
from kikashi.stats.intervals import EloEstimate
from kikashi.stats.rating import connected_groups
from kikashi.wording import nearest, plural
from kikashi.workers.executors import Workers, make_workers


@dataclass(frozen=True)
class Match:
    """A match, whole or in progress. A notebook shows its score, intervals and course."""

    settings: MatchSettings
    records: tuple[GameRecord, ...]
    """The games in the order of the schedule, even those that could not begin."""
    folder: Path

    @classmethod
    def play(
        cls,
        *players: Player,
        folder: str | Path | None = None,
        openings: Sequence[str] = (),
        concurrency: int | None = None,
        tell: Tell | None = None,
        **settings: Any,
    ) -> "Match":
        """Play a match, in processes of this machine, `concurrency` games at a time, and return it.

        Players are as for ``kikashi match``, or values; settings those of `MatchSettings`: ``games=20``, ``size=7``.
        Without a `folder` there is a new one in ``matches/``; a match that is in the folder already goes on, perhaps
        with more `games`. `openings` are files, or ``["none"]``, or by default our own. `tell` receives messages for
        the user. Raises ValueError for what cannot be played, MatchStopped if a player fails again and again, OSError;
        the games that were played are in the folder then, too.
        """
        known = set(MatchSettings.__struct_fields__) - {"players", "openings"}
        if unknown := sorted(settings.keys() - known):
            raise ValueError(f"there is no setting {unknown[0]!r}; {nearest(unknown[0], sorted(known))}")
        given = {"players": players, **settings}
        begun = Path(folder) if folder is not None and (Path(folder) / FILE).exists() else None
        wanted = new_settings(given, openings) if begun is None else resumed_settings(begun, given, openings)
        place = free_folder(wanted) if folder is None else Path(folder)
        return cls.run(wanted, place, make_workers("processes", concurrency), tell=tell)

    @classmethod
    def run(
        cls,
        settings: MatchSettings,
        folder: Path,
        workers: Workers,
        listener: Listener | None = None,
        tell: Tell | None = None,
    ) -> "Match":
        """Play the games that a folder does not have yet, write the report, and return the match.

        Raises as `run_match`.
        """
        records = run_match(settings, folder, workers, resume=is_begun(folder), listener=listener, tell=tell)
        match = cls(settings, tuple(records), folder)
        write_report(folder, match.records, match.summary)
        return match

    @classmethod
    def read(cls, folder: str | Path) -> "Match":
        """Read the match in a folder, also one in progress. Raises ValueError if there is none."""
        place = Path(folder)
        require_match(place)
        return cls(settings_of(read_header(place)), tuple(latest(read_records(place, GameRecord))), place)

    @cached_property
    def summary(self) -> MatchSummary:
        """Scores, ratings and tests over all games; of a match in progress, over the complete pairs."""
        return summarize(self.settings, scored_games(self.settings, self.records))

    def game(self, number: int) -> Game:
        """Return a game by its number. Raises ValueError if it was not played."""
        found = next((record for record in self.records if record.number == number), None)
        if found is None:
            raise ValueError(f"{self.folder} has no game {number}")
        return sgf.read_game(as_sgf(found, self.settings))

    def as_frame(self) -> DataFrame:
        """Return the games as a data frame, a row each. Raises ImportError where there is no pandas."""
        return data_frame(
            {
                "game": record.number,
                "pair": record.pair,
                "black": record.black,
                "white": record.white,
                "result": record.result,
                "winner": record.winner,
                "ended by": record.ended,
                "moves": len(record.moves),
                "black seconds": record.seconds[0],
                "white seconds": record.seconds[1],
            }
            for record in self.records
        )

    def statistics(self) -> DataFrame:
        """Return all registered statistics as a data frame, a row for each value. Raises ImportError as `as_frame`."""
        return data_frame(
            {"subject": row.subject, "players": " – ".join(row.players), "statistic": title} | one.as_json()
            for row in compute(self.summary)
            for title, one in row.values.items()
        )

    def __str__(self) -> str:
        return "\n".join(lines(self.summary))

    def __repr__(self) -> str:
        return f"<Match {' – '.join(self.settings.names)}, {plural(len(self.records), 'game')}, {self.folder}>"

    def _repr_html_(self) -> str:
        elements = [*summary_elements(self.summary), Items(notes(compute(self.summary)))]
        return f"<div>{Document('', elements, verdict(self.summary)).fragment()}</div>"


# --- several matches --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JointRating:
    """A player's rating over several matches, with its points and games."""

    name: str
    elo: EloEstimate
    points: float
    games: int


@dataclass(frozen=True)
class JointRatings:
    players: tuple[JointRating, ...]
    """The strongest first."""
    groups: tuple[tuple[str, ...], ...]
    """Players that games connect; ratings of different groups cannot be compared."""
    notes: tuple[str, ...] = ()
    """Messages for the user, a line each."""


def rate_together(folders: Sequence[Path], renamed: Sequence[str] = ()) -> JointRatings:
    """Rate the players of several matches by Bradley–Terry; ``OLD=NEW`` renames a player. Raises ValueError.

    A folder that is named twice counts once. Players who share a name, but not their settings, are kept apart.
    """
    notes: list[str] = []
    matches: dict[Path, tuple[Match, dict[str, str]]] = {}
    meanings: dict[str, dict[str, tuple[Path, str]]] = {}
    for folder in folders:
        if folder.resolve() in matches:
            notes.append(f"{folder} is named twice: its games count once")
            continue
        match = Match.read(folder)
        identities = _identities(match)
        matches[folder.resolve()] = match, {name: key for name, (key, _) in identities.items()}
        for name, (key, text) in identities.items():
            meanings.setdefault(name, {}).setdefault(key, (folder, text))
    for name in sorted(name for name, several in meanings.items() if len(several) > 1):
        listed = "; ".join(f"{text} in {folder}" for folder, text in meanings[name].values())
        notes.append(f"{name!r} is not the same player everywhere, so it is rated as several: {listed}")
    games = []
    for match, keys in matches.values():
        apart = {
            name: f"{name} @ {meanings[name][key][0]}" if len(meanings[name]) > 1 else name
            for name, key in keys.items()
        }
        scored = scored_games(match.settings, match.records)
        games.append(_renamed([record for record in scored if not record.is_void], apart))
    new_names = _read_new_names(renamed, set(_names(games)))
    games = [_renamed(records, new_names) for records in games]
    played = [record for records in games for record in records]
    names = _names(games)
    if len(names) < 2:
        raise ValueError("there are no games yet")
    groups = connected_groups(names, ((record.black, record.white) for record in played))
    found = []
    for name, elo in ratings(names, games).items():
        own = [record for record in played if name in (record.black, record.white)]
        found.append(JointRating(name, elo, sum(record.points(name) for record in own), len(own)))
    players = tuple(sorted(found, key=lambda player: -player.elo.elo))
    return JointRatings(players, tuple(map(tuple, groups)), tuple(notes))


def _names(games: Sequence[Sequence[GameRecord]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for records in games for one in records for name in (one.black, one.white)))


def _identities(match: Match) -> dict[str, tuple[str, str]]:
    """Return by name a text with everything that decides how a player plays, and one for people.

    The identity of a player stands for its preset, settings and files, which may be under other names elsewhere. In
    journals of version 0.2 it has none, but hashes of its plugins.
    """
    described = {player["name"]: player for player in read_header(match.folder).get("players", [])}
    settings, found = match.settings, {}
    for spec in settings.specs:
        known = spec.with_defaults(settings.simulations, settings.seconds, clock=settings.clock)
        text, player = known.unnamed_text, described.get(spec.name, {})
        if identity := player.get("identity", ""):
            limits = replace(known, preset=identity, overrides=(), plugins=()).unnamed_text
            found[spec.name] = limits, f"{text} (files {identity})"
        else:
            found[spec.name] = (f"{player.get('plugins', '')}{text}",) * 2
    return found


def _renamed(records: Sequence[GameRecord], names: Mapping[str, str]) -> list[GameRecord]:
    return [
        msgspec.structs.replace(one, black=names.get(one.black, one.black), white=names.get(one.white, one.white))
        for one in records
    ]


def _read_new_names(renamed: Sequence[str], known: set[str]) -> dict[str, str]:
    """Read ``OLD=NEW``. Raises ValueError if nobody has the old name."""
    new_names = {}
    for text in renamed:
        old, equals, new = text.rpartition("=")  # an old name may have a setting in it, as in "mogo-2006 --set p=1"
        if not (old and equals and new):
            raise ValueError(f"--rename is OLD=NEW, not {text!r}")
        new_names[old] = new
    if unknown := sorted(new_names.keys() - known):
        raise ValueError(f"nobody to rename is called {unknown[0]!r}; there are {', '.join(sorted(known))}")
    return new_names
