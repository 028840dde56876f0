"""A tree of last good replies (Baier 2010, §6.3.14): LGR-MAT. Contexts that appear often grow longer.

A node stands for a player and the moves before its reply. It is an entry of a hashed store: the reply, and how often
its context has appeared since its parent is there; it counts as a node from the `appearances`-th time on. A tree that
grows into the past asks for a parent that has not the first of the moves; one that grows into the future (§5.2), for
one that has not the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS
from kikashi.jit import inlined
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.hash_store import Room, StoreCells, cells_within, find_entry, hash_of, make_entry
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import NOWHERE, learn_reply
from kikashi.playout.simulation import HISTORY, Simulation, mover

DEEPEST = 7
WIDTH = 2
"""Cells of a node: its reply, and the appearances of its context."""
PER_POINT = 2.2
"""Entries of a store for each simulation and point of the board. LGR-MAT makes about 1,
in short searches and in those of 25,000 simulations."""
_PAST = 0


def _size(parameters: Any, room: Room) -> StoreCells:
    return cells_within(room, WIDTH, entries=int(parameters["entries"]), per_point=PER_POINT)


@memory(
    cells=_size,
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
    forgetting, a reply that loses is deleted. A context gets its node at its `appearances`-th appearance after that of
    its parent, which is the context without its first move, or without its last. Hashed: `entries`, or 0 for as many as
    the search needs."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(HISTORY + 1, sim.length):
        reply = np.int64(sim.moves[np.uintp(i)])
        if reply == PASS:
            continue
        won = mover(sim, i) == sim.winner
        key, parent = _root_of(sim, i), _root_of(sim, i - 1)
        for depth in range(1, min(np.int64(my.depth), i - HISTORY) + 1):
            p = np.int64(sim.moves[np.uintp(i - depth)])
            if p == PASS:
                break
            key = hash_of(np.int64(key), p)
            if my.growth != _PAST and depth > 1:
                parent = hash_of(np.int64(parent), p)
                if not _is_node(table, my, parent):
                    break
            at = make_entry(table, WIDTH, key)
            table[np.uintp(at + 1)] += 1
            count = table[np.uintp(at + 1)]
            if count >= my.appearances:
                learn_reply(table, at, reply, won, my.forgetting)
            if my.growth == _PAST and count <= my.appearances:  # it was no node before
                break


@inlined
def _root_of(sim: Simulation, i: int) -> int:
    """The key of the empty context of who makes the move ``sim.moves[i]``."""
    return hash_of(np.int64(mover(sim, i)) - BLACK)


@inlined
def _is_node(table: np.ndarray, my: Any, key: int) -> bool:
    at = find_entry(table, WIDTH, key)
    return at != NOWHERE and table[np.uintp(at + 1)] >= my.appearances


@heuristic(memories=["reply_tree"], source="Baier 2010, §6.3.14")
def reply_of_tree(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the reply to the longest context that has one; if it is not feasible, that to a shorter one."""
    table = cells(my.reply_tree)
    key = _root_of(sim, sim.length)
    for depth in range(1, my.depth + 1):
        p = np.int64(sim.moves[np.uintp(sim.length - depth)])
        if p == PASS:
            break
        key = hash_of(np.int64(key), p)
        at = find_entry(table, WIDTH, key)
        if at == NOWHERE or table[np.uintp(at + 1)] < my.appearances:
            break
        if table[np.uintp(at)] != PASS:
            mark(moves, np.int64(table[np.uintp(at)]))
    _turn_round(moves)


@inlined
def _turn_round(moves: Candidates) -> None:
    """Have the last of a list come first, and the list keep its order."""
    for k in range(moves.count // 2):
        first, last = np.uintp(k), np.uintp(moves.count - 1 - k)
        moves.points[first], moves.points[last] = moves.points[last], moves.points[first]
    moves.ordered = True
