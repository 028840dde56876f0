"""Journals of version 0.1: they are read, rated and gone on with, though settings have other names now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from helpers.match_tools import ONE, without_times
from kikashi.cli import main
from kikashi.match.journal import FILE, JournalError, read_header, read_records
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import settings_of
from kikashi.match.runner import resumed_settings, run_match

OLD = Path(__file__).parents[1] / "data" / "match_of_version_0_1.jsonl"
"""Four games, with 10 playouts a move for the first player and 12 for the second."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / FILE).write_bytes(OLD.read_bytes())
    return tmp_path / "old"


def test_an_old_journal_is_read(folder: Path) -> None:
    settings = settings_of(read_header(folder))
    assert (settings.simulations, settings.megabytes, settings.pairings) == (10, None, ())
    assert [player.simulations for player in settings.match_players()] == [10, 12]
    assert [(record.full, record.evicted) for record in read_records(folder, GameRecord)] == [((0, 0), (0, 0))] * 4


def test_an_old_match_goes_on_where_it_was_left(folder: Path) -> None:
    """The missing games have the numbers, the players and the seeds that they had."""
    before = read_records(folder, GameRecord)
    journal = folder / FILE
    first, *games = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first + games[1] + games[2])
    settings = resumed_settings(folder, {"simulations": 10, "size": 5})
    again = run_match(settings, folder, ONE, resume=True)
    assert [(game.number, game.black, game.white, game.seeds) for game in again] == [
        (game.number, game.black, game.white, game.seeds) for game in before
    ]
    assert without_times(again)[1:3] == without_times(before)[1:3]


def test_an_old_match_is_not_gone_on_with_as_another(folder: Path) -> None:
    with pytest.raises(JournalError, match="old was begun with simulations 10, not 20"):
        resumed_settings(folder, {"simulations": 20})
    with pytest.raises(JournalError, match="old was begun with megabytes null, not 64"):
        resumed_settings(folder, {"megabytes": 64.0})


def said_by(*words: str) -> Any:
    return CliRunner().invoke(main, [*words])


@pytest.mark.parametrize("option", ["--playouts", "--simulations"])
def test_the_command_resumes_and_rates_an_old_match(option: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kikashi.workers.executors.make_workers", lambda name, count, **how: ONE)
    done = said_by("match", "--resume", str(folder), option, "10", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["pairings"][0]["games"] == 4
    refused = said_by("match", "--resume", str(folder), option, "11")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "simulations 10, not 11" in refused.stderr
    assert "other" in said_by("ratings", str(folder)).stdout
