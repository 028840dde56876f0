"""Diagrams: boards as text, written and read.

A row per line, the top of the board first. X is black, O is white, a dot is empty; coordinates, borders and blanks are
ignored. Rows may also be separated by slashes, as in ``"..X/.OX/..."``.
"""

import re
from collections.abc import Callable

from kikashi.board.points import BLACK, EMPTY, MAX_SIZE, MIN_SIZE, WHITE, point, vertex

_SYMBOLS = dict.fromkeys(".+,*", EMPTY) | dict.fromkeys("Xx#@Bb", BLACK) | dict.fromkeys("OoWw", WHITE)
_COLUMNS = "".join(vertex(point(column, 1))[0] for column in range(1, MAX_SIZE + 1))
_BORDER = re.compile(r"[-=+|\s]*[-=][-=+|\s]*")
_ROW = re.compile(r"\d*\s*\|?(?P<cells>[\s.+,*Xx#@BbOoWw()]+)(?:[|\d].*)?")


def format_diagram(size: int, color_of: Callable[[int], int]) -> str:
    """Return a board with its coordinates, as GTP's showboard prints it."""
    columns = "   " + " ".join(_COLUMNS[:size])
    lines = [columns]
    for row in range(size, 0, -1):
        cells = " ".join(".XO"[color_of(point(column, row))] for column in range(1, size + 1))
        lines.append(f"{row:2} {cells} {row}")
    return "\n".join([*lines, columns])


def parse_diagram(text: str) -> tuple[int, list[int], list[int]]:
    """Return the size, the black points and the white points. Raises ValueError if it is not a square board."""
    rows = [cells for line in re.split(r"[\n/]", text) if (cells := _cells(line)) is not None]
    size = len(rows)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"a diagram has {MIN_SIZE} to {MAX_SIZE} rows, not {size}")
    stones: dict[int, list[int]] = {EMPTY: [], BLACK: [], WHITE: []}
    for index, cells in enumerate(rows):
        if len(cells) != size:
            raise ValueError(f"row {index + 1} of the diagram has {len(cells)} points, but there are {size} rows")
        for column, symbol in enumerate(cells, start=1):
            stones[_SYMBOLS[symbol]].append(point(column, size - index))
    return size, stones[BLACK], stones[WHITE]


def _cells(line: str) -> str | None:
    """Return the points of one row; None for a line of borders or letters. Raises ValueError."""
    line = line.strip()
    letters = "".join(line.split()).upper()
    if _COLUMNS.startswith(letters) or _BORDER.fullmatch(line):
        return None
    row = _ROW.fullmatch(line)
    if row is None:
        raise ValueError(f"not a row of a diagram: {line!r}")
    return re.sub(r"[\s()]", "", row["cells"])
