"""Gobble's order of all moves beside a transcription: what moves are worth, the draw of the orders, who plays what."""

from math import exp, log, sqrt

import numpy as np
import pytest

from helpers.heuristic_cases import playable_points
from helpers.simulations import Random32, Simulations
from kikashi.board.points import BLACK, PASS, POINTS, WHITE, points_of
from kikashi.board.position import new_board
from kikashi.playout import HISTORY, make_policy, new_root
from kikashi.playout.loop import begin, choose, make_move, playout
from kikashi.playout.worker import Memories, Worker

SIZE = 5
PLAYERS = (BLACK, WHITE)


def table_of(worker: Worker, name: str) -> np.ndarray:
    return next(block for (memory, _), block in worker.memory_blocks.items() if memory == name)


class SlowValues:
    """By player and point: the values of the simulations in which the player was the first of the two to play there."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.found: dict[tuple[int, int], list[float]] = {}
        self.all: dict[int, list[float]] = {BLACK: [], WHITE: []}

    def add(self, moves: list[int], to_play: int, margin: float) -> None:
        first: dict[int, int] = {}
        for i, move in enumerate(moves):
            first.setdefault(move, to_play if i % 2 == 0 else BLACK + WHITE - to_play)
        for player in PLAYERS:
            own = margin if player == BLACK else -margin
            worth = own if self.value == "score" else 1.0 if own > 0 else 0.5 if own == 0 else 0.0
            self.all[player].append(worth)
            for move in (move for move, by in first.items() if by == player and move != PASS):
                self.found.setdefault((player, move), []).append(worth)

    def of(self, player: int, point: int) -> float:
        known = self.found.get((player, point)) or self.all[player]
        return sum(known) / max(1, len(known))

    def order(self, player: int, temperature: float, random: Random32) -> list[int]:
        keys = {p: -self.of(player, p) / temperature + log(-log(random.unit())) for p in points_of(SIZE)}
        return sorted(keys, key=lambda p: keys[p])


def orders_of(worker: Worker) -> dict[int, list[int]]:
    """What was drawn for this playout, by player."""
    table = table_of(worker, "move_orders").reshape(2, POINTS)
    return {player: row[1 : row[0]].tolist() for player, row in zip(PLAYERS, table, strict=True)}


@pytest.mark.parametrize("value", ["score", "win"])
def test_orders_and_moves_are_those_of_a_transcription(value: str) -> None:
    """40 playouts, each by orders that were fixed before it from what all earlier ones were worth."""
    hot, cooling = (8.0, 10) if value == "score" else (0.4, 10)
    simulations = Simulations(f"annealed_order(temperature={hot}, cooling={cooling}, value={value})", SIZE, seed=4)
    worker, slow = simulations.worker, SlowValues(value)
    sim, limit = worker.sim, int(worker.record["move_limit"])
    for number in range(40):
        begin(sim, worker.record, simulations.random_root())
        random = Random32(int(sim["rng"]))
        expected = {player: slow.order(player, hot / (1 + number / cooling), random) for player in PLAYERS}
        while sim["passes"] < 2 and sim["length"] - HISTORY < limit:
            feasible = playable_points(worker)
            own = expected[int(sim["board"]["to_play"])]
            move = choose(sim, worker.moves, worker.record)
            assert move == next((p for p in own if p in feasible), PASS)
            make_move(sim, worker.record, move)
        assert orders_of(worker) == expected
        playout(sim, worker.moves, worker.record)  # nothing is left to play: it settles and learns
        moves = sim["moves"][HISTORY : sim["length"]].tolist()
        slow.add(moves, int(sim["root_color"]), float(sim["score"] - sim["komi"]))
        check_values(worker, slow)
    assert len(slow.found) == 2 * SIZE * SIZE, "everybody was first everywhere at some time"


def check_values(worker: Worker, slow: SlowValues) -> None:
    """Counts, and sums times two, of both players."""
    counts, sums = table_of(worker, "amaf_values").reshape(2, 2, POINTS)
    for player in PLAYERS:
        known = {p: slow.found.get((player, p), []) for p in points_of(SIZE)} | {PASS: slow.all[player]}
        row = player - BLACK
        assert {p: int(counts[row, p]) for p in known} == {p: len(found) for p, found in known.items()}
        assert {p: int(sums[row, p]) for p in known} == {p: 2 * sum(found) for p, found in known.items()}


def share_of_the_best(temperature: float, playouts: int = 400) -> float:
    """How often Black begins where a move is worth 2, on an empty board where all others are worth 1."""
    worker = Worker(make_policy(f"annealed_order(temperature={temperature})"), Memories(), size=SIZE, seed=2)
    counts, sums = table_of(worker, "amaf_values").reshape(2, 2, POINTS)
    board, best = points_of(SIZE), points_of(SIZE)[12]
    counts[0, board], sums[0, board], sums[0, best] = 1, 2, 4
    root, hits = new_root(new_board(SIZE)), 0
    for _ in range(playouts):
        begin(worker.sim, worker.record, root)
        hits += choose(worker.sim, worker.moves, worker.record) == best
    return hits / playouts


@pytest.mark.parametrize("temperature", [0.2, 0.5, 2.0])
def test_the_first_of_an_order_is_drawn_by_its_value_and_the_temperature(temperature: float) -> None:
    """Four standard deviations around exp(2 / T) / (exp(2 / T) + 24 exp(1 / T))."""
    wanted = 1 / (1 + 24 * exp(-1 / temperature))
    assert abs(share_of_the_best(temperature) - wanted) < 4 * sqrt(wanted * (1 - wanted) / 400)


def test_without_heat_the_best_comes_first() -> None:
    assert share_of_the_best(0.0, 50) == 1.0


def test_many_simulations_do_not_overflow() -> None:
    """A count of a million is halved, with its sum."""
    simulations = Simulations("annealed_order", SIZE)
    counts, sums = table_of(simulations.worker, "amaf_values").reshape(2, 2, POINTS)
    counts[:, PASS], sums[:, PASS] = 2**20 - 1, 7 * (2**20 - 1)
    simulations.run()
    assert set(counts[:, PASS].tolist()) == {2**19}
    assert sums[:, PASS].tolist() == pytest.approx([7 * 2**19] * 2, rel=1e-3)
