"""The contract about lists that heuristics fill: marks, weights, order, random numbers, and errors."""

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from helpers.toy_policy import A1, B1, C3, E5, SIZE, first_moves, worker_for
from kikashi.board.points import PASS, POINTS, points_of, vertex
from kikashi.board.position import new_board, play
from kikashi.board.rng import next_random
from kikashi.jit import kernel
from kikashi.playout import (
    PartError,
    add,
    bar,
    feasibility,
    heuristic,
    make_policy,
    mark,
    mark_once,
    new_root,
    sample,
)
from kikashi.playout.loop import begin, choose
from kikashi.playout.worker import Worker

_ALL = np.array(points_of(SIZE))
TO_THE_END = 20
"""Steps of the generator that are looked at."""


@heuristic(count=25, ordered=False)
def toy_marks(sim, moves, my):
    """Marks the first points of the board."""
    moves.ordered = my.ordered
    for i in range(my.count):
        mark(moves, _ALL[i])


@heuristic(ordered=True)
def toy_in_order(sim, moves, my):
    """C3, then A1, then E5: with weights that say the opposite."""
    moves.ordered = my.ordered
    add(moves, C3, 1.0)
    add(moves, A1, 1000.0)
    mark(moves, E5)


def at_root(policy: str, *stones: int, feasible: str | None = None) -> Worker:
    """A worker at a position with these moves made."""
    board = new_board(SIZE)
    for stone in stones:
        play(board, stone)
    worker = worker_for(make_policy(policy, feasibility=feasible))
    begin(worker.sim, worker.record, new_root(board))
    return worker


@kernel
def step(sim):
    """One step of the generator."""
    next_random(sim)


def draw(worker: Worker) -> tuple[int, int]:
    """A move, and how many random numbers it took."""
    before = worker.sim.copy()
    move = choose(worker.sim, worker.moves, worker.record)
    for steps in range(TO_THE_END):
        if before["rng"] == worker.sim["rng"]:
            return int(move), steps
        step(before)
    raise AssertionError("no end to the random numbers")


# --- order ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stones", "move"), [((), C3), ((C3,), A1), ((C3, B1), A1), ((C3, A1), E5), ((C3, B1, A1), E5)]
)
def test_an_ordered_list_gives_its_first_feasible_point(stones: tuple[int, ...], move: int) -> None:
    worker = at_root("toy_in_order", *stones)
    assert {draw(worker) for _ in range(20)} == {(move, 0)}, "it takes no random numbers"


def test_where_nothing_of_an_ordered_list_is_feasible_the_next_heuristic_is_asked() -> None:
    worker = at_root("toy_in_order,toy_marks(count=1)", C3, A1, E5, PASS)
    assert draw(worker)[0] in points_of(SIZE)
    blocked = at_root(f"toy_in_order,toy_only(point={B1})", C3, A1, E5, PASS)
    assert {draw(blocked)[0] for _ in range(20)} == {B1}


@heuristic(point=int(B1))
def toy_only(sim, moves, my):
    """Marks one point."""
    mark(moves, my.point)


def test_a_bar_binds_an_ordered_list() -> None:
    @heuristic()
    def toy_bars_c3(sim, moves, my):
        bar(moves, C3, False)

    assert set(first_moves("toy_bars_c3,toy_in_order")) == {"A1"}


def test_the_same_list_without_order_goes_by_weight() -> None:
    counts = first_moves("toy_in_order(ordered=false)", draws=1000)
    assert counts["A1"] > 950


# --- marks ------------------------------------------------------------------------------------------------------------


def test_marked_points_are_drawn_alike() -> None:
    counts = first_moves("toy_marks(count=10)", draws=10_000)
    assert len(counts) == 10
    assert stats.chisquare(list(counts.values())).pvalue > 1e-6


def test_marked_points_that_cannot_be_played_leave_the_others_alike() -> None:
    board = new_board(SIZE)
    for i in (0, 3, 7):
        play(board, int(_ALL[i]))
    counts = first_moves("toy_marks(count=10)", new_root(board), draws=7000)
    assert len(counts) == 7
    assert stats.chisquare(list(counts.values())).pvalue > 1e-6


def test_a_point_marked_twice_has_twice_the_odds_and_marked_once_it_has_not() -> None:
    @heuristic(once=False)
    def toy_marks_twice(sim, moves, my):
        mark(moves, A1)
        mark(moves, C3)
        if my.once:
            mark_once(moves, A1)
        else:
            mark(moves, A1)

    twice, once = (first_moves(f"toy_marks_twice(once={said})", draws=9000) for said in ("false", "true"))
    assert stats.chisquare([twice["A1"], twice["C3"]], [6000, 3000]).pvalue > 1e-6
    assert stats.chisquare([once["A1"], once["C3"]]).pvalue > 1e-6


def test_one_marked_point_takes_no_random_number() -> None:
    worker = at_root("toy_marks(count=1)")
    assert {draw(worker) for _ in range(20)} == {(int(_ALL[0]), 0)}


def test_many_marked_points_take_one_random_number() -> None:
    worker = at_root("toy_marks(count=10)")
    assert {draw(worker)[1] for _ in range(50)} == {1}


def test_a_try_takes_one_random_number_and_the_last_none() -> None:
    """Of five marked points two are free. A try draws among those that are left: the chances of one, two or three
    misses follow, and three misses leave two points, never one."""
    stones = [int(_ALL[i]) for i in (0, 1, 2)]
    worker = at_root("toy_marks(count=5)", *stones)
    steps = Counter(draw(worker)[1] for _ in range(6000))
    # 2/5 at once; else 2/4, 2/3; after three misses 2 of 2 points are free.
    expected = [6000 * share for share in (2 / 5, 3 / 5 * 2 / 4, 3 / 5 * 2 / 4 * 2 / 3, 3 / 5 * 2 / 4 * 1 / 3)]
    assert set(steps) == {1, 2, 3, 4}
    assert stats.chisquare([steps[i] for i in (1, 2, 3, 4)], expected).pvalue > 1e-6
    worker = at_root("toy_marks(count=4)", *stones)
    steps = Counter(draw(worker)[1] for _ in range(4000))
    assert set(steps) == {1, 2, 3}, "after three misses one point is left"
    assert stats.chisquare([steps[1], steps[2], steps[3]], [1000, 1000, 2000]).pvalue > 1e-6


def test_marks_beside_weights_weigh_one() -> None:
    @heuristic(base=0.0)
    def toy_mixture(sim, moves, my):
        mark(moves, A1)
        add(moves, C3, 3.0)
        mark(moves, E5)
        moves.base = my.base

    counts = first_moves("toy_mixture", draws=10_000)
    assert set(counts) == {"A1", "C3", "E5"}
    assert stats.chisquare([counts[name] for name in ("A1", "C3", "E5")], [2000, 6000, 2000]).pvalue > 1e-6
    with_base = first_moves("toy_mixture(base=0.5)", draws=16_000)
    assert len(with_base) == SIZE * SIZE
    expected = {vertex(int(p)): 500.0 for p in _ALL} | {"A1": 1000.0, "C3": 3000.0, "E5": 1000.0}
    assert stats.chisquare([with_base[name] for name in expected], list(expected.values())).pvalue > 1e-6


# --- errors -----------------------------------------------------------------------------------------------------------


@heuristic(count=513, weighted=False, ordered=False)
def toy_overfull(sim, moves, my):
    """Names more points than a list holds."""
    moves.ordered = my.ordered
    for _ in range(my.count):
        if my.weighted:
            add(moves, C3, 1.0)
        else:
            mark(moves, C3)


@heuristic(point=-1, weighted=False, ordered=False)
def toy_off_board(sim, moves, my):
    """Names a point after one that the rule refuses."""
    moves.ordered = my.ordered
    if my.weighted:
        add(moves, C3, 1.0)
        add(moves, my.point, 1.0)
    else:
        mark(moves, C3)
        mark(moves, my.point)


@heuristic(weight=1e308, twice=True, base=0.0)
def toy_too_heavy(sim, moves, my):
    """Gives weights that only together are too much."""
    add(moves, C3, my.weight)
    if my.twice:
        add(moves, A1, my.weight)
    moves.base = my.base


@feasibility()
def toy_not_in_the_centre(sim, point, my):
    """Everything but C3."""
    return point != C3


@heuristic()
def toy_innocent(sim, moves, my):
    """Proposes nothing."""


WAYS_TO_LIST = pytest.mark.parametrize("how", ["", "weighted=true", "ordered=true"], ids=["marked", "added", "ordered"])


@WAYS_TO_LIST
def test_a_list_that_is_too_long_names_its_heuristic(how: str) -> None:
    policy = make_policy(f"toy_innocent,toy_overfull({how}),toy_only")
    with pytest.raises(PartError, match=r"heuristic 'toy_overfull' in .*: it named more points than the list holds"):
        sample(policy, new_root(new_board(SIZE)), playouts=1)


@pytest.mark.parametrize("how", ["", "twice=false,base=1e307", "twice=false,weight=0.0,base=1e308"])
def test_weights_with_an_infinite_sum_name_their_heuristic(how: str) -> None:
    policy = make_policy(f"toy_innocent,toy_too_heavy({how}),toy_only")
    with pytest.raises(PartError, match=r"heuristic 'toy_too_heavy' in .*: it gave .* weights whose sum is infinite"):
        sample(policy, new_root(new_board(SIZE)), playouts=1)


def test_weights_may_be_large() -> None:
    assert set(first_moves("toy_too_heavy(weight=8e307)")) == {"A1", "C3"}


def test_a_list_may_be_full() -> None:
    assert set(first_moves("toy_overfull(count=512)")) == {"C3"}


@WAYS_TO_LIST
@pytest.mark.parametrize("point", [-1, 0, 5, POINTS, 10**6])
def test_a_point_off_the_board_names_its_heuristic(point: int, how: str) -> None:
    """Also where the rule that refused the other point of the list was asked last."""
    listed = ",".join(each for each in (f"point={point}", how) if each)
    policy = make_policy(f"toy_innocent,toy_off_board({listed}),toy_only", feasibility="toy_not_in_the_centre")
    with pytest.raises(PartError, match=r"heuristic 'toy_off_board' in .*: it named a point that is not on the board"):
        sample(policy, new_root(new_board(SIZE)), playouts=20)
