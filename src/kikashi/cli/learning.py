"""``kikashi learn``: weights of features from games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from kikashi.cli.completing import complete_preset
from kikashi.cli.lab import how_options
from kikashi.cli.options import INTERRUPTED

BALANCING = ("positions", "passes", "rate")
ROUNDS = ("rounds", "games", "match_games")
FITTING = ("player", "held_out", "ridge", "fewest", "steps")
GAMES_ALONE = ("output", "report", "only_test", "base", "start", "all_sizes")
IDLE = {
    "--self-play": ("playouts", *BALANCING, *FITTING, *GAMES_ALONE),
    "--playouts": (*GAMES_ALONE, *ROUNDS),
    "games alone": (*BALANCING, *ROUNDS, "preset", "overrides", "simulations", "komi"),
}
"""By what is learned from: the options that say nothing there."""


def _refuse_idle(way: str) -> None:
    """Raise UsageError if an option was typed that says nothing. One of a configuration file is for all ways."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in IDLE[way] and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[0]} says nothing with {way}: leave it out")


@click.command()
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), help="The file of weights; else weights.npz.")
@click.option("--report", type=click.Path(path_type=Path), help="A folder for a page with pictures.")
@click.option("--features", metavar="LIST", show_default="our own list", help="As in line,distance(back=2),shape.")
@click.option("--size", type=click.IntRange(2, 19), show_default="that of the first game", help="Board size.")
@click.option("--all-sizes", is_flag=True, help="Learn from games on other boards, too.")
@click.option("--player", default="", metavar="NAME", help="Learn only from moves of this player.")
@click.option(
    "--only-test",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Games that are only predicted.",
)
@click.option("--held-out", type=float, default=0.1, help="The share of the games that are predicted only.")
@click.option("--ridge", type=float, default=1.0, help="How much weights are drawn to 0, or to the base.")
@click.option("--fewest", type=click.IntRange(min=1), default=10, help="How often a shape must be seen to count.")
@click.option("--steps", type=click.IntRange(min=1), default=150, help="Of the optimiser, at most.")
@click.option(
    "--base",
    type=click.Path(path_type=Path),
    help="A file of weights that these games add to: the rest stays as it is.",
)
@click.option("--from", "start", type=click.Path(path_type=Path), help="A file of weights to begin from.")
@click.option("--self-play", type=click.Path(path_type=Path), help="A folder: play, learn and play again.")
@click.option(
    "--playouts",
    type=click.Path(path_type=Path),
    help="A folder: learn what playouts draw moves by, and balance it.",
)
@click.option("--positions", type=click.IntRange(min=0), default=1000, help="Whose values playouts are balanced by.")
@click.option("--passes", type=click.IntRange(min=0), default=4, help="Over these positions.")
@click.option("--rate", type=float, default=0.03, help="How far a weight goes at its first step of balancing.")
@click.option(
    "--preset",
    default="kikashi",
    shell_complete=complete_preset,
    help="Who plays with itself, or says what positions are worth: a name or a file.",
)
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting of the preset.")
@click.option("--rounds", type=click.IntRange(min=1), show_default="until Ctrl-C", help="Of self-play.")
@click.option("--games", type=click.IntRange(min=1), default=200, help="Of a round of self-play.")
@click.option(
    "--simulations",
    type=click.IntRange(min=1),
    show_default="1000; 10000",
    help="For each move of self-play; for each position.",
)
@click.option("--match-games", type=click.IntRange(min=0), default=40, help="Against the round before; 0 for none.")
@click.option("--komi", type=float, default=7.5)
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own.")
@how_options
def learn(
    sources: Sequence[Path],
    self_play: Path | None,
    playouts: Path | None,
    plugin: Sequence[str],
    concurrency: int | None,
    executor: str,
    scheduler: str,
    as_json: bool,
    **said: Any,
) -> None:
    """Learn how likely moves are, from games: SGF files, folders, matches, tunings, or games of a preset with
    itself.

    The file of weights is for the heuristic "learned": --set 'prior=[{part="learned",weights="weights.npz",games=100,
    power=0.5}]'. With --self-play every round is kept; the same command goes on where it was ended.

    With --playouts the weights are for the heuristic "roulette" of playouts: fitted to the games, and then balanced, so
    that playouts win as often as long searches say. The same command goes on where it was ended, too.
    """
    try:
        from kikashi.cli.learning_commands import learn_by_playing, learn_for_playouts, learn_from_games
    except ImportError as error:
        from kikashi.wording import missing_extra

        raise click.ClickException(missing_extra("learning", "learn", error)) from None
    from kikashi.cli.lab_commands import How
    from kikashi.parts.plugins import load_plugin

    if bool(sources) == (self_play is not None):
        raise click.UsageError("name games to learn from, or a folder for --self-play")
    _refuse_idle("--self-play" if self_play is not None else "--playouts" if playouts is not None else "games alone")
    for file in plugin:
        load_plugin(file)
    how = How(executor, scheduler, concurrency, as_json)
    if self_play is not None:
        finished = learn_by_playing(self_play, said, tuple(plugin), how)
    elif playouts is not None:
        finished = learn_for_playouts(sources, playouts, said, tuple(plugin), how)
    else:
        finished = learn_from_games(sources, said, as_json=as_json)
    if not finished:
        sys.exit(INTERRUPTED)
