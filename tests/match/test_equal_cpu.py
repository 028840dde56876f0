"""Processor time in matches, and simulations chosen by it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.match_tools import ONE, check_refused, engine, record, settings
from kikashi.match import equal_cpu
from kikashi.match.equal_cpu import CLOSE, reference_of, with_equal_cpu, with_simulations
from kikashi.match.match_player import MatchPlayer
from kikashi.match.match_report import match_report
from kikashi.match.one_game import GameRecord, GameTask
from kikashi.match.runner import run_match
from kikashi.match.statistics import lines
from kikashi.match.summary import summarize
from kikashi.protocols.gtp.controller import Engine

BUSY_ENGINE = """
import subprocess, sys
for line in sys.stdin:
    if line.startswith("work"):
        subprocess.run([sys.executable, "-S", "-c", "sum(range(3_000_000))"])
        sum(range(3_000_000))
    print("= \\n", flush=True)
"""


def test_an_engine_is_measured_with_its_children() -> None:
    with Engine([sys.executable, "-S", "-c", BUSY_ENGINE]) as busy:
        busy.ask("name")
        before = busy.processor_seconds()
        busy.ask("rest")
        rested = busy.processor_seconds()
        busy.ask("work")
        worked = busy.processor_seconds()
    assert before is not None
    assert rested is not None
    assert worked is not None
    own = subprocess.run(
        [sys.executable, "-S", "-c", "import time; sum(range(3_000_000)); print(time.process_time())"],
        capture_output=True,
        check=True,
    )
    assert worked - before > (rested - before) + float(own.stdout)  # twice as much, with a share in any case
    assert busy.processor_seconds() is None


def test_a_match_reports_the_processor_time_of_both(tmp_path: Path) -> None:
    match = settings("lgrf2", engine("passes"), games=2)
    records = run_match(match, tmp_path, ONE)
    assert all(None not in record.processor for record in records)
    found = summarize(match, records)
    mine, theirs = (times.processor_a_move for times in found.times)
    assert mine is not None
    assert theirs is not None
    assert mine > 0
    assert f"processor time a move: lgrf2 {1000 * mine:.1f} ms, passes {1000 * theirs:.1f} ms" in lines(found)
    assert f"| {1000 * mine:.1f} ms |" in match_report(records, found).markdown()


def test_old_journals_have_no_processor_time() -> None:
    match = settings("a", "b", games=2)
    found = summarize(match, [record(0, "a", "b", "B+R"), record(1, "b", "a", "B+R", processor=(None, 3.0))])
    assert [times.processor_a_move for times in found.times] == [3.0, None]
    assert "processor time a move: a 3000.0 ms" in lines(found)


# --- simulations by processor time ------------------------------------------------------------------------------------


@pytest.fixture
def _costs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that are not played: simulations cost 20 µs, more of them a little less each, and an engine 150 ms."""

    def used(player: MatchPlayer) -> float:
        return 0.15 if player.command else 20e-6 * (player.simulations or 0) ** 0.95

    def play(task: GameTask) -> GameRecord:
        costs = (40 * used(task.black), 40 * used(task.white))
        return record(task.number, task.black.name, task.white.name, "B+R", thought=(40, 40), processor=costs)

    monkeypatch.setattr(equal_cpu, "play_game", play)


@pytest.mark.usefixtures("_costs")
def test_simulations_cost_as_much_as_the_last_player() -> None:
    messages: list[str] = []
    match = settings("lgrf2", "name=quoted orego-2010 --set selection.x=1e-3", engine("passes", name="it"))
    found = with_equal_cpu(match, ONE, messages.append)
    assert found.names == match.names
    for player in found.match_players()[:2]:
        assert player.simulations is not None
        assert 20e-6 * player.simulations**0.95 == pytest.approx(0.15, rel=CLOSE)
    assert found.match_players()[1].overrides == ("selection.x=1e-3",)
    assert [line.partition(":")[0] for line in messages] == ["lgrf2", "quoted"]
    assert "for the 150.0 ms of processor time that it took" in messages[0]


def test_getting_ready_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    games = 0

    def play(task: GameTask) -> GameRecord:
        nonlocal games
        games += 1
        ready = 5.0 if games <= equal_cpu.GAMES else 0.0
        costs = [40 * 20e-6 * (player.simulations or 0) + ready for player in (task.black, task.white)]
        return record(task.number, task.black.name, task.white.name, "B+R", thought=(40, 40), processor=tuple(costs))

    monkeypatch.setattr(equal_cpu, "play_game", play)
    found = with_equal_cpu(settings("lgrf2", "orego-2010 --simulations 4000"), ONE, str)
    assert found.match_players()[0].simulations == pytest.approx(4000, rel=CLOSE)


def test_games_that_differ_are_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A player whose rounds cost one time half and one time three halves of what they cost on average."""
    games = 0

    def play(task: GameTask) -> GameRecord:
        nonlocal games
        share = 0.5 if games // equal_cpu.GAMES % 2 else 1.5
        games += 1
        costs = [
            40 * 20e-6 * (player.simulations or 0) * (share if player.name == "lgrf2" else 1)
            for player in (task.black, task.white)
        ]
        return record(task.number, task.black.name, task.white.name, "B+R", thought=(40, 40), processor=tuple(costs))

    monkeypatch.setattr(equal_cpu, "play_game", play)
    found = with_equal_cpu(settings("lgrf2", "orego-2010 --simulations 4000"), ONE, str)
    assert found.match_players()[0].simulations == pytest.approx(4000, rel=CLOSE)


@pytest.mark.usefixtures("_costs")
def test_a_preset_may_be_the_measure() -> None:
    found = with_equal_cpu(
        settings("lgrf2 --simulations 700", "orego-2010", only_with="lgrf2 --simulations 700"), ONE, str
    )
    assert [player.simulations for player in found.match_players()] == [700, pytest.approx(700, rel=CLOSE)]


@pytest.mark.parametrize(
    ("players", "more", "message"),
    [
        ((engine("passes"), "lgrf2"), {}, "name it last"),
        (("lgrf2 --playouts 30", "orego-2010"), {}, "has a limit of its own"),
        (("seconds=1 lgrf2", "orego-2010"), {}, "has a limit of its own"),
        (("lgrf2", "orego-2010"), {"seconds": 1.0}, "leave seconds and clock out"),
        (("lgrf2", "orego-2010"), {"clock": "60"}, "leave seconds and clock out"),
    ],
)
def test_players_that_cannot_be_made_equal_are_refused(
    players: tuple[str, ...], more: dict[str, Any], message: str
) -> None:
    check_refused(lambda: reference_of(settings(*players, **more)), message)


def test_a_name_with_spaces_stays() -> None:
    match = settings("name='Last Good' lgrf2", "orego-2010")
    found = with_simulations(match, 0, 70)
    assert (found.names, found.match_players()[0].simulations) == (match.names, 70)
