"""``kikashi play``: a game against a preset at a prompt."""

import sys
from functools import partial
from typing import Any

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED


@click.command()
@click.argument("preset", default="kikashi", shell_complete=shared.complete_preset)
@shared.level_option
@click.option("--size", type=shared.SIZE, show_default="9", help="Board size.")
@click.option("--komi", type=float, show_default="7.5, with a handicap 0.5", help="Points for White.")
@click.option("--color", type=click.Choice(["black", "white"]), default="black", help="Your colour.")
@click.option("--handicap", type=shared.NATURAL, default=0, help="Black's stones before White's first move.")
@shared.rules_option
@click.option("--load", type=click.Path(), help="Go on with a game in an SGF file.")
@click.option("--ponder", is_flag=True, help="Let it think on your time.")
@partial(shared.player_options, all_cores=True)
def play(
    preset: str, level: int | None, color: str, ponder: bool, options: shared.PlayerOptions, **settings: Any
) -> None:
    """Play against a preset, by default with three seconds a move; type help at the prompt."""
    from rich.console import Console

    from kikashi.engine.limits import Limit
    from kikashi.game.moves import parse_color
    from kikashi.terminal.play_session import Table, new_game
    from kikashi.terminal.prompt import asker, complete_with

    if level is not None:
        preset, options = options.at_level(level)
    game, console = new_game(**settings), Console()
    table = Table(
        console,
        asker(console),
        options.player(preset, Limit(seconds=3.0)),
        game,
        color=parse_color(color),
        ponder=ponder,
        command=shared.command_line(click.get_current_context(), exclude=("load", "size", "komi", "handicap")),
        name="" if level is None else f"{preset} level {level}",
    )
    complete_with(table.words)
    if not table.run():
        sys.exit(INTERRUPTED)
