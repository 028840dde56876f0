"""Several matches taken together: their games, under new names where a player had another, and ratings over all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kikashi.lab.bradley_terry import unconnected
from kikashi.lab.journal import read_header, read_records
from kikashi.lab.match import settings_of
from kikashi.lab.one_game import GameRecord
from kikashi.lab.standing import ratings
from kikashi.lab.statistics import EloEstimate


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


def rate_together(folders: Sequence[Path], renamed: Sequence[str] = ()) -> JointRatings:
    """Bradley–Terry over the games of several matches; ``OLD=NEW`` renames a player. Raises ValueError."""
    for folder in folders:
        settings_of(read_header(folder))  # raises if it is no match
    matches = _under_new_names([read_records(folder, GameRecord) for folder in folders], renamed)
    records = [record for match in matches for record in match]
    names = tuple(dict.fromkeys(name for record in records for name in (record.black, record.white)))
    if len(names) < 2:
        raise ValueError("there are no games yet")
    circles = unconnected(names, ((record.black, record.white) for record in records))
    found = []
    for name, elo in ratings(names, matches).items():
        played = [record for record in records if name in (record.black, record.white)]
        found.append(JointRating(name, elo, sum(record.points(name) for record in played), len(played)))
    return JointRatings(tuple(sorted(found, key=lambda player: -player.elo.elo)), tuple(map(tuple, circles)))


def _under_new_names(matches: Sequence[Sequence[GameRecord]], renamed: Sequence[str]) -> list[list[GameRecord]]:
    """The games with some players renamed: ``OLD=NEW``. Raises ValueError if nobody has the old name."""
    new_names = {}
    for text in renamed:
        old, equals, new = text.rpartition("=")  # an old name may have a setting in it, as in "mogo-2006 --set p=1"
        if not (old and equals and new):
            raise ValueError(f"--rename is OLD=NEW, not {text!r}")
        new_names[old] = new
    names = {name for match in matches for record in match for name in (record.black, record.white)}
    if unknown := sorted(new_names.keys() - names):
        raise ValueError(f"nobody to rename is called {unknown[0]!r}; there are {', '.join(sorted(names))}")

    def rename(record: GameRecord) -> GameRecord:
        black, white = (new_names.get(name, name) for name in (record.black, record.white))
        return msgspec.structs.replace(record, black=black, white=white)

    return [[rename(record) for record in match] for match in matches]
