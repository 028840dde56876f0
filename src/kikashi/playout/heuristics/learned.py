"""Moves by weights that were learned from games (Coulom 2007)."""

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, WHITE
from kikashi.board.position import atari_liberty
from kikashi.jit import kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.atari import chains_in_atari
from kikashi.playout.tactics.patterns import AROUND
from kikashi.playout.weights import SHIPPED_PLAYOUTS, FeatureModel, add_shares, is_candidate, weigh_listed


@heuristic(models={"weights": FeatureModel()}, source="Coulom 2007")
def learned(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play all moves by their learned probabilities, from a file of `kikashi learn` or from the weights of the package.
    As a prior a move gets `games` times its probability, or with `relative` its ratio to the largest, to the power of
    `power`."""
    add_shares(sim, moves, my.weights)


@heuristic(
    memories=["ataris"],
    models={"weights": FeatureModel(SHIPPED_PLAYOUTS)},
    limits={"last": (0, 2), "others": (0, 1_000)},
    last=2,
    others=1.0,
    source="Coulom 2007; Silver and Tesauro 2009",
)
def roulette(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the points around the `last` moves and the last liberties of chains in atari by learned weights; all other
    points weigh `others`. `kikashi balance` makes such weights."""
    list_urgent(sim, moves, cells(my.ataris), my.last)
    weigh_listed(sim, moves, my.weights)
    moves.base = my.others


@kernel
def list_urgent(sim: Simulation, moves: Candidates, ataris: np.ndarray, last: int) -> None:
    """Mark the legal points around some last moves and the last liberties of all chains in atari, but for own eyes."""
    board = sim.board
    for back in range(1, last + 1):
        center = last_move(sim, back)
        if center != PASS:
            for step in AROUND:
                p = np.int64(center + step)
                if board.color[np.uintp(p)] == EMPTY and is_candidate(sim, p):
                    mark_once(moves, p)
    for color in (BLACK, WHITE):
        for i in range(chains_in_atari(board, ataris, color, sim.found)):
            liberty = np.int64(atari_liberty(board, np.int64(sim.found[np.uintp(i)])))
            if is_candidate(sim, liberty):
                mark_once(moves, liberty)
