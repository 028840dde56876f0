"""Heuristics that MoGo gained later, Mango's proximity and the knowledge for the tree, on diagrams and at random."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.heuristic_cases import (
    NEAR,
    Case,
    cases,
    check_proposals,
    propose,
    random_games,
    root_at,
    worker_for,
)
from helpers.naive import NaiveBoard
from helpers.naive_patterns import grid_around, naive_proposals, players
from helpers.naive_tactics import vital_points
from kikashi.board.points import EMPTY, PASS, color_name, vertex
from kikashi.board.position import new_board
from kikashi.playout import new_root
from kikashi.playout.loop import begin

SIZES = (4, 5, 7, 9, 13)


@pytest.mark.parametrize("case", cases("shape"), ids=lambda case: case.id)
def test_proposals(case: Case) -> None:
    check_proposals(case)


def approaches(naive: NaiveBoard, last: int) -> set[int]:
    """Where a pattern beside the last move would be self-atari: the liberty it leaves, if that is no self-atari."""
    own, found = naive.to_play, set()
    for p in naive.around(last, NEAR) if last != PASS else ():
        if naive.color_at(p) == EMPTY and own in players(grid_around(naive, p)):
            left = naive.liberties_after(p, own)
            if len(left) == 1 and naive.color_at(min(left)) == EMPTY and not naive.is_self_atari(min(left), own):
                found |= left
    return found


def self_ataris(naive: NaiveBoard, last: int) -> set[int]:
    own = naive.to_play
    return {
        p
        for p in naive.points()
        if naive.color_at(p) == EMPTY and naive.is_self_atari(p, own) and not naive.captures(p, own)
    }


def all_patterns(naive: NaiveBoard, last: int) -> set[int]:
    own = naive.to_play
    return {
        p
        for p in naive.points()
        if naive.color_at(p) == EMPTY and own in players(grid_around(naive, p)) and not naive.is_self_atari(p, own)
    }


NAIVE = {
    "approach_move": approaches,
    "nakade": vital_points,
    "self_atari": self_ataris,
    "any_pattern3": all_patterns,
    "pattern3": naive_proposals,
}


@pytest.mark.thorough
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAIVE)
def test_proposals_in_random_positions(name: str, size: int) -> None:
    worker, proposed = worker_for(name), 0
    for naive, moves in random_games(size, 90, seed=7):
        begin(worker.sim, worker.record, root_at(naive, tuple(moves[-1:])))
        weights = propose(worker).weights
        wanted = NAIVE[name](naive, moves[-1])
        turn = f"{color_name(naive.to_play)} after {vertex(moves[-1])}"
        assert weights == dict.fromkeys(wanted, 1.0), f"{sorted(map(vertex, weights))} for {turn}\n{naive}"
        proposed += len(wanted)
    assert proposed > 0 or name in ("nakade", "approach_move")


def test_fill_board_takes_only_points_in_the_open() -> None:
    worker = worker_for("fill_board")
    board = new_board(9)
    root = new_root(board)
    found = set()
    for _ in range(400):
        begin(worker.sim, worker.record, root)
        found |= propose(worker).weights.keys()
    open_points = {p for p in NaiveBoard(9).points() if len(NaiveBoard(9).around(p, NEAR)) == 8}
    assert found == open_points


def test_fill_board_gives_up_on_a_crowded_board() -> None:
    worker = worker_for("fill_board")
    naive = NaiveBoard.from_diagram(".....\n.X.X.\n.....\n.X.X.\n.....")
    for _ in range(50):
        begin(worker.sim, worker.record, root_at(naive))
        assert propose(worker).weights == {}
    assert np.all(worker.moves["bars"] == 0)
