"""The commands ``kikashi match`` and ``kikashi experiment``: options, progress for people, reports at the end."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kikashi.lab.bradley_terry import unconnected
from kikashi.lab.experiment import load_design, run_design, steps
from kikashi.lab.experiment_report import write_experiment_report
from kikashi.lab.journal import check_same, count_lines, read_header, read_records
from kikashi.lab.match import MatchSettings, run_match, schedule, settings_of
from kikashi.lab.one_game import GameRecord
from kikashi.lab.openings import Opening, file_openings, own_openings
from kikashi.lab.report import elo_text, lines, write_report
from kikashi.lab.standing import ratings, standing
from kikashi.lab.statistics import wilson
from kikashi.lab.workers import make_workers

SPEED_PERIOD = 3600.0
"""Seconds over which the time left is estimated: games may take minutes."""


def read_sprt(text: str | None) -> tuple[float, float] | None:
    """``"0,50"`` as two numbers. Raises ValueError."""
    if text is None:
        return None
    try:
        elo0, elo1 = (float(word) for word in text.split(","))
    except ValueError:
        raise ValueError(f"--sprt is two numbers, as in 0,50, not {text!r}") from None
    return elo0, elo1


def read_openings(names: Sequence[str], size: int) -> tuple[Opening, ...]:
    """Our own set if nothing is named, only the empty board for ``none``, else files."""
    if not names:
        return tuple(own_openings(size))
    if list(names) == ["none"]:
        return ((),)
    return tuple(file_openings([Path(name) for name in names], size))


def play_match(
    options: Mapping[str, Any],
    openings: Sequence[str],
    *,
    executor: str,
    concurrency: int | None,
    folder: Path | None,
    resume: bool,
    as_json: bool,
) -> bool:
    """Play or resume a match and tell what it found; False after Ctrl-C. Raises ValueError and OSError.

    To resume a match its folder is enough; options that are given all the same must be as they were.
    """
    if resume and folder is not None:
        settings = resumed_settings(folder, options, openings)
    else:
        table = dict(options) | {"openings": read_openings(openings, int(options["size"]))}
        settings = msgspec.convert(table, MatchSettings)
    workers = make_workers(executor, concurrency or os.cpu_count() or 1)
    folder = folder or free_folder(settings)
    how_to_resume = f"go on with: kikashi match --resume {shlex.quote(str(folder))}"
    if executor == "mpi":  # where a rank is lost, nobody is left to say it
        click.echo(f"should this end early, {how_to_resume}", err=True)
    watcher = Watcher(settings, count_lines(folder) - 1 if resume else 0)
    finished = True
    try:
        with watcher:
            run_match(settings, folder, workers, resume=resume, listener=watcher.note)
    except KeyboardInterrupt:
        finished = False
    except OSError as error:
        if not watcher.records:
            raise
        raise OSError(f"{error}; {how_to_resume}") from error
    records = sorted(watcher.records, key=lambda record: record.number)
    found = standing(settings, records)
    if records:
        write_report(folder, settings, records, found)
    if as_json:
        report = {"folder": str(folder), "finished": finished, **found.as_json()}
        click.echo(msgspec.json.encode(report))  # where there is no number, as for an infinite Elo, null
    else:
        click.echo("\n".join([*lines(found), f"games and reports: {folder}"]))
    if not finished:
        click.echo(f"interrupted after {len(records)} games; {how_to_resume}", err=True)
        workers.leave()
    return finished


def resumed_settings(folder: Path, options: Mapping[str, Any], openings: Sequence[str]) -> MatchSettings:
    """The settings of the match in a folder. Raises ValueError if there is none, or it was begun with others."""
    header = read_header(folder)
    settings = settings_of(header)
    said = dict(options)
    if openings:
        said["openings"] = read_openings(openings, settings.size)
    check_same(folder, header, {"kind": "match", "settings": msgspec.to_builtins(settings) | said})
    return settings


def run_experiment(
    name: str,
    *,
    scale: float,
    overrides: Sequence[str],
    executor: str,
    concurrency: int | None,
    folder: Path | None,
    as_json: bool,
) -> bool:
    """Run an experiment, or go on with it, and tell what it found; False after Ctrl-C. Raises as `play_match` does."""
    design = load_design(name, overrides)
    folder = folder or Path("experiments") / f"{Path(name).stem if name.endswith('.toml') else name}-{scale:g}"
    workers = make_workers(executor, concurrency or os.cpu_count() or 1)
    records: list[Any] = []
    finished = True
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(design.title, total=steps(design, scale))

        def note(record: Any) -> None:
            records.append(record)
            progress.update(task, completed=len(records))

        try:
            run_design(design, folder, workers, scale=scale, listener=note)
        except KeyboardInterrupt:
            finished = False
    if not records:
        return finished
    found = write_experiment_report(folder, design, scale, sorted(records, key=lambda record: record.number))
    click.echo(msgspec.json.encode(found) if as_json else (folder / "report.md").read_text("utf-8").rstrip())
    if not finished:
        click.echo(f"interrupted after {len(records)}; the same command goes on from {folder}", err=True)
        workers.leave()
    return finished


def free_folder(settings: MatchSettings) -> Path:
    """A folder for a match that is not there yet."""
    names = [re.sub(r"[^\w.+-]+", "-", player.name).strip("-")[:30] for player in settings.contestants()]
    name = "-vs-".join(names[:2]) + (f"-and-{len(names) - 2}" if len(names) > 2 else "")
    number = 1
    while (folder := Path("matches") / f"{name}-{number}").exists():
        number += 1
    return folder


class Watcher:
    """Progress on standard error, where somebody is looking; collects the games."""

    def __init__(self, settings: MatchSettings, before: int = 0) -> None:
        """`before` games were played already; they say nothing about the time that is left."""
        self.records: list[GameRecord] = []
        self._before = before
        self._points, self._games = 0.0, 0
        self._first = settings.contestants()[0].name
        self._total = sum(1 for _ in schedule(settings))
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            speed_estimate_period=SPEED_PERIOD,
        )
        self._task = self._progress.add_task("playing", total=self._total)

    def __enter__(self) -> Watcher:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def note(self, record: GameRecord) -> None:
        """A game has ended."""
        self.records.append(record)
        if self._first in (record.black, record.white):
            self._points += record.points(self._first)
            self._games += 1
        interval = wilson(self._points, self._games)
        share = self._points / max(1, self._games)
        score = f"{self._points:g}/{self._games} = {share:.0%} [{interval.low:.0%}, {interval.high:.0%}]"
        self._progress.update(self._task, completed=len(self.records), description=f"{self._first[:24]} {score}")
        if len(self.records) == self._before:
            self._progress.reset(self._task, total=self._total, completed=self._before)


def show_ratings(folders: Sequence[Path], renamed: Sequence[str], *, as_json: bool) -> None:
    """Tell the Bradley–Terry ratings over the games of several matches. Raises ValueError."""
    for folder in folders:
        settings_of(read_header(folder))  # raises if it is no match
    matches = _under_new_names([read_records(folder, GameRecord) for folder in folders], renamed)
    records = [record for match in matches for record in match]
    names = tuple(dict.fromkeys(name for record in records for name in (record.black, record.white)))
    if len(names) < 2:
        raise ValueError("there are no games yet")
    apart = unconnected(names, ((record.black, record.white) for record in records))
    if len(apart) > 1:
        circles = "; ".join(", ".join(circle) for circle in apart)
        click.echo(f"no games connect these, so their ratings cannot be compared: {circles}", err=True)
    found = ratings(names, matches)
    if as_json:
        click.echo(json.dumps({name: msgspec.to_builtins(rating) for name, rating in found.items()}))
        return
    for name, rating in sorted(found.items(), key=lambda item: -item[1].elo):
        games = [record for record in records if name in (record.black, record.white)]
        points = sum(record.points(name) for record in games)
        click.echo(f"{name:30} {elo_text(rating):32} {points:g} of {len(games)} games")


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
