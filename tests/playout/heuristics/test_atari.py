"""`atari50`, and the memory of chains in atari."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from scipy import stats

from helpers.heuristic_cases import (
    Case,
    answer,
    cases,
    chains_in_atari,
    empty_points,
    playable_points,
    propose,
    put,
    random_games,
    worker_for,
)
from kikashi.board.points import MIN_SIZE, POINTS, color_name, vertex
from kikashi.board.position import new_board
from kikashi.playout import new_root
from kikashi.playout.heuristics import atari
from kikashi.playout.loop import begin, choose, make_move
from kikashi.playout.worker import Worker

SOME_SIZES = (3, 4, 5, 7, 9, 13, 19)
DRAWS = 6000

# -- atari50 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "case",
    [case.asking("atari50") for case in cases("capture") if case.field("part") == "capture"],
    ids=lambda case: case.id,
)
def test_atari50_proposes_all_captures_or_bars_them(case: Case) -> None:
    for version in case.versions():
        worker = worker_for("atari50")
        put(worker, version)
        captures = {p for p, weight in answer(version, empty_points(worker)).items() if weight}
        legal = playable_points(worker)
        said = {atari50_says(worker, legal) for _ in range(20)}
        assert {points for _, points in said} == {frozenset(captures)}, str(version)
        assert not captures or {did for did, _ in said} == {"proposes", "bars"}, str(version)


def atari50_says(worker: Worker, legal: set[int]) -> tuple[str, frozenset[int]]:
    """What it does, and with which points, those apart that a ko forbids."""
    proposal = propose(worker)
    assert set(proposal.weights.values()) <= {1.0}
    assert set(proposal.bars.values()) <= {2}, "the uniform choice must be barred too"
    assert not (proposal.weights and proposal.bars)
    return "proposes" if proposal.weights else "bars", frozenset(
        legal & (proposal.weights.keys() | proposal.bars.keys())
    )


def first_moves(question: str, *rows: str) -> tuple[Counter[str], list[str]]:
    """How often each move is chosen where the question is asked, and which moves could be."""
    worker = worker_for("atari50")
    put(worker, Case("here", "", [list(row) for row in rows], question))
    playable = sorted(map(vertex, playable_points(worker)))
    return Counter(vertex(choose(worker.sim, worker.moves, worker.record)) for _ in range(DRAWS)), playable


def assert_drawn(counts: Counter[str], shares: dict[str, float]) -> None:
    """The counts are those of a draw with these probabilities."""
    assert counts.keys() <= shares.keys()
    drawn = [counts[name] for name in shares]
    assert stats.chisquare(drawn, [DRAWS * share for share in shares.values()]).pvalue > 0.001


def test_atari50_gives_half_to_the_captures_and_half_to_all_others() -> None:
    counts, playable = first_moves("X atari50 -> E5 C1", "OOOO.", "XXXX.", ".....", ".X...", "XO...")
    captures = {"E5", "C1"}
    others = [name for name in playable if name not in captures]
    assert len(others) == 12
    assert_drawn(counts, dict.fromkeys(captures, 0.5 / 2) | dict.fromkeys(others, 0.5 / 12))


def test_atari50_gives_half_to_a_capture_of_two_chains_at_once() -> None:
    counts, playable = first_moves("X atari50 -> C3", ".....", ".X.X.", "XO.OX", ".X.X.", ".....")
    others = [name for name in playable if name != "C3"]
    assert_drawn(counts, {"C3": 0.5} | dict.fromkeys(others, 0.5 / len(others)))


@pytest.mark.parametrize("question", ["O atari50 then B3 -> nothing", "X atari50 then B3 -> nothing"])
def test_without_a_legal_capture_atari50_is_uniform(question: str) -> None:
    """The second time there is a stone in atari, but taking it would retake the ko."""
    counts, playable = first_moves(question, ".....", ".XO..", "X.XO.", ".XO..", ".....")
    assert_drawn(counts, {name: 1 / len(playable) for name in playable})


def test_atari50_captures_rather_than_pass() -> None:
    """All other points are own eyes."""
    counts, _ = first_moves("X atari50 -> B1", ".XXX", "XX.X", "XXXX", "O.XX")
    assert counts == {"B1": DRAWS}


# -- the memory of chains in atari -------------------------------------------------------------------------------------


def known_ataris(worker: Worker, color: int, *, tidy: bool) -> set[frozenset[int]]:
    """The chains of a colour that the memory says are in atari. Reading tidies the list, unless a copy is read."""
    (table,) = (block for (name, _), block in worker.memory_blocks.items() if name == "ataris")
    found = np.zeros(POINTS, np.uint16)
    board = worker.sim["board"]
    count = atari.chains_in_atari(board, table if tidy else table.copy(), color, found)
    names = [int(board["chain"][stone]) for stone in found[:count]]
    assert len(set(names)) == count, "a chain was found twice"
    return {frozenset(np.flatnonzero((board["chain"] == name) & (board["color"] == color)).tolist()) for name in names}


@pytest.mark.thorough
@pytest.mark.parametrize("size", [MIN_SIZE, *SOME_SIZES])
def test_the_memory_knows_all_chains_in_atari_after_every_move(size: int) -> None:
    """Entries out of date pile up between readings; now and then the simulation starts anew where it is."""
    worker, random, seen = worker_for("capture"), Random(size), 0
    for naive, moves in random_games(size, 170, seed=1):
        if len(moves) == 1:
            begin(worker.sim, worker.record, new_root(new_board(size)))
        elif random.random() < 0.03:
            begin(worker.sim, worker.record, new_root(worker.sim["board"].copy()))
        make_move(worker.sim, worker.record, moves[-1])
        for color, chains in chains_in_atari(naive).items():
            assert known_ataris(worker, color, tidy=random.random() < 0.1) == chains, f"{color_name(color)}\n{naive}"
            seen += len(chains)
    assert seen > 100
