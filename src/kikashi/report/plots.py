"""Small plots as SVG text: curves with their bands, several curves, bars, intervals, a histogram."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from kikashi.pictures import svg
from kikashi.pictures.svg import GRID, Axis, Picture

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 16, 44
NAMES = 160
"""Room for names at the left, where every row has one."""
COLORS = ("#2b6ca3", "#c0392b", "#2e8b57", "#b8860b", "#6a4c93", "#444444", "#d2691e", "#008b8b")
DASHED = {"stroke_dasharray": "5 4"}

Curve = Sequence[tuple[float, float]]
Bounds = Sequence[tuple[float, float]]
"""Of the points of a curve: low and high."""


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return svg.text(x, y, words, text_anchor=anchor, fill="#555")


def _picture(parts: Sequence[str], about: str, height: float = HEIGHT) -> Picture:
    return svg.picture(WIDTH, height, parts, about, font_family="system-ui, sans-serif", font_size=12)


def _about(what: str, over: str, names: Iterable[str] = ()) -> str:
    """What a plot shows, in words: ``% won over simulations: BASIC, ATARI``."""
    return ": ".join(filter(None, [f"{what} over {over}", ", ".join(names)]))


def _frame(
    x: Axis,
    y: Axis,
    x_label: str,
    y_label: str,
    *,
    percent: bool = False,
    at: Sequence[float] = (),
    y_at: Sequence[float] = (),
) -> list[str]:
    """The grid, the ticks and the labels of both axes; ticks stand at round values, or at some that are given."""
    parts = []
    for tick in y_at or y.ticks():
        here = y.at(tick)
        parts.append(svg.line((LEFT, here), (WIDTH - RIGHT, here), stroke=GRID))
        parts.append(_text(LEFT - 8, here + 4, f"{tick:.0%}" if percent else svg.number(tick), "end"))
    for tick in at or x.ticks():
        parts.append(_text(x.at(tick), HEIGHT - BOTTOM + 18, svg.number(tick)))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_label))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(svg.element("g", _text(14, middle, y_label), transform=f"rotate(-90 14 {middle})"))
    return parts


def band(
    middle: Sequence[float], low: Sequence[float], high: Sequence[float], *, x_label: str, y_label: str
) -> Picture:
    """A share after each of a number of games, between its bounds; from 0 to 1."""
    x = Axis(1, max(2, len(middle)), LEFT, WIDTH - RIGHT)
    y = Axis(0, 1, HEIGHT - BOTTOM, TOP)
    upper, lower, line = (
        [(x.at(game), y.at(share)) for game, share in enumerate(shares, 1)] for shares in (high, low, middle)
    )
    half = y.at(0.5)
    return _picture(
        [
            *_frame(x, y, x_label, y_label, percent=True),
            svg.polygon(upper + lower[::-1], fill=COLORS[0], opacity="0.18"),
            svg.line((LEFT, half), (WIDTH - RIGHT, half), stroke="#999", **DASHED),
            svg.polyline(line, stroke=COLORS[0], stroke_width=2),
        ],
        _about(y_label, x_label),
    )


def drift(
    line: Curve, bounds: Bounds, *, x_label: str, y_label: str, start: float, logarithmic: bool = False
) -> Picture:
    """A value that moves away from where it started, dashed, and the bounds within which that means nothing."""
    xs = [x for x, _ in line]
    ys = [*(y for _, y in line), *(y for pair in bounds for y in pair), start]
    x = Axis(min(xs), max(xs), LEFT, WIDTH - RIGHT)
    y = Axis(min(ys) / 1.1, max(ys) * 1.1, HEIGHT - BOTTOM, TOP, True) if logarithmic else _with_margin(ys)
    low, high = ([(x.at(a), y.at(pair[side])) for a, pair in zip(xs, bounds, strict=True)] for side in (0, 1))
    return _picture(
        [
            *_frame(x, y, x_label, y_label, y_at=_decades(y) if logarithmic else ()),
            svg.polygon(high + low[::-1], fill="#999", opacity="0.25"),
            svg.line((LEFT, y.at(start)), (WIDTH - RIGHT, y.at(start)), stroke="#999", **DASHED),
            svg.polyline([(x.at(a), y.at(b)) for a, b in line], stroke=COLORS[0], stroke_width=2),
        ],
        _about(y_label, x_label),
    )


def _decades(axis: Axis) -> list[float]:
    """1, 2 and 5 times powers of ten along a logarithmic axis; only the powers on a long one."""
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    steps = (1, 2, 5) if last - first < 5 else (1,)
    found = [float(f"{step}e{power}") for power in range(first, last + 1) for step in steps]
    return [value for value in found if axis.low <= value <= axis.high]


def walk(values: Sequence[float], low: float, high: float, *, x_label: str, y_label: str) -> Picture:
    """A value before the first of some steps and after each, and two bounds that it may reach."""
    x = Axis(0, max(1, len(values) - 1), LEFT, WIDTH - RIGHT)
    least, most = min([low, *values]), max([high, *values])
    margin = 0.1 * (most - least)
    y = Axis(least - margin, most + margin, HEIGHT - BOTTOM, TOP)
    bounds = [
        svg.line((LEFT, y.at(bound)), (WIDTH - RIGHT, y.at(bound)), stroke=COLORS[1], stroke_width=2, **DASHED)
        for bound in (low, high)
    ]
    line = [(x.at(step), y.at(value)) for step, value in enumerate(values)]
    drawn = svg.polyline(line, stroke=COLORS[0], stroke_width=2)
    return _picture([*_frame(x, y, x_label, y_label), *bounds, drawn], _about(y_label, x_label))


def curves(
    lines: Mapping[str, Curve], *, x_label: str, y_label: str, others: Mapping[str, Curve] | None = None
) -> Picture:
    """Several curves on logarithmic axes with a legend; `others`, under the same names, are dashed: a paper's, say."""
    every = [*lines.values(), *(others or {}).values()]
    xs = [x for line in every for x, _ in line] or [1.0, 2.0]
    ys = [y for line in every for _, y in line if y > 0] or [1.0, 2.0]
    x = Axis(min(xs), max(xs), LEFT, WIDTH - RIGHT - 110, True)
    y = Axis(min(ys) / 1.1, max(ys) * 1.1, HEIGHT - BOTTOM, TOP, True)
    parts = _frame(x, y, x_label, y_label)
    for k, (name, line) in enumerate(lines.items()):
        color = COLORS[k % len(COLORS)]
        parts += _curve(line, x, y, color)
        parts += _curve((others or {}).get(name, ()), x, y, color, dashed=True)
        parts += _legend(k, name, color)
    return _picture(parts, _about(y_label, x_label, lines))


def _curve(line: Curve, x: Axis, y: Axis, color: str, *, dashed: bool = False) -> list[str]:
    places = [(x.at(a), y.at(b)) for a, b in line if b > 0]
    if places and dashed:
        return [svg.polyline(places, stroke=color, stroke_width=2, opacity="0.6", **DASHED)]
    return _dotted(places, color)


def trends(
    lines: Mapping[str, Curve],
    *,
    x_label: str,
    y_label: str,
    bounds: Mapping[str, Bounds] | None = None,
    middle: float | None = None,
    doubling: bool = False,
) -> Picture:
    """Several curves over one quantity with a legend, on a y axis that may go below 0. Each point may stand between
    bounds, and a dashed line at `middle`. With `doubling` the x axis is logarithmic, with a tick at each value."""
    xs = [x for line in lines.values() for x, _ in line] or [1.0, 2.0]
    ys = [y for line in lines.values() for _, y in line] or [0.0, 1.0]
    ys += [y for pairs in (bounds or {}).values() for pair in pairs for y in pair]
    ys += [] if middle is None else [middle]
    x = Axis(min(xs), max(xs), LEFT + 10, WIDTH - RIGHT - 120, doubling)
    y = _with_margin(ys)
    parts = _frame(x, y, x_label, y_label, at=sorted(set(xs)) if doubling else ())
    if middle is not None:
        parts.append(svg.line((LEFT, y.at(middle)), (x.end, y.at(middle)), stroke="#999", **DASHED))
    for k, (name, line) in enumerate(lines.items()):
        color = COLORS[k % len(COLORS)]
        for (at, _), (low, high) in zip(line, (bounds or {}).get(name, ()), strict=False):
            parts.append(svg.line((x.at(at), y.at(low)), (x.at(at), y.at(high)), stroke=color, opacity="0.5"))
        parts += _dotted([(x.at(a), y.at(b)) for a, b in line], color)
        parts += _legend(k, name, color)
    return _picture(parts, _about(y_label, x_label, lines))


def two_scales(left: tuple[str, Curve], right: tuple[str, Curve], *, x_label: str) -> Picture:
    """Two curves over one quantity, each with a y axis of its own at its side, in its colour."""
    xs = [x for _, line in (left, right) for x, _ in line] or [0.0, 1.0]
    x = Axis(min(xs), max(xs), LEFT + 10, WIDTH - RIGHT - 60)
    ys = [_with_margin([y for _, y in line] or [0.0, 1.0]) for _, line in (left, right)]
    parts = _frame(x, ys[0], x_label, left[0])
    for tick in ys[1].ticks():
        parts.append(_text(WIDTH - RIGHT - 44, ys[1].at(tick) + 4, svg.number(tick), "start"))
    at = (WIDTH - 10, (TOP + HEIGHT - BOTTOM) / 2)
    parts.append(svg.element("g", _text(*at, right[0]), transform=f"rotate(90 {at[0]} {at[1]})"))
    for k, ((_, line), y) in enumerate(zip((left, right), ys, strict=True)):
        parts += _dotted([(x.at(a), y.at(b)) for a, b in line], COLORS[k])
    for k, side in enumerate((LEFT, WIDTH - RIGHT - 50)):
        parts.append(svg.line((side, TOP), (side, HEIGHT - BOTTOM), stroke=COLORS[k], stroke_width=2))
    return _picture(parts, _about(f"{left[0]} and {right[0]}", x_label))


def _with_margin(values: Sequence[float]) -> Axis:
    margin = 0.08 * (max(values) - min(values)) or 0.5
    return Axis(min(values) - margin, max(values) + margin, HEIGHT - BOTTOM, TOP)


def _dotted(places: Sequence[svg.Place], color: str) -> list[str]:
    """A line through places, with a dot at each."""
    if not places:
        return []
    return [svg.polyline(places, stroke=color, stroke_width=2), *(svg.circle(a, b, 3, fill=color) for a, b in places)]


def _legend(row: int, name: str, color: str) -> list[str]:
    at = TOP + 14 + 18 * row
    return [
        svg.rectangle(WIDTH - 116, at - 9, 12, 4, fill=color),
        _text(WIDTH - 98, at - 3, name[:16], "start"),
    ]


def bars(values: Mapping[str, float], label: str) -> Picture:
    """A horizontal bar for each value."""
    height = TOP + BOTTOM + 28 * len(values)
    left = LEFT + NAMES
    x = Axis(0, max(values.values(), default=1.0) * 1.15 or 1.0, left, WIDTH - RIGHT - 60)
    parts = []
    for k, (name, value) in enumerate(values.items()):
        y = TOP + 28 * k
        parts.append(_text(left - 10, y + 15, name[:30], "end"))
        parts.append(svg.rectangle(left, y, x.at(value) - left, 20, fill=COLORS[0]))
        parts.append(_text(x.at(value) + 6, y + 15, f"{value:.3g}", "start"))
    parts.append(_text((left + WIDTH) / 2, height - 14, label))
    return _picture(parts, f"{label}: {', '.join(values)}", height)


def intervals(
    values: Mapping[str, tuple[float, float, float]], label: str, others: Mapping[str, float] | None = None
) -> Picture:
    """For each name a point between its bounds, and an open square for what others found."""
    others = others or {}
    height = TOP + BOTTOM + 26 * len(values)
    finite = [v for triple in values.values() for v in triple if math.isfinite(v)] or [0.0]
    finite += others.values()
    margin = 0.05 * (max(finite) - min(finite)) or 1.0
    x = Axis(min(finite) - margin, max(finite) + margin, LEFT + NAMES, WIDTH - RIGHT)
    parts = []
    for tick in x.ticks():
        parts.append(svg.line((x.at(tick), TOP), (x.at(tick), height - BOTTOM), stroke=GRID))
        parts.append(_text(x.at(tick), height - BOTTOM + 16, svg.number(tick)))
    for k, (name, bounds) in enumerate(values.items()):
        y = TOP + 26 * k + 12
        low, middle, high = (x.at(min(max(v, x.low), x.high)) for v in bounds)
        parts.append(_text(LEFT + NAMES - 10, y + 4, name[:30], "end"))
        parts.append(svg.line((low, y), (high, y), stroke=COLORS[0]))
        parts.append(svg.circle(middle, y, 4, fill=COLORS[0]))
        if name in others:
            left = x.at(others[name]) - 5
            parts.append(svg.rectangle(left, y - 5, 10, 10, fill="none", stroke=COLORS[1], stroke_width=2))
    parts.append(_text((LEFT + NAMES + WIDTH) / 2, height - 10, label))
    return _picture(parts, f"{label}: {', '.join(values)}", height)


def histogram(values: Sequence[float], *, x_label: str, bins: int = 24) -> Picture:
    """How often values fall into equal ranges."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    width = max(1.0, (high - low) / bins)
    counts = [0] * (int((high - low) / width) + 1)
    for value in values:
        counts[int((value - low) / width)] += 1
    x = Axis(low, low + width * len(counts), LEFT, WIDTH - RIGHT)
    y = Axis(0, max(counts) * 1.05 or 1.0, HEIGHT - BOTTOM, TOP)
    parts = _frame(x, y, x_label, "games")
    for k, count in enumerate(counts):
        left, right, top = x.at(low + width * k), x.at(low + width * (k + 1)), y.at(count)
        bar = max(1.0, right - left - 2)
        parts.append(svg.rectangle(left + 1, top, bar, HEIGHT - BOTTOM - top, fill=COLORS[0]))
    return _picture(parts, _about("games", x_label))
