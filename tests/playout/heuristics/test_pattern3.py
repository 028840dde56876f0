"""MoGo's 3x3 patterns: the compiled table beside a slow matcher, on every neighbourhood that a board can show.

The matcher looks at a neighbourhood from all eight sides and with both colours as X, and compares it cell by cell with
the diagrams as they are printed (`PAPERS.md`, item G5; Gelly et al. 2006, figures 5-8).
"""

from collections.abc import Iterator
from itertools import product

import pytest

from helpers.naive_patterns import LINES, Grid, applies, diagrams, players, sides
from kikashi.board.points import BLACK, EMPTY, WALL, WHITE, point
from kikashi.board.position import new_board
from kikashi.playout.tactics.patterns import PATTERNS, matches

INSIDE = ("???", "?.?", "???")
EDGE = ("???", "?.?", "###")
CORNER = ("??#", "?.#", "###")


def neighbourhoods(shape: Grid) -> Iterator[Grid]:
    """All ways to fill the question marks of a shape, on every side of the board."""
    for turned in set(sides(shape)):
        text = "".join(turned)
        for filling in product(".XO", repeat=text.count("?")):
            cells = iter(filling)
            filled = "".join(next(cells) if cell == "?" else cell for cell in text)
            yield filled[:3], filled[3:6], filled[6:]


def compiled_players(board, grid: Grid) -> frozenset[int]:
    """The colours for whom the table says yes, with the neighbourhood put around D4."""
    for y, x in product(range(3), repeat=2):
        board["color"][point(3 + x, 5 - y)] = {".": EMPTY, "X": BLACK, "O": WHITE, "#": WALL}[grid[y][x]]
    return frozenset(color for color in (BLACK, WHITE) if matches(board, point(4, 4), color))


@pytest.mark.thorough
@pytest.mark.parametrize(("shape", "number"), [(INSIDE, 3**8), (EDGE, 4 * 3**5), (CORNER, 4 * 3**3)])
def test_the_table_on_every_neighbourhood(shape: Grid, number: int) -> None:
    board, answers = new_board(7), []
    for grid in neighbourhoods(shape):
        answers.append(compiled_players(board, grid))
        assert answers[-1] == players(grid), "\n".join(grid)
    assert len(answers) == number
    assert set(answers) == ({frozenset()} if shape == CORNER else set(map(frozenset, ((), (1,), (2,), (1, 2)))))


@pytest.mark.thorough
def test_every_diagram_decides_somewhere() -> None:
    """No line of the list is there for nothing: each applies where no other does, so a wrong one would be seen."""
    alone = set()
    for grid in [*neighbourhoods(INSIDE), *neighbourhoods(EDGE)]:
        lines = {name for side in sides(grid) for name in LINES if applies(side, name)}
        alone |= lines if len(lines) == 1 else set()
    assert alone == set(LINES)
    assert len(LINES) == len(PATTERNS) == 11
    assert len(diagrams()) == 13
