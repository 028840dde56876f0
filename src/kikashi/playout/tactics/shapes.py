"""The shapes around a move: what is on the nearest points, and which neighbours are in atari, as one integer.

Rings are by the distance dx + dy + max(dx, dy), as in Coulom 2007: 4 points, 8 (the 3x3 square), 12, 20, 28. A key
has two bits for each of them, from the side of who is to play: 0 empty, 1 own, 2 the opponent's, 3 off the board; and
above these one bit for each of the four neighbours that is in atari. So a key is a whole picture, and no two shapes
share one. The eight orientations of a shape have eight keys; the smallest is its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kikashi.board.points import (
    BLACK,
    EMPTY,
    MAX_SIZE,
    PASS,
    POINTS,
    STRIDE,
    WALL,
    WHITE,
    column_of,
    point,
    points_of,
    row_of,
)
from kikashi.board.position import Board, in_atari
from kikashi.jit import kernel

REACH = 3
RINGS = (4, 8, 12, 20, 28)
"""By number of rings, less one: how many points they have."""
BESIDE = 4
"""The points that may be in atari: those next to the move."""


@dataclass(frozen=True)
class Keys:
    """Levels of a feature that have no names: any integers of 0 or more. Both get the values of its parameters too."""

    images: Callable[[np.ndarray, Mapping[str, Any]], np.ndarray]
    """Keys that mean the same as these, a row for each way to see them: their weights are one. The smallest is kept."""
    rows: Callable[[int, Mapping[str, Any]], list[str]] | None = None
    """A picture of a key, for reports: ``X`` own, ``O`` the opponent's, ``.`` empty, ``#`` off the board, ``*`` the
    move, ``@`` the last one, ``x`` and ``o`` in atari, a blank for what is not known."""


def distance(y: int, x: int) -> int:
    """How far a point is that many rows and columns away."""
    return abs(x) + abs(y) + max(abs(x), abs(y))


def _offsets() -> list[tuple[int, int]]:
    near = range(-REACH, REACH + 1)
    found = [(y, x) for y in near for x in near if 0 < distance(y, x) <= 2 * REACH]
    return sorted(found, key=lambda offset: (distance(*offset), offset))


OFFSETS = _offsets()
"""Rows and columns from a move to the points around it, the nearest first."""


def _places() -> np.ndarray:
    table = np.zeros((POINTS, len(OFFSETS)), np.uint16)
    for p in points_of(MAX_SIZE):
        for i, (y, x) in enumerate(OFFSETS):
            row, column = row_of(p) + y, column_of(p) + x
            if 1 <= row <= MAX_SIZE and 1 <= column <= MAX_SIZE:
                table[p, i] = point(column, row)
    return table


NEAREST = _places()
"""By point of the largest board: the points around it, 0 where that is off the board."""
PLACES = np.zeros((2 * REACH + 1, 2 * REACH + 1), np.int64)
"""By rows and columns from a move, plus REACH: the number of the point, 1 for the nearest; 0 if it is too far."""
for _number, (_y, _x) in enumerate(OFFSETS, 1):
    PLACES[_y + REACH, _x + REACH] = _number
SEEN = np.array([[0, 0, 0, 0], [EMPTY, 1, 2, WALL], [EMPTY, 2, 1, WALL]], np.int64)
"""By who is to play and by colour: what it is in a key."""
assert (BLACK, WHITE) == (1, 2)


@kernel
def shape_key(board: Board, p: int, rings: int) -> int:
    """The key of some rings of points around the empty point `p`, for the side to play."""
    own = np.uintp(board.to_play)
    size = RINGS[rings - 1]
    key = np.int64(0)
    for i in range(size):
        q = NEAREST[np.uintp(p), np.uintp(i)]
        color = board.color[q]
        key |= SEEN[own, color] << (2 * i)
        if i < BESIDE and (color == BLACK or color == WHITE) and in_atari(board, q):
            key |= np.int64(1) << (2 * size + i)
    return key


@kernel
def reply_key(board: Board, p: int, last: int, rings: int) -> int:
    """The key of the shape around `p` and, above it, where the last move is: 1 for the first of the points around it. 0
    if it is none of them."""
    y, x = last // STRIDE - p // STRIDE, last % STRIDE - p % STRIDE
    if last == PASS or max(abs(y), abs(x)) > REACH:
        return np.int64(0)
    place = PLACES[y + REACH, x + REACH]
    return shape_key(board, p, rings) | (place << (2 * RINGS[rings - 1] + BESIDE)) if place > 0 else np.int64(0)


@cache
def _turned(size: int) -> list[list[int]]:
    """For each orientation: by place in a key, the place that comes there."""
    signs = [(a, b) for a in (1, -1) for b in (1, -1)]
    straight = [[OFFSETS.index((a * y, b * x)) for y, x in OFFSETS[:size]] for a, b in signs]
    return straight + [[OFFSETS.index((a * x, b * y)) for y, x in OFFSETS[:size]] for a, b in signs]


def shape_images(keys: np.ndarray, values: Mapping[str, Any]) -> np.ndarray:
    """The keys of the eight orientations of shapes: eight rows."""
    size = RINGS[int(values["rings"]) - 1]
    images = np.zeros((8, keys.size), np.int64)
    for image, places in zip(images, _turned(size), strict=True):
        for i, place in enumerate(places):
            image |= ((keys >> (2 * place)) & 3) << (2 * i)
            if i < BESIDE:
                image |= ((keys >> (2 * size + place)) & 1) << (2 * size + i)
    return images


def reply_images(keys: np.ndarray, values: Mapping[str, Any]) -> np.ndarray:
    """The keys of the eight orientations of shapes with the last move."""
    above = 2 * RINGS[int(values["rings"]) - 1] + BESIDE
    last = keys >> above
    images = shape_images(keys & ((1 << above) - 1), values)
    for image, places in zip(images, _turned(len(OFFSETS)), strict=True):
        turned = np.concatenate([[0], np.argsort(places) + 1])
        image |= turned[last] << above
    return images


def shape_rows(key: int, values: Mapping[str, Any]) -> list[str]:
    """A picture of a shape, the top row first."""
    return _drawn(key, RINGS[int(values["rings"]) - 1])


def reply_rows(key: int, values: Mapping[str, Any]) -> list[str]:
    """A picture of a shape with the last move as ``@``."""
    size = RINGS[int(values["rings"]) - 1]
    return _drawn(key, size, key >> (2 * size + BESIDE))


def _drawn(key: int, size: int, last: int = 0) -> list[str]:
    shown = max(size, next((points for points in RINGS if points >= last), size))
    reach = max(abs(y) for y, _ in OFFSETS[:shown])
    grid = [[" "] * (2 * reach + 1) for _ in range(2 * reach + 1)]
    grid[reach][reach] = "*"
    for i, (y, x) in enumerate(OFFSETS[:size]):
        in_danger = i < BESIDE and (key >> (2 * size + i)) & 1
        grid[reach - y][reach + x] = (".xo#" if in_danger else ".XO#")[(key >> (2 * i)) & 3]
    if last:
        y, x = OFFSETS[last - 1]
        grid[reach - y][reach + x] = "@"
    return ["".join(row) for row in grid]
