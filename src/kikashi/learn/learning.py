"""From games to a file of weights."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from kikashi import __version__
from kikashi.files import write_whole
from kikashi.learn.fitting import Fit, Wanted, fit
from kikashi.learn.games import read_lessons
from kikashi.learn.learning_report import with_figures, write_report
from kikashi.learn.positions import DEFAULT_FEATURES, PLAYOUTS, Collector, Eye, features_named
from kikashi.playout.model.weights import Weights


class Listener:
    """Hears how far learning has got. This one says nothing."""

    def begin(self, what: str, total: int) -> None:
        """Something begins that has so many steps, 0 if nobody knows how many."""

    def read(self, games: int) -> None:
        """So many games have been read."""

    def step(self, number: int) -> None:
        """The optimiser has made so many steps."""

    def tell(self, line: str) -> None:
        """Something that a person should know."""


@dataclass(frozen=True)
class Course:
    """What is learned from, and how."""

    sources: Sequence[Path]
    features: str = DEFAULT_FEATURES
    size: int | None = None
    """What boards the weights are for; those of the first game if None."""
    all_sizes: bool = False
    """Whether games on other boards are learned from, too."""
    player: str = ""
    """Whose moves are learned from; everybody's if empty."""
    only_tested: Sequence[Path] = ()
    """Sources that are not learned from, but predicted."""
    playouts: int = PLAYOUTS
    wanted: Wanted = field(default_factory=Wanted)
    base: Weights | None = None
    """Weights of earlier games, which these add to: what these games do not tell stays as it is there."""


def learn(course: Course, *, start: Weights | None = None, listener: Listener | None = None) -> Fit:
    """Read games and fit weights to them; the optimiser begins at those of a file if some are given. Raises ValueError
    and OSError."""
    listener = listener or Listener()
    features = features_named(course.features)
    collector = Collector(
        features, cache(lambda size: Eye(features, size, playouts=course.playouts, seed=course.wanted.seed))
    )
    size = course.size
    paths = [*course.sources, *course.only_tested]
    lessons = read_lessons(paths, player=course.player, size=size, all_sizes=course.all_sizes, tell=listener.tell)
    for lesson in lessons:
        size = size or lesson.size
        collector.add(lesson)
        listener.read(len(collector.sources))
    if not collector.sources or size is None:
        raise ValueError("there are no games to learn from")
    tested = {str(path) for path in course.only_tested}
    only_tested = [source for source in set(collector.sources) if tested & {source, *map(str, Path(source).parents)}]
    return fit(
        collector.positions(),
        course.wanted,
        origin(course, size, collector.sources),
        only_tested=only_tested,
        base=course.base,
        start=start,
        step=listener.step,
    )


def origin(course: Course, size: int, sources: Sequence[str]) -> dict[str, Any]:
    """Where the weights come from."""
    return {
        "size": size,
        "sources": {source: sources.count(source) for source in dict.fromkeys(sources)},
        "player": course.player,
        "base": {key: course.base.header.get(key) for key in ("sources", "base")} if course.base else None,
        "wanted": asdict(course.wanted),
        "versions": {"kikashi": __version__, "python": platform.python_version(), "scipy": metadata.version("scipy")},
    }


def write_weights(path: Path, found: Fit, *, report: Path | None = None) -> None:
    """Write the file, and the report into a folder if one is named. Raises OSError."""
    write_whole(path, with_figures(found).as_bytes())
    if report is not None:
        write_report(report, found)
