"""Replies by statistics: the best answer to the last move, to any context of the tree, or with one's own last move.

- best move replies (Baier 2010, §5.1 and §5.3): the answer with the highest win rate; forced replies (§5.3.3), those
  that correlate with winning. Each player and last move has a row of values in units of 2**-30, so that the search for
  the best vacant point is a fast loop over integers.
- history heuristics of the tree (Drake and Uurtamo 2007, after Baier 2010, §3.4.2): the move that the tree's selection
  chose most often. Neither winners nor moves of playouts count, unlike with last good replies.
- contextual Monte Carlo (Rimmel and Teytaud 2010, after Baier 2010, footnote 16): the move with the highest win rate of
  the simulations that also have one's own last move.
"""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, STRIDE, WHITE
from kikashi.board.rng import random_unit
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.candidates import Candidates, mark_best
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import NOWHERE, context_at, mark_reply, table_cells
from kikashi.playout.replies.highest import end_of_board, highest_value, point_with, value_at
from kikashi.playout.simulation import HISTORY, Simulation, color_row, last_move, move_at, mover

VALUE_BITS = 30
"""A win rate of 1 is stored as 2**30, which keeps different win rates apart for up to 2**15 runs."""
_ONE = 1 << VALUE_BITS
_HALF = VALUE_BITS // 2
_LOW = (1 << _HALF) - 1
_COVARIANCE = 0
_TABLE = 2 * POINTS * POINTS
_COUNTS = _TABLE
"""After the values: runs and wins side by side, since they change together."""
DRAKE = "Baier 2010, §3.4.2 (Drake and Uurtamo 2007)"
RIMMEL = "Baier 2010, footnote 16 (Rimmel and Teytaud 2010)"


@inlined
def _row(color: int, last: int) -> int:
    """Return the first cell of the replies of `color` to `last`."""
    return (color_row(color) + last) * POINTS


@memory(cells=3 * _TABLE, source="Baier 2010, eq. 5.2")
def reply_wins(sim: Simulation, my: Any) -> None:
    """For each player, last move and reply: its win rate, its runs and its wins."""
    table = cells(my.cells)
    for i in range(HISTORY + 1, sim.length):
        last, reply = move_at(sim, i - 1), move_at(sim, i)
        if last == PASS or reply == PASS:
            continue
        color = mover(sim, i)
        at = _row(color, last) + reply
        won = np.int64(color == sim.winner)
        wins = add_to_cell(my.cells, _COUNTS + 2 * at + 1, won) + won
        runs = add_to_cell(my.cells, _COUNTS + 2 * at, 1) + 1
        # With threads that count at the same time, wins may exceed runs for a moment.
        table[np.uintp(at)] = (min(wins, runs) << VALUE_BITS) // runs


@heuristic(memories=["reply_wins"], source="Baier 2010, eq. 5.5, 5.7–5.9", certain=True)
def best_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vacant point with the highest win rate as a reply to the last move; if not `certain`, with a probability
    by its lead over the mean."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    table, row = cells(my.reply_wins), _row(sim.board.to_play, last)
    highest = highest_value(sim, table, row)
    if highest > 0 and (my.certain or _stands_out(sim, table, row, highest)):
        mark_reply(moves, point_with(sim, table, row, highest))  # PASS if another thread has changed the value


@kernel
def _stands_out(sim: Simulation, table: np.ndarray, row: int, highest: int) -> bool:
    """Draw with the probability (max - mean) / (1 - mean) of eq. 5.7, the mean being over vacant points (eq. 5.8b).

    If all replies have always won, none stands out. The sum has two halves of 32 bits, so that the loop vectorizes.
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
    """Play the vacant point with the highest covariance, or correlation, between being the reply to the last move and
    winning. Only forced replies count, whose correlation lies `z` standard deviations or more above zero."""
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
    at = _COUNTS + 2 * (row + reply)
    return np.float64(table[np.uintp(at)]), np.float64(table[np.uintp(at + 1)])


@kernel
def _totals(sim: Simulation, table: np.ndarray, row: int) -> tuple[float, float]:
    answered, won = np.int32(0), np.int32(0)
    for p in range(STRIDE, end_of_board(sim)):
        at = _COUNTS + 2 * (row + p)
        answered = np.int32(answered + table[np.uintp(at)])
        won = np.int32(won + table[np.uintp(at + 1)])
    return np.float64(answered), np.float64(won)


@inlined
def _is_forced(runs: float, wins: float, answered: float, won: float, z: float) -> bool:
    """Return whether a reply with these runs and wins, of all replies, correlates with winning significantly.

    Branch-free. Covariance and the root of spread are those of the two events times the square of `answered`.
    """
    covariance = wins * answered - runs * won
    spread = runs * (answered - runs) * (won * (answered - won))
    return (covariance > 0.0) & (spread > 0.0) & (covariance * covariance * answered >= z * z * spread)


@kernel
def _has_forced(sim: Simulation, table: np.ndarray, row: int, answered: float, won: float, z: float) -> bool:
    """Return whether any reply is forced. A separate loop, which vectorizes, since hardly any is."""
    count = np.int32(0)
    for p in range(STRIDE, end_of_board(sim)):
        runs, wins = _counts(table, row, p)
        count = np.int32(count + _is_forced(runs, wins, answered, won, z))
    return count > 0


# --- history of the tree, and pairs of moves --------------------------------------------------------------------------


@memory(cells=lambda parameters: table_cells(int(parameters["order"])), source=DRAKE, limits={"order": (1, 2)}, order=2)
def tree_choices(sim: Simulation, my: Any) -> None:
    """For each player and move, with order 2 also for each last move of the opponent: how often the tree's selection
    chose it. The last move may be the one before the root."""
    for i in range(HISTORY, sim.tree_length):
        row, p = context_at(sim, i, my.order - 1, 1), move_at(sim, i)
        if row != NOWHERE and p != PASS:
            add_to_cell(my.cells, row * POINTS + p, 1)


@heuristic(memories=["tree_choices"], source=DRAKE)
def tree_history(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vacant point that the tree's selection chose most often as an answer to the last move or, with order 1,
    at all. Ties are drawn."""
    row = context_at(sim, sim.length, my.order - 1, 1)
    if row == NOWHERE:
        return
    table, row = cells(my.tree_choices), row * POINTS
    highest = highest_value(sim, table, row)
    if highest > 0:
        mark_reply(moves, point_with(sim, table, row, highest))


@memory(cells=4 * POINTS * POINTS, source=RIMMEL)
def pair_wins(sim: Simulation, my: Any) -> None:
    """For each player and pair of points: the number of simulations in which the player moved at both, in any order,
    and of those that it won."""
    table = cells(my.cells)
    for color in (BLACK, WHITE):
        count = _find_played(sim, color)
        won = color == sim.winner
        for i in range(count):
            row = 2 * _row(color, np.int64(sim.found[np.uintp(i)]))
            for k in range(count):
                if k == i:
                    continue
                at = row + 2 * np.int64(sim.found[np.uintp(k)])
                table[np.uintp(at)] += 1
                table[np.uintp(at + 1)] += won


@kernel
def _find_played(sim: Simulation, color: int) -> int:
    """Write the points where a player moved in the simulation, each once, into `sim.found`; return their number."""
    seen = np.zeros(POINTS, np.bool_)
    seen[PASS] = True
    count = 0
    for i in range(HISTORY + (sim.root_color != color), sim.length, 2):
        p = sim.moves[np.uintp(i)]
        if not seen[p]:
            seen[p] = True
            sim.found[np.uintp(count)] = p
            count += 1
    return count


@heuristic(memories=["pair_wins"], source=RIMMEL)
def best_pair(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vacant point with the highest win rate of the simulations that also have the player's own last move."""
    last = last_move(sim, 2)
    if last == PASS:
        return
    table, board, row = cells(my.pair_wins), sim.board, 2 * _row(sim.board.to_play, last)
    highest = 0.0
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        at = row + 2 * p
        if table[np.uintp(at + 1)] > 0:
            highest = mark_best(moves, p, table[np.uintp(at + 1)] / table[np.uintp(at)], highest)
