"""Names of the match package that other packages still use; each goes when its users have moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kikashi.match import (
    match_player as _players,
    settings as _settings,
    statistics as _statistics,
    summary as _summary,
)
from kikashi.match.player_spec import PlayerSpec, _with_weights
from kikashi.report import Items, Table, markdown_text as markdown_text

Contestant = _players.MatchPlayer
SaidPlayer = PlayerSpec
parse_contestant = _players.match_player
changed_files, with_copies, with_more_weights = _players.changed_files, _players.with_copies, _players.with_more_weights
preset_data = _players.preset_data
said_player = PlayerSpec.parse
with_todays_names = _settings.with_current_names
Standing, standing = _summary.MatchSummary, _summary.summarize
percent, lines = _statistics.percent, _statistics.lines


def files_of_player(text: str, player: Any) -> dict[str, bytes]:
    return _players.files_of_player(player, PlayerSpec.parse(text))


def with_other_files(text: str, paths: Mapping[str, str]) -> str:
    return str(PlayerSpec.parse(text).with_files(paths))


def setting_with_other_files(text: str, paths: Mapping[str, str]) -> str:
    return _with_weights(text, lambda path: paths.get(path, path))


def names_preset(text: str) -> bool:
    return bool(PlayerSpec.parse(text).preset)


def names_budget(text: str) -> bool:
    return PlayerSpec.parse(text).has_limit


def name_of(text: str) -> str:
    return PlayerSpec.parse(text).name


def without_name(text: str) -> str:
    return PlayerSpec.parse(text).unnamed_text


def oddities(found: Any) -> list[str]:
    return _statistics.notes(_statistics.compute(found))


def markdown_list(rows: Sequence[str]) -> str:
    return Items(rows).markdown({})


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return Table(list(head), [list(row) for row in rows]).markdown({})


def page_of(title: str, body: Sequence[str]) -> str:
    return f"<!doctype html>\n<html><head><title>{title}</title></head><body>{''.join(body)}</body></html>"
