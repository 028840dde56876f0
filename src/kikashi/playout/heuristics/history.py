"""Heuristics that learn from whole simulations of the search: first-order history and ownership (Baier 2010, §3.4.2).

`kikashi.playout.replies.best` has the history heuristics that learn from the tree alone.
"""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, vertex
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, add, mark_best
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.simulation import HISTORY, Simulation, color_row, find_owners, mover
from kikashi.playout.words import name_place

_PLAYED, _WON = 0, 2 * POINTS


def _say_wins(_parameters: Any, cell: int, _before: int, after: int) -> str:
    return f"{name_place(cell % _WON)}: {'won' if cell >= _WON else 'played'} {after}"


@memory(cells=4 * POINTS, words=_say_wins, source="Baier 2010, §3.4.2 (Bouzy and Helmstetter 2003)")
def move_wins(sim: Simulation, my: Any) -> None:
    """For each player and point: the number of simulations in which the player moved there, and of those it won."""
    table = cells(my.cells)
    for i in range(HISTORY, sim.length):
        color, p = mover(sim, i), np.int64(sim.moves[np.uintp(i)])
        if p != PASS:
            at = color_row(color) + p
            table[_PLAYED + at] += 1
            table[_WON + at] += color == sim.winner


@heuristic(
    memories=["move_wins"],
    source="Baier 2010, §3.4.2 (Bouzy and Helmstetter 2003)",
    inverse_temperature=4.0,
    draws=False,
)
def history(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the point with the highest win rate v of the simulations in which the player moved there; if it `draws`,
    every point weighs exp(K v), K being the `inverse_temperature`. A move that never came has v = 1/2."""
    table, board = cells(my.move_wins), sim.board
    row = color_row(board.to_play)
    highest = 0.0
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        played = table[_PLAYED + row + p]
        value = table[_WON + row + p] / played if played > 0 else 0.5
        if my.draws:
            add(moves, p, np.exp(my.inverse_temperature * value))
        else:
            highest = mark_best(moves, p, value, highest)


def _say_owned(_parameters: Any, cell: int, _before: int, after: int) -> str:
    return f"{vertex(cell - 1)}: Black's {after} times" if cell else f"{after} simulations"


@memory(cells=1 + POINTS, words=_say_owned, source="Baier 2010, §3.4.2 (Bouzy 2005)")
def ownership(sim: Simulation, my: Any) -> None:
    """For each point: the number of simulations at whose end Black owned it; cell 0 counts the simulations."""
    table = cells(my.cells)
    table[0] += 1
    find_owners(sim)
    for p in range(POINTS):
        table[1 + p] += sim.owner[p] == BLACK


@heuristic(memories=["ownership"], source="Baier 2010, §3.4.2 (Bouzy 2005)", least=0.1)
def contested(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Weigh every point by the uncertainty of its owner: 1 if either player owns it half of the time, `least` if it
    always has the same owner."""
    table = cells(my.ownership)
    if table[0] == 0:
        return
    board = sim.board
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        black = table[1 + p] / table[0]
        add(moves, p, my.least + (1.0 - my.least) * (1.0 - abs(2.0 * black - 1.0)))
