"""Feasibility rules: they exclude moves from playouts and from the tree."""

from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import empty_neighbours, has_empty_neighbour, in_atari, neighbours, surrounding
from kikashi.board.queries import (
    KNIGHT,
    LARGE_KNIGHT,
    has_stone_beside,
    has_stone_in,
    is_eyelike,
    line_of,
    only_liberty_after,
)
from kikashi.board.rng import random_unit
from kikashi.playout.kinds import feasibility
from kikashi.playout.simulation import Simulation
from kikashi.playout.tactics.self_atari import is_bad_if_self_atari, is_bad_self_atari, is_in_eye_of_two


@feasibility(surrounded_only=True)
def legal(sim: Simulation, point: int, my: Any) -> bool:
    """Allow every legal move, even those that fill own eyes: for trees that must miss nothing."""
    return True


@feasibility(surrounded_only=True, source="Gelly et al. 2006, §3.2")
def eyelike(sim: Simulation, point: int, my: Any) -> bool:
    """Allow all points but those that look like an own eye."""
    return not is_eyelike(sim.board, point, sim.board.to_play)


@feasibility(crowded_only=True, source="our own", limits={"rate": (0, 1)}, rate=1.0)
def careful(sim: Simulation, point: int, my: Any) -> bool:
    """Allow all points but eye-like ones and, with probability `rate`, self-ataris that are no throw-in, snapback or
    nakade: for playouts of a tree that has another rule."""
    board = sim.board
    own = np.int64(board.to_play)
    if empty_neighbours(board, point) >= 2:
        return True
    if is_eyelike(board, point, own):
        return False
    return not is_bad_self_atari(board, point, own, True) or (my.rate < 1.0 and random_unit(sim) >= my.rate)


@feasibility(surrounded_only=True, source="our own")
def wary(sim: Simulation, point: int, my: Any) -> bool:
    """Allow all points but eye-like ones; of uniform draws refuse also self-ataris that are no throw-in, snapback,
    nakade or stone in an eye of two points: heuristics know self-atari themselves, and the tree misses nothing."""
    return not is_eyelike(sim.board, point, sim.board.to_play)


@wary.draw
def _draw(sim: Simulation, point: int, my: Any) -> bool:
    board = sim.board
    own = np.int64(board.to_play)
    if is_eyelike(board, point, own):
        return False
    left = only_liberty_after(board, point, own)
    if left == PASS or is_in_eye_of_two(board, point, left, own):
        return True
    return not is_bad_if_self_atari(board, point, left, own, False)


@feasibility(surrounded_only=True, source="Yoshizoe et al. 2006, The Game of Go")
def same_block(sim: Simulation, point: int, my: Any) -> bool:
    """Allow all points but eyes: single empty points that are surrounded by one own block and walls."""
    board = sim.board
    if surrounding(board, point) & board.to_play == 0:
        return True
    block = np.int64(0)
    for q in neighbours(point):
        if board.color[q] == board.to_play:
            if block != 0 and block != board.chain[q]:
                return True
            block = np.int64(board.chain[q])
    return False


@feasibility(surrounded_only=True, source="Coulom 2006, A.1")
def coulom(sim: Simulation, point: int, my: Any) -> bool:
    """Allow all points but those surrounded by own stones none of which is in atari; diagonals do not matter."""
    board = sim.board
    own = board.to_play
    if surrounding(board, point) & own == 0:
        return True
    for q in neighbours(point):
        if board.color[q] == own and in_atari(board, q):
            return True
    return False


@feasibility(source="Baier 2010, §7.2 (Orego 6.10)")
def orego(sim: Simulation, point: int, my: Any) -> bool:
    """Allow points that are not eye-like, on the third or fourth line or in the knight's neighbourhood of a stone."""
    board = sim.board
    if not has_empty_neighbour(board, point):  # then a stone is beside it
        return not is_eyelike(board, point, board.to_play)
    if has_stone_beside(board, point):
        return True
    line = line_of(point, board.size)
    return line == 3 or line == 4 or has_stone_in(board, point, KNIGHT)


@feasibility(source="Baier 2010, §7.2 (F-a)")
def orego_a(sim: Simulation, point: int, my: Any) -> bool:
    """Allow points that are not eye-like, off the first line or in the large knight's neighbourhood of a stone."""
    if is_eyelike(sim.board, point, sim.board.to_play):
        return False
    return line_of(point, sim.board.size) != 1 or has_stone_in(sim.board, point, LARGE_KNIGHT)


@feasibility(surrounded_only=True, source="Baier 2010, §7.2 (F-b)")
def orego_b(sim: Simulation, point: int, my: Any) -> bool:
    """Allow all points but eye-like ones, as `eyelike` does."""
    return not is_eyelike(sim.board, point, sim.board.to_play)
