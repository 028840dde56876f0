"""Playouts with policy gradients, for simulation balancing: how the weights that they draw by change their results."""

import numpy as np

from kikashi.board.points import PASS
from kikashi.jit import kernel
from kikashi.parts.calling import ask_int
from kikashi.playout.candidates import Candidates, is_listed
from kikashi.playout.loop import PolicyRecord, begin, choose, is_playable, make_move, playout, propose
from kikashi.playout.simulation import HISTORY, MAX_MOVES, Root, Simulation
from kikashi.playout.weights import ModelRecord, weight_of_level


@kernel
def run_valued(root: Root, sim: Simulation, moves: Candidates, policy: PolicyRecord, count: int) -> float:
    """Run playouts and return the number that Black won; a draw counts half."""
    won = 0.0
    for _ in range(count):
        begin(sim, policy, root)
        playout(sim, moves, policy)
        won += sim.value
    return won


@kernel
def run_traced(
    root: Root,
    sim: Simulation,
    moves: Candidates,
    policy: PolicyRecord,
    row: int,
    places: ModelRecord,
    trace: np.ndarray,
    sums: np.ndarray,
    value: float,
    count: int,
) -> None:
    """Add to `sums`, over playouts, the result less the baseline `value` times the gradient of the log-probability of
    all moves that the heuristic in `row` drew. The baseline does not change the mean, but reduces the noise.

    In `places` the weight of a level is its index in `trace` and in `sums`; index 0 is unused."""
    limit = min(np.int64(policy.move_limit) + HISTORY, MAX_MOVES)
    for _ in range(count):
        begin(sim, policy, root)
        trace[:] = 0.0
        for _ in range(limit - sim.length):
            if sim.passes >= 2:
                break
            drawn = policy.moves_by[np.uintp(row)]
            p = choose(sim, moves, policy)
            if p != PASS and policy.moves_by[np.uintp(row)] != drawn:
                add_slope(sim, moves, policy, row, places, trace, p)
            make_move(sim, policy, p)
        playout(sim, moves, policy)  # the simulation is over: this only scores it
        sums += (sim.value - value) * trace


@kernel
def add_slope(
    sim: Simulation,
    moves: Candidates,
    policy: PolicyRecord,
    row: int,
    places: ModelRecord,
    trace: np.ndarray,
    chosen: int,
) -> None:
    """Add the gradient of the log-probability of the chosen move: its levels, less the mean of those of all moves."""
    propose(sim, moves, policy.heuristic[row])
    total = moves.base * _count_others(sim, moves, policy)
    for i in range(moves.count):
        if not is_playable(sim, policy, np.int64(moves.points[i])):
            moves.weights[i] = 0.0
        total += moves.weights[i]
    for i in range(moves.count):
        p = np.int64(moves.points[i])
        if moves.weights[i] > 0.0:
            part = (1.0 if p == chosen else 0.0) - moves.weights[i] / total
            for k in range(places.features):
                level = ask_int(sim, places.feature[k], (sim, p))
                trace[np.int64(weight_of_level(places, k, level))] += part


@kernel
def _count_others(sim: Simulation, moves: Candidates, policy: PolicyRecord) -> int:
    count = 0
    for i in range(sim.board.empty_count):
        p = np.int64(sim.board.empty[np.uintp(i)])
        count += is_playable(sim, policy, p) and not is_listed(moves, p)
    return count
