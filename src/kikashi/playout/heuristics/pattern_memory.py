"""Pattern memory (Baier 2010, §7.3): pattern moves that were not played may be played later in the playout.

`pattern_collector` proposes as `pattern3` does; once the move is made, the memory saves the other candidates.
`pattern_retriever` plays saved moves whose pattern still matches. Each player has a set of its own for each playout.

A set is a linked list of points: the cell of a point holds the point saved before it, END for the first one, 0 if it is
not saved. These are the thesis's two integers for each intersection, and saving needs no search. The cells of walls
hold the head of the list and the candidates of the present move.
"""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, POINTS
from kikashi.board.position import enemy_of
from kikashi.board.queries import is_self_atari
from kikashi.jit import inlined
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.simulation import Simulation, color_row, last_move
from kikashi.playout.tactics.patterns import mark_patterns_around, matches

HEAD, WAITING, FIRST_WAITING = 0, 1, 2
"""Cells of the wall below the board: the point that was saved last, the number of candidates, and the first of them."""
END = -1


@memory(cells=2 * POINTS, scope="playout", learns=False, source="Baier 2010, §7.3")
def saved_patterns(sim: Simulation, my: Any) -> None:
    """For each player the pattern moves that matched in this playout and were not played."""


@saved_patterns.observe
def save_unplayed(sim: Simulation, my: Any) -> None:
    """Save the candidates of the move that was just made, but for that move."""
    table = cells(my.cells)
    row = color_row(enemy_of(sim.board.to_play))
    waiting = table[np.uintp(row + WAITING)]
    if waiting == 0:
        return
    table[np.uintp(row + WAITING)] = 0
    played = last_move(sim, 1)
    for i in range(waiting):
        p = np.int64(table[np.uintp(row + FIRST_WAITING + i)])
        if p != played and table[np.uintp(row + p)] == 0:
            head = table[np.uintp(row + HEAD)]
            table[np.uintp(row + p)] = END if head == 0 else head
            table[np.uintp(row + HEAD)] = p


@heuristic(memories=["saved_patterns"], source="Baier 2010, §7.3")
def pattern_collector(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play as `pattern3` does, and save the other patterns that it could have played."""
    mark_patterns_around(sim, moves, last_move(sim, 1))
    table = cells(my.saved_patterns)
    row = color_row(sim.board.to_play)
    for i in range(moves.count):
        table[np.uintp(row + FIRST_WAITING + i)] = moves.points[np.uintp(i)]
    table[np.uintp(row + WAITING)] = moves.count


@heuristic(memories=["saved_patterns"], source="Baier 2010, §7.3")
def pattern_retriever(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play any of the saved patterns that still match and are not self-atari; forget the others."""
    table = cells(my.saved_patterns)
    row = color_row(sim.board.to_play)
    before, p = np.int64(HEAD), np.int64(table[np.uintp(row + HEAD)])
    while p > 0:
        earlier = np.int64(table[np.uintp(row + p)])
        if _still_matches(sim, p):
            mark(moves, p)
            before = p
        else:
            table[np.uintp(row + before)] = earlier
            table[np.uintp(row + p)] = 0
        p = earlier


@inlined
def _still_matches(sim: Simulation, p: int) -> bool:
    board = sim.board
    own = board.to_play
    return board.color[np.uintp(p)] == EMPTY and matches(board, p, own) and not is_self_atari(board, p, own, sim.found)
