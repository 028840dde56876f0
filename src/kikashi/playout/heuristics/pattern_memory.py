"""Pattern memory (Baier 2010, §7.3): pattern moves that were found and not played may be played later.

`pattern_collector` is `pattern3` and has the memory keep what it lists; when the move is made, all but that one is
saved. `pattern_retriever` plays what was saved and still applies. Each player has a set of its own, for one playout:
a pattern of another playout has nothing to do with the stones of this one.

A set is a chain of points: the cell of a point has the point that was saved before it, END for the first one, or 0 if
it is not saved. That makes the thesis's two integers for each intersection, and saving takes no search. The cells of
walls have the head of the chain and what waits for the move to be made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, POINTS
from kikashi.board.position import enemy_of
from kikashi.board.queries import is_self_atari
from kikashi.jit import inlined
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import mark_patterns_beside_last, matches

HEAD, WAITING, FIRST_WAITING = 0, 1, 2
"""Cells of the wall below the board: the point that was saved last, how many wait, and from where on they stand."""
END = -1


@memory(cells=2 * POINTS, scope="playout", learns=False, source="Baier 2010, §7.3")
def saved_patterns(sim: Simulation, my: Any) -> None:
    """For each player the pattern moves that were found in this playout and not played."""


@saved_patterns.observe
def save_what_was_not_played(sim: Simulation, my: Any) -> None:
    """Save what the collector listed for the move that was just made, but for that move."""
    table = cells(my.cells)
    row = _row_of(enemy_of(sim.board.to_play))
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
    """Play as `pattern3` does, and save the other patterns it could have played."""
    mark_patterns_beside_last(sim, moves)
    table = cells(my.saved_patterns)
    row = _row_of(sim.board.to_play)
    for i in range(moves.count):
        table[np.uintp(row + FIRST_WAITING + i)] = moves.points[np.uintp(i)]
    table[np.uintp(row + WAITING)] = moves.count


@heuristic(memories=["saved_patterns"], source="Baier 2010, §7.3")
def pattern_retriever(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play one of the saved patterns that still hold and are not self-atari, all alike; forget the others."""
    table = cells(my.saved_patterns)
    row = _row_of(sim.board.to_play)
    before, p = np.int64(HEAD), np.int64(table[np.uintp(row + HEAD)])
    while p > 0:
        earlier = np.int64(table[np.uintp(row + p)])
        if _still_holds(sim, p):
            mark(moves, p)
            before = p
        else:
            table[np.uintp(row + before)] = earlier
            table[np.uintp(row + p)] = 0
        p = earlier


@inlined
def _row_of(color: int) -> int:
    return np.int64(color - BLACK) * POINTS


@inlined
def _still_holds(sim: Simulation, p: int) -> bool:
    """Whether the side to play finds the point empty, with a pattern around it, and no self-atari."""
    board = sim.board
    own = board.to_play
    return board.color[np.uintp(p)] == EMPTY and matches(board, p, own) and not is_self_atari(board, p, own, sim.found)
