"""Weights from games: reading, fitting, and the file."""

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from kikashi import __version__
from kikashi.files import write_whole
from kikashi.learn.dataset import DEFAULT_FEATURES, PLAYOUTS, Collector, FeatureExtractor, features_named
from kikashi.learn.fitting import Fit, FitSettings, fit
from kikashi.learn.learning_report import learning_report
from kikashi.learn.training_games import read_training_games
from kikashi.playout.weights import MOVES, Weights

OPTIMISING = "steps of the optimiser"
"""The phase of a fit."""


class LearningListener:
    """Callbacks for the progress of learning. These do nothing."""

    def begin(self, phase: str, total: int = 0) -> None:
        """Begin a phase with a number of steps, 0 if it is unknown."""

    def reach(self, done: int, of: int | None = None) -> None:
        """Report the number of steps that are done, and of how many."""

    def advance(self, result: Any) -> None:
        """Report one more step: the end of a game, or of the search of a position."""

    def tell(self, line: str) -> None:
        """Report a message for people."""


@dataclass(frozen=True)
class LearningSettings:
    """Games to learn from, features, and the settings of the fit."""

    sources: Sequence[Path]
    features: str = DEFAULT_FEATURES
    size: int | None = None
    """Board size of the weights; that of the first game if None."""
    all_sizes: bool = False
    """Whether to learn from games on other boards, too."""
    player: str = ""
    """The player whose moves are learned from; all players if empty."""
    only_tested: Sequence[Path] = ()
    """Sources that are not learned from, but predicted."""
    playouts: int = PLAYOUTS
    fit: FitSettings = field(default_factory=FitSettings)
    target: str = MOVES
    """``"moves"``, or ``"values"``: the results of games."""
    base: Weights | None = None
    """Weights of earlier games, which stay where these games do not determine them."""

    def header(self, size: int, sources: Sequence[str]) -> dict[str, Any]:
        """Return the header of a file of weights that were learned from the games of these sources."""
        versions = {"kikashi": __version__, "python": platform.python_version(), "scipy": metadata.version("scipy")}
        return {
            "size": size,
            "target": self.target,
            "sources": {source: sources.count(source) for source in dict.fromkeys(sources)},
            "player": self.player,
            "base": {key: self.base.header.get(key) for key in ("sources", "base")} if self.base else None,
            "wanted": asdict(self.fit),
            "versions": versions,
        }


def learn(settings: LearningSettings, *, start: Weights | None = None, listener: LearningListener | None = None) -> Fit:
    """Read games and fit weights to them; the optimiser begins at `start` if that is given.

    Raises ValueError and OSError.
    """
    listener = listener or LearningListener()
    features = features_named(settings.features)
    playouts, seed = settings.playouts, settings.fit.seed
    extractor_for = cache(lambda size: FeatureExtractor(features, size, playouts=playouts, seed=seed))
    collector = Collector(features, extractor_for)
    size = settings.size
    paths = [*settings.sources, *settings.only_tested]
    which: dict[str, Any] = {"player": settings.player, "size": size, "all_sizes": settings.all_sizes}
    listener.begin("games read")
    for game in read_training_games(paths, **which, tell=listener.tell):
        size = size or game.size
        collector.add(game)
        listener.reach(len(collector.sources))
    if not collector.sources or size is None:
        raise ValueError("there are no games to learn from")
    tested = {str(path) for path in settings.only_tested}
    only_tested = [source for source in set(collector.sources) if tested & {source, *map(str, Path(source).parents)}]
    listener.begin(OPTIMISING)
    return fit(
        collector.dataset(),
        settings.fit,
        settings.header(size, collector.sources),
        only_tested=only_tested,
        base=settings.base,
        start=start,
        step=listener.reach,
    )


def write_weights(path: Path, fit: Fit, *, report: Path | None = None) -> None:
    """Write the file of weights, and the report into a folder if one is given. Raises OSError."""
    write_whole(path, fit.with_header().as_bytes())
    if report is not None:
        learning_report(fit).write(report)
