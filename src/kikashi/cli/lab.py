"""The laboratory: matches, ratings and ``kikashi experiment``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from kikashi.cli.options import INTERRUPTED, rules_option


@click.command()
@click.argument("players", nargs=-1)
@click.option("--games", type=click.IntRange(min=1), default=100, help="For each two players; in pairs.")
@click.option("--size", type=click.IntRange(2, 19), default=9, help="Board size.")
@click.option("--komi", type=float, default=7.5)
@rules_option
@click.option("--playouts", type=click.IntRange(min=1), help="For presets that say nothing else; 1000 if nobody does.")
@click.option("--seconds", type=click.FloatRange(min=0.001), help="For each move, of presets and engines.")
@click.option(
    "--openings", multiple=True, type=click.Path(path_type=Path), help="SGF files, or none; else our own set."
)
@click.option("--referee", type=click.Choice(["playouts", "gnugo"]), default="playouts", help="Who counts in the end.")
@click.option("--sprt", metavar="ELO0,ELO1", help="Stop when it is known whether the first is better by ELO0 or ELO1.")
@click.option("--against", "only_with", metavar="NAME", help="Everybody meets only this player, instead of each other.")
@click.option("--timeout", type=click.FloatRange(min=0.1), default=120.0, help="Seconds for an engine's answer.")
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--concurrency", type=click.IntRange(1, 1024), show_default="one for each core", help="Games at a time.")
@click.option("--executor", type=click.Choice(["processes", "mpi"]), default="processes")
@click.option("--output", type=click.Path(path_type=Path), help="A new folder; else one in matches/.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with the match in this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def match(
    players: Sequence[str],
    openings: Sequence[Path],
    rules: str | None,
    sprt: str | None,
    concurrency: int | None,
    executor: str,
    output: Path | None,
    resume: Path | None,
    as_json: bool,
    **rest: Any,
) -> None:
    """Let players meet: presets with options ("lgrf2 --playouts 2000") or GTP command lines in quotes.

    Every game is on the disk when it ends. After Ctrl-C or worse, --resume FOLDER goes on; it needs no other settings,
    and refuses ones that differ.
    """
    from kikashi.lab.command import play_match, read_sprt

    options = {**rest, "players": tuple(players), "rules": rules or "positional", "sprt": read_sprt(sprt)}
    if resume is not None:
        source = click.get_current_context().get_parameter_source
        options = {name: options[name] for name in options if source(name) is ParameterSource.COMMANDLINE}
        if output is not None:
            raise click.UsageError("--resume goes on in its own folder: leave --output out")
    elif not players:
        raise click.UsageError("name two players at least, or --resume FOLDER")
    finished = play_match(
        options,
        [str(path) for path in openings],
        executor=executor,
        concurrency=concurrency,
        folder=resume or output,
        resume=resume is not None,
        as_json=as_json,
    )
    if not finished:
        sys.exit(INTERRUPTED)


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="A player had another name in some match.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def ratings(folders: Sequence[Path], rename: Sequence[str], as_json: bool) -> None:
    """Rate the players of several matches and experiments together; they are known by their names."""
    from kikashi.lab.command import show_ratings

    show_ratings(folders, rename, as_json=as_json)


@click.group()
def experiment() -> None:
    """The papers' tables and figures."""


@experiment.command("list")
def list_experiments() -> None:
    """What there is."""
    from kikashi.lab.experiment import experiment_names, load_design

    for name in experiment_names():
        design = load_design(name)
        click.echo(f"{name:26} {design.title} ({design.source})")


@experiment.command("run")
@click.argument("name")
@click.option("--scale", type=click.FloatRange(min=0, min_open=True, max=1), default=1.0, help="1 is the paper's size.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting, as in size=9.")
@click.option("--concurrency", type=click.IntRange(1, 1024), show_default="one for each core")
@click.option("--executor", type=click.Choice(["processes", "mpi"]), default="processes")
@click.option("--output", type=click.Path(path_type=Path), help="A folder; else one in experiments/.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def run_experiment(
    name: str,
    scale: float,
    overrides: Sequence[str],
    concurrency: int | None,
    executor: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Run an experiment of the package, or of a TOML file; the same command goes on where it was left.

    The scale shrinks games, positions, playouts and seconds alike.
    """
    from kikashi.lab import command

    finished = command.run_experiment(
        name,
        scale=scale,
        overrides=overrides,
        executor=executor,
        concurrency=concurrency,
        folder=output,
        as_json=as_json,
    )
    if not finished:
        sys.exit(INTERRUPTED)
