"""The matches and experiments of one folder, live from their journals."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kikashi.match.journal import FILE, read_header, read_records
from kikashi.match.one_game import GameRecord, as_sgf
from kikashi.match.provenance import settings_of
from kikashi.match.settings import MatchSettings
from kikashi.match.statistics import compute, notes, table
from kikashi.match.summary import latest, llr_by_pair, scored_games, summarize
from kikashi.stats.intervals import wilson
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import GameRow, LongName, Studies, StudyInfo, StudyState, Test, handles
from kikashi.web.tasks import Job, Task
from kikashi.wording import plural

DEPTH = 3
"""Levels of folders in which journals are found."""
STUDIES = 500
"""Journals that are listed, at most."""
GAMES = 2_000
"""Games of a match that are listed, the latest."""
JOURNAL_BYTES = 256 << 20
PAUSE = 0.5
"""Seconds between two checks of a journal."""
PLOTTED = 400
"""Points of a curve."""


class LaboratoryTask(Task):
    """The list of the folder, and the live state of one match or experiment."""

    name = "laboratory"

    @handles("list_studies")
    def list(self) -> None:
        """List all matches and experiments, the latest first."""
        found = [info for name, folder in self._folders().items() if (info := _info(name, folder)) is not None]
        self.post(Studies(sorted(found, key=lambda info: -info.changed)))

    @handles("watch_study")
    def watch(self, study: LongName) -> None:
        """Follow a study; an empty name ends this. Raises ValueError if there is none of this name."""
        self.stop()
        if not study:
            return
        folder = self._folder(study)

        def look(job: Job) -> None:
            seen: tuple[int, int] | None = None
            while not job.is_stopped():
                status = os.stat(folder / FILE, follow_symlinks=False)
                if (now := (status.st_size, status.st_mtime_ns)) != seen:
                    seen = now
                    self.post(_state(study, folder), only_newest="study state")
                job.wait(PAUSE)

        self.start(look)

    def game(self, name: str, number: int) -> GameTree:
        """Return a game of a match. Raises ValueError if there is none."""
        folder = self._folder(name)
        settings = settings_of(read_header(folder))
        found = next((each for each in latest(read_records(folder, GameRecord)) if each.number == number), None)
        if found is None:
            raise ValueError(f"{name} has no game {number}")
        return GameTree.from_sgf("study", as_sgf(found, settings))

    def _folder(self, name: str) -> Path:
        folders = self._folders()
        if name not in folders:
            raise ValueError(f"there is no match or experiment {name[:60]!r} in the folder")
        return folders[name]

    def _folders(self) -> dict[str, Path]:
        """Return the folders with a journal by their names below the folder. Links are not followed."""
        if self.state.folder is None or not self.state.folder.is_dir():
            return {}
        found = {}
        for folder in _walk(self.state.folder, DEPTH):
            journal = folder / FILE
            if not journal.is_symlink() and journal.is_file() and journal.stat().st_size <= JOURNAL_BYTES:
                found[str(folder.relative_to(self.state.folder))] = folder
                if len(found) == STUDIES:
                    break
        return found


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    yield folder
    if not depth:
        return
    try:
        inner = sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink())
    except OSError:  # not ours to read
        return
    for each in inner:
        yield from _walk(each, depth - 1)


def _info(name: str, folder: Path) -> StudyInfo | None:
    try:
        header = read_header(folder)
        journal = folder / FILE
        kind = str(header.get("kind", ""))
        with journal.open("rb") as file:
            done = sum(1 for line in file if not line.startswith(b'{"kind":'))
        title, of = name, 0
        if kind == "match":
            settings = settings_of(header)
            title, of = " – ".join(settings.names)[:200], settings.total_games
        return StudyInfo(name, kind, title, done, of, journal.stat().st_mtime)
    except (ValueError, OSError):  # not a journal of ours, or gone in between
        return None


def _state(name: str, folder: Path) -> StudyState:
    """Return the state of a study. Raises ValueError if its journal is damaged."""
    header = read_header(folder)
    if header.get("kind") != "match":
        return _experiment_state(name, folder, header)
    settings = settings_of(header)
    records = latest(read_records(folder, GameRecord))
    scored = scored_games(settings, records)
    found = summarize(settings, scored)
    rows = compute(found)
    test = found.sprt
    counted = [record for record in scored if not record.is_void]
    curve = list(_shares(settings, counted))
    counts, shares, lows, highs = (list(column) for column in zip(*curve, strict=True)) if curve else ([], [], [], [])
    return StudyState(
        study=name,
        kind="match",
        title=" – ".join(settings.names)[:200],
        settings=_describe(settings),
        done=len(records),
        of=settings.total_games,
        test=None if test is None else Test(test.llr, test.lower, test.upper, test.decision, test.elo0, test.elo1),
        counts=counts,
        shares=shares,
        lows=lows,
        highs=highs,
        ratios=_thinned(llr_by_pair(settings, records)) if settings.sprt is not None else [],
        games=[
            GameRow(each.number, each.black, each.white, each.result, each.ended, len(each.moves))
            for each in records[-GAMES:]
        ],
        notes=notes(rows if len(scored) == len(records) else compute(summarize(settings, records)))[:20],
        tables=[[head, *cells] for head, cells in (table(rows, "pairing"), table(rows, "player")) if cells],
    )


def _describe(settings: MatchSettings) -> str:
    budget = [plural(settings.simulations, "simulation")] if settings.simulations else []
    budget += [f"{settings.seconds:g} s a move"] if settings.seconds else []
    budget += [f"clock {settings.clock}"] if settings.clock else []
    return ", ".join([f"{settings.size}×{settings.size}", f"komi {settings.komi:g}", settings.rules, *budget])


def _shares(settings: MatchSettings, records: list[GameRecord]) -> Iterator[tuple[int, float, float, float]]:
    """Yield games of the first two players, the first one's share, and Wilson's interval: about `PLOTTED` rows."""
    meeting = settings.all_pairings()[0]
    names = {meeting.first, meeting.second}
    points, games = 0.0, [record for record in records if {record.black, record.white} == names]
    every = max(1, len(games) // PLOTTED)
    for number, record in enumerate(games, 1):
        points += record.points(meeting.first)
        if number % every == 0 or number == len(games):
            bounds = wilson(points, number)
            yield number, points / number, bounds.low, bounds.high


def _thinned(values: list[float]) -> list[float]:
    every = max(1, len(values) // PLOTTED)
    return [value for number, value in enumerate(values) if number % every == 0 or number == len(values) - 1]


def _experiment_state(name: str, folder: Path, header: dict[str, Any]) -> StudyState:
    """Return the state of an experiment without games: its results as a table."""
    records = read_records(folder, dict[str, Any])
    plain = [{key: value for key, value in row.items() if isinstance(value, str | int | float)} for row in records]
    keys = list(dict.fromkeys(key for row in plain for key in row))[:8]
    rows = [[_cell(row.get(key)) for key in keys] for row in plain[-200:]]
    settings = {k: v for k, v in dict(header.get("settings", {})).items() if isinstance(v, str | int | float)}
    return StudyState(
        study=name,
        kind=str(header.get("kind", "")),
        title=name,
        settings=", ".join(f"{key} {value}" for key, value in settings.items())[:300],
        done=len(records),
        of=0,
        tables=[[keys, *rows]] if keys else [],
    )


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)[:60]
