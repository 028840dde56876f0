"""The highest value of a row over points, among vacant points: branch-free loops over integers, which vectorize.

Values are not negative; 0 means none.
"""

import numpy as np

from kikashi.board.points import EMPTY, PASS, STRIDE
from kikashi.board.rng import random_below
from kikashi.jit import inlined, kernel
from kikashi.playout.simulation import Simulation


@inlined
def value_at(sim: Simulation, table: np.ndarray, row: int, p: int) -> int:
    """Return the value of `p` in the row that begins at `row`, 0 for a stone or a wall. It is read in any case."""
    value = table[np.uintp(row + p)]
    return value if sim.board.color[np.uintp(p)] == EMPTY else np.int32(0)


@inlined
def end_of_board(sim: Simulation) -> int:
    """Return the first point after the rows of the board, which begin at STRIDE."""
    return (np.int64(sim.board.size) + 1) * STRIDE


@kernel
def highest_value(sim: Simulation, table: np.ndarray, row: int) -> int:
    """Return the highest value of a vacant point."""
    best = np.int32(0)
    for p in range(STRIDE, end_of_board(sim)):
        best = max(best, value_at(sim, table, row, p))
    return best


@kernel
def point_with(sim: Simulation, table: np.ndarray, row: int, value: int) -> int:
    """Return the vacant point with this value, drawn if there are several; PASS if another thread changed the value."""
    wanted, count, total = np.int32(value), np.int32(0), np.int32(0)
    for p in range(STRIDE, end_of_board(sim)):
        equal = value_at(sim, table, row, p) == wanted
        count = np.int32(count + equal)
        total = np.int32(total + (p if equal else 0))
    return np.int64(total) if count == 1 else _drawn(sim, table, row, wanted, random_below(sim, count))


@kernel
def _drawn(sim: Simulation, table: np.ndarray, row: int, wanted: int, skipped: int) -> int:
    """Return the vacant point with the value `wanted` after `skipped` others."""
    for p in range(STRIDE, end_of_board(sim)):
        if value_at(sim, table, row, p) == wanted:
            if skipped == 0:
                return np.int64(p)
            skipped -= 1
    return np.int64(PASS)
