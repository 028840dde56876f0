"""A match from Python: played in one call, or read from its folder, and shown by a notebook.

    match = Match.play("lgrf2", "mogo-2006", simulations=500, games=20)
    print(match)
    match.game(0)

`kikashi match` does the same on a command line, and writes the same folders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kikashi import sgf
from kikashi.game import Game
from kikashi.match.game_files import as_sgf
from kikashi.match.journal import FILE, read_header, read_records, require_match
from kikashi.match.match_report import html_list, lines, oddities, summary, write_report
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import settings_of
from kikashi.match.runner import free_folder, new_settings, resumed_settings, run_match
from kikashi.match.settings import MatchSettings
from kikashi.match.sprt import latest
from kikashi.match.summary import Standing, standing
from kikashi.pictures.tables import DataFrame, data_frame
from kikashi.wording import nearest, plural
from kikashi.workers.executors import make_workers

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Match:
    """A match, whole or as far as it was played. A notebook shows its score, intervals and course."""

    settings: MatchSettings
    records: tuple[GameRecord, ...]
    """The games in the order of the schedule; those that could not begin among them."""
    folder: Path

    @classmethod
    def play(
        cls,
        *players: str,
        folder: str | Path | None = None,
        openings: Sequence[str] = (),
        concurrency: int | None = None,
        tell: Tell | None = None,
        **settings: Any,
    ) -> Match:
        """Play a match, in processes of this machine, `concurrency` games at a time, and return it.

        Players are as for ``kikashi match``, settings those of `MatchSettings`: ``games=20``, ``size=7``. Without a
        `folder` there is a new one in ``matches/``; a match that is in the folder already goes on, perhaps with more
        `games`. `openings` are files, or ``["none"]``; our own if nothing is said. `tell` hears what a person should
        know while it is played. Raises ValueError for what cannot be played, MatchStopped if a player fails again and
        again, OSError; the games that were played are in the folder then, too.
        """
        known = set(MatchSettings.__struct_fields__) - {"players", "openings"}
        if unknown := sorted(settings.keys() - known):
            raise ValueError(f"there is no setting {unknown[0]!r}; {nearest(unknown[0], sorted(known))}")
        said = {"players": players, **settings}
        begun = Path(folder) if folder is not None and (Path(folder) / FILE).exists() else None
        wanted = new_settings(said, openings) if begun is None else resumed_settings(begun, said, openings)
        place = free_folder(wanted) if folder is None else Path(folder)
        resume, workers = begun is not None, make_workers("processes", concurrency)
        match = cls(wanted, tuple(run_match(wanted, place, workers, resume=resume, tell=tell)), place)
        write_report(place, wanted, match.records, match.standing)
        return match

    @classmethod
    def read(cls, folder: str | Path) -> Match:
        """The match in a folder, also one that is still being played. Raises ValueError if there is none."""
        place = Path(folder)
        require_match(place)
        return cls(settings_of(read_header(place)), tuple(latest(read_records(place, GameRecord))), place)

    @cached_property
    def standing(self) -> Standing:
        """All that is known from the games."""
        return standing(self.settings, self.records)

    def game(self, number: int) -> Game:
        """A game by its number. Raises ValueError if it was not played."""
        found = next((record for record in self.records if record.number == number), None)
        if found is None:
            raise ValueError(f"{self.folder} has no game {number}")
        return sgf.read_game(as_sgf(found, self.settings))

    def as_frame(self) -> DataFrame:
        """The games as a data frame, a row each. Raises ImportError where there is no pandas."""
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

    def __str__(self) -> str:
        return "\n".join(lines(self.standing))

    def __repr__(self) -> str:
        return f"<Match {' – '.join(self.settings.names)}, {plural(len(self.records), 'game')}, {self.folder}>"

    def _repr_html_(self) -> str:
        notes = oddities(self.standing)
        parts = [*summary(self.settings, self.records, self.standing), *(html_list(notes) if notes else [])]
        return "\n".join(["<div>", *parts, "</div>"])
