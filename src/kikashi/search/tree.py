"""The tree: nodes in one array, the children of a node in one block of it. Threads share it.

Counts and sums are integers, added to atomically: no visit is ever lost. Values are from Black's side everywhere;
`for_mover` converts them. Statistics of some rules are in arrays beside it (`Tree.columns`).

With transpositions the tree is a graph. A position has its own node, right before the block of its children, which
counts all simulations that passed there (`position_of`). Nodes of moves share the children and the mean of their
position; visits are their own. `kikashi.search.transpositions` finds positions.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import BLOCK, Rows, block_of, clear_bytes, move_bytes, records
from kikashi.playout.playout_types import Simulation
from kikashi.playout.simulation import SLOTS
from kikashi.search.search_types import Node as Node, TreeRecord as TreeRecord
from kikashi.search.transpositions import POSITION, keep_positions, table_for

SCALE = 1 << 20
"""Unit of sums of values."""
SHARES = (1 << 16) - 1
"""Unit of shares."""

LEAF, GROWING = 0, 1
"""States of a node without children, and of one that a thread is expanding."""
GROWN = 1 << 14
"""State of a node with children."""
BANNED = 1
"""Flag of a move that no descent may take: it would repeat a position, or another flag says why."""
MAIN_LINE = 2
"""Flag of nodes on the main line, while the tree is pruned."""
PRUNED = 4
"""Flag of a move that a pruning rule gave up, which is banned too."""
AVOIDED = 8
"""Flag of a move banned for one simulation, since it would repeat a position of its path."""

NODE = np.dtype(
    [
        # read of every child in a descent
        ("visits", "i4"),
        ("losses", "i4"),  # simulations in progress below, counted as lost by the player who moved here
        ("mean", "f8"),  # value by the backup rule
        ("prior_value", "f4"),
        ("prior_visits", "f4"),  # virtual games
        ("move", "u2"),  # that led here
        ("flags", "i2"),
        ("share", "u2"),  # by a prior with shares, in units of 1/SHARES
        # read of the chosen child
        ("count", "u2"),
        ("first", "i4"),  # its children are nodes first … first+count-1
        ("state", "i4"),
        # added to in a backup
        ("value", "i8"),  # sum of the values of its simulations, in units of 1/SCALE
        ("score", "i8"),  # sum of their area scores
    ],
    align=True,
)

COLUMNS = 16
COLUMN = np.dtype([("address", "u8"), ("row_bytes", "i8")], align=True)
TREE = np.dtype(
    [
        ("nodes", BLOCK),
        ("capacity", "i8"),
        ("used", "i8"),
        ("least_visits", "i8"),  # of a node to be expanded: more than 0 once the tree was full
        ("win_weight", "f8"),  # a simulation is worth win_weight for Black's win plus score_weight for each point
        ("score_weight", "f8"),
        ("columns", "i8"),
        ("column", COLUMN, (COLUMNS,)),
        ("slots", BLOCK),  # a SLOT_ROW for each node, if memories keep something for nodes
        ("positions", BLOCK),  # a table of POSITION, if transpositions share statistics
    ],
    align=True,
)

SLOTS_COLUMN = "slots of memories"
SLOT_ROW = np.dtype([("slot", "i4", (SLOTS,))])
"""Slots of memories for a node."""

_A_NODE = np.zeros(1, NODE)[0]
_A_SLOT_ROW = np.zeros(1, SLOT_ROW)[0]
SPARSE = 0.5
"""Share of the capacity that pruning leaves in use."""
REGROWTH = 4
"""Divisor of the visits that pruning required, for the visits that a node then needs to be expanded. Lines can become
longer again, but the tree is not filled at once by nodes that will be pruned next."""


@inlined
def nodes_of(tree: TreeRecord) -> Rows[Node]:
    """Return the array of all nodes."""
    return records(tree.nodes, _A_NODE)


@inlined
def slots_of(tree: TreeRecord) -> Any:
    """Return the slots of all nodes; empty if no memory has slots."""
    return records(tree.slots, _A_SLOT_ROW)


@inlined
def position_of(tree: TreeRecord, node: int) -> int:
    """Return the node that counts for a position and owns its children: the node itself, without transpositions."""
    here = nodes_of(tree)[node]
    # A thread that came too late to expand it may still count in its state, above GROWN.
    return np.int64(here.first) - 1 if tree.positions.length > 0 and here.state >= GROWN else np.int64(node)


@inlined
def for_mover(tree: TreeRecord, value: float, color: int) -> float:
    """Convert a value of Black's to the side of `color`, or back."""
    return value if color == BLACK else tree.win_weight - value


@inlined
def games(node: Node) -> float:
    """Return the sum of visits, simulations in progress and virtual games."""
    return node.visits + node.losses + node.prior_visits


@inlined
def value_for(tree: TreeRecord, node: Node, color: int) -> float:
    """Return the value, for `color`, of a node with games that `color` moved to; simulations in progress are lost."""
    return for_mover(tree, sum_of_values(tree, node, color) / games(node), color)


@inlined
def sum_of_values(tree: TreeRecord, node: Node, color: int) -> float:
    """Return the sum over a node's games, for Black; `color`, who moved there, loses simulations in progress."""
    lost = 0.0 if color == BLACK else tree.win_weight
    return node.mean * node.visits + lost * node.losses + np.float64(node.prior_value) * node.prior_visits


@kernel
def simulation_value(sim: Simulation, tree: TreeRecord) -> float:
    """Return the value of a simulation for Black."""
    return tree.win_weight * sim.value + tree.score_weight * (sim.score - sim.komi)


def nodes_in(megabytes: float, columns: Mapping[str, Any]) -> int:
    """Return the number of nodes, with their rows of columns, that fit into the memory; at least a thousand."""
    each = NODE.itemsize + sum(np.dtype(row).itemsize for row in columns.values())
    return max(1000, int(megabytes * 2**20 / each))


class Tree:
    """A tree of at most `capacity` nodes, with a column for each statistic of its rules.

    With `transpositions` nodes of the same position share their children and their value.
    """

    def __init__(
        self,
        capacity: int,
        *,
        win_weight: float = 1.0,
        score_weight: float = 0.0,
        columns: Mapping[str, Any] | None = None,
        transpositions: bool = False,
    ) -> None:
        self.nodes = np.zeros(capacity, NODE)
        self.columns = {name: np.zeros(capacity, row) for name, row in (columns or {}).items()}
        self.record = np.zeros(1, TREE)[0]
        self.record["capacity"] = capacity
        self.record["win_weight"] = win_weight
        self.record["score_weight"] = score_weight
        self.record["nodes"] = block_of(self.nodes)
        self.record["columns"] = len(self.columns)
        for number, column in enumerate(self.columns.values()):
            self.record["column"][number] = (column.ctypes.data, column.itemsize)
        if SLOTS_COLUMN in self.columns:
            self.record["slots"] = block_of(self.columns[SLOTS_COLUMN])
        self.positions = table_for(capacity) if transpositions else np.zeros(0, POSITION)
        """Table of the nodes that count for positions."""
        self.record["positions"] = block_of(self.positions)
        self.prunings = 0
        self.clear()

    def clear(self) -> None:
        """Remove everything but a root without visits."""
        for array in (self.nodes, *self.columns.values()):
            array[:1].view(np.uint8)[:] = 0
        self.positions.view(np.uint8)[:] = 0
        self.record["used"] = 1
        self.record["least_visits"] = 0

    @property
    def used(self) -> int:
        """Number of nodes."""
        return min(int(self.record["used"]), self.nodes.size)

    @property
    def is_full(self) -> bool:
        """Whether no further node can be expanded."""
        return int(self.record["used"]) >= self.nodes.size

    @property
    def full(self) -> bool:
        """Whether rarely visited lines were dropped since the search started."""
        return self.prunings > 0

    def children(self, node: int = 0) -> np.ndarray:
        """Return a view of the children of a node; empty if it has none."""
        first, count = int(self.nodes[node]["first"]), int(self.nodes[node]["count"])
        return self.nodes[first : first + count]

    def child(self, move: int, node: int = 0) -> int | None:
        """Return the child that a move leads to; None if there is none."""
        found = np.flatnonzero(self.children(node)["move"] == move)
        return int(self.nodes[node]["first"]) + int(found[0]) if found.size else None

    def main_line(self, node: int = 0) -> list[int]:
        """Return the node and those of the most visited line below it."""
        line, all_visits = [node], self.nodes["visits"]
        while count := int((last := self.nodes[line[-1]])["count"]):
            first = int(last["first"])
            visits = all_visits[first : first + count]
            best = int(visits.argmax())
            if not visits[best] or first + best in line:  # a graph may lead back
                break
            line.append(first + best)
        return line

    def depth(self) -> int:
        """Return the length of the longest line of visited nodes; in a graph, each by the shortest path."""
        return int(_depth(self.record, self.used))

    def keep(self, move: int) -> bool:
        """Make the child that `move` leads to the root, with its subtree; return False if there is none."""
        child = self.child(move)
        if child is None or self.nodes[child]["visits"] == 0:
            self.clear()
            return False
        self._compact(child, 0)
        self.nodes[0]["move"] = PASS
        self.record["least_visits"] = 0
        return True

    def prune(self) -> None:
        """Halve the tree: the least visited nodes lose their children, but not those on the main line."""
        least = self._visits_worth_keeping()
        line = np.array(self.main_line())
        if self.positions.size:
            line = self.nodes["first"][line][self.nodes["count"][line] > 0] - 1
        self.nodes["flags"][line] |= MAIN_LINE
        self._compact(0, least)
        self.nodes["flags"][: self.used] &= ~MAIN_LINE
        self.record["least_visits"] = max(int(self.record["least_visits"]), least // REGROWTH)
        self.prunings += 1

    def _visits_worth_keeping(self) -> int:
        """Return the fewest visits for which the children of all nodes with as many fit into a pruned tree."""
        grown = np.flatnonzero(self.nodes["count"][: self.used])
        if self.positions.size:  # of the nodes that share a block the one that counts for all
            grown = grown[self.nodes["first"][grown] == grown + 1]
        visits = self.nodes["visits"][grown]
        order = np.argsort(-visits, kind="stable")
        room = np.cumsum(self.nodes["count"][grown][order] + self._extra, dtype=np.int64)
        fits = int(np.searchsorted(room, SPARSE * self.nodes.size, side="right"))
        return int(visits[order[min(fits, order.size - 1)]]) + 1

    @property
    def _extra(self) -> int:
        """Nodes of a block besides a position's children."""
        return int(self.positions.size > 0)

    def _compact(self, root: int, least: int) -> None:
        """Move the subtree of `root` to the front of the array; nodes keep children from `least` visits on."""
        listed = np.zeros(self.used, np.bool_)
        blocks = _blocks_below(self.record, root, least, self._extra, np.empty((self.used, 2), np.int64), listed)
        moved = np.zeros(self.used, np.int32)
        self.record["used"] = _slide(self.record, root, blocks[np.argsort(blocks[:, _START])], moved)
        _point_at_moved(self.record, self._extra, moved)
        if self.positions.size:
            keep_positions(self.positions, moved)


_START, _LENGTH = range(2)
"""Columns of a list of blocks: first node and number of nodes."""


@kernel
def _blocks_below(
    tree: TreeRecord, root: int, least: int, extra: int, blocks: np.ndarray, listed: np.ndarray
) -> np.ndarray:
    """List the blocks of nodes to keep below a root; other nodes become leaves. No simulation may run."""
    nodes = nodes_of(tree)
    nodes[root].losses = 0
    found, done = _list_block(blocks, np.int64(0), nodes[root], extra, listed), 0
    while done < found:
        for i in range(blocks[done, _START], blocks[done, _START] + blocks[done, _LENGTH]):
            node = nodes[i]
            node.losses = 0
            owner = nodes[position_of(tree, i)]
            if owner.visits < least and not owner.flags & MAIN_LINE:
                node.first = node.count = node.state = 0
            found = _list_block(blocks, found, node, extra, listed)
        done += 1
    return blocks[:found]


@kernel
def _list_block(blocks: np.ndarray, found: int, owner: Node, extra: int, listed: np.ndarray) -> int:
    """Add the block of a node's children to the list, unless listed; return the length of the list."""
    start = np.int64(owner.first) - extra
    if owner.count == 0 or listed[start]:
        return found
    listed[start] = True
    blocks[found, _START], blocks[found, _LENGTH] = start, np.int64(owner.count) + extra
    return found + 1


@kernel
def _slide(tree: TreeRecord, root: int, blocks: np.ndarray, moved: np.ndarray) -> int:
    """Move the root and the blocks to the front, and note where each went; return the number of nodes."""
    free = np.int64(1)  # a constant would be a type of its own, and compiled apart
    _move_rows(tree, free - 1, root, free)
    for b in range(blocks.shape[0]):
        start, length = blocks[b, _START], blocks[b, _LENGTH]
        _move_rows(tree, free, start, length)
        moved[start] = free
        free += length
    return free


@kernel
def _point_at_moved(tree: TreeRecord, extra: int, moved: np.ndarray) -> None:
    """Update the children's index of all nodes."""
    nodes = nodes_of(tree)
    for i in range(tree.used):
        if nodes[i].count > 0:
            nodes[i].first = moved[nodes[i].first - extra] + extra


@kernel
def _move_rows(tree: TreeRecord, target: int, source: int, count: int) -> None:
    """Move nodes, and their rows of all columns, within the arrays."""
    start, row_bytes = np.int64(tree.nodes.address), _NODE_BYTES
    move_bytes(start + target * row_bytes, start + source * row_bytes, count * row_bytes)
    for i in range(tree.columns):
        start, row_bytes = np.int64(tree.column[i].address), tree.column[i].row_bytes
        move_bytes(start + target * row_bytes, start + source * row_bytes, count * row_bytes)


_NODE_BYTES = NODE.itemsize


@kernel
def clear_rows(tree: TreeRecord, first: int, count: int) -> None:
    """Set nodes, and their rows of all columns, to zero."""
    clear_bytes(np.int64(tree.nodes.address) + first * _NODE_BYTES, count * _NODE_BYTES)
    for i in range(tree.columns):
        row_bytes = tree.column[i].row_bytes
        clear_bytes(np.int64(tree.column[i].address) + first * row_bytes, count * row_bytes)


@kernel
def _depth(tree: TreeRecord, used: int) -> int:
    """Visit the nodes breadth first; return the depth of the last one."""
    nodes = nodes_of(tree)
    depths, waiting = np.full(used, -1, np.int32), np.empty(used, np.int32)
    depths[0] = waiting[0] = 0
    found, done = 1, 0
    while done < found:
        at = waiting[done]
        done += 1
        for i in range(nodes[at].first, min(used, nodes[at].first + nodes[at].count)):
            if nodes[i].visits > 0 and depths[i] < 0:
                depths[i] = depths[at] + 1
                waiting[found] = i
                found += 1
    return depths[waiting[found - 1]]
