"""Group mode: moves of the tree near the last ones only."""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, POINTS, WALL
from kikashi.board.position import east, north, south, west
from kikashi.jit import kernel
from kikashi.playout.simulation import HISTORY, Simulation, last_move
from kikashi.search.kinds import region

_WAITING = 128
"""Bit of ``sim.region`` for a point in the queue; the other bits are the distance that a group reaches from there."""


@region(
    source="Gelly et al. 2006, §3.3", limits={"distance": (1, 40), "last_moves": (1, HISTORY)}, distance=2, last_moves=2
)
def common_fate(sim: Simulation, my: Any) -> None:
    """The groups of the `last_moves`: empty points up to `distance` from their strings, counted as in the common fate
    graph, where a string is one node; then the strings beside these points, what is near to them, and so on. After a
    pass, everything."""
    if last_move(sim, 1) == PASS:
        return
    queue = sim.found  # a ring: no point waits in it twice
    tail = 0
    for back in range(1, my.last_moves + 1):
        p = last_move(sim, back)
        if p != PASS:  # a captured stone leaves an empty point to start from
            tail += _reach(sim, queue, tail, p, my.distance + 1, my.distance)
    head = 0
    while head < tail:
        p = np.int64(queue[np.uintp(head % POINTS)])
        head += 1
        left = sim.region[np.uintp(p)] & (_WAITING - 1)
        sim.region[np.uintp(p)] = left
        for q in (north(p), east(p), south(p), west(p)):
            tail += _reach(sim, queue, tail, q, left - 1, my.distance)


@kernel
def _reach(sim: Simulation, queue: Any, tail: int, p: int, left: int, distance: int) -> int:
    """Extend a group to a point with `left` of its distance to go; at a string the distance starts again.

    Returns the number of points added to the queue: 1 or 0.
    """
    color = sim.board.color[np.uintp(p)]
    if color == WALL:
        return 0
    if color != EMPTY:
        left = distance + 1
    known = sim.region[np.uintp(p)]
    if known & (_WAITING - 1) >= left:
        return 0
    sim.region[np.uintp(p)] = left | _WAITING
    if known & _WAITING:
        return 0
    queue[np.uintp(tail % POINTS)] = p
    return 1
