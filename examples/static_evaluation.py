"""An evaluation of one's own, without playouts: the area by influence, at the leaf itself.

kikashi check-plugin examples/static_evaluation.py
kikashi match "mogo-2006 --plugin examples/static_evaluation.py --set evaluation=influence" mogo-2006
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from kikashi.board import find_influence
from kikashi.playout import Candidates, Simulation
from kikashi.search import evaluation


class Influence(Protocol):
    """The parameters of the part."""

    points: float


@evaluation(owners=True, source="Zobrist 1969", limits={"points": (0.1, math.inf)}, points=5.0)
def influence(sim: Simulation, moves: Candidates, policy: Any, my: Influence) -> float:
    """Black's area by influence: a lead of `points` wins about three games of four."""
    sim.score = find_influence(sim.board, sim.owner)
    return 1.0 / (1.0 + np.exp(-(sim.score - sim.komi) / my.points))
