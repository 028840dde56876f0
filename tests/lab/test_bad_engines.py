"""Engines that crash, hang, cheat or babble: each costs only its own games, and the journal says why."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.match_tools import ONE, engine, processes_with, settings, zombies
from kikashi.gtp.controller import Engine, EngineDied, EngineError
from kikashi.lab.contestants import parse_contestant
from kikashi.lab.match import run_match
from kikashi.lab.one_game import GameRecord
from kikashi.lab.standing import standing

pytestmark = pytest.mark.slow

BAD = {
    "crash": r"died at 'boardsize 5'|closed its input before 'boardsize 5'",
    "crash at move": r"died at 'genmove (black|white)'",
    "hang": r"no answer to 'boardsize 5' in 0\.5 seconds",
    "hang at move": r"no answer to '.*' in 0\.5 seconds",
    "close pipes": r"died at 'boardsize 5'|closed its input",
    "close output": r"died at 'genmove (black|white)'",
    "garbage": r"got 'Hello, I am an engine.*', which is not GTP",
    "bytes": r"which is not GTP",
    "endless line": r"endless answer to 'boardsize 5'",
    "endless lines": r"endless answer to 'boardsize 5'",
    "empty lines": r"endless answer to 'boardsize 5'",
    "off the board": r"illegal move: .*Z99",
    "no move": r"illegal move: .*SOMEWHERE NICE",
    "nothing": r"illegal move: ",
    "occupied": r"illegal move: .* is illegal: ",
    "refuses": r"'genmove (black|white)' failed: I do not want to",
    "contradicts": r"'play (black|white) \w+' failed: I do not believe it",
}


def games_of(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()[1:]]


@pytest.fixture(autouse=True)
def no_process_stays(tmp_path: Path) -> Iterator[None]:
    """Neither running nor as a zombie."""
    before = set(zombies())
    yield
    assert processes_with(tmp_path) == []
    assert set(zombies()) <= before


@pytest.mark.parametrize("how", BAD)
def test_a_bad_engine_costs_only_its_own_games(how: str, tmp_path: Path) -> None:
    bad, honest = engine(how, 2, mark=tmp_path), engine("first points", 3, name="honest", mark=tmp_path)
    match = settings(bad, honest, "lgrf2", games=2)
    if how.startswith("hang"):  # an honest engine might need that long to start
        match = settings(bad, "name=honest mogo-2006", "lgrf2", games=2, timeout=0.5)
    records = run_match(match, tmp_path / "match", ONE)
    assert [record.number for record in records] == list(range(6))
    for record in records:
        if how in (record.black, record.white):
            check_forfeit(record, how)
        else:
            assert (record.ended, record.reason) == ("passes", "")
    assert [game["reason"] for game in games_of(tmp_path / "match")] == [record.reason for record in records]
    found = standing(match, records)
    assert len(found.forfeits) == 4
    assert [score.forfeits for score in found.pairings] == [(2, 0), (2, 0), (0, 0)]


def check_forfeit(record: GameRecord, how: str) -> None:
    """The bad engine lost, for its own reason, which names its colour."""
    color, result = ("black", "W+F") if record.black == how else ("white", "B+F")
    assert (record.ended, record.result) == ("forfeit", result)
    assert record.reason.startswith(f"{color}: ")
    assert record.winner != how
    assert "\n" not in record.reason
    assert len(record.reason) <= 500
    assert re.search(BAD[how], record.reason), record.reason


def test_an_engine_that_crashes_later_has_its_moves_kept(tmp_path: Path) -> None:
    crashing, passing = engine("crash at move", 3), engine("first points", 0, name="passing")
    games = run_match(settings(crashing, passing, games=2), tmp_path, ONE)
    assert [game.moves for game in games] == [("A1", "pass", "B1", "pass"), ("pass", "A1", "pass", "B1", "pass")]
    assert [game.thought for game in games] == [(2, 2), (3, 2)]


def test_both_players_may_be_bad(tmp_path: Path) -> None:
    games = run_match(settings(engine("crash"), engine("hang"), games=2, timeout=0.5), tmp_path, ONE)
    assert [game.result for game in games] == ["W+F", "W+F"], "who sits down first is found out first"


def test_an_engine_that_does_not_quit_has_played_all_the_same(tmp_path: Path) -> None:
    late, honest = engine("late at quit", 3, mark=tmp_path), engine("first points", 3, name="honest")
    games = run_match(settings(late, honest, games=2), tmp_path / "match", ONE)
    assert [game.ended for game in games] == ["passes", "passes"]


def test_an_engine_may_resign(tmp_path: Path) -> None:
    games = run_match(settings(engine("resign"), engine("first points"), games=2), tmp_path, ONE)
    assert [(game.result, game.ended) for game in games] == [("W+R", "resignation"), ("B+R", "resignation")]
    assert games[0].moves == ("resign",)


def test_an_engine_need_not_know_about_time(tmp_path: Path) -> None:
    games = run_match(
        settings(engine("first points", 1), engine("passes"), games=2, simulations=None, seconds=0.5), tmp_path, ONE
    )
    assert [game.ended for game in games] == ["passes", "passes"]


def test_an_engine_gets_its_seed(tmp_path: Path) -> None:
    contestant = parse_contestant(f"{engine('passes')} {{seed}}")
    assert contestant.command[-1] == "{seed}"
    games = run_match(settings(f"{engine('passes')} {{seed}}", engine("first points"), games=2), tmp_path, ONE)
    assert games[0].seeds[0] == games[1].seeds[1]


# --- the controller itself --------------------------------------------------------------------------------------------


def command(how: str) -> list[str]:
    return list(parse_contestant(engine(how)).command)


def test_an_error_is_not_the_end() -> None:
    with Engine(command("passes")) as one:
        with pytest.raises(EngineError, match="unknown command") as caught:
            one.ask("final_score")
        assert not isinstance(caught.value, EngineDied)
        assert one.ask("genmove b") == "PASS"


def test_an_engine_that_is_lost_is_not_asked_to_quit() -> None:
    """A second time-out would be a waste."""
    with Engine(command("hang"), timeout=0.2) as one, pytest.raises(EngineDied, match=r"no answer to 'name' in 0\.2"):
        one.ask("name")
    assert one._process.returncode is not None


def test_a_program_that_is_none_is_told() -> None:
    with pytest.raises(EngineDied, match="cannot be started"):
        Engine(["/nowhere/engine"])
