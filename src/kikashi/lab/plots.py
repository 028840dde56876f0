"""Small plots as SVG text: a curve with its band, several curves, bars, intervals, a histogram."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 16, 44
COLORS = ("#2b6ca3", "#c0392b", "#2e8b57", "#b8860b", "#6a4c93", "#444444", "#d2691e", "#008b8b")


@dataclass(frozen=True)
class _Axis:
    """From values to places on the picture."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        low, high, here = (
            (math.log(v) for v in (self.low, self.high, value))
            if self.logarithmic
            else (
                self.low,
                self.high,
                value,
            )
        )
        return self.start + (self.end - self.start) * (here - low) / ((high - low) or 1.0)

    def ticks(self) -> list[float]:
        if self.logarithmic:
            first, last = math.ceil(math.log2(self.low) - 1e-9), math.floor(math.log2(self.high) + 1e-9)
            return [2.0**k for k in range(first, last + 1, max(1, (last - first) // 7))]
        step = _nice((self.high - self.low) / 5)
        first = math.ceil(self.low / step - 1e-9)
        return [step * k for k in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _nice(step: float) -> float:
    """A round number near a step."""
    if step <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(step))
    return next(power * k for k in (1, 2, 5, 10) if power * k >= step * 0.999)


def _text(x: float, y: float, text: str, anchor: str = "middle", color: str = "#555") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}">{html.escape(text)}</text>'


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _picture(parts: Sequence[str], height: float = HEIGHT) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" font-family="system-ui, sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>'
    )


def _frame(x: _Axis, y: _Axis, x_label: str, y_label: str, *, percent: bool = False) -> list[str]:
    parts = []
    for tick in y.ticks():
        at = y.at(tick)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e4e4e4"/>')
        parts.append(_text(LEFT - 8, at + 4, f"{tick:.0%}" if percent else _number(tick), "end"))
    for tick in x.ticks():
        parts.append(_text(x.at(tick), HEIGHT - BOTTOM + 18, _number(tick)))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_label))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<g transform="rotate(-90 14 {middle})">{_text(14, middle, y_label)}</g>')
    return parts


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def band(middle: Sequence[float], low: Sequence[float], high: Sequence[float], *, x_label: str, y_label: str) -> str:
    """A share after each of a number of games, between its bounds; from 0 to 1."""
    x = _Axis(1, max(2, len(middle)), LEFT, WIDTH - RIGHT)
    y = _Axis(0, 1, HEIGHT - BOTTOM, TOP)
    games = range(1, len(middle) + 1)
    there = [(x.at(n), y.at(v)) for n, v in zip(games, high, strict=True)]
    back = [(x.at(n), y.at(v)) for n, v in zip(games, low, strict=True)][::-1]
    line = [(x.at(n), y.at(v)) for n, v in zip(games, middle, strict=True)]
    half = y.at(0.5)
    return _picture(
        [
            *_frame(x, y, x_label, y_label, percent=True),
            f'<polygon points="{_path(there + back)}" fill="{COLORS[0]}" opacity="0.18"/>',
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{half:.1f}" y2="{half:.1f}" stroke="#999" '
            'stroke-dasharray="5 4"/>',
            f'<polyline points="{_path(line)}" fill="none" stroke="{COLORS[0]}" stroke-width="2"/>',
        ]
    )


Curve = Sequence[tuple[float, float]]


def curves(lines: Mapping[str, Curve], *, x_label: str, y_label: str, others: Mapping[str, Curve] | None = None) -> str:
    """Several curves on logarithmic axes with a legend; `others`, under the same names, are dashed: a paper's, say."""
    every = [*lines.values(), *(others or {}).values()]
    xs = [x for line in every for x, _ in line] or [1.0, 2.0]
    ys = [y for line in every for _, y in line if y > 0] or [1.0, 2.0]
    x = _Axis(min(xs), max(xs), LEFT, WIDTH - RIGHT - 110, True)
    y = _Axis(min(ys) / 1.1, max(ys) * 1.1, HEIGHT - BOTTOM, TOP, True)
    parts = _frame(x, y, x_label, y_label)
    for k, (name, line) in enumerate(lines.items()):
        color = COLORS[k % len(COLORS)]
        parts += _curve(line, x, y, color)
        parts += _curve((others or {}).get(name, ()), x, y, color, dashed=True)
        row = TOP + 14 + 18 * k
        parts.append(f'<rect x="{WIDTH - 116}" y="{row - 9}" width="12" height="4" fill="{color}"/>')
        parts.append(_text(WIDTH - 98, row - 3, name[:16], "start"))
    return _picture(parts)


def _curve(line: Curve, x: _Axis, y: _Axis, color: str, *, dashed: bool = False) -> list[str]:
    places = [(x.at(a), y.at(b)) for a, b in line if b > 0]
    dashes = ' stroke-dasharray="5 4" opacity="0.6"' if dashed else ""
    parts = [f'<polyline points="{_path(places)}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>']
    if not dashed:
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{color}"/>' for a, b in places]
    return parts if places else []


def bars(values: Mapping[str, float], label: str) -> str:
    """A horizontal bar for each value."""
    height = TOP + BOTTOM + 28 * len(values)
    x = _Axis(0, max(values.values(), default=1.0) * 1.15 or 1.0, LEFT + 160, WIDTH - RIGHT - 60)
    parts = []
    for k, (name, value) in enumerate(values.items()):
        y = TOP + 28 * k
        parts.append(_text(LEFT + 150, y + 15, name[:30], "end"))
        parts.append(
            f'<rect x="{LEFT + 160}" y="{y}" width="{x.at(value) - LEFT - 160:.1f}" height="20" fill="{COLORS[0]}"/>'
        )
        parts.append(_text(x.at(value) + 6, y + 15, f"{value:.3g}", "start"))
    parts.append(_text((LEFT + 160 + WIDTH) / 2, height - 14, label))
    return _picture(parts, height)


def intervals(
    values: Mapping[str, tuple[float, float, float]], label: str, others: Mapping[str, float] | None = None
) -> str:
    """For each name a point between its bounds, and an open square for what others found."""
    others = others or {}
    height = TOP + BOTTOM + 26 * len(values)
    finite = [v for triple in values.values() for v in triple if math.isfinite(v)] or [0.0]
    finite += others.values()
    margin = 0.05 * (max(finite) - min(finite)) or 1.0
    x = _Axis(min(finite) - margin, max(finite) + margin, LEFT + 160, WIDTH - RIGHT)
    parts = []
    for tick in x.ticks():
        at = x.at(tick)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{height - BOTTOM}" stroke="#e4e4e4"/>')
        parts.append(_text(at, height - BOTTOM + 16, _number(tick)))
    for k, (name, (low, middle, high)) in enumerate(values.items()):
        y = TOP + 26 * k + 12
        ends = [x.at(v) if math.isfinite(v) else x.at(x.low if v < 0 else x.high) for v in (low, middle, high)]
        parts.append(_text(LEFT + 150, y + 4, name[:30], "end"))
        parts.append(f'<line x1="{ends[0]:.1f}" x2="{ends[2]:.1f}" y1="{y}" y2="{y}" stroke="{COLORS[0]}"/>')
        parts.append(f'<circle cx="{ends[1]:.1f}" cy="{y}" r="4" fill="{COLORS[0]}"/>')
        if name in others:
            at = x.at(others[name])
            parts.append(
                f'<rect x="{at - 5:.1f}" y="{y - 5}" width="10" height="10" fill="none" stroke="{COLORS[1]}" '
                'stroke-width="2"/>'
            )
    parts.append(_text((LEFT + 160 + WIDTH) / 2, height - 10, label))
    return _picture(parts, height)


def histogram(values: Sequence[float], *, x_label: str, bins: int = 24) -> str:
    """How often values fall into equal ranges."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    width = max(1.0, (high - low) / bins)
    counts = [0] * (int((high - low) / width) + 1)
    for value in values:
        counts[int((value - low) / width)] += 1
    x = _Axis(low, low + width * len(counts), LEFT, WIDTH - RIGHT)
    y = _Axis(0, max(counts) * 1.05 or 1.0, HEIGHT - BOTTOM, TOP)
    parts = _frame(x, y, x_label, "games")
    for k, count in enumerate(counts):
        left, right = x.at(low + width * k), x.at(low + width * (k + 1))
        parts.append(
            f'<rect x="{left + 1:.1f}" y="{y.at(count):.1f}" width="{max(1.0, right - left - 2):.1f}" '
            f'height="{HEIGHT - BOTTOM - y.at(count):.1f}" fill="{COLORS[0]}"/>'
        )
    return _picture(parts)
