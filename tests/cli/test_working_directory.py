"""Python that kikashi starts takes no module from the working directory, where a file may have any name."""

import subprocess
import sys
from pathlib import Path

import pytest

MODULES = ("bisect", "calendar", "hashlib", "json", "numba", "random", "selectors", "socket", "tempfile")
SHORT_MATCH = ["match", "--size", "5", "--simulations", "16", "--games", "2"]
PLUGIN = '''
from kikashi.playout import add, heuristic


@heuristic()
def corner(sim, moves, my):
    """The corner."""
    if sim.board.color[21] == 0:
        add(moves, 21, 1.0)
'''
ENGINE = """
import os

assert "PYTHONSAFEPATH" not in os.environ
for line in iter(input, "quit"):
    known = {"name": "passes", "list_commands": "boardsize\\nkomi\\nplay\\ngenmove"}
    print("=", "pass" if "genmove" in line else known.get(line, ""), end="\\n\\n", flush=True)
print("=\\n", flush=True)
"""
"""Passes; as ``python -m engine`` it is a module of the working directory, as its user wants it."""


@pytest.fixture
def working(tmp_path: Path) -> Path:
    """A folder with modules that leave a trace."""
    folder = tmp_path / "working"
    folder.mkdir()
    for name in MODULES:
        trace = f"open({str(tmp_path / 'trace')!r}, 'a').write({name!r})"
        (folder / f"{name}.py").write_text(f"{trace}\nraise SystemExit(3)\n")
    (folder / "plugin.py").write_text(PLUGIN)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``kikashi`` as the script does, which has its own folder on the path."""
    script = folder.parent / "kikashi"
    script.write_text('if __name__ == "__main__":\n    from kikashi.cli import main\n\n    main()\n')
    command = [sys.executable, str(script), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        ["check-plugin", "plugin.py"],
        [*SHORT_MATCH, "mogo-2006", "kikashi gtp --simulations 16"],
        [*SHORT_MATCH, "mogo-2006 --plugin plugin.py --set playout=corner,uniform", "mogo-2006"],
    ],
    ids=["check", "engine", "plugin"],
)
def test_no_module_of_the_working_directory_is_run(working: Path, arguments: list[str]) -> None:
    done = run(working, *arguments)
    assert not (working.parent / "trace").exists(), (working.parent / "trace").read_text()
    assert done.returncode == 0, done.stderr


def test_an_engine_may_be_a_module_of_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "engine.py").write_text(ENGINE)
    player = f"{sys.executable} -m engine"
    done = run(tmp_path / "engine", "match", f"name=A {player}", f"name=B {player}", "--size", "5", "--games", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "forfeit" not in done.stdout + done.stderr
