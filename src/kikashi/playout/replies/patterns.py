"""Replies to a move and its surroundings (Baier 2010, §6.3.2): PLGR, and the neighbourhoods that §8.2.2 proposes."""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS
from kikashi.board.position import Board
from kikashi.board.queries import KNIGHT
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates
from kikashi.playout.hash_store import cells_within, find_entry, hash_of, make_entry
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import NOWHERE, context_at, first_reply, learn_reply, mark_reply
from kikashi.playout.simulation import MAX_MOVES, Simulation, last_move, move_at, mover
from kikashi.playout.tactics.patterns import code_at

PER_POINT = 1.2
"""Entries of a store for each simulation and point of the board. PLGR makes 0.6 in short searches and
0.2 in those of 25,000 simulations."""
_FOUR = 0x3333
"""The bits of the four adjacent points in a code of eight neighbours."""
_EIGHT_WORD, _FOUR_WORD = 0, 1
_BITS = 31
_LOW = (1 << _BITS) - 1


@memory(cells=2 * MAX_MOVES, scope="playout", learns=False, shape=("eight", "four", "knight"))
def surroundings(sim: Simulation, my: Any) -> None:
    """For each move of the simulation the surroundings of the move before it: eight points, four, or the knight's
    neighbourhood."""


@surroundings.observe
def _observe(sim: Simulation, my: Any) -> None:
    last = last_move(sim, 1)
    if last != PASS:
        code = _code(sim.board, last, my.shape)
        at = 2 * sim.length if sim.length < MAX_MOVES else 0
        table = cells(my.cells)
        table[np.uintp(at)], table[np.uintp(at + 1)] = code & _LOW, code >> _BITS


@inlined
def _code(board: Board, p: int, shape: int) -> int:
    """Return the colours around a point, two bits for each neighbour."""
    if shape == _EIGHT_WORD:
        return code_at(board, p)
    return code_at(board, p) & _FOUR if shape == _FOUR_WORD else _knight_code(board, p)


@kernel
def _knight_code(board: Board, p: int) -> int:
    code = np.int64(0)
    for i in range(KNIGHT.shape[1]):
        code = code << 2 | np.int64(board.color[KNIGHT[np.uintp(p), i]])
    return code


@memory(
    cells=lambda parameters, room: cells_within(room, 1, entries=int(parameters["entries"]), per_point=PER_POINT),
    memories=["surroundings"],
    source="Baier 2010, eq. 6.6",
    limits={"entries": (0, np.inf)},
    forgetting=True,
    entries=0,
)
def pattern_replies(sim: Simulation, my: Any) -> None:
    """For each player, last move and its surroundings the last reply that won; with forgetting, a loss deletes it.
    Hashed: `entries`, or 0 to fit the search."""
    if sim.winner == EMPTY:
        return
    table, codes = cells(my.cells), cells(my.surroundings)
    for i in range(first_reply(1, 1), sim.length):
        reply, context = move_at(sim, i), context_at(sim, i, 1, 1)
        if reply == PASS or context == NOWHERE:
            continue
        code = np.int64(codes[np.uintp(2 * i)]) | np.int64(codes[np.uintp(2 * i + 1)]) << _BITS
        key = hash_of(context, code)
        won = mover(sim, i) == sim.winner
        at = make_entry(table, 1, key) if won else find_entry(table, 1, key)
        if at != NOWHERE:
            learn_reply(table, at, reply, won, my.forgetting)


@heuristic(memories=["pattern_replies"], source="Baier 2010, eq. 6.7")
def pattern_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the reply to the last move that last won in the same surroundings."""
    context = context_at(sim, sim.length, 1, 1)
    if context == NOWHERE:
        return
    table = cells(my.pattern_replies)
    at = find_entry(table, 1, hash_of(context, _code(sim.board, last_move(sim, 1), my.shape)))
    if at != NOWHERE:
        mark_reply(moves, np.int64(table[np.uintp(at)]))
