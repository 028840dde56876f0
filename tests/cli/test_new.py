"""Skeletons of ``kikashi new``: the test of each passes at once, and no file of the user is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kikashi.cli import main
from kikashi.cli.new import KINDS


def new(*words: str) -> Result:
    return CliRunner().invoke(main, ["new", *words])


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_the_test_of_a_skeleton_passes(kind: str, tmp_path: Path) -> None:
    result = new(kind, "my_try", "--folder", str(tmp_path))
    written = [tmp_path / f"my_try.{KINDS[kind]}", tmp_path / "test_my_try.py"]
    assert (result.exit_code, result.stdout.split()) == (0, list(map(str, written)))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_try.py"]
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(words, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_a_skeleton_is_lint_free(tmp_path: Path) -> None:
    for kind in KINDS:
        new(kind, f"my_{kind}", "--folder", str(tmp_path))
    words = [str(Path(sys.executable).parent / "ruff"), "check", "--isolated", "--line-length", "120", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "$" not in "".join(file.read_text("utf-8") for file in tmp_path.iterdir())


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("older")
    result = new("heuristic", "mine", "--folder", str(tmp_path))
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {tmp_path / 'test_mine.py'} is there already")
    assert [file.name for file in tmp_path.iterdir()] == ["test_mine.py"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("heuristic my-idea", "'my-idea' cannot be the name of a heuristic: small letters, digits and _"),
        ("heuristic 2moves", "'2moves' cannot be the name of a heuristic"),
        ("selection class", "'class' cannot be the name of a selection"),
        ("preset ../mine", "'../mine' cannot be the name of a preset: small letters, digits, - and _"),
        ("heuristic capture", "capture is already the name of one of our heuristics"),
        ("heuristic uniform", "uniform is already the name of one of our heuristics"),
        ("selection ucb1", "ucb1 is already the name of one of our selections"),
        ("preset lgrf2", "lgrf2 is already the name of one of our presets"),
        ("experiment tactics", "tactics is already the name of one of our experiments"),
    ],
)
def test_a_name_that_cannot_be_is_one_line(words: str, line: str, tmp_path: Path) -> None:
    result = new(*words.split(), "--folder", str(tmp_path))
    assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
    assert result.stderr.startswith(f"Error: {line}")
    assert len(result.stderr.splitlines()) == 1
