"""MoGo's 3x3 patterns: the compiled table beside a slow matcher, on every neighbourhood that a board can show.

The matcher looks at a neighbourhood from all eight sides and with both colours as X, and compares it cell by cell with
the diagrams as they are printed (`PAPERS.md`, item G5; Gelly et al. 2006, figures 5-8).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from heuristic_cases import propose, random_games, root_at, worker_for
from kikashi.board.points import BLACK, EMPTY, PASS, WALL, WHITE, color_name, column_of, point, row_of, vertex
from kikashi.board.position import new_board
from kikashi.playout.heuristics.pattern3 import PATTERNS, matches
from kikashi.playout.loop import begin
from naive import ADJACENT, DIAGONAL, NaiveBoard

DIAGRAMS = """
hane 1    hane 2    hane 3    hane 4*   cut 1     not cut1B not cut1C cut 2
X O X     X O .     X O ?     X O O     X O ?     X O ?     X O ?     ? X ?
. . .     . . .     X . .     . . .     O . ?     O . O     O . .     O . O
? ? ?     ? . ?     ? . ?     ? . ?     ? ? ?     ? . ?     ? O ?     o o o

side 1    side 2    side 3*   side 4*   side 5*
X . ?     ? X ?     ? X O     ? O X     ? O X
O . ?     O . x     ? . ?     ? . o     X . O
# # #     # # #     # # #     # # #     # # #
"""
"""X and O are stones, ``x`` anything but X, ``o`` anything but O, ``?`` anything; ``*`` is for the player of X only."""

Grid = tuple[str, str, str]
"""Three rows of a neighbourhood, the top first: X black, O white, # off the board; its centre is empty."""


@cache
def diagrams() -> dict[str, Grid]:
    """The diagrams by name."""
    found = {}
    for block in DIAGRAMS.strip().split("\n\n"):
        columns = [[line[at : at + 10].strip() for line in block.split("\n")] for at in range(0, 80, 10)]
        found.update({name: tuple(row.replace(" ", "") for row in rows) for name, *rows in columns if name})
    return found


LINES = [name for name in diagrams() if not name.startswith("not")]
"""The diagrams that are patterns by themselves."""


# -- the slow matcher --------------------------------------------------------------------------------------------------


FITS = {"X": "X", "O": "O", ".": ".", "#": "#", "x": ".O#", "o": ".X#", "?": ".XO#"}


def shows(grid: Grid, name: str) -> bool:
    """Whether a neighbourhood shows a diagram, seen from this side and with these colours."""
    return all(cell in FITS[wanted] for cell, wanted in zip("".join(grid), "".join(diagrams()[name]), strict=True))


def applies(grid: Grid, name: str) -> bool:
    """As `shows`, with what is said about the edge and about cut 1."""
    walls = sum(row.count("#") for row in grid)
    if walls != (3 if name.startswith("side") else 0) or not shows(grid, name):
        return False
    return name != "cut 1" or not (shows(grid, "not cut1B") or shows(grid, "not cut1C"))


def sides(grid: Grid) -> Iterator[Grid]:
    """A neighbourhood seen from all eight sides."""
    for _ in range(4):
        grid = tuple("".join(column) for column in zip(*grid[::-1], strict=True))
        yield grid
        yield tuple(row[::-1] for row in grid)


@cache
def players(grid: Grid) -> frozenset[int]:
    """The colours for whom some pattern holds."""
    swapped = tuple(row.translate(str.maketrans("XO", "OX")) for row in grid)
    found = set()
    for x_is, seen in ((BLACK, grid), (WHITE, swapped)):
        for side, name in product(sides(seen), LINES):
            if applies(side, name):
                found |= {x_is} if name.endswith("*") else {BLACK, WHITE}
    return frozenset(found)


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


@pytest.mark.parametrize(("shape", "number"), [(INSIDE, 3**8), (EDGE, 4 * 3**5), (CORNER, 4 * 3**3)])
def test_the_table_on_every_neighbourhood(shape: Grid, number: int) -> None:
    board, answers = new_board(7), []
    for grid in neighbourhoods(shape):
        answers.append(compiled_players(board, grid))
        assert answers[-1] == players(grid), "\n".join(grid)
    assert len(answers) == number
    assert set(answers) == ({frozenset()} if shape == CORNER else set(map(frozenset, ((), (1,), (2,), (1, 2)))))


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


def grid_around(naive: NaiveBoard, p: int) -> Grid:
    symbols = {EMPTY: ".", BLACK: "X", WHITE: "O", WALL: "#"}
    column, row = column_of(p), row_of(p)
    return tuple("".join(symbols[naive.color_at(point(column + x, row - y))] for x in (-1, 0, 1)) for y in (-1, 0, 1))


def naive_proposals(naive: NaiveBoard, last: int) -> set[int]:
    """The points around the last move that are empty, match and are no self-atari."""
    around = naive.around(last, ADJACENT + DIAGONAL) if last != PASS else ()
    matching = [p for p in around if naive.color_at(p) == EMPTY and naive.to_play in players(grid_around(naive, p))]
    return {p for p in matching if not naive.is_self_atari(p, naive.to_play)}


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
