"""``kikashi check-plugin`` and ``--boundscheck``: each mistake of a plugin is one line with its place."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kikashi.cli import main
from kikashi.engine.plugin_check.supervisor import check_plugin

COMMAND = [sys.executable, "-m", "kikashi"]
HEAD = """
import os
import numpy as np
from kikashi.board import EMPTY, PASS, north
from kikashi.playout import add, cells, feasibility, feature, heuristic, last_move, mark, memory, records
from kikashi.search import backup, evaluation, expansion, nodes_of, region, selection, statistic

ROW = np.dtype([("visits", "i8")])
A_ROW = np.zeros(1, ROW)[0]
"""
SOUND = '''
@heuristic(weight=2.0)
def check_north(sim, moves, my):
    """The point above the last move."""
    last = last_move(sim, 1)
    if last != PASS and sim.board.color[north(last)] == EMPTY:
        add(moves, north(last), my.weight)


@memory(cells=2)
def check_count(sim, my):
    """Return the number of playouts."""
    cells(my.cells)[1] += 1


@feasibility(surrounded_only=True)
def check_rule(sim, point, my):
    """Nothing that is surrounded."""
    return False


@feature(levels=("no", "yes"))
def check_even(sim, point, my):
    """Whether its number is even."""
    return 1 - point % 2


@selection()
def check_first(sim, tree, node, my):
    """The first child that is allowed."""
    here = nodes_of(tree)[node]
    for child in range(here.first, here.first + here.count):
        if nodes_of(tree)[child].flags == 0:
            return child
    return here.first


@region()
def check_region(sim, my):
    """The lower left."""
    sim.region[21:23] = 1


@expansion()
def check_expansion(sim, tree, node, my):
    """At the second visit."""
    return nodes_of(tree)[node].visits > 0


@evaluation()
def check_value(sim, moves, policy, my):
    """Always even."""
    return 0.5


@backup()
def check_mean(sim, tree, node, my):
    """Always even."""
    nodes_of(tree)[node].mean = 0.5


@statistic(row=ROW)
def check_statistic(sim, tree, my):
    """Simulations through the root."""
    records(my.check_statistic, A_ROW)[0].visits += 1
'''
UNSOUND = {
    "index": (
        "moves.base = sim.board.color[sim.board.size * 1000]",
        "IndexError: index is out of bounds (on 2x2 after 0",
    ),
    "late_index": (
        "if sim.board.size == 19 and sim.length > 50: sim.moves[sim.length * 1000] = 1",
        "IndexError: index is out of bounds (on 19x19 after 0 moves)",
    ),
    "weight": ("add(moves, 21, -1.0)", "it gave a weight that is negative"),
    "wall": ("mark(moves, 0)", "it named a point that is not on the board"),
    "taken": (
        "if last_move(sim, 1) != PASS: mark(moves, last_move(sim, 1))",
        "it names points that are taken, such as",
    ),
    "board": ("sim.board.color[21] = 1", "it changes the board, "),
    "raises": (
        "if sim.length > 0:\n        raise ValueError('no idea')  # here",
        "ValueError: no idea (on 2x2 after 0",
    ),
    "types": ("mark(moves, 'A1')  # here", "does not compile: "),
    "nothing": ("pass", "it has no effect: playouts are the same without it"),
}
"""The body of a heuristic, marked where it is wrong if that can be known, and words of the error."""


def plugin(folder: Path, text: str) -> str:
    file = folder / "ideas.py"
    file.write_text(HEAD + text)
    return str(file)


def check(file: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, "check-plugin", file, *options], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_sound_parts_of_every_kind_are_listed_with_their_cost(tmp_path: Path) -> None:
    done = check(plugin(tmp_path, SOUND))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    kinds = "heuristic memory feasibility feature selection region expansion evaluation backup statistic"
    assert [line.split()[0] for line in lines] == kinds.split()
    for line in lines:
        assert re.fullmatch(r"\w+ check_\w+: fine; \d+\.\d\d times the time of the same without it", line)


@pytest.mark.slow
def test_problems_are_one_line_each(tmp_path: Path) -> None:
    parts = [f"@heuristic()\ndef check_{name}(sim, moves, my):\n    {body}\n" for name, (body, _) in UNSOUND.items()]
    unused = "@memory(cells=1)\ndef check_unused(sim, my):\n    pass\n"
    file = plugin(tmp_path, "\n".join([*parts, unused]))
    done = check(file)
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    text = Path(file).read_text()
    for name, part in zip(UNSOUND, parts, strict=True):
        wrong = text.index(part) + max(0, part.find("# here"))
        number = text[:wrong].count("\n") + 1
        assert lines.pop(f"heuristic check_{name}").startswith(f"{file}, line {number}: {UNSOUND[name][1]}")
    number = text[: text.index(unused)].count("\n") + 1
    nothing = f"{file}, line {number}: it has no effect: its cells are never written to"
    assert lines == {"memory check_unused": nothing}
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"Error: 10 of 10 parts of {tmp_path / 'ideas.py'} have a problem"


@pytest.mark.slow
def test_a_copy_of_a_plugin_names_its_own_file_and_line(tmp_path: Path) -> None:
    text = "@heuristic()\ndef check_copy(sim, moves, my):\n    raise ValueError('no idea')\n"
    for folder in (tmp_path / "first", tmp_path / "copy"):  # the cache keeps the code of the first
        folder.mkdir()
        (finding,) = check_plugin(plugin(folder, text))
        line = (HEAD + text).count("\n")
        assert finding.problem.startswith(f"{folder / 'ideas.py'}, line {line}: ValueError: no idea")


@pytest.mark.slow
def test_a_part_that_crashes_is_named_and_the_others_are_tried(tmp_path: Path) -> None:
    """The block of a memory is made to point at nothing, which no check of indexes can see."""
    text = """
@memory(cells=1, scope="playout")
def check_cells(sim, my):
    cells(my.cells)[0] = 1


@heuristic(memories=["check_cells"])
def check_crash(sim, moves, my):
    my.check_cells.address = 8
    cells(my.check_cells)[0] = 1
"""
    found = {finding.part: finding for finding in check_plugin(plugin(tmp_path, text))}
    assert found["heuristic check_crash"].problem.endswith("ideas.py, line 16: it ended the process by SIGSEGV")
    assert found["heuristic check_crash"].cost is None
    assert found["memory check_cells"].problem == ""
    assert found["memory check_cells"].cost is not None


@pytest.mark.slow
def test_a_part_that_hangs_is_named(tmp_path: Path) -> None:
    text = "@heuristic()\ndef check_hang(sim, moves, my):\n    while sim.board.size > 0:\n        pass\n"
    (found,) = check_plugin(plugin(tmp_path, text), patience=3)
    assert found.problem.endswith("ideas.py, line 10: it did not come to an end in 3 seconds")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no parts in it"),
        ("def (", "SyntaxError: "),
        ("os.kill(os.getpid(), 11)", "it ended the process by SIGSEGV when it was loaded"),
        ("os._exit(3)", "it ended the process with 3 when it was loaded"),
    ],
)
@pytest.mark.thorough
def test_a_file_that_cannot_be_loaded_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^plugin .*ideas\.py(, line \d+)?: ") as caught:
        check_plugin(plugin(tmp_path, text))
    assert said in str(caught.value)


def test_a_file_that_is_not_there_is_one_line() -> None:
    done = check("no_such_file.py")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Error: plugin no_such_file.py: no such file\n"


# --- any command ------------------------------------------------------------------------------------------------------

BENCH = ["bench", "playouts", "--playouts", "20", "--plugin"]
OUT_OF_BOUNDS = "@heuristic()\ndef check_out(sim, moves, my):\n    moves.base = sim.board.color[sim.board.size * 60]\n"


@pytest.mark.thorough
def test_any_command_runs_with_bounds_checked(tmp_path: Path) -> None:
    words = [*BENCH, plugin(tmp_path, OUT_OF_BOUNDS), "--playout", "check_out", "--boundscheck"]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Error: heuristic 'check_out' in " in done.stderr
    assert "IndexError: index is out of bounds" in done.stderr


def test_a_check_that_comes_too_late_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in this process, where kernels are loaded."""
    monkeypatch.delenv("NUMBA_BOUNDSCHECK", raising=False)
    assert "numba" in sys.modules
    result = CliRunner().invoke(main, ["--boundscheck", "presets"])
    assert result.exit_code == 2
    assert "--boundscheck comes too late" in result.stderr
