"""What earlier simulations of the search tell of a move: history heuristics and ownership (Baier 2010, §3.4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, STRIDE
from kikashi.board.scoring import owner_at_end
from kikashi.compiling import inlined
from kikashi.playout.candidates import Candidates, add, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.raw import cells
from kikashi.playout.simulation import HISTORY, Simulation, last_move, mover

_PLAYED, _WON = 0, 2 * POINTS
_BEST = 2 * POINTS * POINTS


@memory(cells=4 * POINTS, source="Baier 2010, §3.4.2 (Bouzy and Helmstetter 2003)")
def move_wins(sim: Simulation, my: Any) -> None:
    """For each player and point: in how many simulations the player moved there, and how many of them it won."""
    table = cells(my.cells)
    for i in range(HISTORY, sim.length):
        color, p = mover(sim, i), np.int64(sim.moves[np.uintp(i)])
        if p != PASS:
            at = (color - BLACK) * POINTS + p
            table[_PLAYED + at] += 1
            table[_WON + at] += color == sim.winner


@heuristic(
    memories=["move_wins"],
    source="Baier 2010, §3.4.2 (Bouzy and Helmstetter 2003)",
    inverse_temperature=4.0,
    draws=True,
)
def history(sim: Simulation, moves: Candidates, my: Any) -> None:
    """First order: every point weighs exp(K v), v being the share of won simulations where the player moved there.
    If it does not draw, only the points with the highest v are taken."""
    table, board = cells(my.move_wins), sim.board
    highest = 0.0
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if my.draws:
            add(moves, p, np.exp(my.inverse_temperature * _share_of_wins(table, board.to_play, p)))
        else:
            highest = max(highest, _share_of_wins(table, board.to_play, p))
    for i in range(0 if my.draws else board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if _share_of_wins(table, board.to_play, p) == highest:
            mark(moves, p)


@inlined
def _share_of_wins(table: np.ndarray, color: int, p: int) -> float:
    """Half for a move that never came."""
    at = (np.int64(color) - BLACK) * POINTS + p
    played = table[_PLAYED + at]
    return table[_WON + at] / played if played > 0 else 0.5


@memory(cells=_BEST + 2 * POINTS, source="Baier 2010, §3.4.2 (Drake and Uurtamo 2007)")
def answer_wins(sim: Simulation, my: Any) -> None:
    """For each player, move and answer: how often the answer was played in a simulation that it won; and which is the
    most frequent."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(HISTORY + 1, sim.length):
        last, p = np.int64(sim.moves[np.uintp(i - 1)]), np.int64(sim.moves[np.uintp(i)])
        if p == PASS or last == PASS or mover(sim, i) != sim.winner:
            continue
        row = (mover(sim, i) - BLACK) * POINTS + last
        table[row * POINTS + p] += 1
        best = table[_BEST + row]
        if best == PASS or table[row * POINTS + p] > table[row * POINTS + best]:
            table[_BEST + row] = p


@heuristic(memories=["answer_wins"], source="Baier 2010, §3.4.2 (Drake and Uurtamo 2007)")
def second_order_history(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Second order: the answer to the last move that was played most often in simulations won by it."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    answer = cells(my.answer_wins)[_BEST + (np.int64(sim.board.to_play) - BLACK) * POINTS + last]
    if answer != PASS:
        mark(moves, answer)


@memory(cells=1 + POINTS, source="Baier 2010, §3.4.2 (Bouzy 2005)")
def ownership(sim: Simulation, my: Any) -> None:
    """For each point: in how many simulations it ended as Black's; cell 0 counts the simulations."""
    table = cells(my.cells)
    table[0] += 1
    board = sim.board
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            table[1 + p] += owner_at_end(board, p) == BLACK


@heuristic(memories=["ownership"], source="Baier 2010, §3.4.2 (Bouzy 2005)", least=0.1)
def contested(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Every point weighs the more the less sure its owner is: 1 where it changes hands every other time, `least` where
    it never does."""
    table = cells(my.ownership)
    if table[0] == 0:
        return
    board = sim.board
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        black = table[1 + p] / table[0]
        add(moves, p, my.least + (1.0 - my.least) * (1.0 - abs(2.0 * black - 1.0)))
