"""The GTP engine as front ends run it: a process, pipes, interruptions and an end without noise."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.gtp_text import COMMAND, VERTEX, check_answer, noise, parse_info
from helpers.pages import blocks
from helpers.processes import closed_afterwards, kill
from helpers.tools import tool
from kikashi.protocols.gtp.controller import Engine
from kikashi.protocols.gtp.server import HOPELESS

pytestmark = pytest.mark.slow
PATIENCE = 300.0
"""Seconds for what takes milliseconds, unless everything has to be compiled first on a busy machine."""


class Process:
    """The engine with its three pipes."""

    def __init__(self, *options: str, command: list[str] = COMMAND) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*command, *options], stdin=pipe, stdout=pipe, stderr=pipe)
        self._read = b""

    def send(self, *lines: str) -> None:
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()

    def until(self, end: str) -> str:
        """What is written up to this text, which must come."""
        deadline = time.monotonic() + PATIENCE
        while end.encode() not in self._read:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no {end!r} after {self._read[-200:]!r}"
            data = os.read(self.process.stdout.fileno(), 65536)
            assert data, f"the engine is gone; before that {self._read[-200:]!r}"
            self._read += data
        text, mark, self._read = self._read.partition(end.encode())
        return (text + mark).decode()

    def answer(self) -> str:
        text = self.until("\n\n")
        check_answer(text, r"\d*")
        return text

    def ask(self, line: str) -> str:
        self.send(line)
        return self.answer()

    def end(self) -> tuple[str, str, int]:
        """What is left on both outputs when the engine has ended by itself, and its exit code."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return (self._read + out).decode(), noise(err.decode()), self.process.returncode


@pytest.fixture
def start() -> Iterator[type[Process]]:
    """Starts processes and ends them."""
    yield from closed_afterwards(Process, kill)


# --- analysis ends at once --------------------------------------------------------------------------------------------


ANSWERS = {"protocol_version": "= 2\n\n", "": "", "# interrupt": "", "name # who": "= kikashi\n\n"}
"""Lines that end an analysis, and what is answered to them."""


def test_a_long_analysis_ends_when_a_line_comes(start: type[Process]) -> None:
    engine = start()
    engine.ask("boardsize 9")
    for line, answer in ANSWERS.items():
        engine.send("lz-analyze b 5")
        assert engine.until("\n") == "=\n"
        for _ in range(2):
            parse_info(engine.until("\n").strip())
        engine.send(line)
        while (found := engine.until("\n")) != "\n":
            parse_info(found.strip())
        assert not answer or engine.answer() == answer
        assert engine.ask("9 name") == "=9 kikashi\n\n"


def test_the_end_of_the_input_ends_an_analysis(start: type[Process]) -> None:
    engine = start()
    engine.send("boardsize 9", "kata-analyze b 5 ownership true")
    engine.until("info move")
    out, err, code = engine.end()
    assert out.endswith("\n\n")
    assert (err, code) == ("", 0)


def test_the_end_of_the_input_ends_a_long_thought(start: type[Process]) -> None:
    engine = start("--playouts", "900000000")
    engine.send("boardsize 9", "genmove b")
    out, err, code = engine.end()
    assert re.fullmatch(rf"=\n\n= {VERTEX}\n\n", out)
    assert (err, code) == ("", 0)


def test_commands_before_the_end_of_the_input_are_answered(start: type[Process]) -> None:
    engine = start("--playouts", "300")
    engine.send("boardsize 9", "genmove b", "kikashi-analysis", "genmove w", "kikashi-analysis")
    out, err, code = engine.end()
    assert len(re.findall(r'"simulations": (?:[12][0-9][0-9]|300)', out)) == 2
    assert (err, code) == ("", 0)


def test_an_interruption_ends_a_long_thought(start: type[Process]) -> None:
    engine = start("--playouts", "1000000000")
    engine.send("boardsize 9", "lz-genmove_analyze b 5")
    engine.until("info move")
    engine.send("# interrupt")
    engine.until("play ")
    assert re.fullmatch(VERTEX + r"\n\n", engine.until("\n\n"))
    assert engine.ask("name") == "= kikashi\n\n"


def test_an_interruption_that_is_there_at_once_counts_too(start: type[Process]) -> None:
    """It came before the command was begun, but after it was sent."""
    engine = start("--playouts", "1000000000")
    engine.send("boardsize 5", "genmove b", "# interrupt", "name", "# interrupt", "version")
    answers = [engine.answer() for _ in range(4)]
    assert re.fullmatch(rf"= {VERTEX}\n\n", answers[1])
    assert answers[2] == "= kikashi\n\n"


# --- order, noise and the end -----------------------------------------------------------------------------------------


def test_commands_sent_at_once_are_answered_in_order(start: type[Process]) -> None:
    engine = start("--playouts", "10")
    engine.send("1 boardsize 5", "2 genmove b\r", "", "# nothing", "3 name", "4 genmove w", "5 quit")
    out, err, code = engine.end()
    answers = [text + "\n\n" for text in out.split("\n\n")[:-1]]
    assert [int(re.match(r"=(\d+)", text)[1]) for text in answers] == [1, 2, 3, 4, 5]
    for text in answers:
        check_answer(text, r"\d+")
    assert (err, code) == ("", 0)


def test_the_last_line_needs_no_end(start: type[Process]) -> None:
    engine = start()
    engine.process.stdin.write(b"name")
    assert engine.end() == ("= kikashi\n\n", "", 0)


def test_lines_that_are_no_text_and_too_long(start: type[Process]) -> None:
    engine = start()
    engine.process.stdin.write(b"\xff\xfe\x00name\n" + b"x" * (3 << 20) + b"\nname\n")
    engine.process.stdin.flush()
    assert [engine.answer() for _ in range(3)] == ["? unknown command\n\n"] * 2 + ["= kikashi\n\n"]


def test_answers_are_utf8_whatever_the_locale_says(monkeypatch: pytest.MonkeyPatch, start: type[Process]) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    engine = start()
    assert engine.ask("play b " + "é" * 400).startswith("? 'é")


def test_nobody_reads_any_more(start: type[Process]) -> None:
    engine = start()
    engine.ask("name")
    engine.process.stdout.close()
    engine.send("name", "lz-analyze 1")
    err = engine.process.stderr.read()
    engine.process.wait(PATIENCE)
    assert noise(err.decode()) == ""


@pytest.mark.parametrize("busy", ["", "kata-analyze b 5", "lz-genmove_analyze b 5"])
def test_control_c_ends_it_without_a_traceback(busy: str, start: type[Process]) -> None:
    engine = start("--playouts", "1000000000")
    engine.ask("boardsize 9")
    if busy:
        engine.send(busy)
        engine.until("info move")
    engine.process.send_signal(signal.SIGINT)
    _out, err, code = engine.end()
    assert (err, code) == ("interrupted\n", 130)


PRINTING_PLUGIN = """
import os
from kikashi.playout import heuristic

print("= at its start\\n")
os.write(1, b"= past Python\\n\\n")

@heuristic()
def talkative(sim, moves, my):
    print("= in a playout")
"""


ENDLESS_PLUGIN = """
from kikashi.playout import heuristic

@heuristic()
def endless(sim, moves, my):
    if sim.board.size == 9:
        while sim.board.size > 0: pass
"""


IMPATIENT = "from kikashi.protocols.gtp import server; server.PATIENCE = 0.5; from kikashi.cli import main; main()"


@pytest.mark.parametrize(("line", "more"), [("genmove b", []), ("lz-analyze b 5", ["--threads", "2"])])
def test_a_part_that_loops_for_ever_does_not_outlive_the_input(
    line: str, more: list[str], tmp_path: Path, start: type[Process]
) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS_PLUGIN)
    plugin = ["--plugin", str(tmp_path / "endless.py"), "--set", "playout=endless"]
    command = [sys.executable, "-c", IMPATIENT, "gtp"]
    engine = start("--preset", "lgrf2", *plugin, "--playouts", "2", *more, command=command)
    engine.send("boardsize 5", "genmove b", "boardsize 9", line)
    _out, err, code = engine.end()
    assert (err, code) == (f"{HOPELESS}\n", 1)


@pytest.mark.parametrize("command", ["gtp", "kata-analysis"])
def test_output_of_a_plugin_is_no_answer(command: str, tmp_path: Path) -> None:
    (tmp_path / "talking.py").write_text(PRINTING_PLUGIN)
    options = ["--preset", "lgrf2", "--plugin", "talking.py", "--set", "playout=talkative", "--playouts", "2"]
    query = {"id": "q", "moves": [], "rules": "chinese", "boardXSize": 5, "boardYSize": 5}
    said = "boardsize 5\ngenmove b\nquit\n" if command == "gtp" else f"{json.dumps(query)}\n"
    done = subprocess.run(
        [*COMMAND[:-1], command, *options], input=said, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE
    )
    if command == "gtp":
        assert re.fullmatch(rf"=\n\n= (?:{VERTEX}|resign)\n\n=\n\n", done.stdout)
    else:
        assert json.loads(done.stdout)["id"] == "q"
    for line in ("= at its start", "= past Python", "= in a playout"):
        assert line in done.stderr.splitlines()


def test_a_command_is_one_file_of_the_users_own(tmp_path: Path, start: type[Process]) -> None:
    (tmp_path / "double.py").write_text(blocks("docs/gtp.md", "python")[0])
    engine = start("--preset", "mogo-2006", "--playouts", "20", "--plugin", str(tmp_path / "double.py"))
    engine.ask("boardsize 5")
    assert re.fullmatch(rf"=3 {VERTEX} {VERTEX}\n\n", engine.ask("3 my-double_move w"))
    assert len(engine.ask("list_stones white").split()) == 3
    assert engine.ask("my-double_move") == "? something is missing; write my-double_move COLOR\n\n"
    assert "my-double_move" in engine.ask("list_commands")


def test_pondering_stays_out_of_the_way(start: type[Process]) -> None:
    engine = start("--ponder", "--playouts", "50", "--megabytes", "8")
    engine.ask("boardsize 5")
    for _ in range(3):
        assert re.fullmatch(rf"= (?:{VERTEX}|resign)\n\n", engine.ask("genmove b"))
        time.sleep(0.1)
        for line in ("name", "showboard", "time_left w 10 0", "play w pass"):
            assert engine.ask(line).startswith("=")
    engine.ask("genmove w")
    engine.ask("boardsize 7")
    engine.ask("genmove b")
    engine.send("quit")
    out, err, code = engine.end()
    assert (out, err, code) == ("=\n\n", "", 0)


# --- GNU Go -----------------------------------------------------------------------------------------------------------


GNU_GO = ("--mode", "gtp", "--level", "1", "--chinese-rules", "--positional-superko", "--capture-all-dead")
GNU_GO += ("--never-resign",)


def play_until_both_pass(command: str, players: dict[str, Engine]) -> None:
    """Each move must be one that the other takes."""
    passes = 0
    for color in ["black", "white"] * 100:
        move = players[color].ask(f"{command} {color}").upper()
        assert re.fullmatch(VERTEX.upper(), move)
        players["white" if color == "black" else "black"].ask(f"play {color} {move}")
        passes = passes + 1 if move == "PASS" else 0
        if passes == 2:
            return
    pytest.fail("a game without end")


@pytest.mark.parametrize("ours", ["black", "white"])
def test_games_with_gnu_go(ours: str) -> None:
    """A game and the cleaning up after it; a board on which GNU Go sees nothing dead is counted alike."""
    us = [*COMMAND, "--playouts", "50", "--set", "choice.resign=0"]
    for seed in range(1, 9):
        theirs = [tool("gnugo"), *GNU_GO, "--seed", str(seed)]
        with Engine([*us, "--seed", str(seed)], timeout=PATIENCE) as kikashi, Engine(theirs, timeout=PATIENCE) as gnu:
            players = {color: kikashi if color == ours else gnu for color in ("black", "white")}
            for engine in (kikashi, gnu):
                for line in ("boardsize 5", "clear_board", "komi 0.5"):
                    engine.ask(line)
            play_until_both_pass("genmove", players)
            play_until_both_pass("kgs-genmove_cleanup", players)
            for color in ("black", "white"):
                stones = [sorted(engine.ask(f"list_stones {color}").upper().split()) for engine in (kikashi, gnu)]
                assert stones[0] == stones[1]
            if not gnu.ask("final_status_list dead"):
                assert kikashi.ask("final_score") == gnu.ask("final_score")
                return
    pytest.fail("no game was played to its end")
