"""A journal of version 0.2 is read, rated and resumed; players keep the names that they had."""

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

OLD = Path(__file__).parents[1] / "data" / "match_of_version_0_2.jsonl"
"""Four games, with 16 simulations a move for the first player and 12 for the second; no line has a checksum."""
NAMES = ("lgrf2 --set even_games=10 --playouts 16", "other")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / FILE).write_bytes(OLD.read_bytes())
    return tmp_path / "old"


def test_an_old_match_is_resumed(folder: Path) -> None:
    """The missing games have the numbers, the players, the seeds and the moves that they had."""
    settings = settings_of(read_header(folder))
    assert settings.names == NAMES
    assert [player.simulations for player in settings.match_players()] == [16, 12]
    before = read_records(folder, GameRecord)
    journal = folder / FILE
    first, *games = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first + games[1] + games[2])
    again = run_match(resumed_settings(folder, {"simulations": 12, "size": 5}), folder, ONE, resume=True)
    assert without_times(again) == without_times(before)


def test_an_old_match_is_not_resumed_with_other_settings(folder: Path) -> None:
    assert resumed_settings(folder, {"players": (NAMES[0], "name=other mogo-2006")}).names == NAMES
    for given, refusal in (
        ({"simulations": 20}, "simulations 12, not 20"),
        ({"megabytes": 64.0}, "megabytes null, not 64"),
        ({"players": ("lgrf2", "name=other mogo-2006")}, "players"),
    ):
        with pytest.raises(JournalError, match=f"old was begun with {refusal}"):
            resumed_settings(folder, given)


def test_the_command_resumes_and_rates_an_old_match(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*words: str) -> Any:
        return CliRunner().invoke(main, [*words])

    monkeypatch.setattr("kikashi.workers.executors.make_workers", lambda name, count, **how: ONE)
    done = run("match", "--resume", str(folder), "--playouts", "12", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["pairings"][0]["games"] == 4
    refused = run("match", "--resume", str(folder), "--simulations", "11")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert "simulations 12, not 11" in refused.stderr
    assert NAMES[0] in run("ratings", str(folder)).stdout
