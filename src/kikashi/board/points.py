"""Points, colours and vertices: the coordinates of all packages.

A point is an index into arrays of ``POINTS`` cells, laid out in rows of ``STRIDE`` with walls around the board, so that
the neighbours of any point on any board are at fixed offsets. Row 1 is the bottom line, as in GTP: ``A1`` is
``1 * STRIDE + 1`` on every size. The wall to the right of a row is the wall to the left of the next.
"""

MAX_SIZE = 19
"""Lines of the largest board."""
MIN_SIZE = 2
"""Lines of the smallest board."""
STRIDE = MAX_SIZE + 1
"""Cells of a row: the distance between neighbours in a column."""
POINTS = (MAX_SIZE + 2) * STRIDE + 4
"""Cells of an array over points: all diagonal neighbours of all points of the largest board, and a few more."""

# Colours are bits and a wall has both: the AND of four neighbours is the colour that surrounds a point.
EMPTY = 0
"""No stone."""
BLACK = 1
"""A black stone, or its player."""
WHITE = 2
"""A white stone, or its player."""
WALL = 3
"""Off the board."""

PASS = 0
"""The pass move; point 0 is a wall, so no stone can ever be there."""

NORTH, EAST, SOUTH, WEST = STRIDE, 1, -STRIDE, -1

_COLUMNS = "ABCDEFGHJKLMNOPQRST"


def opponent(color: int) -> int:
    """Return the other colour of BLACK and WHITE."""
    return BLACK + WHITE - color


def color_name(color: int) -> str:
    """Return ``"black"`` or ``"white"``."""
    return {BLACK: "black", WHITE: "white"}[color]


def point(column: int, row: int) -> int:
    """Return the point of a column and a row, both counted from 1 at the lower left."""
    return row * STRIDE + column


def column_of(p: int) -> int:
    """Return the column of a point, 1 for the A file."""
    return p % STRIDE


def row_of(p: int) -> int:
    """Return the row of a point, 1 for the bottom line."""
    return p // STRIDE


def points_of(size: int) -> list[int]:
    """Return all points of a board, A1 first, row by row.

    >>> [vertex(p) for p in points_of(2)]
    ['A1', 'B1', 'A2', 'B2']
    """
    return [point(column, row) for row in range(1, size + 1) for column in range(1, size + 1)]


def vertex(p: int) -> str:
    """Return GTP's name of a point: ``"D4"``; ``"pass"`` for PASS.

    >>> vertex(point(4, 4)), vertex(PASS)
    ('D4', 'pass')
    """
    return "pass" if p == PASS else f"{_COLUMNS[column_of(p) - 1]}{row_of(p)}"


def parse_vertex(text: str, size: int) -> int:
    """Return the point that GTP calls `text`, in any case. Raises ValueError if it is not a vertex of the board.

    >>> parse_vertex("d4", 9) == point(4, 4)
    True
    >>> parse_vertex("K10", 9)
    Traceback (most recent call last):
    ...
    ValueError: K10 is off the 9x9 board
    """
    name = text.strip().upper() if text.isascii() else ""
    if name == "PASS":
        return PASS
    column, digits = _COLUMNS.find(name[:1]) + 1 if name else 0, name[1:]
    if not column or not digits.isdigit():
        raise ValueError(f"{text!r} is not a vertex such as D4, nor pass")
    digits = digits.lstrip("0")
    row = int(digits) if len(digits) in (1, 2) else 0
    if column > size or not 1 <= row <= size:
        raise ValueError(f"{text.strip()[:9]} is off the {size}x{size} board")
    return point(column, row)
