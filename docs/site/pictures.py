"""Draws the settings of front ends for docs/guis.md, from front_ends.toml: ``python docs/site/pictures.py FOLDER``.

They are drawings, and say so: those programs are not here, and a drawing shows only what has to be filled in.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kikashi.files import write_whole
from kikashi.pictures import svg

TABLE = Path(__file__).with_name("front_ends.toml")
WIDTH, ROW, PAD, FIELD_WIDTH = 720, 34, 16, 300
LETTER, SMALL_LETTER = 7.0, 6.2
"""The width of a letter, about."""
INK, PALE, FRAME, ACCENT, GROUND, BAR = "#222", "#666", "#b4b4b4", "#1565c0", "#fafafa", "#e3e6ea"
SANS = {"font_family": "sans-serif", "font_size": 13}
MONO = {"font_family": "monospace", "font_size": 12.5}

Row = dict[str, Any]


def draw(front_end: dict[str, Any]) -> str:
    """One window of a front end as a picture."""
    parts = [
        svg.rectangle(0, 0, WIDTH, ROW, fill=BAR),
        svg.text(PAD, 22, front_end["window"], fill=INK, font_weight="bold", **SANS),
    ]
    y = ROW + 10
    for some, height in _from_above(front_end, y):
        parts += some
        y += height
    parts += _buttons(front_end.get("buttons", []), y)
    said = f"A drawing after the source of {front_end['program']}, not a screenshot"
    parts.append(svg.text(PAD, y + 20, said, fill=PALE, font_family="sans-serif", font_size=11))
    frame = svg.rectangle(0.5, 0.5, WIDTH - 1, y + 33, fill="none", stroke=FRAME)
    about = f"{front_end['window']}: a drawing after the source of {front_end['program']}"
    return svg.picture(WIDTH, y + 34, [*parts, frame], about, GROUND) + "\n"


def _from_above(front_end: dict[str, Any], y: float) -> Iterator[tuple[list[str], float]]:
    """What stands below the title, each with its height."""
    columns = _columns(front_end["rows"])
    for some, height in _heads(front_end, y):
        y += height
        yield some, height
    for row in front_end["rows"]:
        yield _row(row, y, *columns), ROW
        y += ROW


def _columns(rows: list[Row]) -> tuple[float, float]:
    """Where the fields begin and how wide they are, between the longest label and the longest note."""
    x = PAD + max(LETTER * len(row["label"]) + 10 if "label" in row else 0 for row in rows)
    notes = max(SMALL_LETTER * len(row["note"]) + 10 if "note" in row else 0 for row in rows)
    return x, min(FIELD_WIDTH, WIDTH - PAD - notes - x)


def _heads(front_end: dict[str, Any], y: float) -> Iterator[tuple[list[str], float]]:
    if "tabs" in front_end:
        yield _tabs(front_end["tabs"], front_end["tab"], y), ROW + 8
    elif "heading" in front_end:
        yield [svg.text(PAD, y + 16, front_end["heading"], fill=INK, font_weight="bold", **SANS)], ROW - 4


def _tabs(names: list[str], current: str, y: float) -> list[str]:
    parts, x = [], float(PAD)
    for name in names:
        width = 24 + LETTER * len(name)
        color = ACCENT if name == current else PALE
        parts.append(svg.text(x + width / 2, y + 18, name, fill=color, text_anchor="middle", **SANS))
        parts.append(svg.line((x, y + 28), (x + width, y + 28), stroke=color, stroke_width=3 if name == current else 1))
        x += width
    return parts


def _row(row: Row, y: float, x: float, width: float) -> list[str]:
    if "item" in row:
        return _item(row, y)
    if "check" in row:
        return _box(row, y, x)
    edge = {"stroke": ACCENT, "stroke_width": 2} if row.get("chosen") else {"stroke": FRAME}
    if len(row["value"]) * LETTER > width - PAD and "note" not in row:
        width = WIDTH - PAD - x
    parts = [svg.rectangle(x, y + 2, width, 25, rx=3, fill="white", **edge)]
    parts.append(svg.text(x + 8, y + 19, row["value"], fill=INK, **MONO))
    if "label" in row:
        parts.append(svg.text(x - 10, y + 19, row["label"], fill=INK, text_anchor="end", **SANS))
    if "note" in row:
        parts.append(_note(row, x + width + 10, y))
    return parts


def _note(row: Row, x: float, y: float) -> str:
    return svg.text(x, y + 19, row["note"], fill=PALE, font_family="sans-serif", font_size=12, font_style="italic")


def _box(row: Row, y: float, x: float) -> list[str]:
    ticked = [svg.polyline([(x + 3, y + 15), (x + 6, y + 19), (x + 12, y + 10)], stroke=ACCENT, stroke_width=2)]
    return [
        svg.rectangle(x, y + 7, 15, 15, rx=2, fill="white", stroke=FRAME),
        *(ticked if row.get("on") else []),
        svg.text(x + 24, y + 19, row["check"], fill=INK, **SANS),
    ]


def _item(row: Row, y: float) -> list[str]:
    ground = [svg.rectangle(6, y, WIDTH - 12, ROW - 4, rx=3, fill="#dbe8f7")] if row.get("chosen") else []
    parts = [*ground, svg.text(PAD + 8, y + 19, row["item"], fill=INK, **SANS)]
    return [*parts, _note(row, WIDTH / 2, y)] if "note" in row else parts


def _buttons(names: list[str], y: float) -> list[str]:
    """From the right, on the line of the last words."""
    parts, x = [], float(WIDTH - PAD)
    for name in reversed(names):
        width = 24 + LETTER * len(name)
        x -= width
        parts.append(svg.rectangle(x, y + 2, width, 25, rx=3, fill=BAR, stroke=FRAME))
        parts.append(svg.text(x + width / 2, y + 19, name, fill=INK, text_anchor="middle", **SANS))
        x -= 8
    return parts


def front_ends() -> dict[str, dict[str, Any]]:
    """The table, by the names of the pictures."""
    return tomllib.loads(TABLE.read_text("utf-8"))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, front_end in front_ends().items():
        write_whole(folder / f"{name}.svg", draw(front_end))
