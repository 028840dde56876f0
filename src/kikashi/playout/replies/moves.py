"""Last good moves (Baier 2010, §6.3.11–12): LGM, replies to no move in particular."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS
from kikashi.board.queries import KNIGHT
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.simulation import HISTORY, Simulation, last_move, mover


@memory(cells=2 * POINTS, source="Baier 2010, eq. 6.16")
def good_moves(sim: Simulation, my: Any) -> None:
    """For each player and point whether the player won when it last moved there."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(HISTORY, sim.length):
        color, p = np.int64(mover(sim, i)), np.int64(sim.moves[np.uintp(i)])
        if p != PASS:
            table[np.uintp((color - BLACK) * POINTS + p)] = color == sim.winner


@heuristic(memories=["good_moves"], source="Baier 2010, §6.3.11–12", local=False)
def last_good_move(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play any point where the player won when it last moved there; a local one is in the knight's neighbourhood of the
    last move."""
    board = sim.board
    table = cells(my.good_moves)
    row = (np.int64(board.to_play) - BLACK) * POINTS
    if not my.local:
        for i in range(board.empty_count):
            p = np.int64(board.empty[np.uintp(i)])
            if table[np.uintp(row + p)] != 0:
                mark(moves, p)
        return
    last = last_move(sim, 1)
    if last == PASS:
        return
    for i in range(KNIGHT.shape[1]):
        p = np.int64(KNIGHT[np.uintp(last), i])
        if board.color[np.uintp(p)] == EMPTY and table[np.uintp(row + p)] != 0:
            mark(moves, p)
