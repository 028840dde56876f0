"""Matches and experiments as pages show them: states, reports, tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from kikashi.experiments.experiment import describe
from kikashi.experiments.queue import Entry, ExperimentEntry, MatchEntry
from kikashi.match.one_game import GameRecord
from kikashi.match.settings import MatchSettings
from kikashi.match.statistics import compute, notes, table
from kikashi.match.summary import llr_by_pair, scored_games, summarize
from kikashi.report import Board, Element, Figure, Items, Paragraph, Section, Table
from kikashi.stats.intervals import wilson
from kikashi.web.messages import GameRow, ReportPart, StudyState, Test
from kikashi.wording import plural

GAMES = 2_000
"""Games of a match that are listed, the latest."""
PLOTTED = 400
"""Points of a curve."""


def study_state(name: str, entry: Entry) -> StudyState:
    """Return the state of a study. Raises ValueError if its journal is damaged."""
    if isinstance(entry, MatchEntry):
        return _match_state(name, entry)
    return _experiment_state(name, entry) if isinstance(entry, ExperimentEntry) else _plain_state(name, entry)


def _match_state(name: str, entry: MatchEntry) -> StudyState:
    settings, (_, records) = entry.settings, entry.read()
    scored = scored_games(settings, records)
    found = summarize(settings, scored)
    rows = compute(found)
    test = found.sprt
    counted = [record for record in scored if not record.is_void]
    curve = list(_shares(settings, counted))
    counts, shares, lows, highs = (list(column) for column in zip(*curve, strict=True)) if curve else ([], [], [], [])
    return StudyState(
        study=name,
        kind="match",
        title=entry.title[:200],
        settings=_describe(settings),
        done=len(records),
        of=settings.total_games,
        test=None if test is None else Test(test.llr, test.lower, test.upper, test.decision, test.elo0, test.elo1),
        counts=counts,
        shares=shares,
        lows=lows,
        highs=highs,
        ratios=_thinned(llr_by_pair(settings, records)) if settings.sprt is not None else [],
        games=_game_rows(records),
        notes=notes(rows if len(scored) == len(records) else compute(summarize(settings, records)))[:20],
        tables=[[head, *cells] for head, cells in (table(rows, "pairing"), table(rows, "player")) if cells],
    )


def _describe(settings: MatchSettings) -> str:
    budget = [plural(settings.simulations, "simulation")] if settings.simulations else []
    budget += [f"{settings.seconds:g} s a move"] if settings.seconds else []
    budget += [f"clock {settings.clock}"] if settings.clock else []
    return ", ".join([f"{settings.size}×{settings.size}", f"komi {settings.komi:g}", settings.rules, *budget])


def _shares(settings: MatchSettings, records: list[GameRecord]) -> Iterator[tuple[int, float, float, float]]:
    """Yield games of the first two players, the first one's share, and Wilson's interval: about `PLOTTED` rows."""
    meeting = settings.all_pairings()[0]
    names = {meeting.first, meeting.second}
    points, games = 0.0, [record for record in records if {record.black, record.white} == names]
    every = max(1, len(games) // PLOTTED)
    for number, record in enumerate(games, 1):
        points += record.points(meeting.first)
        if number % every == 0 or number == len(games):
            bounds = wilson(points, number)
            yield number, points / number, bounds.low, bounds.high


def _thinned(values: list[float]) -> list[float]:
    every = max(1, len(values) // PLOTTED)
    return [value for number, value in enumerate(values) if number % every == 0 or number == len(values) - 1]


def _experiment_state(name: str, entry: ExperimentEntry) -> StudyState:
    design, status, document = entry.design, entry.recorded(), entry.report()
    changes = f", {', '.join(entry.name.overrides)}" if entry.name.overrides else ""
    return StudyState(
        study=name,
        kind=design.kind,
        title=design.title,
        settings=f"{design.source}, scale {design.scale:g}{changes}",
        done=status.done,
        of=status.of,
        verdict=document.verdict if document is not None else "",
        report=list(report_parts((document or describe(design).document).elements)),
        games=_game_rows(entry.read()[1]) if design.record_type is GameRecord else [],
    )


def report_parts(elements: Iterable[Element]) -> Iterator[ReportPart]:
    """Yield the parts of a report for a page; an element of a user's kind is its text."""
    for element in elements:
        match element:
            case Section(heading, inner):
                if parts := list(report_parts(inner)):
                    yield ReportPart("heading", heading)
                    yield from parts
            case Items(lines, title):
                if lines:
                    yield ReportPart("items", title, lines=list(lines))
            case Table(head, rows, title):
                yield ReportPart("table", title, rows=[list(head), *(list(map(str, row)) for row in rows)])
            case Figure(picture, _):
                yield ReportPart("plot", picture.about, svg=str(picture))
            case Board(game):
                yield ReportPart("plot", svg=str(game.picture()))
            case Paragraph(words):
                yield ReportPart("words", words)
            case _:
                if text := element.text():
                    yield ReportPart("words", text)


def _plain_state(name: str, entry: Entry) -> StudyState:
    """Return the state of an experiment without a known design: its records as a table."""
    header, keys, rows = _plain_records(entry)
    settings = {k: v for k, v in dict(header.get("settings", {})).items() if isinstance(v, str | int | float)}
    shown = keys[:8]
    return StudyState(
        study=name,
        kind=str(header.get("kind", "")),
        title=name,
        settings=", ".join(f"{key} {value}" for key, value in settings.items())[:300],
        done=len(rows),
        of=int(header.get("steps", 0)),
        tables=[[shown, *([_cell(row.get(key)) for key in shown] for row in rows[-200:])]] if keys else [],
    )


def _plain_records(entry: Entry) -> tuple[dict[str, Any], list[str], list[dict[str, Any]]]:
    headers, records = entry.read()
    plain = [{key: value for key, value in row.items() if isinstance(value, str | int | float)} for row in records]
    return headers[-1], list(dict.fromkeys(key for row in plain for key in row)), plain


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)[:60]


def _game_rows(records: list[GameRecord]) -> list[GameRow]:
    return [
        GameRow(each.number, each.black, each.white, each.result, each.ended, len(each.moves))
        for each in records[-GAMES:]
    ]


# --- files to take away -----------------------------------------------------------------------------------------------


def as_csv(entry: Entry) -> str:
    """Return the games of a match, or the numbers of an experiment beside the paper's, as CSV. Raises ValueError."""
    rows: list[dict[str, Any]]
    if isinstance(entry, ExperimentEntry):
        rows = list(entry.design.numbers(entry.counting()))
    elif isinstance(entry, MatchEntry):
        rows = [
            {"game": each.number, "pair": each.pair, "black": each.black, "white": each.white, "result": each.result}
            | {"winner": each.winner or "", "ended": each.ended, "moves": len(each.moves)}
            | {"black_seconds": each.seconds[0], "white_seconds": each.seconds[1]}
            for each in entry.read()[1]
        ]
    else:
        _, _, rows = _plain_records(entry)
    written = io.StringIO()
    writer = csv.DictWriter(written, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def as_report(entry: Entry) -> str:
    """Return the report of a study as a page of HTML that needs no other file. Raises ValueError."""
    if (document := entry.report()) is None:
        raise ValueError(
            "there are no results yet"
            if type(entry) is not Entry
            else "only matches and the papers' experiments have a report"
        )
    return document.html()
