"""Moves, the view of the legal ones, and colours and scores as text."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kikashi.board.points import BLACK, PASS, WHITE, color_name, points_of, vertex

RESIGN = -1
"""The point of a resignation in a Move."""


class IllegalMove(ValueError):
    """A move that the rules forbid, or that is no move at all, with the reason in one line."""


class Move(NamedTuple):
    """A colour and its point, which may be PASS or RESIGN."""

    color: int
    point: int

    @property
    def name(self) -> str:
        """``"E5"``, ``"pass"`` or ``"resign"``."""
        return "resign" if self.point == RESIGN else vertex(self.point)

    def __str__(self) -> str:
        return f"{color_name(self.color)} {self.name}"

    def __repr__(self) -> str:
        return f"<Move {self}>"


class LegalMoves:
    """A view of the legal points of the player to move, A1 first, and PASS; nothing after a resignation.

    ``in`` is `Game.is_legal`, which takes names too; `len` and iteration try every point. RESIGN is not listed.
    """

    def __init__(self, size: int, is_legal: Callable[[str | int], bool]) -> None:
        self._size, self._is_legal = size, is_legal

    def __contains__(self, move: str | int) -> bool:
        return self._is_legal(move)

    def __iter__(self) -> Iterator[int]:
        return (p for p in [*points_of(self._size), PASS] if self._is_legal(p))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return PASS in self

    def __repr__(self) -> str:
        return f"<LegalMoves: {' '.join(map(vertex, self))}>"


def parse_color(color: int | str) -> int:
    """Return BLACK or WHITE, from itself or from b, black, w or white in any case. Raises ValueError."""
    known = {BLACK: BLACK, WHITE: WHITE, "b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
    try:
        return known[color.strip().lower() if isinstance(color, str) else color]
    except KeyError:
        raise ValueError(f"a colour is black or white, not {color!r}") from None


def format_score(score: float) -> str:
    """Return ``"B+3.5"`` for 3.5, ``"W+2"`` for -2, ``"0"`` for a draw."""
    return ("B+" if score > 0 else "W+" if score else "") + format_points(abs(score))


def format_points(number: float) -> str:
    """Return a multiple of 1/2 as people write it: ``"7.5"``, ``"7"``."""
    return f"{number:.1f}".removesuffix(".0")
