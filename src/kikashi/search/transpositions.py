"""The table of positions, in which moves in another order find a position again (Gelly et al. 2006, remark 1).

A key is of the stones, who is to play, the point that ko forbids and whether the last move was a pass. Whatever else
the way to a position decides is ignored, as in MoGo (the graph-history interaction): priors may look at the last moves,
and those of the first way stay. Repetitions are checked move by move, on the way that a simulation takes.

A position that finds no free place within `PROBES` steps is not in the table, and not shared. Of two threads that make
the same position at the same time each has its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import POINTS
from kikashi.jit import kernel
from kikashi.parts.blocks import atomic_add, records
from kikashi.playout.hash_store import hash_of
from kikashi.playout.simulation import Simulation

POSITION = np.dtype(
    [
        ("key", "u8"),
        ("node", "i4"),  # that counts for the position; 0 for none
        ("claimed", "i4"),  # by a thread that writes the rest
    ],
    align=True,
)
A_POSITION = np.zeros(1, POSITION)[0]
PROBES = 32
NODES_A_POSITION = 8
"""A table has a place for this many nodes of the tree; positions have more children but in the endgame."""


def table_for(capacity: int) -> np.ndarray:
    """Make an empty table for a tree of at most `capacity` nodes; its length is a power of 2."""
    return np.zeros(1 << (capacity // NODES_A_POSITION).bit_length(), POSITION)


@kernel
def key_of(sim: Simulation) -> int:
    """Compute the key of a simulation's position."""
    board = sim.board
    turn = 2 * np.int64(board.to_play) + np.int64(sim.passes > 0)
    return hash_of(board.hash, np.int64(board.ko) + POINTS * turn)


@kernel
def find_position(block: Any, key: int) -> int:
    """Find the node that counts for a position; 0 if there is none."""
    table = records(block, A_POSITION)
    mask = np.uint64(block.length - 1)
    for step in range(PROBES):
        entry = table[np.intp((np.uint64(key) + np.uint64(step)) & mask)]
        if entry.node == 0 or entry.key == key:
            return np.int64(entry.node)
    return np.int64(0)


@kernel
def note_position(block: Any, key: int, node: int) -> None:
    """Write down which node counts for a position, unless another does or there is no place."""
    table = records(block, A_POSITION)
    mask = np.uint64(block.length - 1)
    for step in range(PROBES):
        entry = table[np.intp((np.uint64(key) + np.uint64(step)) & mask)]
        if entry.node == 0 and atomic_add(entry, "claimed", 1) == 0:
            entry.key = key
            atomic_add(entry, "node", node)  # last, since others read it first
            return
        if entry.key == key:
            return


def keep_positions(table: np.ndarray, moved: np.ndarray) -> None:
    """Write a table anew after nodes were moved: `moved` has where each went, 0 for those that are gone."""
    known = table[table["node"] > 0]
    nodes = moved[known["node"]]
    table.view(np.uint8)[:] = 0
    _note_all(table, known["key"][nodes > 0], nodes[nodes > 0])


@kernel
def _note_all(table: np.ndarray, keys: np.ndarray, nodes: np.ndarray) -> None:
    mask = np.uint64(table.size - 1)
    for i in range(keys.size):
        for step in range(PROBES):
            entry = table[np.intp((keys[i] + np.uint64(step)) & mask)]
            if entry.node == 0:
                entry.key, entry.node, entry.claimed = keys[i], nodes[i], 1
                break
