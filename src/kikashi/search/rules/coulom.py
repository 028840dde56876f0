"""Crazy Stone's search: selection by probabilities (Coulom 2006, §3.2) and its backup operators (§4)."""

import math
from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import Board, east, enemy_of, north, south, west
from kikashi.board.queries import second_liberty
from kikashi.board.rng import index_at, random_unit
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import records
from kikashi.playout.simulation import Simulation, color_at_depth
from kikashi.search.kinds import BY_PLAYOUT, backup, selection
from kikashi.search.rules.statistics import A_SQUARE
from kikashi.search.terms import Terms, set_term, set_total
from kikashi.search.tree import BANNED, SCALE, Node, TreeRecord, for_mover, nodes_of

_OF_ESTIMATE = 0
"""Index of "estimate" among the words of `variance`."""
_MEAN, _BEST, _LEFT_OUT = range(3)
"""Indexes of the words of `untried`."""
_CHEN = 1
"""Index of "chen" among the words of `root`."""
_TWO_BEST = 1
"""Index of "two_best" among the words of `of`."""
_LEAST_GAP = 0.1
"""Smallest gap to the best move, in points or wins, in Chen's formula, which divides by it."""


@selection(
    terms=("value", "deviation", "by value", "by rank"),
    statistics=["squares"],
    source="Coulom 2006, §3.2",
    limits={"sharpness": (0, math.inf), "internal": (0, math.inf), "cap": (1, math.inf)},
    sharpness=2.4,
    internal=0,
    cap=500,
    variance=("estimate", "game"),
    untried=("mean", "best", "left_out"),
    root=("same", "chen"),
)
def crazystone(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """Draw a move with probability proportional to exp(-2.4 (m0 - mi) / sqrt(2 (s0² + si²))) + (0.1 + 2^-i + ai) / N. A
    node visited less often than `internal` times (0: than the board has points) leaves it to the playout policy. s² is
    the variance of a move's estimated value; with `variance=game`, at external nodes that of one game. An untried move
    is worth the mean of the node's simulations, or as much as the best of the others, or is left out. With `root=chen`
    the root's simulations are shared out so that its best move is most likely the right one (§3.1, §6)."""
    nodes = nodes_of(tree)
    parent = nodes[node]
    if parent.visits < _internal(sim, my.internal):
        return BY_PLAYOUT
    count = np.int64(parent.count)
    values, variances, weights = np.empty(count), np.empty(count), np.zeros(count)
    choices = _estimate(sim, tree, node, my, values, variances)
    if choices == 0:
        return BY_PLAYOUT
    if my.root == _CHEN and sim.depth == 0:
        _find_lacks(nodes, np.int64(parent.first), values, variances, weights)
        return np.int64(parent.first) + weights.argmax()
    order = np.argsort(-values)
    for rank in range(choices):
        i, best = order[rank], order[0]
        by_value = _by_value(values, variances, best, i, my.sharpness)
        weights[i] = by_value + _by_rank(sim, nodes[parent.first + i].move, rank, choices)
    return np.int64(parent.first) + index_at(weights, count, random_unit(sim) * weights.sum())


@crazystone.explain
def _explain(sim: Simulation, tree: TreeRecord, node: int, terms: Terms, my: Any) -> None:
    """The weight of a draw is the sum of the parts by value and by rank; with `root=chen` the total is the number of
    simulations that a move lacks. A node that leaves the move to the playout policy has no totals."""
    nodes = nodes_of(tree)
    parent = nodes[node]
    if parent.visits < _internal(sim, my.internal):
        return
    first, count = np.int64(parent.first), np.int64(parent.count)
    values, variances, lacks = np.empty(count), np.empty(count), np.zeros(count)
    choices = _estimate(sim, tree, node, my, values, variances)
    order = np.argsort(-values)
    is_shared_out = my.root == _CHEN and sim.depth == 0 and choices > 0
    if is_shared_out:
        _find_lacks(nodes, first, values, variances, lacks)
    else:
        terms.drawn = 1
    for rank in range(choices):
        i, best = order[rank], order[0]
        set_term(terms, first + i, 0, values[i])
        set_term(terms, first + i, 1, np.sqrt(variances[i]))
        if is_shared_out:
            set_total(terms, first + i, lacks[i])
            continue
        by_value = _by_value(values, variances, best, i, my.sharpness)
        by_rank = _by_rank(sim, nodes[first + i].move, rank, choices)
        set_term(terms, first + i, 2, by_value)
        set_term(terms, first + i, 3, by_rank)
        set_total(terms, first + i, by_value + by_rank)


@inlined
def _internal(sim: Simulation, internal: int) -> int:
    """Return the visits that make a node internal."""
    return internal if internal > 0 else np.int64(sim.board.size) * sim.board.size


@kernel
def _estimate(sim: Simulation, tree: TreeRecord, node: int, my: Any, values: np.ndarray, variances: np.ndarray) -> int:
    """Write the estimated values of all moves and their variances; return the number of moves that can be drawn.

    A move that cannot be drawn has the value -inf. To share out the root's simulations variances are those of games.
    """
    nodes, rows = nodes_of(tree), records(my.squares, A_SQUARE)
    parent = nodes[node]
    internal = _internal(sim, my.internal)
    unknown = _untried_value(sim, tree, node, my.untried)
    is_shared_out = my.root == _CHEN and sim.depth == 0
    choices = np.int64(parent.count)
    for i in range(parent.count):
        child = nodes[parent.first + i]
        values[i] = for_mover(tree, child.mean, sim.board.to_play) if child.visits > 0 else unknown
        divides = my.variance == _OF_ESTIMATE or (child.visits >= internal and child.count > 0)
        cap = my.cap if divides and not is_shared_out else 1
        variances[i] = variance_of(child, rows[parent.first + i], sim.board.size, cap)
        if child.flags & BANNED:
            values[i] = -np.inf
        choices -= values[i] == -np.inf
    return choices


@inlined
def _by_value(values: np.ndarray, variances: np.ndarray, best: int, i: int, sharpness: float) -> float:
    """Return exp(-2.4 (m0 - mi) / sqrt(2 (s0² + si²)))."""
    gap = (values[best] - values[i]) / np.sqrt(2.0 * (variances[best] + variances[i]))
    return np.exp(-sharpness * gap)


@inlined
def _by_rank(sim: Simulation, move: int, rank: int, choices: int) -> float:
    """Return (0.1 + 2^-i + ai) / N."""
    atari = 1.0 if gives_atari(sim.board, move) else 0.0
    return (0.1 + 0.5**rank + atari) / choices


@kernel
def _find_lacks(nodes: Any, first: int, values: np.ndarray, variances: np.ndarray, lacks: np.ndarray) -> None:
    """Write by how many simulations each move is below its share of them; -inf for one that cannot be drawn."""
    shares = chen_shares(values, variances)
    total = 1
    for i in range(values.size):
        total += nodes[first + i].visits
    for i in range(values.size):
        lacks[i] = shares[i] * total - nodes[first + i].visits if values[i] > -np.inf else -np.inf


@kernel
def chen_shares(values: np.ndarray, variances: np.ndarray) -> np.ndarray:
    """Return the shares of simulations by which the best move is found most likely (Chen, Lin, Yücesan and Chick 2000).

    N_i is proportional to (s_i / gap_i)², and N_best is s_best sqrt(sum of (N_i / s_i)²). A move of value -inf has 0.
    """
    best = values.argmax()
    shares = np.zeros(values.size)
    squares = 0.0
    for i in range(values.size):
        if i != best and values[i] > -np.inf:
            gap = max(_LEAST_GAP, values[best] - values[i])
            shares[i] = variances[i] / (gap * gap)
            squares += shares[i] * shares[i] / max(variances[i], 1e-12)
    shares[best] = np.sqrt(variances[best] * squares)
    total = shares.sum()
    if total == 0.0:
        shares[best] = total = 1.0
    return shares / total


@kernel
def _untried_value(sim: Simulation, tree: TreeRecord, node: int, untried: int) -> float:
    """Return the value of a move before its first visit, for the player to move; -inf to leave it out."""
    nodes = nodes_of(tree)
    here = nodes[node]
    value = -np.inf
    if untried == _MEAN:
        value = for_mover(tree, mean_of(here), sim.board.to_play)
    elif untried == _BEST:
        for i in range(here.first, here.first + here.count):
            if nodes[i].visits > 0 and not nodes[i].flags & BANNED:
                value = max(value, for_mover(tree, nodes[i].mean, sim.board.to_play))
    return value


@kernel
def variance_of(node: Node, row: Any, size: int, cap: int) -> float:
    """Return the variance of a node's value: (S2 - S m² + 4 P²) / (S + 1) / min(cap, S) (Coulom 2006, §3.2, §4.2).

    The term 4 P² is that of one more game of very high variance. With a cap of 1 it is the variance of one game.
    """
    points = np.float64(size) * size
    if node.visits == 0:
        return 4.0 * points * points
    visits, average = np.float64(node.visits), mean_of(node)
    variance = (row.square / np.float64(SCALE) - visits * average * average + 4.0 * points * points) / (visits + 1.0)
    return variance / min(np.float64(cap), visits)


@kernel
def gives_atari(board: Board, p: int) -> bool:
    """Return whether the side to play puts a chain into atari by playing at `p`."""
    if p == PASS:
        return False
    enemy = enemy_of(board.to_play)
    for q in (north(p), east(p), south(p), west(p)):
        if board.color[q] == enemy and second_liberty(board, q, p) != PASS:
            return True
    return False


# --- backup ----------------------------------------------------------------------------------------------------------


LIMITS = {"internal": (0, math.inf)}


@backup(source="Gelly et al. 2006, table 1; Coulom 2006, §4")
def mean(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> None:
    """The mean of all simulations."""
    here = nodes_of(tree)[node]
    here.mean = mean_of(here)


@backup(source="Coulom 2006, §4.1", limits=LIMITS, internal=0)
def max_value(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> None:
    """The value of the best move, at internal nodes."""
    if _take_mean(sim, tree, node, my.internal):
        best, _, _ = _top_moves(sim, tree, node)
        _set_to_child(tree, node, best)


@backup(source="Coulom 2006, §4.1", limits=LIMITS, internal=0, of=("all", "two_best"))
def robust_max(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> None:
    """The value of the move with the most games, at internal nodes: of all moves, or of the two best."""
    if _take_mean(sim, tree, node, my.internal):
        best, second, most = _top_moves(sim, tree, node)
        nodes = nodes_of(tree)
        if my.of == _TWO_BEST:
            most = second if second >= 0 and nodes[second].visits > nodes[best].visits else best
        _set_to_child(tree, node, most)


@backup(source="Coulom 2006, figure 1", limits=LIMITS, internal=0)
def mix(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> None:
    """Between the mean and the robust maximum, as figure 1, at internal nodes."""
    if not _take_mean(sim, tree, node, my.internal):
        return
    nodes = nodes_of(tree)
    here = nodes[node]
    best, second, most = _top_moves(sim, tree, node)
    if best < 0:
        return
    other = most if most != best and most != second else second
    color = color_at_depth(sim)
    value = for_mover(tree, here.mean, color)
    games_0, value_0 = np.float64(nodes[best].visits), for_mover(tree, nodes[best].mean, color)
    games_1, value_1 = 0.0, 0.0
    if other >= 0:
        games_1, value_1 = np.float64(nodes[other].visits), for_mover(tree, nodes[other].mean, color)
    points = np.float64(sim.board.size) * sim.board.size
    mixed = mixed_value(value, np.float64(here.visits), points, games_0, value_0, games_1, value_1)
    here.mean = for_mover(tree, mixed, color)


@kernel
def mixed_value(
    mean_value: float, simulations: float, points: float, games_0: float, value_0: float, games_1: float, value_1: float
) -> float:
    """Return the value of figure 1 of Coulom 2006: move 0 is the best, move 1 the second best or the most visited."""
    mean_weight = 2.0 * points
    if simulations > 16.0 * points:
        mean_weight *= simulations / (16.0 * points)
    value = mean_value
    if games_1 > 0.0 and games_0 > 0.0:
        averaged_1 = (games_1 * value_1 + mean_weight * value) / (games_1 + mean_weight)
        averaged_0 = (games_0 * value_0 + mean_weight * value) / (games_0 + mean_weight)
        if games_0 < games_1:
            if value_1 > value:
                value = averaged_1
            elif value_0 < value:
                value = averaged_0
        else:
            value = averaged_0
    else:
        value = value_0
    return value


@kernel
def mean_of(node: Node) -> float:
    """Return the mean value of a node's simulations."""
    return node.value / (np.float64(SCALE) * node.visits)


@kernel
def _take_mean(sim: Simulation, tree: TreeRecord, node: int, internal: int) -> bool:
    """Set the node's value to the mean of its own simulations. True if it is internal and has children."""
    here = nodes_of(tree)[node]
    size = np.int64(sim.board.size)
    here.mean = mean_of(here)
    return here.visits >= (internal if internal > 0 else size * size) and here.count > 0


@kernel
def _top_moves(sim: Simulation, tree: TreeRecord, node: int) -> tuple[int, int, int]:
    """Return the best, the second best and the most visited of the children tried; -1 for none."""
    nodes = nodes_of(tree)
    color = color_at_depth(sim)
    best, second, most = np.int64(-1), np.int64(-1), np.int64(-1)
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if nodes[i].visits == 0:
            continue
        if most < 0 or nodes[i].visits > nodes[most].visits:
            most = np.int64(i)
        value = for_mover(tree, nodes[i].mean, color)
        if best < 0 or value > for_mover(tree, nodes[best].mean, color):
            best, second = np.int64(i), best
        elif second < 0 or value > for_mover(tree, nodes[second].mean, color):
            second = np.int64(i)
    return best, second, most


@kernel
def _set_to_child(tree: TreeRecord, node: int, child: int) -> None:
    if child >= 0:
        nodes_of(tree)[node].mean = nodes_of(tree)[child].mean
