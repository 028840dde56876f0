"""Engines that crash, hang, cheat or babble: one that cannot play stops the match before it begins, one that fails in a
game loses only that, and the journal says why."""

import json
import re
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helpers.match_tools import ONE, engine, eventually, processes_with, settings, zombies
from kikashi.match.failures import MatchStopped
from kikashi.match.game_players import log_folder
from kikashi.match.match_player import match_player
from kikashi.match.one_game import GameRecord
from kikashi.match.preflight import CannotPlay
from kikashi.match.runner import run_match
from kikashi.match.statistics import lines
from kikashi.match.summary import summarize
from kikashi.protocols.gtp.controller import Engine, EngineDied, EngineError

pytestmark = pytest.mark.slow

CANNOT_PLAY = {
    "crash": r"died at 'boardsize 5'|closed its input before 'boardsize 5'",
    "hang": r"no answer to 'boardsize 5' in 1\.5 seconds",
    "hang at move": r"no answer to '.*' in 1\.5 seconds",
    "close pipes": r"died at 'boardsize 5'|closed its input",
    "close output": r"died at 'genmove (black|white)'",
    "garbage": r"got 'Hello, I am an engine.*', which is not GTP",
    "bytes": r"which is not GTP",
    "endless line": r"endless answer to 'boardsize 5'",
    "endless lines": r"endless answer to 'boardsize 5'",
    "empty lines": r"endless answer to 'boardsize 5'",
    "refuses": r"'genmove (black|white)' failed: I do not want to",
}
FORFEITS = {
    "crash at move": r"died at 'genmove (black|white)'",
    "off the board": r"illegal move: .*Z99",
    "no move": r"illegal move: .*SOMEWHERE NICE",
    "nothing": r"illegal move: ",
    "occupied": r"illegal move: .* is illegal: ",
    "three answers": r"which is no response|with id \d+ got '=\d+ ",
    "three late answers": r"which is no response|with id \d+ got '=\d+ ",
}


def games_of(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()[1:]]


@pytest.fixture(autouse=True)
def no_process_stays(tmp_path: Path) -> Iterator[None]:
    """Neither running nor as a zombie."""
    before = set(zombies())
    yield
    assert eventually(lambda: processes_with(tmp_path) == [])
    assert eventually(lambda: set(zombies()) <= before)


# --- before the first game --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", CANNOT_PLAY)
def test_a_player_that_cannot_play_stops_the_match_before_it_begins(how: str, tmp_path: Path) -> None:
    timeout = 0.5 if how.startswith("hang") else 60.0
    match = settings(engine(how, 2, mark=tmp_path), "lgrf2", games=2, timeout=timeout)
    with pytest.raises(CannotPlay, match=rf"^{how} cannot play: [^\n]*({CANNOT_PLAY[how]})"):
        run_match(match, tmp_path / "match", ONE)
    assert not (tmp_path / "match").exists()


def test_a_player_that_cannot_play_has_the_last_word(tmp_path: Path) -> None:
    with pytest.raises(CannotPlay) as caught:
        run_match(settings("lgrf2", engine("complains"), games=2), tmp_path / "match", ONE)
    assert caught.value.lines == ("loading the network", "no licence", "please buy one")


# --- in a game --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", FORFEITS)
def test_a_bad_engine_costs_only_its_own_games(how: str, tmp_path: Path) -> None:
    bad, honest = engine(how, 2, mark=tmp_path), engine("first points", 3, name="honest", mark=tmp_path)
    match = settings(bad, honest, "lgrf2", games=2, forfeits=10)
    records = run_match(match, tmp_path / "match", ONE)
    assert [record.number for record in records] == list(range(6))
    for record in records:
        if how in (record.black, record.white):
            check_forfeit(record, how)
        else:
            assert (record.ended, record.reason) == ("passes", "")
    assert [game["reason"] for game in games_of(tmp_path / "match")] == [record.reason for record in records]
    found = summarize(match, records)
    assert [score.forfeits for score in found.pairings] == [(2, 0), (2, 0), (0, 0)]


def check_forfeit(record: GameRecord, how: str) -> None:
    """The bad engine lost, for its own reason, which names its colour."""
    color, result = ("black", "W+F") if record.black == how else ("white", "B+F")
    assert (record.ended, record.result) == ("forfeit", result)
    assert record.reason.startswith(f"{color}: ")
    assert record.winner != how
    assert record.failed == how
    assert "\n" not in record.reason
    assert len(record.reason) <= 500
    assert re.search(FORFEITS[how], record.reason), record.reason


def test_an_engine_that_crashes_later_has_its_moves_kept(tmp_path: Path) -> None:
    crashing, passing = engine("crash at move", 3), engine("first points", 0, name="passing")
    games = run_match(settings(crashing, passing, games=2), tmp_path, ONE)
    assert [game.moves for game in games] == [("A1", "pass", "B1", "pass"), ("pass", "A1", "pass", "B1", "pass")]
    assert [game.thought for game in games] == [(2, 2), (3, 2)]


def test_a_game_that_a_player_could_not_begin_counts_for_nobody(tmp_path: Path) -> None:
    """It is played again when the match is resumed. Start 1 is that before the match."""
    flaky = engine("fails at start", 3, mark=tmp_path / "starts")
    match = settings(flaky, engine("first points", 3, name="honest"), games=4)
    records = run_match(match, tmp_path / "match", ONE)
    assert [record.is_void for record in records] == [False, True, False, False]
    assert (records[1].result, records[1].ended, records[1].winner) == ("Void", "not begun", None)
    assert records[1].reason.startswith("white: ")
    assert records[1].reason.endswith("(start 3 fails)"), "its own last words"
    found = summarize(match, records)
    assert found.pairings[0].games == 3
    assert (found.pairings[0].draws, found.pairings[0].forfeits) == (0, (0, 0))
    assert f"not begun, counts for nobody: game 1: {records[1].reason}" in lines(found)
    assert "RE[Void]" in (tmp_path / "match" / "games" / "000001.sgf").read_text()
    again = run_match(match, tmp_path / "match", ONE, resume=True)
    assert [record.is_void for record in again] == [False] * 4
    assert again[2:] == records[2:]


@pytest.mark.parametrize("how", ["fails from start", "off the board"])
@pytest.mark.parametrize("most", [1, 3])
def test_a_player_that_fails_again_and_again_stops_the_match(how: str, most: int, tmp_path: Path) -> None:
    """Also where it never wins anybody anything; the match can be gone on with."""
    bad = engine(how, 2, name="bad", mark=tmp_path / "starts")
    match = settings(engine("first points", 3, name="honest"), bad, games=10, forfeits=most)
    with pytest.raises(MatchStopped, match=r"^bad forfeited [^\n]*because of \w+: [^\n]*--forfeits"):
        run_match(match, tmp_path / "match", ONE)
    games = games_of(tmp_path / "match")
    assert len(games) == most
    assert {game["ended"] for game in games} == {"not begun" if how == "fails from start" else "forfeit"}
    if how == "off the board":
        more = settings(*match.players, games=10, forfeits=10)
        assert len(run_match(more, tmp_path / "match", ONE, resume=True)) == 10


def test_the_standard_error_of_engines_is_kept(tmp_path: Path) -> None:
    """A file for each game of a player that message anything, and one for the start."""
    players = engine("tells time", 1, name="a-b"), engine("first points", 1)
    run_match(settings(*players, games=2, simulations=None, seconds=2.0), tmp_path / "m", ONE)
    logs = tmp_path / "m" / "logs"
    assert sorted(str(path.relative_to(logs)) for path in logs.rglob("*.txt")) == [
        "a-b/000000.txt",
        "a-b/000001.txt",
        "a-b/start.txt",
    ]
    assert (logs / "a-b" / "000001.txt").read_text() == "time_settings 0 2 1\n"
    assert sorted(path.name for path in logs.iterdir()) == ["a-b"]


def test_players_do_not_share_a_folder_of_logs() -> None:
    names = ["a-b", "a/b", "a b", "a: b", "-a-b", "a-b.", "名", "/", "", "x" * 61, "x" * 62]
    folders = [log_folder("m", name) for name in names]
    assert len(set(folders)) == len(names)
    assert folders[0] == Path("m/logs/a-b")
    assert all(folder.parent == Path("m/logs") and len(folder.name) <= 70 for folder in folders)


@pytest.mark.parametrize(
    ("how", "more", "results"),
    [
        (("late at quit", 3), {}, ["passes"] * 2),
        (("resign", 0), {}, ["resignation"] * 2),
        (("first points", 1), {"simulations": None, "seconds": 0.5}, ["passes"] * 2),
    ],
    ids=["does not quit in time", "resigns", "does not know about time"],
)
def test_an_engine_may_be_like_this(
    how: tuple[str, int], more: dict[str, Any], results: list[str], tmp_path: Path
) -> None:
    players = engine(*how, mark=tmp_path), engine("first points", 3, name="honest")
    games = run_match(settings(*players, games=2, **more), tmp_path / "match", ONE)
    assert [game.ended for game in games] == results
    if how[0] == "resign":
        assert [(game.result, game.moves[-1]) for game in games] == [("W+R", "resign"), ("B+R", "resign")]


def test_an_engine_gets_its_seed(tmp_path: Path) -> None:
    assert match_player(f"{engine('passes')} {{seed}}").command[-1] == "{seed}"
    games = run_match(settings(f"{engine('passes')} {{seed}}", engine("first points"), games=2), tmp_path, ONE)
    assert games[0].seeds[0] == games[1].seeds[1]


# --- the controller itself --------------------------------------------------------------------------------------------


def command(how: str) -> list[str]:
    return list(match_player(engine(how)).command)


def test_an_error_is_not_the_end() -> None:
    with Engine(command("passes")) as one:
        with pytest.raises(EngineError, match="unknown command") as caught:
            one.ask("final_score")
        assert not isinstance(caught.value, EngineDied)
        assert one.ask("genmove b") == "PASS"


@pytest.mark.parametrize("how", ["first points", "drops ids", "knows no ids"])
def test_an_engine_need_not_know_ids(how: str) -> None:
    with Engine([*command(how)[:-2], "2", ""]) as one:
        for _ in range(2):
            assert one.ask("boardsize 5") == ""
            with pytest.raises(EngineError, match="failed: unknown command"):
                one.ask("final_score")
        assert [one.ask("genmove b"), one.ask("genmove w")] == ["A1", "B1"]


@pytest.mark.parametrize("answer", ["=1 A1", "= A1", "=99 A1"])
def test_an_answer_to_another_command_is_refused(answer: str) -> None:
    says = f"print('=1 \\n', flush=True), input(), print('{answer}\\n', flush=True), input()"
    with Engine([sys.executable, "-S", "-c", f"input(), {says}"]) as one:
        assert one.ask("boardsize 5") == ""
        with pytest.raises(EngineDied, match=rf"'genmove b' with id 2 got '{answer}'$"):
            one.ask("genmove b")


def test_an_answer_without_a_command_is_refused() -> None:
    """Also of an engine that knows no ids."""
    with Engine([sys.executable, "-S", "-c", r"input(); print('= \n\n= A1\n', flush=True); input()"]) as one:
        assert one.ask("boardsize 5") == ""
        with pytest.raises(EngineDied, match=r"wrote '= A1' before 'genmove b', which is no response$"):
            one.ask("genmove b")


def test_a_lost_engine_gets_no_quit() -> None:
    """A second time-out would be a waste."""
    with Engine(command("hang"), timeout=0.2) as one, pytest.raises(EngineDied, match=r"no answer to 'name' in 0\.2"):
        one.ask("name")
    assert one._process.returncode is not None


def test_time_in_which_everything_stood_still_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes on by a minute between two looks at it, as if all processes had been stopped."""
    looks = count()
    late = SimpleNamespace(monotonic=lambda: 60.0 * next(looks))
    monkeypatch.setattr("kikashi.protocols.gtp.controller.time", late)
    with Engine([*command("slow")[:-2], "1", ""], timeout=30.0) as one:
        assert one.ask("genmove b") == "A1"
    with Engine(command("hang"), timeout=0.2) as one, pytest.raises(EngineDied, match=r"no answer to 'name' in 0\.2"):
        one.ask("name")


def test_a_missing_program_is_refused() -> None:
    with pytest.raises(EngineDied, match="cannot be started"):
        Engine(["/nowhere/engine"])


def test_our_own_command_is_found_wherever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert match_player("name=us kikashi gtp --preset lgrf2").command == ("kikashi", "gtp", "--preset", "lgrf2")
    with Engine("kikashi gtp --preset lgrf2") as one:
        assert one.ask("name") == "kikashi"
