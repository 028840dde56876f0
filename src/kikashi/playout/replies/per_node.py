"""Last good replies for each node of the tree (Baier 2010, §6.3.1): PNLGR."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, POINTS
from kikashi.jit import inlined
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import NOWHERE, context_at, first_reply, learn_reply
from kikashi.playout.simulation import Simulation, mover

_USED, _COLUMN, _TABLES = 0, 1, 2
"""Cells: tables given to nodes; which column of the path is the memory's; then the tables."""
TABLE = 2 * POINTS


@memory(
    cells=lambda parameters: _TABLES + TABLE * int(parameters["nodes"]),
    source="Baier 2010, eq. 6.4",
    limits={"nodes": (1, 1 << 18)},
    forgetting=True,
    nodes=25_000,
)
def node_replies(sim: Simulation, my: Any) -> None:
    """For each node with children a table of last good replies to one move, which it has from its parent at first; a
    simulation teaches all nodes that it passed. Nodes for which no table is left share their parent's."""
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
        reply, context = np.int64(sim.moves[np.uintp(i)]), context_at(sim, i, 1, 1)
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
    """Play the reply to the last move that the last node of the tree remembers."""
    context = context_at(sim, sim.length, 1, 1)
    table = cells(my.node_replies)
    slot = np.int64(sim.path[np.uintp(sim.depth), np.uintp(table[_COLUMN])])
    if context == NOWHERE or slot == NOWHERE:
        return
    reply = np.int64(table[np.uintp(_TABLES + TABLE * slot + context)])
    if reply != PASS:
        mark(moves, reply)
