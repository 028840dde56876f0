"""``kikashi match``: a match between presets and GTP engines."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED, tell

if TYPE_CHECKING:
    from kikashi.cli.progress import ProgressView, RunEnd
    from kikashi.match.settings import MatchSettings


def _read_sprt(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[float, float] | None:
    """Read ``"0,50"`` as two numbers. Raises ValueError."""
    if text is None:
        return None
    try:
        elo0, elo1 = (float(word) for word in text.split(","))
    except ValueError:
        raise ValueError(f"--sprt is two numbers, as in 0,50, not {text!r}") from None
    return elo0, elo1


SETTINGS = (
    ("--games", shared.COUNT, "100", "For each two players; an even number, in pairs."),
    ("--size", shared.SIZE, "9", "Board size."),
    ("--komi", float, "7.5", "Points for White."),
    ("--handicap", shared.NATURAL, "0", "Black's stones; komi is then 0.5 and openings are none, by default."),
    ("--seconds", shared.SECONDS, "", "For each move of players without a limit."),
    ("--megabytes", shared.MEGABYTES, "by the limit", "For the tree of each preset without a size of its own."),
    ("--referee", click.Choice(["playouts", "gnugo"]), "playouts", "Judge of dead stones."),
    ("--timeout", click.FloatRange(min=0.1), "120.0", "Seconds for an answer, or for a preset without a simulation."),
    ("--forfeits", shared.COUNT, "3", "Stop when a player has forfeited as many games in a row."),
    ("--seed", shared.NATURAL, "1", "Of the games."),
)
"""Options with their types, the defaults of MatchSettings, which hold if they are left out, and explanations."""
CLOCK = "For each game: 300, 300+5 (increment), 300+3x30 (byo-yomi) or 300+25/600 (Canadian), in seconds."
SPRT = "Stop when it is known whether the first is better by ELO0 or ELO1."
AGREE = "Ask both players which stones are dead, and play on where they differ."
EQUAL_CPU = "Choose the simulations of presets so that a move costs them the processor time of the last player's."


def _setting_options(command: shared.Command) -> Any:
    rows = (
        click.option(name, type=kind, show_default=default or None, help=explanation)
        for name, kind, default, explanation in SETTINGS
    )
    return shared.decorate(command, *rows)


@click.command()
@click.argument("players", nargs=-1, shell_complete=shared.complete_preset)
@_setting_options
@shared.rules_option
@shared.simulations_option("For each move of presets without a limit of their own; 1000 without any limit.")
@click.option("--clock", metavar="CLOCK", help=CLOCK)
@click.option("--openings", multiple=True, type=shared.PATH, help="SGF files, or none; else the package's set.")
@click.option("--sprt", metavar="ELO0,ELO1", callback=_read_sprt, help=SPRT)
@click.option("--against", "only_with", metavar="NAME", help="Pair every player only with this one.")
@click.option("--agree", is_flag=True, default=None, show_default="False", help=AGREE)
@click.option("--equal-cpu", is_flag=True, help=EQUAL_CPU)
@click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with statistics of your own.")
@shared.run_options
@click.option("--output", type=shared.PATH, help="A new folder; else one in matches/.")
@click.option("--resume", type=shared.PATH, help="Go on with the match in this folder.")
def match(
    players: Sequence[str],
    openings: Sequence[Path],
    output: Path | None,
    resume: Path | None,
    equal_cpu: bool,
    plugin: Sequence[str],
    run: shared.RunOptions,
    **options: Any,
) -> None:
    """Play a match between presets with options ("lgrf2 --simulations 2000") and GTP command lines in quotes.

    Every game is on the disk when it ends. After Ctrl-C or worse, --resume FOLDER goes on. It needs no other settings,
    and refuses ones that differ, except for more games, --forfeits and --timeout.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if players:
        given["players"] = tuple(players)
    if resume is not None and output is not None:
        raise click.UsageError("--resume goes on in its own folder: leave --output out")
    if resume is not None and equal_cpu:
        raise click.UsageError("--resume goes on with the simulations that were found: leave --equal-cpu out")
    if resume is None and not players:
        raise click.UsageError("name two players at least, or --resume FOLDER")
    from kikashi.cli.progress import ProgressView, games_before, printed_failures, run_to_end
    from kikashi.match.equal_cpu import reference_of, with_equal_cpu
    from kikashi.match.journal import is_begun, refuse_begun
    from kikashi.match.progress import Progress
    from kikashi.match.runner import free_folder, new_settings, resumed_settings, run_match
    from kikashi.wording import plural

    shared.load_plugins(plugin)
    named = [str(path) for path in openings]
    settings = resumed_settings(resume, given, named) if resume else new_settings(given, named)
    if settings.games % 2 and not settings.pairings:
        tell(f"games come in pairs: {settings.games + 1} for each two players, not {settings.games}")
    folder = resume or output or free_folder(settings)
    if equal_cpu:
        refuse_begun(folder)
        tell(f"trial games find the simulations that cost what a move of {reference_of(settings)} costs")
        with printed_failures():
            settings = with_equal_cpu(settings, run.workers(tell), tell)
    before = games_before(resume) if resume else 0
    progress = Progress(settings.total_games, size=settings.size, folder=folder, before=before)
    view = ProgressView("playing", progress, player=settings.names[0])
    workers = run.workers(view.tell)
    hint = run.resume_hint("match", folder)
    try:
        with run_to_end() as end, view:
            run_match(settings, folder, workers, resume=resume is not None, listener=view.add, tell=view.tell)
    except OSError as error:
        if not view.records:
            raise
        raise OSError(f"{error}; {hint}") from error
    if not end.finished and not is_begun(folder):
        tell("interrupted before the first game")
        workers.leave()
        sys.exit(INTERRUPTED)
    _report(settings, folder, view, end, as_json=run.as_json)
    if end.stopped is not None:
        raise end.stopped
    if not end.finished:
        tell(f"interrupted after {plural(len(view.records), 'game')}; {hint}")
        workers.leave()
        sys.exit(INTERRUPTED)


def _report(settings: MatchSettings, folder: Path, view: ProgressView, end: RunEnd, *, as_json: bool) -> None:
    import msgspec

    from kikashi.match.journal import read_header
    from kikashi.match.match_report import write_report
    from kikashi.match.statistics import as_json as summary_as_json, lines
    from kikashi.match.summary import scored_games, summarize

    records = sorted(view.records, key=lambda record: record.number)
    found = summarize(settings, scored_games(settings, records) if end.interrupted else records)
    if records:
        write_report(folder, records, found)
    if as_json:
        played = read_header(folder) if records else {}
        ended = {"finished": end.finished} | ({"stopped": str(end.stopped)} if end.stopped else {})
        report = {"folder": str(folder), **ended, **summary_as_json(found), "played": played}
        click.echo(msgspec.json.encode(report))  # an infinite Elo is null
    else:
        click.echo("\n".join([*lines(found), f"games and reports: {folder}"]))
