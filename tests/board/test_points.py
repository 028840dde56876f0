"""Points and their names."""

import pytest

from kikashi.board.points import EMPTY, MAX_SIZE, MIN_SIZE, PASS, POINTS, WALL, parse_vertex, point, points_of, vertex
from kikashi.board.position import new_board

SIZES = range(MIN_SIZE, MAX_SIZE + 1)


@pytest.mark.parametrize("size", SIZES)
def test_vertices_are_read_as_they_are_written(size):
    names = [vertex(p) for p in points_of(size)]
    assert len(set(names)) == size * size
    for case in (str.upper, str.lower, "  {}\n".format):
        assert [parse_vertex(case(name), size) for name in names] == points_of(size)


@pytest.mark.parametrize(
    ("column", "row", "name"), [(1, 1, "A1"), (8, 8, "H8"), (9, 8, "J8"), (4, 16, "D16"), (19, 19, "T19")]
)
def test_vertices_are_those_of_gtp(column, row, name):
    assert vertex(point(column, row)) == name


@pytest.mark.parametrize("text", ["pass", "PASS", "Pass", " pAsS "])
def test_a_pass_is_read_in_any_case(text):
    assert parse_vertex(text, 9) == PASS
    assert vertex(PASS) == "pass"


GARBAGE = ["", " ", "A", "5", "4D", "AA1", "A-1", "A+1", "A1.0", "A 1", "A1 B2", "D4x", "passs", "resign", "A\x001"]
NO_SUCH_COLUMN = ["I5", "i5", "U1", "@1"]
NOT_ASCII = [
    "A\N{SUPERSCRIPT TWO}",
    "A\N{ARABIC-INDIC DIGIT ONE}",
    "A\N{FULLWIDTH DIGIT ONE}",
    "\N{FULLWIDTH LATIN CAPITAL LETTER A}1",
    "\N{LATIN SMALL LETTER LONG S}1",  # its capital is an ASCII S
    "pa\N{LATIN SMALL LETTER LONG S}s",
    "pa\N{LATIN SMALL LETTER SHARP S}",  # its capital is SS
]


@pytest.mark.parametrize("text", GARBAGE + NO_SUCH_COLUMN + NOT_ASCII)
def test_garbage_is_no_vertex(text):
    with pytest.raises(ValueError, match="is not a vertex such as D4, nor pass"):
        parse_vertex(text, 19)


@pytest.mark.parametrize(
    ("text", "size"),
    [("A20", 19), ("A0", 19), ("T1", 18), ("A19", 18), ("C1", 2), ("A3", 2), ("A10", 9), ("K1", 9), ("k10", 9)],
)
def test_a_vertex_beyond_the_edge_is_off_the_board(text, size):
    with pytest.raises(ValueError, match=f"^{text} is off the {size}x{size} board$"):
        parse_vertex(text, size)


@pytest.mark.parametrize("row", ["00010", "99999", "9" * 5000, "0001" + "9" * 5000], ids=lambda row: row[:5])
def test_a_row_of_many_digits_is_off_the_board(row):
    with pytest.raises(ValueError, match="is off the 9x9 board"):
        parse_vertex("A" + row, 9)


@pytest.mark.parametrize("size", SIZES)
def test_walls_surround_every_board(size):
    """All eight cells around a point of the board are cells of the arrays, and wall where they are not points."""
    board, on_board = new_board(size), set(points_of(size))
    around = {point(x, y) for x in range(size + 2) for y in range(size + 2)}
    assert {p for p in around if board["color"][p] == EMPTY} == on_board
    assert all(board["color"][p] == WALL for p in set(range(POINTS)) - on_board)
