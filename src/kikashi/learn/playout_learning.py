"""Learned playouts: weights for the heuristic `roulette`, fitted to games and then balanced."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from kikashi.experiments.kind import preset_player
from kikashi.files import write_whole
from kikashi.learn.balancing import BalanceResult, BalanceSettings, balance
from kikashi.learn.dataset import NO_LEVEL, FeatureExtractor, collect, features_named
from kikashi.learn.fitting import Fit, fit
from kikashi.learn.labels import LabelSettings, choose_positions, label_positions
from kikashi.learn.learning import OPTIMISING, LearningListener, LearningSettings, write_weights
from kikashi.learn.training_games import read_training_games
from kikashi.parts.binding import BoundPart
from kikashi.playout.candidates import clear_list
from kikashi.playout.heuristics.learned import list_urgent
from kikashi.playout.simulation import Root
from kikashi.playout.weights import Weights
from kikashi.wording import plural
from kikashi.workers.executors import Workers

PLAYOUT_FEATURES = "capture,escape,self_atari,distance,shape"
"""Default features: those that are fast to compute."""
LABELS, FITTED, WEIGHTS, REPORT = "labels", "fitted.npz", "weights.npz", "report"


class UrgentExtractor(FeatureExtractor):
    """The features of moves as `roulette` sees them: only urgent moves have levels."""

    def __init__(self, features: Sequence[BoundPart], size: int, *, last: int = 2) -> None:
        super().__init__(features, size, memories=["ataris"])
        self._last = last

    def extract(self, root: Root) -> tuple[np.ndarray, np.ndarray]:
        points, levels = super().extract(root)
        worker = self._worker
        [ataris] = worker.private.named("ataris")
        clear_list(worker.moves)
        list_urgent(worker.sim, worker.moves, ataris, self._last)
        urgent = worker.moves["points"][: worker.moves["count"]]
        levels[~np.isin(points, urgent)] = NO_LEVEL
        return points, levels


@dataclass(frozen=True)
class PlayoutSettings:
    """Settings of learned playouts."""

    learning: LearningSettings
    """Games, features and fit; games are held out by chance alone."""
    labeller: str
    """The preset with its options that evaluates positions, as in a match."""
    positions: int = 1_000
    """Positions to balance by; 0 for no balancing."""
    simulations: int = 10_000
    """Simulations for each position."""
    komi: float = 7.5
    balancing: BalanceSettings = field(default_factory=BalanceSettings)


@dataclass(frozen=True)
class PlayoutResult:
    """Weights that were fitted, and the same after balancing."""

    settings: PlayoutSettings
    fit: Fit
    balanced: BalanceResult | None = None

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.fit.is_interrupted or (self.balanced is not None and self.balanced.is_interrupted)

    @property
    def weights(self) -> Weights:
        """The weights, with accuracies in their header."""
        fitted = self.fit.with_header()
        if self.balanced is None:
            return fitted
        how = {
            "positions": self.settings.positions,
            "simulations": self.settings.simulations,
            "komi": self.settings.komi,
            "wanted": asdict(self.settings.balancing),
            "before": asdict(self.balanced.before),
            "after": asdict(self.balanced.after),
            "by_pass": self.balanced.by_pass,
            "interrupted": self.balanced.is_interrupted,
        }
        return Weights(self.balanced.weights.features, {**fitted.header, "balanced": how})

    def summary_lines(self) -> list[str]:
        """Return the effect of balancing in two lines, none without balancing."""
        if self.balanced is None:
            return []
        return [
            f"{name:<9}{plural(row.positions, 'position')} held out: mean squared error {row.error:.4f}, "
            f"bias {row.bias:+.3f}"
            for name, row in (("fitted", self.balanced.before), ("balanced", self.balanced.after))
        ]


def learn_playouts(
    settings: PlayoutSettings, folder: Path, workers: Workers, *, listener: LearningListener | None = None
) -> PlayoutResult:
    """Fit weights to games, label positions of the games, and balance the weights.

    All is kept in a folder, whose labels are used again. Ctrl-C in the fit or the balancing ends it with the weights
    so far. Raises ValueError and OSError.
    """
    listener = listener or LearningListener()
    preset_player(settings.labeller, settings.simulations, "it has no values of positions")  # an error now, not later
    learning = settings.learning
    games = []
    listener.begin("games read")
    for game in read_training_games(learning.sources, player=learning.player, size=learning.size, tell=listener.tell):
        games.append(game)
        listener.reach(len(games))
    if not games:
        raise ValueError("there are no games to learn from")
    size = games[0].size
    data = collect(games, UrgentExtractor(features_named(learning.features), size))
    header = learning.header(size, [game.source for game in games])
    listener.begin(OPTIMISING)
    fitted = fit(data, learning.fit, header, step=listener.reach)
    write_weights(folder / FITTED, fitted, report=folder / REPORT)
    result = PlayoutResult(settings, fitted)
    if settings.positions and not fitted.is_interrupted:
        label_settings = LabelSettings(
            player=settings.labeller,
            positions=settings.positions,
            size=size,
            simulations=settings.simulations,
            komi=settings.komi,
            seed=learning.fit.seed,
        )
        tasks = choose_positions(games, label_settings)
        listener.begin("labels", len(tasks))
        labels = label_positions(tasks, label_settings, folder / LABELS, workers, listener.advance)
        listener.begin("balancing")
        balanced = balance(fitted.weights, labels, settings.balancing, komi=settings.komi, step=listener.reach)
        result = PlayoutResult(settings, fitted, balanced)
    write_whole(folder / WEIGHTS, result.weights.as_bytes())
    return result
