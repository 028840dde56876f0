"""``kikashi experiment``: the papers' tables and figures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kikashi.cli.options import PATH, RunOptions, complete_toml, json_option, run_options, scale_option, set_option
from kikashi.cli.streams import INTERRUPTED, SuggestingGroup, tell

if TYPE_CHECKING:
    from kikashi.experiments.queue import ExperimentEntry, Hold

_name = click.argument("name", shell_complete=complete_toml("experiments/papers"))
_scale = scale_option("1 is the paper's size.")
_set = set_option("Change a setting, as in size=9.")


@click.group(cls=SuggestingGroup)
def experiment() -> None:
    """Reproduce the papers' tables and figures."""


@experiment.command("list")
@json_option
def list_experiments(as_json: bool) -> None:
    """List the experiments.

    Each line has the kind, the size and estimated time at scale 1, and the runs in this directory.
    """
    import msgspec

    from kikashi.experiments.design_files import experiment_names, load_design
    from kikashi.experiments.experiment import FOLDER, seconds_of
    from kikashi.experiments.queue import ExperimentEntry, find_entries
    from kikashi.match.progress import duration
    from kikashi.wording import counted

    found = {}
    begun = [each for each in find_entries(Path(FOLDER)).values() if isinstance(each, ExperimentEntry)]
    for name in experiment_names():
        design = load_design(name).at(1.0)
        runs = [(run.name, state) for run in begun if run.name.experiment == name and (state := run.status()).done]
        size, seconds = design.steps, seconds_of(design)
        found[name] = {
            "title": design.title,
            "source": design.source,
            "kind": design.kind,
            design.unit: size,
            "seconds": round(seconds),
            "begun": [
                {"scale": f"{run.scale:g}", "set": run.overrides}
                | {"done": state.done, "total": state.of, "finished": state.is_over}
                for run, state in runs
            ],
        }
        if not as_json:
            shown = [f"; {', '.join([f'scale {run.scale:g}', *run.overrides])}: {state}" for run, state in runs]
            cost = f"{counted(size, design.unit)}, {duration(seconds)}"
            click.echo(f"{name:32} {design.kind:9} {cost:32} {design.title} ({design.source}){''.join(shown)}")
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

    from kikashi.experiments.design_files import load_design
    from kikashi.experiments.experiment import describe

    about = describe(load_design(name, overrides).at(scale))
    click.echo(msgspec.json.encode(about.data) if as_json else about.document.text().rstrip())


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
    from kikashi.experiments.experiment import describe, experiment_folder
    from kikashi.experiments.queue import ExperimentEntry
    from kikashi.experiments.results import RunName

    place = output or experiment_folder(name, scale)
    entry = ExperimentEntry(str(place), RunName(experiment=name, overrides=tuple(overrides), scale=scale))
    describe(entry.design)  # raises errors before anything is run
    with entry.hold() as hold:
        _run(entry, hold, run)


def _run(entry: ExperimentEntry, hold: Hold, run: RunOptions) -> None:
    """Run or resume an experiment, and print its report. Ends the process if it is interrupted."""
    import msgspec

    from kikashi.cli.progress import ProgressView, run_to_end
    from kikashi.experiments.experiment import write_experiment_report

    workers = run.workers(tell)
    view = ProgressView(entry.title, entry.progress(workers.count))
    tell(f"{entry.title}: {view.work}, {workers.count} at a time, by nominal speeds; results are in {entry.folder}")
    with run_to_end() as end, view, hold.following(view.work):
        entry.work(workers, view.add, view.tell)
    if records := entry.counting():
        report = write_experiment_report(entry.folder, entry.design, records)
        click.echo(msgspec.json.encode(report.data) if run.as_json else report.document.text().rstrip())
    if end.stopped is not None:
        raise end.stopped
    if not end.finished:
        if view.records:
            tell(f"interrupted after {len(view.records)}; the same command goes on from {entry.folder}")
            workers.leave()
        sys.exit(INTERRUPTED)


_results = click.option("--results", type=PATH, default=Path("results"), show_default=True, help="The kept runs.")


@experiment.command()
@_results
@click.option("--write", type=PATH, help="Write results.md and its pictures into this folder.")
@click.option("--signatures", is_flag=True, help="Find how this version plays; runs of other play are marked.")
@json_option
def verdicts(results: Path, write: Path | None, signatures: bool, as_json: bool) -> None:
    """Print the verdict on every claim of the papers."""
    import msgspec

    from kikashi.experiments.results import read_runs, write_signatures
    from kikashi.experiments.verdicts import PAGE, judge_claims, verdict_data, verdicts_document

    if signatures:
        write_signatures(results)
    if as_json:
        click.echo(msgspec.json.encode([verdict_data(one) for one in judge_claims(read_runs(results))]))
    elif write is not None:
        verdicts_document(results).write_markdown(write / PAGE)
    else:
        click.echo(verdicts_document(results).text().rstrip())


@experiment.command()
@_results
@run_options
def reproduce(results: Path, run: RunOptions) -> None:
    """Work through the queue of experiments.

    The queue is queue.toml among the kept runs. Journals grow in experiments/ and are kept among the
    results when a run ends or is interrupted; the same command goes on. A run of another process, or of
    the page, is left to it.
    """
    from kikashi.experiments.queue import Taken
    from kikashi.experiments.reproduction import is_decided, keep_begun, outlook, read_queue, state_of

    queue = read_queue(results)
    keep_begun(queue)
    tell(outlook(queue, results))
    for entry in queue:
        tell(state_of(entry))
        if entry.recorded().is_over or is_decided(entry):
            continue
        try:
            with entry.hold() as hold:
                _run(entry, hold, run)
        except Taken as error:
            tell(str(error))
            continue
        tell(outlook(queue, results))
