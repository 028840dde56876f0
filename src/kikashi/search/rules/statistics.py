"""Statistics of nodes that some rules keep beside the tree."""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, WHITE
from kikashi.jit import kernel
from kikashi.parts.blocks import atomic_add, records
from kikashi.playout.simulation import HISTORY, Simulation, mover, note_first_players
from kikashi.search.kinds import statistic
from kikashi.search.tree import GROWN, SCALE, Node, TreeRecord, nodes_of, simulation_value

RAVE = np.dtype([("value", "i8"), ("visits", "i4"), ("move", "u2")], align=True)
SQUARES = np.dtype([("square", "i8")])

FIRST_PUTS = np.dtype(
    [("black_value", "i8"), ("white_value", "i8"), ("black_visits", "i4"), ("white_visits", "i4")], align=True
)

A_RAVE = np.zeros(1, RAVE)[0]
A_SQUARE = np.zeros(1, SQUARES)[0]
A_FIRST_PUT = np.zeros(1, FIRST_PUTS)[0]


def _say_rave(before: Any, after: Any) -> str:
    """Return how many simulations with the move were counted, and Black's value of them."""
    more, value = int(after["visits"]) - int(before["visits"]), (int(after["value"]) - int(before["value"])) / SCALE
    return f"{more:+d} simulation with the move, of value {value:g}; {int(after['visits'])} in all"


@statistic(row=RAVE, words=_say_rave, source="Baier 2010, §3.3.2")
def rave(sim: Simulation, tree: TreeRecord, my: Any) -> None:
    """For each child on the path: the simulations in which the player at its parent was the first to play at its point,
    then or later, and the sum of their values. Threads may now and then lose one of these."""
    nodes, rows = nodes_of(tree), records(my.rave, A_RAVE)
    amount = np.int64(np.round(simulation_value(sim, tree) * SCALE))
    first_by = sim.first_by
    first_by[:] = EMPTY
    end = np.int64(sim.length)
    for depth in range(sim.depth, -1, -1):
        note_first_players(sim, HISTORY + depth, end)
        end = HISTORY + depth
        here = nodes[sim.nodes[np.uintp(depth)]]
        if here.state != GROWN:
            continue
        color = mover(sim, HISTORY + depth)
        for i in range(here.first, here.first + here.count):
            hit = np.int64(first_by[rows[i].move] == color)  # counted without a branch: it could not be predicted
            rows[i].visits += hit
            rows[i].value += hit * amount


@rave.grow
def _note_moves(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> None:
    """Copy moves into the rows, so that crediting need not load every child."""
    nodes, rows = nodes_of(tree), records(my.rave, A_RAVE)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        rows[i].move = nodes[i].move


@statistic(row=SQUARES, source="Coulom 2006, §2; Gelly et al. 2006, §2.2")
def squares(sim: Simulation, tree: TreeRecord, my: Any) -> None:
    """For each node on the path: the sum of the squares of its simulations' values."""
    rows = records(my.squares, A_SQUARE)
    value = simulation_value(sim, tree)
    amount = np.int64(np.round(value * value * SCALE))
    for depth in range(sim.depth + 1):
        atomic_add(rows[sim.nodes[np.uintp(depth)]], "square", amount)


@kernel
def variance_of_games(node: Node, row: Any) -> float:
    """Return the variance of a node's simulations, by n - 1, from its row of `squares`; infinite before the second."""
    if node.visits < 2:
        return np.inf
    count = np.float64(node.visits)
    mean = node.value / (SCALE * count)
    return max(0.0, (row.square / np.float64(SCALE) - count * mean * mean) / (count - 1.0))


@statistic(row=FIRST_PUTS, source="Yoshizoe et al. 2006, Related Work")
def first_puts(sim: Simulation, tree: TreeRecord, my: Any) -> None:
    """For each move of the root and each player: the simulations in which the player was the first of the two to play
    there, and the sum of their values."""
    nodes, rows = nodes_of(tree), records(my.first_puts, A_FIRST_PUT)
    amount = np.int64(np.round(simulation_value(sim, tree) * SCALE))
    first_by = sim.first_by
    first_by[:] = EMPTY
    note_first_players(sim, HISTORY, sim.length)
    for i in range(nodes[0].first, nodes[0].first + nodes[0].count):
        by = first_by[nodes[i].move]
        if by == BLACK:
            atomic_add(rows[i], "black_visits", 1)
            atomic_add(rows[i], "black_value", amount)
        elif by == WHITE:
            atomic_add(rows[i], "white_visits", 1)
            atomic_add(rows[i], "white_value", amount)
