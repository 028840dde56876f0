"""Plots as SVG, each with a title and axes: curves with their bands, several curves, bars, intervals, a histogram."""

import math
from collections.abc import Iterable, Mapping, Sequence

from kikashi.pictures import svg
from kikashi.pictures.svg import GRID, Axis, Picture

WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 36, 44
LETTERS, LETTER = 30, 7
"""Of names at the left, where every row has one: how many, and the width of a wide one."""
NAMED = 12
"""Rows up to which the description of a picture has their names."""
ROW = 26
MOST_TICKS = 10
COLORS = ("#3b82c4", "#d1493b", "#35a065", "#c2920d", "#8a6bbd", "#858585", "#dd7a2f", "#17999c")
"""Readable on white and on black."""
DASHED = {"stroke_dasharray": "5 4"}

Curve = Sequence[tuple[float, float]]
Bounds = Sequence[tuple[float, float]]
"""The low and the high bound of each point of a curve."""


def band(
    middle: Sequence[float], low: Sequence[float], high: Sequence[float], *, title: str, x_label: str, y_label: str
) -> Picture:
    """Draw a share, from 0 to 1, after each of a number of games, between its bounds."""
    line, bounds = list(enumerate(middle, 1)), list(zip(low, high, strict=True))
    return _line(title, (x_label, y_label), line, bounds, [0.5], Axis(0, 1, HEIGHT - BOTTOM, TOP), percent=True)


def drift(
    line: Curve, bounds: Bounds, *, title: str, x_label: str, y_label: str, start: float, logarithmic: bool = False
) -> Picture:
    """Draw a value that leaves its start, dashed, and the bounds within which that means nothing."""
    ys = [*(y for _, y in line), *(y for pair in bounds for y in pair), start]
    return _line(title, (x_label, y_label), line, bounds, [start], _axis_of(ys, logarithmic))


def walk(values: Sequence[float], low: float, high: float, *, title: str, x_label: str, y_label: str) -> Picture:
    """Draw a value before the first of some steps and after each, and two bounds that it may reach."""
    line = list(enumerate(values))
    return _line(title, (x_label, y_label), line, [], [low, high], _axis_of([low, high, *values]))


def _line(
    title: str,
    labels: tuple[str, str],
    line: Curve,
    bounds: Bounds,
    levels: Sequence[float],
    y: Axis,
    *,
    percent: bool = False,
) -> Picture:
    xs = [x for x, _ in line] or [0.0]
    x = Axis(min(xs), max(min(xs) + 1, *xs), LEFT, WIDTH - RIGHT)
    low, high = ([(x.at(a), y.at(pair[side])) for a, pair in zip(xs, bounds, strict=False)] for side in (0, 1))
    parts = [
        svg.polygon(high + low[::-1], fill=COLORS[0], opacity="0.18"),
        *(_level(y, level) for level in levels),
        svg.polyline([(x.at(a), y.at(b)) for a, b in line], stroke=COLORS[0], stroke_width=2),
    ]
    return _plot(title, x, y, labels, parts, percent=percent, y_ticks=_decades(y) if y.logarithmic else ())


def _decades(axis: Axis) -> list[float]:
    """Return 1, 2 and 5 times powers of ten along a logarithmic axis; only the powers on a long one."""
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    steps = (1, 2, 5) if last - first < 5 else (1,)
    values = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
    return [value for value in values if axis.low <= value <= axis.high]


def curves(
    lines: Mapping[str, Curve], *, title: str, x_label: str, y_label: str, others: Mapping[str, Curve] | None = None
) -> Picture:
    """Draw curves on logarithmic axes with a legend; `others`, by the same names, are dashed: a paper's, say."""
    others = others or {}
    every = [point for line in [*lines.values(), *others.values()] for point in line]
    x = Axis(*_ends([x for x, _ in every]), LEFT + 10, WIDTH - RIGHT - 120, True)
    y = _axis_of([y for _, y in every if y > 0] or [1.0, 2.0], logarithmic=True)
    parts = []
    for k, (name, line) in enumerate(lines.items()):
        color = COLORS[k % len(COLORS)]
        ours, theirs = ([(x.at(a), y.at(b)) for a, b in of if b > 0] for of in (line, others.get(name, ())))
        parts += [*_dotted(ours, color), *_legend(k, name, color)]
        if theirs:
            parts.append(svg.polyline(theirs, stroke=color, stroke_width=2, opacity="0.6", **DASHED))
    return _plot(title, x, y, (x_label, y_label), parts, names=lines)


def trends(
    lines: Mapping[str, Curve],
    *,
    title: str,
    x_label: str,
    y_label: str,
    bounds: Mapping[str, Bounds] | None = None,
    middle: float | None = None,
    doubling: bool = False,
) -> Picture:
    """Draw curves over one quantity with a legend, on a y axis that may go below 0.

    Each point may have bounds, and a dashed line is at `middle`. With `doubling` the x axis is logarithmic, with a tick
    at each value if these are few.
    """
    bounds = bounds or {}
    xs = [x for line in lines.values() for x, _ in line]
    ys = [y for line in lines.values() for _, y in line] or [0.0, 1.0]
    ys += [y for pairs in bounds.values() for pair in pairs for y in pair]
    x = Axis(*_ends(xs), LEFT + 10, WIDTH - RIGHT - 120, doubling)
    y = _axis_of(ys if middle is None else [*ys, middle])
    parts = [] if middle is None else [_level(y, middle, x.end)]
    for k, (name, line) in enumerate(lines.items()):
        color = COLORS[k % len(COLORS)]
        for (at, _), (low, high) in zip(line, bounds.get(name, ()), strict=False):
            parts.append(svg.line((x.at(at), y.at(low)), (x.at(at), y.at(high)), stroke=color, opacity="0.5"))
        parts += [*_dotted([(x.at(a), y.at(b)) for a, b in line], color), *_legend(k, name, color)]
    ticks = sorted(set(xs)) if doubling and len(set(xs)) <= MOST_TICKS else ()
    return _plot(title, x, y, (x_label, y_label), parts, x_ticks=ticks, names=lines)


def two_scales(left: tuple[str, Curve], right: tuple[str, Curve], *, title: str, x_label: str) -> Picture:
    """Draw two curves over one quantity, each with a y axis at its side, in its colour."""
    x = Axis(*_ends([x for _, line in (left, right) for x, _ in line]), LEFT + 10, WIDTH - RIGHT - 60)
    ys = [_axis_of([y for _, y in line] or [0.0, 1.0]) for _, line in (left, right)]
    parts = [_text(WIDTH - RIGHT - 44, ys[1].at(tick) + 4, svg.number(tick), "start") for tick in ys[1].ticks()]
    parts.append(_upright(WIDTH - 10, right[0], 90))
    for k, ((_, line), y, side) in enumerate(zip((left, right), ys, (LEFT, WIDTH - RIGHT - 50), strict=True)):
        parts += _dotted([(x.at(a), y.at(b)) for a, b in line], COLORS[k])
        parts.append(svg.line((side, TOP), (side, HEIGHT - BOTTOM), stroke=COLORS[k], stroke_width=2))
    return _plot(title, x, ys[0], (x_label, left[0]), parts, names=[right[0]])


def histogram(values: Sequence[float], *, title: str, x_label: str, y_label: str = "games", bins: int = 24) -> Picture:
    """Draw the number of values in equal ranges."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    width = max(1.0, (high - low) / bins)
    counts = [0] * (int((high - low) / width) + 1)
    for value in values:
        counts[int((value - low) / width)] += 1
    x = Axis(low, low + width * len(counts), LEFT, WIDTH - RIGHT)
    y = Axis(0, max(counts) * 1.05 or 1.0, HEIGHT - BOTTOM, TOP)
    parts = []
    for k, count in enumerate(counts):
        left, right, top = x.at(low + width * k), x.at(low + width * (k + 1)), y.at(count)
        bar = max(1.0, right - left - 2)
        parts.append(svg.rectangle(left + 1, top, bar, HEIGHT - BOTTOM - top, fill=COLORS[0]))
    return _plot(title, x, y, (x_label, y_label), parts)


# --- a row for each name ----------------------------------------------------------------------------------------------


def bars(values: Mapping[str, float], label: str, *, title: str) -> Picture:
    """Draw a horizontal bar for each value."""
    x = Axis(0, max(values.values(), default=1.0) * 1.15 or 1.0, LETTER * LETTERS + 14, WIDTH - RIGHT - 60)
    parts = []
    for k, value in enumerate(values.values()):
        y, end = TOP + ROW * k, x.at(value)
        parts.append(svg.rectangle(x.start, y + 3, end - x.start, ROW - 6, fill=COLORS[0]))
        parts.append(_text(end + 6, y + 17, f"{value:.3g}", "start"))
    return _rows(title, x, label, list(values), parts)


def intervals(
    values: Mapping[str, tuple[float, float, float]],
    label: str,
    others: Mapping[str, float] | None = None,
    *,
    title: str,
    letters: int = LETTERS,
) -> Picture:
    """Draw for each name a point between its bounds, and an open square for a value of `others`: a paper's, say.

    Names are cut after a number of letters.
    """
    others = others or {}
    finite = [v for triple in values.values() for v in triple if math.isfinite(v)] or [0.0]
    finite += others.values()
    margin = 0.05 * (max(finite) - min(finite)) or 1.0
    x = Axis(min(finite) - margin, max(finite) + margin, LETTER * letters + 14, WIDTH - RIGHT)
    parts = []
    for k, (name, bounds) in enumerate(values.items()):
        y = TOP + ROW * k + ROW / 2
        low, middle, high = (x.at(min(max(v, x.low), x.high)) for v in bounds)
        parts.append(svg.line((low, y), (high, y), stroke=COLORS[0]))
        parts.append(svg.circle(middle, y, 4, fill=COLORS[0]))
        if name in others:
            left = x.at(others[name]) - 5
            parts.append(svg.rectangle(left, y - 5, 10, 10, fill="none", stroke=COLORS[1], stroke_width=2))
    return _rows(title, x, label, list(values), parts, letters)


def _cut(name: str, letters: int) -> str:
    return name if len(name) <= letters else f"{name[: letters - 1].rstrip()}…"


def _rows(
    title: str, x: Axis, label: str, names: Sequence[str], parts: Sequence[str], letters: int = LETTERS
) -> Picture:
    bottom = TOP + ROW * len(names)
    drawn = []
    for tick in x.ticks():
        drawn.append(svg.line((x.at(tick), TOP), (x.at(tick), bottom), stroke=GRID, class_="grid"))
        drawn.append(_text(x.at(tick), bottom + 16, svg.number(tick)))
    drawn += [_text(x.start - 10, TOP + ROW * k + 17, _cut(name, letters), "end") for k, name in enumerate(names)]
    drawn.append(_axis((x.start, TOP), (x.start, bottom)))
    drawn.append(_axis((x.start, bottom), (x.end, bottom)))
    drawn.append(_text((x.start + x.end) / 2, bottom + 36, label))
    about = ", ".join(names) if len(names) <= NAMED else f"{len(names)} rows"
    return _picture(title, [*drawn, *parts], f"{label}: {about}", bottom + BOTTOM)


# --- frames -----------------------------------------------------------------------------------------------------------


def _plot(
    title: str,
    x: Axis,
    y: Axis,
    labels: tuple[str, str],
    parts: Sequence[str],
    *,
    percent: bool = False,
    x_ticks: Sequence[float] = (),
    y_ticks: Sequence[float] = (),
    names: Iterable[str] = (),
) -> Picture:
    """Return a plot in its frame; ticks are at round values, or at those given."""
    frame = []
    for tick in y_ticks or y.ticks():
        frame.append(svg.line((LEFT, y.at(tick)), (WIDTH - RIGHT, y.at(tick)), stroke=GRID, class_="grid"))
        frame.append(_text(LEFT - 8, y.at(tick) + 4, f"{tick:.0%}" if percent else svg.number(tick), "end"))
    for tick in x_ticks or x.ticks():
        frame.append(_text(x.at(tick), HEIGHT - BOTTOM + 18, svg.number(tick)))
    frame.append(_axis((LEFT, TOP), (LEFT, HEIGHT - BOTTOM)))
    frame.append(_axis((LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, HEIGHT - BOTTOM)))
    frame.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, labels[0]))
    frame.append(_upright(14, labels[1], -90))
    about = ": ".join(filter(None, [f"{labels[1]} over {labels[0]}", ", ".join(names)]))
    return _picture(title, [*frame, *parts], about)


def _picture(title: str, parts: Sequence[str], about: str, height: float = HEIGHT) -> Picture:
    heading = svg.text(WIDTH / 2, 20, title[:100], text_anchor="middle", class_="title", font_size=14, fill="#222")
    words = f"{title} ({about})"
    drawn = [heading, *parts]
    return svg.picture(WIDTH, height, drawn, words, class_="plot", font_family="system-ui, sans-serif", font_size=12)


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return svg.text(x, y, words, text_anchor=anchor, fill="#555")


def _upright(x: float, words: str, angle: int) -> str:
    middle = (TOP + HEIGHT - BOTTOM) / 2
    return svg.element("g", _text(x, middle, words), transform=f"rotate({angle} {x} {middle})")


def _axis(start: svg.Place, end: svg.Place) -> str:
    return svg.line(start, end, stroke="#888", class_="axis")


def _level(y: Axis, value: float, end: float = WIDTH - RIGHT) -> str:
    return svg.line((LEFT, y.at(value)), (end, y.at(value)), stroke="#999", **DASHED)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return (min(values), max(values)) if values else (1.0, 2.0)


def _axis_of(values: Sequence[float], logarithmic: bool = False) -> Axis:
    """Return a y axis with some room above and below the values."""
    low, high = min(values), max(values)
    margin = 0.08 * (high - low) or 0.5
    ends = (low / 1.1, high * 1.1) if logarithmic else (low - margin, high + margin)
    return Axis(*ends, HEIGHT - BOTTOM, TOP, logarithmic)


def _dotted(places: Sequence[svg.Place], color: str) -> list[str]:
    if not places:
        return []
    return [svg.polyline(places, stroke=color, stroke_width=2), *(svg.circle(a, b, 3, fill=color) for a, b in places)]


def _legend(row: int, name: str, color: str) -> list[str]:
    at = TOP + 14 + 18 * row
    swatch = svg.rectangle(WIDTH - 116, at - 9, 12, 4, fill=color)
    return [swatch, _text(WIDTH - 98, at - 3, name[:16], "start")]
