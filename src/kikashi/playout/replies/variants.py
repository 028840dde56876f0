"""Variants of last good replies (Baier 2010): dated (§6.3.6), indirect (§6.3.4) and for each node (§6.3.1)."""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS
from kikashi.jit import inlined
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import (
    LONGEST_TABLE,
    NOWHERE,
    context_at,
    first_reply,
    learn_reply,
    mark_reply,
    table_cells,
)
from kikashi.playout.simulation import Simulation, move_at, mover

TABLE = table_cells(1)

# --- replies that expire: LGRF-2-D ------------------------------------------------------------------------------------

_COUNT, _LAST_WON, _ROWS = 0, 1, 3
"""Cells: the number of finished simulations; for each player the last one that it won; then for each context a reply
and its simulation."""
_LAST_WIN = 0


@memory(
    cells=lambda parameters: _ROWS + 2 * table_cells(int(parameters["context"])),
    source="Baier 2010, §6.3.6",
    limits={"context": (1, LONGEST_TABLE)},
    context=1,
)
def dated_replies(sim: Simulation, my: Any) -> None:
    """For each player and context the last reply that won, unless it lost since, and the number of its simulation."""
    now = np.int64(add_to_cell(my.cells, _COUNT, 1)) + 1
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    table[_LAST_WON + np.int64(sim.winner) - BLACK] = now
    for i in range(first_reply(my.context, 1), sim.length):
        reply, context = move_at(sim, i), context_at(sim, i, my.context, 1)
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
    player won, or in one of the last `age` simulations."""
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


# --- indirect replies, good two or four moves later: ILGR -------------------------------------------------------------

MAX_REPLIES = 4
_DIRECT = 0


@memory(
    cells=lambda parameters: TABLE * int(parameters["replies"]),
    source="Baier 2010, eq. 6.10–6.12",
    limits={"replies": (1, MAX_REPLIES)},
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
        reply = move_at(sim, i)
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
    """Play the direct reply to the last move that last won or, if it is not feasible, an indirect one."""
    context = context_at(sim, sim.length, 1, 1)
    if context == NOWHERE:
        return
    table = cells(my.indirect_replies)
    for k in range(my.replies):
        mark_reply(moves, np.int64(table[np.uintp(TABLE * k + context)]))
    moves.ordered = True


# --- replies for each node of the tree: PNLGR -------------------------------------------------------------------------

_USED, _COLUMN, _TABLES = 0, 1, 2
"""Cells: the number of tables in use; the memory's column of the path; then the tables."""


@memory(
    cells=lambda parameters: _TABLES + TABLE * int(parameters["nodes"]),
    source="Baier 2010, eq. 6.4",
    limits={"nodes": (1, 1 << 18)},
    forgetting=True,
    nodes=25_000,
)
def node_replies(sim: Simulation, my: Any) -> None:
    """For each node with children a table of last good replies to one move, copied from its parent's at first; a
    simulation updates the tables of all nodes of its path. Nodes without a table share their parent's."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    above = np.int64(NOWHERE)
    for depth in range(sim.depth + 1):
        slot = np.int64(sim.path[np.uintp(depth), np.uintp(my.slot)])
        if slot != above and slot != NOWHERE:
            _learn(sim, table, _TABLES + TABLE * slot, my.forgetting)
        above = slot


@inlined
def _learn(sim: Simulation, table: np.ndarray, start: int, forgetting: bool) -> None:
    for i in range(first_reply(1, 1), sim.length):
        reply, context = move_at(sim, i), context_at(sim, i, 1, 1)
        if reply != PASS and context != NOWHERE:
            learn_reply(table, start + context, reply, mover(sim, i) == sim.winner, forgetting)


@node_replies.inherit
def _inherit(sim: Simulation, parent: int, my: Any) -> int:
    table = cells(my.cells)
    table[_COLUMN] = my.slot
    slot = np.int64(add_to_cell(my.cells, _USED, 1))
    if slot >= my.nodes:
        add_to_cell(my.cells, _USED, -1)
        return NOWHERE
    if parent != NOWHERE:
        start, above = _TABLES + TABLE * slot, _TABLES + TABLE * parent
        table[start : start + TABLE] = table[above : above + TABLE]
    return slot


@heuristic(memories=["node_replies"], source="Baier 2010, eq. 6.5")
def node_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the reply to the last move in the table of the deepest node of the path."""
    context = context_at(sim, sim.length, 1, 1)
    table = cells(my.node_replies)
    slot = np.int64(sim.path[np.uintp(sim.depth), np.uintp(table[_COLUMN])])
    if context != NOWHERE and slot != NOWHERE:
        mark_reply(moves, np.int64(table[np.uintp(_TABLES + TABLE * slot + context)]))
