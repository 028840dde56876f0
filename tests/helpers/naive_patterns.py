"""MoGo's patterns, matched slowly from diagrams: what the compiled table is compared with."""

from collections.abc import Iterator
from functools import cache
from itertools import product

from helpers.naive import ADJACENT, DIAGONAL, NaiveBoard
from kikashi.board.points import BLACK, EMPTY, PASS, WALL, WHITE, column_of, point, row_of

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
