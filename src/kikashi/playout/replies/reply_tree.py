"""A tree of last good replies (Baier 2010, §6.3.14): LGR-MAT. Contexts that appear often grow longer.

A node stands for a player and the moves before its reply. It is an entry of a hashed store: the reply, and the number
of appearances of its context since its parent exists; it counts as a node from the `appearances`-th on. The parent of a
context lacks the first of its moves in a tree that grows into the past, the last of them in one that grows into the
future (§5.2).
"""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS
from kikashi.jit import inlined
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates
from kikashi.playout.hash_store import cells_within, find_entry, hash_of, make_entry
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import NOWHERE, learn_reply, mark_reply
from kikashi.playout.simulation import HISTORY, Simulation, move_at, mover

DEEPEST = 7
WIDTH = 2
"""Cells of a node: its reply, and the number of appearances of its context."""
PER_POINT = 2.2
"""Entries of a store for each simulation and point of the board. LGR-MAT makes about 1,
in short searches and in those of 25,000 simulations."""
_PAST = 0


@memory(
    cells=lambda parameters, room: cells_within(room, WIDTH, entries=int(parameters["entries"]), per_point=PER_POINT),
    source="Baier 2010, §6.3.14",
    limits={"depth": (1, DEEPEST), "appearances": (1, 1 << 30), "entries": (0, np.inf)},
    depth=5,
    appearances=2,
    growth=("past", "future"),
    forgetting=True,
    entries=0,
)
def reply_tree(sim: Simulation, my: Any) -> None:
    """For each player and context of up to `depth` moves that has appeared often enough the last reply that won; with
    forgetting, a loss deletes it. A context gets its node at its `appearances`-th appearance after that of its parent,
    which is the context without its first move, or without its last. Hashed: `entries`, or 0 to fit the search."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(HISTORY + 1, sim.length):
        reply = move_at(sim, i)
        if reply == PASS:
            continue
        won = mover(sim, i) == sim.winner
        key, parent = _root_of(sim, i), _root_of(sim, i - 1)
        for depth in range(1, min(np.int64(my.depth), i - HISTORY) + 1):
            p = move_at(sim, i - depth)
            if p == PASS:
                break
            key = hash_of(np.int64(key), p)
            if my.growth != _PAST and depth > 1:
                parent = hash_of(np.int64(parent), p)
                above = find_entry(table, WIDTH, parent)
                if above == NOWHERE or table[np.uintp(above + 1)] < my.appearances:
                    break
            at = make_entry(table, WIDTH, key)
            table[np.uintp(at + 1)] += 1
            count = table[np.uintp(at + 1)]
            if count >= my.appearances:
                learn_reply(table, at, reply, won, my.forgetting)
            if my.growth == _PAST and count <= my.appearances:  # it was not a node before
                break


@inlined
def _root_of(sim: Simulation, i: int) -> int:
    """Return the key of the empty context of the player of ``sim.moves[i]``."""
    return hash_of(np.int64(mover(sim, i)) - BLACK)


@heuristic(memories=["reply_tree"], source="Baier 2010, §6.3.14")
def reply_of_tree(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the reply to the longest context that has one or, if it is not feasible, that to a shorter one."""
    table = cells(my.reply_tree)
    key = _root_of(sim, sim.length)
    for depth in range(1, my.depth + 1):
        p = move_at(sim, sim.length - depth)
        if p == PASS:
            break
        key = hash_of(np.int64(key), p)
        at = find_entry(table, WIDTH, key)
        if at == NOWHERE or table[np.uintp(at + 1)] < my.appearances:
            break
        mark_reply(moves, np.int64(table[np.uintp(at)]))
    for k in range(moves.count // 2):  # the longest context first
        first, last = np.uintp(k), np.uintp(moves.count - 1 - k)
        moves.points[first], moves.points[last] = moves.points[last], moves.points[first]
    moves.ordered = True
