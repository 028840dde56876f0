"""Gobble (Brügmann 1993, after Baier 2010, §3.3.1 and §3.4.2): simulated annealing over the order of all moves."""

import math
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, STRIDE, WHITE
from kikashi.board.rng import random_unit
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.simulation import HISTORY, Simulation, color_row, note_first_players
from kikashi.playout.words import name_place

SOURCE = "Baier 2010, §3.3.1, §3.4.2 (Brügmann 1993)"
_SUMS = 2 * POINTS
"""The first cell of the sums, after the counts."""
_MAX_COUNT = 1 << 20
"""A count that reaches this is halved with its sum, so that no sum can overflow."""
_SCORE = 0


def _say_amaf(_parameters: Any, cell: int, _before: int, after: int) -> str:
    place = cell % _SUMS
    name = "all simulations" if place % POINTS == PASS else f"{name_place(place)} first"
    return f"{name}: {'twice the sum of values' if cell >= _SUMS else 'simulations'} {after}"


@memory(cells=4 * POINTS, words=_say_amaf, source=SOURCE, value=("score", "win"))
def amaf_values(sim: Simulation, my: Any) -> None:
    """For each player and point: the number of simulations in which the player was the first to play there, and twice
    the sum of their values for the player. The cells of PASS count all simulations. Threads may lose a count now and
    then."""
    table = cells(my.cells)
    first_by = sim.first_by
    first_by[:] = EMPTY
    note_first_players(sim, HISTORY, sim.length)
    first_by[PASS] = BLACK
    black, white = _twice_value(sim, BLACK, my.value), _twice_value(sim, WHITE, my.value)
    for p in range(POINTS):
        if first_by[p] == BLACK:
            _count(table, p, black)
        elif first_by[p] == WHITE:
            _count(table, POINTS + p, white)
    _count(table, POINTS + PASS, white)


@inlined
def _twice_value(sim: Simulation, color: int, value: int) -> int:
    """Return twice the value of a simulation for a player: points beyond komi, or a win."""
    if value == _SCORE:
        margin = np.int64(np.round(2.0 * (sim.score - sim.komi)))
        return margin if color == BLACK else -margin
    return 1 if sim.winner == EMPTY else 2 * np.int64(sim.winner == color)


@inlined
def _count(table: np.ndarray, at: int, amount: int) -> None:
    table[np.uintp(at)] += 1
    table[np.uintp(_SUMS + at)] += amount
    if table[np.uintp(at)] >= _MAX_COUNT:
        table[np.uintp(at)] //= 2
        table[np.uintp(_SUMS + at)] //= 2


@memory(cells=2 * POINTS, scope="playout", learns=False, source=SOURCE)
def move_orders(sim: Simulation, my: Any) -> None:
    """For each player the order of all points in this playout, after their number plus one."""


@heuristic(
    memories=["amaf_values", "move_orders"],
    source=SOURCE,
    limits={"temperature": (0, math.inf), "cooling": (1, math.inf)},
    temperature=10.0,
    cooling=1000,
)
def annealed_order(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the first feasible move of an order that is fixed for each player before the playout, by drawing all points
    one by one by exp(v / T), v being the mean value of all earlier simulations with the move. The schedule is harmonic:
    T is `temperature` / (1 + n / `cooling`) after n simulations."""
    orders = cells(my.move_orders)
    row = color_row(sim.board.to_play)
    if orders[np.uintp(row)] == 0:
        _draw_orders(sim, cells(my.amaf_values), orders, my.temperature, my.cooling)
    moves.ordered = True
    for i in range(1, orders[np.uintp(row)]):
        p = np.int64(orders[np.uintp(row + i)])
        if sim.board.color[np.uintp(p)] == EMPTY:
            mark(moves, p)


@kernel
def _draw_orders(sim: Simulation, values: np.ndarray, orders: np.ndarray, temperature: float, cooling: int) -> None:
    """Draw the orders of both players. Sorting by v / T plus Gumbel noise is drawing one by one by exp(v / T)."""
    size = np.int64(sim.board.size)
    heat = max(1e-6, temperature / (1.0 + values[PASS] / cooling))
    points, keys = np.empty(size * size, np.int64), np.empty(size * size)
    for color in (BLACK, WHITE):
        row = color_row(color)
        count = 0
        for line in range(1, size + 1):
            for p in range(line * STRIDE + 1, line * STRIDE + size + 1):
                points[count] = p
                at = row + p if values[np.uintp(row + p)] > 0 else row + PASS  # all simulations, if it never came
                value = 0.5 * values[np.uintp(_SUMS + at)] / max(1, values[np.uintp(at)])
                keys[count] = -value / heat + np.log(-np.log(random_unit(sim)))
                count += 1
        order = np.argsort(keys)
        orders[np.uintp(row)] = count + 1
        for i in range(count):
            orders[np.uintp(row + 1 + i)] = points[order[i]]
