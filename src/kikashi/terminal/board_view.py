"""Boards, bars and evaluations drawn for people in a terminal."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rich.console import Console
from rich.text import Text

from kikashi.board.points import BLACK, PASS, WHITE, column_of, point, row_of, vertex
from kikashi.game import Game
from kikashi.game.ownership import owners_by_point
from kikashi.pictures.boards import is_star
from kikashi.search.analysis import Analysis, MoveStatistics, from_side

Color = tuple[int, int, int]
WOOD: Color = (220, 179, 115)
OWNED: dict[int, Color] = {BLACK: (124, 88, 50), WHITE: (246, 229, 196)}
INK = "rgb(130,95,50)"
STONES = {BLACK: "rgb(15,15,15)", WHITE: "rgb(255,255,255)"}
LIKELY = 0.4
"""Least ownership of a point that is likely a player's."""
FRAME = "rgb(150,110,60)"
LAST = "rgb(205,60,40)"
SIDES = "rgb(70,70,70) on rgb(228,228,228)"
"""Black's share and White's, in bars and graphs."""
LOWER_HALF = "rgb(50,50,50) on rgb(200,200,200)"
"""The same below one half."""

HOLLOW = {"●": "○", "◉": "◎"}
"""White's signs where there are no colours, by Black's."""
NAMES = {BLACK: "Black", WHITE: "White"}
_GRID = ("└┴┘", "├┼┤", "┌┬┐")
_FROM_LEFT = " ▏▎▍▌▋▊▉█"
_FROM_BELOW = " ▁▂▃▄▅▆▇█"


def can_draw(console: Console, width: int = 0, height: int = 0) -> bool:
    """Return whether a console has a cursor, the signs and room enough for pictures."""
    return (
        console.is_terminal
        and not console.is_dumb_terminal
        and not console.options.ascii_only
        and console.width >= width
        and console.height >= height
    )


def has_colors(console: Console) -> bool:
    """Return whether a console shows colours: NO_COLOR turns them off."""
    return console.color_system is not None and not console.no_color


# --- the board --------------------------------------------------------------------------------------------------------


def draw(
    board: Any,
    last: int = PASS,
    *,
    ownership: Sequence[float] | None = None,
    marks: Mapping[int, str] | None = None,
    colored: bool = True,
) -> Text:
    """Draw a board, the last move marked. Unless it is `colored`, its signs tell black stones from white ones.

    With `ownership` (A1 first: 1 is Black's, -1 White's) the wood is darker or lighter; `marks` are letters by point.
    """
    size = int(board["size"])
    owners = owners_by_point(size, ownership) if ownership is not None else {}
    columns = " ".join(vertex(point(column, 1))[0] for column in range(1, size + 1))
    picture = Text(f"    {columns}    \n", style="dim", no_wrap=True)
    for row in range(size, 0, -1):
        picture.append(f"{row:2} ")
        for column in range(1, size + 1):
            p = point(column, row)
            wood = _wood(owners.get(p, 0.0))
            picture.append("─" if column > 1 else " ", style=f"not dim {INK} {wood}")
            sign, style = _sign(int(board["color"][p]), p, last, marks or {}, size)
            if not colored and board["color"][p] == WHITE:
                sign = HOLLOW.get(sign, sign)
            picture.append(sign, style=f"{style} {wood}")
        picture.append(" ", style=_wood(0.0))
        picture.append(f" {row:<2}\n")
    picture.append(f"    {columns}    ")
    return picture


def _sign(color: int, p: int, last: int, marks: Mapping[int, str], size: int) -> tuple[str, str]:
    """Return the character of a point, and its style."""
    if p in marks:
        return marks[p], f"not dim bold {LAST}"
    if color in STONES:
        sign = "◉" if p == last else "●"
        return sign, f"not dim {STONES[color]}"
    column, row = column_of(p), row_of(p)
    across, down = (0 if line == 1 else 2 if line == size else 1 for line in (column, row))
    return "╋" if is_star(column, row, size) else _GRID[down][across], f"not dim {INK}"


def _wood(owner: float) -> str:
    """Return the background of a point by its ownership."""
    goal = OWNED[BLACK if owner > 0 else WHITE]
    share = min(1.0, abs(owner))
    red, green, blue = (round(wood + share * (end - wood)) for wood, end in zip(WOOD, goal, strict=True))
    return f"on rgb({red},{green},{blue})"


def owner_diagram(game: Game, ownership: Sequence[float]) -> str:
    """Return a plain diagram with a small letter, x or o, wherever the likely owner has no stone."""
    owner = owners_by_point(game.size, ownership)
    likely = {p: BLACK if owned > 0 else WHITE for p, owned in owner.items() if abs(owned) >= LIKELY}
    return marked_diagram(game, {p: ".xo"[color] for p, color in likely.items() if color != game.color_at(p)})


def marked_diagram(game: Game, signs: Mapping[int, str]) -> str:
    """Return a plain diagram with other signs at some points."""
    rows = [list(row) for row in str(game).splitlines()]
    for p, sign in signs.items():
        rows[game.size + 1 - row_of(p)][1 + 2 * column_of(p)] = sign
    return "\n".join(map("".join, rows))


def stone(color: int, *, colored: bool = True) -> Text:
    """Draw a stone for lists, on a piece of wood: the background of a terminal may hide its colour."""
    sign = "●" if colored or color == BLACK else HOLLOW["●"]
    return Text(f" {sign} ", style=f"{STONES[color]} {_wood(0.0)}")


# --- evaluations ------------------------------------------------------------------------------------------------------


class EvaluationText(NamedTuple):
    """A player's evaluation: colour and win rate, leader and margin with komi, and Black's chances from 0 to 1."""

    text: str
    score: str
    black: float


def evaluation_text(analysis: Analysis, move: int | None = None) -> EvaluationText:
    """Return the evaluation of a move, or of the most visited one if `move` is None or has no visits."""
    tried = [statistics for statistics in analysis.moves if statistics.visits]
    chosen = [statistics for statistics in tried if statistics.move == move]
    found: MoveStatistics | Analysis = next(iter(chosen + tried), analysis)
    points = from_side(analysis.to_play, found.score)
    return EvaluationText(
        text=f"{NAMES[analysis.to_play][0]} {found.winrate:.0%}",
        score=f"{'B' if points >= 0 else 'W'}+{abs(points):.1f}",
        black=from_side(analysis.to_play, found.winrate, 1.0),
    )


def bar(black: float, width: int) -> Text:
    """Draw Black's chances from the left, White's from the right."""
    eighths = round(min(1.0, max(0.0, black)) * width * 8)
    whole, part = divmod(eighths, 8)
    sign = "█" * whole + (_FROM_LEFT[part] if part else "")
    return Text(sign.ljust(width), style=SIDES, no_wrap=True)


def winrate_graph(shares: Sequence[float], width: int, height: int) -> Text:
    """Draw Black's chances from move to move, as an area under White's; a long game is squeezed.

    The ground changes at one half."""
    columns = [round(share * height * 8) for share in _squeezed(shares, width)]
    picture = Text(no_wrap=True)
    for row in range(height - 1, -1, -1):
        cells = "".join(_FROM_BELOW[min(8, max(0, filled - 8 * row))] for filled in columns)
        picture.append(cells, style=SIDES if 2 * row >= height else LOWER_HALF)
        picture.append("·" * (width - len(cells)), style="dim")
        picture.append("\n" if row else "")
    return picture


def _squeezed(shares: Sequence[float], width: int) -> list[float]:
    """Return at most `width` numbers: means of neighbours if there are more."""
    count = min(width, len(shares))
    edges = [i * len(shares) // count for i in range(count + 1)] if count else [0]
    return [sum(shares[a:b]) / (b - a) for a, b in pairwise(edges)]


def result_in_words(result: str) -> str:
    """Return "Black wins by resignation" for ``"B+R"``, "White wins by 1.5 points" for ``"W+1.5"``."""
    if result == "0":
        return "nobody wins: the score is even"
    winner, margin = "Black" if result.startswith("B") else "White", result[2:]
    by = "resignation" if margin == "R" else f"{margin} point{'' if margin in ('1', '0.5') else 's'}"
    return f"{winner} wins by {by}"
