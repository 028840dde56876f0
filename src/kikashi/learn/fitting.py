"""Weights that make the targets as likely as possible: the generalised Bradley–Terry model (Coulom 2007).

A move is a team of its levels. Its strength is the product of their gammas, and its probability its strength by the sum
over all moves. We maximise the likelihood over the logarithms of the gammas, less a small ridge, by L-BFGS: the
function is concave, and a step costs two products with a sparse matrix.

Values of positions are a logistic regression over the same levels: the weights of all moves of a position add up.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit, xlogy

from kikashi.learn.dataset import NO_LEVEL, Dataset, has_keys
from kikashi.parts.binding import BoundPart
from kikashi.playout.weights import VALUES, FeatureWeights, Weights
from kikashi.wording import plural

MAX_RANK = 30
"""The last rank of the curve of predictions."""


@dataclass(frozen=True)
class FitSettings:
    """Settings of a fit. Raises ValueError."""

    ridge: float = 1.0
    """Twice the cost of a weight's square, or of its squared distance from the base."""
    fewest: int = 10
    """Occurrences that a key needs to have a weight."""
    steps: int = 150
    """Steps of the optimiser at most."""
    held_out: float = 0.1
    """Fraction of the games that are not learned from, but predicted."""
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.ridge > 0:
            raise ValueError(f"the ridge must be above 0, not {self.ridge:g}")
        if not 0 < self.held_out < 1:
            raise ValueError(f"the share of games that are held out is between 0 and 1, not {self.held_out:g}")
        if self.fewest < 1 or self.steps < 1:
            raise ValueError("a key must be seen once at least, and the optimiser make one step")


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of predicted moves."""

    games: int
    positions: int
    likelihood: float
    """Mean log-likelihood of the targets."""
    uniform: float
    """The same if all moves were equally likely."""
    curve: tuple[float, ...]
    """By k from 1 on: fraction of the positions whose move was among the first k."""

    @property
    def first(self) -> float:
        """Fraction of the moves that were the first choice."""
        return self.curve[0]

    def as_json(self) -> dict[str, Any]:
        """Return plain data, for the header of a file or a program."""
        numbers = {name: round(getattr(self, name), 4) for name in ("first", "likelihood", "uniform")}
        curve = [round(share, 4) for share in self.curve]
        return {"games": self.games, "positions": self.positions, **numbers, "curve": curve}


@dataclass
class Fit:
    """Fitted weights, with their accuracy on games that they were fitted to and on others."""

    weights: Weights
    learned_from: Accuracy
    held_out: Accuracy
    by_source: Mapping[str, Accuracy] = field(default_factory=dict)
    """Accuracy on held-out games, by their source."""
    steps: int = 0
    is_interrupted: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the accuracies as plain data."""
        return {
            "learned_from": self.learned_from.as_json(),
            "held_out": self.held_out.as_json(),
            "by_source": {source: accuracy.as_json() for source, accuracy in self.by_source.items()},
            "steps": self.steps,
        }

    def with_header(self) -> Weights:
        """Return the weights with the accuracies in their header."""
        return Weights(self.weights.features, {**self.weights.header, "figures": self.as_json()})


# --- columns ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """The columns of the matrix, one for each weight: level 0 and rare keys have none."""

    features: Sequence[BoundPart]
    keys: Sequence[np.ndarray | None]
    """For each feature with keys: those that have a weight, sorted."""
    first: Sequence[int]
    """The first column of each feature, and at the end the number of columns."""

    @classmethod
    def of(cls, data: Dataset, fewest: int, base: Weights | None = None) -> Self:
        """Return the columns of all levels, and of keys that are frequent enough or have a weight in the base."""
        known = {one.spec: one.keys for one in base.features} if base else {}
        keys: list[np.ndarray | None] = []
        first = [0]
        for used, column in zip(data.features, data.levels, strict=True):
            kept = None
            if has_keys(used):
                named, counts = np.unique(_canonical_keys(used, column), return_counts=True)
                kept = named[(counts >= fewest) & (named != NO_LEVEL)]
                if (more := known.get(str(used))) is not None:
                    kept = np.union1d(kept, more)
            keys.append(kept)
            first.append(first[-1] + (len(used.part.options["levels"]) - 1 if kept is None else kept.size))
        return cls(data.features, keys, first)

    def matrix(self, data: Dataset) -> csr_matrix:
        """Return the matrix with 1 where the move of a row has the level of a column."""
        table = np.empty((data.rows, len(self.features)), np.int32)
        for number, (used, column) in enumerate(zip(self.features, data.levels, strict=True)):
            table[:, number] = self._columns(number, used, column)
        is_there = table >= 0
        ends = np.concatenate([[0], np.cumsum(is_there.sum(1))])
        indices = table[is_there]
        return csr_matrix((np.ones(indices.size, np.float32), indices, ends), shape=(data.rows, self.first[-1]))

    def _columns(self, number: int, used: BoundPart, column: np.ndarray) -> np.ndarray:
        kept = self.keys[number]
        if kept is None:
            return np.where(column > 0, column.astype(np.int32) - 1 + self.first[number], -1)
        if kept.size == 0:
            return np.full(column.size, -1)
        names = _canonical_keys(used, column)
        place = np.minimum(np.searchsorted(kept, names), kept.size - 1)
        return np.where(kept[place] == names, place + self.first[number], -1)

    def weights(self, values: np.ndarray) -> tuple[FeatureWeights, ...]:
        found = []
        for number, used in enumerate(self.features):
            own = values[self.first[number] : self.first[number + 1]]
            kept = self.keys[number]
            found.append(FeatureWeights(str(used), np.concatenate([[0.0], own]) if kept is None else own, kept))
        return tuple(found)

    def values(self, weights: Weights) -> np.ndarray:
        """Return the values of all columns in known weights, 0 where they have none."""
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


def _canonical_keys(used: BoundPart, column: np.ndarray) -> np.ndarray:
    """Return for each key the smallest of its images."""
    keys, back = np.unique(column, return_inverse=True)
    images = used.part.options["levels"].images(keys, used.values)
    names: np.ndarray = np.where(keys == NO_LEVEL, NO_LEVEL, images.min(0))
    return names[back]


# --- likelihood -------------------------------------------------------------------------------------------------------


class Likelihood:
    """The likelihood of the targets as a function of the weights."""

    def __init__(self, data: Dataset, columns: Columns) -> None:
        self._matrix = columns.matrix(data)
        self._transposed = self._matrix.T
        self._data = data
        self._first = data.starts[:-1]
        self._lengths = np.diff(data.starts)

    def probabilities(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the probability of each row, and its logarithm."""
        strength = self._matrix @ values.astype(np.float32)
        strength -= np.repeat(np.maximum.reduceat(strength, self._first), self._lengths)
        shares = np.exp(strength)
        total = np.add.reduceat(shares, self._first)
        return shares / np.repeat(total, self._lengths), strength - np.repeat(np.log(total), self._lengths)

    def loss(self, values: np.ndarray, ridge: float, center: np.ndarray | float = 0.0) -> tuple[float, np.ndarray]:
        """Return the negative log-likelihood plus the ridge around `center`, and the gradient."""
        probabilities, logarithms = self.probabilities(values)
        targets = self._data.targets
        likelihood = float(np.dot(targets.astype(np.float64), logarithms))
        gradient = self._transposed @ (probabilities - targets)
        away = values - center
        return 0.5 * ridge * float(away @ away) - likelihood, gradient.astype(np.float64) + ridge * away

    def predict(self, values: np.ndarray) -> np.ndarray:
        """Return three rows with a column for each position.

        These are the log-likelihood of its target, that of a uniform choice, and the rank of the move, before which
        half of the equally likely moves come.
        """
        _, logarithms = self.probabilities(values)
        likelihoods = np.add.reduceat(self._data.targets * logarithms, self._first)
        own = np.repeat(logarithms[self._data.chosen], self._lengths)
        better = np.add.reduceat((logarithms > own).astype(np.int64), self._first)
        equal = np.add.reduceat((logarithms == own).astype(np.int64), self._first)
        return np.stack([likelihoods.astype(np.float64), -np.log(self._lengths), better + equal // 2])


class ValueLikelihood(Likelihood):
    """The likelihood of the results of games as a function of the weights of values."""

    def __init__(self, data: Dataset, columns: Columns) -> None:
        super().__init__(data, columns)
        sums = csr_matrix((np.ones(data.rows, np.float32), np.arange(data.rows), data.starts))
        self._matrix = sums @ self._matrix
        self._transposed = self._matrix.T

    def loss(self, values: np.ndarray, ridge: float, center: np.ndarray | float = 0.0) -> tuple[float, np.ndarray]:
        """Return the negative log-likelihood plus the ridge around `center`, and the gradient."""
        chances = expit(self._matrix @ values)
        away = values - center
        loss = 0.5 * ridge * float(away @ away) - float(self._log_likelihoods(chances).sum())
        return loss, self._transposed @ (chances - self._data.values) + ridge * away

    def predict(self, values: np.ndarray) -> np.ndarray:
        """Return the log-likelihood of each result, that of an even chance, and 0 where the likelier side has won."""
        chances = expit(self._matrix @ values)
        is_wrong = (chances > 0.5) != (self._data.values > 0.5)
        return np.stack([self._log_likelihoods(chances), np.full(self._data.count, np.log(0.5)), is_wrong])

    def _log_likelihoods(self, chances: np.ndarray) -> np.ndarray:
        won = self._data.values
        found: np.ndarray = xlogy(won, chances) + xlogy(1 - won, 1 - chances)
        return found


def _accuracy(predictions: np.ndarray, games: np.ndarray) -> Accuracy:
    likelihoods, uniforms, ranks = predictions
    curve = tuple(float((ranks < k).mean()) for k in range(1, MAX_RANK + 1))
    return Accuracy(np.unique(games).size, games.size, float(likelihoods.mean()), float(uniforms.mean()), curve)


# --- fitting ----------------------------------------------------------------------------------------------------------


def _held_out_positions(data: Dataset, fraction: float, seed: int, only_tested: Sequence[str] = ()) -> np.ndarray:
    """Return by position whether its game is held out: by chance, or since its source is only tested.

    Raises ValueError if there would be nothing to learn from, or nothing to test with.
    """
    games = len(data.sources)
    chance = np.random.default_rng(seed)
    tested = np.zeros(games, bool)
    tested[chance.permutation(games)[: max(1, round(fraction * games))]] = True
    tested |= np.isin(np.array(data.sources), list(only_tested))
    held_out: np.ndarray = tested[data.games]
    if held_out.all() or not held_out.any():
        raise ValueError(f"{plural(games, 'game')}: too few: some are learned from and others are held out")
    return held_out


def fit(
    data: Dataset,
    settings: FitSettings,
    header: Mapping[str, Any],
    *,
    only_tested: Sequence[str] = (),
    base: Weights | None = None,
    start: Weights | None = None,
    step: Callable[[int], None] = lambda _number: None,
) -> Fit:
    """Fit weights to positions; `step` gets the number of every step.

    Weights that these positions do not determine stay as in `base`, or 0. The optimiser begins at `start` if that is
    given. Ctrl-C ends it with the weights of the last step. Raises ValueError if there is too little to learn from.
    With the target "values" in the header they are weights of results, not of moves.
    """
    kind: type[Likelihood] = Likelihood
    if header.get("target") == VALUES:
        data, kind = data.select(data.values != 0.5), ValueLikelihood
        if not data.count:
            raise ValueError("no winner of these games is known")
    held_out = _held_out_positions(data, settings.held_out, settings.seed, only_tested)
    training, test = data.select(~held_out), data.select(held_out)
    columns = Columns.of(training, settings.fewest, base)
    likelihood = kind(training, columns)
    center = columns.values(base) if base else np.zeros(columns.first[-1])
    best = columns.values(start) if start else center
    steps, is_interrupted = 0, False

    def keep(values: np.ndarray) -> None:
        nonlocal best, steps
        best, steps = values.copy(), steps + 1
        step(steps)

    try:
        minimize(
            likelihood.loss,
            best,
            args=(settings.ridge, center),
            jac=True,
            method="L-BFGS-B",
            callback=keep,
            options={"maxiter": settings.steps, "ftol": 1e-7, "maxcor": 20},
        )
    except KeyboardInterrupt:
        is_interrupted = True
    predictions = kind(test, columns).predict(best)
    sources = np.array([test.sources[game] for game in test.games])
    rows_of = {source: np.flatnonzero(sources == source) for source in dict.fromkeys(sources.tolist())}
    return Fit(
        Weights(columns.weights(best), header),
        _accuracy(likelihood.predict(best), training.games),
        _accuracy(predictions, test.games),
        {source: _accuracy(predictions[:, rows], test.games[rows]) for source, rows in rows_of.items()},
        steps,
        is_interrupted,
    )
