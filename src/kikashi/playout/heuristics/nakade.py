"""Nakade: the one point that keeps an eye from being made two."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, WHITE
from kikashi.board.position import Board, east, north, south, west
from kikashi.board.queries import holds
from kikashi.jit import kernel
from kikashi.playout.candidates import Candidates, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.patterns import AROUND, LOWEST, code_at

LARGEST = 6
SHAPES = np.zeros((LARGEST + 1, 2 * LARGEST + 3), np.int64)
"""By points of an eye and by pairs of neighbours among them: the neighbours that its vital point has inside; 0 if such
eyes have none, or more than one point would do."""
SHAPES[3, 2] = 2  # a row or a bend
SHAPES[4, 3] = 3  # three around one; a row and a zigzag have the same pairs, but no such point
SHAPES[5, 4] = 4  # a cross
SHAPES[5, 5] = 3  # a square and one more, the bulky five
SHAPES[6, 6] = 4  # a square and two more, the rabbity six


def _starts(own: int) -> np.ndarray:
    """By code of the eight points around the last move: a bit for the first point of each row of empty ones, at most
    three around a corner, that no stone of `own` is beside. Larger rows are of no eye in SHAPES, and of none with three
    points."""
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


@heuristic(source="Baier 2010, §3.4.1 (Chaslot et al. 2009)", limits={"largest": (3, LARGEST)}, largest=3)
def nakade(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play at the vital point of an eye of the opponent that touches the last move or one of its diagonals: the middle
    of three points and, if `largest` says so, of those shapes of four, five and six points that one move keeps from
    being two eyes."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    starts = np.int64(STARTS[np.uintp(board.to_play), np.uintp(code_at(board, last))])
    while starts != 0:
        p = last + AROUND[LOWEST[np.uintp(starts)]]
        starts &= starts - 1
        count = _eye_of(board, p, board.to_play, sim.found, my.largest)
        if count >= 3:
            vital = _vital_point(board, sim.found, count)
            if vital != PASS:
                mark_once(moves, vital)


@kernel
def _eye_of(board: Board, start: int, own: int, region: np.ndarray, largest: int) -> int:
    """Write the empty region of `start` into `region` and return how many points it has; 0 if there are more than
    `largest`, or if a stone of `own` is beside one of them."""
    region[0] = start
    count, done = 1, 0
    while done < count:
        p = np.int64(region[done])
        done += 1
        for q in (north(p), east(p), south(p), west(p)):
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
    """The vital point of an eye that is one of SHAPES; PASS if it is none."""
    vital, most, pairs = np.int64(PASS), 0, 0
    for i in range(count):
        p = np.int64(region[i])
        inside = 0
        for q in (north(p), east(p), south(p), west(p)):
            inside += board.color[q] == EMPTY
        pairs += inside
        if inside > most:
            vital, most = p, inside
    return vital if most == SHAPES[count, pairs // 2] else np.int64(PASS)
