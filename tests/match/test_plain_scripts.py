"""Matches and experiments from scripts as people write them: no guard around the calls, nothing but the calls."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from helpers.match_tools import PATIENCE
from kikashi.workers.processes import ProcessExecutor

MATCH = """
from kikashi.match import Match

print("begun")
match = Match.play("lgrf2", "mogo-2006", simulations=16, games=2, size=5, concurrency=2, folder="match")
print(len(match.records), {record.failed for record in match.records})
"""
EXPERIMENT = """
from kikashi.experiments import Experiment

print("begun")
small = ["size=5", "games=2", "simulations=[16]", "referee=playouts"]
found = Experiment.run("yoshizoe2006-figure3", overrides=small, concurrency=2)
print(len(found.records), {record.failed for record in found.records})
"""
PLUGIN_MATCH = MATCH.replace('"lgrf2"', '"lgrf2 --plugin corner.py --set playout=corner"')
PLUGIN = '''
from beside import CORNER
from kikashi.playout import add, heuristic


@heuristic()
def corner(sim, moves, my):
    """The corner."""
    if sim.board.color[CORNER] == 0:
        add(moves, CORNER, 1.0)
'''
GETTING_READY = "kikashi: compiling"


def check(out: str, err: str, games: int) -> None:
    """Check that a script was run once, that all games were played, and that nothing was message about errors."""
    assert out.split("\n") == ["begun", f"{games} {{None}}", ""], err
    assert not [line for line in err.splitlines() if GETTING_READY not in line]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("script", "games", "way"),
    [(MATCH, 2, "standard input"), (EXPERIMENT, 6, "a file"), (PLUGIN_MATCH, 2, "a file")],
    ids=["match", "experiment", "plugin"],
)
def test_a_script_needs_no_guard(tmp_path: Path, script: str, games: int, way: str) -> None:
    """Nor does a plugin that imports a module beside the script."""
    (tmp_path / "script.py").write_text(script)
    (tmp_path / "corner.py").write_text(PLUGIN)
    (tmp_path / "beside.py").write_text("CORNER = 21\n")
    command, text = ([sys.executable, "script.py"], "") if way == "a file" else ([sys.executable, "-"], script)
    done = subprocess.run(command, input=text, cwd=tmp_path, capture_output=True, text=True, check=False)
    check(done.stdout, done.stderr, games)


@pytest.mark.thorough
def test_a_notebook_needs_no_guard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(folder, str(tmp_path / folder))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(MATCH)])
    NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(tmp_path)}}).execute()
    message = dict.fromkeys(("stdout", "stderr"), "")
    for output in notebook.cells[0].outputs:
        message[output.name] += output.text
    check(message["stdout"], message["stderr"], 2)


def cannot_begin(parent: int) -> None:
    """How a worker begins that cannot."""
    sys.exit(7)


def test_a_worker_that_cannot_begin_is_nobodys_fault() -> None:
    """It is no WorkerDied, for which a player may be to blame."""
    pool = ProcessExecutor(1, cannot_begin, 0)
    with pytest.raises(OSError, match="a worker ended with code 7 before its first task"):
        pool.submit(abs, -3).result(PATIENCE)
    pool.shutdown()
