"""MoGo's pattern moves beside the last move."""

from __future__ import annotations

from typing import Any

from kikashi.playout.candidates import Candidates
from kikashi.playout.kinds import heuristic
from kikashi.playout.patterns import mark_patterns_beside_last
from kikashi.playout.simulation import Simulation


@heuristic(source="Gelly et al. 2006, §3.2")
def pattern3(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play a 3x3 pattern among the eight points around the last move, if it is not self-atari."""
    mark_patterns_beside_last(sim, moves)
