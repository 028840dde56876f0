"""Simple knowledge, mostly for priors: these heuristics look at every empty point, or near the last move."""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, STRIDE
from kikashi.board.queries import captures, has_stone_within, is_self_atari, line_of
from kikashi.playout.candidates import Candidates, add, mark
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import AROUND, matches


@heuristic(source="our own")
def self_atari(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Propose all moves that leave their chain at most one liberty and capture nothing: for virtual losses."""
    board = sim.board
    own = board.to_play
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if is_self_atari(board, p, own, sim.found) and captures(board, p, own) == 0:
            mark(moves, p)


@heuristic(source="our own", lines=1, reach=3)
def empty_edge(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Propose points on the outermost lines without a stone within reach: for virtual losses."""
    board = sim.board
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if line_of(p, board.size) <= my.lines and not has_stone_within(board, p, my.reach):
            mark(moves, p)


@heuristic(source="our own", line=3, reach=3)
def empty_area(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Propose points on one line, such as the third, without a stone within reach: good opening moves."""
    board = sim.board
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if line_of(p, board.size) == my.line and not has_stone_within(board, p, my.reach):
            mark(moves, p)


@heuristic(source="our own", near=1.0, middle=0.9, far=0.3)
def near_last_move(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Propose points one, two and three steps from the last move, diagonal steps included, each with its weight."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        distance = max(abs(p // STRIDE - last // STRIDE), abs(p % STRIDE - last % STRIDE))
        if distance <= 3:
            add(moves, p, my.near if distance <= 1 else my.middle if distance == 2 else my.far)


@heuristic(source="our own, after Gelly et al. 2006, §3.2")
def any_pattern3(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Propose all points of the board where a 3x3 pattern matches that is not self-atari."""
    board = sim.board
    own = board.to_play
    for i in range(board.empty_count):
        p = np.int64(board.empty[np.uintp(i)])
        if matches(board, p, own) and not is_self_atari(board, p, own, sim.found):
            mark(moves, p)


@heuristic(source="Baier 2010, §3.4.1 (Chaslot et al. 2007)", factor=20.0)
def proximity(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Weigh the eight points around the last move `factor` times as much as others: Mango's proximity factor."""
    moves.base = 1.0
    last = last_move(sim, 1)
    if last == PASS:
        return
    for i in range(8):
        p = last + AROUND[i]
        if sim.board.color[np.uintp(p)] == EMPTY:
            add(moves, p, my.factor)
