"""Mango's proximity factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS
from kikashi.playout.candidates import Candidates, add
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import AROUND


@heuristic(source="Baier 2010, §3.4.1 (Chaslot et al. 2007)", factor=20.0)
def proximity(sim: Simulation, moves: Candidates, my: Any) -> None:
    """The eight points around the last move weigh `factor` times what others do."""
    moves.base = 1.0
    last = last_move(sim, 1)
    if last == PASS:
        return
    for i in range(8):
        p = last + AROUND[i]
        if sim.board.color[np.uintp(p)] == EMPTY:
            add(moves, p, my.factor)
