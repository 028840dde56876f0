"""What an experiment found as rows of plain numbers, ours and the paper's, for data frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kikashi.experiments.design import Design, LocalDesign, MatchDesign, PositionDesign, QualityDesign, ShareDesign
from kikashi.experiments.experiment import cells, match_settings
from kikashi.experiments.experiment_report import Records
from kikashi.experiments.local_play import LocalRecord, local_settings
from kikashi.experiments.local_report import told_about
from kikashi.experiments.move_quality import QualityRecord, quality_settings
from kikashi.experiments.paper import published_elsewhere, published_for
from kikashi.experiments.positions import OPERATORS, PRINTED, PositionRecord, error_table
from kikashi.experiments.shares import ShareRecord, share_rows, share_settings
from kikashi.match.one_game import GameRecord
from kikashi.match.summary import standing

Numbers = dict[str, Any]


def numbers_of(design: Design, scale: float, records: Records) -> list[Numbers]:
    """A row for each player and number of simulations, for each checkpoint of a study of positions, for each player and
    question, for each player and position whose moves are judged, or for each player whose moves are counted. Published
    values are there where they compare."""
    if isinstance(design, MatchDesign):
        return list(_of_match(design, scale, [r for r in records if isinstance(r, GameRecord)]))
    if isinstance(design, LocalDesign):
        return list(_of_local(design, scale, [r for r in records if isinstance(r, LocalRecord)]))
    if isinstance(design, QualityDesign):
        return list(_of_quality(design, scale, [r for r in records if isinstance(r, QualityRecord)]))
    if isinstance(design, ShareDesign):
        return list(_of_shares(design, scale, [r for r in records if isinstance(r, ShareRecord)]))
    return list(_of_study(design, scale, [r for r in records if isinstance(r, PositionRecord)]))


def _of_match(design: MatchDesign, scale: float, records: Sequence[GameRecord]) -> Iterator[Numbers]:
    scores = {score.first: score for score in standing(match_settings(design, scale), records).pairings}
    for cell in cells(design, scale):
        if (score := scores.get(cell.label)) is not None:
            paper = published_for(design, cell)
            yield {
                "player": cell.row.name,
                "simulations": cell.limit.simulations,
                "opponent": cell.opponent,
                "games": score.games,
                "wins": score.wins,
                "draws": score.draws,
                "share": score.share,
                "low": score.interval.low,
                "high": score.interval.high,
                "as black": score.as_black,
                "as white": score.as_white,
                "published": paper.share if paper is not None and paper.compares else None,
            }


def _of_study(design: PositionDesign, scale: float, records: Sequence[PositionRecord]) -> Iterator[Numbers]:
    """An operator's error is the root of the mean square, its bias the mean, in points for the side to play."""
    published = {} if published_elsewhere(design, scale) else design.published
    for row in error_table(records):
        numbers: Numbers = {"simulations": row.simulations}
        paper = published.get(str(row.simulations), [None] * 2 * len(OPERATORS))
        for operator, (square, mean) in zip(OPERATORS, row.errors, strict=False):
            k = 2 * PRINTED[operator]
            numbers |= {f"{operator} error": square, f"{operator} error published": paper[k]}
            numbers |= {f"{operator} bias": mean, f"{operator} bias published": paper[k + 1]}
        yield numbers


def _of_local(design: LocalDesign, scale: float, records: Sequence[LocalRecord]) -> Iterator[Numbers]:
    settings = local_settings(design, scale)
    for number in range(len(settings.questions)):
        told = told_about(design, settings, number, records)
        for player, found in told.found.items():
            means = {name: value["mean"] for name, value in found.items()}
            errors = {f"{name} error": value["error"] for name, value in found.items()}
            yield {"question": told.question.name, "player": player, **means, **errors}


def _of_quality(design: QualityDesign, scale: float, records: Sequence[QualityRecord]) -> Iterator[Numbers]:
    samples = quality_settings(design, scale).samples
    for record in records:
        for player, row in zip(design.player, record.rows, strict=False):
            chosen = dict(zip((f"with {count}" for count in samples), row.chosen, strict=True))
            place = {"game": record.game, "moves before": record.move, "legal moves": record.legal}
            yield {"player": player.name, **place, "random": row.random, **chosen}


def _of_shares(design: ShareDesign, scale: float, records: Sequence[ShareRecord]) -> Iterator[Numbers]:
    compares = not published_elsewhere(design, scale)
    for row in share_rows(design, share_settings(design, scale), records):
        if (replies := row["replies"]) is not None:
            named = {name: row[name] for name in ("player", "searches", "simulations", "made", "evicted")}
            named["published"] = row["published"] if compares else None
            yield {**named, "replies": replies.mean, "error": replies.error, **row["shares"]}
