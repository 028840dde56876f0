"""Shapes around a move as integers: the stones on the nearest points, and the neighbours in atari.

Rings are by the distance dx + dy + max(dx, dy), as in Coulom 2007: 4 points, 8 (the 3x3 square), 12, 20, 28. A key
has two bits for each point, from the side to play: 0 empty, 1 own, 2 the opponent's, 3 off the board; and above these
one bit for each of the four neighbours that is in atari. So no two shapes share a key. The eight orientations of a
shape have eight keys, the smallest of which stands for all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, STRIDE, WALL, WHITE
from kikashi.board.position import Board, in_atari
from kikashi.board.queries import neighbourhood
from kikashi.jit import kernel

REACH = 3
RINGS = (4, 8, 12, 20, 28)
"""By number of rings, less one: their number of points."""
BESIDE = 4
"""The number of points next to the move, whose ataris a key has."""


@dataclass(frozen=True)
class Keys:
    """Unnamed levels of a feature: any integers of 0 or more. Both functions also get the feature's parameters."""

    images: Callable[[np.ndarray, Mapping[str, Any]], np.ndarray]
    """Returns equivalent keys of keys, a row for each symmetry. They share one weight, kept for the smallest."""
    rows: Callable[[int, Mapping[str, Any]], list[str]] | None = None
    """Returns a picture of a key, for reports: ``X`` own, ``O`` the opponent's, ``.`` empty, ``#`` off the board, ``*``
    the move, ``@`` the last one, ``x`` and ``o`` in atari, a blank if unknown."""


def distance(y: int, x: int) -> int:
    """Return the distance of two points that many rows and columns apart."""
    return abs(x) + abs(y) + max(abs(x), abs(y))


def _offsets() -> list[tuple[int, int]]:
    near = range(-REACH, REACH + 1)
    found = [(y, x) for y in near for x in near if 0 < distance(y, x) <= 2 * REACH]
    return sorted(found, key=lambda offset: (distance(*offset), offset))


OFFSETS = _offsets()
"""Rows and columns from a move to the points around it, the nearest first."""


NEAREST = neighbourhood(OFFSETS)
PLACES = np.zeros((2 * REACH + 1, 2 * REACH + 1), np.int64)
"""By rows and columns from a move, plus REACH: the number of the point, 1 for the nearest; 0 if it is too far."""
for _number, (_y, _x) in enumerate(OFFSETS, 1):
    PLACES[_y + REACH, _x + REACH] = _number
SEEN = np.array([[0, 0, 0, 0], [EMPTY, 1, 2, WALL], [EMPTY, 2, 1, WALL]], np.int64)
"""By side to play and colour: the two bits of a key."""
assert (BLACK, WHITE) == (1, 2)


@kernel
def shape_key(board: Board, p: int, rings: int) -> int:
    """Return the key of some rings of points around the empty point `p`, for the side to play."""
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
    """Return the key of the shape around `p` with, above it, the place of the last move, 1 for the nearest point.

    0 if the last move is too far away.
    """
    y, x = last // STRIDE - p // STRIDE, last % STRIDE - p % STRIDE
    if last == PASS or max(abs(y), abs(x)) > REACH:
        return np.int64(0)
    place = PLACES[y + REACH, x + REACH]
    return shape_key(board, p, rings) | (place << (2 * RINGS[rings - 1] + BESIDE)) if place > 0 else np.int64(0)


@cache
def _turned(size: int) -> list[list[int]]:
    """Return for each orientation, by place in a key, the place that moves there."""
    signs = [(a, b) for a in (1, -1) for b in (1, -1)]
    straight = [[OFFSETS.index((a * y, b * x)) for y, x in OFFSETS[:size]] for a, b in signs]
    return straight + [[OFFSETS.index((a * x, b * y)) for y, x in OFFSETS[:size]] for a, b in signs]


def shape_images(keys: np.ndarray, values: Mapping[str, Any]) -> np.ndarray:
    """Return the keys of the eight orientations of shapes, in eight rows."""
    size = RINGS[int(values["rings"]) - 1]
    images = np.zeros((8, keys.size), np.int64)
    for image, places in zip(images, _turned(size), strict=True):
        for i, place in enumerate(places):
            image |= ((keys >> (2 * place)) & 3) << (2 * i)
            if i < BESIDE:
                image |= ((keys >> (2 * size + place)) & 1) << (2 * size + i)
    return images


def reply_images(keys: np.ndarray, values: Mapping[str, Any]) -> np.ndarray:
    """Return the keys of the eight orientations of shapes with the last move, in eight rows."""
    above = 2 * RINGS[int(values["rings"]) - 1] + BESIDE
    last = keys >> above
    images = shape_images(keys & ((1 << above) - 1), values)
    for image, places in zip(images, _turned(len(OFFSETS)), strict=True):
        turned = np.concatenate([[0], np.argsort(places) + 1])
        image |= turned[last] << above
    return images


def shape_rows(key: int, values: Mapping[str, Any]) -> list[str]:
    """Return a picture of a shape, the top row first."""
    return _drawn(key, RINGS[int(values["rings"]) - 1])


def reply_rows(key: int, values: Mapping[str, Any]) -> list[str]:
    """Return a picture of a shape with the last move as ``@``."""
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
