"""Boards as SVG, for notebooks and pages: stones, the last move, marks, ownership and candidates.

Without styles and names that others on the page could have too, and on wood, so that it looks the same on dark and
light pages. Colours carry no information that is not written or shaped as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kikashi.board.points import BLACK, PASS, WHITE, column_of, point, points_of, row_of, vertex
from kikashi.pictures import svg

WIDEST, CELL = 700, 44
"""Pixels of the largest board, and of the space between two lines on smaller ones."""
WOOD, INK, LETTERS = "#dfb878", "#6b4d22", "#4a3414"
STONES = {BLACK: "#1c1c1e", WHITE: "#fcfbf7"}
EDGES = {BLACK: "#000000", WHITE: "#55524a"}
ON_STONE = {BLACK: "#ffffff", WHITE: "#1c1c1e"}
BEST, OTHERS, ON_CANDIDATE = "#6fd0ea", "#bfe08f", "#102027"
LEAST_OWNED = 0.1
"""The least ownership that is drawn."""


@dataclass(frozen=True)
class Candidate:
    point: int
    winrate: float
    """From the side of the player to move."""
    visits: int
    share: float
    """Its visits divided by those of the most visited move."""
    about: str = ""
    """The tooltip."""


def draw_board(
    size: int,
    stones: Sequence[int],
    *,
    about: str,
    last: int = PASS,
    ownership: Sequence[float] = (),
    candidates: Sequence[Candidate] = (),
    marks: Mapping[int, str] | None = None,
) -> svg.Picture:
    """Draw a board as SVG.

    `stones` and `ownership` are by point, A1 first: EMPTY, BLACK or WHITE, and from 1 for Black's to -1 for White's.
    Of `candidates` the best comes first; `marks` are short texts by point; `about` describes the picture in words.
    Raises ValueError if `ownership` is not that of all points.
    """
    if len(ownership) not in (0, size**2):
        raise ValueError(f"ownership is by point: {size**2} numbers, not {len(ownership)}")
    sheet = _Sheet(size, min(CELL, WIDEST / (size + 1)))
    colors = dict(zip(points_of(size), stones, strict=True))
    marks = marks or {}
    covered = {*marks, *(each.point for each in candidates)}
    owners = {p: owner for p, owner in zip(points_of(size), ownership, strict=False) if p not in covered}
    parts = [
        *_lines(sheet),
        *_coordinates(sheet),
        *(_stone(sheet, p, color) for p, color in colors.items() if color in STONES),
        *_owned(sheet, colors, owners),
        *(_last_move(sheet, p, colors[p]) for p in [last] if colors.get(p) in STONES and p not in marks),
        *(_candidate(sheet, each, is_best=not k) for k, each in enumerate(candidates) if each.point in colors),
        *(_mark(sheet, p, words, colors[p]) for p, words in marks.items()),
    ]
    return svg.picture(
        sheet.side, sheet.side, parts, about, WOOD, font_family="system-ui, sans-serif", text_anchor="middle"
    )


@dataclass(frozen=True)
class _Sheet:
    """Places on a board of a size, in pixels."""

    size: int
    cell: float

    @property
    def side(self) -> float:
        return self.cell * (self.size + 1)

    def at(self, p: int) -> svg.Place:
        return self.cell * column_of(p), self.cell * (self.size + 1 - row_of(p))

    def words(self, x: float, y: float, words: object, height: float, **attributes: object) -> str:
        """Return a text around a place, its letters as high as a part of a cell."""
        letters = self.cell * height
        return svg.text(x, y + 0.35 * letters, words, font_size=letters, **attributes)


# --- the board --------------------------------------------------------------------------------------------------------


def is_star(column: int, row: int, size: int) -> bool:
    """Return whether a board has a star point here."""
    if size < 7:
        return False
    line = 3 if size < 13 else 4
    corners, middle = {line, size + 1 - line}, (size + 1) // 2
    if column in corners and row in corners:
        return True
    if size % 2 == 0:
        return False
    sides = corners | {middle} if size >= 15 else {middle}
    return column in sides and row in sides


def _lines(sheet: _Sheet) -> Iterator[str]:
    near, far = sheet.cell, sheet.cell * sheet.size
    for line in range(1, sheet.size + 1):
        at, width = sheet.cell * line, 2 if line in (1, sheet.size) else 1
        yield svg.line((near, at), (far, at), stroke=INK, stroke_width=width, stroke_linecap="square")
        yield svg.line((at, near), (at, far), stroke=INK, stroke_width=width, stroke_linecap="square")
    for p in points_of(sheet.size):
        if is_star(column_of(p), row_of(p), sheet.size):
            yield svg.circle(*sheet.at(p), max(2.5, 0.08 * sheet.cell), fill=INK)


def _coordinates(sheet: _Sheet) -> Iterator[str]:
    """Yield letters above and below and numbers at both sides, in the half of a cell that stones leave free."""
    near, far = 0.29 * sheet.cell, sheet.side - 0.29 * sheet.cell
    for line in range(1, sheet.size + 1):
        x, y = sheet.at(point(line, line))
        for edge in (near, far):
            yield sheet.words(x, edge, vertex(point(line, 1))[0], 0.32, fill=LETTERS)
            yield sheet.words(edge, y, line, 0.32, fill=LETTERS)


def _stone(sheet: _Sheet, p: int, color: int) -> str:
    return svg.circle(*sheet.at(p), 0.47 * sheet.cell, fill=STONES[color], stroke=EDGES[color])


def _last_move(sheet: _Sheet, p: int, color: int) -> str:
    return svg.circle(*sheet.at(p), 0.22 * sheet.cell, fill="none", stroke=ON_STONE[color], stroke_width=2)


# --- ownership, candidates, marks -------------------------------------------------------------------------------------


def _owned(sheet: _Sheet, colors: Mapping[int, int], owners: Mapping[int, float]) -> Iterator[str]:
    """Yield a square of its owner's colour at these points, the larger the surer; none on the owner's own stones."""
    for p, owner in owners.items():
        color = BLACK if owner > 0 else WHITE
        if abs(owner) < LEAST_OWNED or colors[p] == color:
            continue
        (x, y), side = sheet.at(p), 0.46 * sheet.cell * min(1.0, abs(owner))
        square = {"fill": STONES[color], "stroke": EDGES[color], "stroke_width": "0.5"}
        yield svg.rectangle(x - side / 2, y - side / 2, side, side, **square)


def _candidate(sheet: _Sheet, move: Candidate, *, is_best: bool) -> str:
    """Draw a disc with win rate and visits; the best one has a rim, the others fade with their share."""
    x, y = sheet.at(move.point)
    edge = {"stroke": ON_CANDIDATE, "stroke_width": 2} if is_best else {}
    strength = "1" if is_best else f"{0.55 + 0.45 * min(1.0, move.share):.2f}"
    return svg.element(
        "g",
        *([svg.title(move.about)] if move.about else []),
        svg.circle(x, y, 0.47 * sheet.cell, fill=BEST if is_best else OTHERS, fill_opacity=strength, **edge),
        sheet.words(x, y - 0.12 * sheet.cell, f"{100 * move.winrate:.0f}", 0.38, font_weight="bold", fill=ON_CANDIDATE),
        sheet.words(x, y + 0.21 * sheet.cell, _short(move.visits), 0.27, fill=ON_CANDIDATE),
    )


def _short(number: int) -> str:
    """Return a number in four signs at most: ``850``, ``1.2k``, ``34k``, ``2.1M``."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if number >= 0.9995 * unit:
            return f"{number / unit:.1f}{sign}" if number < 9.95 * unit else f"{number / unit:.0f}{sign}"
    return str(number)


def _mark(sheet: _Sheet, p: int, words: str, color: int) -> str:
    """Draw a short text on a stone, or on a piece of wood that hides the lines."""
    x, y = sheet.at(p)
    height = {1: 0.52, 2: 0.46}.get(len(words), 0.34)
    letters = sheet.words(x, y, words, height, font_weight="bold", fill=ON_STONE.get(color, LETTERS))
    ground = "" if color in STONES else svg.circle(x, y, 0.34 * sheet.cell, fill=WOOD)
    return svg.element("g", ground, letters)
