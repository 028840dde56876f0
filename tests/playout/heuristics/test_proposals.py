"""Heuristics on diagrams, in all 16 versions, and beside slow twins in random positions."""

from collections.abc import Callable

import numpy as np
import pytest

from helpers.heuristic_cases import (
    NEAR,
    Case,
    cases,
    chains_in_atari,
    check_proposals,
    check_review,
    empty_points,
    propose,
    put,
    random_games,
    review,
    root_at,
    worker_for,
)
from helpers.naive import NaiveBoard
from helpers.naive_patterns import grid_around, naive_proposals, players
from helpers.naive_tactics import capture_for_eye, escapes, good_liberties, runs_into_ladder, vital_points
from kikashi.board.points import EMPTY, PASS, color_name, opponent, parse_vertex, vertex
from kikashi.board.position import new_board
from kikashi.playout import new_root
from kikashi.playout.loop import begin, is_playable

SIZES = (4, 5, 7, 9, 13)
POSITIONS = 150

# -- diagrams ----------------------------------------------------------------------------------------------------------


def test_a_case_has_sixteen_versions() -> None:
    case = cases("capture")[0]
    versions = list(case.versions())
    assert versions[0] == case
    assert len({str(version) for version in versions}) == 16
    assert {"X capture after B5 -> C3 B2", "O capture after D5 -> C3 D2"} < {version.question for version in versions}


PROPOSALS = [case for name in ("capture", "escape", "pattern3", "shape", "two_liberties") for case in cases(name)]


@pytest.mark.parametrize("case", PROPOSALS, ids=lambda case: case.id)
def test_proposals(case: Case) -> None:
    check_proposals(case)


@pytest.mark.parametrize("case", cases("false_eyes"), ids=lambda case: case.id)
def test_reviews(case: Case) -> None:
    check_review(case)


@pytest.mark.parametrize("case", cases("self_atari"), ids=lambda case: case.id)
def test_self_ataris_that_are_allowed(case: Case) -> None:
    check_proposals(case, feasibility="careful")


@pytest.mark.parametrize(("rate", "low", "high"), [(0.0, 0, 0), (0.3, 60, 180), (1.0, 400, 400)])
def test_a_bad_self_atari_is_refused_with_the_probability_rate(rate: float, low: int, high: int) -> None:
    """Between the bounds with a probability of more than 1 - 1e-8."""
    case = cases("self_atari")[0]
    worker = worker_for(case.field("part"), f"careful(rate={rate})")
    put(worker, case)
    a1 = parse_vertex("A1", case.size)
    assert low <= sum(not is_playable(worker.sim, worker.record, a1) for _ in range(400)) <= high


# -- random positions --------------------------------------------------------------------------------------------------


def captures(naive: NaiveBoard, last: int, before: int) -> set[int]:
    return {naive.atari_liberty(min(chain)) for chain in chains_in_atari(naive)[opponent(naive.to_play)]}


def approaches(naive: NaiveBoard, last: int, before: int) -> set[int]:
    """The liberty that a pattern beside the last move leaves if it is self-atari, unless that is self-atari too."""
    own, found = naive.to_play, set()
    for p in naive.around(last, NEAR) if last != PASS else ():
        if naive.color_at(p) == EMPTY and own in players(grid_around(naive, p)):
            left = naive.liberties_after(p, own)
            if len(left) == 1 and naive.color_at(min(left)) == EMPTY and not naive.is_self_atari(min(left), own):
                found |= left
    return found


def self_ataris(naive: NaiveBoard, last: int, before: int) -> set[int]:
    empty, own = (p for p in naive.points() if naive.color_at(p) == EMPTY), naive.to_play
    return {p for p in empty if naive.is_self_atari(p, own) and not naive.captures(p, own)}


def all_patterns(naive: NaiveBoard, last: int, before: int) -> set[int]:
    empty, own = (p for p in naive.points() if naive.color_at(p) == EMPTY), naive.to_play
    return {p for p in empty if own in players(grid_around(naive, p)) and not naive.is_self_atari(p, own)}


def escapes_from_ladders(naive: NaiveBoard, last: int, before: int) -> set[int]:
    return {p for p in escapes(naive, last) if not runs_into_ladder(naive, p)}


TWINS: dict[str, Callable[[NaiveBoard, int, int], set[int]]] = {
    "capture": captures,
    "escape": lambda naive, last, before: escapes(naive, last),
    "escape(ladders=false)": escapes_from_ladders,
    "pattern3": lambda naive, last, before: naive_proposals(naive, last),
    "pattern3(last=2)": lambda naive, last, before: naive_proposals(naive, last) | naive_proposals(naive, before),
    "any_pattern3": all_patterns,
    "approach_move": approaches,
    "nakade": lambda naive, last, before: vital_points(naive, last),
    "nakade(largest=6)": lambda naive, last, before: vital_points(naive, last, 6),
    "two_liberties": lambda naive, last, before: good_liberties(naive, last),
    "self_atari": self_ataris,
}
"""By heuristic: its slow twin, given a position and its last two moves."""
OTHER_SIZES = {"capture": (3, 19), "escape": (3, 19), "pattern3": (2, 3, 19)}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(name, size, marks=pytest.mark.thorough if size > 7 else ())
        for name in TWINS
        for size in (*SIZES, *OTHER_SIZES.get(name, ()))
    ],
)
def test_proposals_in_random_positions(name: str, size: int) -> None:
    """A capture that a ko forbids is for the loop to drop."""
    worker, proposed = worker_for(name), 0
    for naive, moves in random_games(size, POSITIONS, seed=7):
        before, last = [PASS, *moves][-2:]
        begin(worker.sim, worker.record, root_at(naive, (before, last)))
        weights, wanted = propose(worker).weights, TWINS[name](naive, last, before)
        if name.startswith(("capture", "escape")):
            weights = {p: weight for p, weight in weights.items() if naive.is_legal(p)}
            wanted = {p for p in wanted if naive.is_legal(p)}
        turn = f"{color_name(naive.to_play)} after {vertex(last)}"
        assert weights == dict.fromkeys(wanted, 1.0), f"{sorted(map(vertex, weights))} for {turn}\n{naive}"
        proposed += len(wanted)
    assert proposed > 10 or name.startswith(("nakade", "approach_move")) or size < 4


def test_some_escapes_run_into_ladders() -> None:
    positions = [(naive.copy(), moves[-1]) for naive, moves in random_games(9, 300, seed=4)]
    assert any(runs_into_ladder(naive, p) for naive, last in positions for p in escapes(naive, last))


@pytest.mark.parametrize("size", SIZES[:-1])
def test_false_eyes_in_random_positions(size: int) -> None:
    worker, taken = worker_for("false_eyes"), 0
    for naive, _ in random_games(size, POSITIONS, seed=9):
        begin(worker.sim, worker.record, root_at(naive))
        for p in empty_points(worker):
            wanted = capture_for_eye(naive, p)
            assert review(worker, p) in (wanted or {p}), f"{vertex(p)}\n{naive}"
            taken += len(wanted)
    assert taken > 0


# -- fill_board --------------------------------------------------------------------------------------------------------


def test_fill_board_takes_only_points_in_the_open() -> None:
    worker, found = worker_for("fill_board"), set()
    for _ in range(400):
        begin(worker.sim, worker.record, new_root(new_board(9)))
        found |= propose(worker).weights.keys()
    assert found == {p for p in NaiveBoard(9).points() if len(NaiveBoard(9).around(p, NEAR)) == 8}


def test_fill_board_gives_up_on_a_crowded_board() -> None:
    worker = worker_for("fill_board")
    naive = NaiveBoard.from_diagram(".....\n.X.X.\n.....\n.X.X.\n.....")
    for _ in range(50):
        begin(worker.sim, worker.record, root_at(naive))
        assert propose(worker).weights == {}
    assert np.all(worker.moves["bars"] == 0)
