"""MoGo's 3x3 patterns (Gelly et al. 2006, §3.2, figures 5–8), compiled from diagrams into one table.

X and O are stones of opposite colours, ``.`` is empty, ``?`` any of the three, ``x`` not X, ``o`` not O, ``#`` off the
board. The move is the centre. All rotations and reflections and the exchange of colours count.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, STRIDE, WALL, WHITE
from kikashi.board.position import Board
from kikashi.board.queries import is_self_atari
from kikashi.jit import inlined
from kikashi.playout.candidates import Candidates, is_listed, mark
from kikashi.playout.simulation import Simulation

AROUND = (STRIDE, STRIDE + 1, 1, 1 - STRIDE, -STRIDE, -STRIDE - 1, -1, STRIDE - 1)
"""Offsets of the eight neighbours, clockwise from the north. A code has two bits for each, the north's lowest."""
LOWEST = np.array([0] + [(bits & -bits).bit_length() - 1 for bits in range(1, 256)], np.int64)
"""By eight bits: the number of the lowest one that is set."""


class Pattern(NamedTuple):
    """A diagram by rows, the top first. None of `but_not` may match in the same orientation and colours."""

    name: str
    rows: str
    but_not: tuple[str, ...] = ()
    only_x: bool = False
    """Whether only the player of X may use it."""


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
    """Return all rings of eight colours, clockwise from the north, that match a diagram as it is written."""
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
    """Return by code the players for whom a pattern matches: BLACK, WHITE, both or EMPTY."""
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
    """Return the code of the eight neighbours of `p`."""
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
    """Return whether a pattern matches for `color` at the empty point `p`."""
    return TABLE[np.uintp(code_at(board, p))] & color != 0


@inlined
def mark_patterns_around(sim: Simulation, moves: Candidates, center: int) -> None:
    """Mark the points around a move, clockwise from the north, where a pattern matches that is no self-atari."""
    board, color = sim.board, sim.board.to_play
    matching, is_first = np.int64(0), moves.count == 0
    if center != PASS:
        for i in range(8):  # without a branch, which could not be predicted
            p = center + AROUND[i]
            here = board.color[np.uintp(p)]
            p = center if here == WALL else p  # a wall has no eight neighbours
            matches_here = (here == EMPTY) & ((TABLE[np.uintp(code_at(board, p))] & color) != 0)
            matching |= np.int64(matches_here) << i
    while matching != 0:
        p = center + AROUND[LOWEST[np.uintp(matching)]]
        if not is_self_atari(board, p, color, sim.found) and (is_first or not is_listed(moves, p)):
            mark(moves, p)
        matching &= matching - 1
