"""The knight's and the large knight's neighbourhood (Baier 2010, figures 6.16 and 7.2), also at the edges."""

import numpy as np
import pytest

from kikashi.board.points import MAX_SIZE, PASS, column_of, parse_vertex, point, points_of, row_of, vertex
from kikashi.board.queries import KNIGHT, LARGE_KNIGHT

AROUND_E5 = {
    "knight": """
        . . . . . . . . .
        . . . . . . . . .
        . . . ● ● ● . . .
        . . ● ● ● ● ● . .
        . . ● ● X ● ● . .
        . . ● ● ● ● ● . .
        . . . ● ● ● . . .
        . . . . . . . . .
        . . . . . . . . .""",
    "large knight": """
        . . . . . . . . .
        . . . ● ● ● . . .
        . . ● ● ● ● ● . .
        . ● ● ● ● ● ● ● .
        . ● ● ● X ● ● ● .
        . ● ● ● ● ● ● ● .
        . . ● ● ● ● ● . .
        . . . ● ● ● . . .
        . . . . . . . . .""",
}
TABLES = {"knight": (KNIGHT, 2, 3, 20), "large knight": (LARGE_KNIGHT, 3, 4, 36)}
"""The table, how far it reaches along a line, and how many steps in all, and its points."""


@pytest.mark.parametrize("name", TABLES)
def test_the_neighbourhood_is_that_of_the_figure(name: str) -> None:
    rows = [row.split() for row in AROUND_E5[name].split("\n")[1:]]
    shown = {vertex(point(x + 1, 9 - y)) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "●"}
    table, _, _, count = TABLES[name]
    assert {vertex(int(p)) for p in table[parse_vertex("E5", 9)]} == shown
    assert len(shown) == count


@pytest.mark.parametrize("name", TABLES)
def test_a_neighbourhood_ends_at_the_edge(name: str) -> None:
    """No point of 19x19 has neighbours on the other side of the board."""
    table, reach, steps, _ = TABLES[name]
    for p in points_of(MAX_SIZE):
        apart = {
            q: (abs(row_of(q) - row_of(p)), abs(column_of(q) - column_of(p))) for q in points_of(MAX_SIZE) if q != p
        }
        near = {q for q, (rows, columns) in apart.items() if max(rows, columns) <= reach and rows + columns <= steps}
        assert set(table[p].tolist()) - {PASS} == near, vertex(p)
        assert np.count_nonzero(table[p]) == len(near), "each once"
