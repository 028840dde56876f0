"""Memories of whole simulations beside dictionaries: first-order history, ownership."""

from collections import Counter
from math import exp

import numpy as np
import pytest

from helpers.heuristic_cases import propose
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WHITE, points_of
from kikashi.board.position import new_board, surrounding
from kikashi.playout import HISTORY, make_policy, new_root
from kikashi.playout.loop import begin, make_move, playout
from kikashi.playout.worker import Memories, Worker

SIZE = 5
SIMULATIONS = 60


def simulate(worker: Worker) -> list[tuple[int, int]]:
    """Run a simulation whose first moves are of a tree; returns who moved where."""
    begin(worker.sim, worker.record, new_root(new_board(SIZE), komi=0.5))
    for _ in range(2):
        empty = worker.sim["board"]["empty"][: worker.sim["board"]["empty_count"]]
        make_move(worker.sim, worker.record, int(empty[len(empty) // 3]))
    playout(worker.sim, worker.moves, worker.record)
    moves = worker.sim["moves"][HISTORY : worker.sim["length"]].tolist()
    return [(BLACK if i % 2 == 0 else WHITE, p) for i, p in enumerate(moves)]


def table_of(worker: Worker, name: str) -> np.ndarray:
    return next(block for (memory, _), block in worker.memory_blocks.items() if memory == name)


def worker_of(playout: str) -> Worker:
    return Worker(make_policy(playout), Memories(), size=SIZE, seed=3)


def test_first_order_history_that_draws_weighs_moves_by_their_wins() -> None:
    worker = worker_of("history(inverse_temperature=2, draws=true)")
    played: Counter[tuple[int, int]] = Counter()
    won: Counter[tuple[int, int]] = Counter()
    for _ in range(SIMULATIONS):
        moves = [move for move in simulate(worker) if move[1] != PASS]
        played.update(moves)
        won.update(move for move in moves if move[0] == worker.sim["winner"])
        table = table_of(worker, "move_wins").reshape(2, 2, POINTS)
        kept = {(color, p): table[:, color - 1, p].tolist() for color in (BLACK, WHITE) for p in points_of(SIZE)}
        assert kept == {key: [played[key], won[key]] for key in kept}
    begin(worker.sim, worker.record, new_root(new_board(SIZE)))
    wanted = {p: exp(2 * won[BLACK, p] / played[BLACK, p]) for p in points_of(SIZE)}
    assert propose(worker).weights == pytest.approx(wanted)


def test_first_order_history_takes_the_best() -> None:
    """Not drawn by e^{Kv}, but "the move with highest e^{Kv}" (Baier 2010, §3.4.2): all points that share the highest
    value, and no others; 1/2 for a point that nobody played at."""
    worker = worker_of("history,mogo")
    begin(worker.sim, worker.record, new_root(new_board(SIZE)))
    assert propose(worker).weights == dict.fromkeys(points_of(SIZE), 1.0)
    seen = set()
    for _ in range(SIMULATIONS):
        simulate(worker)
        begin(worker.sim, worker.record, new_root(new_board(SIZE)))
        (_, played), (_, won) = table_of(worker, "move_wins").reshape(2, 2, POINTS)[:, ::-1].tolist()
        values = {p: won[p] / played[p] if played[p] else 0.5 for p in points_of(SIZE)}
        best = {p for p in values if values[p] == max(values.values())}
        assert propose(worker).weights == dict.fromkeys(best, 1.0)
        seen.add(len(best))
    assert len(seen) > 1


def test_contested_points_weigh_most() -> None:
    worker = worker_of("contested(least=0.2)")
    black: Counter[int] = Counter()
    assert propose_at_start(worker) == {}
    for _ in range(SIMULATIONS):
        simulate(worker)
        board = worker.sim["board"]
        for p in points_of(SIZE):
            color = int(board["color"][p])
            black[p] += (surrounding(board, p) if color == EMPTY else color) == BLACK
    share = {p: black[p] / SIMULATIONS for p in points_of(SIZE)}
    wanted = {p: 0.2 + 0.8 * (1 - abs(2 * share[p] - 1)) for p in points_of(SIZE)}
    assert propose_at_start(worker) == pytest.approx(wanted)


def propose_at_start(worker: Worker) -> dict[int, float]:
    begin(worker.sim, worker.record, new_root(new_board(SIZE)))
    return propose(worker).weights
