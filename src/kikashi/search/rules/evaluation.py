"""Evaluations of leaves: a playout, a shorter one, and a playout beside a learned value."""

from typing import Any

import numpy as np

from kikashi.board.influence import find_influence
from kikashi.board.points import BLACK, EMPTY, POINTS, WHITE
from kikashi.playout.candidates import Candidates
from kikashi.playout.loop import PolicyRecord, final_score, play_moves, play_to_end
from kikashi.playout.simulation import MAX_MOVES, Simulation, find_owners, settle
from kikashi.playout.weights import VALUES, FeatureModel, value_of_position
from kikashi.search.kinds import evaluation


@evaluation(source="Brügmann 1993; Coulom 2006")
def playout(sim: Simulation, moves: Candidates, policy: PolicyRecord, my: Any) -> float:
    """A game played to its end by the playout policy: 1 if Black wins, 0 if White, a half for a draw."""
    return play_to_end(sim, moves, policy)


@evaluation(owners=True, source="Lorentz 2008; Zobrist 1969", limits={"moves": (0, MAX_MOVES)}, moves=20)
def truncated(sim: Simulation, moves: Candidates, policy: PolicyRecord, my: Any) -> float:
    """A playout of at most `moves` moves, then the area by influence: who has more of it has won."""
    play_moves(sim, moves, policy, my.moves)
    if sim.passes >= 2:
        find_owners(sim)
        return settle(sim, final_score(sim))
    score = find_influence(sim.board, sim.owner)
    if sim.zoned:
        score = np.int64(0)
        for p in range(POINTS):
            sim.owner[p] = sim.owner[p] if sim.zone[p] else EMPTY
            score += (sim.owner[p] == BLACK) - np.int64(sim.owner[p] == WHITE)
    return settle(sim, score)


@evaluation(
    models={"weights": FeatureModel("", VALUES)},
    source="Gelly and Silver 2007; Silver et al. 2016",
    limits={"learned": (0, 1)},
    learned=0.5,
)
def mixed(sim: Simulation, moves: Candidates, policy: PolicyRecord, my: Any) -> float:
    """A playout and the value of the leaf by weights that `kikashi learn --values` has written, of which `learned` is
    the share of the latter."""
    value = value_of_position(sim, my.weights)
    return (1.0 - my.learned) * play_to_end(sim, moves, policy) + my.learned * value
