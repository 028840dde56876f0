"""The tree: nodes in one array, the children of a node in one block of it. Threads share it.

Counts and sums are integers, added to atomically: no visit is ever lost. Values are from Black's side everywhere;
`for_mover` turns them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import carray

from kikashi.board.points import BLACK, PASS
from kikashi.compiling import inlined, kernel
from kikashi.playout.calling import record_pointer
from kikashi.playout.loop import BLOCK
from kikashi.playout.simulation import SLOTS

TreeRecord: TypeAlias = Any
Node: TypeAlias = Any

SCALE = 1 << 20
"""Values are summed in these units."""

LEAF, GROWING, GROWN = 0, 1, 1 << 14
BANNED = 1
"""A flag: playing there would repeat a position."""

NODE = np.dtype(
    [
        ("visits", "i4"),
        ("losses", "i4"),  # simulations on their way below this node, counted as lost by who moved here
        ("value", "i8"),  # sum of the values of its simulations, in units of 1/SCALE
        ("square", "i8"),  # sum of their squares, likewise
        ("score", "i8"),  # sum of their area scores
        ("mean", "f8"),  # what the backup rule makes of it
        ("rave_value", "i8"),
        ("rave_visits", "i4"),
        ("variance", "f4"),  # of `mean`, for rules that use it
        ("prior_value", "f4"),
        ("prior_visits", "f4"),  # virtual games
        ("first", "i4"),  # its children are nodes first … first+count-1
        ("count", "u2"),
        ("move", "u2"),  # that led here
        ("state", "i4"),
        ("flags", "i4"),
        ("slots", "i4", (SLOTS,)),  # what memories keep for it
    ],
    align=True,
)

TREE = np.dtype(
    [
        ("nodes", BLOCK),
        ("capacity", "i8"),
        ("used", "i8"),
        ("win_weight", "f8"),  # a simulation is worth win_weight for Black's win plus score_weight for each point
        ("score_weight", "f8"),
    ],
    align=True,
)

_A_NODE = np.zeros(1, NODE)


@inlined
def nodes_of(tree: TreeRecord) -> Any:
    """The array of all nodes."""
    return carray(record_pointer(tree.nodes.address, _A_NODE[0]), (tree.capacity,))


@inlined
def for_mover(tree: TreeRecord, value: float, color: int) -> float:
    """A value of Black's side, seen from `color`; and the other way round."""
    return value if color == BLACK else tree.win_weight - value


@inlined
def games(node: Node) -> float:
    """Its visits, those on their way and its virtual games."""
    return node.visits + node.losses + node.prior_visits


@inlined
def value_for(tree: TreeRecord, node: Node, color: int) -> float:
    """The value of a node that `color` moved to, for `color`; simulations on their way count as lost. It has games."""
    lost = 0.0 if color == BLACK else tree.win_weight
    total = node.mean * node.visits + lost * node.losses + np.float64(node.prior_value) * node.prior_visits
    return for_mover(tree, total / games(node), color)


class Tree:
    """Room for a tree of at most `capacity` nodes."""

    def __init__(self, capacity: int, *, win_weight: float = 1.0, score_weight: float = 0.0) -> None:
        self.nodes = np.zeros(capacity, NODE)
        self._spare: np.ndarray | None = None
        self.record = np.zeros(1, TREE)[0]
        self.record["capacity"] = capacity
        self.record["win_weight"] = win_weight
        self.record["score_weight"] = score_weight
        self._point_at_nodes()
        self.clear()

    @classmethod
    def of_megabytes(cls, megabytes: float, **weights: float) -> Tree:
        """A tree that takes so much memory, the room for keeping a subtree included."""
        return cls(max(1000, int(megabytes * 2**20 / NODE.itemsize / 2)), **weights)

    def _point_at_nodes(self) -> None:
        self.record["nodes"] = (self.nodes.ctypes.data, self.nodes.size)

    def clear(self) -> None:
        """Leave only a root that has never been visited."""
        _wipe(self.nodes[: max(1, self.used)])
        self.nodes[0]["slots"] = -1
        self.record["used"] = 1

    @property
    def used(self) -> int:
        """How many nodes there are."""
        return min(int(self.record["used"]), self.nodes.size)

    def children(self, node: int = 0) -> np.ndarray:
        """The children of a node, none if it has not grown: a view of the array."""
        first, count = int(self.nodes[node]["first"]), int(self.nodes[node]["count"])
        return self.nodes[first : first + count]

    def child(self, move: int, node: int = 0) -> int | None:
        """The child that a move leads to, if there is one."""
        found = np.flatnonzero(self.children(node)["move"] == move)
        return int(self.nodes[node]["first"]) + int(found[0]) if found.size else None

    def depth(self) -> int:
        """The length of the longest line of visited nodes."""
        return int(_depth(self.record, self.used))

    def keep(self, move: int) -> bool:
        """Make the child of the root that `move` leads to the root, with all below it; False if there is none."""
        child = self.child(move)
        if child is None or self.nodes[child]["visits"] == 0:
            self.clear()
            return False
        if self._spare is None:
            self._spare = np.zeros(self.nodes.size, NODE)
        used = _copy_subtree(self.nodes, child, self._spare)
        self.nodes, self._spare = self._spare, self.nodes
        _wipe(self._spare[: self.used])
        self.record["used"] = used
        self.nodes[0]["move"] = PASS
        self._point_at_nodes()
        return True


def _wipe(nodes: np.ndarray) -> None:
    """Make all bytes zero: far faster than assigning records."""
    nodes.view(np.uint8)[:] = 0


@kernel
def _copy_subtree(old: np.ndarray, root: int, new: np.ndarray) -> int:
    """Copy the nodes below `root` into `new`, breadth first; returns how many. New nodes point at old children until
    their turn comes."""
    new[0] = old[root]
    used, at = 1, 0
    while at < used:
        first, count = new[at].first, new[at].count
        new[at].losses = 0
        if count > 0:
            new[at].first = used
            for i in range(count):
                new[used + i] = old[first + i]
            used += count
        at += 1
    return used


@kernel
def _depth(tree: TreeRecord, used: int) -> int:
    """One pass: children always come after their parents in the array."""
    nodes = nodes_of(tree)
    depths = np.zeros(used, np.int32)
    deepest = 0
    for at in range(used):
        first = nodes[at].first
        for i in range(first, first + nodes[at].count):
            if nodes[i].visits > 0:
                depths[i] = depths[at] + 1
                deepest = max(deepest, depths[i])
    return deepest
