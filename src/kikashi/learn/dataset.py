"""Training data: the levels of all moves of many positions, and the targets."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from kikashi.board.position import play
from kikashi.game import RESIGN
from kikashi.jit import announced
from kikashi.learn.training_games import TrainingGame
from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.registry import PartSpec, as_part, as_specs
from kikashi.playout.kinds import feature
from kikashi.playout.loop import TOTALS, begin, run_playouts
from kikashi.playout.policy import make_policy
from kikashi.playout.simulation import HISTORY, Root, new_root
from kikashi.playout.tactics.shapes import Keys
from kikashi.playout.weights import extract, new_model
from kikashi.playout.worker import Memories, Worker

DEFAULT_FEATURES = (
    "capture,escape,atari,self_atari,two_liberties,ladder,line,corner,distance,distance(back=2),fate_distance,"
    "fate_distance(back=2),liberties,race,room,shape,shape(rings=3),shape(rings=4),reply"
)
"""The package's list of features."""
NO_LEVEL = -1
"""The level of a move without a weight."""
PLAYOUTS = 100
"""Playouts from each position if a feature reads a memory."""


def features_named(listed: str | Sequence[PartSpec] = DEFAULT_FEATURES) -> list[BoundPart]:
    """Return the features of a list. Raises PartError if one does not exist.

    >>> [str(used) for used in features_named("line,distance(back=2)")]
    ['line', 'distance(back=2)']
    """
    return [bind(feature, *as_part(spec)) for spec in as_specs(listed)]


def has_keys(used: BoundPart) -> bool:
    return isinstance(used.part.options["levels"], Keys)


class FeatureExtractor:
    """The features of moves in positions of one board size."""

    def __init__(
        self,
        features: Sequence[BoundPart],
        size: int,
        *,
        playouts: int = PLAYOUTS,
        seed: int = 1,
        memories: Sequence[PartSpec] = (),
    ) -> None:
        """`playouts` run from each position if a feature reads a memory. `memories` are kept besides those of features.

        Raises PartError.
        """
        self.features = features
        self._memories = Memories()
        with announced([extract, *(used.part.function for used in features)], "for learning"):
            policy = make_policy("uniform", memories=memories)
            self._worker = Worker(policy, self._memories, size=size, seed=seed)
            self._model = new_model(self._worker, features)
        self._playouts = playouts if self._worker.record["learners"] else 0
        self._points = np.zeros(size * size, np.int64)
        self._levels = np.zeros((size * size, len(features)), np.int64)

    def extract(self, root: Root) -> tuple[np.ndarray, np.ndarray]:
        """Return the moves of a position that have levels, and a row of levels for each. Raises PartError."""
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
class Dataset:
    """Many positions, one after the other. A row is a move of one of them."""

    features: Sequence[BoundPart]
    levels: Sequence[np.ndarray]
    """Levels of the rows, by feature."""
    targets: np.ndarray
    """Target probability of each row; the sum of each position is 1."""
    starts: np.ndarray
    """The first row of each position, and at the end the number of rows."""
    chosen: np.ndarray
    """The row with the highest target of each position."""
    values: np.ndarray
    """Result of each position's game for the side to play: 1, 0, or a half for a draw or an unknown result."""
    games: np.ndarray
    """Number of the game of each position."""
    sources: Sequence[str]
    """Source of each game."""

    @property
    def count(self) -> int:
        """Number of positions."""
        return int(self.chosen.size)

    @property
    def rows(self) -> int:
        """Number of moves in all positions."""
        return int(self.targets.size)

    def select(self, is_selected: np.ndarray) -> Self:
        """Return some of the positions, by a truth value for each."""
        lengths = np.diff(self.starts)
        rows = np.repeat(is_selected, lengths)
        starts = np.concatenate([[0], np.cumsum(lengths[is_selected])])
        return type(self)(
            self.features,
            [column[rows] for column in self.levels],
            self.targets[rows],
            starts,
            (self.chosen - self.starts[:-1])[is_selected] + starts[:-1],
            self.values[is_selected],
            self.games[is_selected],
            self.sources,
        )


class Collector:
    """A dataset that grows by games."""

    def __init__(self, features: Sequence[BoundPart], extractor_for: Callable[[int], FeatureExtractor]) -> None:
        """`extractor_for` returns the extractor of these features for a board size."""
        self._features, self._extractor_for = features, extractor_for
        # Levels that are no keys fit into two bytes.
        self._row_type = np.dtype([(str(n), "i8" if has_keys(used) else "i2") for n, used in enumerate(features)])
        self._levels: list[np.ndarray] = []
        self._targets: list[np.ndarray] = []
        self._values: list[float] = []
        self._games: list[int] = []
        self.sources: list[str] = []

    def add(self, game: TrainingGame) -> None:
        """Add the positions of a game that have a target among the moves with levels."""
        board = game.start.copy()
        extractor = self._extractor_for(game.size)
        history: list[int] = []
        for number, move in enumerate(game.moves):
            if move.point == RESIGN:
                break
            board["to_play"] = move.color
            if target := game.target(number):
                points, levels = extractor.extract(new_root(board, history=tuple(history[-HISTORY:])))
                targets = np.array([target.get(int(p), 0.0) for p in points], np.float32)
                if targets.sum() > 0 and points.size > 1:
                    table = np.zeros(len(levels), self._row_type)
                    for column in range(len(self._features)):
                        table[str(column)] = levels[:, column]
                    self._levels.append(table)
                    self._targets.append(targets / targets.sum())
                    self._values.append(game.value_for(move.color))
                    self._games.append(len(self.sources))
            play(board, move.point)
            history.append(move.point)
        self.sources.append(game.source)

    def dataset(self) -> Dataset:
        """Return all positions. Raises ValueError if there are none."""
        if not self._targets:
            raise ValueError("there is nothing to learn from: no move of these games can be judged")
        starts = np.concatenate([[0], np.cumsum([targets.size for targets in self._targets])])
        chosen = [int(first) + int(targets.argmax()) for first, targets in zip(starts, self._targets, strict=False)]
        return Dataset(
            self._features,
            [np.concatenate([table[name] for table in self._levels]) for name in self._row_type.names or ()],
            np.concatenate(self._targets),
            starts,
            np.array(chosen),
            np.array(self._values),
            np.array(self._games),
            self.sources,
        )


def collect(games: Iterable[TrainingGame], extractor: FeatureExtractor) -> Dataset:
    """Return the positions of games. Raises ValueError if there are none."""
    collector = Collector(extractor.features, lambda _size: extractor)
    for game in games:
        collector.add(game)
    return collector.dataset()
