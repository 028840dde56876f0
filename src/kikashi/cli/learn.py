"""``kikashi learn``: weights of move features from games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kikashi.cli import options as shared
from kikashi.cli.streams import INTERRUPTED, tell

if TYPE_CHECKING:
    from kikashi.playout.weights import Weights


@click.command()
@shared.sources_argument
@click.option("--output", type=shared.PATH, default=Path("weights.npz"), help="The file of weights.")
@click.option("--report", type=shared.PATH, help="A folder for a page with pictures.")
@click.option("--values", is_flag=True, help="Learn the values of positions, for the evaluation mixed.")
@click.option("--all-sizes", is_flag=True, help="Learn from games on other boards, too.")
@click.option("--only-test", multiple=True, type=shared.PATH, help="Games that only test the weights.")
@click.option("--base", type=shared.PATH, help="A file of weights that these games add to; its other weights stay.")
@click.option("--from", "start", type=shared.PATH, help="A file of weights at which the optimiser starts.")
@shared.fitting_options
@shared.renamed_option("--self-play", "the command kikashi self-play FOLDER")
@shared.renamed_option("--playouts", "the command kikashi balance GAMES... --output FOLDER")
@shared.plugin_option
@shared.json_option
def learn(
    sources: Sequence[Path],
    output: Path,
    report: Path | None,
    values: bool,
    features: str | None,
    size: int | None,
    all_sizes: bool,
    player: str,
    only_test: Sequence[Path],
    base: Path | None,
    start: Path | None,
    plugin: Sequence[str],
    as_json: bool,
    **fitting: Any,
) -> None:
    """Learn the weights of move features from games: SGF files, folders, matches and tunings.

    The file of weights is for the heuristic "learned": --set 'prior=[{part="learned",weights="weights.npz",games=100,
    power=0.5}]'. With --values it is for the evaluation "mixed": --set "evaluation=mixed(weights='weights.npz')".
    """
    with shared.needs_extra("learning", "learn"):
        from kikashi.cli.learning import LearningProgress
        from kikashi.learn import learning
        from kikashi.learn.dataset import DEFAULT_FEATURES
        from kikashi.learn.fitting import FitSettings
        from kikashi.learn.learning_report import summary_lines
    import msgspec

    from kikashi.files import check_writable
    from kikashi.parts.models import SUFFIX
    from kikashi.playout.weights import MOVES, VALUES
    from kikashi.wording import plural

    shared.load_plugins(plugin)
    if output.suffix != SUFFIX:
        raise ValueError(f"the name of a file of weights ends in {SUFFIX}, not as {output}")
    if values and report:
        raise click.UsageError("a report is about moves: --report does not go with --values")
    check_writable(output)
    settings = learning.LearningSettings(
        sources,
        features or DEFAULT_FEATURES,
        size,
        all_sizes,
        player,
        only_test,
        fit=FitSettings(**fitting),
        target=VALUES if values else MOVES,
        base=_read_weights(base),
    )
    with LearningProgress() as progress:
        found = learning.learn(settings, start=_read_weights(start), listener=progress)
    learning.write_weights(output, found, report=report)
    if as_json:
        click.echo(msgspec.json.encode({"weights": str(output), **found.as_json()}))
    else:
        click.echo("\n".join([*summary_lines(found), f"weights: {output}"]))
    if found.is_interrupted:
        tell(f"interrupted after {plural(found.steps, 'step')}; go on with --from {output}")
        sys.exit(INTERRUPTED)


def _read_weights(path: Path | None) -> Weights | None:
    from kikashi.playout.weights import read_weights

    return None if path is None else read_weights(str(path), path.read_bytes())
