"""Indirect replies (Baier 2010, §6.3.4): ILGR. What was good two or four moves later may be good at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, POINTS
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import NOWHERE, context_at, first_reply, learn_reply
from kikashi.playout.simulation import Simulation, mover

MOST = 4
TABLE = 2 * POINTS
_DIRECT = 0


@memory(
    cells=lambda parameters: TABLE * int(parameters["replies"]),
    source="Baier 2010, eq. 6.10–6.12",
    limits={"replies": (1, MOST)},
    replies=3,
    forget=("direct", "all"),
)
def indirect_replies(sim: Simulation, my: Any) -> None:
    """For each player and move of the opponent the last reply that won 1, 3, 5 moves later, in a table each. A loss
    deletes a reply from all tables: as a reply to the move before it, or to the moves 1, 3, 5 before it."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(first_reply(1, 1), sim.length):
        reply = np.int64(sim.moves[np.uintp(i)])
        if reply == PASS:
            continue
        won = mover(sim, i) == sim.winner
        for k in range(my.replies):
            back = 2 * k + 1
            context = context_at(sim, i, 1, back) if i >= first_reply(1, back) else NOWHERE
            if context == NOWHERE:
                continue
            if won:
                learn_reply(table, TABLE * k + context, reply, True, True)
            elif k == 0 or my.forget != _DIRECT:
                for other in range(my.replies):
                    learn_reply(table, TABLE * other + context, reply, False, True)


@heuristic(memories=["indirect_replies"], source="Baier 2010, eq. 6.13")
def indirect_good_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the direct reply to the last move that last won; if it is not feasible, an indirect one."""
    context = context_at(sim, sim.length, 1, 1)
    if context == NOWHERE:
        return
    table = cells(my.indirect_replies)
    for k in range(my.replies):
        reply = np.int64(table[np.uintp(TABLE * k + context)])
        if reply != PASS:
            mark(moves, reply)
    moves.ordered = True
