"""False eyes that a capture would make real."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import STRIDE
from kikashi.board.position import atari_liberty, enemy_of, in_atari, surrounding
from kikashi.playout.candidates import Candidates
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation

DIAGONALS = (STRIDE + 1, 1 - STRIDE, -STRIDE - 1, STRIDE - 1)
"""Clockwise from the north-east."""


@heuristic(source="our own, after the corrections of other programs")
def false_eyes(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Proposes nothing, but where a drawn move would fill a false eye of one's own, and an enemy chain diagonal to it
    is in atari, takes that chain instead."""


@false_eyes.review
def _review(sim: Simulation, moves: Candidates, point: int, my: Any) -> int:
    board = sim.board
    own = board.to_play
    if surrounding(board, point) & own != 0:
        for i in range(4):
            q = point + DIAGONALS[i]
            if board.color[np.uintp(q)] == enemy_of(own) and in_atari(board, q):
                return atari_liberty(board, q)
    return point
