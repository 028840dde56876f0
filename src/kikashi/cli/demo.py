"""``kikashi demo``: a game of two programs of 2006, live."""

import sys
from typing import Any

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED


@click.command()
@click.option("--seed", type=shared.NATURAL, default=2006)
@click.option("--seconds", type=click.FloatRange(min=0.1), default=75.0, help="For the whole game.")
@shared.simulations_option("Simulations for each move, instead of a time.")
@shared.size_option
@click.option("--output", type=click.Path(), default="demo.sgf", help="Its record; no file is overwritten.")
def demo(**settings: Any) -> None:
    """Watch the Crazy Stone of 2006 play the MoGo of 2006, for a minute and a quarter."""
    from rich.console import Console

    from kikashi.terminal.demo import run

    if not run(Console(), **settings):
        sys.exit(INTERRUPTED)
