"""Learned playouts: weights for the heuristic `roulette`, fitted to games and then balanced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kikashi.files import write_whole
from kikashi.learn.balancing import Balanced, Balancing, balance
from kikashi.learn.fitting import Fit, fit
from kikashi.learn.games import read_lessons
from kikashi.learn.labels import Label, Labelling, choose_positions, label_positions
from kikashi.learn.learning import Course, Listener, origin
from kikashi.learn.learning_report import with_figures, write_report
from kikashi.learn.positions import NOTHING, Eye, collect, features_named
from kikashi.match.player_files import Files, Plugin
from kikashi.parts.binding import BoundPart
from kikashi.playout.candidates import clear_list
from kikashi.playout.heuristics.roulette import list_urgent
from kikashi.playout.model.weights import Weights
from kikashi.playout.simulation import Root
from kikashi.wording import plural
from kikashi.workers.executors import Workers

PLAYOUT_FEATURES = "capture,escape,self_atari,distance,shape"
"""What playouts know if nothing is said: what can be seen at a glance."""
LABELS, FITTED, WEIGHTS, REPORT = "labels", "fitted.npz", "weights.npz", "report"


class UrgentEye(Eye):
    """Looks at positions as the roulette does: where nothing is urgent features say nothing."""

    def __init__(self, features: Sequence[BoundPart], size: int, *, last: int = 2) -> None:
        super().__init__(features, size, memories=["ataris"])
        self._last = last

    def look(self, root: Root) -> tuple[np.ndarray, np.ndarray]:
        """As that of `Eye`."""
        points, levels = super().look(root)
        worker = self._worker
        [ataris] = worker.private.named("ataris")
        clear_list(worker.moves)
        list_urgent(worker.sim, worker.moves, ataris, self._last)
        urgent = worker.moves["points"][: worker.moves["count"]]
        levels[~np.isin(points, urgent)] = NOTHING
        return points, levels


class PlayoutListener(Listener):
    """Hears of labels and of balancing as well. This one says nothing."""

    def labelled(self, label: Label) -> None:
        """A position has its value."""

    def balanced(self, done: int, of: int) -> None:
        """So many positions have been looked at, of so many."""


@dataclass(frozen=True)
class PlayoutCourse:
    """What playouts are learned from, and how."""

    course: Course
    """The games, the features, and how weights are fitted to them; games are held out by chance alone."""
    preset: dict[str, Any]
    """Who says what a position is worth."""
    positions: int = 1_000
    """How many of them; 0 to balance nothing."""
    simulations: int = 10_000
    """To know what one is worth."""
    komi: float = 7.5
    balancing: Balancing = field(default_factory=Balancing)
    plugins: tuple[str, ...] = ()
    """Files with parts of who says it."""


@dataclass(frozen=True)
class PlayoutsFound:
    """What was found: weights that predict moves, and after them those that win as often as they should."""

    wanted: PlayoutCourse
    fit: Fit
    balanced: Balanced | None = None

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.fit.is_interrupted or (self.balanced is not None and self.balanced.is_interrupted)

    @property
    def weights(self) -> Weights:
        """The weights, with the figures in their header."""
        fitted = with_figures(self.fit)
        if self.balanced is None:
            return fitted
        how = {
            "positions": self.wanted.positions,
            "simulations": self.wanted.simulations,
            "komi": self.wanted.komi,
            "wanted": asdict(self.wanted.balancing),
            "before": asdict(self.balanced.before),
            "after": asdict(self.balanced.after),
            "by_pass": self.balanced.by_pass,
            "interrupted": self.balanced.is_interrupted,
        }
        return Weights(self.balanced.weights.features, {**fitted.header, "balanced": how})

    def lines(self) -> list[str]:
        """What balancing has changed, in a few words."""
        if self.balanced is None:
            return []
        rows = [("fitted", self.balanced.before), ("balanced", self.balanced.after)]
        return [
            f"{name:<9}{plural(row.positions, 'position')} held out: mean squared error {row.error:.4f}, "
            f"bias {row.bias:+.3f}"
            for name, row in rows
        ]


def learn_playouts(
    wanted: PlayoutCourse, folder: Path, workers: Workers, *, listener: PlayoutListener | None = None
) -> PlayoutsFound:
    """Fit weights to games, have positions of them labelled, and balance the weights; all is kept in a folder, and
    labels that are there are not made again.

    Ctrl-C while fitting or balancing ends it with what it has then. Raises ValueError and OSError.
    """
    listener = listener or PlayoutListener()
    course = wanted.course
    lessons = []
    for lesson in read_lessons(course.sources, player=course.player, size=course.size, tell=listener.tell):
        lessons.append(lesson)
        listener.read(len(lessons))
    if not lessons:
        raise ValueError("there are no games to learn from")
    size = lessons[0].size
    positions = collect(lessons, UrgentEye(features_named(course.features), size))
    header = origin(course, size, [lesson.source for lesson in lessons])
    fitted = fit(positions, course.wanted, header, step=listener.step)
    write_whole(folder / FITTED, with_figures(fitted).as_bytes())
    write_report(folder / REPORT, fitted)
    found = PlayoutsFound(wanted, fitted)
    if wanted.positions and not fitted.is_interrupted:
        settings = Labelling(
            preset=wanted.preset,
            positions=wanted.positions,
            size=size,
            simulations=wanted.simulations,
            komi=wanted.komi,
            seed=course.wanted.seed,
        )
        plugins = [Plugin.named(file, Files()) for file in wanted.plugins]
        tasks = choose_positions(lessons, settings, plugins)
        listener.begin("labels", len(tasks))
        labels = label_positions(tasks, settings, folder / LABELS, workers, listener.labelled)
        listener.begin("balancing", 0)
        balanced = balance(fitted.weights, labels, wanted.balancing, komi=wanted.komi, step=listener.balanced)
        found = PlayoutsFound(wanted, fitted, balanced)
    write_whole(folder / WEIGHTS, found.weights.as_bytes())
    return found
