"""Options: a level, a file with the options of ``kikashi gtp``, and tab completion."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from kikashi.cli import main
from kikashi.cli.options import LEVELS
from kikashi.engine.levels import MOST, level_of
from kikashi.engine.preset import load_preset

# --- levels -----------------------------------------------------------------------------------------------------------


def test_every_level_has_more_simulations_than_the_one_below() -> None:
    assert LEVELS == MOST
    levels = [level_of(number) for number in range(1, MOST + 1)]
    simulations = [level.simulations for level in levels]
    assert simulations == sorted(set(simulations))
    assert {load_preset(level.preset).name for level in levels} == {levels[0].preset}


@pytest.mark.parametrize("number", [0, MOST + 1])
def test_there_are_no_others(number: int) -> None:
    with pytest.raises(ValueError, match="levels go from 1 to 10"):
        level_of(number)


@pytest.mark.slow
def test_an_engine_of_a_level() -> None:
    lines = "kikashi-preset\nkata-get-param simulations\nkata-get-param threads\nquit\n"
    command = [sys.executable, "-m", "kikashi", "gtp", "--level", "3"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=600, check=True)
    preset, simulations, threads, _ = done.stdout.replace("= ", "").split("\n\n")[:4]
    level = level_of(3)
    assert preset.startswith(f"{level.preset}: ")
    assert (simulations, threads) == (str(level.simulations), "1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gtp", "--level", "3", "--preset", "lgrf2"), "leave out the preset"),
        (("gtp", "--level", "3", "--simulations", "100"), "leave out the simulations"),
        (("play", "lgrf2", "--level", "3"), "leave out the preset"),
        (("play", "--level", "3", "--seconds", "1"), "leave out the seconds"),
        (("play", "--level", "11"), "11 is not in the range 1<=x<=10"),
    ],
)
def test_options_that_a_level_excludes_are_refused(words: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert result.exit_code != 0
    assert said in result.stderr.strip().splitlines()[-1]


# --- a file of options ------------------------------------------------------------------------------------------------


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
def test_a_file_sets_options(tmp_path: Path) -> None:
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


# --- the tab key ------------------------------------------------------------------------------------------------------

CASES = {
    ("pl",): ["play"],
    ("play", "lgrf"): ["lgrf1", "lgrf2"],
    ("show", "crazy"): ["crazystone-2006"],
    ("gtp", "--preset", "mogo"): ["mogo-2006", "mogo-2006-group"],
    ("review", "--preset", "kik"): ["kikashi"],
    ("match", "kikashi", "ore"): ["orego-2010"],
    ("experiment", "run", "baier2010-f"): ["baier2010-family"],
    ("tune", "kik"): ["kikashi-13x13", "kikashi-9x9"],
    ("gtp", "--meg"): ["--megabytes"],
    ("play", "--color", ""): ["black", "white"],
    ("play", "playouts"): ["playouts"],
}


@pytest.mark.parametrize("words", CASES)
def test_words_that_the_tab_key_completes(words: tuple[str, ...]) -> None:
    *before, incomplete = words
    complete = ShellComplete(main, {}, "kikashi", "_KIKASHI_COMPLETE")
    found = complete.get_completions(before, incomplete)
    assert [item.value for item in found][: len(CASES[words])] == CASES[words]
    if words == ("play", "playouts"):
        assert found[0].type == "file", "no preset: perhaps a file"
