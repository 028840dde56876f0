"""Two heuristics that MoGo gained later, as it did `nakade` (Chaslot et al. 2009, as Baier 2010, §3.4.1 tells them)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, STRIDE
from kikashi.board.queries import find_liberties_after, is_self_atari
from kikashi.board.rng import random_below
from kikashi.playout.candidates import Candidates, mark, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import AROUND, code_at, matches


@heuristic(source="Baier 2010, §3.4.1 (Chaslot et al. 2009)", tries=5)
def fill_board(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Try a few random points of the board; take the first that is empty with nothing but empty points around it."""
    board = sim.board
    size = np.int64(board.size)
    for _ in range(my.tries):
        at = random_below(sim, size * size)
        p = (at // size + 1) * STRIDE + at % size + 1
        if board.color[np.uintp(p)] == EMPTY and code_at(board, p) == 0:
            mark(moves, p)
            return


@heuristic(source="Baier 2010, §3.4.1 (Chaslot et al. 2009)")
def approach_move(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Where a pattern beside the last move would be self-atari, play the liberty that the stone would be left with, so
    that the pattern can follow: our reading of "exceptions to the pattern matching rule"."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    own = board.to_play
    for i in range(8):
        p = last + AROUND[i]
        if board.color[np.uintp(p)] != EMPTY or not matches(board, p, own):
            continue
        if find_liberties_after(board, p, own, sim.found, 2) == 1:
            approach = np.int64(sim.found[0])
            if board.color[np.uintp(approach)] == EMPTY and not is_self_atari(board, approach, own, sim.found):
                mark_once(moves, approach)
