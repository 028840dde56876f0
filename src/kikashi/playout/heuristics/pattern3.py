"""MoGo's pattern moves beside the last move."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, WALL
from kikashi.board.position import Board
from kikashi.board.queries import is_self_atari
from kikashi.compiling import inlined
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic
from kikashi.playout.patterns import AROUND, TABLE, code_at
from kikashi.playout.simulation import Simulation, last_move

LOWEST = np.array([0] + [(bits & -bits).bit_length() - 1 for bits in range(1, 256)], np.int64)
"""The number of the lowest bit set."""


@inlined
def _matches_beside(board: Board, last: int, offset: int, color: int) -> int:
    """1 if the point beside the last move is empty and matches, else 0. Without a branch: it could not be predicted."""
    p = last + offset
    here = board.color[np.uintp(p)]
    p = last if here == WALL else p  # a wall has no eight neighbours
    return np.int64((here == EMPTY) & ((TABLE[np.uintp(code_at(board, p))] & color) != 0))


@heuristic(source="Gelly et al. 2006, §3.2")
def pattern3(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play a 3x3 pattern among the eight points around the last move, if it is not self-atari."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    own = board.to_play
    matching = np.int64(0)
    for i in range(8):
        matching |= _matches_beside(board, last, AROUND[i], own) << i
    while matching != 0:
        p = last + AROUND[LOWEST[np.uintp(matching)]]
        if not is_self_atari(board, p, own, sim.found):
            mark(moves, p)
        matching &= matching - 1
