"""The queue: entries with a lock, states, time left, and runs that go on after any end of their process."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from helpers.match_tools import record, until
from helpers.processes import HOLDING, another_process
from kikashi.cli import main
from kikashi.engine.preset import load_preset
from kikashi.engine.warmup import warm_up
from kikashi.experiments import queue_runner
from kikashi.experiments.queue import (
    RUN,
    Entry,
    ExperimentEntry,
    MatchEntry,
    Taken,
    entry_in,
    find_entries,
    is_harmless,
)
from kikashi.experiments.queue_runner import Runner
from kikashi.experiments.reproduction import read_queue
from kikashi.experiments.results import RunName
from kikashi.match.journal import FILE, Journal
from kikashi.match.one_game import GameRecord
from kikashi.match.settings import MatchSettings

ROOT = Path(__file__).parents[2]
PLAYERS = ("lgrf2", "mogo-2006")
SMALL = RunName(experiment="coulom2006-table1", overrides=("positions=4", "simulations=512"))


def settings(**more: Any) -> MatchSettings:
    return MatchSettings(**({"players": PLAYERS, "size": 5, "simulations": 10, "games": 4} | more))


def played(folder: Path, match: MatchSettings, results: list[str]) -> MatchEntry:
    """Write the journal of a match, and return its entry."""
    header = {"kind": "match", "settings": match.as_table()}
    with Journal(folder, header, GameRecord, resume=False) as journal:
        for number, result in enumerate(results):
            journal.append(record(number, *(PLAYERS if number % 2 == 0 else PLAYERS[::-1]), result))
    entry = entry_in(folder)
    assert isinstance(entry, MatchEntry)
    return entry


def games_of(entry: Entry) -> list[Any]:
    return entry.read()[1] if (entry.folder / FILE).exists() else []


WRITING = """
import sys
from pathlib import Path
from kikashi.match.journal import Journal, read_header
from kikashi.match.one_game import GameRecord
folder = Path(sys.argv[1])
with Journal(folder, read_header(folder), GameRecord, resume=True):
    print("ready", flush=True)
    sys.stdin.read()
"""
QUEUEING = """
import sys, time
from kikashi.experiments.queue import MatchEntry
from kikashi.experiments.queue_runner import Runner
from kikashi.match.settings import MatchSettings
runner = Runner(1)
for number in (1, 2):
    chosen = MatchSettings(players=("lgrf2", "mogo-2006"), size=5, simulations=10, games=5000)
    runner.start(MatchEntry(f"{sys.argv[1]}/{number}", chosen))
print("ready", flush=True)
sys.stdin.read()
"""


# --- the lock ---------------------------------------------------------------------------------------------------------


def test_an_entry_is_run_by_one_process_at_a_time(tmp_path: Path) -> None:
    entry = played(tmp_path / "m", settings(), ["B+R"])
    with another_process(HOLDING, str(entry.folder)) as other:
        assert entry.status().state == "running"
        assert entry.status().line == "1 of 4 games, about 2 h left"
        taken = rf"^another process is running lgrf2 – mogo-2006 in {entry.folder}$"
        with pytest.raises(Taken, match=taken), entry.hold():
            pass
        with pytest.raises(Taken, match=taken):
            Runner(1).start(entry)
        with pytest.raises(Taken, match=taken):
            entry.leave()
        other.kill()
        other.wait()
        assert entry.status().state == "stopped", "a kill leaves no lock"
    with entry.hold():
        assert entry.status().state == "running"


def test_a_match_of_a_terminal_is_seen_and_left_alone(tmp_path: Path) -> None:
    entry = played(tmp_path / "m", settings(), ["B+R"])
    with another_process(WRITING, str(entry.folder)):
        assert entry.status().state == "running"
        with pytest.raises(Taken), entry.hold():
            pass


def test_the_queue_of_the_papers_leaves_an_entry_to_the_process_that_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    Path("results/queue.toml").write_text(
        f'[[run]]\nexperiment = "{SMALL.experiment}"\nset = ["positions=4", "simulations=512"]\n'
        f'[[run]]\nexperiment = "{SMALL.experiment}"\nset = ["positions=2", "simulations=256"]\n'
    )
    first, second = read_queue(Path("results"))
    with first.hold():
        pass
    with another_process(HOLDING, str(first.folder)):
        done = CliRunner().invoke(main, ["experiment", "reproduce", "--concurrency", "1"])
        assert done.exit_code == 0, done.output
        assert f"another process is running {first.title} in {first.folder}" in done.output
        assert (first.status().state, second.status().state) == ("running", "finished")
        one = CliRunner().invoke(
            main, ["experiment", "run", SMALL.experiment, "--output", str(first.folder), "--concurrency", "1"]
        )
        assert one.exit_code != 0
        assert "another process is running" in one.output
    assert first.status().state == "waiting"


# --- states and time --------------------------------------------------------------------------------------------------


def test_an_entry_has_the_state_of_its_journal(tmp_path: Path) -> None:
    waiting = MatchEntry(str(tmp_path / "waiting"), settings())
    stopped = played(tmp_path / "stopped", settings(), ["B+R", "W+R"])
    finished = played(tmp_path / "finished", settings(games=2), ["B+R", "W+R"])
    decided = played(tmp_path / "decided", settings(games=100, sprt=(-1000, -900)), ["B+R", "W+R"] * 10)
    failed = played(tmp_path / "failed", settings(), ["B+R"])
    with pytest.raises(ValueError, match="no GNU Go"), failed.hold():
        raise ValueError("there is\nno GNU Go")
    for entry in (waiting, stopped, finished, decided):
        assert entry.status().state == entry.folder.name
    assert (failed.status().state, failed.status().line) == ("failed", "there is no GNU Go")
    with failed.hold():
        pass
    assert failed.status().state == "stopped", "another try forgets the failure"
    (stopped.folder / FILE).write_bytes(b"nonsense\n")
    assert stopped.status().state == "failed"
    assert "damaged" in stopped.status().line


def test_the_time_left_shrinks_with_every_result(tmp_path: Path) -> None:
    match, steps = settings(games=100), []
    for games in (0, 20, 60, 100):
        entry = MatchEntry(str(tmp_path / "0"), match)
        steps.append((played(tmp_path / str(games), match, ["B+R"] * games) if games else entry).recorded().seconds)
    assert steps[0], "by nominal speeds before the first game"
    assert steps[1] > steps[2] > steps[3] == 0, "by our own speed"
    experiment = ExperimentEntry(str(tmp_path / "e"), SMALL)
    whole = experiment.recorded()
    assert (whole.done, whole.of) == (0, 4)
    assert whole.seconds == pytest.approx(experiment.design.core_seconds())


def test_the_entries_of_a_folder_are_found_with_those_that_wait(tmp_path: Path) -> None:
    played(tmp_path / "deep" / "match", settings(), ["B+R"])
    waiting = MatchEntry(str(tmp_path / "waiting"), settings(games=6))
    experiment = ExperimentEntry(str(tmp_path / "experiment"), SMALL)
    for entry in (waiting, experiment):
        with entry.hold():
            pass
    found = find_entries(tmp_path)
    assert found.keys() == {"deep/match", "waiting", "experiment"}
    assert found["waiting"] == waiting
    assert found["experiment"] == experiment
    waiting.leave()
    assert not waiting.folder.exists()
    with pytest.raises(ValueError, match="5000"), found["deep/match"].hold():
        raise ValueError("5000")
    found["deep/match"].leave()
    assert (found["deep/match"].folder / FILE).exists(), "what has begun stays"


def test_no_file_and_no_program_comes_from_a_note(tmp_path: Path) -> None:
    (tmp_path / "kind.py").write_text("raise SystemExit('it was loaded')")
    (tmp_path / "own.toml").write_text('kind = "own"\nplugins = ["kind.py"]\n')
    names = [
        RunName(experiment=str(tmp_path / "own.toml")),
        RunName(experiment=SMALL.experiment, overrides=('plugins=["kind.py"]',)),
        RunName(experiment="coulom2006-table2", overrides=("opponent=gnugo --mode gtp",)),
        RunName(experiment="baier2010-local-play", overrides=('reply+={ name = "a" }',)),
    ]
    assert not any(map(is_harmless, names))
    (tmp_path / "m").mkdir()
    for name in names:
        note = {"entry": {"type": "experiment", "place": "m", "name": msgspec.to_builtins(name), "results": "results"}}
        (tmp_path / "m" / RUN).write_bytes(msgspec.json.encode(note))
        assert find_entries(tmp_path) == {}
    note["entry"] |= {"name": msgspec.to_builtins(SMALL)}
    (tmp_path / "m" / RUN).write_bytes(msgspec.json.encode(note))
    assert find_entries(tmp_path) == {"m": ExperimentEntry(str(tmp_path / "m"), SMALL)}, "it is kept nowhere else"
    assert all(is_harmless(entry.name) for entry in read_queue(ROOT / "results"))


# --- in the background ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def _compiled() -> None:
    for name in PLAYERS:
        warm_up(load_preset(name))


@pytest.mark.usefixtures("_compiled")
def test_an_entry_is_stopped_resumed_killed_and_loses_nothing(tmp_path: Path) -> None:
    entry, runner = MatchEntry(str(tmp_path / "long"), settings(games=5000)), Runner(1)
    runner.start(entry)
    with pytest.raises(ValueError, match="running already"):
        runner.start(entry)
    until(lambda: len(games_of(entry)) > 2)
    assert (runner.state(entry), entry.status().state) == ("running", "running")
    until(lambda: "left" in entry.status().line)
    runner.stop(entry)
    until(lambda: not runner.state(entry))
    assert entry.status().state == "stopped"
    assert (entry.folder / "report.html").is_file()
    before = games_of(entry)
    again = entry_in(entry.folder)
    assert again is not None
    runner.start(again)
    until(lambda: len(games_of(entry)) > len(before))
    assert runner._process is not None
    os.kill(runner._process.pid, signal.SIGKILL)
    until(lambda: not runner.state(entry))
    assert (entry.status().state, entry.status().line) == ("failed", "its process ended with -9")
    killed = games_of(entry)
    assert [game.seeds for game in killed[: len(before)]] == [game.seeds for game in before]
    runner.start(entry)
    until(lambda: len(games_of(entry)) > len(killed))
    runner.close()
    assert games_of(entry)[: len(killed)] == killed


@pytest.mark.usefixtures("_compiled")
def test_what_waits_outlives_a_kill_of_its_queue(tmp_path: Path) -> None:
    with another_process(QUEUEING, str(tmp_path)) as other:
        first, second = (MatchEntry(str(tmp_path / name), settings(games=5000)) for name in ("1", "2"))
        until(lambda: games_of(first))
        other.kill()
    until(lambda: first.status().state == "stopped")
    found = find_entries(tmp_path)
    assert [found[name].status().state for name in ("1", "2")] == ["stopped", "waiting"]
    assert found["2"] == second


def test_an_entry_that_fails_says_why_and_the_next_one_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = Runner(1)
    wrong = MatchEntry(str(tmp_path / "wrong"), settings(players=("lgrf2", "nobody-2006")))
    last = ExperimentEntry(str(tmp_path / "last"), RunName(experiment="nothing"))
    third = MatchEntry(str(tmp_path / "third"), settings())
    for entry in (wrong, last, third):
        runner.start(entry)
    assert runner.state(third) == "waiting"
    runner.stop(third)
    assert not third.folder.exists(), "it never began"
    until(lambda: not runner.entries)
    assert wrong.status().state == "failed"
    assert "nobody-2006" in wrong.status().line
    assert last.status().state == "failed"
    assert "nothing" in last.status().line
    monkeypatch.setattr(queue_runner, "MOST_ENTRIES", 0)
    with pytest.raises(ValueError, match="0 runs wait already"):
        runner.start(wrong)
    with pytest.raises(ValueError, match="not running here"):
        runner.stop(wrong)
