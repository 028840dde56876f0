"""The first minute in a terminal: nothing wraps, nothing is overwritten, and Ctrl-C leaves the terminal as it was."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.screens import Screen, Terminal

KIKASHI = [sys.executable, "-m", "kikashi"]
COMPILING = """
from kikashi.jit import announced, progress
progress.PATIENCE = progress.REDRAW = 0.0
from kikashi.board.points import BLACK, point
from kikashi.board.position import new_board
from kikashi.board.queries import is_eyelike

print("a line above")
with announced([is_eyelike], "for a player with a long name-2006"):
    for _ in range(2):
        is_eyelike(new_board(2), point(1, 1), BLACK)
print("the next line")
"""


def test_a_screen_does_what_terminals_do() -> None:
    screen = Screen(5, 3)
    screen.feed("abcdefg\r\n\x1b[31mhi\x1b[0m\r\nlow\x1b")
    assert (screen.gone, screen.shown) == (["abcde"], ["fg", "hi", "low"])
    screen.feed("[A\r\x1b[Kup\x1b[?25l")
    assert (screen.shown, screen.cursor_is_visible) == (["fg", "up", "low"], False)
    screen.feed("\x1b[?25h\x1b[2B\x1b7\x1b[1;1HX\x1b8!")
    assert screen.shown == ["Xg", "up", "lo!"]


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 40])
def test_the_progress_of_compiling_is_one_line_that_goes(tmp_path: Path, columns: int) -> None:
    environment = {"KIKASHI_CACHE": str(tmp_path)}
    with Terminal([sys.executable, "-c", COMPILING], columns=columns, environment=environment) as terminal:
        assert terminal.end() == 0
    assert terminal.screen.everything == "a line above\nthe next line"
    drawn = re.findall(r"\x1b\[K([^\x1b]*)", terminal.written.decode())
    told = [line for line in drawn if line.startswith(("compiling", "kikashi: compiling"))]
    assert len(told) > 2
    assert max(map(len, told)) < columns
    assert len({line.split(" of ")[1].split(",")[0].strip() for line in told}) == 1, "one total"


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "colors"), [(80, True), (80, False), (40, True)])
def test_the_board_and_the_prompt_are_whole(tmp_path: Path, columns: int, colors: bool) -> None:
    command = [*KIKASHI, "play", "mogo-2006", "--size", "5", "--simulations", "20"]
    environment = {} if colors else {"NO_COLOR": "1"}
    with Terminal(command, columns=columns, folder=tmp_path, environment=environment) as terminal:
        terminal.until("Black>")
        terminal.type("c3\n")
        screen = terminal.until(lambda screen: screen.everything.count("Black>") >= 2)
        assert sum(line.startswith("╭") for line in screen.everything.splitlines()) == 2
        assert "Black> c3" in screen.everything
        stones = re.findall(r"[●○◉◎]", screen.everything.split("Black> c3")[1].split("A B C D E")[1])
        assert len(stones) >= 2
        if not colors:
            assert {"●", "◎"} <= set(stones)
        terminal.type("quit\n")
        assert terminal.end() == 0
        check_sane(terminal)


STOPPED = {
    "demo": (["demo", "--simulations", "100000", "--size", "5"], "thinking"),
    "match": (["match", "mogo-2006", "lgrf2", "--size", "5", "--playouts", "1000000", "--games", "2"], "playing"),
    "gtp": (["gtp", "--preset", "mogo-2006"], "GTP"),
    "play": (["play", "mogo-2006", "--size", "5", "--seconds", "1000", "--color", "white"], "is thinking"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "columns"), [*((name, 80) for name in STOPPED), ("demo", 40), ("match", 40)])
def test_ctrl_c_leaves_the_terminal_sane(tmp_path: Path, name: str, columns: int) -> None:
    words, sign = STOPPED[name]
    sign = "black" if (name, columns) == ("demo", 40) else sign
    with Terminal([*KIKASHI, *words], columns=columns, folder=tmp_path) as terminal:
        terminal.until(sign)
        terminal.interrupt()
        assert terminal.end() == 130
        check_sane(terminal)
    is_named = "--resume" in terminal.screen.everything
    assert is_named == (tmp_path / "matches").exists(), "a match that has not begun cannot go on"


def check_sane(terminal: Terminal) -> None:
    """The cursor is visible at the start of a line, and the terminal shows what is typed."""
    screen = terminal.screen
    assert screen.cursor_is_visible
    assert screen.column == 0, screen.everything
    assert screen.shown[screen.row] == "", screen.everything
    assert terminal.echoes
    assert "Traceback" not in screen.everything


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (["demo", "--simulations", "5", "--size", "5"], ""),
        (["play", "mogo-2006", "--size", "5", "--simulations", "5"], "c3\nhint\nquit\n"),
        (["gtp", "--preset", "mogo-2006", "--simulations", "5"], "genmove b\nshowboard\nquit\n"),
        (["match", "mogo-2006", "lgrf2", "--size", "5", "--playouts", "5", "--games", "2"], ""),
    ],
)
def test_pipes_get_no_control_sequences(tmp_path: Path, words: list[str], typed: str) -> None:
    done = subprocess.run([*KIKASHI, *words], cwd=tmp_path, input=typed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not re.search(r"[\x1b\r\x08]", done.stdout + done.stderr)
