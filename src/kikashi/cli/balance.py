"""``kikashi balance``: weights by which playouts draw their moves."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED, tell
from kikashi.engine import machine


@click.command()
@shared.sources_argument
@click.option(
    "--output", "folder", type=shared.PATH, required=True, help="A folder for the weights and everything before."
)
@click.option("--positions", type=shared.NATURAL, default=1000, help="Positions that playouts are balanced by.")
@click.option("--passes", type=shared.NATURAL, default=4, help="Passes over these positions.")
@click.option("--rate", type=float, default=0.03, help="Size of a weight's first step.")
@shared.preset_option("The player that evaluates positions: a name or a file.")
@shared.set_option()
@click.option("--simulations", type=shared.COUNT, default=10_000, help="Simulations for each position.")
@click.option("--komi", type=float, default=7.5)
@shared.fitting_options
@shared.plugin_option
@shared.run_options
def balance(
    sources: Sequence[Path],
    folder: Path,
    positions: int,
    passes: int,
    rate: float,
    preset: str,
    overrides: Sequence[str],
    simulations: int,
    komi: float,
    features: str | None,
    size: int | None,
    player: str,
    plugin: Sequence[str],
    run: shared.RunOptions,
    **fitting: Any,
) -> None:
    """Learn weights for the heuristic "roulette" of playouts from games, and balance them.

    The weights are fitted to the games first. Then they are balanced, so that playouts win as often as long searches
    say. The same command goes on where it was left.
    """
    with shared.needs_extra("learning", "learn"):
        from kikashi.cli.learning import LearningProgress
        from kikashi.learn.balancing import BalanceSettings
        from kikashi.learn.fitting import FitSettings
        from kikashi.learn.learning import LearningSettings
        from kikashi.learn.learning_report import summary_lines
        from kikashi.learn.playout_learning import PLAYOUT_FEATURES, WEIGHTS, PlayoutSettings, learn_playouts
    import msgspec

    from kikashi.files import check_writable
    from kikashi.match.player_spec import PlayerSpec

    shared.load_plugins(plugin)
    settings = PlayoutSettings(
        LearningSettings(sources, features or PLAYOUT_FEATURES, size, player=player, fit=FitSettings(**fitting)),
        str(PlayerSpec(preset=preset, overrides=tuple(overrides), plugins=tuple(plugin))),
        positions,
        simulations,
        komi,
        BalanceSettings(passes=passes, rate=rate, seed=fitting["seed"], threads=run.concurrency or machine.cores()),
    )
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / WEIGHTS
    check_writable(file)
    with LearningProgress() as progress:
        workers = run.workers(progress.tell)
        try:
            found = learn_playouts(settings, folder, workers, listener=progress)
        except KeyboardInterrupt:
            progress.tell(f"interrupted; the same command goes on in {folder}")
            workers.leave()
            sys.exit(INTERRUPTED)
    if run.as_json:
        click.echo(msgspec.json.encode({"weights": str(file), **found.weights.header}))
    else:
        click.echo("\n".join([*summary_lines(found.fit), *found.summary_lines(), f"weights: {file}"]))
    if found.is_interrupted:
        tell("interrupted; these are the weights so far")
        sys.exit(INTERRUPTED)
