"""What was learned, for people: a page with the curve of predictions, gammas of levels, and shapes as small boards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kikashi.files import write_whole
from kikashi.learn.fitting import Figures, Fit
from kikashi.match.match_report import markdown_list, markdown_table, markdown_text
from kikashi.pictures import svg
from kikashi.playout.model.weights import FeatureWeights, Weights
from kikashi.playout.tactics.shapes import Keys
from kikashi.report.plots import band
from kikashi.stats.intervals import wilson
from kikashi.wording import plural

SHOWN = 8
"""Shapes of a feature at each end."""
CELL, MARGIN, CAPTION = 16, 14, 18
STONES = {"X": "#222", "x": "#222", "O": "white", "o": "white", "@": "white"}


def figures_as_json(figures: Figures) -> dict[str, Any]:
    """Plain data, for a header or a program."""
    return {
        "games": figures.games,
        "positions": figures.positions,
        "first": round(figures.first, 4),
        "likelihood": round(figures.likelihood, 4),
        "uniform": round(figures.uniform, 4),
        "curve": [round(share, 4) for share in figures.curve],
    }


def lines(fit: Fit) -> list[str]:
    """What was found, in a few lines."""
    return [
        f"learned from {_told(fit.learned_from)}",
        f"held out     {_told(fit.held_out)}",
        *(f"  {source}: {_told(figures)}" for source, figures in fit.by_source.items() if len(fit.by_source) > 1),
    ]


def _told(figures: Figures) -> str:
    interval = wilson(figures.first * figures.positions, figures.positions)
    return (
        f"{plural(figures.games, 'game')}, {plural(figures.positions, 'move')}: {figures.first:.1%} are the "
        f"first choice ({interval.low:.1%}-{interval.high:.1%}), {figures.curve[4]:.1%} among the first five; "
        f"log-likelihood {figures.likelihood:.3f}, {figures.uniform:.3f} if all moves were alike"
    )


def write_report(folder: Path, fit: Fit) -> Path:
    """Write ``report.md`` with its pictures; returns its path. Raises OSError."""
    write_whole(folder / "prediction.svg", prediction_picture(fit.held_out))
    pictures = {}
    for number, one in enumerate(fit.weights.features):
        if one.keys is not None and one.keys.size:
            pictures[one.spec] = f"shapes-{number}.svg"
            write_whole(folder / pictures[one.spec], shapes_picture(one))
    page = folder / "report.md"
    write_whole(page, "\n".join(_page(fit, pictures)) + "\n")
    return page


def prediction_picture(figures: Figures) -> str:
    """How often the move was among the first k."""
    bounds = [wilson(share * figures.positions, figures.positions) for share in figures.curve]
    return band(
        figures.curve,
        [bound.low for bound in bounds],
        [bound.high for bound in bounds],
        title="Prediction of moves",
        x_label="the move is among the first …",
        y_label="share of positions",
    )


def _page(fit: Fit, pictures: Mapping[str, str]) -> Iterator[str]:
    header = fit.weights.header
    yield f"# Weights for {header['size']}x{header['size']}\n"
    yield markdown_list([line.strip() for line in lines(fit)])
    yield f"- {plural(fit.steps, 'step')} of the optimiser" + (", interrupted" if fit.is_interrupted else "") + "\n"
    yield "![How often the move was among the first k](prediction.svg)\n"
    yield "The gamma of a level says how many times as likely it makes a move as level 0 does (Coulom 2007).\n"
    for one in fit.weights.features:
        yield f"## {markdown_text(one.spec)}\n\n{markdown_text(one.bind().part.summary)}\n"
        if one.keys is None:
            yield _table(one)
        elif one.spec in pictures:
            yield f"{one.keys.size:,} shapes; the strongest and the weakest:\n\n![Shapes]({pictures[one.spec]})\n"


def _table(one: FeatureWeights) -> str:
    names: Sequence[str] = one.bind().part.options["levels"]
    gammas = [f"{np.exp(value):.3g}" for value in one.values]
    return markdown_table(["level", "gamma"], list(zip(names, gammas, strict=True))) + "\n"


# --- shapes as small boards -------------------------------------------------------------------------------------------


def shapes_picture(one: FeatureWeights) -> str:
    """The strongest and the weakest keys of a feature, each as a small board with its gamma."""
    assert one.keys is not None
    used = one.bind()
    keys: Keys = used.part.options["levels"]
    order = np.argsort(-one.values)
    rows = [order[:SHOWN], order[::-1][: min(SHOWN, max(0, order.size - SHOWN))]]
    parts, width, height = [], 0.0, float(MARGIN)
    for row in rows:
        tallest = 0.0
        for column, at in enumerate(row):
            drawn = keys.rows(int(one.keys[at]), used.values) if keys.rows else [str(one.keys[at])]
            side = CELL * len(drawn)
            x = MARGIN + column * (side + MARGIN)
            parts += _board(drawn, x, height)
            parts.append(
                svg.text(x + side / 2, height + side + 13, f"{np.exp(one.values[at]):.3g}", text_anchor="middle")
            )
            width, tallest = max(width, x + side + MARGIN), max(tallest, side + CAPTION + MARGIN)
        height += tallest
    about = f"shapes of {one.spec} with the highest and the lowest gamma"
    return svg.picture(width or MARGIN, height, parts, about, font_family="system-ui, sans-serif", font_size=11)


def _board(rows: Sequence[str], x: float, y: float) -> list[str]:
    """A small board from the rows of a picture."""
    parts = []
    for down, row in enumerate(rows):
        for right, symbol in enumerate(row):
            middle = (x + (right + 0.5) * CELL, y + (down + 0.5) * CELL)
            parts += _point(symbol, *middle)
    return parts


def _point(symbol: str, x: float, y: float) -> list[str]:
    half = CELL / 2
    if symbol == " ":
        return []
    if symbol == "#":
        return [svg.rectangle(x - half, y - half, CELL, CELL, fill="#bbb")]
    parts = [
        svg.rectangle(x - half, y - half, CELL, CELL, fill="#e8c98b"),
        svg.line((x - half, y), (x + half, y), stroke="#a8824a"),
        svg.line((x, y - half), (x, y + half), stroke="#a8824a"),
    ]
    if symbol in STONES:
        parts.append(svg.circle(x, y, half - 1, fill=STONES[symbol], stroke="#222"))
    if symbol in "xo@":  # in atari, or the last move
        parts.append(svg.circle(x, y, 2.5, fill="#c0392b" if symbol != "@" else "#2b6ca3"))
    if symbol == "*":
        parts.append(svg.rectangle(x - 3, y - 3, 6, 6, fill="#2e8b57"))
    return parts


def header_of(fit: Fit) -> dict[str, Any]:
    """What a file of weights says about how well it predicts."""
    return {
        "learned_from": figures_as_json(fit.learned_from),
        "held_out": figures_as_json(fit.held_out),
        "by_source": {source: figures_as_json(figures) for source, figures in fit.by_source.items()},
        "steps": fit.steps,
    }


def with_figures(fit: Fit) -> Weights:
    """The weights, with the figures in their header."""
    return Weights(fit.weights.features, {**fit.weights.header, "figures": header_of(fit)})
