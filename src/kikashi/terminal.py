"""Boards drawn for people in a terminal."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from kikashi.board.points import BLACK, PASS, WHITE, point, vertex

_WOOD = "on rgb(214,170,104)"
_INK = "rgb(110,80,40)"
_STONES = {BLACK: ("●", "rgb(20,20,20)"), WHITE: ("●", "rgb(250,250,250)")}


def draw(board: Any, last: int = PASS) -> Text:
    """A board in colour, the last move marked."""
    size = int(board["size"])
    columns = " ".join(vertex(point(column, 1))[0] for column in range(1, size + 1))
    picture = Text()
    picture.append(f"    {columns}\n", style="dim")
    for row in range(size, 0, -1):
        picture.append(f"{row:2} ", style="dim")
        for column in range(1, size + 1):
            p = point(column, row)
            _append_point(picture, int(board["color"][p]), _is_star(column, row, size), p == last and p != PASS)
        picture.append(" ", style=_WOOD)
        picture.append(f" {row}\n", style="dim")
    picture.append(f"    {columns}", style="dim")
    return picture


def _append_point(picture: Text, color: int, star: bool, last: bool) -> None:
    if color in _STONES:
        sign, ink = _STONES[color]
        picture.append("❯" if last else " ", style=f"rgb(200,30,30) {_WOOD}")
        picture.append(sign, style=f"{ink} {_WOOD}")
    else:
        picture.append(" ", style=_WOOD)
        picture.append("+" if star else "·", style=f"{_INK} {_WOOD}")


def _is_star(column: int, row: int, size: int) -> bool:
    line = 3 if size < 13 else 4
    stars = {line, size + 1 - line, (size + 1) // 2 if size % 2 else line}
    return size >= 7 and column in stars and row in stars
