"""A region of a position in which a fight is: what is marked, and the stones that can be taken there."""

from __future__ import annotations

from collections.abc import Collection

from kikashi.board.points import BLACK, EAST, EMPTY, NORTH, SOUTH, WALL, WEST, WHITE, points_of, vertex
from kikashi.game import Game


def region_of(game: Game, marked: Collection[int]) -> set[int]:
    """Marked points, and the chains that have no other liberty. Raises ValueError if it is not closed."""
    region = set(marked)
    if not region:
        raise ValueError("no point is marked")
    colors = {p: game.color_at(p) for p in points_of(game.size)}
    if taken := [p for p in region if colors[p] != EMPTY]:
        raise ValueError(f"{vertex(min(taken))} is marked, but not empty")
    left = {p for p, color in colors.items() if color in (BLACK, WHITE)}
    while left:
        chain = _chain_at(left.pop(), colors)
        left -= chain
        liberties = {n for p in chain for n in neighbours(p) if colors.get(n, WALL) == EMPTY}
        if liberties <= set(marked):
            region |= chain
    for p in sorted(region):
        if any(colors.get(n) == EMPTY and n not in region for n in neighbours(p)):
            raise ValueError(f"the region is open at {vertex(p)}: an empty point beside it is not marked")
    return region


def _chain_at(p: int, colors: dict[int, int]) -> set[int]:
    chain, frontier = {p}, [p]
    while frontier:
        for n in neighbours(frontier.pop()):
            if n not in chain and colors.get(n, WALL) == colors[p]:
                chain.add(n)
                frontier.append(n)
    return chain


def neighbours(p: int) -> tuple[int, ...]:
    """The four points beside one; some may be walls."""
    return p + NORTH, p + EAST, p + SOUTH, p + WEST
