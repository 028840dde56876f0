"""What oracles say about the moves of players, by the number of the move: a table, and pictures as the paper's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from kikashi.experiments.design import QualityDesign
from kikashi.experiments.move_quality import QualityRecord, QualitySettings
from kikashi.pictures.svg import Picture
from kikashi.report import plots
from kikashi.wording import plural

EACH = 8
"""With as many positions for every number of moves each number is told by itself, else in ranges."""
RANGE = 5
NOTHING = "–"


@dataclass(frozen=True)
class Told:
    """What is told about the quality of moves."""

    about: str
    head: list[str]
    rows: list[list[str]]
    pictures: dict[str, Picture]
    """By title."""


@dataclass(frozen=True)
class Column:
    """A number that positions have, for one player; its label is for a picture of that player alone."""

    name: str
    label: str
    of: Callable[[QualityRecord], float | None]


def quality_told(design: QualityDesign, settings: QualitySettings, records: Sequence[QualityRecord]) -> Told:
    """What there is to tell; positions that their games never came to are counted, and no more."""
    found = [record for record in records if record.rows]
    width = 1 if len(found) >= EACH * settings.stages else RANGE
    ranges = [range(start, min(start + width, settings.last + 1)) for start in _starts(settings, width)]
    parts = [(span, [record for record in found if record.move in span]) for span in ranges]
    columns = [column for row in range(len(design.player)) for column in _columns(design, settings, row)]
    head = ["moves before", "positions", "legal moves", *(column.name for column in columns)]
    rows = [_row(_span(span), part, columns) for span, part in parts if part]
    every = _row("all", found, columns)
    pictures: dict[str, Picture] = {}
    for row, player in enumerate(design.player):
        judge = player.oracle or player.player
        pictures |= _pictures(f"{player.name}, judged by {judge}", _columns(design, settings, row), parts)
    return Told(_about(settings, records, found), head, [*rows, every], pictures)


def _starts(settings: QualitySettings, width: int) -> range:
    return range(settings.first, settings.last + 1, width)


def _span(span: range) -> str:
    return f"{span[0]}" if len(span) == 1 else f"{span[0]}–{span[-1]}"


def _about(settings: QualitySettings, records: Sequence[QualityRecord], found: Sequence[QualityRecord]) -> str:
    games = min(settings.games, settings.positions)
    source = "from files" if settings.records else f"of self-play by {settings.preset}"
    errors = [row.error for record in found for row in record.rows]
    return " ".join(
        [
            f"{plural(len(records), 'position')} of {settings.positions} from {plural(games, 'game')} {source},",
            f"oracles of {settings.oracle:,} samples, whose scores of moves have a standard error of",
            f"{fmean(errors):.2f} points." if errors else "unknown size.",
            "Qualities are in points, ± being the standard error of the mean over positions.",
            *([f"{_too_short(missing)}."] if (missing := len(records) - len(found)) else []),
        ]
    )


def _too_short(games: int) -> str:
    return "1 of these games ended before its position" if games == 1 else f"{games} of these ended before them"


def _columns(design: QualityDesign, settings: QualitySettings, row: int) -> list[Column]:
    """The random player, and the player by number of samples."""
    name = design.player[row].name

    def chosen(place: int) -> Callable[[QualityRecord], float | None]:
        return lambda record: record.rows[row].chosen[place]

    return [
        Column(f"{name}: random", "random", lambda record: record.rows[row].random),
        *(
            Column(f"{name}: {samples:,}", f"{samples:,}", chosen(place))
            for place, samples in enumerate(settings.samples)
        ),
    ]


def _values(part: Sequence[QualityRecord], of: Callable[[QualityRecord], float | None]) -> list[float]:
    return [value for record in part if (value := of(record)) is not None]


def _row(name: str, part: Sequence[QualityRecord], columns: Sequence[Column]) -> list[str]:
    legal = f"{fmean(record.legal for record in part):.1f}" if part else NOTHING
    return [name, str(len(part)), legal, *(_mean(_values(part, column.of)) for column in columns)]


def _mean(values: Sequence[float]) -> str:
    if not values:
        return NOTHING
    error = f" ± {stdev(values) / len(values) ** 0.5:.2f}" if len(values) > 1 else ""
    return f"{fmean(values):.2f}{error}"


def _pictures(
    title: str, columns: Sequence[Column], parts: Sequence[tuple[range, Sequence[QualityRecord]]]
) -> dict[str, Picture]:
    """Figure 5: legal moves and the random player; figure 6, where there are players: quality by number of samples."""

    def curve(of: Callable[[QualityRecord], float | None]) -> list[tuple[float, float]]:
        return [(fmean((span[0], span[-1])), fmean(values)) for span, part in parts if (values := _values(part, of))]

    legal = curve(lambda record: float(record.legal))
    lines = {column.label: curve(column.of) for column in columns}
    random, x_label = lines.pop("random"), "moves before the position"
    pictures = {
        f"{title}: legal moves and the random player": plots.two_scales(
            ("legal moves", legal), ("quality of the random player, points", random), title=title, x_label=x_label
        )
    }
    if lines:
        pictures[f"{title}: quality by number of samples"] = plots.trends(
            lines, title=title, x_label=x_label, y_label="quality, points", middle=0.0
        )
    return pictures
