"""Matches on a Dask cluster: the same games as elsewhere, each there once, whoever is lost; and tasks that travel."""

import dataclasses
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

import psutil
import pytest

from helpers.match_tools import (
    ONE,
    PATIENCE,
    RunningMatch,
    check_refused,
    engine,
    eventually,
    games_in,
    processes_with,
    running_matches,
    settings,
    tasks_of,
    without_times,
)
from kikashi.experiments.kind import Task
from kikashi.experiments.kinds.local import LocalDesign, LocalRow
from kikashi.experiments.kinds.positions import PositionDesign
from kikashi.match.match_player import match_player
from kikashi.match.one_game import play_game
from kikashi.match.runner import run_match
from kikashi.workers import dask_cluster as remote
from kikashi.workers.executors import make_workers
from kikashi.workers.processes import WorkerDied
from kikashi.workers.serialization import pack, unpack

TINY = ["lgrf2", "mogo-2006", "--size", "5", "--playouts", "10"]
DASK = ["--executor", "dask", "--concurrency", "2"]
GAMES = 8
LONG = 80
"""Games of a match that is still going on when it is disturbed."""


start = pytest.fixture(running_matches)


@pytest.mark.slow
def test_a_match_on_two_workers_has_the_same_games(tmp_path: Path, start: type[RunningMatch]) -> None:
    folder = tmp_path / "match"
    match = start(folder, *TINY, "--games", str(GAMES), "--output", str(folder), *DASK)
    code, out, messages = match.end()
    assert code == 0, messages
    assert out.startswith("lgrf2 – mogo-2006: ")
    assert all(line.startswith("the cluster's dashboard: ") for line in messages.splitlines()), (
        "Dask itself says nothing"
    )
    alone = run_match(settings(games=GAMES), tmp_path / "alone", ONE)
    records = sorted(games_in(folder), key=lambda record: record.number)
    assert without_times(records) == without_times(alone)
    assert eventually(lambda: not match.processes())


@pytest.mark.thorough
def test_a_local_cluster_accepts_no_tasks_from_outside() -> None:
    """Whoever reaches a Dask scheduler or worker can run code as its owner: all that listens are pages of HTTP."""
    with make_workers("dask", 2).make():
        connections = psutil.Process().net_connections() + [
            one for child in psutil.Process().children(recursive=True) for one in child.net_connections()
        ]
        listening = {one.laddr for one in connections if one.status == psutil.CONN_LISTEN}
        assert all(ip_address(address.ip).is_loopback for address in listening)
        for address in listening:
            with socket.create_connection((address.ip, address.port), PATIENCE) as connection:
                connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
                assert connection.recv(5) == b"HTTP/"


@pytest.mark.slow
@pytest.mark.soak
def test_a_lost_client_costs_no_game(tmp_path: Path, start: type[RunningMatch]) -> None:
    folder = tmp_path / "match"
    match = start(folder, *TINY, "--games", str(LONG), "--output", str(folder), *DASK)
    assert eventually(lambda: len(games_in(folder)) >= 2 or match.process.poll() is not None)
    match.process.kill()
    match.end()
    assert eventually(lambda: not match.processes()), "no players stay"
    kept = games_in(folder)
    assert len(kept) < LONG
    run_match(settings(games=LONG), folder, ONE, resume=True)  # without a cluster
    records = games_in(folder)
    assert records[: len(kept)] == kept
    assert sorted(record.number for record in records) == list(range(LONG))


@pytest.mark.slow
def test_ctrl_c_closes_the_cluster_with_a_hint_to_resume(tmp_path: Path, start: type[RunningMatch]) -> None:
    folder = tmp_path / "match"
    match = start(folder, *TINY, "--games", str(LONG), "--output", str(folder), *DASK)
    assert eventually(lambda: games_in(folder) or match.process.poll() is not None)
    os.killpg(match.process.pid, signal.SIGINT)
    code, _, messages = match.end()
    assert code == 130
    assert re.search(rf"games?; go on with: kikashi match --resume {folder}$", messages.splitlines()[-1])
    assert "Traceback" not in messages
    assert eventually(lambda: not match.processes())


CLUSTER = """
from distributed import LocalCluster

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address="127.0.0.1:0")
    print(cluster.scheduler_address, flush=True)
    input()
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, int]]:
    """The address of a scheduler with two workers, and the process whose children they are."""
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, str(script)], text=True, start_new_session=True, **pipes) as process:
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            for each in [*psutil.Process(process.pid).children(recursive=True), process]:
                with suppress(psutil.NoSuchProcess):
                    each.kill()


@pytest.mark.slow
def test_a_lost_worker_costs_no_game(tmp_path: Path, start: type[RunningMatch], cluster: tuple[str, int]) -> None:
    folder, (address, parent) = tmp_path / "match", cluster

    def workers() -> list[psutil.Process]:
        return [child for child in psutil.Process(parent).children() if child.children()]

    match = start(folder, *TINY, "--games", str(LONG), "--output", str(folder), "--scheduler", address, *DASK)
    assert eventually(lambda: (games_in(folder) and workers()) or match.process.poll() is not None)
    workers()[0].kill()
    code, _, messages = match.end()
    assert code == 0, messages
    assert " was lost: its games are played again" in messages
    alone = run_match(settings(games=LONG), tmp_path / "alone", ONE)
    assert without_times(sorted(games_in(folder), key=lambda record: record.number)) == without_times(alone)


def children_of_workers(parent: int) -> list[psutil.Process]:
    """The processes that the workers of a cluster have started, and what those have."""
    workers = [child for child in psutil.Process(parent).children() if "forkserver" not in child.cmdline()]
    return [child for worker in workers for child in worker.children(recursive=True) if is_alive(child)]


def is_alive(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


@pytest.mark.slow
def test_games_end_when_their_client_is_killed(
    tmp_path: Path, start: type[RunningMatch], cluster: tuple[str, int]
) -> None:
    """They would go on for ever: the engines never answer, and the time-out is far away."""
    folder, (address, parent) = tmp_path / "match", cluster
    before = {child.pid for child in children_of_workers(parent)}
    hanging = engine("hangs from start", 2, mark=f"{folder}.starts")
    options = ["--size", "5", "--playouts", "10", "--timeout", "100000", "--output", str(folder)]
    match = start(folder, hanging, "lgrf2", *options, "--scheduler", address, *DASK)
    assert eventually(lambda: (folder / "journal.jsonl").exists() and len(processes_with(f"{folder}.starts")) >= 3)
    playing = [child for child in children_of_workers(parent) if child.pid not in before]
    assert len(playing) >= 4, "two processes that play, each with an engine"
    match.process.kill()
    match.end()
    assert eventually(lambda: not any(is_alive(child) for child in playing))
    assert not processes_with(f"{folder}.starts")


@pytest.mark.thorough
def test_a_scheduler_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "CONNECT_SECONDS", 1)
    workers = make_workers("dask", scheduler="tcp://127.0.0.1:1")
    with pytest.raises(OSError, match=r"^no Dask scheduler has answered at tcp://127\.0\.0\.1:1 in 1 seconds$"):
        workers.make()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://here:there", "a scheduler's address is as tcp://host:8786, not 'tcp://here:there'"),
        ("smoke://signal:1", "not 'smoke://signal:1'"),
        ("nobody.json", "no scheduler has written the file nobody.json"),
    ],
)
def test_a_wrong_address_is_refused_at_once(address: str, message: str) -> None:
    check_refused(make_workers("dask", scheduler=address).make, message)


def test_executors_and_their_options_are_checked() -> None:
    check_refused(lambda: make_workers("processes", 1, scheduler="tcp://127.0.0.1:1"), "for the executor dask")
    check_refused(lambda: make_workers("threads", 1), "one of processes, mpi, dask, not 'threads'")


def test_without_dask_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "kikashi.workers.dask_cluster", raising=False)
    check_refused(lambda: make_workers("dask"), "pip install 'kikashi[dask]'")


PLUGIN = """
from kikashi.playout import heuristic

@heuristic()
def traveller(sim, moves, my):
    pass
"""
PRESET = 'base = "mogo-2006"\nplayout = "traveller,uniform"\n'
PLAYER = "mine.toml --plugin mine.py"


def test_files_of_players_travel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    (home / "mine.py").write_text(PLUGIN)
    (home / "mine.toml").write_text(PRESET)
    (home / "plain.toml").write_text('base = "mogo-2006"\n')
    monkeypatch.chdir(home)
    named = {"title": "", "source": ""}
    rows = [LocalRow(name="A", player=PLAYER), LocalRow(name="B", player="lgrf2")]
    local = LocalDesign(player=rows, simulations=16, repeats=2, **named)
    study = PositionDesign(preset="plain.toml", positions=2, simulations=256, **named)
    packed = [pack(thing) for thing in (match_player(PLAYER), Task(0, local), Task(0, study))]
    for name in ("mine.py", "mine.toml", "plain.toml"):
        (home / name).unlink()
    player, task, position = (unpack(data, elsewhere) for data in packed)
    for path in (player.preset, player.plugin_files[0].path, position.design.preset):
        assert elsewhere in Path(path).parents
        assert Path(path).is_file()
    assert player.name == PLAYER
    assert task.design.players[0].count(str(elsewhere)) == 2
    assert task.design.players[1] == "lgrf2"
    with player.parts():
        assert "traveller" in Path(player.preset).read_text()


@dataclasses.dataclass(frozen=True)
class Errand:
    """A task that leaves something in its folder."""

    text: str
    folder: str


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Whose processes end with the test; they find the functions of this file."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    yield "client"
    remote.end_client("client")


def run_errand(errand: Errand) -> str:
    Path(errand.folder, "note.txt").write_text(errand.text)
    if errand.text == "die":
        os._exit(5)
    return f"{errand.text} {os.environ['NUMBA_BOUNDSCHECK']}"


@pytest.mark.thorough
def test_a_worker_sends_back_written_files_even_of_a_dead_process(
    tmp_path: Path, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")
    for text in ("live", "die", "live"):
        job = remote.make_job(client, abs, run_errand, Errand(text, "/nowhere"))
        answer = remote.run_job(remote.version(), job, str(tmp_path))
        folder = tmp_path / f"back-{text}"
        if text == "die":
            with pytest.raises(WorkerDied, match="ended with code 5"):
                answer.unpacked(str(folder))
        else:
            assert answer.unpacked(str(folder)) == "live 0", "the environment travels too"
        assert (folder / "note.txt").read_text() == text
    remote.end_client(client)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back-die", "back-live"]


def run_for_ever(errand: Errand) -> None:
    """With a child, whose number is left behind."""
    child = subprocess.Popen(["sleep", "100000"])
    Path(errand.text).write_text(str(child.pid))
    child.wait()


@pytest.mark.thorough
def test_a_cancelled_task_ends_with_all_it_has_started(tmp_path: Path, client: str) -> None:
    note = tmp_path / "child"
    job = remote.make_job(client, abs, run_for_ever, Errand(str(note), "/nowhere"))
    answer = remote.run_job(remote.version(), job, str(tmp_path), lambda: note.exists() and bool(note.read_text()))
    assert isinstance(answer.error, WorkerDied)
    assert eventually(lambda: not psutil.pid_exists(int(note.read_text())))


def own_number(errand: Errand) -> int:
    return os.getpid()


@pytest.mark.thorough
def test_idle_processes_end(tmp_path: Path, client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their client may be gone; whoever comes again gets new ones."""
    monkeypatch.setattr(remote, "LINGER", 0.0, raising=False)
    for _ in range(2):
        job = remote.make_job(client, abs, own_number, Errand("", "/nowhere"))
        number = remote.run_job(remote.version(), job, str(tmp_path)).result
        assert eventually(lambda number=number: not psutil.pid_exists(number))
        assert eventually(lambda: not list(tmp_path.glob("kikashi-*")))


@pytest.mark.thorough
def test_a_game_in_a_process_of_a_worker_is_the_same_game(tmp_path: Path, client: str) -> None:
    task = tasks_of(settings())[0]
    answer = remote.run_job(remote.version(), remote.make_job(client, abs, play_game, task))
    assert without_times([answer.unpacked(str(tmp_path))]) == without_times([play_game(task)])


def test_a_worker_of_another_version_is_refused(client: str) -> None:
    job = remote.make_job(client, abs, run_errand, Errand("live", ""))
    check_refused(
        lambda: remote.run_job("kikashi 0.0.9 (0123abcd)", job), "but this is kikashi 0.0.9 (0123abcd): install"
    )
