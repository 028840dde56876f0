"""The nodes of a move answer tree (Baier 2010, §5.2) in the cells of a memory: counting, growing, reusing.

A node stands for the moves on its path, the last ones that were made, the latest last. Node 0 is none, and its rows
stay 0; nodes 1 and 2 are the roots, Black's and White's, which stand for any position with that player to move.

For each move that may come next a node has its runs, its wins and the node after it. Beside these it has rows over
points, which playouts read as a whole. They are of 16 bits, runs up to 65535 and shares in as many parts, since most of
the time that they take is waiting for memory.

Nodes are reused under a limit. A hand goes round and takes the first leaf that no simulation came by since the hand was
there before: about the one not used for longest. Nothing is locked: threads at work on one node may lose a run, or a
node until the hand finds it; whatever they write stays within the cells.
"""

from __future__ import annotations

import numpy as np

from kikashi.board.points import BLACK, POINTS
from kikashi.jit import inlined, kernel

ROOTS = 2
LOOKS = 8
"""Nodes that the hand looks at before it gives up for this time."""

# The head of a node. Node 0 has the numbers of the tree in its place.
UP, CHILDREN, USED, PASSED, TOTAL, LISTED = range(6)
"""The cell of the link to it; nodes below; the simulation that last used it, and that when the hand last passed; runs
of all moves; entries of its list."""
MADE, HAND, NOW = range(3)
"""Nodes made besides the roots; where the hand is; simulations so far."""
BRANCHES = 8
"""A bit for each point, set where there is a node after the move. Most moves have none, and no more is read then."""
HEAD = BRANCHES + 16
SHORTS = 2
"""Numbers of 16 bits in a cell."""
RUNS, VALUE, TRIED, LIST = range(SHORTS * HEAD, SHORTS * HEAD + 4 * POINTS, POINTS)
"""Rows of shorts: runs of a move; the share of them that its player won; how well it was tried; the moves that came."""
MOVES = HEAD + 4 * POINTS // SHORTS
"""Then three cells for each point: runs, wins and the node after the move."""
WIDTH = MOVES + 3 * POINTS
UNIT = 65535
"""What a share of 1 is in a row."""


def cells_for_nodes(nodes: int) -> int:
    """The cells of a tree with this many nodes, the roots among them."""
    return (1 + nodes) * WIDTH


@inlined
def root_for(color: int) -> int:
    """The root with `color` to move."""
    return 1 + np.int64(color) - BLACK


@inlined
def cell(node: int, field: int) -> int:
    """The cell of a field of a node."""
    return np.uintp(np.int64(node) * WIDTH + field)


@inlined
def short(node: int, row: int, p: int) -> int:
    """Where a row of a node has a point, among shorts."""
    return np.uintp(np.int64(node) * (SHORTS * WIDTH) + row + p)


@inlined
def child_of(table: np.ndarray, node: int, p: int) -> int:
    """The node after the move `p`; 0 if there is none, or if it was given to another. PASS has none, nor has node 0."""
    if not table[cell(node, BRANCHES + (p >> 5))] >> (p & 31) & 1:
        return np.int64(0)
    link = _link_of(node, p)
    child = np.int64(table[link])
    return child if table[cell(child, UP)] == link else np.int64(0)


@inlined
def _link_of(node: int, p: int) -> int:
    """The cell that has the node after the move `p`."""
    return cell(node, MOVES + 3 * p + 2)


@inlined
def count_run(table: np.ndarray, shorts: np.ndarray, node: int, p: int, won: bool) -> int:
    """Count a move made at a node; returns its runs."""
    move = cell(node, MOVES + 3 * p)
    runs, wins = np.int64(table[move]) + 1, np.int64(table[move + np.uintp(1)]) + won
    table[move], table[move + np.uintp(1)] = runs, wins
    shorts[short(node, RUNS, p)] = min(runs, UNIT)
    shorts[short(node, VALUE, p)] = min(wins, runs) * UNIT // runs
    # What the confidence bound loses: nothing for a move that was not tried, nearly all after many runs.
    shorts[short(node, TRIED, p)] = np.int64(UNIT * (1.0 - 1.0 / np.sqrt(runs + 1.0)))
    table[cell(node, TOTAL)] += 1
    listed = np.int64(table[cell(node, LISTED)])
    if runs == 1 and 0 <= listed < POINTS:
        shorts[short(node, LIST, listed)] = p
        table[cell(node, LISTED)] = listed + 1
    return runs


@kernel
def grow(table: np.ndarray, nodes: int, parent: int, p: int, now: int) -> None:
    """Give the move `p` of a node a node of its own, if there is one to be had."""
    node = _free_node(table, nodes, now)
    if node == 0:
        return
    for i in range(WIDTH):
        table[cell(node, i)] = 0
    link = _link_of(parent, p)
    table[cell(node, UP)] = link
    table[cell(node, USED)] = table[cell(node, PASSED)] = now
    table[link] = node
    table[cell(parent, BRANCHES + (p >> 5))] |= 1 << (p & 31)
    table[cell(parent, CHILDREN)] += 1


@inlined
def _free_node(table: np.ndarray, nodes: int, now: int) -> int:
    """A node that was never used, else one that the hand finds; 0 if there is none."""
    made = np.int64(table[MADE])
    if 0 <= made < nodes - ROOTS:
        table[MADE] = made + 1
        return ROOTS + 1 + made
    for _ in range(min(LOOKS, nodes - ROOTS)):
        hand = np.int64(table[HAND]) % (nodes - ROOTS)
        table[HAND] = hand + 1
        node = ROOTS + 1 + hand
        used, passed = table[cell(node, USED)], table[cell(node, PASSED)]
        if table[cell(node, CHILDREN)] <= 0 and used != now and used <= passed:
            _unlink(table, node)
            return node
        table[cell(node, PASSED)] = now
    return np.int64(0)


@inlined
def _unlink(table: np.ndarray, node: int) -> None:
    """Take a leaf off the tree."""
    link = np.int64(table[cell(node, UP)])
    if link < WIDTH:  # another thread is at it
        return
    parent, p = link // WIDTH, (link % WIDTH - MOVES) // 3
    table[cell(parent, CHILDREN)] -= 1
    if table[np.uintp(link)] == node:
        table[np.uintp(link)] = 0
        table[cell(parent, BRANCHES + (p >> 5))] &= ~(1 << (p & 31))
