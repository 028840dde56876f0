"""MoGo's 3x3 patterns: the compiled table beside a slow matcher, on every neighbourhood that a board can show.

The matcher looks at a neighbourhood from all eight sides and with both colours as X, and compares it cell by cell with
the diagrams as they are printed (`PAPERS.md`, item G5; Gelly et al. 2006, figures 5-8).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from helpers.heuristic_cases import propose, random_games, root_at, worker_for
from helpers.naive_patterns import LINES, Grid, applies, diagrams, naive_proposals, players, sides
from kikashi.board.points import BLACK, EMPTY, WALL, WHITE, color_name, point, vertex
from kikashi.board.position import new_board
from kikashi.playout.loop import begin
from kikashi.playout.tactics.patterns import PATTERNS, matches

# -- every neighbourhood -----------------------------------------------------------------------------------------------

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


# -- on the board ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 4, 5, 9, 13, 19])
def test_proposals_in_random_positions(size: int) -> None:
    worker, proposed = worker_for("pattern3"), 0
    for naive, moves in random_games(size, 200, seed=3):
        begin(worker.sim, worker.record, root_at(naive, tuple(moves[-1:])))
        weights = propose(worker).weights
        wanted = naive_proposals(naive, moves[-1])
        turn = f"{color_name(naive.to_play)} after {vertex(moves[-1])}"
        assert weights == dict.fromkeys(wanted, 1.0), f"{sorted(map(vertex, weights))} for {turn}\n{naive}"
        proposed += len(wanted)
    assert proposed > 20 or size == 2
