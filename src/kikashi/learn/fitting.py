"""Weights that make what was wished for as likely as possible: the generalised Bradley–Terry model (Coulom 2007).

A move is a team of its levels; its strength is the product of their gammas, and it is chosen with a probability of its
strength by the sum over all moves. We maximise the likelihood over the logarithms of the gammas, less a small ridge,
by L-BFGS: the function is concave, and a step costs two products with a sparse matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from kikashi.learn.positions import NOTHING, Positions, has_keys
from kikashi.parts.binding import BoundPart
from kikashi.playout.model.weights import FeatureWeights, Weights
from kikashi.wording import plural

MOST_CHOICES = 30
"""How far the curve of predictions goes."""


@dataclass(frozen=True)
class Wanted:
    """How weights are fitted."""

    ridge: float = 1.0
    """What the squares of all weights cost, by two; of how far they are from the base where there is one."""
    fewest: int = 10
    """How often a key must be among the moves to have a weight."""
    steps: int = 150
    """Of the optimiser, at most."""
    held_out: float = 0.1
    """The share of the games that are not learned from, but predicted."""
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.ridge > 0:
            raise ValueError(f"the ridge must be above 0, not {self.ridge:g}")
        if not 0 < self.held_out < 1:
            raise ValueError(f"the share of games that are held out is between 0 and 1, not {self.held_out:g}")
        if self.fewest < 1 or self.steps < 1:
            raise ValueError("a key must be seen once at least, and the optimiser make one step")


@dataclass(frozen=True)
class Figures:
    """How well moves were predicted."""

    games: int
    positions: int
    likelihood: float
    """Mean logarithm of the probability of what was wished for."""
    uniform: float
    """The same if all moves were alike."""
    curve: tuple[float, ...]
    """By k from 1 on: the share of positions in which the move was among the first k."""

    @property
    def first(self) -> float:
        """The share of moves that were the first choice."""
        return self.curve[0]


@dataclass
class Fit:
    """Weights, and how well they predict games that they were not fitted to."""

    weights: Weights
    learned_from: Figures
    held_out: Figures
    by_source: Mapping[str, Figures] = field(default_factory=dict)
    """The same by the source of the games that were held out."""
    steps: int = 0
    is_interrupted: bool = False


# --- columns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """Which column of the matrix a level has: level 0 and keys that are too rare have none."""

    features: Sequence[BoundPart]
    keys: Sequence[np.ndarray | None]
    """For each feature with keys: those that have a weight, sorted."""
    first: Sequence[int]
    """For each feature its first column; and at the end the number of columns."""

    @classmethod
    def of(cls, positions: Positions, fewest: int, base: Weights | None = None) -> Columns:
        """Those of all levels that have names, and of keys that are seen often enough or have a weight in the base."""
        known = {one.spec: one.keys for one in base.features} if base else {}
        keys: list[np.ndarray | None] = []
        first = [0]
        for used, column in zip(positions.features, positions.levels, strict=True):
            kept = None
            if has_keys(used):
                named, counts = np.unique(_names(used, column), return_counts=True)
                kept = named[(counts >= fewest) & (named != NOTHING)]
                if (more := known.get(str(used))) is not None:
                    kept = np.union1d(kept, more)
            keys.append(kept)
            first.append(first[-1] + (len(used.part.options["levels"]) - 1 if kept is None else kept.size))
        return cls(positions.features, keys, first)

    def matrix(self, positions: Positions) -> csr_matrix:
        """By row of the positions and column: 1 where the move has the level."""
        table = np.empty((positions.rows, len(self.features)), np.int32)
        for number, (used, column) in enumerate(zip(self.features, positions.levels, strict=True)):
            table[:, number] = self._columns(number, used, column)
        is_there = table >= 0
        ends = np.concatenate([[0], np.cumsum(is_there.sum(1))])
        indices = table[is_there]
        return csr_matrix((np.ones(indices.size, np.float32), indices, ends), shape=(positions.rows, self.first[-1]))

    def _columns(self, number: int, used: BoundPart, column: np.ndarray) -> np.ndarray:
        kept = self.keys[number]
        if kept is None:
            return np.where(column > 0, column.astype(np.int32) - 1 + self.first[number], -1)
        if kept.size == 0:
            return np.full(column.size, -1)
        names = _names(used, column)
        place = np.minimum(np.searchsorted(kept, names), kept.size - 1)
        return np.where(kept[place] == names, place + self.first[number], -1)

    def split(self, values: np.ndarray) -> tuple[FeatureWeights, ...]:
        """The values of all columns as weights of the features."""
        found = []
        for number, used in enumerate(self.features):
            own = values[self.first[number] : self.first[number + 1]]
            kept = self.keys[number]
            found.append(FeatureWeights(str(used), np.concatenate([[0.0], own]) if kept is None else own, kept))
        return tuple(found)

    def joined(self, weights: Weights) -> np.ndarray:
        """The values of all columns that known weights have, 0 for the others."""
        values = np.zeros(self.first[-1])
        known = {one.spec: one for one in weights.features}
        for number, used in enumerate(self.features):
            one, kept = known.get(str(used)), self.keys[number]
            if one is None:
                continue
            own = values[self.first[number] : self.first[number + 1]]
            if kept is None:
                own[:] = one.values[1:]
            elif one.keys is not None:
                _, here, there = np.intersect1d(kept, one.keys, return_indices=True)
                own[here] = one.values[there]
        return values


def _names(used: BoundPart, column: np.ndarray) -> np.ndarray:
    """For each key the smallest of its images."""
    keys, back = np.unique(column, return_inverse=True)
    names: np.ndarray = np.where(keys == NOTHING, NOTHING, used.part.options["levels"].images(keys, used.values).min(0))
    return names[back]


# --- likelihood -------------------------------------------------------------------------------------------------------


class Likelihood:
    """The likelihood of what was wished for in some positions, as a function of the weights."""

    def __init__(self, positions: Positions, columns: Columns) -> None:
        self._matrix = columns.matrix(positions)
        self._transposed = self._matrix.T
        self._positions = positions
        self._first = positions.starts[:-1]
        self._lengths = np.diff(positions.starts)

    def shares(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By row: the share of the move, and its logarithm."""
        strength = self._matrix @ values.astype(np.float32)
        strength -= np.repeat(np.maximum.reduceat(strength, self._first), self._lengths)
        shares = np.exp(strength)
        total = np.add.reduceat(shares, self._first)
        return shares / np.repeat(total, self._lengths), strength - np.repeat(np.log(total), self._lengths)

    def loss(self, values: np.ndarray, ridge: float, center: np.ndarray | float = 0.0) -> tuple[float, np.ndarray]:
        """What is to be minimised, and its slope; `center` is what the ridge draws to."""
        shares, logarithms = self.shares(values)
        wishes = self._positions.wishes
        likelihood = float(np.dot(wishes.astype(np.float64), logarithms))
        slope = self._transposed @ (shares - wishes)
        away = values - center
        return 0.5 * ridge * float(away @ away) - likelihood, slope.astype(np.float64) + ridge * away

    def figures(self, values: np.ndarray) -> list[tuple[float, float, int]]:
        """By position: the logarithm of the share of what was wished for, that if all were alike, and the rank of the
        move; of moves that are alike half come before it."""
        _, logarithms = self.shares(values)
        wishes = np.add.reduceat(self._positions.wishes * logarithms, self._first)
        own = np.repeat(logarithms[self._positions.chosen], self._lengths)
        better = np.add.reduceat((logarithms > own).astype(np.int64), self._first)
        alike = np.add.reduceat((logarithms == own).astype(np.int64), self._first)
        return list(
            zip(wishes.tolist(), (-np.log(self._lengths)).tolist(), (better + alike // 2).tolist(), strict=True)
        )


def told(rows: Sequence[tuple[float, float, int]], games: np.ndarray) -> Figures:
    """Figures over some positions, which are of these games."""
    likelihoods, uniforms, ranks = (np.array(column) for column in zip(*rows, strict=True))
    curve = tuple(float((ranks < k).mean()) for k in range(1, MOST_CHOICES + 1))
    return Figures(np.unique(games).size, len(rows), float(likelihoods.mean()), float(uniforms.mean()), curve)


# --- fitting ----------------------------------------------------------------------------------------------------------


def split_games(positions: Positions, share: float, seed: int, only_tested: Sequence[str] = ()) -> np.ndarray:
    """By position: whether it is held out, as all of its game is, and all games of the sources that are only tested.

    Raises ValueError if there would be nothing to learn from, or nothing to test with.
    """
    games = len(positions.sources)
    chance = np.random.default_rng(seed)
    tested = np.zeros(games, bool)
    tested[chance.permutation(games)[: max(1, round(share * games))]] = True
    tested |= np.isin(np.array(positions.sources), list(only_tested))
    held_out: np.ndarray = tested[positions.games]
    if held_out.all() or not held_out.any():
        raise ValueError(f"{plural(games, 'game')}: too few: some are learned from and others are held out")
    return held_out


def fit(
    positions: Positions,
    wanted: Wanted,
    header: Mapping[str, Any],
    *,
    only_tested: Sequence[str] = (),
    base: Weights | None = None,
    start: Weights | None = None,
    step: Callable[[int], None] = lambda _number: None,
) -> Fit:
    """Fit weights to positions; `step` hears of every step. What these positions do not tell stays as in `base`, 0 if
    there is none. The optimiser begins at `start` if that is given.

    Ctrl-C ends it with what it has then. Raises ValueError if there is too little to learn from.
    """
    held_out = split_games(positions, wanted.held_out, wanted.seed, only_tested)
    lessons, tests = positions.only(~held_out), positions.only(held_out)
    columns = Columns.of(lessons, wanted.fewest, base)
    likelihood = Likelihood(lessons, columns)
    center = columns.joined(base) if base else np.zeros(columns.first[-1])
    best = _Best(columns.joined(start) if start else center, step)
    try:
        minimize(
            likelihood.loss,
            best.values,
            args=(wanted.ridge, center),
            jac=True,
            method="L-BFGS-B",
            callback=best.note,
            options={"maxiter": wanted.steps, "ftol": 1e-7, "maxcor": 20},
        )
    except KeyboardInterrupt:
        best.is_interrupted = True
    rows = Likelihood(tests, columns).figures(best.values)
    return Fit(
        Weights(columns.split(best.values), header),
        told(likelihood.figures(best.values), lessons.games),
        told(rows, tests.games),
        _by_source(rows, tests),
        best.steps,
        best.is_interrupted,
    )


def _by_source(rows: Sequence[tuple[float, float, int]], positions: Positions) -> dict[str, Figures]:
    sources = np.array([positions.sources[game] for game in positions.games])
    found = {}
    for source in dict.fromkeys(sources.tolist()):
        here = np.flatnonzero(sources == source)
        found[source] = told([rows[row] for row in here.tolist()], positions.games[here])
    return found


@dataclass
class _Best:
    """How far the optimiser has got."""

    values: np.ndarray
    step: Callable[[int], None]
    steps: int = 0
    is_interrupted: bool = False

    def note(self, values: np.ndarray) -> None:
        self.values = values.copy()
        self.steps += 1
        self.step(self.steps)
