"""Contextual Monte Carlo (Rimmel and Teytaud 2010, as Baier 2010, footnote 16 tells it): follow-ups to one's own move
that went well with it, whenever they were played.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, PASS, POINTS, WHITE
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark_best
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.simulation import HISTORY, Simulation, last_move


@inlined
def _row(color: int, p: int) -> int:
    """Where the runs and wins of the pairs of a player's move begin, side by side for each other move."""
    return ((np.int64(color) - BLACK) * POINTS + p) * POINTS * 2


@memory(cells=4 * POINTS * POINTS, source="Baier 2010, footnote 16 (Rimmel and Teytaud 2010)")
def pair_wins(sim: Simulation, my: Any) -> None:
    """For each player and pair of points: in how many simulations the player moved at both, in any order, and how many
    of them it won."""
    table = cells(my.cells)
    for color in (BLACK, WHITE):
        count = _find_played(sim, color)
        won = color == sim.winner
        for i in range(count):
            row = _row(color, np.int64(sim.found[np.uintp(i)]))
            for k in range(count):
                if k == i:
                    continue
                at = row + 2 * np.int64(sim.found[np.uintp(k)])
                table[np.uintp(at)] += 1
                table[np.uintp(at + 1)] += won


@kernel
def _find_played(sim: Simulation, color: int) -> int:
    """Write the points where a player moved in the simulation, each once, into `sim.found`; return how many."""
    seen = np.zeros(POINTS, np.bool_)
    seen[PASS] = True
    count = 0
    for i in range(HISTORY + (sim.root_color != color), sim.length, 2):
        p = sim.moves[np.uintp(i)]
        if not seen[p]:
            seen[p] = True
            sim.found[np.uintp(count)] = p
            count += 1
    return count


@heuristic(memories=["pair_wins"], source="Baier 2010, footnote 16 (Rimmel and Teytaud 2010)")
def best_pair(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vacant point that, together with the player's own last move, was in the largest share of won
    simulations."""
    last = last_move(sim, 2)
    if last == PASS:
        return
    table, board, row = cells(my.pair_wins), sim.board, _row(sim.board.to_play, last)
    highest = 0.0
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        at = row + 2 * p
        if table[np.uintp(at + 1)] > 0:
            highest = mark_best(moves, p, table[np.uintp(at + 1)] / table[np.uintp(at)], highest)
