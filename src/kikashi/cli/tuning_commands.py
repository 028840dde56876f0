"""What ``kikashi tune`` does: call `kikashi.tune` and tell what it found."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from kikashi.cli.lab_commands import How, played_out, tell
from kikashi.cli.lab_progress import Watcher
from kikashi.match.journal import is_begun, read_records, refuse_begun
from kikashi.match.progress import Progress
from kikashi.tune.confirmation import (
    PRESET,
    Confirmation,
    Found,
    confirm,
    confirmation_in,
    confirming_match,
    find,
    write_preset,
)
from kikashi.tune.trials import TrialGame, outcomes_of, run_trials, tuning_in
from kikashi.tune.tuning import FOUND, Tuning, load_tuning
from kikashi.tune.tuning_report import PAGE, lines, summary, verdict, write_tuning_report
from kikashi.workers.executors import Workers


def begin(name: str, overrides: Sequence[str], scale: float, folder: Path | None, how: How) -> bool:
    """Begin a tuning in a new folder and tell what it found; False after Ctrl-C.

    Raises ValueError, OSError, and MatchStopped when all has been told.
    """
    tuning = load_tuning(name, overrides, scale)
    folder = folder or _free_folder(name)
    refuse_begun(folder)
    return _run(tuning, folder, how, resume=False)


def advance(folder: Path, how: How) -> bool:
    """Go on with the tuning in a folder; as `begin`."""
    return _run(tuning_in(folder), folder, how, resume=True)


def _free_folder(name: str) -> Path:
    number = 1
    while (folder := Path("tunings") / f"{Path(name).stem}-{number}").exists():
        number += 1
    return folder


def _run(tuning: Tuning, folder: Path, how: How, *, resume: bool) -> bool:
    workers = how.workers(tell)
    how_to_resume = f"go on with: kikashi tune --resume {shlex.quote(str(folder))}"
    if how.executor == "mpi":  # where a rank is lost, nobody is left to say it
        tell(f"should this end early, {how_to_resume}")
    with played_out() as end:
        _play(tuning, folder, workers, resume=resume)
    if is_begun(folder):
        _tell_of(tuning, folder, how, finished=end.finished)
    if end.stopped is not None:
        raise end.stopped
    if not end.finished:
        tell(f"interrupted; {how_to_resume}" if is_begun(folder) else "interrupted before the first game")
        workers.leave()
    return end.finished


def _play(tuning: Tuning, folder: Path, workers: Workers, *, resume: bool) -> None:
    before = len(read_records(folder, TrialGame)) if resume else 0
    with Watcher(tuning.title or "tuning", Progress(tuning.total_games, before=before)) as watcher:
        games = run_trials(tuning, folder, workers, resume=resume, listener=watcher.note, tell=watcher.tell)
    settings = confirming_match(tuning, find(tuning, outcomes_of(tuning, games)), folder)
    if settings is not None:
        with Watcher("confirming", Progress(settings.total_games, size=settings.size), player=FOUND) as watcher:
            confirm(settings, folder, workers, watcher.note, watcher.tell)


def _tell_of(tuning: Tuning, folder: Path, how: How, *, finished: bool) -> None:
    """Write the report and the preset, and say what was found so far."""
    games = read_records(folder, TrialGame)
    found = find(tuning, outcomes_of(tuning, games))
    settings = confirming_match(tuning, found, folder) if len(games) == tuning.total_games else None
    confirmation = None if settings is None else confirmation_in(settings, folder)
    write_tuning_report(tuning, folder, games, confirmation)
    preset = write_preset(tuning, folder, found, summary(tuning, found, confirmation))
    if how.as_json:
        click.echo(msgspec.json.encode(_as_json(folder, found, confirmation, preset, finished=finished)))
        return
    match = confirmation.lines if confirmation else []
    click.echo("\n".join([*lines(found), *match, verdict(found, confirmation)]))
    if confirmation is not None and confirmation.is_confirmed and finished:
        click.echo(f"\n{preset}")
    click.echo(f"preset and report: {folder / PRESET}, {folder / PAGE}")


def _as_json(
    folder: Path, found: Found, confirmation: Confirmation | None, preset: str, *, finished: bool
) -> dict[str, object]:
    told: dict[str, object] = {"folder": str(folder), "finished": finished, **msgspec.to_builtins(found)}
    if confirmation is not None:
        told |= {"confirmed": confirmation.is_confirmed, "match": confirmation.standing.as_json()}
    return told | {"preset": preset}
