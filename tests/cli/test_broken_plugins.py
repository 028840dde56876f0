"""Broken plugins: each is answered by one line with its file and the line that is wrong, and Ctrl-C always works."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from secrets import randbits

import psutil
import pytest

from kikashi.parts.compiling import LIMIT, Compiler, address_of, limit
from kikashi.parts.registry import PartError, find
from kikashi.playout import heuristic, load_plugin

HEAD = """from kikashi.board import EMPTY, in_atari
from kikashi.jit import kernel
from kikashi.playout import add, heuristic, mark


"""
FIRST_LINE = HEAD.count("\n") + 3
"""Of a heuristic's body."""

DOES_NOT_COMPILE = {
    "wrong_order": (
        "add(21, moves, 1.0)",
        "add(21, moves, 1.0) does not fit add(moves: Candidates, point: int, weight: float)",
    ),
    "too_few_arguments": (
        "add(moves, 21)",
        "add(moves, 21) does not fit add(moves: Candidates, point: int, weight: float): missing a required argument",
    ),
    "too_many_arguments": (
        "mark(moves, 21, 1.0)",
        "mark(moves, 21, 1.0) does not fit mark(moves: Candidates, point: int)",
    ),
    "text_for_a_point": ("mark(moves, 'A1')", "mark(moves, 'A1') does not fit mark(moves: Candidates, point: int)"),
    "unknown_field": ("board = sim.board; mark(moves, board.komi)", "board has no field 'komi'"),
    "field_with_a_typo": ("mark(moves, sim.board.colour[21])", "sim.board has no field 'colour'; did you mean color?"),
    "unknown_parameter": ("add(moves, 21, my.wieght)", "my has no field 'wieght'; did you mean weight?"),
    "unknown_kernel": ("mark(moves, in_attari(sim.board, 21))", "'in_attari' is not defined; did you mean in_atari?"),
    "kernel_not_imported": ("bar(moves, 21, True)", "'bar' is not defined: import it from kikashi.playout"),
    "numpy_not_imported": ("mark(moves, np.int64(21))", "'np' is not defined: import numpy as np is missing"),
    "name_not_defined": ("mark(moves, points_seen)", "the name 'points_seen' is not defined"),
    "wrong_result": ("return 21", "it returns the whole number 21, but must return nothing"),
    "text_formatting": ("name = f'{sim.length:03d}'; mark(moves, len(name))", "format spec in f-strings"),
    "mixed_list": ("for p in [21, 'A1']: mark(moves, p)", "a list or tuple has items of several types"),
    "wrong_division": ("mark(moves, sim.board // 2)", "// does not work with a record and the whole number 2"),
    "wrong_index": ("mark(moves, sim.board.color['A1'])", "an array cannot be indexed with the text 'A1'"),
    "closure": ("at = lambda p: sim.board.color[p]; mark(moves, max([21], key=at))", "inner function cannot use 'sim'"),
    "two_types": ("p = 21 if sim.length > 9 else 'A1'; mark(moves, p)", "in one place and"),
    "plain_function": ("mark(moves, plain(sim))", "plain is a function of Python: put @kernel before it"),
    "file": ("print(open('x'))", "open is a function of Python alone"),
    "global_list": ("SEEN.append(21)", "SEEN is a value of Python that kernels cannot use"),
}
"""The body of a heuristic, and words of the error."""
MORE = "\n\nSEEN = []\n\n\ndef plain(sim):\n    return 21\n"
RECURSION = """@kernel
def again(n):
    return again(n - 1)


@heuristic()
def recursion(sim, moves, my):
    mark(moves, again(5))
"""

HANGS = HEAD + "@heuristic()\ndef hangs(sim, moves, my):\n    found = {'a': sim}\n    mark(moves, len(found))\n"
"""LLVM would work on it for hours."""


def written(folder: Path, name: str, text: str) -> str:
    file = folder / f"{name}.py"
    file.write_text(text)
    return str(file)


def body_of(name: str, body: str) -> str:
    return f"{HEAD}@heuristic(weight=1.0)\ndef {name}(sim, moves, my):\n    {body}\n"


def compile_error(name: str) -> str:
    with pytest.raises(PartError) as caught:
        address_of(find(heuristic, name), "propose")
    return str(caught.value)


@pytest.mark.parametrize("name", DOES_NOT_COMPILE)
def test_a_part_that_does_not_compile_is_one_line_with_its_place(name: str, tmp_path: Path) -> None:
    body, words = DOES_NOT_COMPILE[name]
    file = written(tmp_path, name, body_of(f"broken_{name}", body) + MORE)
    load_plugin(file)
    line = compile_error(f"broken_{name}")
    assert line.startswith(f"heuristic 'broken_{name}' in {file}, line {FIRST_LINE}, does not compile: ")
    assert words in line
    assert "\n" not in line


def test_endless_recursion_of_a_kernel_is_an_error_with_its_line(tmp_path: Path) -> None:
    file = written(tmp_path, "recursion", HEAD + RECURSION)
    load_plugin(file)
    assert re.search(r"recursion\.py, line 8, does not compile: again calls itself", compile_error("recursion"))


# -- compiling that does not end ---------------------------------------------------------------------------------------


def test_compiling_that_does_not_end_is_ended_and_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, "hangs", HANGS)
    load_plugin(file)
    monkeypatch.setenv(LIMIT, "2")
    line = compile_error("hangs")
    assert line == f"heuristic 'hangs' in {file}, line 6: compiling it has not ended after 2 s ({LIMIT}=… allows more)"
    monkeypatch.setenv(LIMIT, "100000")
    assert compile_error("hangs") == line


ENDS_AT_ONCE = "input(); import os, time; os.close(1); time.sleep(0.3)"
ANSWERS = "input(); print('\"\"', flush=True); input()"


def test_a_compiler_that_ends_when_a_job_comes_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It had been idle for too long, and a busy machine takes a moment to end it."""
    programs, pipe = iter([ENDS_AT_ONCE, ANSWERS]), subprocess.PIPE

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-S", "-c", next(programs)], stdin=pipe, stdout=pipe, bufsize=0)

    monkeypatch.setattr("kikashi.parts.compiling._start", start)
    compiler = Compiler()
    compiler.compile("heuristic 'mine'", {"part": "mine"})
    compiler.close()
    assert next(programs, None) is None


class KilledLate(subprocess.Popen):
    """A process on a busy machine."""

    def kill(self) -> None:
        time.sleep(0.3)
        super().kill()


def test_a_compiler_that_takes_too_long_is_killed_and_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    words, pipe = [sys.executable, "-S", "-c", "import sys; sys.stdin.read()"], subprocess.PIPE
    start = iter([lambda: KilledLate(words, stdin=pipe, stdout=pipe, bufsize=0)])
    monkeypatch.setattr("kikashi.parts.compiling._start", lambda: next(start)())
    monkeypatch.setattr("kikashi.parts.compiling.SLACK", 0.2)
    monkeypatch.setenv(LIMIT, "1")
    with pytest.raises(PartError, match="compiling it has not ended after 1 s"):
        Compiler().compile("heuristic 'mine'", {"part": "mine"})


@pytest.mark.parametrize("value", ["soon", "0", "nan"])
def test_a_limit_that_is_no_number_of_seconds_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT, value)
    with pytest.raises(PartError, match=f"^{LIMIT} must be seconds, 1 or more, not '{value}'$"):
        limit()


COMMANDS = {
    "bench": ["bench", "playouts", "--playouts", "5", "--playout", "hangs", "--plugin"],
    "check-plugin": ["check-plugin"],
    "gtp": ["gtp", "--preset", "mogo-2006", "--simulations", "10", "--set", "playout=hangs", "--plugin"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_control_c_ends_a_command_that_compiles_at_once(command: str, tmp_path: Path) -> None:
    """And all processes that it has started, though LLVM would not hear of it for hours."""
    words = [sys.executable, "-m", "kikashi", *COMMANDS[command], written(tmp_path, "hangs", HANGS)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        words, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env={**os.environ, LIMIT: "100000"}
    )
    process.stdin.write("genmove b\n")
    process.stdin.flush()
    while "compiling hangs" not in (line := process.stderr.readline()):
        assert line, "it has ended"
    started = psutil.Process(process.pid).children(recursive=True)
    assert started
    process.send_signal(signal.SIGINT)
    try:
        _, rest = process.communicate(timeout=100)
    finally:
        process.kill()
    assert "Traceback" not in rest
    assert process.returncode not in (0, -signal.SIGKILL)
    _, alive = psutil.wait_procs(started, timeout=100)
    assert not alive


# -- what is compiled apart --------------------------------------------------------------------------------------------

COUNTS = """
import json, sys
from numba.core import event
from kikashi.parts import compiling
from kikashi.parts.registry import find
from kikashi.parts.compiling import address_of
from kikashi.playout import heuristic, load_plugin

load_plugin(sys.argv[1])
with event.install_recorder("numba:compile") as compiled:
    address_of(find(heuristic, "compiled_apart"), "propose")
print(json.dumps([len(compiled.buffer), compiling.COMPILER._process is not None]))
"""


def test_a_plugin_is_compiled_in_another_process_and_only_once(tmp_path: Path) -> None:
    """Nothing is compiled in this one; what is on disk needs no other process."""
    new = f"@heuristic()\ndef compiled_apart(sim, moves, my):\n    mark(moves, 21 + {randbits(32)} // 2**40)\n"
    file = written(tmp_path, "apart", HEAD + new)
    words = [sys.executable, "-c", COUNTS, file]
    answers = [json.loads(subprocess.run(words, capture_output=True, check=True).stdout) for _ in range(2)]
    assert answers == [[0, True], [0, False]]
