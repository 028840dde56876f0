"""Presets that hang or crash in a part: their worker is lost, but neither the match nor what was won."""

import errno
import os
import re
import time
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from helpers.match_tools import ONE, PATIENCE, engine, record, settings, tasks_of, without_times
from kikashi.match.failures import MatchStopped, settle_game, timed_out_game
from kikashi.match.journal import read_records
from kikashi.match.match_player import match_player
from kikashi.match.one_game import GameRecord, play_game
from kikashi.match.preflight import CannotPlay
from kikashi.match.runner import run_match
from kikashi.workers import watchdog
from kikashi.workers.executors import make_workers
from kikashi.workers.processes import ProcessExecutor, WorkerDied
from kikashi.workers.watchdog import Pauses, Watchdog, note_path, remove_note, trace_path

PLUGIN = """
from kikashi.playout import heuristic

@heuristic()
def NAME(sim, moves, my):
    if sim.board.size >= SMALLEST and sim.komi < KOMI:
        BODY
"""
LOOP = "while sim.board.size > 0: pass"
CRASH = "sim.board.color[sim.board.size << 40] = 1"
"""A bare crash: kernels do not check their indexes."""


def bad_player(folder: Path, body: str, smallest: int = 7, komi: float = 7.0) -> str:
    """A player that fails on boards of a size and larger, below a komi; players are started on 5×5, and with 7.5."""
    text = PLUGIN.replace("NAME", folder.name).replace("BODY", body).replace("SMALLEST", str(smallest))
    text = text.replace("KOMI", str(komi))
    (folder / "bad.py").write_text(text)
    return f"name=bad mogo-2006 --plugin {folder / 'bad.py'} --set playout={folder.name}"


TIMEOUT = 8.0
"""Seconds; a start may take three times as long."""


@pytest.mark.slow
def test_a_preset_that_hangs_is_timed_out_and_named(tmp_path: Path) -> None:
    """The games before it stand, and so does what the others play meanwhile."""
    players = (bad_player(tmp_path, LOOP), "lgrf2", "mogo-2006")
    match = settings(*players, size=7, komi=6.5, games=2, timeout=TIMEOUT, forfeits=2)
    with pytest.raises(MatchStopped, match=r"^bad forfeited 2 games in a row") as caught:
        run_match(match, tmp_path / "m", make_workers("processes", 2))
    assert "no simulation was finished in 8 seconds; its plugins: " in str(caught.value)
    assert "bad.py" in str(caught.value)
    records = read_records(tmp_path / "m", GameRecord)
    assert {game.ended for game in records if game.failed == "bad"} == {"not begun"}
    assert not (tmp_path / "m" / "playing").exists()


@pytest.mark.slow
def test_a_worker_that_crashes_is_reported_with_its_plugins(tmp_path: Path) -> None:
    messages: list[str] = []
    match = settings(bad_player(tmp_path, CRASH), "lgrf2", size=7, komi=6.5, games=2)
    with pytest.raises(OSError, match="broke down 3 times") as caught:
        run_match(match, tmp_path / "m", make_workers("processes", 1), tell=messages.append)
    for line in (*messages, str(caught.value)):
        assert re.search(r"ended by SIGSEGV in game [01] \([^)]*bad[^)]*\); plugins that were loaded: ", line), line
        assert f"{tmp_path / 'bad.py'}: try kikashi check-plugin {tmp_path / 'bad.py'}" in line
    assert len(messages) >= 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "why"), [pytest.param(LOOP, "was not ready in", marks=pytest.mark.soak), (CRASH, "ended by SIGSEGV")]
)
def test_a_preset_that_fails_at_once_cannot_play(body: str, why: str, tmp_path: Path) -> None:
    match = settings(bad_player(tmp_path, body, smallest=2, komi=1000), "lgrf2", games=2, timeout=TIMEOUT)
    with pytest.raises(CannotPlay, match=rf"^bad cannot play: .*{why}.*bad\.py: try kikashi check-plugin .*bad\.py$"):
        run_match(match, tmp_path / "m", make_workers("processes", 1))
    assert not (tmp_path / "m").exists()


def write_note(folder: Path, lost: GameRecord, trace: bytes) -> Path:
    note = note_path(folder, lost.number)
    note.parent.mkdir(exist_ok=True)
    note.write_bytes(msgspec.json.encode(lost))
    trace_path(note).write_bytes(trace)
    return note


def test_a_game_whose_worker_timed_out_has_the_result_in_its_note(tmp_path: Path) -> None:
    task = tasks_of(settings())[1]
    lost = record(1, "mogo-2006", "lgrf2", "W+F", reason="black: hangs")
    assert timed_out_game(tmp_path, task) is None, "there is no note"
    for trace, found in ((b"", None), (b"Timeout (0:00:08)!", lost)):
        note = write_note(tmp_path, lost, trace)
        assert timed_out_game(tmp_path, task) == found
        assert not note.parent.exists(), "nothing is left of the note"


@pytest.mark.parametrize(("stopped", "is_void"), [(0.0, False), (9.0, True)])
def test_a_time_out_during_a_pause_is_played_again(
    stopped: float, is_void: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kikashi.match.failures.pauses", lambda: SimpleNamespace(since=lambda moment: stopped))
    lost, messages = record(1, "mogo-2006", "lgrf2", "W+F", reason="black: hangs"), list[str]()
    note = write_note(tmp_path, lost, b"Timeout (0:00:08)!")
    found = settle_game(tmp_path, tasks_of(settings())[1], WorkerDied(1), messages.append)
    assert found == (None if is_void else lost)
    assert messages == (["everything stood still for a while in game 1; the game is played again"] if is_void else [])
    assert not note.exists()


def test_a_pause_is_a_long_gap_between_two_readings_of_the_clock() -> None:
    clock = iter([0.0, 1.0, 1.5, 10.5, 11.0, 20.0, 20.0, 20.0])
    found = Pauses(lambda: next(clock))
    for _ in range(4):  # at 1.0, 1.5, 10.5 and 11.0
        found.read_clock()
    assert [found.since(moment) for moment in (0.0, 5.0, 15.0)] == [9.0 + 9.0, 5.5 + 9.0, 5.0]


def test_a_worker_can_write_its_note_although_another_removes_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that removes its own note just then sees an empty folder."""
    monkeypatch.setattr(watchdog, "_is_worker", True)
    make = Path.mkdir

    def made_and_gone(folder: Path, *how: object, **more: object) -> None:
        monkeypatch.setattr(Path, "mkdir", make)
        make(folder, *how, **more)
        remove_note(note_path(tmp_path, 7))

    monkeypatch.setattr(Path, "mkdir", made_and_gone)
    with Watchdog(note_path(tmp_path, 1), 60.0) as watch:
        watch.arm(lambda: b"a note")
        assert note_path(tmp_path, 1).read_bytes() == b"a note"


@pytest.mark.parametrize("where", ["workers.watchdog.Watchdog.arm", "match.game_players.Engine"])
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.ESTALE])
def test_an_error_of_our_own_files_is_no_forfeit(
    where: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match stops, and can be resumed when the disk is in order."""

    def trouble(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    match = settings("lgrf2", engine("first points", 3), games=2)
    with monkeypatch.context() as patch:
        patch.setattr(f"kikashi.{where}", trouble)
        with pytest.raises(OSError, match=os.strerror(number)):
            play_game(tasks_of(match)[0])
    assert play_game(tasks_of(match)[0]).ended in ("passes", "move limit")


def test_a_time_out_found_on_resume_is_played_again(tmp_path: Path) -> None:
    """The whole machine may have been stopped meanwhile, and that is nobody's forfeit."""
    whole = run_match(settings(), tmp_path, ONE)
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    lost = record(3, "mogo-2006", "lgrf2", "W+F", pair=1, reason="black: hangs")
    write_note(tmp_path, lost, b"Timeout")
    messages: list[str] = []
    again = run_match(settings(), tmp_path, ONE, resume=True, tell=messages.append)
    assert without_times(again) == without_times(whole)
    assert messages == ["nobody saw the time-out in game 3; the game is played again"]


def test_a_watchdog_does_nothing_outside_of_workers(tmp_path: Path) -> None:
    with Watchdog(tmp_path / "1.json", 0.001) as watch:
        watch.arm(lambda: pytest.fail("noted"))
        assert not watch.keep_alive()
    assert list(tmp_path.iterdir()) == []


def test_a_death_is_reported_with_its_game_and_its_signal(tmp_path: Path) -> None:
    messages: list[str] = []
    assert settle_game(tmp_path, tasks_of(settings())[0], WorkerDied(-9), messages.append) is None
    assert messages == ["a worker was ended by SIGKILL in game 0 (lgrf2 – mogo-2006); the game is played again"]
    assert str(WorkerDied(-99)) == "a worker was ended by signal 99"
    assert str(WorkerDied(3)) == "a worker ended with code 3"


def test_a_process_that_dies_fails_only_its_own_task() -> None:
    pool = ProcessExecutor(2, abs, 0)
    slow = pool.submit(time.sleep, 1.0)
    dead = pool.submit(os._exit, 5)
    with pytest.raises(WorkerDied, match="ended with code 5"):
        dead.result(PATIENCE)
    assert slow.result(PATIENCE) is None
    assert pool.submit(abs, -3).result(PATIENCE) == 3, "another process takes its place"
    with pytest.raises(ZeroDivisionError):
        pool.submit(divmod, 1, 0).result(PATIENCE)
    assert pool.submit(match_player, "lgrf2").result(PATIENCE).preset == "lgrf2"
    pool.shutdown()
