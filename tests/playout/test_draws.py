"""Playouts as a random experiment: what they add up to, and whether each move is drawn with the odds it should have."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from helpers.naive import NaiveBoard
from helpers.naive_rules import eyelike
from kikashi.board.points import EMPTY, PASS, POINTS, WALL, points_of, vertex
from kikashi.board.position import BOARD, new_board, play
from kikashi.jit import is_bounds_checked, kernel
from kikashi.playout import HISTORY, Totals, add, bar, heuristic, make_policy, new_root, play_out, sample
from kikashi.playout.loop import SCORES, TOTALS, begin, choose, run_playouts
from kikashi.playout.sampling import BATCH
from kikashi.playout.simulation import Root
from kikashi.playout.worker import Memories, Worker

# -- totals ------------------------------------------------------------------------------------------------------------

MOVES_PER_PLAYOUT = 111.03, 111.07
BLACK_WINS = {0.0: 0.5245, 5.5: 0.4457, 7.5: 0.4213}
BLACK_WINS_ERROR = 0.0005
"""Known truth for uniform playouts on the empty 9x9 board: bounds; by komi, a draw counting one half, and its standard
error. Moves are legal (simple ko, no suicide) and fill no own one-point eye; two passes end it, both counted."""

BATCHES = 200 if is_bounds_checked() else 3907 if os.environ.get("KIKASHI_SOAK") else 1000
"""Of 256 playouts: a million in `make soak`, a quarter of it else, and still less in the slow mode."""


class Sample(NamedTuple):
    totals: Totals
    moves: np.ndarray
    """By batch."""


@pytest.fixture(scope="module")
def uniform() -> Sample:
    moves = [0]
    totals = sample(
        make_policy("uniform"),
        new_root(new_board(9)),
        playouts=BATCH * BATCHES,
        seed=2006,
        on_batch=lambda worker: moves.append(int(worker.record["moves"])),
    )
    return Sample(totals, np.diff(moves))


@pytest.mark.thorough
def test_uniform_playouts_have_the_known_length(uniform):
    assert len(uniform.moves) == BATCHES
    mean = uniform.totals.moves / uniform.totals.playouts
    error = (uniform.moves / BATCH).std(ddof=1) / BATCHES**0.5
    low, high = MOVES_PER_PLAYOUT
    assert low - 3 * error <= mean <= high + 3 * error


@pytest.mark.thorough
@pytest.mark.parametrize("komi", BLACK_WINS)
def test_uniform_playouts_are_won_as_often_as_known(uniform, komi):
    """An outcome is 0, ½ or 1, so its mean square is the mean less a quarter for each draw."""
    totals = uniform.totals
    mean = totals.black_wins(komi)
    draws = totals.scores[len(totals.scores) // 2] / totals.playouts if komi == 0 else 0.0
    variance = (mean - draws / 4 - mean**2) / totals.playouts
    assert abs(mean - BLACK_WINS[komi]) <= 3 * (variance + BLACK_WINS_ERROR**2) ** 0.5


@pytest.mark.parametrize(("komi", "wins"), [(-7.5, 10), (0, 5.5), (5.5, 4), (6, 2.5), (7.5, 1), (9.5, 0)])
def test_a_draw_counts_one_half(komi, wins):
    """Ten playouts by hand: draws are too rare on 9x9 to be seen in what is known of it."""
    scores = np.zeros(SCORES, np.int64)
    for score, count in {-7: 4, 0: 1, 2: 1, 6: 3, 9: 1}.items():
        scores[score + SCORES // 2] = count
    totals = Totals(10, 0, {}, seconds=0.0, cpu_seconds=0.0, interrupted=False, scores=scores)
    assert totals.black_wins(komi) == wins / 10
    assert totals.mean_score == pytest.approx((-28 + 2 + 18 + 9) / 10)


@pytest.mark.parametrize("limit", [None, 10])
@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_a_playout_is_the_same_move_by_move(size, limit):
    """What `play_out` shows is what the loop does by itself."""
    policy, root = make_policy(move_limit=limit), new_root(new_board(size))
    worker = Worker(policy, Memories(), size=size, seed=1979)
    run_playouts(root, worker.sim, worker.moves, worker.record, np.zeros(1, TOTALS)[0], 1)
    moves = worker.sim["moves"][HISTORY : worker.sim["length"]]
    assert [move for move, _ in play_out(policy, root, seed=1979)] == moves.tolist()


# -- positions ---------------------------------------------------------------------------------------------------------

SIZES = (2, 3, 4, 5, 6, 7, 9, 11, 13, 19)
GAMES = 4
"""Of each size; one position out of each."""


class Twins(NamedTuple):
    """A position where simulations start, and the naive board after the same moves."""

    root: Root
    naive: NaiveBoard

    def feasible(self) -> list[int]:
        naive = self.naive
        empty = [p for p in naive.points() if naive.color_at(p) == EMPTY]
        return [p for p in empty if naive.is_legal(p) and eyelike(naive, p, naive.to_play)]

    def __str__(self) -> str:
        return f"ko {vertex(self.naive.ko)}, {'.XO'[self.naive.to_play]} to play\n{self.naive}"


def after(size: int, moves: Sequence[int]) -> Twins:
    board, naive = new_board(size), NaiveBoard(size)
    for p in moves:
        play(board, p)
        naive.play(p)
    return Twins(new_root(board), naive)


def position_of_a_game(size: int, seed: int) -> Twins:
    """One where there is a ko for every second seed, if the game has any; else any one."""
    game = [(move, int(board["ko"])) for move, board in play_out(make_policy(), new_root(new_board(size)), seed=seed)]
    kos = [number for number, (_, ko) in enumerate(game, 1) if ko != PASS]
    length = Random(seed).choice(kos if kos and seed % 2 else range(1, len(game)))
    return after(size, [move for move, _ in game[:length]])


@cache
def positions() -> list[Twins]:
    return [position_of_a_game(size, 100 * size + number) for size in SIZES for number in range(GAMES)]


def test_the_positions_have_every_reason_to_refuse_a_point():
    reasons = set()
    for _, naive in positions():
        for p in (p for p in naive.points() if naive.color_at(p) == EMPTY):
            reasons |= {"ko"} if p == naive.ko else set()
            reasons |= {"suicide"} if naive.is_suicide(p) else set()
            reasons |= {"eye"} if naive.is_eyelike(p, naive.to_play) and naive.is_legal(p) else set()
    assert reasons == {"ko", "suicide", "eye"}


# -- single draws ------------------------------------------------------------------------------------------------------

LISTED = [(p, float(i % 5)) for i, p in enumerate(points_of(5)[::2] + points_of(5)[::6])]
"""Points of the lower left corner with weights from 0 to 4, some of them named twice. Smaller boards lack some."""

BARRED = points_of(5)[1::3]

_LISTED_POINTS, _LISTED_WEIGHTS = (np.array(column) for column in zip(*LISTED, strict=True))
_BARRED_POINTS = np.array(BARRED)


@heuristic(base=0.0)
def corner_list(sim, moves, my):
    """Names the points of `LISTED` that the board has, whatever is on them."""
    moves.base = my.base
    for i in range(len(_LISTED_POINTS)):
        p = _LISTED_POINTS[i]
        if sim.board.color[p] != WALL:
            add(moves, p, _LISTED_WEIGHTS[i])


@heuristic(base=0.0, uniform_too=False)
def corner_bars(sim, moves, my):
    """Bars the points of `BARRED` that the board has, and names none."""
    moves.base = my.base
    for p in _BARRED_POINTS:
        if sim.board.color[p] != WALL:
            bar(moves, p, my.uniform_too)


DRAWS = 200
"""Of the least likely move, on average."""

Weigh = Callable[[int], float]


def alike(p: int) -> float:
    return 1.0


def listed(base: float) -> Weigh:
    """The sum of the weights that `LISTED` gives to a point, or the base weight."""
    return lambda p: sum(weight for q, weight in LISTED if q == p) if p in dict(LISTED) else base


def unbarred(weigh: Weigh) -> Weigh:
    return lambda p: 0.0 if p in BARRED else weigh(p)


STAGES: dict[str, list[Weigh]] = {
    "uniform": [alike],
    "corner_list": [listed(0.0), alike],
    "corner_list(base=1.0)": [listed(1.0), alike],
    "corner_list(base=0.3)": [listed(0.3), alike],
    "corner_bars": [alike],
    "corner_bars(uniform_too=true)": [unbarred(alike), alike],
    "corner_bars(base=2.0)": [unbarred(alike), alike],
    "corner_bars,corner_list": [unbarred(listed(0.0)), alike],
    "corner_bars,corner_list(base=1.0)": [unbarred(listed(1.0)), alike],
    "corner_bars(uniform_too=true),corner_list(base=0.3)": [unbarred(listed(0.3)), unbarred(alike), alike],
}
"""By list of heuristics: the weights of points, from the first stage that gives any feasible point one."""


def exact_odds(twins: Twins, stages: list[Weigh]) -> dict[int, float]:
    """The probability of every move that is possible; a pass if no other is."""
    feasible = twins.feasible()
    for weigh in stages:
        weights = {p: weigh(p) for p in feasible if weigh(p) > 0}
        if weights:
            return {p: weight / sum(weights.values()) for p, weight in weights.items()}
    return {PASS: 1.0}


@kernel
def draw_often(sim, moves, policy, draws, counts):
    """Draw the next move again and again, without making it."""
    for _ in range(draws):
        counts[choose(sim, moves, policy)] += 1


def worker_at(root: Root, playout: str) -> Worker:
    worker = Worker(make_policy(playout), Memories(), size=int(root["board"]["size"]), seed=1976)
    begin(worker.sim, worker.record, root)
    return worker


def chi_square(twins: Twins, playout: str, odds: Mapping[int, float]) -> float:
    """The statistic of many draws, enough to see every possible move, and these only."""
    worker, counts = worker_at(twins.root, playout), np.zeros(POINTS, np.int64)
    draws = int(DRAWS / min(odds.values()))
    draw_often(worker.sim, worker.moves, worker.record, draws, counts)
    assert {int(p) for p in counts.nonzero()[0]} == set(odds), f"the moves of {playout}\n{twins}"
    expected = draws * np.array(list(odds.values()))
    return float(((counts[list(odds)] - expected) ** 2 / expected).sum())


@pytest.mark.thorough
@pytest.mark.parametrize("playout", STAGES)
def test_moves_are_drawn_with_exact_odds(playout):
    """Over all positions, the sum of the chi-square statistics is where all but two of a million are."""
    statistic, freedom = 0.0, 0
    for twins in positions():
        odds = exact_odds(twins, STAGES[playout])
        statistic += chi_square(twins, playout, odds)
        freedom += len(odds) - 1
    assert freedom > 50
    assert stats.chi2.ppf(1e-6, freedom) < statistic < stats.chi2.isf(1e-6, freedom)


@pytest.mark.parametrize("playout", STAGES)
def test_a_draw_changes_nothing_but_the_order_of_the_empty_points(playout):
    for root, _ in positions():
        worker = worker_at(root, playout)
        before = worker.sim.copy()
        draw_often(worker.sim, worker.moves, worker.record, 100, np.zeros(POINTS, np.int64))
        assert board_without_order(worker.sim["board"]) == board_without_order(before["board"])
        for name in set(before.dtype.names) - {"board", "rng", "called", "by"}:
            np.testing.assert_array_equal(worker.sim[name], before[name], err_msg=name)
        assert not worker.moves["bars"].any()


def board_without_order(board: Any) -> dict[str, Any]:
    """All of a board, the list of empty points sorted; fails if the points do not know their places in it."""
    empty = board["empty"][: board["empty_count"]]
    assert board["empty_at"][empty].tolist() == list(range(len(empty)))
    fields = {name: board[name].tolist() for name in BOARD.names if name not in ("empty", "empty_at")}
    return fields | {"empty": sorted(empty.tolist())}
