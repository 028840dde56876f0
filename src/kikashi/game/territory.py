"""Chains and empty regions, and the territory that one colour surrounds."""

from collections.abc import Collection, Iterator

from kikashi.board.points import BLACK, EAST, EMPTY, NORTH, SOUTH, WALL, WEST, WHITE, points_of
from kikashi.board.position import Board

_STEPS = (NORTH, EAST, SOUTH, WEST)


def chains(board: Board, colors: Collection[int] = (BLACK, WHITE)) -> Iterator[list[int]]:
    """Yield the chains of stones of these colours, or with EMPTY the empty regions, each A1 first."""
    color_of = board["color"]
    seen: set[int] = set()
    for start in points_of(int(board["size"])):
        color = color_of[start]
        if color not in colors or start in seen:
            continue
        group, waiting = {start}, [start]
        while waiting:
            p = waiting.pop()
            beside = [q for q in (p + step for step in _STEPS) if color_of[q] == color and q not in group]
            group.update(beside)
            waiting += beside
        seen |= group
        yield sorted(group)


def territory_score(board: Board, seki: Collection[int] = ()) -> int:
    """Return the empty points that Black alone surrounds less those that White alone does.

    No stone is taken for dead. Regions next to a stone of `seki` are nobody's: eyes in a seki are no territory.
    """
    owner = owners(board, seki)
    empty = [color for p, color in owner.items() if board["color"][p] == EMPTY]
    return empty.count(BLACK) - empty.count(WHITE)


def owners(board: Board, seki: Collection[int] = ()) -> dict[int, int]:
    """Return the colour of the stone at each point, or the one that alone surrounds it, or EMPTY; `seki` as above."""
    owner = {p: int(board["color"][p]) for p in points_of(int(board["size"]))}
    for region in chains(board, (EMPTY,)):
        border = {q for p in region for step in _STEPS if board["color"][q := p + step] not in (EMPTY, WALL)}
        colors = {int(board["color"][q]) for q in border}
        if len(colors) == 1 and border.isdisjoint(seki):
            owner.update(dict.fromkeys(region, *colors))
    return owner
