"""The move answer tree that Baier 2010, §5.2 proposes: replies to as many last moves as keep coming together.

The tree grows forwards with what appears: a move that was made often enough at a node gets a node of its own, for what
comes after it. Wherever a simulation stands, the last d moves may lead to a node for every d: the estimates of all of
them are blended as RAVE's are with those of the search (eq. 3.1–3.2), from the root, which knows no context, down.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kikashi.board.points import PASS, POINTS, STRIDE
from kikashi.board.position import enemy_of
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.answer_nodes import (
    LIST,
    LISTED,
    NOW,
    ROOTS,
    RUNS,
    TOTAL,
    TRIED,
    UNIT,
    USED,
    VALUE,
    cell,
    cells_for_nodes,
    child_of,
    count_run,
    grow,
    root_for,
    short,
)
from kikashi.playout.replies.highest import end_of_board, highest_value, point_with
from kikashi.playout.simulation import HISTORY, Simulation, mover

DEEPEST = HISTORY
"""The moves that a context may have."""
FEW = 48
"""Up to this many moves of a node are blended one by one; of more, the whole row, in vectors."""

_DONE, _NODES = 0, 1
_VALUES = _NODES + DEEPEST + 1
"""Of the path: moves done, the node of each depth, and room for a value for each point."""


@memory(cells=_VALUES + POINTS, scope="playout", learns=False, source="Baier 2010, §5.2")
def answer_path(sim: Simulation, my: Any) -> None:
    """Where a simulation is in the move answer tree: the nodes for its last moves; and room to blend their values."""


LIMITS = {"threshold": (0, 1e9), "depth": (1, DEEPEST), "nodes": (ROOTS + 1, 100_000)}


@memory(
    cells=lambda parameters: cells_for_nodes(int(parameters["nodes"])),
    memories=["answer_path"],
    source="Baier 2010, §5.2",
    limits=LIMITS,
    threshold=50,
    depth=5,
    nodes=4096,
)
def move_answers(sim: Simulation, my: Any) -> None:
    """The move answer tree: runs and wins of what followed the last moves, up to `depth` of them. A move with more than
    `threshold` runs at a node gets a node; the leaf not used for longest is taken where `nodes` are there."""
    table, path = cells(my.cells), cells(my.answer_path)
    shorts = table.view(np.uint16)
    now = np.int64(table[NOW]) + 1
    table[NOW] = now
    _leave(path, sim.root_color)
    for i in range(HISTORY, sim.length):
        p, color = np.int64(sim.moves[np.uintp(i)]), mover(sim, i)
        if p == PASS:
            _leave(path, enemy_of(color))
        else:
            _count_everywhere(table, shorts, path, p, color == sim.winner, now, my)
            path[_NODES] = root_for(enemy_of(color))


@inlined
def _leave(path: np.ndarray, color: int) -> None:
    """Forget all last moves: only the root is left, with `color` to move."""
    path[_NODES] = root_for(color)
    for depth in range(1, DEEPEST + 1):
        path[_NODES + depth] = 0


@inlined
def _count_everywhere(
    table: np.ndarray, shorts: np.ndarray, path: np.ndarray, p: int, won: bool, now: int, my: Any
) -> None:
    """Count a move at every node of the path, the deepest first, and move the path on. A node that is made now takes
    part from the next time on, as in figure 5.3."""
    for depth in range(my.depth, -1, -1):
        node = np.int64(path[_NODES + depth])
        child = np.int64(0)
        if node != 0:
            child = child_of(table, node, p)
            runs = count_run(table, shorts, node, p, won)
            # A move that lost its node to another gets one again after as many runs as it took at first.
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
    the last moves. The estimate with n runs plays RAVE's part for the deeper one with m: c = n / (n + m + x n m). Plus
    exploration times sqrt(log N / (m + 1)), N and m being the deepest node's."""
    table, path = cells(my.move_answers), cells(my.answer_path)
    _catch_up(sim, table, path, my.depth)
    if table[cell(path[_NODES], TOTAL)] == 0:
        return
    _estimate(sim, table, path, my)
    best = highest_value(sim, path, _VALUES)  # the bits of a float above 0 are in its order
    if best > 0:
        mark(moves, point_with(sim, path, _VALUES, best))


@inlined
def _catch_up(sim: Simulation, table: np.ndarray, path: np.ndarray, depth: int) -> None:
    """Follow the moves since the path was last looked at; at first those before, as many as can matter."""
    start = np.int64(path[_DONE])
    if start == 0:
        start = sim.length - depth
    for i in range(start, sim.length):
        p = np.int64(sim.moves[np.uintp(i)])
        path[_NODES] = root_for(mover(sim, i))
        for d in range(depth, 0, -1):
            # PASS is no move of any node, so that it leads to node 0; and so does node 0.
            path[_NODES + d] = child_of(table, path[_NODES + d - 1], p)
    path[_NODES] = root_for(sim.board.to_play)
    path[_DONE] = sim.length


@inlined
def _estimate(sim: Simulation, table: np.ndarray, path: np.ndarray, my: Any) -> None:
    """Write the blended values of all points into the path, in parts of UNIT, with the confidence bound.

    Most often the node after the last move is the deepest: then one loop over the points does it all.
    """
    shorts, values, x = table.view(np.uint16), path.view(np.float32)[_VALUES:], np.float32(my.x)
    node, first = np.int64(path[_NODES]), np.int64(path[_NODES + 1])
    first = first if table[cell(first, LISTED)] > FEW else np.int64(0)
    deepest = _deepest(table, path, my.depth)
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


@inlined
def _deepest(table: np.ndarray, path: np.ndarray, depth: int) -> int:
    """The deepest node of the path at which some move came; the root if there is none."""
    while depth > 0 and table[cell(path[_NODES + depth], TOTAL)] == 0:
        depth -= 1
    return np.int64(path[_NODES + depth])


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
    """The values of the root, blended with those of the node after the last move, with the bound of the `explored` one;
    node 0 leaves values as they are."""
    for p in range(STRIDE, end_of_board(sim)):
        value = _blended(np.float32(shorts[short(root, VALUE, p)]), shorts, root, first, p, x)
        values[np.uintp(p)] = _raised(value, bound, shorts[short(explored, TRIED, p)])


@kernel
def _blend(
    sim: Simulation, table: np.ndarray, shorts: np.ndarray, values: np.ndarray, node: int, deeper: int, x: float
) -> None:
    """Blend the values of points with those of the next node: of the moves that came there, or of all at once."""
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
    """The value of a point by the nodes so far, moved towards that of the next node by 1 - c (eq. 3.1–3.2). It stays
    what it was if there are no runs: without a branch, since the loop over all points has no time for one."""
    n, m = np.float32(shorts[short(node, RUNS, p)]), np.float32(shorts[short(deeper, RUNS, p)])
    one, weight = np.float32(1.0), m + x * n * m
    share = weight / (n + weight if n + weight > one else one)
    return value + (np.float32(shorts[short(deeper, VALUE, p)]) - value) * share


@inlined
def _raised(value: float, bound: float, tried: int) -> float:
    """A value above 0 with the confidence bound: all of it for a move that was not tried."""
    raised = value + bound - bound / np.float32(UNIT) * np.float32(tried)
    return raised if value > np.float32(0.0) else np.float32(0.0)


@kernel
def _explore(
    sim: Simulation, table: np.ndarray, shorts: np.ndarray, values: np.ndarray, node: int, bound: float
) -> None:
    """Add the confidence bound to the values: first as for moves not tried, then less for those that were."""
    listed = np.int64(table[cell(node, LISTED)])
    known = 0 if listed <= FEW else node  # node 0 has tried nothing
    for p in range(STRIDE, end_of_board(sim)):
        values[np.uintp(p)] = _raised(values[np.uintp(p)], bound, shorts[short(known, TRIED, p)])
    for i in range(listed if known == 0 else 0):
        p = np.int64(shorts[short(node, LIST, i)])
        if values[np.uintp(p)] > np.float32(0.0):
            values[np.uintp(p)] -= bound / np.float32(UNIT) * np.float32(shorts[short(node, TRIED, p)])
