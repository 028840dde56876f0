"""The report of learned weights: the curve of predictions, gammas of levels, and shapes as small boards."""

from collections.abc import Iterator, Sequence

import numpy as np

from kikashi.learn.fitting import Accuracy, Fit
from kikashi.pictures import svg
from kikashi.playout.tactics.shapes import Keys
from kikashi.playout.weights import VALUES, FeatureWeights
from kikashi.report import Document, Figure, Items, Paragraph, Section, Table, plots
from kikashi.stats.intervals import wilson
from kikashi.wording import plural

SHAPES = 8
"""Shapes of a feature at each end."""
CELL, MARGIN, CAPTION = 16, 14, 18
STONES = {"X": "#222", "x": "#222", "O": "white", "o": "white", "@": "white"}


def summary_lines(fit: Fit) -> list[str]:
    text = _value_text if fit.weights.target == VALUES else _accuracy_text
    return [
        f"learned from {text(fit.learned_from)}",
        f"held out     {text(fit.held_out)}",
        *(f"  {source}: {text(one)}" for source, one in fit.by_source.items() if len(fit.by_source) > 1),
    ]


def _value_text(accuracy: Accuracy) -> str:
    return (
        f"{plural(accuracy.games, 'game')}, {plural(accuracy.positions, 'position')}: the likelier winner has won "
        f"{accuracy.first:.1%}; log-likelihood {accuracy.likelihood:.3f}, {accuracy.uniform:.3f} for an even chance"
    )


def _accuracy_text(accuracy: Accuracy) -> str:
    interval = wilson(accuracy.first * accuracy.positions, accuracy.positions)
    return (
        f"{plural(accuracy.games, 'game')}, {plural(accuracy.positions, 'move')}: {accuracy.first:.1%} are the "
        f"first choice ({interval.low:.1%}-{interval.high:.1%}), {accuracy.curve[4]:.1%} among the first five; "
        f"log-likelihood {accuracy.likelihood:.3f}, {accuracy.uniform:.3f} if all moves were alike"
    )


def learning_report(fit: Fit) -> Document:
    size = fit.weights.header["size"]
    interval = wilson(fit.held_out.first * fit.held_out.positions, fit.held_out.positions)
    steps = plural(fit.steps, "step") + " of the optimiser" + (", interrupted" if fit.is_interrupted else "")
    return Document(
        f"Weights for {size}x{size}",
        [
            Items([*(" ".join(line.split()) for line in summary_lines(fit)), steps]),
            Figure(prediction_plot(fit.held_out), "prediction"),
            Paragraph(
                "The gamma of a level says how many times as likely it makes a move as level 0 does (Coulom 2007)."
            ),
            *(_feature_section(number, one) for number, one in enumerate(fit.weights.features)),
        ],
        f"{fit.held_out.first:.1%} of {plural(fit.held_out.positions, 'held-out move')} are the first choice "
        f"({interval.low:.1%}-{interval.high:.1%}).",
    )


def prediction_plot(accuracy: Accuracy) -> svg.Picture:
    """Plot the fraction of positions whose move was among the first k."""
    bounds = [wilson(share * accuracy.positions, accuracy.positions) for share in accuracy.curve]
    return plots.band(
        accuracy.curve,
        [bound.low for bound in bounds],
        [bound.high for bound in bounds],
        title="Prediction of held-out moves",
        x_label="the move is among the first …",
        y_label="share of positions",
    )


def _feature_section(number: int, one: FeatureWeights) -> Section:
    part = one.bind().part
    summary = Paragraph(part.summary)
    if one.keys is None:
        gammas = [f"{np.exp(value):.3g}" for value in one.values]
        return Section(
            one.spec, [summary, Table(["level", "gamma"], list(zip(part.options["levels"], gammas, strict=True)))]
        )
    if not one.keys.size:
        return Section(one.spec, [summary])
    count = Paragraph(f"{one.keys.size:,} shapes; the strongest and the weakest:")
    return Section(one.spec, [summary, count, Figure(shapes_picture(one), f"shapes-{number}")])


# --- shapes as small boards -------------------------------------------------------------------------------------------


def shapes_picture(one: FeatureWeights) -> svg.Picture:
    """Draw the strongest and the weakest keys of a feature, each as a small board with its gamma."""
    assert one.keys is not None
    used = one.bind()
    keys: Keys = used.part.options["levels"]
    order = np.argsort(-one.values)
    rows = [order[:SHAPES], order[::-1][: min(SHAPES, max(0, order.size - SHAPES))]]
    parts: list[str] = []
    width, height = 0.0, float(MARGIN)
    for row in rows:
        tallest = 0.0
        for column, at in enumerate(row):
            drawn = keys.rows(int(one.keys[at]), used.values) if keys.rows else [str(one.keys[at])]
            side = CELL * len(drawn)
            x = MARGIN + column * (side + MARGIN)
            parts += _board(drawn, x, height)
            gamma = f"{np.exp(one.values[at]):.3g}"
            parts.append(svg.text(x + side / 2, height + side + 13, gamma, text_anchor="middle"))
            width, tallest = max(width, x + side + MARGIN), max(tallest, side + CAPTION + MARGIN)
        height += tallest
    about = f"shapes of {one.spec} with the highest and the lowest gamma"
    return svg.picture(width or MARGIN, height, parts, about, font_family="system-ui, sans-serif", font_size=11)


def _board(rows: Sequence[str], x: float, y: float) -> Iterator[str]:
    for down, row in enumerate(rows):
        for right, symbol in enumerate(row):
            yield from _point(symbol, x + (right + 0.5) * CELL, y + (down + 0.5) * CELL)


def _point(symbol: str, x: float, y: float) -> Iterator[str]:
    half = CELL / 2
    if symbol == " ":
        return
    yield svg.rectangle(x - half, y - half, CELL, CELL, fill="#bbb" if symbol == "#" else "#e8c98b")
    if symbol == "#":  # off the board
        return
    yield svg.line((x - half, y), (x + half, y), stroke="#a8824a")
    yield svg.line((x, y - half), (x, y + half), stroke="#a8824a")
    if symbol in STONES:
        yield svg.circle(x, y, half - 1, fill=STONES[symbol], stroke="#222")
    if symbol in "xo@":  # in atari, or the last move
        yield svg.circle(x, y, 2.5, fill="#c0392b" if symbol != "@" else "#2b6ca3")
    if symbol == "*":
        yield svg.rectangle(x - 3, y - 3, 6, 6, fill="#2e8b57")
