"""The pages that one works through run: the tutorial block by block, and the exercises of other pages, on budgets of
a moment. What each page says about numbers that can be computed is computed."""

import contextlib
import doctest
import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from helpers.pages import ROOT, blocks, command_of, commands, commands_of
from kikashi.cli import main
from kikashi.stats.intervals import elo_interval

SMALL = {
    "bench bias": ["--playouts", "1"],
    "bench playouts": ["--playouts", "10"],
    "bench tactics": ["--simulations", "1", "--concurrency", "1"],
    "check-plugin": [],
    "experiment run": ["--scale", "0.0001", "--concurrency", "1", "--output", "experiment"],
    "match": ["--size", "5", "--simulations", "5", "--games", "2", "--concurrency", "1"],
    "show": [],
}
"""What makes a command run for a moment; the last of two options counts."""
FOR_PEOPLE = {"review", "kata-analysis", "gtp", "play", "ratings", "warm"}
"""What waits for somebody, needs files of theirs, or compiles everything: only their options are looked at."""


def run_small(words: list[str]) -> None:
    """Run a command line on a small budget, in the working directory."""
    name, _, _ = command_of(words)
    if name not in FOR_PEOPLE:
        result = CliRunner().invoke(main, [*words, *SMALL[name]])
        assert result.exit_code == 0, f"{words}\n{result.output}\n{result.exception}"


# --- the tutorial -----------------------------------------------------------------------------------------------------

TUTORIAL = "docs/tutorial.md"
BLOCK = re.compile(r"(?:file,\s`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def run_python(source: str, names: dict[str, Any]) -> str:
    """What a block prints."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(compile(source, TUTORIAL, "exec"), names)
    return said.getvalue()


@pytest.mark.thorough
def test_the_tutorial_runs_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "tutorial"}
    printed, counts = "", {"python": 0, "sh": 0, "text": 0, "toml": 0}
    for file, language, block in BLOCK.findall((ROOT / TUTORIAL).read_text("utf-8")):
        counts[language] += 1
        if file:
            (tmp_path / file).write_text(block, "utf-8")
        elif language == "python":
            printed = run_python(block, names)
        elif language == "text":
            assert doctest.OutputChecker().check_output(block, printed, doctest.ELLIPSIS), printed
            printed = ""
        else:
            for words in commands_of(block):
                run_small(words)
        assert language in ("python", "text") or printed == "", "what is printed is shown"
    assert min(counts.values()) >= 1
    assert counts["text"] > 5


# --- other pages ------------------------------------------------------------------------------------------------------


@pytest.fixture
def files_of_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What pages take for granted: engines, a preset and the heuristics of another page."""
    for engine in ("my-engine", "new", "old"):
        (tmp_path / engine).write_text(f"#!{sys.executable}\n")
        (tmp_path / engine).chmod(0o755)
    (tmp_path / "my.toml").write_text('base = "mogo-2006"\n')
    (tmp_path / "my_ideas.py").write_text(blocks("docs/add_a_heuristic.md", "python")[0])
    monkeypatch.chdir(tmp_path)


@pytest.mark.thorough
@pytest.mark.usefixtures("files_of_readers")
def test_the_exercises_run() -> None:
    """But for matches, whose players are looked at below, and the check of a plugin that `test_docs.py` checks."""
    exercises = [
        words for words in commands("docs/teaching.md") if command_of(words)[0] not in ("match", "check-plugin")
    ]
    assert len(exercises) > 8
    for words in exercises:
        run_small(words)


def test_intervals_are_as_wide_as_the_page_says() -> None:
    page = (ROOT / "docs/engine_authors.md").read_text("utf-8")
    table = re.findall(r"^\| ([\d,]+) \| ±(\d+) \|$", page, re.MULTILINE)
    assert len(table) > 3
    for games, width in table:
        half = int(games.replace(",", "")) // 2
        assert round(elo_interval(half, 0, half).high) == int(width)
