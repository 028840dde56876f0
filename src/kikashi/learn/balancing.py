"""Weights of playouts that make their results right on the whole: simulation balancing (Silver and Tesauro 2009).

A playout policy need not play well; it should win as often as the position deserves. For a position whose value is
known, V*, the mean result V of some playouts says how wrong the policy is, and others say which way the weights change
the result: the mean of the result times the sum over all drawn moves of the slope of the logarithm of their
probability. The weights go (V* − V) times that way. Steps are scaled for each weight by what it was moved before
(AdaGrad: Duchi et al. 2011), since most shapes are rare.

Reading order: `balance` (the whole), `_Bench` (playouts with weights that change); kernels are in `playout.tracing`.
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
from kikashi.learn.labels import Label, game_at
from kikashi.parts.registry import PartError, PartSpec, as_part, as_specs
from kikashi.playout.model.models import give_weights, new_model
from kikashi.playout.model.weights import FeatureWeights, Weights
from kikashi.playout.policy import make_policy
from kikashi.playout.simulation import Root
from kikashi.playout.tracing import run_traced, run_valued
from kikashi.playout.worker import Memories, Worker
from kikashi.wording import plural

ROULETTE = "roulette"
TINY = 1e-12


@dataclass(frozen=True)
class Balancing:
    """How weights are balanced. Raises ValueError for numbers that make no sense."""

    playouts: int = 100
    """From each position, to know its value; and as many again, to know the way."""
    passes: int = 4
    """How often every position is looked at."""
    batch: int = 32
    """Positions before the weights are changed."""
    rate: float = 0.03
    """How far a weight goes at its first step."""
    held_out: float = 0.2
    """The share of the games whose positions are only tested with."""
    tested: int = 1_000
    """Playouts from each of these."""
    policy: str = ROULETTE
    """The playouts: heuristics of which one is the roulette that is trained."""
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
class Agreement:
    """How far the results of playouts are from the values of positions."""

    positions: int
    error: float
    """The mean square of the difference; what chance adds to it is taken off."""
    bias: float
    """The mean difference, from the side of who is to play: above 0 if playouts think too well of it."""


@dataclass
class Balanced:
    """What was found."""

    weights: Weights
    before: Agreement
    """On positions that were held out."""
    after: Agreement
    by_pass: list[float]
    """The error on them after each pass."""
    is_interrupted: bool = False


def balance(
    start: Weights,
    labels: Sequence[Label],
    wanted: Balancing,
    *,
    komi: float = 7.5,
    step: Callable[[int, int], None] = lambda _done, _of: None,
) -> Balanced:
    """Change weights until playouts with them win as often as labels say; `step` hears how many positions were looked
    at, of how many.

    The same seed gives the same weights, whatever the number of threads. Ctrl-C ends it with what it had after the last
    pass. Raises PartError if a part fails, ValueError if there are too few labels.
    """
    lessons, tests = _split([(one, root_of(game_at(one.moves, start.size, komi))) for one in labels], wanted)
    chance = np.random.default_rng(wanted.seed)
    with _Bench(start, wanted) as bench:
        values, squares = flat(start), np.zeros(bench.columns)
        before = after = bench.agreement(tests)
        found = Balanced(start, before, after, [])
        batches = -(-len(lessons) // wanted.batch)
        try:
            for number in range(wanted.passes):
                order = chance.permutation(len(lessons))
                for at in range(batches):
                    chosen = order[at * wanted.batch : (at + 1) * wanted.batch]
                    slope = bench.slope([lessons[i] for i in chosen.tolist()], number * batches + at)
                    squares += slope * slope
                    values += wanted.rate * slope / np.sqrt(squares + TINY)
                    bench.set(values)
                    step(number * len(lessons) + at * wanted.batch + chosen.size, wanted.passes * len(lessons))
                after = bench.agreement(tests)
                found = Balanced(shaped(start, values), before, after, [*found.by_pass, after.error])
        except KeyboardInterrupt:
            found.is_interrupted = True
    return found


def _split(labelled: list[tuple[Label, Root]], wanted: Balancing) -> tuple[list[Any], list[Any]]:
    """The positions to learn from, and those of the games that are held out."""
    games = sorted({one.game for one, _ in labelled})
    count = max(1, round(wanted.held_out * len(games)))
    tested = set(np.random.default_rng(wanted.seed).permutation(games)[:count].tolist())
    lessons, tests = ([pair for pair in labelled if (pair[0].game in tested) == side] for side in (False, True))
    if not lessons or not tests:
        raise ValueError(f"{plural(len(games), 'game')}: too few: some are learned from and others are held out")
    return lessons, tests


def list_with_weights(listed: str, path: Path) -> list[PartSpec]:
    """A list of heuristics whose roulette has the weights of a file. Raises PartError unless it has one roulette."""
    parts = [as_part(spec) for spec in as_specs(listed)]
    if [name for name, _ in parts].count(ROULETTE) != 1:
        raise PartError(f"playouts that are learned have one {ROULETTE}, unlike {listed}")
    more = {ROULETTE: {"weights": str(path)}}
    return [{"part": name, **values, **more.get(name, {})} for name, values in parts]


# --- weights as one array ---------------------------------------------------------------------------------------------


def flat(weights: Weights) -> np.ndarray:
    """All weights of all features, one after the other; level 0, which weighs nothing, is left out."""
    return np.concatenate([one.values[int(one.keys is None) :] for one in weights.features])


def shaped(like: Weights, values: np.ndarray) -> Weights:
    """The opposite of `flat`."""
    found, at = [], 0
    for one in like.features:
        skipped = int(one.keys is None)
        count = one.values.size - skipped
        found.append(FeatureWeights(one.spec, np.concatenate([np.zeros(skipped), values[at : at + count]]), one.keys))
        at += count
    return Weights(tuple(found), like.header)


# --- playouts with weights that change --------------------------------------------------------------------------------


class _Bench:
    """Threads with playouts whose weights can be changed, and that know the way in which the weights change them."""

    def __init__(self, start: Weights, wanted: Balancing) -> None:
        self._wanted = wanted
        self.columns = flat(start).size
        with TemporaryDirectory() as folder:
            path = Path(folder, "weights.npz")
            write_whole(path, start.as_bytes())
            policy = make_policy(list_with_weights(wanted.policy, path))
            self._row = next(row for row, used in enumerate(policy.heuristics) if used.part.name == ROULETTE)
            with announced([run_traced, run_valued, *policy.functions], "for learning"):
                self._workers = [
                    _Traced(Worker(policy, Memories(), size=start.size, seed=wanted.seed), str(path), start)
                    for _ in range(wanted.threads)
                ]
        self.set(flat(start))
        self._is_over = Event()
        self._pool = ThreadPoolExecutor(wanted.threads)

    def __enter__(self) -> _Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()  # after Ctrl-C nobody wants to wait for the rest
        self._pool.shutdown(cancel_futures=True)

    def set(self, values: np.ndarray) -> None:
        """Have all playouts use these weights from now on."""
        for worker in self._workers:
            worker.set(values)

    def slope(self, positions: Sequence[tuple[Label, Root]], batch: int) -> np.ndarray:
        """Where the weights have to go for these positions, on the mean."""

        def one(worker: _Traced, number: int) -> np.ndarray:
            label, root = positions[number]
            worker.begin(self._wanted.seed, 1 + batch, number)
            value = worker.value(root, self._wanted.playouts)
            return (label.value - value) * worker.way(root, self._row, value, self._wanted.playouts)

        slopes: list[np.ndarray] = self._map(one, len(positions))
        return np.asarray(np.mean(slopes, axis=0))

    def agreement(self, positions: Sequence[tuple[Label, Root]]) -> Agreement:
        """How well playouts agree with labels; always by the same random numbers."""
        tested = self._wanted.tested

        def one(worker: _Traced, number: int) -> float:
            worker.begin(self._wanted.seed, 0, number)
            return worker.value(positions[number][1], tested)

        values = np.array(self._map(one, len(positions)))
        apart = values - [label.value for label, _ in positions]
        chance = values * (1 - values) / (tested - 1)
        sides = np.array([1 if root["board"]["to_play"] == BLACK else -1 for _, root in positions])
        return Agreement(len(positions), float((apart**2 - chance).mean()), float((sides * apart).mean()))

    def _map(self, work: Callable[[_Traced, int], Any], count: int) -> list[Any]:
        """Have the threads share numbers; the results come in order."""
        results: list[Any] = [None] * count

        def run(thread: int) -> None:
            for number in range(thread, count, self._wanted.threads):
                if not self._is_over.is_set():
                    results[number] = work(self._workers[thread], number)

        list(self._pool.map(run, range(self._wanted.threads)))
        return results


class _Traced:
    """A thread's playouts, with the tables that say which weight a level has."""

    def __init__(self, worker: Worker, name: str, start: Weights) -> None:
        self._worker = worker
        self._tables = worker.arrays[name]
        numbered = shaped(start, 1.0 + np.arange(flat(start).size))
        self._places = new_model(worker, numbered.bound_features())
        self._numbers = give_weights(self._places, numbered)
        self._trace = np.zeros(1 + flat(start).size)

    def set(self, values: np.ndarray) -> None:
        extended = np.concatenate([[0.0], values])
        for table, numbers in zip(self._tables, self._numbers, strict=True):
            if table.dtype.names:
                table["weight"] = extended[numbers["weight"].astype(np.int64)]
            else:
                table[:] = extended[numbers.astype(np.int64)]

    def begin(self, seed: int, *path: int) -> None:
        """Forget what playouts have learned, and draw by these random numbers."""
        self._worker.sim["rng"] = stream(seed, *path)
        self._worker.shared.clear()
        self._worker.private.clear()

    def value(self, root: Root, playouts: int) -> float:
        """How often Black wins."""
        worker = self._worker
        try:
            return float(run_valued(root, worker.sim, worker.moves, worker.record, playouts)) / playouts
        except Exception as error:
            raise worker.explain(error) from error

    def way(self, root: Root, row: int, value: float, playouts: int) -> np.ndarray:
        """How the weights change how often Black wins."""
        worker, sums = self._worker, np.zeros(self._trace.size)
        try:
            run_traced(
                root, worker.sim, worker.moves, worker.record, row, self._places, self._trace, sums, value, playouts
            )
        except Exception as error:
            raise worker.explain(error) from error
        return sums[1:] / playouts
