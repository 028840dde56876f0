"""Matches on the ranks of an MPI job: every game is there, and a rank that is lost ends the job but not the match."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.match_tools import ONE, PATIENCE, eventually, games_in, settings, without_times
from helpers.tools import missing
from kikashi.match.runner import run_match

pytestmark = pytest.mark.slow

MPIEXEC = shutil.which("mpiexec", path=str(Path(sys.executable).parent)) or shutil.which("mpiexec")
MATCH = ["-m", "kikashi", "match"]
GAMES = 8
LONG = 80
"""Games of a match that is still going on when it is disturbed."""
TINY = ["lgrf2", "mogo-2006", "--size", "5", "--playouts", "10"]

if MPIEXEC is None:
    missing("mpiexec is not installed; the extra kikashi[mpi] has it")


def start(*arguments: str, ranks: int = 3) -> subprocess.Popen[str]:
    command = [str(MPIEXEC), "-n", str(ranks), sys.executable, "-m", "mpi4py.futures", *MATCH, *arguments]
    return subprocess.Popen(
        [*command, "--executor", "mpi"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end(job: subprocess.Popen[str]) -> tuple[int, str, str]:
    """The exit code and what was messages; a job that hangs is killed and fails the test."""
    try:
        out, err = job.communicate(timeout=3 * PATIENCE)
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
        pytest.fail("the job hangs")
    return job.returncode, out, err


def ranks_of(folder: Path) -> dict[int, int]:
    """The processes of a match by their ranks."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            variables = (process / "environ").read_bytes().split(b"\0")
        except OSError:  # it is gone, or not ours
            continue
        if str(folder).encode() in words:
            found |= {int(v.partition(b"=")[2]): int(process.name) for v in variables if v.startswith(b"PMI_RANK=")}
    return found


def test_a_match_on_three_ranks_has_every_game(tmp_path: Path) -> None:
    code, out, messages = end(start(*TINY, "--games", str(GAMES), "--output", str(tmp_path / "match")))
    assert code == 0, messages
    assert out.startswith("lgrf2 – mogo-2006: ")
    assert f"should this end early, go on with: kikashi match --resume {tmp_path / 'match'}" in messages
    records = sorted(games_in(tmp_path / "match"), key=lambda record: record.number)
    alone = run_match(settings(games=GAMES), tmp_path / "alone", ONE)
    assert without_times(records) == without_times(alone), "the same games as without MPI"


def test_a_lost_rank_ends_the_job_and_the_match_can_be_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    job = start(*TINY, "--games", str(LONG), "--output", str(folder))
    assert eventually(lambda: games_in(folder) or job.poll() is not None)
    ranks = ranks_of(folder)
    assert sorted(ranks) == [0, 1, 2]
    os.kill(ranks[2], signal.SIGKILL)
    code, out, messages = end(job)
    assert code != 0
    assert "BAD TERMINATION" in out + messages, "mpiexec says what happened"
    assert f"go on with: kikashi match --resume {folder}" in messages
    assert eventually(lambda: not ranks_of(folder)), "the other ranks do not stay"
    before = games_in(folder)
    assert 1 <= len(before) < LONG
    run_match(settings(games=LONG), folder, ONE, resume=True)  # as on a laptop afterwards
    records = games_in(folder)
    assert records[: len(before)] == before
    assert sorted(record.number for record in records) == list(range(LONG))


def test_ctrl_c_ends_with_a_hint_to_resume(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    job = start(*TINY, "--games", str(LONG), "--output", str(folder), ranks=2)
    assert eventually(lambda: games_in(folder) or job.poll() is not None)
    os.killpg(job.pid, signal.SIGINT)
    code, _, messages = end(job)
    assert code == 130
    # Said at the beginning, too: mpiexec may end before it has passed on the last lines.
    assert f"go on with: kikashi match --resume {folder}" in messages
    assert eventually(lambda: not ranks_of(folder))
    assert games_in(folder)


def test_one_rank_is_not_enough(tmp_path: Path) -> None:
    code, out, messages = end(start(*TINY, "--output", str(tmp_path / "match"), ranks=1))
    assert (code, out) == (1, "")
    assert "Error: start it as `mpiexec -n RANKS" in messages
    assert not (tmp_path / "match").exists()
