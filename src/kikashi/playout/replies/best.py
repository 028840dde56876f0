"""Best move replies (Baier 2010, §5.1 and §5.3): play what has won most often as an answer to the last move; and forced
replies (§5.3.3), those that go along with winning.

Every player and last move has a row with the value of each reply, in units of 2**-30, so that looking for the best one
among all vacant points is a quick loop over integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, STRIDE
from kikashi.board.rng import random_unit
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.candidates import Candidates, mark, mark_best
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.highest import end_of_board, highest_value, point_with, value_at
from kikashi.playout.simulation import HISTORY, Simulation, last_move, mover

VALUE_BITS = 30
"""1 is kept as 2**30. Two shares of wins differ in it if they do, for up to 2**15 runs."""
_ONE = 1 << VALUE_BITS
_HALF = VALUE_BITS // 2
_LOW = (1 << _HALF) - 1
_COVARIANCE = 0
_TABLE = 2 * POINTS * POINTS
_COUNTS = _TABLE
"""After the values: runs and wins side by side, since they change together."""


@inlined
def _row(color: int, last: int) -> int:
    """Where the row of the replies of `color` to `last` begins."""
    return ((np.int64(color) - BLACK) * POINTS + last) * POINTS


@memory(cells=3 * _TABLE, source="Baier 2010, eq. 5.2")
def reply_wins(sim: Simulation, my: Any) -> None:
    """For each player, last move and reply: its value, the share of its runs that it won, and runs and wins."""
    table = cells(my.cells)
    for i in range(HISTORY + 1, sim.length):
        last, reply = np.int64(sim.moves[np.uintp(i - 1)]), np.int64(sim.moves[np.uintp(i)])
        if last == PASS or reply == PASS:
            continue
        color = mover(sim, i)
        at = _row(color, last) + reply
        won = np.int64(color == sim.winner)
        wins = add_to_cell(my.cells, _COUNTS + 2 * at + 1, won) + won
        runs = add_to_cell(my.cells, _COUNTS + 2 * at, 1) + 1
        # Threads that count at the same time may make it seem that more was won than played.
        table[np.uintp(at)] = (min(wins, runs) << VALUE_BITS) // runs


@heuristic(memories=["reply_wins"], source="Baier 2010, eq. 5.5, 5.7–5.9", certain=True)
def best_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vacant point that won most often as a reply to the last move; if not `certain`, with a probability that
    says how far it stands out."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    table, row = cells(my.reply_wins), _row(sim.board.to_play, last)
    highest = highest_value(sim, table, row)
    if highest > 0 and (my.certain or _stands_out(sim, table, row, highest)):
        reply = point_with(sim, table, row, highest)
        if reply != PASS:  # another thread may have changed the value meanwhile
            mark(moves, reply)


@kernel
def _stands_out(sim: Simulation, table: np.ndarray, row: int, highest: int) -> bool:
    """Draw with the probability (max - mean) / (1 - mean) of eq. 5.7, the mean being over vacant points (eq. 5.8b).

    Where all replies have always won, none stands out. The sum is kept in two halves of 32 bits, for the vectors.
    """
    high, low = np.int32(0), np.int32(0)
    for p in range(STRIDE, end_of_board(sim)):
        value = value_at(sim, table, row, p)
        high = np.int32(high + (value >> _HALF))
        low = np.int32(low + (value & _LOW))
    mean = ((np.int64(high) << _HALF) + low) / sim.board.empty_count
    return random_unit(sim) * (_ONE - mean) < highest - mean


@heuristic(
    memories=["reply_wins"],
    source="Baier 2010, §5.3.3, §8.2.3",
    limits={"z": (0, np.inf)},
    z=3.0,
    by=("covariance", "correlation"),
)
def forced_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vacant point with the highest covariance, or correlation, of being the reply to the last move and
    winning. A reply is forced if its correlation lies `z` standard deviations or more above zero; others are free."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    table, row = cells(my.reply_wins), _row(sim.board.to_play, last)
    answered, won = _totals(sim, table, row)
    if not _has_forced(sim, table, row, answered, won, my.z):
        return
    highest = 0.0
    for i in range(sim.board.empty_count):
        p = np.int64(sim.board.empty[np.uintp(i)])
        runs, wins = _counts(table, row, p)
        if _is_forced(runs, wins, answered, won, my.z):
            measure = wins * answered - runs * won
            if my.by != _COVARIANCE:
                measure /= np.sqrt(runs * (answered - runs))
            highest = mark_best(moves, p, measure, highest)


@inlined
def _counts(table: np.ndarray, row: int, reply: int) -> tuple[float, float]:
    """The runs and the wins of a reply."""
    at = _COUNTS + 2 * (row + reply)
    return np.float64(table[np.uintp(at)]), np.float64(table[np.uintp(at + 1)])


@kernel
def _totals(sim: Simulation, table: np.ndarray, row: int) -> tuple[float, float]:
    """The runs and the wins of all replies to a move."""
    answered, won = np.int32(0), np.int32(0)
    for p in range(STRIDE, end_of_board(sim)):
        at = _COUNTS + 2 * (row + p)
        answered = np.int32(answered + table[np.uintp(at)])
        won = np.int32(won + table[np.uintp(at + 1)])
    return np.float64(answered), np.float64(won)


@inlined
def _is_forced(runs: float, wins: float, answered: float, won: float, z: float) -> bool:
    """Whether a reply with these runs and wins, of all that there were, goes along with winning by more than chance.

    Without a branch. The covariance is that of the two events times the square of `answered`, as is the root of spread.
    """
    covariance = wins * answered - runs * won
    spread = runs * (answered - runs) * (won * (answered - won))
    return (covariance > 0.0) & (spread > 0.0) & (covariance * covariance * answered >= z * z * spread)


@kernel
def _has_forced(sim: Simulation, table: np.ndarray, row: int, answered: float, won: float, z: float) -> bool:
    """Whether any reply is forced. A loop for the vectors, since hardly any is."""
    count = np.int32(0)
    for p in range(STRIDE, end_of_board(sim)):
        runs, wins = _counts(table, row, p)
        count = np.int32(count + _is_forced(runs, wins, answered, won, z))
    return count > 0
