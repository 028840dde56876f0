"""Contexts of replies: the last moves, as a number that says where the reply to them is kept.

A context lies within the simulation and never contains a pass; nor is a pass a reply (Baier 2010, eq. 5.2, 6.1:
"for each action a_t, t ≥ 2").
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, STRIDE
from kikashi.board.queries import steps_around
from kikashi.jit import inlined
from kikashi.playout.hash_store import find_entry, make_entry
from kikashi.playout.simulation import HISTORY, Simulation, mover

NOWHERE = -1
LONGEST_TABLE = 2
"""A context of this many moves is a row of a table; longer ones are hashed."""


@inlined
def first_reply(context: int, back: int) -> int:
    """The first move of a simulation whose context lies within it."""
    return HISTORY + back - 1 + context


@inlined
def context_at(sim: Simulation, i: int, context: int, back: int) -> int:
    """A number for who makes the move ``sim.moves[i]`` and the `context` moves before it, the last of them `back` moves
    ago; NOWHERE if one of them is a pass. ``i = sim.length`` asks about the move to come."""
    key = np.int64(mover(sim, i)) - BLACK
    for k in range(context - 1, -1, -1):
        p = np.int64(sim.moves[np.uintp(i - back - k)])
        if p == PASS:
            return NOWHERE
        key = key * POINTS + p
    return key


def table_cells(context: int) -> int:
    """How many cells the replies to contexts of this length need, one for each."""
    return 2 * POINTS**context


@inlined
def find_place(table: np.ndarray, context: int, key: int) -> int:
    """Where the reply to a context is kept; NOWHERE if there is no place for it yet."""
    return key if context <= LONGEST_TABLE or key < 0 else find_entry(table, 1, key)


@inlined
def make_place(table: np.ndarray, context: int, key: int) -> int:
    """Where the reply to a context is kept; a hashed one gets a place."""
    return key if context <= LONGEST_TABLE else make_entry(table, 1, key)


@inlined
def learn_reply(table: np.ndarray, at: int, reply: int, won: bool, forgetting: bool) -> None:
    """The update of last good replies (Baier 2010, eq. 6.1 and, with forgetting, 6.3)."""
    if won:
        table[np.uintp(at)] = reply
    elif forgetting and table[np.uintp(at)] == reply:
        table[np.uintp(at)] = PASS


_REACH = 2
_IS_LOCAL = np.zeros(2 * POINTS, np.bool_)
_IS_LOCAL[[POINTS + y * STRIDE + x for y, x in steps_around(_REACH, 3)]] = True


@inlined
def are_local(p: int, q: Any) -> bool:
    """Whether a point is in the knight's neighbourhood of another (figure 6.16)."""
    p, q = np.int64(p), np.int64(q)
    # On 19x19 points of the first and the last column have such differences too.
    return _IS_LOCAL[np.uintp(POINTS + p - q)] and abs(p % STRIDE - q % STRIDE) <= _REACH
