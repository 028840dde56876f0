"""Positions of games as features see them: the levels of all moves, and which of them were wished for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kikashi.board.position import play
from kikashi.game import RESIGN
from kikashi.jit import announced
from kikashi.learn.games import Lesson
from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.registry import PartSpec, as_part, as_specs
from kikashi.playout.kinds import feature
from kikashi.playout.loop import TOTALS, begin, run_playouts
from kikashi.playout.model.models import extract, new_model
from kikashi.playout.policy import make_policy
from kikashi.playout.simulation import HISTORY, Root, new_root
from kikashi.playout.tactics.shapes import Keys
from kikashi.playout.worker import Memories, Worker

DEFAULT_FEATURES = (
    "capture,escape,atari,self_atari,two_liberties,ladder,line,corner,distance,distance(back=2),fate_distance,"
    "fate_distance(back=2),liberties,race,room,shape,shape(rings=3),shape(rings=4),reply"
)
"""What weights are learned for if nothing is said."""
NOTHING = -1
"""The level of a move that a feature says nothing about, and that weighs nothing."""
PLAYOUTS = 100
"""From each position, where a feature reads what simulations have learned."""


def features_named(listed: str | Sequence[PartSpec] = DEFAULT_FEATURES) -> list[BoundPart]:
    """The features of a list. Raises PartError if one is not there.

    >>> [str(used) for used in features_named("line,distance(back=2)")]
    ['line', 'distance(back=2)']
    """
    return [bind(feature, *as_part(spec)) for spec in as_specs(listed)]


def has_keys(used: BoundPart) -> bool:
    """Whether the levels of a feature are keys."""
    return isinstance(used.part.options["levels"], Keys)


class Eye:
    """Looks at positions with some features."""

    def __init__(
        self,
        features: Sequence[BoundPart],
        size: int,
        *,
        playouts: int = PLAYOUTS,
        seed: int = 1,
        memories: Sequence[PartSpec] = (),
    ) -> None:
        """`playouts` are run from each position if a feature reads what they leave in a memory; `memories` are kept
        besides. Raises PartError."""
        self.features = features
        self._memories = Memories()
        with announced([extract, *(used.part.function for used in features)], "for learning"):
            policy = make_policy("uniform", memories=memories)
            self._worker = Worker(policy, self._memories, size=size, seed=seed)
            self._model = new_model(self._worker, features)
        self._playouts = playouts if self._worker.record["learners"] else 0
        self._points = np.zeros(size * size, np.int64)
        self._levels = np.zeros((size * size, len(features)), np.int64)

    def look(self, root: Root) -> tuple[np.ndarray, np.ndarray]:
        """The moves of a position that can be judged, and a row of levels for each. Raises PartError."""
        worker = self._worker
        try:
            if self._playouts:
                self._memories.clear()
                totals = np.zeros(1, TOTALS)[0]
                run_playouts(root, worker.sim, worker.moves, worker.record, totals, self._playouts)
            begin(worker.sim, worker.record, root)
            count = extract(worker.sim, self._model, self._points, self._levels)
        except Exception as error:
            raise worker.explain(error) from error
        return self._points[:count].copy(), self._levels[:count].copy()


@dataclass(frozen=True)
class Positions:
    """Many positions, one after the other. A row is a move of one of them."""

    features: Sequence[BoundPart]
    levels: Sequence[np.ndarray]
    """For each feature: by row."""
    wishes: np.ndarray
    """By row, its share of what was wished for; 1 in all for each position."""
    starts: np.ndarray
    """By position: its first row; and at the end the number of rows."""
    chosen: np.ndarray
    """By position: the row that was wished for most."""
    games: np.ndarray
    """By position: the number of its game."""
    sources: Sequence[str]
    """By game."""

    @property
    def count(self) -> int:
        """How many positions there are."""
        return int(self.chosen.size)

    @property
    def rows(self) -> int:
        """How many moves they have in all."""
        return int(self.wishes.size)

    def only(self, wanted: np.ndarray) -> Positions:
        """Some of the positions, by a truth value for each."""
        lengths = np.diff(self.starts)
        rows = np.repeat(wanted, lengths)
        starts = np.concatenate([[0], np.cumsum(lengths[wanted])])
        return Positions(
            self.features,
            [column[rows] for column in self.levels],
            self.wishes[rows],
            starts,
            (self.chosen - self.starts[:-1])[wanted] + starts[:-1],
            self.games[wanted],
            self.sources,
        )


class Collector:
    """Collects the positions of games."""

    def __init__(self, features: Sequence[BoundPart], eye_for: Callable[[int], Eye]) -> None:
        """`eye_for` a board of some size looks at its positions with these features."""
        self._features, self._eye_for = features, eye_for
        self._levels: list[np.ndarray] = []
        self._wishes: list[np.ndarray] = []
        self._games: list[int] = []
        self.sources: list[str] = []

    def add(self, lesson: Lesson) -> None:
        """The positions of a game in which something was wished for that can be judged."""
        board = lesson.start.copy()
        eye = self._eye_for(lesson.size)
        history: list[int] = []
        for number, move in enumerate(lesson.moves):
            if move.point == RESIGN:
                break
            board["to_play"] = move.color
            if wish := lesson.wish(number):
                points, levels = eye.look(new_root(board, history=tuple(history[-HISTORY:])))
                wishes = np.array([wish.get(int(p), 0.0) for p in points], np.float32)
                if wishes.sum() > 0 and points.size > 1:
                    self._levels.append(_narrow(levels, self._features))
                    self._wishes.append(wishes / wishes.sum())
                    self._games.append(len(self.sources))
            play(board, move.point)
            history.append(move.point)
        self.sources.append(lesson.source)

    def positions(self) -> Positions:
        """All that was collected. Raises ValueError if that is nothing."""
        if not self._wishes:
            raise ValueError("there is nothing to learn from: no move of these games can be judged")
        starts = np.concatenate([[0], np.cumsum([wishes.size for wishes in self._wishes])])
        chosen = [int(first) + int(wishes.argmax()) for first, wishes in zip(starts, self._wishes, strict=False)]
        columns = [
            np.concatenate([table[name] for table in self._levels]) for name in _row_type(self._features).names or ()
        ]
        return Positions(
            self._features,
            columns,
            np.concatenate(self._wishes),
            starts,
            np.array(chosen),
            np.array(self._games),
            self.sources,
        )


def _row_type(features: Sequence[BoundPart]) -> np.dtype[np.void]:
    """Levels that have names fit into two bytes."""
    return np.dtype([(str(row), "i8" if has_keys(used) else "i2") for row, used in enumerate(features)])


def _narrow(levels: np.ndarray, features: Sequence[BoundPart]) -> np.ndarray:
    table = np.zeros(len(levels), _row_type(features))
    for row in range(len(features)):
        table[str(row)] = levels[:, row]
    return table


def collect(lessons: Iterable[Lesson], eye: Eye) -> Positions:
    """The positions of games. Raises ValueError if there are none."""
    collector = Collector(eye.features, lambda _size: eye)
    for lesson in lessons:
        collector.add(lesson)
    return collector.positions()
