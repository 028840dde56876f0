"""Points and lists of points in property values: ``"aa"`` is the upper left corner."""

from __future__ import annotations

from collections.abc import Iterable

from kikashi.board.points import PASS, column_of, point, row_of


def parse_point(value: str, size: int) -> int:
    """The point of a value; PASS for an empty one and for ``"tt"``, which meant it before FF[4]. Raises ValueError."""
    letters = value.strip()
    if letters in ("", "tt"):
        return PASS
    if len(letters) != 2 or not (letters.isascii() and letters.isalpha() and letters.islower()):
        raise ValueError(f"{letters[:20]!r} is not a point such as 'dd'")
    column, row = (ord(letter) - ord("a") for letter in letters)
    if column >= size or row >= size:
        raise ValueError(f"point {letters!r} is off the {size}x{size} board")
    return point(column + 1, size - row)


def parse_points(values: Iterable[str], size: int) -> list[int]:
    """The points of a list in which ``"aa:cc"`` stands for a rectangle. Raises ValueError."""
    found = set()
    # An empty list is written as one empty value.
    for corners in {_corners(value, size) for value in values if value.strip()}:
        columns, rows = sorted(map(column_of, corners)), sorted(map(row_of, corners))
        found |= {point(c, r) for c in range(columns[0], columns[-1] + 1) for r in range(rows[0], rows[-1] + 1)}
    return sorted(found)


def _corners(value: str, size: int) -> tuple[int, ...]:
    corners = tuple(parse_point(corner, size) for corner in value.split(":", 2))
    if len(corners) > 2 or PASS in corners:
        raise ValueError(f"{value[:20]!r} is not a point such as 'dd', nor a rectangle such as 'dd:ff'")
    return corners


def format_point(p: int, size: int) -> str:
    """The value of a point; an empty one for PASS."""
    if p == PASS:
        return ""
    return chr(ord("a") + column_of(p) - 1) + chr(ord("a") + size - row_of(p))
