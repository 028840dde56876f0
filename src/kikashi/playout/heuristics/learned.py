"""Moves by what was learned from games."""

from __future__ import annotations

from typing import Any

from kikashi.playout.candidates import Candidates
from kikashi.playout.kinds import heuristic
from kikashi.playout.model.models import FeatureModel, add_shares
from kikashi.playout.simulation import Simulation


@heuristic(models={"weights": FeatureModel()}, source="Coulom 2007")
def learned(sim: Simulation, moves: Candidates, my: Any) -> None:
    """All moves by their learned shares: of a file of weights that `kikashi learn` has written, or of those that come
    with the package. As a prior it knows shares: a move has `games` times its share, or with `relative` its part of
    the largest share, to the power of `power`."""
    add_shares(sim, moves, my.weights)
