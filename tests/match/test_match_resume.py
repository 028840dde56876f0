"""A match in processes of its own that is killed again and again: nothing is lost, nothing is played twice."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from helpers.match_tools import (
    ONE,
    PATIENCE,
    RunningMatch,
    engine,
    eventually,
    games_in,
    processes_with,
    running_matches,
    settings,
    without_times,
)
from kikashi import sgf
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import header
from kikashi.match.runner import run_match

pytestmark = pytest.mark.slow

KILLS = 20 if os.environ.get("KIKASHI_SOAK") else 6
GAMES = 16
TINY = ["lgrf2", "mogo-2006", "--size", "5", "--playouts", "10", "--games", str(GAMES), "--concurrency", "2"]


start = pytest.fixture(running_matches)


def family(folder: Path) -> list[int]:
    """All processes of a match."""
    return processes_with(f"MARK_OF_TEST={folder}", "environ")


def cut(journal: Path, length: int) -> None:
    """Lose the end of a journal, as in a power cut."""
    with journal.open("r+b") as file:
        file.truncate(length)


SERVER = """
import json, os, sys
import kikashi.cli.match, kikashi.cli.progress, kikashi.match.runner
from kikashi.cli import main
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        main(json.loads(line))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Server:
    """Runs matches one after another, each in a process of its own with everything imported: that saves seconds."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "MARK_OF_TEST": str(folder)},
        )
        self._journal = folder / "journal.jsonl"

    def run_and_kill(self, arguments: list[str], growth: int, least: int) -> bool:
        """Kill a match when its journal has grown by `growth` bytes; False if it has ended before."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        target = max(least, written(self._journal) + growth)
        print(json.dumps(["match", *arguments]), file=stdin, flush=True)
        process = int(stdout.readline())
        assert eventually(lambda: written(self._journal) >= target or is_zombie(process), 3 * PATIENCE)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        code = int(stdout.readline())
        assert code in (0, -signal.SIGKILL)
        return code != 0

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def written(journal: Path) -> int:
    return journal.stat().st_size if journal.exists() else 0


def is_zombie(process: int) -> bool:
    """Whether a process has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_a_match_that_is_killed_again_and_again_has_the_same_games(tmp_path: Path, start: type[RunningMatch]) -> None:
    """Killed when the journal has grown by a random number of bytes, sometimes none; sometimes its end is lost too."""
    folder, rng, wanted = tmp_path / "killed", random.Random(6), settings(games=GAMES)
    journal, first_line = folder / "journal.jsonl", len(msgspec.json.encode(header(wanted, wanted.match_players()))) + 1
    arguments, kills, cuts = [*TINY, "--output", str(folder)], 0, 0
    with Server(folder) as server:
        while kills < KILLS:
            was_killed = server.run_and_kill(arguments, rng.choice([0, 1, 1, 400, 900]), first_line)
            kills += was_killed
            arguments = ["--resume", str(folder), "--concurrency", rng.choice("112")]
            size = written(journal)
            if not was_killed or rng.random() < 0.4:
                cut(journal, max(first_line, rng.randrange(size - 500 if was_killed else size // 2, size)))
                cuts += 1
    assert cuts
    code, out, messages = start(folder, *arguments).end()
    assert (code, messages) == (0, "")
    assert out.startswith("lgrf2 – mogo-2006: ")
    check_whole(folder, run_match(settings(games=GAMES), tmp_path / "whole", ONE))
    assert eventually(lambda: not family(folder)), "workers do not stay"


def check_whole(folder: Path, expected: list[GameRecord]) -> None:
    """The journal has every game once, as if nothing had happened, and every game is a file as well."""
    records = sorted(games_in(folder), key=lambda record: record.number)
    assert without_times(records) == without_times(expected)
    files = sorted(path.name for path in (folder / "games").iterdir())
    assert files == [f"{record.number:06}.sgf" for record in records]
    for record, name in zip(records, files, strict=True):
        game = sgf.read_game(folder / "games" / name)
        assert tuple(move.name for move in game.moves) == record.moves
        assert (game.headers["PB"], game.headers["PW"]) == (record.black, record.white)
        assert game.headers["RE"] == record.result


def hanging(folder: Path) -> list[str]:
    """A match in which an engine never answers, once it was started before the first game."""
    hanging = engine("hangs from start", 2, mark=f"{folder}.starts")
    return [hanging, "lgrf2", "--size", "5", "--output", str(folder), "--concurrency", "2"]


def is_under_way(folder: Path) -> bool:
    """Whether the journal is begun, which it is when the players have been tried, and both engines play."""
    return bool(written(folder / "journal.jsonl")) and len(processes_with(folder)) >= 3


def test_a_killed_match_leaves_neither_workers_nor_engines(tmp_path: Path, start: type[RunningMatch]) -> None:
    folder = tmp_path / "match"
    match = start(folder, *hanging(folder))
    assert eventually(lambda: is_under_way(folder))
    assert match.end(signal.SIGKILL)[0] == -signal.SIGKILL
    assert eventually(lambda: not family(folder))
    assert games_in(folder) == []


def test_ctrl_c_ends_at_once_with_a_hint_to_resume(tmp_path: Path, start: type[RunningMatch]) -> None:
    """In a terminal every process of the group gets it; an engine that hangs must not hold it up."""
    folder = tmp_path / "match"
    match = start(folder, *hanging(folder))
    assert eventually(lambda: is_under_way(folder))
    os.killpg(match.process.pid, signal.SIGINT)
    code, _, messages = match.end()
    assert (code, messages) == (130, f"interrupted after 0 games; go on with: kikashi match --resume {folder}")
    assert eventually(lambda: not family(folder))


def test_a_match_whose_worker_is_killed_goes_on(tmp_path: Path, start: type[RunningMatch]) -> None:
    """With another worker; the game is played again. A worker that is stopped has a game, or gets one."""
    folder, games = tmp_path / "match", GAMES
    journal = folder / "journal.jsonl"
    match = start(folder, *TINY, "--output", str(folder))
    assert eventually(lambda: written(journal) and len(spawned(folder)) == 2)
    stopped = spawned(folder)[0]
    os.kill(stopped, signal.SIGSTOP)
    assert eventually(lambda: journal.read_bytes().count(b"\n") == games), "all games but one, after the first line"
    os.kill(stopped, signal.SIGKILL)
    code, _, messages = match.end()
    assert code == 0
    assert re.fullmatch(r"a worker was ended by SIGKILL in game \d+ \(.*\); the game is played again", messages)
    check_whole(folder, run_match(settings(games=games), tmp_path / "whole", ONE))


def test_a_worker_that_is_killed_at_the_start_of_a_match_is_replaced(tmp_path: Path, start: type[RunningMatch]) -> None:
    folder = tmp_path / "match"
    match = start(folder, *TINY[:-4], "--games", "2", "--concurrency", "1", "--output", str(folder))
    assert eventually(lambda: len(spawned(folder)) == 1)
    os.kill(spawned(folder)[0], signal.SIGKILL)
    assert match.end()[0] == 0
    assert len(games_in(folder)) == 2


def spawned(folder: Path) -> list[int]:
    """The workers of a match."""
    return [pid for pid in family(folder) if pid in processes_with("serve_at")]


def test_a_pipe_that_nobody_reads_is_no_error(tmp_path: Path, start: type[RunningMatch]) -> None:
    match = start(tmp_path / "match", *TINY[:-4], "--games", "2", "--output", str(tmp_path / "match"))
    assert match.process.stdout is not None
    match.process.stdout.close()
    match.process.stdout = None
    _, _, messages = match.end()
    assert messages == ""
    assert len(games_in(tmp_path / "match")) == 2


@pytest.mark.soak
def test_a_frozen_machine_costs_no_game(tmp_path: Path, start: type[RunningMatch]) -> None:
    """All processes are stopped for longer than the time-out: a closed laptop, a paused container, a suspended job."""
    folder = tmp_path / "match"
    options = ["--size", "9", "--playouts", "1000", "--games", "12", "--timeout", "6", "--concurrency", "2"]
    match = start(folder, engine("first points", 6), "lgrf2", *options, "--output", str(folder))
    assert eventually(lambda: written(folder / "journal.jsonl") and len(games_in(folder)) >= 2)
    stopped = match.processes()
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    time.sleep(8)
    for process in stopped:
        os.kill(process, signal.SIGCONT)
    code, _, messages = match.end()
    assert code == 0, messages
    assert sorted(record.number for record in games_in(folder)) == list(range(12))
    assert not any(record.failed for record in games_in(folder))
