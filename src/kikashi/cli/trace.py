"""``kikashi trace``: simulations of a search, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kikashi.cli import options as shared

if TYPE_CHECKING:
    from kikashi.game import Game


@click.command()
@shared.preset_option("The player; see kikashi presets.")
@shared.simulations_option("Simulations to trace.")
@click.option("--after", type=shared.NATURAL, default=0, help="Simulations before them, which are not shown.")
@click.option(
    "--sgf",
    "record",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    help="A game record, or - for standard input.",
)
@click.option("--move", type=shared.NATURAL, show_default="the last", help="The position after this move of it.")
@click.option("--size", type=shared.SIZE, show_default="9", help="Size of an empty board.")
@shared.seed_option
@shared.set_option()
@shared.plugin_option
@shared.json_option
def trace(
    preset: str,
    simulations: int | None,
    after: int,
    record: Path | None,
    move: int | None,
    size: int | None,
    seed: int,
    overrides: Sequence[str],
    plugin: Sequence[str],
    as_json: bool,
) -> None:
    """Print simulations of a search step by step: the path down the tree with the terms of every selection, the node
    that is added, the playout with the heuristic of each move, the result, and what was learned.

    A debugger for people who write parts: the simulations are those of the search itself, on one thread. Values are
    Black's, but those of a node's children are of the player to move.
    """
    import msgspec

    from kikashi.engine.player import Player

    shared.load_plugins(plugin)
    game = _position(record, move, size)
    player = Player(preset, seed=seed, overrides=overrides)
    traces = player.trace(game, simulations or 1, after=after)
    if as_json:
        found = {"preset": player.preset.name, "seed": seed, "after": after, "simulations": traces.as_json()}
        click.echo(msgspec.json.encode(found))
    else:
        click.echo(str(traces))


def _position(record: Path | None, move: int | None, size: int | None) -> Game:
    """Return the position to search. Raises ValueError, OSError and SGFError."""
    import sys

    from kikashi import sgf
    from kikashi.game import Game
    from kikashi.wording import plural

    if record is None:
        if move is not None:
            raise ValueError("--move is a number of a game's move: it needs --sgf")
        return Game(size or 9)
    if size is not None:
        raise ValueError("the size is that of the record: leave out --size, or --sgf")
    game = sgf.read_game(sys.stdin.buffer.read() if str(record) == "-" else record, moves=move)
    if move is not None and game.move_count < move:
        raise ValueError(f"{record} has {plural(game.move_count, 'move')}, so there is no move {move}")
    return game
