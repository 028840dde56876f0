"""Elements of reports: sections, paragraphs, lists, tables, pictures, boards, games."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass

from kikashi.game import Game
from kikashi.pictures.svg import Picture
from kikashi.report.document import Element, Files, asset, joined, markdown_text


@dataclass(frozen=True)
class Section:
    """A heading with the elements below it; nothing at all where these are empty."""

    heading: str
    elements: Sequence[Element]

    def text(self) -> str:
        body = joined(element.text() for element in self.elements)
        return f"{self.heading}\n{'─' * len(self.heading)}\n\n{body}" if body else ""

    def markdown(self, files: Files) -> str:
        body = joined(element.markdown(files) for element in self.elements)
        return f"## {markdown_text(self.heading)}\n\n{body}" if body else ""

    def html(self) -> str:
        body = joined(element.html() for element in self.elements)
        return f"<h2>{html.escape(self.heading)}</h2>\n{body}" if body else ""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    words: str

    def text(self) -> str:
        return self.words

    def markdown(self, files: Files) -> str:
        return markdown_text(self.words)

    def html(self) -> str:
        return f"<p>{html.escape(self.words)}</p>" if self.words else ""


@dataclass(frozen=True)
class Items:
    """A list of lines, with a title or without; nothing at all without lines."""

    lines: Sequence[str]
    title: str = ""

    def text(self) -> str:
        return "\n".join([*filter(None, [self.title]), *(f"- {line}" for line in self.lines)]) if self.lines else ""

    def markdown(self, files: Files) -> str:
        title = f"{markdown_text(self.title)}\n\n" if self.title else ""
        return title + "\n".join(f"- {markdown_text(line)}" for line in self.lines) if self.lines else ""

    def html(self) -> str:
        items = "".join(f"<li>{html.escape(line)}</li>" for line in self.lines)
        return Paragraph(self.title).html() + f"<ul>{items}</ul>" if self.lines else ""


# --- tables -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Link:
    """A cell of a table that leads to a file beside the report."""

    words: str
    target: str

    def __str__(self) -> str:
        return self.words


Cell = str | Link
_NUMBER = set("0123456789+-–−.,:%±≤∞… []()Elo")


@dataclass(frozen=True)
class Table:
    """A table. Columns of numbers are aligned to the right."""

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    title: str = ""

    def _is_number(self, column: int) -> bool:
        return all(set(str(row[column])) <= _NUMBER for row in self.rows)

    def text(self) -> str:
        rows = [list(map(str, row)) for row in [self.head, *self.rows]]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        sides = [str.rjust if self._is_number(k) else str.ljust for k in range(len(widths))]
        lines = ["  ".join(side(c, w) for side, c, w in zip(sides, row, widths, strict=True)) for row in rows]
        lines.insert(1, "  ".join("─" * width for width in widths))
        return "\n".join(line.rstrip() for line in [*filter(None, [self.title]), *lines])

    def markdown(self, files: Files) -> str:
        title = f"{markdown_text(self.title)}\n\n" if self.title else ""
        rule = ["---:" if self._is_number(k) else "---" for k in range(len(self.head))]
        rows = [map(_markdown_cell, self.head), rule, *(map(_markdown_cell, row) for row in self.rows)]
        return title + "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def html(self) -> str:
        sides = [' class="number"' if self._is_number(k) else "" for k in range(len(self.head))]
        head = "".join(f"<th{side}>{html.escape(cell)}</th>" for side, cell in zip(sides, self.head, strict=True))
        rows = ("".join(f"<td{s}>{_html_cell(c)}</td>" for s, c in zip(sides, row, strict=True)) for row in self.rows)
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _markdown_cell(cell: Cell) -> str:
    words = markdown_text(str(cell)).replace("|", "\\|")
    return f"[{words}]({cell.target})" if isinstance(cell, Link) else words


def _html_cell(cell: Cell) -> str:
    words = html.escape(str(cell))
    return f'<a href="{html.escape(cell.target)}">{words}</a>' if isinstance(cell, Link) else words


# --- pictures ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure(Element):
    """A plot or another picture; in Markdown a file of this name. A terminal shows none."""

    picture: Picture
    name: str = ""

    def markdown(self, files: Files) -> str:
        name = f"{self.name or f'figure-{len(files) + 1}'}.svg"
        files[name] = f"{self.picture}\n"
        return f"![{markdown_text(self.picture.about)}]({name})"

    def html(self) -> str:
        return f"<figure>{self.picture}</figure>"


@dataclass(frozen=True)
class Board:
    """A position: a picture in HTML, else a diagram."""

    game: Game

    def text(self) -> str:
        return str(self.game)

    def markdown(self, files: Files) -> str:
        return f"```\n{self.game}\n```"

    def html(self) -> str:
        return Figure(self.game.picture()).html()


@dataclass(frozen=True)
class PlayedGame:
    """A game of a list: its row, and what the viewer needs to show it."""

    row: Sequence[str]
    """Its name first, which leads to the file or opens the viewer."""
    size: int
    moves: Sequence[str]
    """``D4``, ``pass`` …, Black first, with White first if there are handicap stones."""
    handicap: Sequence[str] = ()
    file: str = ""
    """An SGF file beside the report; empty without one."""


@dataclass(frozen=True)
class Games(Element):
    """A table of games; on a page of HTML each opens in a board viewer."""

    head: Sequence[str]
    games: Sequence[PlayedGame]

    def _table(self) -> Table:
        rows = [[Link(game.row[0], game.file) if game.file else game.row[0], *game.row[1:]] for game in self.games]
        return Table(self.head, rows)

    def markdown(self, files: Files) -> str:
        return self._table().markdown(files) if self.games else ""

    def html(self) -> str:
        if not self.games:
            return ""
        data = json_for_scripts([_viewed(game) for game in self.games])
        return f'<section class="games">{self._table().html()}{data}\n{board_script(asset("viewer.js"))}</section>'


def json_for_scripts(data: object) -> str:
    """Return data as an element of HTML that a script can read, whatever texts they contain."""
    text = json.dumps(data, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'<script type="application/json">{safe}</script>'


def board_script(script: str) -> str:
    """Return a script as HTML, in which ``drawBoard`` draws boards."""
    return f"<script>\n{{\n{asset('board.js')}\n{script}}}\n</script>"


def _viewed(game: PlayedGame) -> list[object]:
    """Return a game as ``viewer.js`` takes it."""
    return [" · ".join(game.row), game.size, " ".join(game.handicap), " ".join(game.moves)]
