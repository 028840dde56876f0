"""A file with the options of ``kikashi gtp``."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from kikashi.cli import main


def ask(lines: str, *arguments: str) -> list[str]:
    """Return the answers of ``kikashi gtp`` with these arguments."""
    command = [sys.executable, "-m", "kikashi", "gtp", *arguments]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=600, check=True)
    return [answer.removeprefix("= ") for answer in done.stdout.split("\n\n")[:-1]]


def refusal(*arguments: str) -> str:
    """The last line of a start that fails."""
    result = CliRunner().invoke(main, ["gtp", *arguments], catch_exceptions=False)
    assert result.exit_code != 0
    return result.stderr.strip().splitlines()[-1]


FILE = """
preset = "mogo-2006"
playouts = 30
seconds = 2
threads = 2
megabytes = 20
seed = 5
ponder = true
rules = "simple"
set = ["choice.resign=0.1"]
plugin = "mine.py"
"""


NAMES = ("simulations", "seconds", "threads", "megabytes", "ponder")
LINES = "".join(f"kata-get-param {name}\n" for name in NAMES) + "kikashi-preset\nkata-get-rules\n"


@pytest.mark.slow
def test_a_file_says_what_options_say(tmp_path: Path) -> None:
    file = tmp_path / "gtp.toml"
    file.write_text(FILE)
    (tmp_path / "mine.py").write_text("")
    *numbers, preset, rules = ask(LINES, "--config", str(file))
    assert numbers == ["30", "2", "2", "20", "true"]
    assert preset.startswith("mogo-2006: ")
    assert '"SIMPLE"' in rules
    *numbers, _preset, _rules = ask(LINES, "--config", str(file), "--threads", "1", "--simulations", "7")
    assert numbers == ["7", "2", "1", "20", "true"], "the command line counts more"


WRONG = {
    "thread = 2": "there is no option 'thread'; did you mean threads?",
    "simulations = 'many'": "'many' is not a valid integer",
    "threads = 0": "0 is not in the range",
    "threads = [2]": "threads is a single value",
    "set = [1]": "set is a text or a list of texts",
    "rules = 'mine'": "'mine' is not one of",
    "threads = ": "this is not TOML: invalid value",
    "config = 'x'": "there is no option 'config'",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_is_wrong(text: str, tmp_path: Path) -> None:
    file = tmp_path / "gtp.toml"
    file.write_text(text)
    told = refusal("--config", str(file))
    assert told.startswith("Error: ")
    assert WRONG[text] in told


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "none.toml"
    assert refusal("--config", str(file)) == f"Error: {file}: No such file or directory"
