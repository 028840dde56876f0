"""Levels: which player each is, and which options go with one."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from kikashi.cli import main
from kikashi.cli.options import LEVELS
from kikashi.engine.levels import MOST, level_of
from kikashi.engine.preset import load_preset


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
def test_what_a_level_leaves_no_choice_about(words: tuple[str, ...], said: str) -> None:
    result = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert result.exit_code != 0
    assert said in result.stderr.strip().splitlines()[-1]
