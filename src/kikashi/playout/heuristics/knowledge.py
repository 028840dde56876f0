"""Knowledge for the tree rather than for playouts: what a player sees at a glance. These look at every empty point."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import PASS, STRIDE
from kikashi.board.queries import captures, has_stone_within, is_self_atari, line_of
from kikashi.jit import kernel
from kikashi.playout.candidates import Candidates, add, mark
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import matches


@heuristic(source="our own")
def self_atari(sim: Simulation, moves: Candidates, my: Any) -> None:
    """All moves that leave the own chain with one liberty at most, unless they capture: for virtual losses."""
    board = sim.board
    own = board.to_play
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if is_self_atari(board, p, own, sim.found) and captures(board, p, own) == 0:
            mark(moves, p)


@heuristic(source="our own", lines=1, reach=3)
def empty_edge(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Points on the outermost lines that have no stone within reach: for virtual losses."""
    board = sim.board
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if line_of(p, board.size) <= my.lines and not has_stone_within(board, p, my.reach):
            mark(moves, p)


@heuristic(source="our own", line=3, reach=3)
def empty_area(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Points on one line, the third say, that have no stone within reach: good places to begin something."""
    board = sim.board
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if line_of(p, board.size) == my.line and not has_stone_within(board, p, my.reach):
            mark(moves, p)


@heuristic(source="our own", near=1.0, middle=0.9, far=0.3)
def near_last_move(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Points beside the last move, two steps from it and three steps from it, each kind with its weight."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        distance = _distance(p, last)
        if distance <= 3:
            add(moves, p, my.near if distance <= 1 else my.middle if distance == 2 else my.far)


@heuristic(source="our own, after Gelly et al. 2006, §3.2")
def any_pattern3(sim: Simulation, moves: Candidates, my: Any) -> None:
    """All points of the board where a 3x3 pattern holds and which are not self-atari."""
    board = sim.board
    own = board.to_play
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if matches(board, p, own) and not is_self_atari(board, p, own, sim.found):
            mark(moves, p)


@kernel
def _distance(p: int, q: int) -> int:
    """Steps from one point to another, a diagonal step counting as one."""
    return max(abs(p // STRIDE - q // STRIDE), abs(p % STRIDE - q % STRIDE))
