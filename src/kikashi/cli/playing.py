"""The players: speaking GTP, playing a person or each other on the screen, and what they are made of."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TextIO

import click

from kikashi.cli.completing import complete_preset
from kikashi.cli.configuration import config_option
from kikashi.cli.options import (
    INTERRUPTED,
    PlayerOptions,
    given_words,
    level_option,
    player_options,
    rules_option,
    simulations_option,
)
from kikashi.cli.streams import protocol_output

if TYPE_CHECKING:
    from kikashi.engine.player import Player
    from kikashi.protocols.gtp.session import Session
    from kikashi.search.config import SearchConfig


@click.command()
@click.option("--preset", default="kikashi", shell_complete=complete_preset, help="Who plays; see kikashi presets.")
@level_option
@config_option
@rules_option
@click.option("--ponder", is_flag=True, help="Think on the opponent's time.")
@click.option("--ranks", is_flag=True, help="Search on all ranks of an MPI job; rank 0 speaks.")
@click.option(
    "--patience", type=click.FloatRange(min=1), default=60.0, help="Seconds of silence before a rank is taken for lost."
)
@click.option(
    "--plies",
    type=click.IntRange(0, 3),
    default=0,
    help="From the root on, that ranks share the statistics of while they search; with --ranks.",
)
@player_options
def gtp(
    preset: str,
    level: int | None,
    rules: str | None,
    ponder: bool,
    ranks: bool,
    patience: float,
    plies: int,
    options: PlayerOptions,
) -> None:
    """Speak GTP on standard input and output, for Sabaki, GoGui, servers and matches."""
    if level is not None:
        preset, options = options.at_level(level)
    if plies and not ranks:
        raise ValueError("--plies is for --ranks: without them there is nobody to share with")

    def serve(player: Player, output: TextIO) -> None:
        from kikashi.protocols.gtp.session import Session

        _serve(Session(player, limit=options.limit(), rules=rules, ponder=ponder), output)

    with protocol_output() as output:
        if not ranks:
            serve(options.player(preset), output)
            return
        from kikashi.mpi.job import joined

        with joined(lambda: options.player(preset), options.plugin, patience, plies) as player:
            if player is not None:
                serve(player, output)


def _serve(session: Session, output: TextIO) -> None:
    from kikashi.protocols.gtp.lines import Lines
    from kikashi.protocols.gtp.server import serve

    if sys.stdin is None:
        raise ValueError("standard input is closed: there is nobody to answer")
    if sys.stdin.isatty():
        click.echo("GTP: list_commands helps, quit leaves", err=True)
    with suppress(BrokenPipeError):  # the controller is gone; nobody is left to tell
        serve(session, Lines(sys.stdin.fileno()), output)


@click.command()
@click.argument("preset", default="kikashi", shell_complete=complete_preset)
@level_option
@click.option("--size", type=click.IntRange(2, 19), show_default="9", help="Board size.")
@click.option("--komi", type=float, show_default="7.5, with a handicap 0.5")
@click.option("--color", type=click.Choice(["black", "white"]), default="black", help="Your colour.")
@click.option("--handicap", type=click.IntRange(min=0), default=0, help="Stones Black has before White begins.")
@rules_option
@click.option("--load", type=click.Path(), help="Go on with a game in an SGF file.")
@click.option("--ponder", is_flag=True, help="Let it think on your time.")
@partial(player_options, all_cores=True)
def play(
    preset: str,
    level: int | None,
    size: int | None,
    komi: float | None,
    color: str,
    handicap: int,
    rules: str | None,
    load: str | None,
    ponder: bool,
    options: PlayerOptions,
) -> None:
    """Play against a preset, three seconds a move unless you say otherwise; help at the prompt tells how."""
    from rich.console import Console

    from kikashi.engine.limits import Limit
    from kikashi.game.moves import parse_color
    from kikashi.terminal.play_session import Table, new_game
    from kikashi.terminal.prompt import asker, complete_with

    if level is not None:
        preset, options = options.at_level(level)
    game = new_game(size=size, komi=komi, handicap=handicap, rules=rules, load=load)
    player = options.player(preset, Limit(seconds=3.0))
    name = None if level is None else f"{preset} level {level}"
    console = Console()
    again = given_words(
        click.get_current_context(), leave_out=("load", "size", "komi", "handicap")
    )  # the file has those
    table = Table(
        console, asker(console), player, game, color=parse_color(color), ponder=ponder, command=again, name=name
    )
    complete_with(table.words)
    if not table.run():
        sys.exit(INTERRUPTED)


@click.command()
@click.option("--seed", type=click.IntRange(min=0), default=2006)
@click.option("--seconds", type=click.FloatRange(min=0.1), default=120.0, help="For the whole game.")
@simulations_option("Simulations for each move, instead of a time.")
@click.option("--size", type=click.IntRange(2, 19), default=9, help="Board size.")
@click.option("--output", type=click.Path(), default="demo.sgf", help="Where to save it; no file is overwritten.")
def demo(seed: int, seconds: float, simulations: int | None, size: int, output: str) -> None:
    """Watch the Crazy Stone of 2006 play the MoGo of 2006, for two minutes."""
    from rich.console import Console

    from kikashi.terminal.demo import run

    if not run(Console(), seed=seed, seconds=seconds, simulations=simulations, size=size, output=output):
        sys.exit(INTERRUPTED)


@click.command()
def warm() -> None:
    """Compile ahead what all presets and parts need, but for learn, on two cores; once is enough."""
    from kikashi.engine import warmup as warming

    click.echo("everything is compiled" if warming.warm() else "nothing to do: everything is compiled already")


@click.command()
def presets() -> None:
    """List the players there are."""
    from kikashi.engine.preset_files import preset_names, preset_summary

    width = max(map(len, preset_names()))
    for name in preset_names():
        click.echo(f"{name:{width}} {preset_summary(name)}")


@click.command()
@click.argument("name", shell_complete=complete_preset)
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting, as in selection.p=1.2.")
@click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own.")
def show(name: str, overrides: Sequence[str], plugin: Sequence[str]) -> None:
    """Print what a preset is made of: its file, or all settings if it has a base or some are changed."""
    from kikashi.engine.overrides import as_toml
    from kikashi.engine.preset import load_preset
    from kikashi.engine.preset_files import preset_text
    from kikashi.parts.plugins import load_plugin

    for file in plugin:
        load_plugin(file)
    preset, text = load_preset(name, overrides), preset_text(name).rstrip()
    click.echo(text if tomllib.loads(text) == preset.table else as_toml(preset.table))
    if base := tomllib.loads(text).get("base"):
        click.echo(f"# from the base: {base}")
    for override in overrides:
        click.echo(f"# changed: {override}")
    for least, variant in preset.by_size or ((0, preset),):
        if least:
            click.echo(f"# from {least}x{least} on:")
        _show_parts(variant.config)


def _show_parts(config: SearchConfig) -> None:
    click.echo(f"# playouts: {config.policy}; feasible: {config.policy.feasibility}")
    if config.policy.memories:
        click.echo("# memories besides: " + ", ".join(map(str, config.policy.memories)))
    click.echo("# search: " + ", ".join(f"{key} {used}" for key, used in config.rules.items()))
    if config.zone is not None:
        click.echo(f"# zone: {config.zone.groups}, with a margin of {config.zone.margin}")
