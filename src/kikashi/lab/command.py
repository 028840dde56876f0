"""The commands ``kikashi match`` and ``kikashi experiment``: options, progress for people, reports at the end."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kikashi.lab.experiment import load_design, run_design, steps
from kikashi.lab.experiment_report import write_experiment_report
from kikashi.lab.journal import read_header
from kikashi.lab.match import MatchSettings, run_match, schedule, settings_of
from kikashi.lab.one_game import GameRecord
from kikashi.lab.openings import Opening, file_openings, own_openings
from kikashi.lab.report import lines, write_report
from kikashi.lab.standing import standing
from kikashi.lab.statistics import wilson
from kikashi.lab.workers import make_workers


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
    options: Mapping[str, Any] | None,
    openings: Sequence[str],
    *,
    executor: str,
    concurrency: int | None,
    folder: Path | None,
    resume: bool,
    as_json: bool,
) -> bool:
    """Play or resume a match and tell what it found; False after Ctrl-C. Raises ValueError and OSError."""
    if options is None:
        if folder is None:
            raise ValueError("say which match to resume")
        settings = settings_of(read_header(folder))
    else:
        table = dict(options) | {"openings": read_openings(openings, int(options["size"]))}
        settings = msgspec.convert(table, MatchSettings)
    workers = make_workers(executor, concurrency or os.cpu_count() or 1)
    folder = folder or free_folder(settings)
    watcher = Watcher(settings)
    finished = True
    try:
        with watcher:
            run_match(settings, folder, workers, resume=resume, listener=watcher.note)
    except KeyboardInterrupt:
        finished = False
    found = standing(settings, sorted(watcher.records, key=lambda record: record.number))
    if watcher.records:
        write_report(folder, settings, watcher.records, found)
    if as_json:
        click.echo(json.dumps({"folder": str(folder), "finished": finished, **found.as_json()}))
    else:
        click.echo("\n".join([*lines(found), f"games and reports: {folder}"]))
    if not finished:
        click.echo(
            f"interrupted after {len(watcher.records)} games; go on with: kikashi match --resume {folder}", err=True
        )
    return finished


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
    click.echo(json.dumps(found) if as_json else (folder / "report.md").read_text("utf-8").rstrip())
    if not finished:
        click.echo(f"interrupted after {len(records)}; the same command goes on from {folder}", err=True)
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

    def __init__(self, settings: MatchSettings) -> None:
        self.records: list[GameRecord] = []
        self._first = settings.contestants()[0].name
        self._total = sum(1 for _ in schedule(settings))
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
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
        own = [game for game in self.records if self._first in (game.black, game.white)]
        points = sum(game.points(self._first) for game in own)
        interval = wilson(points, len(own))
        share = points / max(1, len(own))
        about = f"{self._first[:24]} {points:g}/{len(own)} = {share:.0%} [{interval.low:.0%}, {interval.high:.0%}]"
        self._progress.update(self._task, completed=len(self.records), description=about)
