"""Several matches taken together: their games, under new names where a player had another, and ratings over all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kikashi.match.journal import read_header, read_records, require_match
from kikashi.match.one_game import GameRecord
from kikashi.match.player_spec import settings_of_player
from kikashi.match.provenance import settings_of
from kikashi.match.sprt import latest
from kikashi.match.summary import ratings
from kikashi.stats.intervals import EloEstimate
from kikashi.stats.rating import connected_groups


@dataclass(frozen=True)
class JointRating:
    """A player's rating over several matches, and the games that it rests on."""

    name: str
    elo: EloEstimate
    points: float
    games: int


@dataclass(frozen=True)
class JointRatings:
    """The ratings over several matches."""

    players: tuple[JointRating, ...]
    """The strongest first."""
    circles: tuple[tuple[str, ...], ...]
    """Players that games connect; ratings of different circles cannot be compared."""
    notes: tuple[str, ...] = ()
    """What a person should know, a line each."""


@dataclass(frozen=True)
class _Match:
    """The games of a match, and what its players were."""

    folder: Path
    records: Sequence[GameRecord]
    players: Mapping[str, str]
    """By name: everything that decides how the player plays."""

    def renamed(self, names: Mapping[str, str]) -> _Match:
        """The same games with other names for some players."""
        records = [
            msgspec.structs.replace(
                record, black=names.get(record.black, record.black), white=names.get(record.white, record.white)
            )
            for record in self.records
        ]
        return _Match(self.folder, records, {names.get(name, name): text for name, text in self.players.items()})


def rate_together(folders: Sequence[Path], renamed: Sequence[str] = ()) -> JointRatings:
    """Bradley–Terry over the games of several matches; ``OLD=NEW`` renames a player. Raises ValueError.

    A folder that is named twice counts once. Players who share a name, but not their settings, are kept apart.
    """
    notes: list[str] = []
    matches = [_read(folder) for folder in _once(folders, notes)]
    matches = _under_new_names(_kept_apart(matches, notes), renamed)
    records = [record for match in matches for record in match.records]
    names = tuple(dict.fromkeys(name for record in records for name in (record.black, record.white)))
    if len(names) < 2:
        raise ValueError("there are no games yet")
    circles = connected_groups(names, ((record.black, record.white) for record in records))
    found = []
    for name, elo in ratings(names, [match.records for match in matches]).items():
        played = [record for record in records if name in (record.black, record.white)]
        found.append(JointRating(name, elo, sum(record.points(name) for record in played), len(played)))
    players = tuple(sorted(found, key=lambda player: -player.elo.elo))
    return JointRatings(players, tuple(map(tuple, circles)), tuple(notes))


def _once(folders: Sequence[Path], notes: list[str]) -> list[Path]:
    """The folders, each once however it is written."""
    found: dict[Path, Path] = {}
    for folder in folders:
        if found.setdefault(folder.resolve(), folder) is not folder:
            notes.append(f"{folder} is named twice: its games count once")
    return list(found.values())


def _read(folder: Path) -> _Match:
    """The match in a folder. Raises ValueError if there is none."""
    require_match(folder)
    header = read_header(folder)
    settings = settings_of(header)
    hashes = {player["name"]: str(player.get("plugins", "")) for player in header.get("players", [])}
    players = {}
    for name, text in zip(settings.names, settings.players, strict=True):
        players[name] = hashes.get(name, "") + settings_of_player(
            text, simulations=settings.simulations, seconds=settings.seconds, clock=settings.clock
        )
    records = [record for record in latest(read_records(folder, GameRecord)) if not record.is_void]
    return _Match(folder, records, players)


def _kept_apart(matches: Sequence[_Match], notes: list[str]) -> list[_Match]:
    """The matches, in which a name that means different players has the folder where it is used beside it."""
    meanings: dict[str, dict[str, Path]] = {}
    for match in matches:
        for name, text in match.players.items():
            meanings.setdefault(name, {}).setdefault(text, match.folder)
    shared = {name for name, texts in meanings.items() if len(texts) > 1}
    for name in sorted(shared):
        told = "; ".join(f"{text} in {folder}" for text, folder in meanings[name].items())
        notes.append(f"{name!r} is not the same player everywhere, so it is rated as several: {told}")
    return [
        match.renamed({name: f"{name} @ {meanings[name][match.players[name]]}" for name in shared & set(match.players)})
        for match in matches
    ]


def _under_new_names(matches: Sequence[_Match], renamed: Sequence[str]) -> list[_Match]:
    """The games with some players renamed: ``OLD=NEW``. Raises ValueError if nobody has the old name."""
    new_names = {}
    for text in renamed:
        old, equals, new = text.rpartition("=")  # an old name may have a setting in it, as in "mogo-2006 --set p=1"
        if not (old and equals and new):
            raise ValueError(f"--rename is OLD=NEW, not {text!r}")
        new_names[old] = new
    names = {name for match in matches for record in match.records for name in (record.black, record.white)}
    if unknown := sorted(new_names.keys() - names):
        raise ValueError(f"nobody to rename is called {unknown[0]!r}; there are {', '.join(sorted(names))}")
    return [match.renamed(new_names) for match in matches]
