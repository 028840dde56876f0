"""``kikashi experiment``: the papers' tables and figures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kikashi.cli.options import PATH, RunOptions, complete_toml, json_option, run_options, scale_option, set_option
from kikashi.cli.streams import INTERRUPTED, tell
from kikashi.engine import machine

if TYPE_CHECKING:
    from kikashi.experiments.description import Description
    from kikashi.experiments.design import Design
    from kikashi.match.progress import Progress

_name = click.argument("name", shell_complete=complete_toml("experiments/papers"))
_scale = scale_option("1 is the paper's size.")
_set = set_option("Change a setting, as in size=9.")


@click.group()
def experiment() -> None:
    """Reproduce the papers' tables and figures."""


@experiment.command("list")
@json_option
def list_experiments(as_json: bool) -> None:
    """List the experiments.

    Each line has the kind, the size and estimated time at scale 1, and the runs in this directory.
    """
    import msgspec

    from kikashi.experiments.description import STEPS, begun, kind_of
    from kikashi.experiments.design import experiment_names, load_design
    from kikashi.experiments.estimate import seconds_of
    from kikashi.experiments.experiment import steps
    from kikashi.match.progress import duration
    from kikashi.wording import counted

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
            cost = f"{counted(size, STEPS[kind])}, {duration(seconds)}"
            click.echo(f"{name:32} {kind:9} {cost:32} {design.title} ({design.source}){state}")
    if as_json:
        click.echo(msgspec.json.encode(found))


@experiment.command("show")
@_name
@_scale
@_set
@json_option
def show_experiment(name: str, scale: float, overrides: Sequence[str], as_json: bool) -> None:
    """Show rows, published values, deviations and the estimated time."""
    import msgspec

    from kikashi.experiments.description import describe
    from kikashi.experiments.design import load_design
    from kikashi.experiments.estimate import HOW
    from kikashi.match.match_report import markdown_table
    from kikashi.wording import plural

    about = describe(load_design(name, overrides), scale)
    if as_json:
        click.echo(msgspec.json.encode(about))
        return
    head, cores = list(about.rows[0]), plural(machine.cores(), "core")
    lists = {"Not as in the paper:": about.deviations, "About the paper's results:": about.remarks}
    parts = [
        about.title,
        f"{about.source}; {about.kind}; scale {scale:g}: {about.size} on the {cores} of this machine",
        *filter(None, [about.about]),
        markdown_table(head, [[row.get(column, "") for column in head] for row in about.rows]),
        *("\n".join([title, *(f"- {line}" for line in lines)]) for title, lines in lists.items() if lines),
        f"The time is estimated {HOW}.",
    ]
    click.echo("\n\n".join(parts))


@experiment.command("run")
@_name
@_scale
@_set
@run_options
@click.option("--output", type=PATH, help="A folder; else one in experiments/.")
def run_experiment(name: str, scale: float, overrides: Sequence[str], output: Path | None, run: RunOptions) -> None:
    """Run an experiment of the package, or of a TOML file.

    The same command resumes an experiment that was interrupted. The scale shrinks games, positions,
    simulations and seconds alike.
    """
    import msgspec

    from kikashi.cli.progress import ProgressView, run_to_end
    from kikashi.experiments.description import describe
    from kikashi.experiments.design import MatchDesign, load_design
    from kikashi.experiments.estimate import seconds_of
    from kikashi.experiments.experiment import experiment_folder, match_settings, run_design
    from kikashi.experiments.experiment_report import write_experiment_report
    from kikashi.match.sprt import settled

    design = load_design(name, overrides)
    folder = output or experiment_folder(name, scale)
    about = describe(design, scale)
    workers = run.workers(tell)
    view = ProgressView(design.title, _progress(design, about, folder, seconds_of(design, scale, workers.count)))
    tell(f"{design.title}: {view.work}, {workers.count} at a time, by nominal speeds; results are in {folder}")
    with run_to_end() as end, view:
        run_design(design, folder, workers, scale=scale, listener=view.add, tell=view.tell)
    records = sorted(view.records, key=lambda record: record.number)
    if isinstance(design, MatchDesign) and end.interrupted:
        records = settled(match_settings(design, scale), records)
    if records:
        found = write_experiment_report(folder, design, scale, records)
        click.echo(msgspec.json.encode(found) if run.as_json else (folder / "report.md").read_text("utf-8").rstrip())
    if end.stopped is not None:
        raise end.stopped
    if not end.finished:
        if view.records:
            tell(f"interrupted after {len(view.records)}; the same command goes on from {folder}")
            workers.leave()
        sys.exit(INTERRUPTED)


def _progress(design: Design, about: Description, folder: Path, seconds: float) -> Progress:
    """Return the progress of an experiment before it runs or goes on."""
    from kikashi.cli.progress import games_before
    from kikashi.experiments.description import STEPS
    from kikashi.experiments.design import MatchDesign
    from kikashi.match.journal import is_begun, read_header, read_records
    from kikashi.match.progress import Progress

    unit, begun = STEPS[about.kind], is_begun(folder)
    if isinstance(design, MatchDesign):
        is_match = begun and read_header(folder).get("kind") == "match"  # else `run_design` raises an error
        before = games_before(folder) if is_match else 0
        return Progress(about.steps, unit, size=design.size, folder=folder, estimate=seconds, before=before)
    before = len(read_records(folder, dict)) if begun else 0
    return Progress(about.steps, unit, estimate=seconds, before=before)
