"""Diagrams as people and programs print them."""

import pytest
from hypothesis import given, strategies as st

from kikashi.board.points import BLACK, EMPTY, WHITE, points_of, vertex
from kikashi.game.diagram import format_diagram, parse_diagram

GNU_GO = """= 
   A B C D E F G H J
 9 . . . . . . . . . 9
 8 . . . . . . . . . 8
 7 . . + . . . + . . 7
 6 . . . . . . . . . 6
 5 . . . . + . . . . 5
 4 . . . . . . . . . 4
 3 . . + X . . + . . 3
 2 . . . . O . . . . 2     WHITE (O) has captured 0 stones
 1 . . . . . . . . . 1     BLACK (X) has captured 0 stones
   A B C D E F G H J
"""  # noqa: W291
BOXED = """
  +-------+
3 | . (X) . | 3
2 | O  .  . | 2
1 | .  .  X | 1
  +-------+
    A  B  C
"""
BOXED_STONES = (3, "C1 B3", "A2")


def named(text: str) -> tuple[int, str, str]:
    size, black, white = parse_diagram(text)
    return size, " ".join(sorted(map(vertex, black), key=lambda v: v[1:])), " ".join(map(vertex, white))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".X\nO.", (2, "B2", "A1")),
        (".x/o.", (2, "B2", "A1")),
        (" . # / w . ", (2, "B2", "A1")),
        (".X.\nO..\n..X", BOXED_STONES),
        ("|.X.|\n|O..|\n|..X|", BOXED_STONES),
        (BOXED, BOXED_STONES),
        (GNU_GO, (9, "D3", "E2")),
        ("a b\n..\n.b\na b", (2, "B1", "")),
    ],
)
def test_reading(text, expected):
    assert named(text) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a diagram has 2 to 19 rows, not 0"),
        (".", "a diagram has 2 to 19 rows, not 1"),
        ("/".join(["." * 20] * 20), "a diagram has 2 to 19 rows, not 20"),
        ("..\n...", "row 2 of the diagram has 3 points, but there are 2 rows"),
        ("..\n.?", r"not a row of a diagram: '\.\?'"),
        ("..\n.. and more", r"not a row of a diagram: '\.\. and more'"),
    ],
)
def test_texts_that_are_no_diagrams(text, problem):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        parse_diagram(text)


@given(st.integers(2, 19), st.randoms())
def test_printed_diagrams_are_read_again(size, generator):
    colors = {p: generator.choice([EMPTY, BLACK, WHITE]) for p in points_of(size)}
    again, black, white = parse_diagram(format_diagram(size, colors.__getitem__))
    assert again == size
    assert set(black) == {p for p, color in colors.items() if color == BLACK}
    assert set(white) == {p for p, color in colors.items() if color == WHITE}
