"""Groups and zones of Gelly et al. 2006, §3.3, written down from the paper's words: slow and plain."""

from collections.abc import Collection
from typing import Any

from helpers.naive import Position
from kikashi.board.points import BLACK, EMPTY, WHITE, column_of, points_of, row_of


def naive_group(position: Position, starts: list[int], distance: int) -> set[int]:
    """Section 3.3: "starts from one string and recursively adds close empty intersections and strings close to these".

    Near to a set of points is what some path of at most `distance` steps leads to, through empty points.
    """
    strings = {p for start in starts if position.color_at(start) != EMPTY for p in position.chain(start)}
    seeds = {p for p in starts if position.color_at(p) == EMPTY}  # where a stone was captured
    while True:
        near = set(seeds)
        border = strings | seeds
        for _ in range(distance):
            border = {n for p in border for n in position.neighbours(p) if position.color_at(n) == EMPTY} - near
            near |= border
        beside = {n for p in near | strings for n in position.neighbours(p)} - strings
        joining = {p for n in beside if position.color_at(n) != EMPTY for p in position.chain(n)}
        if not joining:
            return strings | near
        strings |= joining


def naive_zone(position: Position, group: Collection[int], margin: int) -> set[int]:
    """A group, and all points within `margin` steps from it: along columns and rows, over whatever stands there."""
    cells = [(column_of(p), row_of(p)) for p in group]

    def steps(p: int) -> int:
        return min(abs(column_of(p) - column) + abs(row_of(p) - row) for column, row in cells)

    return {p for p in position.points() if steps(p) <= margin}


def naive_score(position: Position, zone: Collection[int]) -> int:
    """Black's area minus White's, of the points of a zone alone: empty regions belong to who alone is around them,
    wherever that is."""
    score = 0
    for region in position.regions():
        color = position.color_at(min(region))
        owners = {color} if color != EMPTY else {position.color_at(n) for n in position.border(region)}
        score += len(region & set(zone)) * ((owners == {BLACK}) - (owners == {WHITE}))
    return score


def naive_twin(board: Any) -> Position:
    """The stones of a compiled board."""
    points = points_of(int(board["size"]))
    return Position(int(board["size"]), {p: int(board["color"][p]) for p in points if board["color"][p] != EMPTY})


def least_shape(rows: list[list[str]], turn: str) -> str:
    """The least of the sixteen ways to write a position: turned, mirrored and with colours exchanged."""
    ways = []
    for _ in range(4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
        for way in (rows, rows[::-1]):
            text = f"{turn}: " + "/".join("".join(row) for row in way)
            ways += [text, text.translate(str.maketrans("XO", "OX"))]
    return min(ways)
