"""Weights of playouts that make their results right on average: simulation balancing (Silver and Tesauro 2009).

A playout policy need not play well; it should win as often as the position deserves. For a position with known value
V*, the mean result V of some playouts is the error of the policy. Others give the gradient of the result: the mean of
the result times the sum over all drawn moves of the gradient of the logarithm of their probability. The weights move by
(V* − V) times that gradient. Steps are scaled for each weight by its earlier steps (AdaGrad: Duchi et al. 2011), since
most shapes are rare.

Reading order: `balance`, then `_PlayoutThreads`; the kernels are in `kikashi.playout.tracing`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any

import numpy as np

from kikashi.board.points import BLACK
from kikashi.board.rng import stream
from kikashi.engine.tree_reuse import root_of
from kikashi.files import write_whole
from kikashi.jit import announced
from kikashi.learn.labels import Label, game_after
from kikashi.parts.registry import PartError, PartSpec, as_part, as_specs
from kikashi.playout.policy import make_policy
from kikashi.playout.simulation import Root
from kikashi.playout.tracing import run_traced, run_valued
from kikashi.playout.weights import FeatureWeights, Weights, give_weights, new_model
from kikashi.playout.worker import Memories, Worker
from kikashi.wording import plural

ROULETTE = "roulette"
TINY = 1e-12


@dataclass(frozen=True)
class BalanceSettings:
    """Settings of balancing. Raises ValueError."""

    playouts: int = 100
    """Playouts from each position for its value, and as many again for the gradient."""
    passes: int = 4
    """Passes over all positions."""
    batch: int = 32
    """Positions of one step."""
    rate: float = 0.03
    """Size of a weight's first step."""
    held_out: float = 0.2
    """Fraction of the games whose positions are only tested."""
    tested: int = 1_000
    """Playouts from each tested position."""
    policy: str = ROULETTE
    """Heuristics of the playouts; one is the roulette that is trained."""
    threads: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.playouts, self.batch, self.threads) < 1 or self.passes < 0 or self.tested < 2:
            raise ValueError("there must be playouts, positions and threads, one at least, and two playouts of tests")
        if not 0 < self.rate < np.inf:
            raise ValueError(f"the rate must be above 0 and finite, not {self.rate:g}")
        if not 0 < self.held_out < 1:
            raise ValueError(f"the share of games that are held out is between 0 and 1, not {self.held_out:g}")


@dataclass(frozen=True)
class Calibration:
    """The error of playout results against the values of positions."""

    positions: int
    error: float
    """Mean squared difference, without the part of chance."""
    bias: float
    """Mean difference for the player to move: above 0 if playouts overestimate it."""


@dataclass
class BalanceResult:
    """Balanced weights, with their calibration on held-out positions."""

    weights: Weights
    before: Calibration
    after: Calibration
    by_pass: list[float]
    """The error after each pass."""
    is_interrupted: bool = False


def balance(
    start: Weights,
    labels: Sequence[Label],
    settings: BalanceSettings,
    *,
    komi: float = 7.5,
    step: Callable[[int, int], None] = lambda _done, _of: None,
) -> BalanceResult:
    """Change weights until playouts win as often as labels say; `step` gets the positions done, and of how many.

    The same seed gives the same weights, whatever the number of threads. Ctrl-C ends it with the weights of the last
    pass. Raises PartError if a part fails, ValueError if there are too few labels.
    """
    training, tests = _split([(one, root_of(game_after(one.moves, start.size, komi))) for one in labels], settings)
    chance = np.random.default_rng(settings.seed)
    with _PlayoutThreads(start, settings) as threads:
        values, squares = flatten(start), np.zeros(threads.columns)
        before = after = threads.calibration(tests)
        result = BalanceResult(start, before, after, [])
        batches = -(-len(training) // settings.batch)
        try:
            for number in range(settings.passes):
                order = chance.permutation(len(training))
                for at in range(batches):
                    chosen = order[at * settings.batch : (at + 1) * settings.batch]
                    gradient = threads.gradient([training[i] for i in chosen.tolist()], number * batches + at)
                    squares += gradient * gradient
                    values += settings.rate * gradient / np.sqrt(squares + TINY)
                    threads.set_weights(values)
                    step(number * len(training) + at * settings.batch + chosen.size, settings.passes * len(training))
                after = threads.calibration(tests)
                result = BalanceResult(unflatten(start, values), before, after, [*result.by_pass, after.error])
        except KeyboardInterrupt:
            result.is_interrupted = True
    return result


def _split(labelled: list[tuple[Label, Root]], settings: BalanceSettings) -> tuple[list[Any], list[Any]]:
    """Return the positions to learn from, and those of the held-out games."""
    games = sorted({one.game for one, _ in labelled})
    count = max(1, round(settings.held_out * len(games)))
    tested = set(np.random.default_rng(settings.seed).permutation(games)[:count].tolist())
    training, tests = ([pair for pair in labelled if (pair[0].game in tested) == side] for side in (False, True))
    if not training or not tests:
        raise ValueError(f"{plural(len(games), 'game')}: too few: some are learned from and others are held out")
    return training, tests


def list_with_weights(listed: str, path: Path) -> list[PartSpec]:
    """Give the one roulette of a list of heuristics the weights of a file. Raises PartError."""
    parts = [as_part(spec) for spec in as_specs(listed)]
    if [name for name, _ in parts].count(ROULETTE) != 1:
        raise PartError(f"playouts that are learned have one {ROULETTE}, unlike {listed}")
    more = {ROULETTE: {"weights": str(path)}}
    return [{"part": name, **values, **more.get(name, {})} for name, values in parts]


# --- weights as one array ---------------------------------------------------------------------------------------------


def flatten(weights: Weights) -> np.ndarray:
    """Return all weights of all features as one array, without level 0, whose weight is 0."""
    return np.concatenate([one.values[int(one.keys is None) :] for one in weights.features])


def unflatten(like: Weights, values: np.ndarray) -> Weights:
    """Return weights with these values and the features of others: the opposite of `flatten`."""
    found, at = [], 0
    for one in like.features:
        skipped = int(one.keys is None)
        count = one.values.size - skipped
        found.append(FeatureWeights(one.spec, np.concatenate([np.zeros(skipped), values[at : at + count]]), one.keys))
        at += count
    return Weights(tuple(found), like.header)


# --- playouts with variable weights -----------------------------------------------------------------------------------


class _PlayoutThreads:
    """Threads that run playouts with variable weights, and compute gradients of their results."""

    def __init__(self, start: Weights, settings: BalanceSettings) -> None:
        self._settings = settings
        self.columns = flatten(start).size
        with TemporaryDirectory() as folder:
            path = Path(folder, "weights.npz")
            write_whole(path, start.as_bytes())
            policy = make_policy(list_with_weights(settings.policy, path))
            self._row = next(row for row, used in enumerate(policy.heuristics) if used.part.name == ROULETTE)
            with announced([run_traced, run_valued, *policy.functions], "for learning"):
                self._workers = [
                    _TracedWorker(Worker(policy, Memories(), size=start.size, seed=settings.seed), str(path), start)
                    for _ in range(settings.threads)
                ]
        self.set_weights(flatten(start))
        self._is_over = Event()
        self._pool = ThreadPoolExecutor(settings.threads)

    def __enter__(self) -> _PlayoutThreads:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()  # after Ctrl-C: do not wait for the rest
        self._pool.shutdown(cancel_futures=True)

    def set_weights(self, values: np.ndarray) -> None:
        for worker in self._workers:
            worker.set_weights(values)

    def gradient(self, positions: Sequence[tuple[Label, Root]], batch: int) -> np.ndarray:
        """Return the mean step of the weights for these positions."""

        def one(worker: _TracedWorker, number: int) -> np.ndarray:
            label, root = positions[number]
            worker.begin(self._settings.seed, 1 + batch, number)
            value = worker.value(root, self._settings.playouts)
            return (label.value - value) * worker.gradient(root, self._row, value, self._settings.playouts)

        gradients: list[np.ndarray] = self._map(one, len(positions))
        return np.asarray(np.mean(gradients, axis=0))

    def calibration(self, positions: Sequence[tuple[Label, Root]]) -> Calibration:
        """Compare playouts with labels, always by the same random numbers."""
        tested = self._settings.tested

        def one(worker: _TracedWorker, number: int) -> float:
            worker.begin(self._settings.seed, 0, number)
            return worker.value(positions[number][1], tested)

        values = np.array(self._map(one, len(positions)))
        errors = values - [label.value for label, _ in positions]
        chance = values * (1 - values) / (tested - 1)
        sides = np.array([1 if root["board"]["to_play"] == BLACK else -1 for _, root in positions])
        return Calibration(len(positions), float((errors**2 - chance).mean()), float((sides * errors).mean()))

    def _map(self, work: Callable[[_TracedWorker, int], Any], count: int) -> list[Any]:
        """Do numbered work in all threads; return the results in order."""
        results: list[Any] = [None] * count

        def run(thread: int) -> None:
            for number in range(thread, count, self._settings.threads):
                if not self._is_over.is_set():
                    results[number] = work(self._workers[thread], number)

        list(self._pool.map(run, range(self._settings.threads)))
        return results


class _TracedWorker:
    """The playouts of one thread, with tables from levels to weights."""

    def __init__(self, worker: Worker, name: str, start: Weights) -> None:
        self._worker = worker
        self._tables = worker.arrays[name]
        numbered = unflatten(start, 1.0 + np.arange(flatten(start).size))
        self._places = new_model(worker, numbered.bound_features())
        self._numbers = give_weights(self._places, numbered)
        self._trace = np.zeros(1 + flatten(start).size)

    def set_weights(self, values: np.ndarray) -> None:
        extended = np.concatenate([[0.0], values])
        for table, numbers in zip(self._tables, self._numbers, strict=True):
            if table.dtype.names:
                table["weight"] = extended[numbers["weight"].astype(np.int64)]
            else:
                table[:] = extended[numbers.astype(np.int64)]

    def begin(self, seed: int, *path: int) -> None:
        self._worker.sim["rng"] = stream(seed, *path)
        self._worker.shared.clear()
        self._worker.private.clear()

    def value(self, root: Root, playouts: int) -> float:
        """Return the fraction of playouts that Black wins."""
        worker = self._worker
        try:
            return float(run_valued(root, worker.sim, worker.moves, worker.record, playouts)) / playouts
        except Exception as error:
            raise worker.explain(error) from error

    def gradient(self, root: Root, row: int, value: float, playouts: int) -> np.ndarray:
        """Return the gradient of that fraction over the weights."""
        worker, sums = self._worker, np.zeros(self._trace.size)
        try:
            run_traced(
                root, worker.sim, worker.moves, worker.record, row, self._places, self._trace, sums, value, playouts
            )
        except Exception as error:
            raise worker.explain(error) from error
        return sums[1:] / playouts
