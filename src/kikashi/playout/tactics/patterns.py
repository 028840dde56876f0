"""MoGo's 3x3 patterns (Gelly et al. 2006, §3.2, figures 5–8), compiled from their diagrams into one table, and the
moves that they propose.

X and O are stones of opposite colours, ``.`` is empty, ``?`` any of the three, ``x`` not X, ``o`` not O, ``#`` off the
board. The move is the centre. All rotations, reflections and the exchange of colours count.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, STRIDE, WALL, WHITE
from kikashi.board.position import Board
from kikashi.board.queries import is_self_atari
from kikashi.jit import inlined
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.simulation import Simulation, last_move

AROUND = (STRIDE, STRIDE + 1, 1, 1 - STRIDE, -STRIDE, -STRIDE - 1, -1, STRIDE - 1)
"""The eight neighbours, clockwise from the north: two bits of a code for each, the north's lowest."""


class Pattern(NamedTuple):
    """A diagram by rows, the top first; `but_not` must not match in the same orientation and colours."""

    name: str
    rows: str
    but_not: tuple[str, ...] = ()
    only_x: bool = False
    """Only the player of X may use it."""


PATTERNS = (
    Pattern("hane 1", "XOX/.../???"),
    Pattern("hane 2", "XO./.../?.?"),
    Pattern("hane 3", "XO?/X../?.?"),
    Pattern("hane 4", "XOO/.../?.?", only_x=True),
    Pattern("cut 1", "XO?/O.?/???", but_not=("XO?/O.O/?.?", "XO?/O../?O?")),
    Pattern("cut 2", "?X?/O.O/ooo"),
    Pattern("side 1", "X.?/O.?/###"),
    Pattern("side 2", "?X?/O.x/###"),
    Pattern("side 3", "?XO/?.?/###", only_x=True),
    Pattern("side 4", "?OX/?.o/###", only_x=True),
    Pattern("side 5", "?OX/X.O/###", only_x=True),
)

_X, _O = BLACK, WHITE
_MEANING = {
    "X": (_X,),
    "O": (_O,),
    ".": (EMPTY,),
    "?": (EMPTY, _X, _O),
    "x": (EMPTY, _O),
    "o": (EMPTY, _X),
    "#": (WALL,),
}
_EXCHANGED = {EMPTY: EMPTY, BLACK: WHITE, WHITE: BLACK, WALL: WALL}
_RING = ((0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (0, 0))
"""Rows and columns of a diagram in the order of AROUND."""


def neighbourhoods(rows: str) -> set[tuple[int, ...]]:
    """All rings of eight colours, from the north clockwise, that a diagram stands for as it is written."""
    cells = rows.split("/")
    return set(product(*(_MEANING[cells[row][column]] for row, column in _RING)))


def _symmetries(ring: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for turns in range(0, 8, 2):
        turned = ring[turns:] + ring[:turns]
        yield turned
        yield turned[:1] + turned[:0:-1]


def _code(ring: tuple[int, ...]) -> int:
    return sum(color << 2 * i for i, color in enumerate(ring))


def _compile() -> np.ndarray:
    """By code: BLACK, WHITE, both or EMPTY, for whom some pattern holds."""
    table = np.zeros(1 << 16, np.uint8)
    for pattern in PATTERNS:
        rings = neighbourhoods(pattern.rows).difference(*map(neighbourhoods, pattern.but_not))
        for ring in {image for written in rings for image in _symmetries(written)}:
            exchanged = tuple(_EXCHANGED[color] for color in ring)
            table[_code(ring)] |= _X if pattern.only_x else _X | _O
            table[_code(exchanged)] |= _O if pattern.only_x else _X | _O
    return table


TABLE = _compile()


@inlined
def code_at(board: Board, p: int) -> int:
    """The code of the eight neighbours of `p`."""
    color = board.color
    p = np.int64(p)
    return (
        np.int64(color[np.uintp(p + STRIDE)])
        | np.int64(color[np.uintp(p + STRIDE + 1)]) << 2
        | np.int64(color[np.uintp(p + 1)]) << 4
        | np.int64(color[np.uintp(p - STRIDE + 1)]) << 6
        | np.int64(color[np.uintp(p - STRIDE)]) << 8
        | np.int64(color[np.uintp(p - STRIDE - 1)]) << 10
        | np.int64(color[np.uintp(p - 1)]) << 12
        | np.int64(color[np.uintp(p + STRIDE - 1)]) << 14
    )


@inlined
def matches(board: Board, p: int, color: int) -> bool:
    """Whether a pattern holds for `color` at the empty point `p`."""
    return TABLE[np.uintp(code_at(board, p))] & color != 0


# --- beside the last move ---------------------------------------------------------------------------------------------

LOWEST = np.array([0] + [(bits & -bits).bit_length() - 1 for bits in range(1, 256)], np.int64)
"""The number of the lowest bit set."""


@inlined
def _matches_beside(board: Board, last: int, offset: int, color: int) -> int:
    """1 if the point beside the last move is empty and matches, else 0. Without a branch: it could not be predicted."""
    p = last + offset
    here = board.color[np.uintp(p)]
    p = last if here == WALL else p  # a wall has no eight neighbours
    return np.int64((here == EMPTY) & ((TABLE[np.uintp(code_at(board, p))] & color) != 0))


@inlined
def matches_around(board: Board, center: int, color: int) -> int:
    """Which of the eight points around a point of the board are empty and match for `color`: a bit for each, in the
    order of AROUND."""
    matching = np.int64(0)
    for i in range(8):
        matching |= _matches_beside(board, center, AROUND[i], color) << i
    return matching


@inlined
def mark_patterns_beside_last(sim: Simulation, moves: Candidates) -> None:
    """Mark the points around the last move, clockwise from the north, where a pattern holds and which are not
    self-atari."""
    last = last_move(sim, 1)
    matching = matches_around(sim.board, last, sim.board.to_play) if last != PASS else np.int64(0)
    while matching != 0:
        p = last + AROUND[LOWEST[np.uintp(matching)]]
        if not is_self_atari(sim.board, p, sim.board.to_play, sim.found):
            mark(moves, p)
        matching &= matching - 1
