"""``kikashi self-play``: weights from rounds of self-play, each round with the weights of the one before."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED


@click.command("self-play")
@click.argument("folder", type=shared.PATH)
@shared.preset_option("The player: a name or a file.")
@shared.set_option()
@click.option("--rounds", type=shared.COUNT, show_default="until Ctrl-C", help="Number of rounds.")
@click.option("--games", type=shared.COUNT, default=200, help="Games of a round.")
@click.option("--simulations", type=shared.COUNT, default=1000, help="Simulations for each move.")
@click.option("--match-games", type=shared.NATURAL, default=40, help="Against the round before; 0 for none.")
@shared.features_option
@shared.size_option
@click.option("--komi", type=float, default=7.5)
@shared.seed_option
@shared.plugin_option
@shared.run_options
def self_play(
    folder: Path,
    rounds: int | None,
    features: str | None,
    overrides: Sequence[str],
    plugin: Sequence[str],
    run: shared.RunOptions,
    **settings: Any,
) -> None:
    """Play games of a preset with itself, learn weights of move features from them, and play again (expert iteration).

    Every round is kept in FOLDER; the same command goes on where it was left.
    """
    with shared.needs_extra("learning", "learn"):
        from kikashi.cli.learning import LearningProgress
        from kikashi.learn.dataset import DEFAULT_FEATURES
        from kikashi.learn.expert_iteration import IterationSettings, run_rounds
    import msgspec

    shared.load_plugins(plugin)
    design = IterationSettings(
        features=features or DEFAULT_FEATURES, overrides=tuple(overrides), plugins=tuple(plugin), **settings
    )
    with LearningProgress() as progress:
        workers = run.workers(progress.tell)
        try:
            for found in run_rounds(design, folder, workers, rounds=rounds, listener=progress):
                report = {"round": found.number, **found.accuracy, "points": found.points, "games": found.games}
                click.echo(msgspec.json.encode(report) if run.as_json else str(found))
        except KeyboardInterrupt:
            progress.tell(f"interrupted; the same command goes on in {folder}")
            workers.leave()
            sys.exit(INTERRUPTED)
