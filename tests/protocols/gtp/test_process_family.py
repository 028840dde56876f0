"""Engines behind shells, and engines with children: all of a family is measured, and ended with the engine."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.match_tools import PATIENCE, engine, eventually, processes_with
from kikashi.match.match_player import match_player
from kikashi.protocols.gtp.controller import Engine, EngineDied
from kikashi.protocols.gtp.process_group import end_family
from kikashi.workers.executors import make_workers
from kikashi.workers.processes import ProcessExecutor, WorkerDied

SPINS = "while True: pass"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True)\n{SPINS}"


@pytest.fixture(autouse=True)
def nothing_stays(tmp_path: Path) -> Iterator[None]:
    """End what a failing test would leave behind."""
    yield
    for pid in processes_with(tmp_path):
        os.kill(pid, signal.SIGKILL)


def python(program: str, mark: Path) -> str:
    return shlex.join([sys.executable, "-S", "-c", program, str(mark)])


def in_a_shell(command: str) -> list[str]:
    """A shell that waits for a command, rather than becoming it."""
    return ["sh", "-c", f"{command}; true"]


def scripted(how: str, mark: Path) -> str:
    return shlex.join(match_player(engine(how, mark=mark)).command)


def test_an_engine_behind_a_shell_is_ended_with_the_shell(tmp_path: Path) -> None:
    with Engine(in_a_shell(python(SPINS, tmp_path)), timeout=0.2) as spinning:
        assert eventually(lambda: len(processes_with(tmp_path)) == 2)
        with pytest.raises(EngineDied, match="no answer"):
            spinning.ask("name")
    assert processes_with(tmp_path) == []


@pytest.mark.parametrize("background", ["{} & {}", "({} &) ; {}"], ids=["a child", "an orphan"])
@pytest.mark.parametrize("child", [SPINS, DEAF], ids=["asked", "killed"])
def test_an_engine_that_quits_leaves_no_children(background: str, child: str, tmp_path: Path) -> None:
    quiet = f"{python(child, tmp_path / 'child')} >{tmp_path / 'said'}"
    command = in_a_shell(background.format(quiet, scripted("passes", tmp_path)))
    with Engine(command) as one:
        assert one.ask("genmove b") == "PASS"
        assert eventually(lambda: child == SPINS or (tmp_path / "said").read_text())
    assert processes_with(tmp_path) == []


def test_an_engine_that_is_gone_leaves_no_children(tmp_path: Path) -> None:
    with Engine(in_a_shell(f"{python(SPINS, tmp_path)} >/dev/null & exit 3")) as one:
        with pytest.raises(EngineDied):
            one.ask("name")
        assert eventually(lambda: processes_with(tmp_path))
    assert processes_with(tmp_path) == []


def test_a_child_with_a_session_of_its_own_is_ended_too(tmp_path: Path) -> None:
    child = f"import os; os.setsid(); open({str(tmp_path / 'begun')!r}, 'w')\n{SPINS}"
    with Engine(in_a_shell(f"{python(child, tmp_path)} >/dev/null")):
        assert eventually((tmp_path / "begun").exists)
        (shell,) = (pid for pid in processes_with(tmp_path) if pid == os.getpgid(pid) != os.getsid(pid))
        assert os.getpgid(shell) == shell != os.getpgid(0)
    assert processes_with(tmp_path) == []


def test_an_interrupted_end_is_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second Ctrl-C while a deaf engine has its grace."""
    deaf = subprocess.Popen(
        [sys.executable, "-S", "-c", DEAF, str(tmp_path)], stdout=subprocess.PIPE, process_group=0, text=False
    )
    assert deaf.stdout.readline() == b"deaf\n"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kikashi.protocols.gtp.process_group._wait_until", interrupted)
    with pytest.raises(KeyboardInterrupt):
        end_family(deaf)
    assert deaf.returncode == -signal.SIGKILL
    deaf.stdout.close()


# --- of workers -------------------------------------------------------------------------------------------------------


def start_and(command: list[str], mark: str, then: str) -> None:
    """In a worker: start an engine, and end as is said."""
    spinning = Engine(command, timeout=PATIENCE)
    assert eventually(lambda: len(processes_with(mark)) >= 2)
    if then == "exits":
        os._exit(5)
    if then == "is killed":
        os.kill(os.getpid(), signal.SIGTERM)
    spinning.ask("name")


@pytest.mark.parametrize(("then", "how"), [("exits", "with code 5"), ("is killed", "by SIGTERM")])
def test_a_worker_that_dies_takes_its_engines_with_it(then: str, how: str, tmp_path: Path) -> None:
    pool = make_workers("processes", 1).make()
    with pytest.raises(WorkerDied, match=f"ended {how}"):
        pool.submit(start_and, in_a_shell(python(SPINS, tmp_path)), str(tmp_path), then).result(PATIENCE)
    assert eventually(lambda: processes_with(tmp_path) == [])
    pool.shutdown()


def test_workers_that_are_ended_take_their_engines_with_them(tmp_path: Path) -> None:
    """As after Ctrl-C, or where one player failed too often."""
    pool = make_workers("processes", 1).make()
    assert isinstance(pool, ProcessExecutor)
    lost = pool.submit(start_and, in_a_shell(python(SPINS, tmp_path)), str(tmp_path), "waits")
    assert eventually(lambda: len(processes_with(tmp_path)) >= 2)
    pool.kill()
    assert isinstance(lost.exception(PATIENCE), WorkerDied)
    assert eventually(lambda: processes_with(tmp_path) == [])
    pool.shutdown()


# --- processor time ---------------------------------------------------------------------------------------------------

BUSY_CHILD = "import time\nwhile time.process_time() < 0.3: pass\nopen({file!r}, 'w')\ntime.sleep(600)"


@pytest.mark.parametrize("background", ["{} & {}", "({} &) ; {}"], ids=["a child", "an orphan"])
def test_processor_time_is_that_of_the_whole_family(background: str, tmp_path: Path) -> None:
    child = python(BUSY_CHILD.format(file=str(tmp_path / "done")), tmp_path) + " >/dev/null"
    with Engine(in_a_shell(background.format(child, scripted("passes", tmp_path)))) as one:
        assert one.ask("genmove b") == "PASS"
        assert eventually((tmp_path / "done").exists)
        used = one.processor_seconds()
    assert used >= 0.25
    assert one.processor_seconds() is None
