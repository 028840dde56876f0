"""Clocks of matches: their notation, time settings of engines, and flags that fall."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers.match_tools import ONE, check_refused, engine, settings
from kikashi.board.points import BLACK, WHITE
from kikashi.engine.limits import Limit
from kikashi.game.time_control import Clock, parse_clock
from kikashi.match.game_players import log_folder
from kikashi.match.match_player import MatchPlayer, match_player
from kikashi.match.runner import run_match

WRITTEN = {
    "300": Clock(main=300),
    "0.5": Clock(main=0.5),
    "300+5": Clock(main=300, increment=5),
    "300+3x30": Clock(main=300, period=30, periods=3),
    "0+5x1.5": Clock(period=1.5, periods=5),
    "300+25/600": Clock(main=300, period=600, stones=25),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_clock_is_written_in_seconds(text: str) -> None:
    assert parse_clock(text) == WRITTEN[text]


@pytest.mark.parametrize("text", ["", "five", "-3", "0", "0+0", "0+5", "300+", "300+0x30", "300+3x0", "3e9", "1+2+3"])
def test_a_clock_that_is_none_is_refused_in_one_line(text: str) -> None:
    check_refused(lambda: parse_clock(text), "a clock")


TOLD = {
    "300": (["time_settings 300 0 0"], "time_left black 300 0"),
    "60.9+5": (["kata-time_settings fischer 60.9 5", "time_settings 61 0 0"], "time_left black 60 0"),
    "0+3x30": (["kgs-time_settings byoyomi 0 30 3", "time_settings 0 30 1"], "time_left black 30 3"),
    "0+25/600": (["time_settings 0 600 25"], "time_left black 600 25"),
}


@pytest.mark.parametrize("text", TOLD)
def test_time_settings_in_gtp(text: str) -> None:
    commands, left = TOLD[text]
    assert parse_clock(text).gtp_settings() == commands
    assert parse_clock(text).gtp_time_left(BLACK) == left


def test_time_left_in_gtp() -> None:
    clock = parse_clock("10+3x4").after_move(9.0)
    assert clock.gtp_time_left(WHITE) == "time_left white 1 0"
    assert clock.time_left == pytest.approx(13.0)
    assert clock.after_move(6.0).gtp_time_left(WHITE) == "time_left white 4 2"
    canadian = parse_clock("0+4/60").after_move(15.0)
    assert canadian.gtp_time_left(WHITE) == "time_left white 45 3"


# --- players ----------------------------------------------------------------------------------------------------------


def test_a_player_may_have_limits_of_its_own() -> None:
    match = settings(
        "lgrf2 --clock 60+1", "mogo-2006", f"clock=5 {engine('passes')}", f"seconds=2 {engine('resign')}", clock="30"
    )
    assert [player.clock for player in match.match_players()] == ["60+1", "30", "5", "30"]
    assert match.match_players()[3].seconds == 2
    found = match_player("name=x seconds=3 sh -c true", simulations=7, seconds=1.0)
    assert found == MatchPlayer("x", command=("sh", "-c", "true"), seconds=3.0)
    check_refused(lambda: match_player("clock=x lgrf2"), "player 'clock=x lgrf2': a clock is written as in")
    check_refused(lambda: match_player("seconds=0 lgrf2"), "seconds must be above 0")
    check_refused(lambda: match_player("lgrf2 --clock x"), "a clock is written as in")


def test_a_preset_with_a_clock_thinks_by_the_clock() -> None:
    clocked = match_player("lgrf2", clock="300")
    assert (clocked.simulations, clocked.limit) == (None, None)
    both = match_player("lgrf2 --simulations 50", clock="300")
    assert both.limit == Limit(simulations=50)


def test_a_match_is_played_by_the_clock(tmp_path: Path) -> None:
    """Presets keep within it, engines receive it."""
    match = settings("lgrf2", engine("tells time", 2), games=2, simulations=None, clock="8+2x5")
    games = run_match(match, tmp_path, ONE)
    assert [game.ended for game in games] == ["passes", "passes"]
    sent = (log_folder(tmp_path, "tells time") / "000000.txt").read_text().splitlines()
    assert sent[0] == "time_settings 8 5 1"
    left = [int(line.removeprefix("time_left white ").removesuffix(" 0")) for line in sent[1:]]
    assert len(left) > 1
    assert left == sorted(left, reverse=True)
    assert 0 < left[-1] <= left[0] <= 8


@pytest.mark.slow
def test_no_flag_falls_while_everything_stands_still(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stood = SimpleNamespace(since=lambda moment: time.perf_counter() - moment)
    monkeypatch.setattr("kikashi.match.one_game.pauses", lambda: stood)
    match = settings(engine("slow", 4), engine("first points", 4, name="quick"), games=2, clock="1")
    assert [game.ended for game in run_match(match, tmp_path, ONE)] == ["passes", "passes"]


@pytest.mark.slow
def test_a_flag_that_falls_is_a_forfeit(tmp_path: Path) -> None:
    """The engine takes 0.4 seconds for a move."""
    match = settings(engine("slow", 4), engine("first points", 9, name="quick"), games=2, clock="1", forfeits=9)
    games = run_match(match, tmp_path, ONE)
    assert [(game.result, game.failed) for game in games] == [("W+F", "slow"), ("B+F", "slow")]
    assert all("lost on time" in game.reason for game in games)
    assert all(sum(game.thought) >= 3 for game in games), "there was time for two moves"
