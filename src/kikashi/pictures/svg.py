"""SVG: elements as text, pictures made of them, and axes from values to places.

Text and attributes are escaped here and nowhere else. Numbers are written with one digit after the point at most.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from kikashi.files import write_whole

Place = tuple[float, float]
"""x and y, in pixels from the top left."""
GRID = "#e4e4e4"


def element(name: str, *content: str, **attributes: object) -> str:
    """Return ``<name …>content</name>``, of content that is SVG already.

    An underscore in the name of an attribute becomes a dash, and none at the end: ``class_``, ``stroke_width``.
    """
    keys = {key.removesuffix("_").replace("_", "-"): value for key, value in attributes.items()}
    head = name + "".join(f' {key}="{_value(value)}"' for key, value in keys.items())
    return f"<{head}>{''.join(content)}</{name}>" if content else f"<{head}/>"


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return escape(str(value))


def text(x: float, y: float, words: object, **attributes: object) -> str:
    return element("text", escape(str(words), quote=False), x=x, y=y, **attributes)


def title(words: str) -> str:
    """Return the tooltip of the element around it."""
    return element("title", escape(words, quote=False))


def line(start: Place, end: Place, **attributes: object) -> str:
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attributes)


def rectangle(x: float, y: float, width: float, height: float, *content: str, **attributes: object) -> str:
    return element("rect", *content, x=x, y=y, width=width, height=height, **attributes)


def circle(x: float, y: float, radius: float, **attributes: object) -> str:
    return element("circle", cx=x, cy=y, r=radius, **attributes)


def polyline(places: Iterable[Place], **attributes: object) -> str:
    return element("polyline", points=_points(places), fill="none", **attributes)


def polygon(places: Iterable[Place], **attributes: object) -> str:
    return element("polygon", points=_points(places), **attributes)


def _points(places: Iterable[Place]) -> str:
    return " ".join(f"{_value(float(x))},{_value(float(y))}" for x, y in places)


class Picture(str):
    """A whole picture as text, with a description in words; notebooks draw it."""

    about: str

    def __new__(cls, text: str, about: str) -> Picture:
        made = super().__new__(cls, text)
        made.about = about
        return made

    def __repr__(self) -> str:
        return f"<Picture: {self.about}>"

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file. Raises ValueError if its name is that of another format, and OSError."""
        if Path(path).suffix.lower() not in ("", ".svg"):
            raise ValueError(f"a picture is saved as SVG: give the file a name that ends in .svg, not {path}")
        write_whole(path, self + "\n", make_folders=False)


def picture(
    width: float, height: float, parts: Sequence[str], about: str, ground: str = "white", **attributes: object
) -> Picture:
    """Return a picture on a ground of one colour, the same on pages of any colour; `about` describes it in words."""
    drawn = element(
        "svg",
        title(about),
        rectangle(0, 0, width, height, fill=ground),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=round(width),
        height=round(height),
        role="img",
        **attributes,
    )
    return Picture(drawn, about)


# --- axes -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """A scale from values, `low` to `high`, to places in a picture, `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        low, high, here = (math.log(v) if self.logarithmic else v for v in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (here - low) / ((high - low) or 1.0)

    def ticks(self, most: int = 6) -> list[float]:
        """Return about `most` round values along the axis; powers of 2 on a logarithmic one."""
        if self.logarithmic:
            first, last = math.ceil(math.log2(self.low) - 1e-9), math.floor(math.log2(self.high) + 1e-9)
            return [2.0**k for k in range(first, last + 1, max(1, (last - first) // 7))]
        step = round_step((self.high - self.low) / (most - 1))
        first = math.ceil(self.low / step - 1e-9)
        return [step * k for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def round_step(step: float) -> float:
    """Return the least of 1, 2 and 5 times a power of 10 that is not below a step; 1 for no step."""
    if step <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * k for k in (1, 2, 5, 10) if power * k >= step * 0.999)


def number(value: float) -> str:
    """Return a value as the label of a tick."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"
