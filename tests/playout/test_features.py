"""Features of moves: diagrams in 16 versions, slow twins on random positions, and keys that know mirror images."""

from functools import cache
from itertools import islice
from random import Random

import numpy as np
import pytest

from helpers.heuristic_cases import Case, answer, cases, empty_points, put, random_games, root_at
from helpers.naive import NaiveBoard
from helpers.naive_features import FEATURES, CandidateMove, shape
from kikashi.board.points import BLACK, MAX_SIZE, PASS, WHITE, vertex
from kikashi.learn.dataset import FeatureExtractor, features_named, has_keys
from kikashi.parts.registry import all_parts
from kikashi.playout import PartError, feature, make_policy
from kikashi.playout.weights import extract, new_model
from kikashi.playout.worker import Memories, Worker

SIZES = {2: (3, 4), 3: (5, 6), 5: (6, 8), 9: (9, 9), 19: (2, 8)}
"""By size: positions, and moves of each that are asked about."""


@cache
def eye_for(spec: str) -> FeatureExtractor:
    return FeatureExtractor(features_named(spec), MAX_SIZE)


def levels_at(worker: Worker, model: object) -> dict[int, int]:
    """By move: its level, where the worker's simulation is."""
    points, levels = np.zeros(MAX_SIZE**2, np.int64), np.zeros((MAX_SIZE**2, 1), np.int64)
    count = extract(worker.sim, model, points, levels)
    return dict(zip(points[:count].tolist(), levels[:count, 0].tolist(), strict=True))


# -- diagrams ----------------------------------------------------------------------------------------------------------


@cache
def worker_with(spec: str) -> tuple[Worker, object]:
    worker = Worker(make_policy("uniform"), Memories(), size=MAX_SIZE, seed=1)
    return worker, new_model(worker, features_named(spec))


@pytest.mark.parametrize("case", cases("features"), ids=lambda case: case.id)
def test_levels_of_diagrams(case: Case) -> None:
    worker, model = worker_with(case.field("part"))
    for version in case.versions():
        put(worker, version)
        found, wanted = levels_at(worker, model), answer(version, empty_points(worker))
        different = {vertex(p): level for p, level in found.items() if level != wanted[p]}
        missing = [vertex(p) for p, level in wanted.items() if level and p not in found]
        assert not different, f"found {different}\n{version}"
        assert not missing, f"not judged {missing}\n{version}"


def test_every_feature_has_a_diagram_or_keys_or_reads_simulations() -> None:
    asked = {case.field("part").partition("(")[0] for case in cases("features")}
    others = {"shape", "reply", "owner", "criticality"}
    own = {part.name for part in all_parts(feature) if part.function.__module__.startswith("kikashi.")}
    assert own == asked | others


# -- slow twins --------------------------------------------------------------------------------------------------------


def positions_of(size: int, count: int) -> list[tuple[NaiveBoard, tuple[int, ...]]]:
    """Positions of random games full of fights, with the moves that led to them."""
    step = max(1, size * size // 12) | 1
    games = random_games(size, step * count, seed=3)
    return [(naive.copy(), tuple(played)) for naive, played in islice(games, 0, None, step)]


@pytest.mark.parametrize("size", SIZES)
def test_levels_are_those_of_slow_twins(size: int) -> None:
    names, random = list(FEATURES), Random(size)
    eye, seen = eye_for(",".join(names)), {name: set() for name in names}
    count, moves = SIZES[size]
    for naive, played in positions_of(size, count):
        points, levels = eye.extract(root_at(naive, played[-8:]))
        legal = {p for p in naive.points() if naive.is_legal(p) and not naive.is_eyelike(p, naive.to_play)}
        assert set(points.tolist()) == legal, f"\n{naive}"
        rows = list(zip(points.tolist(), levels.tolist(), strict=True))
        for p, row in random.sample(rows, min(moves, len(rows))):
            for name, level in zip(names, row, strict=True):
                seen[name].add(level)
                wanted = FEATURES[name](CandidateMove(naive, p, played))
                assert level == wanted, f"{name} at {vertex(p)} is {level}, not {wanted}\n{naive}"
    assert size != 9 or all(len(levels) > 1 for levels in seen.values()), seen


# -- keys --------------------------------------------------------------------------------------------------------------

KEYED = {f"shape(rings={rings})": (rings, False) for rings in range(1, 6)} | {"reply(rings=2)": (2, True)}


@pytest.mark.parametrize("spec", KEYED)
def test_two_shapes_have_one_name_if_they_are_the_same(spec: str) -> None:
    """By the slow twin: what is around them is the same in one of eight orientations, from the side to play."""
    rings, with_last = KEYED[spec]
    eye = eye_for(spec)
    (used,) = eye.features
    assert has_keys(used)
    names: dict[int, object] = {}
    for size in (5, 9):
        for naive, played in positions_of(size, 6):
            points, levels = eye.extract(root_at(naive, played[-8:]))
            keys = used.part.options["levels"].images(levels[:, 0], used.values).min(0)
            for p, key in zip(points.tolist(), keys.tolist(), strict=True):
                same = shape(CandidateMove(naive, p, played), rings, with_last=with_last)
                assert names.setdefault(key, same) == same, f"{vertex(p)}\n{naive}"
    assert len(set(names.values())) == len(names) > 20


def test_a_shape_is_drawn_as_it_is() -> None:
    naive = NaiveBoard.from_diagram(". . . . .\n. X O . .\n. O . . .\n. . . . .\n. . . . .", BLACK)
    for spec, rows in {
        "shape": ["XO.", "O*.", "..."],
        "shape(rings=1)": [" O ", "O*.", " . "],
        "reply": ["XO.", "@*.", "..."],
    }.items():
        eye = eye_for(spec)
        points, levels = eye.extract(root_at(naive, (PASS, int(naive.points()[11]))))
        (used,) = eye.features
        key = dict(zip(map(vertex, points.tolist()), levels[:, 0].tolist(), strict=True))["C3"]
        drawn = used.part.options["levels"].rows(key, used.values)
        assert drawn == rows


# -- what simulations know ---------------------------------------------------------------------------------------------

DECIDED = """
    . X X O .
    X X X O O
    . . X O .
    X X X O O
    X X X O .
"""


def test_owner_and_criticality_are_those_of_the_playouts() -> None:
    """Nothing is to be won or lost any more: every point is its owner's, and goes with nothing."""
    unknown = FeatureExtractor(features_named("owner,criticality"), 5, playouts=32)
    known = FeatureExtractor(features_named("owner,criticality"), 5, playouts=200)
    open_board = FeatureExtractor(features_named("owner,criticality"), 5, playouts=400)
    naive = NaiveBoard.from_diagram(DECIDED, WHITE)
    points, levels = known.extract(root_at(naive))
    assert dict(zip(map(vertex, points.tolist()), levels.tolist(), strict=True)) == {"A3": [1, 1], "B3": [1, 1]}
    assert (unknown.extract(root_at(naive))[1] == 0).all()
    _, levels = open_board.extract(root_at(NaiveBoard(5), ()))
    assert set(levels[:, 0].tolist()) <= {3, 4, 5}
    assert levels[:, 1].max() >= 3


# -- features of a user's own ------------------------------------------------------------------------------------------


def test_more_features_than_there_is_room_for_is_one_line() -> None:
    with pytest.raises(PartError, match="weights are for at most 32 features, not 33"):
        FeatureExtractor(features_named(["line"] * 33), 9)


def test_a_feature_without_levels_is_refused() -> None:
    with pytest.raises(TypeError, match="@feature needs levels="):
        feature()
