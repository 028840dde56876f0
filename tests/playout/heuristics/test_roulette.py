"""The roulette of learned playouts: what it lists, by which weights, and how these change what is drawn."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from helpers.heuristic_cases import odds, propose, random_games, root_at
from helpers.naive import NaiveBoard
from helpers.naive_features import FEATURES, CandidateMove
from helpers.toy_weights import toy_weights, written
from kikashi.board.points import EMPTY, MAX_SIZE, PASS, vertex
from kikashi.learn.balancing import flatten, unflatten
from kikashi.learn.dataset import FeatureExtractor, features_named
from kikashi.playout import make_policy
from kikashi.playout.loop import begin
from kikashi.playout.tracing import add_slope
from kikashi.playout.weights import Weights, give_weights, new_model
from kikashi.playout.worker import Memories, Worker

SPECS = ("capture", "escape", "self_atari", "distance")
SIZES = {3: 40, 5: 60, 9: 60, 19: 12}
"""By size: positions that are looked at."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("weights"), toy_weights(*SPECS))


def worker_with(path: str, **values: float) -> Worker:
    part = {"part": "roulette", "weights": path, **values}
    return Worker(make_policy([part]), Memories(), size=MAX_SIZE, seed=1)


def positions(size: int) -> Iterator[tuple[NaiveBoard, tuple[int, ...]]]:
    step = max(1, size * size // 12) | 1
    games = random_games(size, step * SIZES[size], seed=5)
    return ((naive.copy(), tuple(played)) for naive, played in islice(games, 0, None, step))


def urgent(naive: NaiveBoard, played: tuple[int, ...], last: int) -> set[int]:
    """The points around the last moves, and the last liberties of all chains in atari, that may be played."""
    centers = [p for p in played[::-1][:last] if p != PASS]
    near = {q for p in centers for q in naive.neighbours(p) | naive.diagonals(p)}
    stones = [p for p in naive.points() if naive.color_at(p) != EMPTY and naive.in_atari(p)]
    liberties = {naive.atari_liberty(p) for p in stones}
    return {p for p in near | liberties if naive.is_legal(p) and not naive.is_eyelike(p, naive.to_play)}


@pytest.mark.parametrize("last", [0, 1, 2])
@pytest.mark.parametrize("size", SIZES)
def test_urgent_points_are_listed_by_the_weights_of_their_levels(size: int, last: int, path: str) -> None:
    weights, worker, listed = toy_weights(*SPECS), worker_with(path, last=last, others=0.5), 0
    for naive, played in positions(size):
        begin(worker.sim, worker.record, root_at(naive, played[-8:]))
        proposal = propose(worker)
        wanted = {}
        for p in urgent(naive, played, last):
            levels = [FEATURES[spec](CandidateMove(naive, p, played)) for spec in SPECS]
            wanted[p] = np.exp(sum(one.values[level] for one, level in zip(weights.features, levels, strict=True)))
        assert proposal.weights == pytest.approx(wanted, rel=1e-5), f"{naive}"
        assert proposal.base == 0.5
        listed += len(wanted)
    assert listed > 20


def test_gradients_are_levels_less_their_expectation(tmp_path: Path) -> None:
    """Of the logarithm of the probability of every move; keys and their mirror images have one weight."""
    eye = FeatureExtractor(features_named([*SPECS, "shape(rings=1)"]), MAX_SIZE)
    keys = used_keys(eye)
    weights = toy_weights(*SPECS, "shape(rings=1)", keys={"shape(rings=1)": keys})
    worker, looked_at = worker_with(written(tmp_path, weights)), 0
    places = new_model(worker, weights.bound_features())
    kept = give_weights(places, unflatten(weights, 1.0 + np.arange(flatten(weights).size)))
    for naive, played in positions(5):
        root = root_at(naive, played[-8:])
        begin(worker.sim, worker.record, root)
        drawn_by = odds(worker, propose(worker))
        total = sum(drawn_by.values())
        rows = dict(zip(*(found.tolist() for found in eye.extract(root)), strict=True))
        listed = urgent(naive, played, 2)
        levels = {p: as_columns(weights, rows[p]) if p in listed else np.zeros(flatten(weights).size) for p in rows}
        expected = sum((levels[p] * drawn_by[p] / total for p in rows), np.zeros(flatten(weights).size))
        for p in (p for p, weight in drawn_by.items() if weight > 0):
            trace = np.zeros(1 + flatten(weights).size)
            add_slope(worker.sim, worker.moves, worker.record, 0, places, trace, p)
            assert trace[1:] == pytest.approx(levels[p] - expected, abs=1e-6), f"{vertex(p)}\n{naive}"
            looked_at += p in listed
    assert looked_at > 50
    assert kept


def used_keys(eye: FeatureExtractor) -> list[int]:
    """Keys that occur, half of them: the others have no weight."""
    found = {int(row[-1]) for naive, played in positions(5) for row in eye.extract(root_at(naive, played[-8:]))[1]}
    return sorted(found)[::2]


def as_columns(weights: Weights, row: list[int]) -> np.ndarray:
    """1 in the places of a move's levels."""
    found = []
    for one, level in zip(weights.features, row, strict=True):
        if one.keys is None:
            found.append(np.arange(1, one.values.size) == level)
        else:
            used = one.bind()
            found.append(one.keys == used.part.options["levels"].images(np.array([level]), used.values).min())
    return np.concatenate(found).astype(float)
