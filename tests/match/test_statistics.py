"""A statistic of matches is one function in one file: the terminal, reports, JSON, data frames and the page show it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from helpers.match_tools import ONE, record, settings
from kikashi.cli import main
from kikashi.experiments.queue import entry_in
from kikashi.match import Match, statistics
from kikashi.match.statistics import compute, lines
from kikashi.match.summary import summarize
from kikashi.web import studies

PLUGIN = '''
from kikashi.match import GameSet, StatisticValue, match_statistic
from kikashi.stats import wilson


@match_statistic("pairing")
def long_games(games: GameSet) -> StatisticValue:
    """Share of games with more than ten moves."""
    count = sum(len(record.moves) > 10 for record in games.records)
    interval = wilson(count, len(games.records))
    return StatisticValue(count / len(games.records), interval.low, interval.high, f"{count} long ones")


@match_statistic("player", "first moves")
def opening(games: GameSet) -> StatisticValue:
    """Number of different first moves."""
    return StatisticValue(len({record.moves[0] for record in games.records}))


@match_statistic("match")
def broken(games: GameSet) -> StatisticValue:
    """A fault of the plugin costs neither the games nor the report."""
    return StatisticValue(1 / 0)
'''


@pytest.fixture(autouse=True)
def only_for_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "_REGISTERED", dict(statistics._REGISTERED))


def test_a_plugins_statistic_is_shown_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kikashi.workers.executors.make_workers", lambda name, count, **how: ONE)
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(PLUGIN)
    words = ["match", "lgrf2", "mogo-2006", "--size=5", "--simulations=10", "--games=2", "--plugin=mine.py"]
    played = CliRunner().invoke(main, [*words, "--output=m"])
    assert played.exit_code == 0, played.output
    assert "2 long ones" in played.stdout.splitlines()[0]
    assert "first moves: lgrf2 2, mogo-2006 2" in played.stdout
    assert "broken failed: ZeroDivisionError: division by zero" in played.stdout
    for report in ("report.md", "report.html"):
        text = (tmp_path / "m" / report).read_text()
        assert all(part in text for part in ("long games", "2 long ones", "first moves", "ZeroDivisionError"))
    table = json.loads(CliRunner().invoke(main, ["match", "--resume=m", "--plugin=mine.py", "--json"]).stdout)
    (pairing,) = (row for row in table["statistics"] if row["subject"] == "pairing")
    assert pairing["players"] == ["lgrf2", "mogo-2006"]
    assert pairing["values"]["long games"]["value"] == 1
    assert 0 < pairing["values"]["long games"]["low"] < pairing["values"]["long games"]["high"] == 1
    frame = pytest.importorskip("pandas") and Match.read("m").statistics()
    (row,) = frame[frame["statistic"] == "long games"].to_dict("records")
    assert (row["players"], row["value"], row["text"]) == ("lgrf2 – mogo-2006", 1, "2 long ones")
    assert "long games" in Match.read("m")._repr_html_()
    pairings, players = studies.study_state("m", entry_in(tmp_path / "m")).tables
    assert dict(zip(*pairings, strict=True))["long games"] == "2 long ones"
    assert players[0][-1] == "first moves"


def test_a_value_without_words_is_shown_with_its_interval() -> None:
    assert str(statistics.StatisticValue(0.25, 0.125, 1)) == "0.25 [0.125, 1]"
    assert str(statistics.StatisticValue(3)) == "3"
    assert str(statistics.StatisticValue(None)) == "–"


def test_a_statistic_that_does_not_apply_has_no_place() -> None:
    statistics.match_statistic("pairing", "absent")(lambda games: None)
    found = summarize(settings(), [record(0, "lgrf2", "mogo-2006", "B+1")])
    assert not any("absent" in row.values for row in compute(found))
    assert "absent" not in "\n".join(lines(found))
