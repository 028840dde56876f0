"""Matches and experiments of a folder, read from their journals: lists, states, reports, tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from kikashi.experiments import Design, experiment_names, load_design
from kikashi.experiments.experiment import experiment_report
from kikashi.match.journal import FILE, read_header, read_headers, read_records
from kikashi.match.match_report import match_report
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import settings_of
from kikashi.match.results import Match
from kikashi.match.settings import MatchSettings
from kikashi.match.statistics import compute, notes, table
from kikashi.match.summary import MatchSummary, latest, llr_by_pair, scored_games, summarize
from kikashi.report import Board, Document, Element, Figure, Items, Paragraph, Section, Table
from kikashi.stats.intervals import wilson
from kikashi.web.messages import GameRow, ReportPart, RunState, StudyInfo, StudyState, Test
from kikashi.web.run_job import sorted_records
from kikashi.wording import plural

DEPTH = 3
"""Levels of folders in which journals are found."""
STUDIES = 500
"""Journals that are listed, at most."""
GAMES = 2_000
"""Games of a match that are listed, the latest."""
JOURNAL_BYTES = 256 << 20
PLOTTED = 400
"""Points of a curve."""
DECIDED = ("H0", "H1")


def find_studies(place: Path | None) -> dict[str, Path]:
    """Return the folders with a journal by their names below a folder. Links are not followed."""
    if place is None or not place.is_dir():
        return {}
    found = {}
    for folder in _walk(place, DEPTH):
        journal = folder / FILE
        if not journal.is_symlink() and journal.is_file() and journal.stat().st_size <= JOURNAL_BYTES:
            found[str(folder.relative_to(place))] = folder
            if len(found) == STUDIES:
                break
    return found


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    yield folder
    if not depth:
        return
    try:
        inner = sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink())
    except OSError:  # not ours to read
        return
    for each in inner:
        yield from _walk(each, depth - 1)


def study_info(name: str, folder: Path) -> StudyInfo | None:
    """Return a line about a study; None if its journal is not one of ours."""
    try:
        header = read_header(folder)
        journal = folder / FILE
        kind = str(header.get("kind", ""))
        with journal.open("rb") as file:
            done = sum(1 for line in file if not line.startswith(b'{"kind":'))
        title, of = name, int(header.get("steps", 0))
        state: RunState = "stopped"
        if (design := design_of(folder)) is not None:
            title = design[1].title
        if kind == "match":
            settings = settings_of(header)
            of = settings.total_games
            title = title if design else " – ".join(settings.names)[:200]
            if settings.sprt is not None and done < of:
                state = _match_state(summarize(settings, scored_games(settings, _games(folder))), done)
        if of and done >= of:
            state = "finished"
        return StudyInfo(name, kind, title, done, of, journal.stat().st_mtime, state)
    except (ValueError, OSError):  # not a journal of ours, or gone in between
        return None


def design_of(folder: Path) -> tuple[str, Design] | None:
    """Return name and design of the papers' experiment that is run in a folder of the usual name; None for another."""
    name, _, scale = folder.name.rpartition("-")
    try:
        return (name, _design(name, float(scale))) if name in experiment_names() and float(scale) > 0 else None
    except (ValueError, OSError):
        return None


@lru_cache(64)
def _design(name: str, scale: float) -> Design:
    return load_design(name).at(scale)


def _games(folder: Path) -> list[GameRecord]:
    return latest(read_records(folder, GameRecord))


def _match_state(found: MatchSummary, done: int) -> RunState:
    if found.sprt is not None and found.sprt.decision in DECIDED:
        return "decided"
    return "finished" if done >= found.settings.total_games else "stopped"


# --- the state of a study ---------------------------------------------------------------------------------------------


def study_state(name: str, folder: Path) -> StudyState:
    """Return the state of a study. Raises ValueError if its journal is damaged."""
    header = read_header(folder)
    if (design := design_of(folder)) is not None:
        return _experiment_state(name, folder, design[1], header)
    return _match_study(name, folder, header) if header.get("kind") == "match" else _plain_state(name, folder, header)


def _match_study(name: str, folder: Path, header: dict[str, Any]) -> StudyState:
    settings = settings_of(header)
    records = _games(folder)
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
        title=" – ".join(settings.names)[:200],
        settings=_describe(settings),
        done=len(records),
        of=settings.total_games,
        state=_match_state(found, len(records)),
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


def _experiment_state(name: str, folder: Path, design: Design, header: dict[str, Any]) -> StudyState:
    done, of, is_finished = design.done(folder, header)
    records = sorted_records(design, folder)
    counted = records if is_finished else design.complete(records)
    document = experiment_report(design, counted).document if counted else Document(design.title, [])
    return StudyState(
        study=name,
        kind=design.kind,
        title=design.title,
        settings=f"{design.source}, scale {design.scale:g}",
        done=done,
        of=of,
        state="finished" if is_finished else "stopped",
        verdict=document.verdict,
        report=list(report_parts(document.elements)),
        games=_game_rows(records) if design.record_type is GameRecord else [],
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


def _plain_state(name: str, folder: Path, header: dict[str, Any]) -> StudyState:
    """Return the state of an experiment without a known design: its records as a table."""
    keys, rows = _plain_records(folder)
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


def _plain_records(folder: Path) -> tuple[list[str], list[dict[str, Any]]]:
    records = read_records(folder, dict[str, Any])
    plain = [{key: value for key, value in row.items() if isinstance(value, str | int | float)} for row in records]
    return list(dict.fromkeys(key for row in plain for key in row)), plain


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)[:60]


def _game_rows(records: list[GameRecord]) -> list[GameRow]:
    return [
        GameRow(each.number, each.black, each.white, each.result, each.ended, len(each.moves))
        for each in records[-GAMES:]
    ]


# --- files to take away -----------------------------------------------------------------------------------------------


def as_csv(folder: Path) -> str:
    """Return the games of a match, or the numbers of an experiment beside the paper's, as CSV. Raises ValueError."""
    header = read_header(folder)
    rows: list[dict[str, Any]]
    if (design := design_of(folder)) is not None:
        records = sorted_records(design[1], folder)
        rows = list(design[1].numbers(design[1].complete(records)))
    elif header.get("kind") == "match":
        rows = [
            {"game": each.number, "pair": each.pair, "black": each.black, "white": each.white, "result": each.result}
            | {"winner": each.winner or "", "ended": each.ended, "moves": len(each.moves)}
            | {"black_seconds": each.seconds[0], "white_seconds": each.seconds[1]}
            for each in _games(folder)
        ]
    else:
        _, rows = _plain_records(folder)
    written = io.StringIO()
    writer = csv.DictWriter(written, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def as_report(folder: Path) -> str:
    """Return the report of a study as a page of HTML that needs no other file. Raises ValueError."""
    header = read_header(folder)
    if (design := design_of(folder)) is not None:
        records = sorted_records(design[1], folder)
        counted = records if design[1].done(folder, header)[2] else design[1].complete(records)
        if not counted:
            raise ValueError("there are no results yet")
        return experiment_report(design[1], counted).document.html()
    if header.get("kind") != "match":
        raise ValueError("only matches and the papers' experiments have a report")
    match = Match.read(folder)
    return match_report(match.records, match.summary, read_headers(folder)).html()
