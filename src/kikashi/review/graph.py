"""The graph of a reviewed game: `as_text` for a console, `as_svg` for everything else.

Above is the win rate, Black's dark from below and White's light from above; below is the score, Black's lead upwards.
"""

from collections.abc import Iterator, Sequence
from math import ceil

import numpy as np
from rich.text import Text

from kikashi.board.points import BLACK, WHITE
from kikashi.game.moves import format_score
from kikashi.pictures import svg
from kikashi.pictures.svg import Axis
from kikashi.review.review import MISTAKES, MoveReview, Review, better
from kikashi.wording import plural

# --- what both draw ---------------------------------------------------------------------------------------------------


def _score_range(review: Review) -> tuple[float, float]:
    """Return round numbers below 0 and above 0 that no score exceeds."""
    scores = [evaluation.score for evaluation in review.evaluations]
    step = max(1.0, svg.round_step(max(map(abs, scores)) / 5))
    return -float(step * max(1, ceil(-min(scores) / step))), float(step * max(1, ceil(max(scores) / step)))


def _ticks(moves: int, most: int) -> list[int]:
    """Return at most `most` round move numbers from 0 on."""
    return list(range(0, moves + 1, max(1, round(svg.round_step(moves / (most - 0.5))))))


def _partly(review: Review) -> str:
    """Return a note on a review that was interrupted; an empty text for a whole one."""
    is_whole = len(review.moves) == review.total
    return "" if is_whole else f"the first {len(review.moves)} of {plural(review.total, 'move')}"


def _in_order(review: Review, mistakes: int) -> list[MoveReview]:
    return sorted(review.mistakes(mistakes), key=lambda move: move.number)


# --- the terminal -----------------------------------------------------------------------------------------------------

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of a braille sign: four rows of two dots."""
_BLACK, _WHITE, _LINE = "rgb(52,52,58)", "rgb(226,220,208)", "rgb(140,136,128)"
_SCORE, _MISTAKE = "rgb(64,140,200)", "bold rgb(220,70,50)"
_MARGIN = 8
_LEAST_WIDTH, _LEAST_HEIGHT = 30, 12


def as_text(review: Review, width: int = 80, height: int = 20, mistakes: int = MISTAKES) -> Text:
    """Draw the graph in `width` columns and `height` rows, or more if it needs them to be readable."""
    columns = max(width, _LEAST_WIDTH) - _MARGIN - 1
    rows = max(height, _LEAST_HEIGHT) - 4  # the title, the mistakes in two rows, the axis
    upper = rows * 2 // 3 // 2 * 2 + 1  # odd, so that one half is the middle of a row
    picture = Text(no_wrap=True, overflow="crop")
    title, partly = review.title[: columns + _MARGIN], _partly(review)
    legend = "   Black's win rate and score" + (f", {partly}" if partly else "")
    picture.append(title, style="bold")
    picture.append((legend if len(title + legend) <= columns + _MARGIN else "") + "\n", style="dim")
    _append_winrate(picture, review, columns, upper)
    _append_marks(picture, review, columns, mistakes)
    _append_score(picture, review, columns, rows - upper)
    _append_axis(picture, review, columns)
    return picture


def _sampled(values: Sequence[float], samples: int) -> list[float]:
    """Return values at evenly spaced places from the first to the last, in between on straight lines."""
    places = np.linspace(0, len(values) - 1, samples)
    return list(np.interp(places, range(len(values)), values))


def _append_winrate(picture: Text, review: Review, columns: int, rows: int) -> None:
    heights = [round(8 * rows * rate) for rate in _sampled([e.winrate for e in review.evaluations], columns)]
    labels = {0: "100%", rows // 2: "50%", rows - 1: "0%"}
    for row in range(rows):
        picture.append(f"{labels.get(row, ''):>{_MARGIN - 1}} ", style="dim")
        base = 8 * (rows - 1 - row)
        for height in heights:
            eighths = min(8, max(0, height - base))
            behind = _BLACK if eighths == 8 else _WHITE  # also behind a full block: fonts leave seams
            if row == rows // 2 and eighths in (0, 8):
                picture.append("╌", style=f"{_LINE} on {behind}")
            else:
                picture.append(_EIGHTHS[eighths], style=f"{_BLACK} on {behind}")
        picture.append("\n")


def _append_marks(picture: Text, review: Review, columns: int, mistakes: int) -> None:
    """Append a row of triangles, filled for Black's mistakes, and a row of their numbers as far as there is room."""
    signs, numbers = [" "] * columns, [" "] * (columns + 1)
    marked = _in_order(review, mistakes)
    for move in marked:
        signs[_column(move.number, review, columns)] = "▲" if move.color == BLACK else "△"
    for move in review.mistakes(mistakes):
        text = str(move.number)
        first = min(max(0, _column(move.number, review, columns) - len(text) // 2), columns - len(text))
        if all(sign == " " for sign in numbers[max(0, first - 1) : first + len(text) + 1]):
            numbers[first : first + len(text)] = text
    for cells in (signs, numbers):
        label = "lost" if marked and cells is signs else ""
        picture.append(f"{label:>{_MARGIN - 1}} ", style="dim")
        picture.append("".join(cells).rstrip() + "\n", style=_MISTAKE)


def _append_score(picture: Text, review: Review, columns: int, rows: int) -> None:
    low, high = _score_range(review)
    scores = _sampled([evaluation.score for evaluation in review.evaluations], 2 * columns)
    zero, *dots = [round((high - score) / (high - low) * (4 * rows - 1)) for score in [0.0, *scores]]
    cells = [[0] * columns for _ in range(rows)]
    for x, (y, before) in enumerate(zip(dots, [dots[0], *dots[:-1]], strict=True)):
        for between in range(min(y, before + (before < y)), max(y, before - (before > y)) + 1):
            cells[between // 4][x // 2] |= _DOTS[between % 4][x % 2]
    labels = {zero // 4: "even", 0: format_score(high), rows - 1: format_score(low)}
    for row, signs in enumerate(cells):
        picture.append(f"{labels.get(row, ''):>{_MARGIN - 1}} ", style="dim")
        for bits in signs:
            if bits:
                picture.append(chr(0x2800 + bits), style=_SCORE)
            else:
                picture.append("╌" if row == zero // 4 else " ", style="dim")
        picture.append("\n")


def _append_axis(picture: Text, review: Review, columns: int) -> None:
    cells = [" "] * columns
    for tick in _ticks(len(review.moves), max(2, columns // 6)):
        place = min(_column(tick, review, columns), columns - len(str(tick)))
        cells[place : place + len(str(tick))] = str(tick)
    picture.append(f"{'move':>{_MARGIN - 1}} " + "".join(cells).rstrip(), style="dim")


def _column(number: int, review: Review, columns: int) -> int:
    return round(number * (columns - 1) / len(review.moves))


# --- SVG --------------------------------------------------------------------------------------------------------------

_WIDTH, _LEFT, _RIGHT = 960, 64, 28
_LABEL_ROW, _LIST_ROW = 22, 20
_RATE_HEIGHT, _SCORE_HEIGHT, _GAP = 260, 130, 34
_PAPER = "#fbf8f2"
_STONES = {BLACK: "#1f1f22", WHITE: "#ffffff"}
_STYLE = """
text { font: 13px "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #4a463f; }
.title { font-size: 21px; font-weight: 600; fill: #26241f; }
.small { font-size: 12px; fill: #857f74; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.mark { font-size: 12px; font-weight: 600; fill: #b5371f; text-anchor: middle; }
.leader { stroke: #c8452b; stroke-width: 1; stroke-dasharray: 2 3; opacity: 0.75; }
.grid { stroke: #d9d2c4; stroke-width: 1; } .half { stroke: #a8823f; stroke-width: 1.25; stroke-dasharray: 6 5; }
.frame { fill: none; stroke: #bdb5a5; stroke-width: 1; }
.score { stroke: #2f73a8; stroke-width: 2; stroke-linejoin: round; }
.hover { fill: #000; fill-opacity: 0; } .hover:hover { fill: #c8452b; fill-opacity: 0.12; }
"""


class _Sheet:
    """The SVG picture: its layout, and a method for each part."""

    def __init__(self, review: Review, mistakes: int) -> None:
        self.review = review
        self.x = Axis(0, len(review.moves), _LEFT, _WIDTH - _RIGHT)
        """Of the position after a number of moves."""
        self.mistakes = _in_order(review, mistakes)
        self.label_rows, depth = _label_rows([self.x.at(move.number) for move in self.mistakes])
        self.top = 84 + _LABEL_ROW * max(1, depth)
        self.rate = Axis(0, 1, self.top + _RATE_HEIGHT, self.top)
        score_top = self.top + _RATE_HEIGHT + _GAP
        self.bottom = score_top + _SCORE_HEIGHT
        self.score = Axis(*_score_range(review), self.bottom, score_top)
        self.height = self.bottom + 62 + _LIST_ROW * len(self.mistakes)

    def heading(self) -> Iterator[str]:
        review = self.review
        stones = [plural(review.handicap, "handicap stone")] if review.handicap else []
        about = [f"{review.size}×{review.size}", *stones, f"komi {review.komi:g}", plural(review.total, "move")]
        about += [partly] if (partly := _partly(review)) else []
        title = review.title if len(review.title) <= 80 else review.title[:79] + "…"
        yield svg.text(_LEFT, 40, title, class_="title")
        yield svg.text(_LEFT, 62, " · ".join([*about, f"reviewed by {review.by}"]), class_="small")

    def winrate(self) -> Iterator[str]:
        left, bottom = self.x.start, self.rate.start
        yield from self._panel(self.rate, [0.25, 0.75], "#f1e9d8")
        values = [evaluation.winrate for evaluation in self.review.evaluations]
        yield from self._area(self.rate, values, base=0.0, half=0.5, fill="#3a3a40")
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            yield svg.text(left - 8, self.rate.at(share) + 4, f"{share:.0%}", class_="small end")
        yield svg.text(left + 12, bottom - 12, "Black", style="fill:#d8d4cb")
        yield svg.text(left + 12, self.top + 22, "White", style="fill:#857f74")

    def scores(self) -> Iterator[str]:
        left, low, high = self.x.start, self.score.low, self.score.high
        yield from self._panel(self.score, [low / 2, high / 2], "#ffffff")
        values = [evaluation.score for evaluation in self.review.evaluations]
        yield from self._area(self.score, values, base=0.0, half=0.0, fill="#2f73a8", fill_opacity="0.14")
        yield svg.polyline(self._curve(self.score, values), class_="score")
        for score in (low, 0.0, high):
            label = format_score(score) if score else "even"
            yield svg.text(left - 8, self.score.at(score) + 4, label, class_="small end")
        yield svg.text(left + 12, self.score.end + 20, "score", class_="small")

    def _panel(self, axis: Axis, grid: Sequence[float], fill: str) -> Iterator[str]:
        """Draw the ground of an axis, with lines at some values."""
        yield svg.rectangle(self.x.start, axis.end, self.x.end - self.x.start, axis.start - axis.end, fill=fill)
        for value in grid:
            yield svg.line((self.x.start, axis.at(value)), (self.x.end, axis.at(value)), class_="grid")

    def _area(self, axis: Axis, values: Sequence[float], base: float, half: float, **look: str) -> Iterator[str]:
        """Draw the area between values and a base, the line of even chances, and the frame."""
        ends = [(x, axis.at(base)) for x in (self.x.end, self.x.start)]
        yield svg.polygon([*self._curve(axis, values), *ends], **look)
        yield svg.line((self.x.start, axis.at(half)), (self.x.end, axis.at(half)), class_="half")
        yield svg.rectangle(self.x.start, axis.end, self.x.end - self.x.start, axis.start - axis.end, class_="frame")

    def _curve(self, axis: Axis, values: Sequence[float]) -> list[svg.Place]:
        return [(self.x.at(number), axis.at(value)) for number, value in enumerate(values)]

    def axis(self) -> Iterator[str]:
        for tick in _ticks(len(self.review.moves), 16):
            x = self.x.at(tick)
            yield svg.line((x, self.bottom), (x, self.bottom + 6), class_="grid")
            yield svg.text(x, self.bottom + 20, tick, class_="small middle")

    def marks(self) -> Iterator[str]:
        """Draw a dot of the mover's colour at each mistake, and its number, move and loss above the panel."""
        labels = []
        for move, row in zip(self.mistakes, self.label_rows, strict=True):
            x, y, label = self.x.at(move.number), self.rate.at(move.after.winrate), self.top - 10 - _LABEL_ROW * row
            at = min(max(x, _LEFT + 20), _WIDTH - _RIGHT - 40)
            words = f"{move.number} {move.move} −{move.loss:.0%}"
            yield svg.line((x, label + 5), (x, y - 6), class_="leader")
            yield svg.circle(x, y, 5.5, fill=_STONES[move.color], stroke="#c8452b", stroke_width="2.5")
            width = 7.6 * len(words)  # paper behind the text, over the lines that lead to labels above it
            labels.append(svg.rectangle(at - width / 2, label - 11, width, 14, fill=_PAPER))
            labels.append(svg.text(at, label, words, class_="mark"))
        yield from labels

    def tooltips(self) -> Iterator[str]:
        """Draw a strip over each move, with its evaluation as a tooltip."""
        width, height = self.x.at(1) - self.x.at(0), self.bottom - self.top
        for move in self.review.moves:
            color = "Black" if move.color == BLACK else "White"
            words = svg.title(f"{move.number} {color} {move.move}: {move.after}")
            yield svg.rectangle(self.x.at(move.number) - width / 2, self.top, width, height, words, class_="hover")

    def list(self) -> Iterator[str]:
        for index, move in enumerate(self.mistakes):
            y = self.bottom + 50 + _LIST_ROW * index
            yield svg.circle(_LEFT + 6, y - 4.5, 5, fill=_STONES[move.color], stroke="#6d675c")
            yield svg.text(_LEFT + 44, y, move.number, class_="end")
            yield svg.text(_LEFT + 56, y, move.move)
            yield svg.text(_LEFT + 104, y, f"{move.grade}, −{move.loss:.0%}", style="fill:#b5371f")
            yield svg.text(_LEFT + 234, y, f"better {better(move)}")


def as_svg(review: Review, mistakes: int = MISTAKES) -> svg.Picture:
    """Draw the graph as SVG, with the greatest mistakes and their better lines listed below."""
    sheet = _Sheet(review, mistakes)
    drawn = (sheet.heading, sheet.winrate, sheet.scores, sheet.axis, sheet.marks, sheet.tooltips, sheet.list)
    parts = [svg.element("style", _STYLE), *(part for draw in drawn for part in draw())]
    return svg.picture(_WIDTH, sheet.height, parts, review.title, _PAPER)


def _label_rows(places: Sequence[float], room: float = 98.0) -> tuple[list[int], int]:
    """Return the lowest row where each label, from left to right, touches no other; and the number of rows."""
    ends: list[float] = []
    rows = []
    for place in places:
        row = next((row for row, end in enumerate(ends) if place - end >= room), len(ends))
        ends[row : row + 1] = [place]
        rows.append(row)
    return rows, len(ends)
