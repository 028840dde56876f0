"""``kikashi analyze``: a game reviewed, in the terminal and as files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from kikashi.cli.completing import complete_preset
from kikashi.cli.options import INTERRUPTED, PlayerOptions, player_options


@click.command()
@click.argument("game", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--preset", default="kikashi", shell_complete=complete_preset, help="Who reviews the game; see kikashi presets."
)
@click.option("--output", type=click.Path(path_type=Path), help="The annotated game; else GAME.analysed.sgf beside it.")
@click.option("--svg", type=click.Path(path_type=Path), help="The graph; else GAME.analysed.svg beside the game.")
@click.option("--mistakes", type=click.IntRange(min=0), default=5, help="How many mistakes to show.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; write only the files that are named.")
@player_options
def analyze(
    game: Path,
    preset: str,
    output: Path | None,
    svg: Path | None,
    mistakes: int,
    as_json: bool,
    options: PlayerOptions,
) -> None:
    """Review a game: win rate and score after every move, the mistakes and what was better.

    Each position gets 1000 simulations if neither simulations nor seconds are given. Ctrl-C ends the review early; what
    was reviewed until then is shown and written.
    """
    from rich.console import Console
    from rich.progress import track

    from kikashi import graph, review, sgf
    from kikashi.annotating import annotated
    from kikashi.files import write_whole
    from kikashi.search.budget import Budget
    from kikashi.sgf.parse import first_game

    root = first_game(game)
    record = sgf.read_game(root)
    total = len(review.played_moves(record))
    if not as_json:
        output, svg = output or game.with_suffix(".analysed.sgf"), svg or game.with_suffix(".analysed.svg")
    files = [file for file in (output, svg) if file is not None]
    review.check_outputs(game, files)
    player = options.player(preset, Budget(simulations=1000))
    moves: list[review.MoveReview] = []
    steps = track(review.walk(player, record), "reviewing", total, console=Console(stderr=True), transient=True)
    try:
        moves.extend(steps)  # one by one: what is there at Ctrl-C stays
    except KeyboardInterrupt:
        if not moves:
            sys.exit(INTERRUPTED)
    found = review.summarise(player, record, moves)
    if output is not None:
        write_whole(output, sgf.dump([annotated(found, root, mistakes)]), make_folders=False)
    if svg is not None:
        write_whole(svg, graph.as_svg(found, mistakes), make_folders=False)
    if as_json:
        click.echo(json.dumps({**found.as_json(), "seed": options.seed, "threads": options.threads}))
    else:
        console = Console()
        console.print(graph.as_text(found, console.width, mistakes=mistakes))
        click.echo(f"\n{review.mistake_lines(found, mistakes)}\n\nwritten: {', '.join(map(str, files))}")
    if len(moves) < total:
        sys.exit(INTERRUPTED)
