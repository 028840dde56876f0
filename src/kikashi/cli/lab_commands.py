"""What ``kikashi match``, ``ratings`` and ``experiment run`` do: call the laboratory and tell what it found."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec

from kikashi.cli.lab_progress import Watcher
from kikashi.engine import machine
from kikashi.experiments.description import STEPS, Description, begun, describe, kind_of
from kikashi.experiments.design import Design, MatchDesign, experiment_names, load_design
from kikashi.experiments.estimate import HOW, seconds_of
from kikashi.experiments.experiment import experiment_folder, match_settings, run_design, steps
from kikashi.experiments.experiment_report import write_experiment_report
from kikashi.match.equal_cpu import reference_of, with_equal_cpu
from kikashi.match.failures import MatchStopped
from kikashi.match.joint_ratings import rate_together
from kikashi.match.journal import is_begun, read_header, read_records, refuse_begun
from kikashi.match.match_report import elo_text, lines, markdown_table, write_report
from kikashi.match.one_game import GameRecord
from kikashi.match.preflight import CannotPlay
from kikashi.match.progress import Progress, duration
from kikashi.match.runner import free_folder, new_settings, resumed_settings, run_match
from kikashi.match.settings import MatchSettings
from kikashi.match.sprt import latest, settled
from kikashi.match.summary import standing
from kikashi.wording import counted, plural
from kikashi.workers.executors import Workers, make_workers


@dataclass(frozen=True)
class How:
    """How work is done and told, whatever the work is."""

    executor: str
    scheduler: str
    concurrency: int | None
    as_json: bool

    def workers(self, tell: Callable[[str], None]) -> Workers:
        """Raises ValueError if there are no such workers here."""
        return make_workers(self.executor, self.concurrency, scheduler=self.scheduler, tell=tell)


@dataclass
class End:
    """How games came to their end."""

    finished: bool = False
    """Whether all were played; without this and the other they were interrupted."""
    stopped: MatchStopped | None = None
    """Why not, if a player failed again and again."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended them."""
        return not self.finished and self.stopped is None


@contextmanager
def played_out() -> Iterator[End]:
    """Games in the body of the ``with``; Ctrl-C ends them, and so does a player that fails again and again.

    Of a player that cannot play its last words are told. Raises all other errors of the games.
    """
    end = End()
    try:
        yield end
        end.finished = True
    except KeyboardInterrupt:
        pass
    except MatchStopped as error:
        end.stopped = error
    except CannotPlay as error:
        _tell_last_words(error)
        raise


def play_match(
    said: Mapping[str, Any],
    openings: Sequence[str],
    folder: Path | None,
    how: How,
    *,
    resume: bool,
    equal_cpu: bool = False,
) -> bool:
    """Play or resume a match and tell what it found; False after Ctrl-C.

    `said` are the settings that were said; the others are as usual or, where a match is resumed, as they were. With
    `equal_cpu`, trial games choose the simulations of presets first. Raises ValueError, OSError, and MatchStopped when
    all has been told.
    """
    settings = _settings(said, openings, folder if resume else None)
    folder = folder or free_folder(settings)
    if equal_cpu:
        refuse_begun(folder)
        settings = _with_equal_cpu(settings, how)
    how_to_resume = f"go on with: kikashi match --resume {shlex.quote(str(folder))}"
    before = _games_before(folder) if resume else 0
    progress = Progress(settings.total_games, size=settings.size, folder=folder, before=before)
    watcher = Watcher("playing", progress, player=settings.names[0])
    workers = how.workers(watcher.tell)
    if how.executor == "mpi":  # where a rank is lost, nobody is left to say it
        tell(f"should this end early, {how_to_resume}")
    try:
        with played_out() as end, watcher:
            run_match(settings, folder, workers, resume=resume, listener=watcher.note, tell=watcher.tell)
    except OSError as error:
        if not watcher.records:
            raise
        raise OSError(f"{error}; {how_to_resume}") from error
    if not end.finished and not is_begun(folder):
        tell("interrupted before the first game")
        workers.leave()
        return False
    _tell_of_match(settings, folder, watcher, end, as_json=how.as_json)
    if end.stopped is not None:
        raise end.stopped
    if not end.finished:
        tell(f"interrupted after {plural(len(watcher.records), 'game')}; {how_to_resume}")
        workers.leave()
    return end.finished


def _settings(said: Mapping[str, Any], openings: Sequence[str], resumed: Path | None) -> MatchSettings:
    settings = new_settings(said, openings) if resumed is None else resumed_settings(resumed, said, openings)
    if settings.games % 2 and not settings.pairings:
        tell(f"games come in pairs: {settings.games + 1} for each two players, not {settings.games}")
    return settings


def _with_equal_cpu(settings: MatchSettings, how: How) -> MatchSettings:
    tell(f"trial games find the simulations that cost what a move of {reference_of(settings)} costs")
    try:
        return with_equal_cpu(settings, how.workers(tell), tell)
    except CannotPlay as error:
        _tell_last_words(error)
        raise


def tell(line: str) -> None:
    """Say something on standard error."""
    click.echo(line, err=True)


def _tell_last_words(error: CannotPlay) -> None:
    if error.lines:
        tell("\n".join(["the last lines of its standard error:", *(f"| {line}" for line in error.lines)]))


def _tell_of_match(settings: MatchSettings, folder: Path, watcher: Watcher, end: End, *, as_json: bool) -> None:
    """Write the report and say what was found."""
    records = sorted(watcher.records, key=lambda record: record.number)
    found = standing(settings, settled(settings, records) if end.interrupted else records)
    if records:
        write_report(folder, settings, records, found)
    if as_json:
        played = read_header(folder) if records else {}
        ended = {"finished": end.finished} | ({"stopped": str(end.stopped)} if end.stopped else {})
        report = {"folder": str(folder), **ended, **found.as_json(), "played": played}
        click.echo(msgspec.json.encode(report))  # where there is no number, as for an infinite Elo, null
    else:
        click.echo("\n".join([*lines(found), f"games and reports: {folder}"]))


def list_experiments(*, as_json: bool) -> None:
    """Tell which experiments there are, how large they are at scale 1, and which were begun in this directory."""
    found = {}
    for name in experiment_names():
        design = load_design(name)
        kind, runs = kind_of(design), begun(name)
        size, seconds = steps(design, 1.0), seconds_of(design, 1.0)
        found[name] = {
            "title": design.title,
            "source": design.source,
            "kind": kind,
            STEPS[kind]: size,
            "seconds": round(seconds),
            "begun": [msgspec.to_builtins(run) for run in runs],
        }
        if not as_json:
            state = "".join(f"; {run}" for run in runs)
            large = f"{counted(size, STEPS[kind])}, {duration(seconds)}"
            click.echo(f"{name:32} {kind:9} {large:32} {design.title} ({design.source}){state}")
    if as_json:
        click.echo(msgspec.json.encode(found))


def show_experiment(name: str, overrides: Sequence[str], scale: float, *, as_json: bool) -> None:
    """Tell what an experiment would run. Raises ValueError and OSError."""
    told = describe(load_design(name, overrides), scale)
    if as_json:
        click.echo(msgspec.json.encode(told))
        return
    head, cores = list(told.rows[0]), plural(machine.cores(), "core")
    listed = {"Not as in the paper:": told.deviations, "About the paper's results:": told.remarks}
    parts = [
        told.title,
        f"{told.source}; {told.kind}; scale {scale:g}: {told.size} on the {cores} of this machine",
        *filter(None, [told.about]),
        markdown_table(head, [[row.get(column, "") for column in head] for row in told.rows]),
        *("\n".join([title, *(f"- {line}" for line in lines)]) for title, lines in listed.items() if lines),
        f"The time is estimated {HOW}.",
    ]
    click.echo("\n\n".join(parts))


def run_experiment(name: str, overrides: Sequence[str], scale: float, folder: Path | None, how: How) -> bool:
    """Run an experiment, or go on with it, and tell what it found; False after Ctrl-C. Raises as `play_match` does."""
    design = load_design(name, overrides)
    folder = folder or experiment_folder(name, scale)
    told = describe(design, scale)
    workers = how.workers(tell)
    watcher = Watcher(design.title, _progress(design, told, folder, seconds_of(design, scale, workers.count)))
    tell(f"{design.title}: {watcher.work}, {workers.count} at a time, by nominal speeds; results are in {folder}")
    with played_out() as end, watcher:
        run_design(design, folder, workers, scale=scale, listener=watcher.note, tell=watcher.tell)
    records = sorted(watcher.records, key=lambda record: record.number)
    if isinstance(design, MatchDesign) and end.interrupted:
        records = settled(match_settings(design, scale), records)
    if records:
        found = write_experiment_report(folder, design, scale, records)
        click.echo(msgspec.json.encode(found) if how.as_json else (folder / "report.md").read_text("utf-8").rstrip())
    if end.stopped is not None:
        raise end.stopped
    if watcher.records and not end.finished:
        tell(f"interrupted after {len(watcher.records)}; the same command goes on from {folder}")
        workers.leave()
    return end.finished


def _progress(design: Design, told: Description, folder: Path, seconds: float) -> Progress:
    """The progress of an experiment before it is run, or goes on."""
    unit = STEPS[told.kind]
    if isinstance(design, MatchDesign):
        is_match = is_begun(folder) and read_header(folder).get("kind") == "match"  # else running it will say so
        before = _games_before(folder) if is_match else 0
        return Progress(told.steps, unit, size=design.size, folder=folder, estimate=seconds, before=before)
    before = len(read_records(folder, dict)) if is_begun(folder) else 0
    return Progress(told.steps, unit, estimate=seconds, before=before)


def _games_before(folder: Path) -> int:
    """How many games a match has that goes on; those that could not begin are played again."""
    return sum(not record.is_void for record in latest(read_records(folder, GameRecord)))


def show_ratings(folders: Sequence[Path], renamed: Sequence[str], *, as_json: bool) -> None:
    """Tell the Bradley–Terry ratings over the games of several matches. Raises ValueError."""
    found = rate_together(folders, renamed)
    for line in found.notes:
        tell(line)
    if len(found.circles) > 1:
        circles = "; ".join(", ".join(circle) for circle in found.circles)
        click.echo(f"no games connect these, so their ratings cannot be compared: {circles}", err=True)
    if as_json:
        click.echo(msgspec.json.encode({player.name: player.elo for player in found.players}))
        return
    for player in found.players:
        click.echo(f"{player.name:30} {elo_text(player.elo):32} {player.points:g} of {plural(player.games, 'game')}")
