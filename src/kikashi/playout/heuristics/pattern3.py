"""MoGo's pattern moves beside the last move, or the last two."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.queries import is_self_atari
from kikashi.jit import kernel
from kikashi.playout.candidates import Candidates, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import AROUND, LOWEST, mark_patterns_beside_last, matches_around


@heuristic(source="Gelly et al. 2006, §3.2", limits={"last": (1, 2)}, last=1)
def pattern3(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play a 3x3 pattern among the eight points around the last move, or around each of the last two, if it is not
    self-atari."""
    mark_patterns_beside_last(sim, moves)
    if my.last > 1:
        _mark_patterns_beside_the_one_before(sim, moves)


@kernel
def _mark_patterns_beside_the_one_before(sim: Simulation, moves: Candidates) -> None:
    center = last_move(sim, 2)
    if center == PASS:
        return
    board = sim.board
    own = board.to_play
    matching = matches_around(board, center, own)
    while matching != 0:
        p = center + AROUND[LOWEST[np.uintp(matching)]]
        if not is_self_atari(board, p, own, sim.found):
            mark_once(moves, p)
        matching &= matching - 1
