"""What searches say about one place of a position, as tables with the paper's values beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from kikashi.experiments.design import LocalDesign, LocalRow, OwnerQuestion, ReplyQuestion
from kikashi.experiments.local_play import (
    LocalRecord,
    LocalSettings,
    Mean,
    OwnerFound,
    ReplyFound,
    owner_found,
    reply_found,
)

OWNER_HEAD = ["player", "searches", "share of the points", "published", "all points at once"]
REPLY_HEAD = ["player", "searches", "played", "published", "right", "published", "share", "published"]
NOTHING = "–"


@dataclass(frozen=True)
class Told:
    """What is told about a question."""

    question: OwnerQuestion | ReplyQuestion
    title: str
    head: list[str]
    rows: list[list[str]]
    bars: dict[str, tuple[float, float, float]]
    """By player: its share in percent, between the bounds that the mean absolute error gives."""
    paper: dict[str, float]
    """By player: the paper's share in percent."""
    found: dict[str, Any]
    """By player, all numbers."""


def told_about(
    design: LocalDesign, settings: LocalSettings, number: int, records: Sequence[LocalRecord], elsewhere: str = ""
) -> Told:
    """What searches say about the question of a number; players that were not asked yet have no row of numbers.

    `elsewhere` are the settings of the published values, where those do not compare with ours.
    """
    question = settings.questions[number]
    head = OWNER_HEAD if isinstance(question, OwnerQuestion) else REPLY_HEAD
    head = [f"{name}, {elsewhere}" if elsewhere and name == "published" else name for name in head]
    told = Told(question, _title(question), head, [], {}, {}, {})
    for index, row in enumerate(design.player):
        counts = [record.counts[number] for record in records if record.player == index]
        is_whole = len(counts) == settings.repeats
        searches = f"{len(counts)}" if is_whole else f"{len(counts)}, unfinished, of {settings.repeats}"
        if not counts:
            told.rows.append([row.name, searches] + [NOTHING] * (len(told.head) - 2))
            continue
        found = _found(question, counts)
        told.rows.append([row.name, searches, *_numbers(found, row.published.get(question.name))])
        told.bars[_label(row, question)] = _bar(found.share)
        told.found[row.name] = msgspec.to_builtins(found)
        if not elsewhere and (paper := _published_share(row, question)) is not None:
            told.paper[_label(row, question)] = 100 * paper
    return told


def _found(question: OwnerQuestion | ReplyQuestion, counts: Sequence[tuple[int, int, int]]) -> OwnerFound | ReplyFound:
    if isinstance(question, OwnerQuestion):
        return owner_found(counts, len(set(question.points)))
    return reply_found(counts)


def _title(question: OwnerQuestion | ReplyQuestion) -> str:
    color = question.color.title()
    if isinstance(question, OwnerQuestion):
        return f"{question.name}: how much of {' '.join(question.points)} belongs to {color} in the end."
    unless = f", unless {' or '.join(question.unless)} was played before" if question.unless else ""
    return f"{question.name}: how often {color}'s {question.move} is answered by {question.answer}{unless}."


def _label(row: LocalRow, question: OwnerQuestion | ReplyQuestion) -> str:
    return f"{row.name}: {question.name}"


def _bar(share: Mean) -> tuple[float, float, float]:
    return 100 * (share.mean - share.error), 100 * share.mean, 100 * (share.mean + share.error)


def _published_share(row: LocalRow, question: OwnerQuestion | ReplyQuestion) -> float | None:
    numbers = row.published.get(question.name)
    if numbers is None:
        return None
    return numbers[0] if isinstance(question, OwnerQuestion) else numbers[2] / numbers[0]


def _numbers(found: OwnerFound | ReplyFound, paper: list[float] | None) -> list[str]:
    """The cells of a row, ours and the paper's in turn."""
    if isinstance(found, OwnerFound):
        published = _percent(Mean(*paper)) if paper else NOTHING
        return [_percent(found.share), published, _percent(found.together)]
    theirs = [NOTHING] * 3
    if paper:
        theirs = [_count(Mean(*paper[:2])), _count(Mean(*paper[2:])), f"{paper[2] / paper[0]:.1%}"]
    ours = [_count(found.times), _count(found.right), _percent(found.share)]
    return [cell for pair in zip(ours, theirs, strict=True) for cell in pair]


def _percent(value: Mean) -> str:
    return f"{value.mean:.1%} ± {value.error:.1%}"


def _count(value: Mean) -> str:
    return f"{value.mean:,.1f} ± {value.error:,.1f}"
