"""Table of positions, which finds a position again after moves in another order (Gelly et al. 2006, remark 1).

A key is of the stones, the player to move, the ko point and whether the last move was a pass. Other effects of the path
are ignored, as in MoGo (the graph-history interaction): priors may depend on the last moves, and those of the first
path stay. Repetitions are checked move by move, on the path of a simulation.

A position without a free place within `PROBES` steps is not shared; nor is one that two threads make at the same time.
"""

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
        ("node", "i4"),  # of the position; 0 for none
        ("claimed", "i4"),  # by a thread that writes the entry
    ],
    align=True,
)
A_POSITION = np.zeros(1, POSITION)[0]
PROBES = 32
NODES_A_POSITION = 8
"""Nodes of the tree for each place of a table; positions have fewer children only in the endgame."""


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
    """Return the node of a position; 0 if there is none."""
    table = records(block, A_POSITION)
    mask = np.uint64(block.length - 1)
    for step in range(PROBES):
        entry = table[np.intp((np.uint64(key) + np.uint64(step)) & mask)]
        if entry.node == 0 or entry.key == key:
            return np.int64(entry.node)
    return np.int64(0)


@kernel
def note_position(block: Any, key: int, node: int) -> None:
    """Note the node of a position, unless it has another or there is no place."""
    table = records(block, A_POSITION)
    mask = np.uint64(block.length - 1)
    for step in range(PROBES):
        entry = table[np.intp((np.uint64(key) + np.uint64(step)) & mask)]
        if entry.node == 0 and atomic_add(entry, "claimed", 1) == 0:
            entry.key = key
            atomic_add(entry, "node", node)  # last, since readers look at it first
            return
        if entry.key == key:
            return


def keep_positions(table: np.ndarray, moved: np.ndarray) -> None:
    """Update a table after nodes were moved: `moved` has the new index of each, 0 for a removed one."""
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
