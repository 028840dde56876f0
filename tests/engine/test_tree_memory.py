"""Memory by budget: trees have room for the limit of a player, and a full tree is reported everywhere."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from helpers.match_tools import ONE, record, settings, winning
from kikashi.cli import main
from kikashi.engine import limits as memory
from kikashi.engine.limits import LEAST_MEGABYTES as LEAST, MOST_MEGABYTES as MOST, REUSE, ceiling, megabytes_for
from kikashi.game import Game
from kikashi.match import game_players, preflight, runner as match_module
from kikashi.match.game_players import new_player
from kikashi.match.journal import read_records
from kikashi.match.match_player import MatchPlayer, match_player
from kikashi.match.match_report import match_report
from kikashi.match.one_game import GameRecord
from kikashi.match.runner import run_match
from kikashi.match.statistics import as_json, lines
from kikashi.match.summary import summarize
from kikashi.search.tree import NODE

# --- how much ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def plenty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that never is the limit."""
    monkeypatch.setattr(memory, "ceiling", lambda: 1e9)


def nodes(megabytes: float) -> float:
    return megabytes * 2**20 / NODE.itemsize


@pytest.mark.usefixtures("plenty")
@pytest.mark.parametrize("size", [5, 9, 13, 19])
@pytest.mark.parametrize("simulations", [70_000, 500_000])
def test_every_simulation_may_expand_a_node(size: int, simulations: int) -> None:
    expected = max(REUSE * simulations * (size**2 + 1), nodes(LEAST))
    assert nodes(megabytes_for(size, simulations)) == pytest.approx(expected)


@pytest.mark.usefixtures("plenty")
def test_seconds_are_simulations_too() -> None:
    assert megabytes_for(9, seconds=20.0) == pytest.approx(2 * megabytes_for(9, seconds=10.0))
    assert megabytes_for(9, simulations=70_000, seconds=1000.0) == megabytes_for(9, simulations=70_000)
    assert megabytes_for(9, simulations=10**9, seconds=10.0) == megabytes_for(9, seconds=10.0)
    rates = [nodes(megabytes_for(size, seconds=60.0)) / (size**2 + 1) for size in (9, 13, 19)]
    assert rates == sorted(rates, reverse=True), "on large boards a simulation takes longer"


def test_there_is_a_least_and_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    assert megabytes_for(9) == megabytes_for(9, 10) == megabytes_for(9, seconds=0.001) == LEAST
    assert LEAST <= megabytes_for(19, 10**12) == max(LEAST, ceiling()) <= MOST
    monkeypatch.setattr(memory, "ceiling", lambda: 1.0)
    assert megabytes_for(19, 10**12) == LEAST


@pytest.mark.usefixtures("plenty")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mogo-2006", megabytes_for(9, 1000)),
        ("mogo-2006 --simulations 70000", REUSE * 70_000 * 82 * NODE.itemsize / 2**20),
        ("mogo-2006 --playouts 70000", REUSE * 70_000 * 82 * NODE.itemsize / 2**20),
        ("mogo-2006 --simulations 70000 --megabytes 50", 50.0),
    ],
)
def test_a_player_gets_the_memory_of_its_limit_or_option(text: str, expected: float) -> None:
    assert new_player(match_player(text), 9, seed=1).megabytes == pytest.approx(expected)


@pytest.mark.usefixtures("plenty")
def test_every_thread_spends_its_seconds() -> None:
    one, two = (new_player(match_player(f"lgrf2 --seconds 20 --threads {n}"), 9, seed=1) for n in (1, 2))
    assert two.megabytes == pytest.approx(2 * one.megabytes)


def test_the_megabytes_of_the_match_are_for_those_who_say_nothing() -> None:
    match = settings("lgrf2", "mogo-2006 --megabytes 1000", megabytes=64.0)
    assert [player.megabytes for player in match.match_players()] == [64.0, 1000.0]
    assert [player.megabytes for player in settings().match_players()] == [None, None]


@pytest.mark.parametrize("megabytes", ["0", "-3", "nan", "inf"])
def test_impossible_megabytes_are_an_error(megabytes: str) -> None:
    with pytest.raises(ValueError, match=r"^player .*: megabytes are from 1 to 1,000,000, not ") as caught:
        match_player(f"lgrf2 --megabytes {megabytes}")
    assert "\n" not in str(caught.value)


# --- trees that are full ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FullAnalysis:
    """As much of an analysis as says whether there was room."""

    full: bool
    evicted: int


@dataclass(frozen=True)
class Passing:
    """A decision to pass, with a full tree or without."""

    analysis: FullAnalysis
    name: str = "pass"


class Forgetful:
    """A player that passes, and whose tree and memories are full at its first moves."""

    def __init__(self, full_moves: int) -> None:
        self.left = full_moves

    def choose(self, game: Game, *_limit: Any, **_more: Any) -> Passing:
        self.left -= 1
        return Passing(FullAnalysis(self.left >= 0, 1500 * (self.left >= 0)))


def test_moves_with_a_full_tree_are_in_the_journal_and_in_every_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(player: MatchPlayer, size: int, seed: int) -> Any:
        return Forgetful(1 if player.name == "lgrf2" else 0)

    match = settings(games=2)
    for player in match.match_players():  # a signature is that of the real preset
        preflight.signature(player, match.size)
    monkeypatch.setattr(game_players, "new_player", forgetful)
    records = run_match(match, tmp_path, ONE)
    assert [game.full for game in records] == [(1, 0), (0, 1)]
    assert [game.evicted for game in records] == [(1500, 0), (0, 1500)]
    assert read_records(tmp_path, GameRecord) == records
    found = summarize(match, records)
    assert [(times.name, times.full, times.moves) for times in found.times] == [("lgrf2", 2, 2), ("mogo-2006", 0, 2)]
    assert "moves with a full tree: lgrf2 2 of 2 moves" in lines(found)
    assert "evicted entries of memories: lgrf2 3,000" in lines(found)
    report = match_report(records, found)
    for text in (report.markdown(), report.html()):
        assert "2 of 2 moves" in text
        assert "3,000" in text
    assert [times["full"] for times in as_json(found)["times"]] == [2, 0]
    assert [times["evicted"] for times in as_json(found)["times"]] == [3000, 0]


def test_a_tree_that_is_not_full_is_not_mentioned() -> None:
    found = summarize(settings(), [record(0, "lgrf2", "mogo-2006", "B+1")])
    assert not any("full tree" in line or "evicted" in line for line in lines(found))


def test_the_first_full_tree_of_a_player_is_reported_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(task: Any) -> GameRecord:
        full, evicted = {"lgrf2": 3, "mogo-2006": 0}, {"lgrf2": 0, "mogo-2006": 1500}
        black, white = task.black.name, task.white.name
        lost = evicted[black], evicted[white]
        return record(task.number, black, white, "B+1", full=(full[black], full[white]), evicted=lost)

    monkeypatch.setattr("kikashi.workers.executors.make_workers", lambda name, count, **how: ONE)
    monkeypatch.setattr(match_module, "play_game", play)
    monkeypatch.chdir(tmp_path)
    words = ["match", "lgrf2", "mogo-2006", "--size", "5", "--games", "6", "--json"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [
        "lgrf2: the tree was full in game 0; --megabytes gives it more room",
        "mogo-2006: its memories evicted 1,500 entries in game 0 for want of room",
    ]
    assert json.loads(done.stdout)["times"][0]["full"] == 18


def test_nothing_is_reported_if_no_tree_was_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kikashi.workers.executors.make_workers", lambda name, count, **how: ONE)
    monkeypatch.setattr(match_module, "play_game", winning("lgrf2"))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["match", "lgrf2", "mogo-2006", "--size", "5", "--games", "2"])
    assert (done.exit_code, done.stderr) == (0, "")
