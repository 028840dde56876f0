"""Replies that grow old (Baier 2010, §6.3.6): LGRF-2-D."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import LONGEST_TABLE, NOWHERE, context_at, first_reply, learn_reply
from kikashi.playout.simulation import Simulation, mover

_COUNT, _LAST_WON, _ROWS = 0, 1, 3
"""Cells: how many simulations are over; for each player which of them was the last that it won; then a reply and the
simulation that it is from, for each context."""
_LAST_WIN = 0


@memory(
    cells=lambda parameters: _ROWS + 2 * 2 * POINTS ** int(parameters["context"]),
    source="Baier 2010, §6.3.6",
    limits={"context": (1, LONGEST_TABLE)},
    context=1,
)
def dated_replies(sim: Simulation, my: Any) -> None:
    """For each player and context the last reply that won, unless it lost since, and which simulation it is from."""
    now = np.int64(add_to_cell(my.cells, _COUNT, 1)) + 1
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    table[_LAST_WON + np.int64(sim.winner) - BLACK] = now
    for i in range(first_reply(my.context, 1), sim.length):
        reply, context = np.int64(sim.moves[np.uintp(i)]), context_at(sim, i, my.context, 1)
        if reply == PASS or context == NOWHERE:
            continue
        won = mover(sim, i) == sim.winner
        learn_reply(table, _ROWS + 2 * context, reply, won, True)
        if won:
            table[np.uintp(_ROWS + 2 * context + 1)] = now


@heuristic(
    memories=["dated_replies"],
    source="Baier 2010, §6.3.6",
    limits={"age": (1, 1 << 30)},
    since=("last_win", "age"),
    age=2,
)
def recent_good_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the reply to the last moves that won when it was last played, if that was in the last simulation that the
    player won, or in one of the last `age`."""
    context = context_at(sim, sim.length, my.context, 1)
    if context == NOWHERE:
        return
    table = cells(my.dated_replies)
    if my.since == _LAST_WIN:
        oldest = np.int64(table[_LAST_WON + np.int64(sim.board.to_play) - BLACK])
    else:
        oldest = np.int64(table[_COUNT]) - my.age + 1
    at = np.uintp(_ROWS + 2 * context)
    if table[at] != PASS and table[at + np.uintp(1)] >= oldest:
        mark(moves, np.int64(table[at]))
