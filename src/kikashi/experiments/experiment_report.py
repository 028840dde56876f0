"""What an experiment found, beside what the paper found: Markdown, a page with plots, and JSON."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kikashi.board.points import color_name
from kikashi.experiments.design import Design, LocalDesign, MatchDesign, PositionDesign, QualityDesign, ShareDesign
from kikashi.experiments.experiment import OPPONENT, Cell, cells, match_settings, position_settings
from kikashi.experiments.local_play import LocalRecord, local_settings
from kikashi.experiments.local_report import told_about
from kikashi.experiments.move_quality import QualityRecord, quality_settings
from kikashi.experiments.paper import Published, deviations, published_elsewhere, published_for
from kikashi.experiments.positions import (
    OPERATORS,
    PRINTED,
    ErrorRow,
    PositionRecord,
    UncertaintyRow,
    error_table,
    uncertainty_table,
)
from kikashi.experiments.quality_report import quality_told
from kikashi.experiments.shares import HEAD, ShareRecord, share_rows, share_settings, share_table
from kikashi.files import write_whole
from kikashi.match.match_report import markdown_list, markdown_table, markdown_text, oddities, page_of, percent
from kikashi.match.one_game import GameRecord
from kikashi.match.summary import PairingScore, Standing, standing
from kikashi.pictures.tables import html_table
from kikashi.report import plots
from kikashi.wording import counted, plural

MOST_OPPONENTS = 6
"""From this many on they are not listed in the first line."""


Records = (
    Sequence[GameRecord]
    | Sequence[PositionRecord]
    | Sequence[LocalRecord]
    | Sequence[QualityRecord]
    | Sequence[ShareRecord]
)


class ExperimentReport(NamedTuple):
    """What is told about an experiment."""

    text: str
    """A page of Markdown."""
    body: list[str]
    """The parts of a page of HTML."""
    found: dict[str, Any]
    """As JSON."""


def experiment_report(design: Design, scale: float, records: Records) -> ExperimentReport:
    """What the records of an experiment say, beside what the paper says."""
    if isinstance(design, MatchDesign):
        return _of_match(design, scale, [r for r in records if isinstance(r, GameRecord)])
    if isinstance(design, LocalDesign):
        return _of_local(design, scale, [r for r in records if isinstance(r, LocalRecord)])
    if isinstance(design, QualityDesign):
        return _of_quality(design, scale, [r for r in records if isinstance(r, QualityRecord)])
    if isinstance(design, ShareDesign):
        return _of_shares(design, scale, [r for r in records if isinstance(r, ShareRecord)])
    return _of_study(design, scale, [r for r in records if isinstance(r, PositionRecord)])


def write_experiment_report(folder: Path, design: Design, scale: float, records: Records) -> dict[str, Any]:
    """Write ``report.md`` and ``report.html`` into a folder; returns the findings as JSON."""
    told = experiment_report(design, scale, records)
    write_whole(folder / "report.md", told.text)
    write_whole(folder / "report.html", page_of(design.title, told.body))
    return told.found


def _head(design: Design, scale: float, about: str) -> str:
    size = f", at scale {scale:g}" if scale != 1 or design.paper is None else ", with other settings"
    return f"{design.source}{size}. {about} {' '.join(design.about.split())}".strip()


def _lists(design: Design, scale: float) -> dict[str, list[str]]:
    """What is said about an experiment and its paper, line by line, under what it is called."""
    remarks = design.remarks if isinstance(design, MatchDesign) else []
    said = {"Not as in the paper:": deviations(design, scale), "About the paper's results:": remarks}
    return {title: listed for title, listed in said.items() if listed}


def _opening(design: Design, scale: float, about: str) -> list[str]:
    """Paragraphs of Markdown: title, what was run, where it is not the paper's, and about the paper."""
    lists = _lists(design, scale).items()
    told = [f"# {markdown_text(design.title)}", markdown_text(about)]
    return told + [text for title, listed in lists for text in (title, markdown_list(listed))]


def _html_deviations(design: Design, scale: float) -> list[str]:
    return [
        f"<p>{title}</p><ul>{''.join(f'<li>{html.escape(line)}</li>' for line in listed)}</ul>"
        for title, listed in _lists(design, scale).items()
    ]


# --- matches ----------------------------------------------------------------------------------------------------------


def _of_match(design: MatchDesign, scale: float, records: list[GameRecord]) -> ExperimentReport:
    settings = match_settings(design, scale)
    found = standing(settings, records)
    scores = {score.first: score for score in found.pairings}
    planned = cells(design, scale)
    listed = [(cell, scores[cell.label]) for cell in planned if cell.label in scores]
    papers = {cell.label: published_for(design, cell) for cell in planned}
    head, rows = _match_table(planned, papers, scores, found)
    test_head = ["first", "second", "opponent", "z", "p"]
    tests = [[c.first, c.second, c.opponent, f"{c.z:+.2f}", f"{c.p:.3f}"] for c in found.comparisons]
    others = [str(player) for player in settings.players[len(planned) :]]
    opponents = " and ".join(others) if len(others) < MOST_OPPONENTS else f"{len(others)} opponents"
    about = _head(design, scale, f"{plural(len(records), 'game')} on {design.size}×{design.size} against {opponents}.")
    notes = oddities(found)
    text = "\n\n".join(
        [
            *_opening(design, scale, about),
            markdown_table(head, rows),
            *(["Two-proportion z-tests:", markdown_table(test_head, tests)] if tests else []),
            *([markdown_list(notes)] if notes else []),
        ]
    )
    bars = {
        cell.label: (100 * score.interval.low, 100 * score.share, 100 * score.interval.high) for cell, score in listed
    }
    paper = {
        cell.label: 100 * known.share
        for cell, _ in listed
        if (known := papers[cell.label]) is not None and known.compares
    }
    body = [
        f"<p>{html.escape(about)}</p>",
        *_html_deviations(design, scale),
        html_table(head, rows),
        plots.intervals(bars, "% won" + (" (squares: the paper)" if paper else ""), paper, title="Games won"),
        *_by_simulations(listed),
        *([html_table(test_head, tests)] if tests else []),
        *(f"<p>{html.escape(note)}</p>" for note in notes),
    ]
    as_json = {
        "title": design.title,
        "scale": scale,
        "deviations": deviations(design, scale),
        "remarks": design.remarks,
        "rows": [dict(zip(head, row, strict=True)) for row in rows],
        "standing": found.as_json(),
    }
    return ExperimentReport(text + "\n", body, as_json)


def _by_simulations(listed: Sequence[tuple[Cell, PairingScore]]) -> list[str]:
    """Curves over the number of simulations, if any player has met its opponent with several of them."""
    lines: dict[str, list[tuple[float, float]]] = {}
    bounds: dict[str, list[tuple[float, float]]] = {}
    for cell, score in listed:
        lines.setdefault(cell.row.name, []).append((cell.limit.simulations or 0, 100 * score.share))
        bounds.setdefault(cell.row.name, []).append((100 * score.interval.low, 100 * score.interval.high))
    if all(len(line) < 2 for line in lines.values()):
        return []
    label = "simulations of the player"
    labels = {"title": "Games won by simulations", "x_label": label, "y_label": "% won"}
    return [plots.trends(lines, bounds=bounds, middle=50.0, doubling=True, **labels)]


Row = dict[str, str]


def _match_table(
    planned: Sequence[Cell],
    papers: Mapping[str, Published | None],
    scores: Mapping[str, PairingScore],
    found: Standing,
) -> tuple[list[str], list[list[str]]]:
    """Head and rows; the paper's shares by colour are there if it has any."""
    rows = [_match_row(cell, papers[cell.label], scores.get(cell.label), found) for cell in planned]
    by_color = any(paper is not None and paper.black is not None for paper in papers.values())
    head = [name for name in rows[0] if by_color or name not in PUBLISHED_BY_COLOR]
    return head, [[row[name] for name in head] for row in rows]


PUBLISHED_BY_COLOR = ("published as Black", "published as White")


def _match_row(cell: Cell, paper: Published | None, score: PairingScore | None, found: Standing) -> Row:
    """A row of the table; one without a score has not been begun."""
    where = "" if paper is None else paper.where
    time = next(t.per_move for t in found.times if t.name == cell.label)
    black, white = (None, None) if paper is None else (paper.black, paper.white)
    return {
        "player": cell.label,
        "setting": cell.text if cell.opponent == OPPONENT else f"{cell.text} against {cell.opponent}",
        "games": str(score.games if score else 0),
        "won": f"{score.share:.1%}" if score else "–",
        "95 %": f"{score.interval.low:.1%} … {score.interval.high:.1%}" if score else "–",
        "published": "–" if paper is None else f"{paper.total}{where}",
        "as Black": percent(score.as_black) if score else "–",
        "published as Black": "–" if black is None else f"{black:.1%}{where}",
        "as White": percent(score.as_white) if score else "–",
        "published as White": "–" if white is None else f"{white:.1%}{where}",
        "ms a move": f"{1000 * time:.1f}",
        "ended by": _end(cell, score),
    }


def _end(cell: Cell, score: PairingScore | None) -> str:
    """Why a row has no more games; a row that was cut off says so."""
    if score is not None and score.sprt is not None and score.sprt.decision != "continue":
        elo = score.sprt.elo0 if score.sprt.decision == "H0" else score.sprt.elo1
        return f"SPRT: {score.sprt.decision}, {elo:+g} Elo"
    if score is not None and score.games >= cell.games:
        return "all games played"
    return f"unfinished, of {plural(cell.games, 'game')}"


# --- positions --------------------------------------------------------------------------------------------------------


def _of_study(design: PositionDesign, scale: float, records: list[PositionRecord]) -> ExperimentReport:
    settings = position_settings(design, scale)
    table = error_table(records)
    elsewhere = published_elsewhere(design, scale)
    head, theirs = ["simulations"], f"paper, {elsewhere}" if elsewhere else "paper"
    operators = list(OPERATORS)[: len(table[0].errors) if table else None]
    for operator in operators:
        head += [f"{operator} √⟨δ²⟩", theirs, "⟨δ⟩", theirs]
    rows = [_study_row(design, row) for row in table]
    about = _head(
        design,
        scale,
        f"{plural(len(records), 'position')}, {plural(settings.simulations, 'simulation')} each, by {design.preset} on "
        f"{design.size}×{design.size}.",
    )
    uncertain = uncertainty_table(records)
    further = [_uncertainty_row(row) for row in uncertain]
    tables = [markdown_table(head, rows), UNCERTAINTY, markdown_table(UNCERTAINTY_HEAD, further)]
    text = "\n\n".join([*_opening(design, scale, about), *tables])
    ours: dict[str, plots.Curve] = {
        operator: [(row.simulations, row.errors[k][0]) for row in table] for k, operator in enumerate(operators)
    }
    paper: dict[str, plots.Curve] = {
        operator: [
            (row.simulations, design.published[str(row.simulations)][2 * PRINTED[operator]])
            for row in table
            if _printed(design, row)
        ]
        for operator in operators
        if not elsewhere
    }
    dashed = " (dashed: the paper)" if any(paper.values()) else ""
    body = [
        f"<p>{html.escape(about)}</p>",
        *_html_deviations(design, scale),
        plots.curves(
            ours,
            title="Errors of the operators",
            x_label=f"simulations{dashed}",
            y_label="error in points",
            others=paper,
        ),
        html_table(head, rows),
        f"<p>{html.escape(UNCERTAINTY)}</p>",
        plots.curves(
            _uncertainty_curves(uncertain), title="Uncertainty", x_label="simulations", y_label="points squared"
        ),
        html_table(UNCERTAINTY_HEAD, further),
    ]
    found = {
        "title": design.title,
        "scale": scale,
        "deviations": deviations(design, scale),
        "positions": len(records),
        "rows": msgspec.to_builtins(table),
        "uncertainty": msgspec.to_builtins(uncertain),
    }
    return ExperimentReport(text + "\n", body, found)


UNCERTAINTY = (
    "How far mix moves from S simulations to 2 S, as the mean squared difference, beside the variance that might be "
    "backed up, σ² being that of the scores of a search's simulations (Coulom 2006, §4.2):"
)
UNCERTAINTY_HEAD = ["simulations", "⟨(mix after 2S − mix after S)²⟩", "⟨σ²⟩/S", "⟨σ²⟩/min(500, S)"]


def _uncertainty_row(row: UncertaintyRow) -> list[str]:
    numbers = (row.difference, row.by_all, row.by_most)
    return [f"{row.simulations:,}", *("–" if number is None else f"{number:.3f}" for number in numbers)]


def _uncertainty_curves(table: Sequence[UncertaintyRow]) -> dict[str, plots.Curve]:
    curves: dict[str, plots.Curve] = {
        "difference": [(row.simulations, row.difference) for row in table],
        "σ²/S": [(row.simulations, row.by_all) for row in table if row.by_all is not None],
        "σ²/min(500, S)": [(row.simulations, row.by_most) for row in table if row.by_most is not None],
    }
    return {name: curve for name, curve in curves.items() if curve}


def _printed(design: PositionDesign, row: ErrorRow) -> bool:
    return str(row.simulations) in design.published


def _study_row(design: PositionDesign, row: ErrorRow) -> list[str]:
    paper = design.published.get(str(row.simulations))
    found = [f"{row.simulations:,}"]
    for operator, (square, mean) in zip(OPERATORS, row.errors, strict=False):
        k = PRINTED[operator]
        printed = (f"{paper[2 * k]:.2f}", f"{paper[2 * k + 1]:+.2f}") if paper else ("–", "–")
        found += [f"{square:.2f}", printed[0], f"{mean:+.2f}", printed[1]]
    return found


# --- one place of a position ------------------------------------------------------------------------------------------


def _of_local(design: LocalDesign, scale: float, records: list[LocalRecord]) -> ExperimentReport:
    settings = local_settings(design, scale)
    elsewhere = published_elsewhere(design, scale)
    told = [told_about(design, settings, number, records, elsewhere) for number in range(len(settings.questions))]
    turn = color_name(settings.game().turn).title()
    size = f"{counted(len(records), 'searches')} of {plural(settings.simulations, 'simulation')}"
    about = _head(design, scale, f"{size}, {turn} to play; ± is the mean absolute error.")
    diagram = str(settings.game())
    tables = [paragraph for one in told for paragraph in (markdown_text(one.title), markdown_table(one.head, one.rows))]
    text = "\n\n".join([*_opening(design, scale, about), f"```\n{diagram}\n```", *tables])
    paper = {label: share for one in told for label, share in one.paper.items()}
    bars = {label: bar for one in told for label, bar in one.bars.items()}
    body = [
        f"<p>{html.escape(about)}</p>",
        *_html_deviations(design, scale),
        f"<pre>{html.escape(diagram)}</pre>",
        plots.intervals(bars, "%" + (" (squares: the paper)" if paper else ""), paper, title="Answers"),
        *(f"<p>{html.escape(one.title)}</p>{html_table(one.head, one.rows)}" for one in told),
    ]
    found = {
        "title": design.title,
        "scale": scale,
        "deviations": deviations(design, scale),
        "searches": len(records),
        "of": settings.searches,
        "questions": {one.question.name: one.found for one in told},
    }
    return ExperimentReport(text + "\n", body, found)


# --- the quality of moves ---------------------------------------------------------------------------------------------


def _of_quality(design: QualityDesign, scale: float, records: list[QualityRecord]) -> ExperimentReport:
    settings = quality_settings(design, scale)
    told = quality_told(design, settings, records)
    about = _head(design, scale, told.about)
    text = "\n\n".join([*_opening(design, scale, about), markdown_table(told.head, told.rows)])
    body = [
        f"<p>{html.escape(about)}</p>",
        *_html_deviations(design, scale),
        *(f"<p>{html.escape(title)}</p>{picture}" for title, picture in told.pictures.items()),
        html_table(told.head, told.rows),
    ]
    found = {
        "title": design.title,
        "scale": scale,
        "deviations": deviations(design, scale),
        "positions": len(records),
        "of": settings.positions,
        "rows": [dict(zip(told.head, row, strict=True)) for row in told.rows],
    }
    return ExperimentReport(text + "\n", body, found)


# --- shares of moves --------------------------------------------------------------------------------------------------


def _of_shares(design: ShareDesign, scale: float, records: list[ShareRecord]) -> ExperimentReport:
    settings = share_settings(design, scale)
    rows = share_rows(design, settings, records)
    told = share_table(settings, rows, published_elsewhere(design, scale))
    about = _head(design, scale, f"{counted(len(records), 'searches')} of the empty {design.size}×{design.size} board.")
    text = "\n\n".join([*_opening(design, scale, about), markdown_table(HEAD, told)])
    body = [f"<p>{html.escape(about)}</p>", *_html_deviations(design, scale), html_table(HEAD, told)]
    found = {
        "title": design.title,
        "scale": scale,
        "deviations": deviations(design, scale),
        "searches": len(records),
        "of": settings.searches,
        "rows": msgspec.to_builtins(rows),
    }
    return ExperimentReport(text + "\n", body, found)
