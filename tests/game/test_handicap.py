"""Handicap points against the tables of the GTP 2 specification, section 4.1."""

import pytest

from kikashi.board.points import points_of, vertex
from kikashi.game.handicap import fixed_handicap, free_handicap, max_fixed_handicap


def names(points: list[int]) -> str:
    return " ".join(map(vertex, points))


@pytest.mark.parametrize(
    ("size", "stones", "expected"),
    [
        (19, 2, "D4 Q16"),
        (19, 3, "D4 Q16 D16"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 5, "D4 Q16 D16 Q4 K10"),
        (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (7, 4, "C3 E5 C5 E3"),
        (8, 3, "C3 F6 C6"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (11, 9, "C3 J9 C9 J3 C6 J6 F3 F9 F6"),
        (12, 4, "C3 K10 C10 K3"),
        (13, 2, "D4 K10"),
        (14, 2, "D4 L11"),
    ],
)
def test_fixed_points(size, stones, expected):
    assert names(fixed_handicap(size, stones)) == expected


def test_how_many_stones_are_fixed():
    assert {size: max_fixed_handicap(size) for size in range(2, 20)} == {
        **dict.fromkeys(range(2, 7), 0),
        **dict.fromkeys([7, 8, 10, 12, 14, 16, 18], 4),
        **dict.fromkeys([9, 11, 13, 15, 17, 19], 9),
    }


@pytest.mark.parametrize(("size", "stones"), [(6, 2), (2, 2), (9, 0), (9, 1), (9, 10), (9, -2), (8, 5), (7, 5)])
def test_no_such_fixed_handicap(size, stones):
    with pytest.raises(ValueError, match="fixed handicap"):
        fixed_handicap(size, stones)


@pytest.mark.parametrize("size", [2, 3, 6, 7, 8, 9, 19])
def test_a_free_handicap_of_any_number(size):
    for stones in {2, 3, min(12, size * size - 1), size * size - 1}:
        chosen = free_handicap(size, stones)
        assert len(set(chosen)) == stones
        assert set(chosen) <= set(points_of(size))


def test_a_free_handicap_starts_with_the_fixed_points_and_avoids_the_edge():
    assert free_handicap(19, 9) == fixed_handicap(19, 9)
    assert names(free_handicap(19, 10)[9:]) == "N13"
    assert names(free_handicap(5, 2)) == "C3 D4"


@pytest.mark.parametrize(("size", "stones"), [(9, 1), (9, 81), (9, -1), (2, 4)])
def test_no_such_free_handicap(size, stones):
    with pytest.raises(ValueError, match="a free handicap on"):
        free_handicap(size, stones)
