"""Tactical rules for heavier playouts: two liberties, nakade, false eyes, self-atari, ladders; on diagrams and beside
slow twins.

The diagrams of `nakade`, `pattern3` and `escape` are asked where those of these heuristics without parameters are.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from helpers.heuristic_cases import (
    Case,
    cases,
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
from helpers.naive_tactics import (
    capture_for_eye,
    escapes,
    good_liberties,
    patterns_of_both,
    runs_into_ladder,
    vital_points,
)
from kikashi.board.points import parse_vertex, vertex
from kikashi.playout.loop import begin, is_playable

SIZES = (4, 5, 7, 9)


@pytest.mark.parametrize("case", cases("two_liberties"), ids=lambda case: case.id)
def test_proposals(case: Case) -> None:
    check_proposals(case)


@pytest.mark.parametrize("case", cases("false_eyes"), ids=lambda case: case.id)
def test_reviews(case: Case) -> None:
    check_review(case)


@pytest.mark.parametrize("case", cases("self_atari"), ids=lambda case: case.id)
def test_self_ataris_that_are_allowed(case: Case) -> None:
    check_proposals(case, feasibility="careful")


@pytest.mark.parametrize(("rate", "low", "high"), [(0.0, 0, 0), (0.3, 60, 180), (1.0, 400, 400)])
def test_a_bad_self_atari_is_refused_as_often_as_said(rate: float, low: int, high: int) -> None:
    """Between the bounds with a probability of more than 1 - 1e-8."""
    case = cases("self_atari")[0]
    worker = worker_for(case.field("part"), f"careful(rate={rate})")
    put(worker, case)
    a1 = parse_vertex("A1", case.size)
    assert low <= sum(not is_playable(worker.sim, worker.record, a1) for _ in range(400)) <= high


TWINS = {
    "two_liberties": lambda naive, last, before: good_liberties(naive, last),
    "nakade(largest=6)": lambda naive, last, before: vital_points(naive, last, 6),
    "pattern3(last=2)": patterns_of_both,
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", TWINS)
def test_proposals_in_random_positions(name: str, size: int) -> None:
    worker, proposed = worker_for(name), 0
    for naive, before, last in two_moves(size, seed=8):
        begin(worker.sim, worker.record, root_at(naive, (before, last)))
        wanted = TWINS[name](naive, last, before)
        assert propose(worker).weights == dict.fromkeys(wanted, 1.0), f"after {vertex(last)}\n{naive}"
        proposed += len(wanted)
    assert proposed > 10 or name.startswith("nakade")


def two_moves(size: int, seed: int) -> list[tuple[NaiveBoard, int, int]]:
    """Positions of random games, each with the last two moves."""
    positions = [(naive.copy(), moves[-1]) for naive, moves in random_games(size, 150, seed)]
    return [(naive, before, last) for (_, before), (naive, last) in pairwise(positions)]


def test_escapes_without_ladders_in_random_positions() -> None:
    """What a ko forbids is for the loop to drop."""
    worker, left_out = worker_for("escape(ladders=false)"), 0
    for naive, moves in random_games(9, 300, seed=4):
        begin(worker.sim, worker.record, root_at(naive, tuple(moves[-1:])))
        legal = {p for p in propose(worker).weights if naive.is_legal(p)}
        all_of_them = {p for p in escapes(naive, moves[-1]) if naive.is_legal(p)}
        vain = {p for p in all_of_them if runs_into_ladder(naive, p)}
        assert legal == all_of_them - vain, f"after {vertex(moves[-1])}\n{naive}"
        left_out += len(vain)
    assert left_out > 0


@pytest.mark.parametrize("size", SIZES)
def test_false_eyes_in_random_positions(size: int) -> None:
    worker, taken = worker_for("false_eyes"), 0
    for naive, _ in random_games(size, 150, seed=9):
        begin(worker.sim, worker.record, root_at(naive))
        for p in empty_points(worker):
            wanted = capture_for_eye(naive, p)
            assert review(worker, p) in (wanted or {p}), f"{vertex(p)}\n{naive}"
            taken += len(wanted)
    assert taken > 0
