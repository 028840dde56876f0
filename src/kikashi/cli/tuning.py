"""``kikashi tune``: settings of a preset that win more games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from kikashi.cli.completing import complete_tuning
from kikashi.cli.lab import how_options
from kikashi.cli.options import INTERRUPTED


@click.command()
@click.argument("name", metavar="[FILE]", required=False, shell_complete=complete_tuning)
@click.option("--scale", type=click.FloatRange(min=0, min_open=True, max=1), default=1.0, help="1 is as the file says.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting, as in games=200.")
@how_options
@click.option("--output", type=click.Path(path_type=Path), help="A new folder; else one in tunings/.")
@click.option("--resume", type=click.Path(path_type=Path), help="Go on with the tuning in this folder.")
def tune(
    name: str | None,
    scale: float,
    overrides: Sequence[str],
    concurrency: int | None,
    executor: str,
    scheduler: str,
    as_json: bool,
    output: Path | None,
    resume: Path | None,
) -> None:
    """Find settings of a preset that win more games, by playing: those that a TOML file names.

    FILE is a file, or a tuning of the package. What is found meets the start in a match, and is printed as a preset if
    that confirms it. Every game is on the disk when it ends. After Ctrl-C or worse, --resume FOLDER goes on. The scale
    shrinks games, simulations and seconds alike.
    """
    from kikashi.cli import tuning_commands
    from kikashi.cli.lab_commands import How

    if resume is not None and (name is not None or overrides or output is not None or scale != 1):
        raise click.UsageError(
            "--resume goes on in its own folder as it was begun: leave FILE, --set, --scale and --output out"
        )
    if resume is None and name is None:
        raise click.UsageError("name a file, or --resume FOLDER")
    how = How(executor, scheduler, concurrency, as_json)
    if resume is not None:
        finished = tuning_commands.advance(resume, how)
    else:
        finished = tuning_commands.begin(name or "", overrides, scale, output, how)
    if not finished:
        sys.exit(INTERRUPTED)
