"""The move answer tree of Baier 2010, §5.2: replies to as many last moves as keep occurring together.

A move that was made often enough at a node gets a node of its own, for the moves after it. At any position the last d
moves may lead to a node for every d: the estimates of all of them are blended as RAVE's are with those of the search
(eq. 3.1–3.2), from the root, which has no context, down.

A node stands for the moves on its path, the latest last. Node 0 is none, and its rows stay 0; nodes 1 and 2 are the
roots for Black and White to move, in any position. A node stores for each next move its runs, its wins and the node
after it, and rows over points, which playouts read as a whole: runs up to 65535 and win rates in units of 1/65535. They
have 16 bits, since playouts mostly wait for memory here.

Under a limit nodes are reused: a hand goes round (the clock algorithm) and takes the first leaf that no simulation has
visited since the hand last passed. Nothing is locked: threads at the same node may lose a run, or a node until the hand
finds it, but never write outside the cells.
"""

import math
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, STRIDE
from kikashi.board.position import enemy_of
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.highest import end_of_board, highest_value, point_with
from kikashi.playout.simulation import HISTORY, Simulation, move_at, mover

# --- nodes ------------------------------------------------------------------------------------------------------------

ROOTS = 2
LOOKS = 8
"""The most nodes that the hand looks at for one node to reuse."""

# The head of a node. Node 0 has the numbers of the tree instead.
UP, CHILDREN, USED, PASSED, TOTAL, LISTED = range(6)
"""The cell of the link to it; its number of children; the simulation that last used it, and the one at which the hand
last passed; runs of all moves; entries of its list."""
MADE, HAND, NOW = range(3)
"""Nodes made besides the roots; the position of the hand; simulations so far."""
BRANCHES = 8
"""A bit for each point, set if the move has a node. Most moves have none, and nothing else is read then."""
HEAD = BRANCHES + 16
SHORTS = 2
"""Numbers of 16 bits in a cell."""
RUNS, VALUE, TRIED, LIST = range(SHORTS * HEAD, SHORTS * HEAD + 4 * POINTS, POINTS)
"""Rows of shorts: runs of a move; its win rate; its loss of confidence bound; the list of moves made."""
MOVES = HEAD + 4 * POINTS // SHORTS
"""Then three cells for each point: runs, wins and the node after the move."""
WIDTH = MOVES + 3 * POINTS
UNIT = 65535
"""A win rate of 1 in a row."""


@inlined
def root_for(color: int) -> int:
    """Return the root with `color` to move."""
    return 1 + np.int64(color) - BLACK


@inlined
def cell(node: int, field: int) -> int:
    """Return the cell of a field of a node."""
    return np.uintp(np.int64(node) * WIDTH + field)


@inlined
def short(node: int, row: int, p: int) -> int:
    """Return the index of a point in a row of a node, among shorts."""
    return np.uintp(np.int64(node) * (SHORTS * WIDTH) + row + p)


@inlined
def child_of(table: np.ndarray, node: int, p: int) -> int:
    """Return the node after the move `p`; 0 if it has none or lost it, and for PASS and node 0."""
    if not table[cell(node, BRANCHES + (p >> 5))] >> (p & 31) & 1:
        return np.int64(0)
    link = _link_of(node, p)
    child = np.int64(table[link])
    return child if table[cell(child, UP)] == link else np.int64(0)


@inlined
def _link_of(node: int, p: int) -> int:
    """Return the cell of the link to the node after the move `p`."""
    return cell(node, MOVES + 3 * p + 2)


@inlined
def count_run(table: np.ndarray, shorts: np.ndarray, node: int, p: int, won: bool) -> int:
    """Count a move made at a node; return its runs."""
    move = cell(node, MOVES + 3 * p)
    runs, wins = np.int64(table[move]) + 1, np.int64(table[move + np.uintp(1)]) + won
    table[move], table[move + np.uintp(1)] = runs, wins
    shorts[short(node, RUNS, p)] = min(runs, UNIT)
    shorts[short(node, VALUE, p)] = min(wins, runs) * UNIT // runs
    # The loss of confidence bound: nothing for an untried move, nearly all after many runs.
    shorts[short(node, TRIED, p)] = np.int64(UNIT * (1.0 - 1.0 / np.sqrt(runs + 1.0)))
    table[cell(node, TOTAL)] += 1
    listed = np.int64(table[cell(node, LISTED)])
    if runs == 1 and 0 <= listed < POINTS:
        shorts[short(node, LIST, listed)] = p
        table[cell(node, LISTED)] = listed + 1
    return runs


@kernel
def grow(table: np.ndarray, nodes: int, parent: int, p: int, now: int) -> None:
    """Give the move `p` of a node a node of its own, if one is available."""
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
    """Return an unused node, else one that the hand finds, else 0."""
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
    link = np.int64(table[cell(node, UP)])
    if link < WIDTH:  # another thread is removing it
        return
    parent, p = link // WIDTH, (link % WIDTH - MOVES) // 3
    table[cell(parent, CHILDREN)] -= 1
    if table[np.uintp(link)] == node:
        table[np.uintp(link)] = 0
        table[cell(parent, BRANCHES + (p >> 5))] &= ~(1 << (p & 31))


# --- the memory and the heuristic -------------------------------------------------------------------------------------

DEEPEST = HISTORY
"""The most moves of a context."""
FEW = 48
"""Up to this many moves of a node are blended one by one; of more, the whole row, vectorized."""

_DONE, _NODES = 0, 1
_VALUES = _NODES + DEEPEST + 1
"""Cells of the path: moves done, the node of each depth, and a value for each point."""


@memory(cells=_VALUES + POINTS, scope="playout", learns=False, source="Baier 2010, §5.2")
def answer_path(sim: Simulation, my: Any) -> None:
    """The nodes of the move answer tree for the last moves of a simulation, and scratch space for their values."""


@memory(
    cells=lambda parameters: (1 + int(parameters["nodes"])) * WIDTH,
    memories=["answer_path"],
    source="Baier 2010, §5.2",
    limits={"threshold": (0, 1e9), "depth": (1, DEEPEST), "nodes": (ROOTS + 1, 100_000)},
    threshold=50,
    depth=5,
    nodes=4096,
)
def move_answers(sim: Simulation, my: Any) -> None:
    """The move answer tree: runs and wins of the moves after up to `depth` last moves. A move with more than
    `threshold` runs at a node gets a node; with all `nodes` in use, the leaf that was not used for longest."""
    table, path = cells(my.cells), cells(my.answer_path)
    shorts = table.view(np.uint16)
    now = np.int64(table[NOW]) + 1
    table[NOW] = now
    _leave(path, sim.root_color)
    for i in range(HISTORY, sim.length):
        p, color = move_at(sim, i), mover(sim, i)
        if p == PASS:
            _leave(path, enemy_of(color))
        else:
            _count_everywhere(table, shorts, path, p, color == sim.winner, now, my)
            path[_NODES] = root_for(enemy_of(color))


@inlined
def _leave(path: np.ndarray, color: int) -> None:
    """Reset the path to the root with `color` to move."""
    path[_NODES] = root_for(color)
    for depth in range(1, DEEPEST + 1):
        path[_NODES + depth] = 0


@inlined
def _count_everywhere(
    table: np.ndarray, shorts: np.ndarray, path: np.ndarray, p: int, won: bool, now: int, my: Any
) -> None:
    """Count a move at every node of the path, the deepest first, and advance the path. A new node counts from its next
    visit on, as in figure 5.3."""
    for depth in range(my.depth, -1, -1):
        node = np.int64(path[_NODES + depth])
        child = np.int64(0)
        if node != 0:
            child = child_of(table, node, p)
            runs = count_run(table, shorts, node, p, won)
            # A move that lost its node gets one again after as many runs as at first.
            if child == 0 and depth < my.depth and runs > my.threshold and runs % (my.threshold + 1) == 0:
                grow(table, my.nodes, node, p, now)
        if depth < my.depth:
            path[_NODES + depth + 1] = child
            if child != 0:
                table[cell(child, USED)] = now


@heuristic(
    memories=["move_answers", "answer_path"],
    source="Baier 2010, §5.2",
    limits={"x": (0, math.inf), "exploration": (0, math.inf)},
    x=0.02,
    exploration=0.05,
)
def tree_answer(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vacant point with the highest blended estimate of the move answer tree, among those that ever won after
    the last moves. The estimate with n runs plays RAVE's part for the deeper one with m: c = n / (n + m + x n m). The
    bonus is exploration times sqrt(log N / (m + 1)), with N and m of the deepest node."""
    table, path = cells(my.move_answers), cells(my.answer_path)
    _catch_up(sim, table, path, my.depth)
    if table[cell(path[_NODES], TOTAL)] == 0:
        return
    _estimate(sim, table, path, my)
    best = highest_value(sim, path, _VALUES)  # positive floats and their bits have the same order
    if best > 0:
        mark(moves, point_with(sim, path, _VALUES, best))


@inlined
def _catch_up(sim: Simulation, table: np.ndarray, path: np.ndarray, depth: int) -> None:
    """Advance the path by the moves since its last use; at first by the last `depth` moves."""
    start = np.int64(path[_DONE])
    if start == 0:
        start = sim.length - depth
    for i in range(start, sim.length):
        p = move_at(sim, i)
        path[_NODES] = root_for(mover(sim, i))
        for d in range(depth, 0, -1):
            # PASS is no move of any node, so that it leads to node 0, as node 0 does.
            path[_NODES + d] = child_of(table, path[_NODES + d - 1], p)
    path[_NODES] = root_for(sim.board.to_play)
    path[_DONE] = sim.length


@inlined
def _estimate(sim: Simulation, table: np.ndarray, path: np.ndarray, my: Any) -> None:
    """Write the blended values of all points, in units of 1/UNIT and with the confidence bound, into the path.

    Usually the node after the last move is the deepest: then one loop over the points does everything.
    """
    shorts, values, x = table.view(np.uint16), path.view(np.float32)[_VALUES:], np.float32(my.x)
    node, first = np.int64(path[_NODES]), np.int64(path[_NODES + 1])
    first = first if table[cell(first, LISTED)] > FEW else np.int64(0)
    deepest_at = np.int64(my.depth)
    while deepest_at > 0 and table[cell(path[_NODES + deepest_at], TOTAL)] == 0:
        deepest_at -= 1
    deepest = np.int64(path[_NODES + deepest_at])
    bound = np.float32(UNIT * my.exploration * np.sqrt(np.log(np.float64(table[cell(deepest, TOTAL)]))))
    if deepest == first:
        _blend_first(sim, shorts, values, node, first, x, first, bound)
        return
    _blend_first(sim, shorts, values, node, first, x, 0, np.float32(0.0))
    node = first if first != 0 else node
    for depth in range(1 if first == 0 else 2, my.depth + 1):
        deeper = np.int64(path[_NODES + depth])
        if table[cell(deeper, TOTAL)] != 0:
            _blend(sim, table, shorts, values, node, deeper, x)
            node = deeper
    _explore(sim, table, shorts, values, deepest, bound)


@kernel
def _blend_first(
    sim: Simulation,
    shorts: np.ndarray,
    values: np.ndarray,
    root: int,
    first: int,
    x: float,
    explored: int,
    bound: float,
) -> None:
    """Write the values of the root, blended with those of the node after the last move, plus the bound of `explored`.

    Node 0 leaves values unchanged.
    """
    for p in range(STRIDE, end_of_board(sim)):
        value = _blended(np.float32(shorts[short(root, VALUE, p)]), shorts, root, first, p, x)
        values[np.uintp(p)] = _raised(value, bound, shorts[short(explored, TRIED, p)])


@kernel
def _blend(
    sim: Simulation, table: np.ndarray, shorts: np.ndarray, values: np.ndarray, node: int, deeper: int, x: float
) -> None:
    """Blend the values with those of the next node: of its listed moves, or of all points at once."""
    listed = np.int64(table[cell(deeper, LISTED)])
    if listed <= FEW:
        for i in range(listed):
            p = np.int64(shorts[short(deeper, LIST, i)])
            values[np.uintp(p)] = _blended(values[np.uintp(p)], shorts, node, deeper, p, x)
    else:
        for p in range(STRIDE, end_of_board(sim)):
            values[np.uintp(p)] = _blended(values[np.uintp(p)], shorts, node, deeper, p, x)


@inlined
def _blended(value: float, shorts: np.ndarray, node: int, deeper: int, p: int, x: float) -> float:
    """Return the value of a point, moved towards that of the next node by 1 - c (eq. 3.1–3.2).

    Without runs it stays unchanged. Branch-free, so that the loop over all points vectorizes.
    """
    n, m = np.float32(shorts[short(node, RUNS, p)]), np.float32(shorts[short(deeper, RUNS, p)])
    one, weight = np.float32(1.0), m + x * n * m
    step = weight / (n + weight if n + weight > one else one)
    return value + (np.float32(shorts[short(deeper, VALUE, p)]) - value) * step


@inlined
def _raised(value: float, bound: float, tried: int) -> float:
    """Return a value above 0 plus the confidence bound, all of it for an untried move."""
    raised = value + bound - bound / np.float32(UNIT) * np.float32(tried)
    return raised if value > np.float32(0.0) else np.float32(0.0)


@kernel
def _explore(
    sim: Simulation, table: np.ndarray, shorts: np.ndarray, values: np.ndarray, node: int, bound: float
) -> None:
    """Add the confidence bound to the values: first as for untried moves, then subtract the loss of tried ones."""
    listed = np.int64(table[cell(node, LISTED)])
    known = 0 if listed <= FEW else node  # node 0 has tried nothing
    for p in range(STRIDE, end_of_board(sim)):
        values[np.uintp(p)] = _raised(values[np.uintp(p)], bound, shorts[short(known, TRIED, p)])
    for i in range(listed if known == 0 else 0):
        p = np.int64(shorts[short(node, LIST, i)])
        if values[np.uintp(p)] > np.float32(0.0):
            values[np.uintp(p)] -= bound / np.float32(UNIT) * np.float32(shorts[short(node, TRIED, p)])
