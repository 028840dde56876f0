"""``kikashi tune``: settings of a preset that win more games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED, tell

if TYPE_CHECKING:
    from kikashi.tune.tuning import Tuning
    from kikashi.workers.executors import Workers


@click.command()
@click.argument("name", metavar="[FILE]", required=False, shell_complete=shared.complete_toml("tune/tunings"))
@shared.scale_option("1 is the size of the file.")
@shared.set_option("Change a setting, as in games=200.")
@shared.run_options
@click.option("--output", type=shared.PATH, help="A new folder; else one in tunings/.")
@click.option("--resume", type=shared.PATH, help="Go on with the tuning in this folder.")
def tune(
    name: str | None,
    scale: float,
    overrides: Sequence[str],
    output: Path | None,
    resume: Path | None,
    run: shared.RunOptions,
) -> None:
    """Tune settings of a preset, which a TOML file names, by playing.

    FILE is a file, or a tuning of the package. The settings found meet the start in a match, and are printed as a
    preset if that confirms them. Every game is on the disk when it ends. After Ctrl-C or worse, --resume FOLDER goes
    on. The scale shrinks games, simulations and seconds alike.
    """
    from kikashi.cli.progress import run_to_end
    from kikashi.match.journal import is_begun, refuse_begun
    from kikashi.tune.trials import tuning_in
    from kikashi.tune.tuning import load_tuning

    if resume is not None:
        if name is not None or overrides or output is not None or scale != 1:
            raise click.UsageError(
                "--resume goes on in its own folder as it was begun: leave FILE, --set, --scale and --output out"
            )
        tuning, folder = tuning_in(resume), resume
    elif name is None:
        raise click.UsageError("name a file, or --resume FOLDER")
    else:
        tuning = load_tuning(name, overrides, scale)
        folder = output or _free_folder(name)
        refuse_begun(folder)
    workers = run.workers(tell)
    hint = run.resume_hint("tune", folder)
    with run_to_end() as end:
        _play(tuning, folder, workers, resume=resume is not None)
    if is_begun(folder):
        _report(tuning, folder, finished=end.finished, as_json=run.as_json)
    if end.stopped is not None:
        raise end.stopped
    if not end.finished:
        tell(f"interrupted; {hint}" if is_begun(folder) else "interrupted before the first game")
        workers.leave()
        sys.exit(INTERRUPTED)


def _free_folder(name: str) -> Path:
    number = 1
    while (folder := Path("tunings") / f"{Path(name).stem}-{number}").exists():
        number += 1
    return folder


def _play(tuning: Tuning, folder: Path, workers: Workers, *, resume: bool) -> None:
    from kikashi.cli.progress import ProgressView
    from kikashi.match.journal import read_records
    from kikashi.match.progress import Progress
    from kikashi.match.results import Match
    from kikashi.tune.trials import TrialGame, outcomes_of, run_trials
    from kikashi.tune.tuning import FOUND
    from kikashi.tune.tuning_result import MATCH, confirming_match, tuning_result

    before = len(read_records(folder, TrialGame)) if resume else 0
    with ProgressView(tuning.title or "tuning", Progress(tuning.total_games, before=before)) as view:
        games = run_trials(tuning, folder, workers, resume=resume, listener=view.add, tell=view.tell)
    settings = confirming_match(tuning, tuning_result(tuning, outcomes_of(tuning, games)), folder)
    if settings is not None:
        with ProgressView("confirming", Progress(settings.total_games, size=settings.size), player=FOUND) as view:
            Match.run(settings, folder / MATCH, workers, view.add, view.tell)


def _report(tuning: Tuning, folder: Path, *, finished: bool, as_json: bool) -> None:
    """Write the report and the preset, and print the result so far."""
    import msgspec

    from kikashi.match.journal import read_records
    from kikashi.match.statistics import as_json as match_json, lines
    from kikashi.tune import tuning_result as results
    from kikashi.tune.trials import TrialGame, outcomes_of

    games = read_records(folder, TrialGame)
    result = results.tuning_result(tuning, outcomes_of(tuning, games))
    settings = results.confirming_match(tuning, result, folder) if len(games) == tuning.total_games else None
    confirmation = None if settings is None else results.confirmation_in(folder)
    page = results.tuning_report(tuning, folder, games, confirmation).write(folder)
    preset = results.write_preset(tuning, folder, result, results.summary(tuning, result, confirmation))
    if as_json:
        report: dict[str, object] = {"folder": str(folder), "finished": finished, **msgspec.to_builtins(result)}
        if confirmation is not None:
            report |= {"confirmed": results.is_confirmed(confirmation), "match": match_json(confirmation)}
        click.echo(msgspec.json.encode(report | {"preset": preset}))
        return
    match = lines(confirmation) if confirmation else []
    click.echo("\n".join([*results.summary_lines(result), *match, results.verdict(result, confirmation)]))
    if confirmation is not None and results.is_confirmed(confirmation) and finished:
        click.echo(f"\n{preset}")
    click.echo(f"preset and report: {folder / results.PRESET}, {page}")
