"""The laboratory: matches, ratings and ``kikashi experiment``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from kikashi.cli.completing import complete_experiment, complete_preset
from kikashi.cli.options import INTERRUPTED, rules_option


def read_sprt(_context: click.Context, _option: click.Parameter, text: str | None) -> tuple[float, float] | None:
    """``"0,50"`` as two numbers. Raises ValueError."""
    if text is None:
        return None
    try:
        elo0, elo1 = (float(word) for word in text.split(","))
    except ValueError:
        raise ValueError(f"--sprt is two numbers, as in 0,50, not {text!r}") from None
    return elo0, elo1


def how_options(command: Callable[..., None]) -> Any:
    """The options about how work is done and told, whatever the work is."""
    options = [
        click.option(
            "--concurrency", type=click.IntRange(1, 1024), show_default="one for each core", help="Games at a time."
        ),
        click.option(
            "--executor",
            type=click.Choice(["processes", "mpi", "dask"]),
            default="processes",
            help="Who plays: processes here, the ranks of an MPI job, or a Dask cluster.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            default="",
            help="Of the Dask cluster, as in tcp://host:8786, or the scheduler's file; else one is started here.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


# The settings of a match have no defaults here: those of MatchSettings hold for what is not said.
@click.command()
@click.argument("players", nargs=-1, shell_complete=complete_preset)
@click.option(
    "--games", type=click.IntRange(min=1), show_default="100", help="For each two players; an even number, in pairs."
)
@click.option("--size", type=click.IntRange(2, 19), show_default="9", help="Board size.")
@click.option("--komi", type=float, show_default="7.5")
@click.option(
    "--handicap",
    type=click.IntRange(min=0),
    show_default="0",
    help="Stones that Black has, whoever that is; then komi is 0.5 and openings are none, if nothing else is said.",
)
@rules_option
@click.option(
    "--simulations",
    "--playouts",
    "simulations",
    type=click.IntRange(min=1),
    help="For each move of presets that say nothing else; 1000 if nobody does.",
)
@click.option("--seconds", type=click.FloatRange(min=0.001), help="For each move of players that say nothing else.")
@click.option(
    "--clock",
    metavar="CLOCK",
    help="For each game: 300, 300+5 (increment), 300+3x30 (byo-yomi) or 300+25/600 (Canadian), in seconds.",
)
@click.option(
    "--megabytes",
    type=click.FloatRange(min=1),
    show_default="by the budget",
    help="For the tree of each preset that says nothing else.",
)
@click.option(
    "--openings", multiple=True, type=click.Path(path_type=Path), help="SGF files, or none; else our own set."
)
@click.option(
    "--referee", type=click.Choice(["playouts", "gnugo"]), show_default="playouts", help="Who counts in the end."
)
@click.option(
    "--sprt",
    metavar="ELO0,ELO1",
    callback=read_sprt,
    help="Stop when it is known whether the first is better by ELO0 or ELO1.",
)
@click.option("--against", "only_with", metavar="NAME", help="Everybody meets only this player, instead of each other.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    show_default="120.0",
    help="Seconds for an engine's answer, or for a preset without a simulation.",
)
@click.option(
    "--forfeits",
    type=click.IntRange(min=1),
    show_default="3",
    help="Stop when a player has forfeited as many games in a row.",
)
@click.option(
    "--agree",
    is_flag=True,
    default=None,
    show_default="False",
    help="Ask both players which stones are dead, and play on where they differ.",
)
@click.option("--seed", type=click.IntRange(min=0), show_default="1")
@click.option(
    "--equal-cpu",
    is_flag=True,
    help="Choose the simulations of presets so that a move costs them the processor time of the last player's.",
)
@how_options
@click.option("--output", type=click.Path(path_type=Path), help="A new folder; else one in matches/.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with the match in this folder.")
def match(
    players: Sequence[str],
    openings: Sequence[Path],
    output: Path | None,
    resume: Path | None,
    concurrency: int | None,
    executor: str,
    scheduler: str,
    as_json: bool,
    equal_cpu: bool,
    **settings: Any,
) -> None:
    """Let players meet: presets with options ("lgrf2 --simulations 2000") or GTP command lines in quotes.

    Every game is on the disk when it ends. After Ctrl-C or worse, --resume FOLDER goes on; it needs no other settings,
    and refuses ones that differ, except for more games, --forfeits and --timeout.
    """
    from kikashi.cli.lab_commands import How, play_match

    said = {name: value for name, value in settings.items() if value is not None}
    if players:
        said["players"] = tuple(players)
    if resume is not None and output is not None:
        raise click.UsageError("--resume goes on in its own folder: leave --output out")
    if resume is not None and equal_cpu:
        raise click.UsageError("--resume goes on with the simulations that were found: leave --equal-cpu out")
    if resume is None and not players:
        raise click.UsageError("name two players at least, or --resume FOLDER")
    how = How(executor, scheduler, concurrency, as_json)
    named = [str(path) for path in openings]
    folder = resume or output
    if not play_match(said, named, folder, how, resume=resume is not None, equal_cpu=equal_cpu):
        sys.exit(INTERRUPTED)


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="A player had another name in some match.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def ratings(folders: Sequence[Path], rename: Sequence[str], as_json: bool) -> None:
    """Rate the players of several matches and experiments together; they are known by their names."""
    from kikashi.cli.lab_commands import show_ratings

    show_ratings(folders, rename, as_json=as_json)


@click.group()
def experiment() -> None:
    """The papers' tables and figures."""


scale_option = click.option(
    "--scale", type=click.FloatRange(min=0, min_open=True, max=1), default=1.0, help="1 is the paper's size."
)
set_option = click.option(
    "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting, as in size=9."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@experiment.command("list")
@json_option
def list_experiments(as_json: bool) -> None:
    """List the experiments: kind, size and estimated time at scale 1, and which were begun here."""
    from kikashi.cli import lab_commands

    lab_commands.list_experiments(as_json=as_json)


@experiment.command("show")
@click.argument("name", shell_complete=complete_experiment)
@scale_option
@set_option
@json_option
def show_experiment(name: str, scale: float, overrides: Sequence[str], as_json: bool) -> None:
    """Show what an experiment would run: rows, published values, deviations and the estimated time."""
    from kikashi.cli import lab_commands

    lab_commands.show_experiment(name, overrides, scale, as_json=as_json)


@experiment.command("run")
@click.argument("name", shell_complete=complete_experiment)
@scale_option
@set_option
@how_options
@click.option("--output", type=click.Path(path_type=Path), help="A folder; else one in experiments/.")
def run_experiment(
    name: str,
    scale: float,
    overrides: Sequence[str],
    concurrency: int | None,
    executor: str,
    scheduler: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run an experiment of the package, or of a TOML file; the same command goes on where it was left.

    The scale shrinks games, positions, simulations and seconds alike.
    """
    from kikashi.cli import lab_commands

    how = lab_commands.How(executor, scheduler, concurrency, as_json)
    if not lab_commands.run_experiment(name, overrides, scale, output, how):
        sys.exit(INTERRUPTED)
