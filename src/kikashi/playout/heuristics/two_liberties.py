"""Chains with two liberties beside the last move: attacked and defended where that decides.

A chain with two liberties is one move from atari, so its owner wants to extend where it gains liberties, and the
opponent wants to play just there. A move can only have changed chains that it touches, so these are looked at and no
others; most of them are passed by without a look at their stones (`kikashi.board.two_liberties`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, STRIDE
from kikashi.board.position import Board
from kikashi.board.queries import is_self_atari
from kikashi.board.two_liberties import gains_liberties, liberty_pair, may_have_two_liberties
from kikashi.jit import inlined, kernel
from kikashi.playout.candidates import Candidates, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import LOWEST

BESIDE = (STRIDE, 1, -STRIDE, -1, 0)
"""The neighbours of the last move clockwise from the north, a bit for each, and the last move itself."""
NEIGHBOURS, LAST = 0b01111, 0b10000


@heuristic(source="our own, after the low liberty moves of other programs", attack=True, defend=True)
def two_liberties(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Where the last move or an own chain beside it has two liberties: play at one of them, if its owner would have
    three or more by playing there and it is not self-atari."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    weak = np.int64(board.color[np.uintp(last)] != EMPTY) * may_have_two_liberties(board, last) << 4
    for i in range(4):
        weak |= _is_weak(board, last + BESIDE[i], board.to_play) << i
    weak &= (LAST if my.attack else 0) | (NEIGHBOURS if my.defend else 0)
    while weak != 0:
        _mark_good_liberties(sim, moves, last + BESIDE[LOWEST[np.uintp(weak)]])
        weak &= weak - 1


@inlined
def _is_weak(board: Board, p: int, own: int) -> int:
    """1 if a stone of `own` is there whose chain may have two liberties, else 0."""
    return np.int64(board.color[np.uintp(p)] == own) & may_have_two_liberties(board, p)


@kernel
def _mark_good_liberties(sim: Simulation, moves: Candidates, stone: int) -> None:
    """Mark the liberties of a chain, if it has two, where its owner would gain and the side to play may go."""
    a, b = liberty_pair(sim.board, stone)
    if a != PASS:
        _mark_if_good(sim, moves, stone, a, b)
        _mark_if_good(sim, moves, stone, b, a)


@kernel
def _mark_if_good(sim: Simulation, moves: Candidates, stone: int, p: int, other: int) -> None:
    board = sim.board
    own = board.to_play
    is_safe = board.color[np.uintp(stone)] == own  # who gains is not in atari
    if gains_liberties(board, stone, p, other, sim.found) and (is_safe or not is_self_atari(board, p, own, sim.found)):
        mark_once(moves, p)
