"""Attack and defence of chains with two liberties beside the last move.

A chain with two liberties is one move from atari: its owner wants to extend where it gains liberties, and the opponent
wants to play at that very point. Only chains that the last move touches are examined, and most of them are rejected
without a walk over their stones (`kikashi.board.two_liberties`).
"""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, STRIDE
from kikashi.board.queries import is_self_atari
from kikashi.board.two_liberties import gains_liberties, liberty_pair, may_have_two_liberties
from kikashi.jit import kernel
from kikashi.playout.candidates import Candidates, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import LOWEST

BESIDE = (STRIDE, 1, -STRIDE, -1, 0)
"""Offsets from the last move: its neighbours clockwise from the north, and itself. Each has a bit."""
NEIGHBOURS, LAST = 0b01111, 0b10000


@heuristic(source="our own, after the low liberty moves of other programs", attack=True, defend=True)
def two_liberties(sim: Simulation, moves: Candidates, my: Any) -> None:
    """If the chain of the last move, or an own chain beside it, has two liberties, play one of them at which its owner
    would get three or more, unless that is self-atari."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    weak = np.int64(board.color[np.uintp(last)] != EMPTY) * may_have_two_liberties(board, last) << 4
    for i in range(4):
        p = last + BESIDE[i]
        weak |= (np.int64(board.color[np.uintp(p)] == board.to_play) & may_have_two_liberties(board, p)) << i
    weak &= (LAST if my.attack else 0) | (NEIGHBOURS if my.defend else 0)
    while weak != 0:
        _mark_good_liberties(sim, moves, last + BESIDE[LOWEST[np.uintp(weak)]])
        weak &= weak - 1


@kernel
def _mark_good_liberties(sim: Simulation, moves: Candidates, stone: int) -> None:
    """Mark the liberties of a chain, if it has two, at which its owner would gain liberties, but for self-atari."""
    a, b = liberty_pair(sim.board, stone)
    if a != PASS:
        _mark_if_good(sim, moves, stone, a, b)
        _mark_if_good(sim, moves, stone, b, a)


@kernel
def _mark_if_good(sim: Simulation, moves: Candidates, stone: int, p: int, other: int) -> None:
    board = sim.board
    own = board.to_play
    is_safe = board.color[np.uintp(stone)] == own  # a chain that gains liberties is not in atari
    if gains_liberties(board, stone, p, other, sim.found) and (is_safe or not is_self_atari(board, p, own, sim.found)):
        mark_once(moves, p)
