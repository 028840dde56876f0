"""Contexts of replies: the last moves as one number, which addresses the stored reply.

A context lies within the simulation. Neither a context nor a reply contains a pass (Baier 2010, eq. 5.2, 6.1: "for each
action a_t, t ≥ 2").
"""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, STRIDE
from kikashi.board.queries import steps_around
from kikashi.jit import inlined
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.hash_store import find_entry, make_entry
from kikashi.playout.simulation import HISTORY, Simulation, move_at, mover

NOWHERE = -1
LONGEST_TABLE = 2
"""The longest context, in moves, that is a row of a table; longer ones are hashed."""


@inlined
def first_reply(context: int, back: int) -> int:
    """Return the index of the first move of a simulation whose context lies within it."""
    return HISTORY + back - 1 + context


@inlined
def context_at(sim: Simulation, i: int, context: int, back: int) -> int:
    """Return the context of the move ``sim.moves[i]``, or with ``i = sim.length`` of the move to come.

    The context is its player and `context` moves, the last of them `back` moves before; NOWHERE if one is a pass.
    """
    key = np.int64(mover(sim, i)) - BLACK
    for k in range(context - 1, -1, -1):
        p = move_at(sim, i - back - k)
        if p == PASS:
            return NOWHERE
        key = key * POINTS + p
    return key


def table_cells(context: int) -> int:
    """Return the number of contexts of this length."""
    return 2 * POINTS**context


@inlined
def find_place(table: np.ndarray, context: int, key: int) -> int:
    """Return the cell of the reply to a context; NOWHERE if it has none yet."""
    return key if context <= LONGEST_TABLE or key < 0 else find_entry(table, 1, key)


@inlined
def make_place(table: np.ndarray, context: int, key: int) -> int:
    """Return the cell of the reply to a context, making an entry for a hashed one."""
    return key if context <= LONGEST_TABLE else make_entry(table, 1, key)


@inlined
def learn_reply(table: np.ndarray, at: int, reply: int, won: bool, forgetting: bool) -> None:
    """Update a last good reply (Baier 2010, eq. 6.1 and, with forgetting, 6.3)."""
    if won:
        table[np.uintp(at)] = reply
    elif forgetting and table[np.uintp(at)] == reply:
        table[np.uintp(at)] = PASS


@inlined
def mark_reply(moves: Candidates, reply: int) -> None:
    """Mark a reply unless it is PASS, which stands for none."""
    if reply != PASS:
        mark(moves, reply)


_REACH = 2
_IS_LOCAL = np.zeros(2 * POINTS, np.bool_)
_IS_LOCAL[[POINTS + y * STRIDE + x for y, x in steps_around(_REACH, 3)]] = True


@inlined
def are_local(p: int, q: Any) -> bool:
    """Return whether a point is in the knight's neighbourhood of another (figure 6.16)."""
    p, q = np.int64(p), np.int64(q)
    # On 19x19 points of the first and the last column have such differences too.
    return _IS_LOCAL[np.uintp(POINTS + p - q)] and abs(p % STRIDE - q % STRIDE) <= _REACH
