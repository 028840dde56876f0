"""MoGo's patterns (Gelly et al. 2006, §3.2) and its later heuristics (Chaslot et al. 2009; Baier 2010, §3.4.1)."""

from itertools import product
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, STRIDE, WHITE
from kikashi.board.position import Board, neighbours
from kikashi.board.queries import find_liberties_after, holds, is_self_atari
from kikashi.board.rng import random_below
from kikashi.jit import kernel
from kikashi.playout.candidates import Candidates, mark, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import AROUND, LOWEST, code_at, mark_patterns_around, matches

LATER = "Baier 2010, §3.4.1 (Chaslot et al. 2009)"


@heuristic(source="Gelly et al. 2006, §3.2", limits={"last": (1, 2)}, last=1)
def pattern3(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play a 3x3 pattern among the eight points around the last move, or around each of the last two, if it is not
    self-atari."""
    for back in range(1, my.last + 1):
        mark_patterns_around(sim, moves, last_move(sim, back))


@heuristic(source=LATER, tries=5)
def fill_board(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Try a few random points of the board; play the first that is empty with only empty points around it."""
    board = sim.board
    size = np.int64(board.size)
    for _ in range(my.tries):
        at = random_below(sim, size * size)
        p = (at // size + 1) * STRIDE + at % size + 1
        if board.color[np.uintp(p)] == EMPTY and code_at(board, p) == 0:
            mark(moves, p)
            return


@heuristic(source=LATER)
def approach_move(sim: Simulation, moves: Candidates, my: Any) -> None:
    """If a pattern beside the last move would be self-atari, play the liberty that the stone would be left with, so
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


# --- nakade -----------------------------------------------------------------------------------------------------------

LARGEST = 6
SHAPES = np.zeros((LARGEST + 1, 2 * LARGEST + 3), np.int64)
"""By number of points of an eye and of adjacent pairs among them: the neighbours that its vital point has inside; 0 if
such eyes have no vital point or more than one."""
SHAPES[3, 2] = 2  # a row or a bend
SHAPES[4, 3] = 3  # three around one; a row and a zigzag have as many pairs, but no such point
SHAPES[5, 4] = 4  # a cross
SHAPES[5, 5] = 3  # a square and one more, the bulky five
SHAPES[6, 6] = 4  # a square and two more, the rabbity six


def _starts(own: int) -> np.ndarray:
    """Return by code of the eight points around the last move the starts of eyes, a bit for each.

    A start is the first point of a row of at most three empty points, around a corner, without a stone of `own` beside
    it. Longer rows belong to no eye of SHAPES.
    """
    codes = np.arange(1 << 16)
    around = [(codes >> 2 * i) & 3 for i in range(8)]
    closed = [(color != EMPTY) & (color != own) for color in around]
    table = np.zeros(1 << 16, np.uint8)
    for first, length in product(range(8), (1, 2, 3)):
        row = [(first + i) % 8 for i in range(length)]
        found = closed[first - 1] & closed[(first + length) % 8]
        for i in row:
            found &= around[i] == EMPTY
        table[found] |= 1 << min(row)
    return table


STARTS = np.stack([np.zeros(1 << 16, np.uint8), _starts(BLACK), _starts(WHITE)])


@heuristic(source=LATER, limits={"largest": (3, LARGEST)}, largest=3)
def nakade(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the vital point of an enemy eye that touches the last move or one of its diagonals: the middle of three
    points or, up to `largest` points, of those shapes of four, five and six that one move keeps from being two eyes."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    starts = np.int64(STARTS[np.uintp(board.to_play), np.uintp(code_at(board, last))])
    while starts != 0:
        p = last + AROUND[LOWEST[np.uintp(starts)]]
        starts &= starts - 1
        count = _find_eye(board, p, board.to_play, sim.found, my.largest)
        if count >= 3:
            vital = _vital_point(board, sim.found, count)
            if vital != PASS:
                mark_once(moves, vital)


@kernel
def _find_eye(board: Board, start: int, own: int, region: np.ndarray, largest: int) -> int:
    """Write the empty region of `start` into `region` and return its number of points; 0 if it has more than `largest`
    or a stone of `own` beside it."""
    region[0] = start
    count, done = 1, 0
    while done < count:
        p = np.int64(region[done])
        done += 1
        for q in neighbours(p):
            color = board.color[q]
            if color == EMPTY and not holds(region, count, q):
                region[count] = q
                count += 1
            elif color == own:
                return 0
        if count > largest:
            return 0
    return count


@kernel
def _vital_point(board: Board, region: np.ndarray, count: int) -> int:
    """Return the vital point of an eye; PASS if it is none of SHAPES."""
    vital, most, pairs = np.int64(PASS), 0, 0
    for i in range(count):
        p = np.int64(region[i])
        inside = 0
        for q in neighbours(p):
            inside += board.color[q] == EMPTY
        pairs += inside
        if inside > most:
            vital, most = p, inside
    return vital if most == SHAPES[count, pairs // 2] else np.int64(PASS)
