"""Commands, their files, names and help: help compiles and imports nothing."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click import Context
from click.testing import CliRunner

import kikashi.cli
from helpers.pages import command_of, words_of
from kikashi.cli import GROUPS, main
from kikashi.engine.named_files import USES, preset_names, presets_by_use

PROGRAM = """
import sys
from kikashi.cli import main
try:
    main({words!r})
except SystemExit:
    pass
ours = [name for name in sys.modules if name.startswith("kikashi.cli.")]
heavy = {{"numba", "numpy", "scipy", "rich"}} & sys.modules.keys()
print("|", *(name.rpartition(".")[2] for name in ours), *heavy)
"""
SHARED = {"options", "streams"}


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("--help", set()),
        ("--version", set()),
        ("presets", {"presets"}),
        ("match --help", {"match"}),
        ("experiment --help", {"experiment"}),
        ("self-play --help", {"self_play"}),
    ],
)
def test_a_command_imports_only_its_own_file_and_shared_ones(words: str, command: set[str]) -> None:
    program = PROGRAM.format(words=words.split())
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    output, _, imported = done.stdout.rpartition("|")
    assert output
    assert command <= set(imported.split()) <= command | SHARED


def test_every_file_is_a_command_with_a_line_in_the_help() -> None:
    files = {file.stem for file in Path(kikashi.cli.__file__).parent.glob("*.py")}
    shared = SHARED | {"__init__", "progress", "learning"}
    names = main.list_commands(Context(main))
    assert files - shared == {name.replace("-", "_") for name in names}
    shown = CliRunner().invoke(main, ["--help"]).stdout
    for title, (example, commands) in GROUPS.items():
        assert f"{title}:\n" in shown
        assert f"Example: {example}\n" in shown
        for name, line in commands.items():
            assert re.search(rf"^  {name} +{re.escape(line)}$", shown, re.MULTILINE)


def test_examples_of_the_help_are_commands_with_options_that_exist() -> None:
    for example, commands in GROUPS.values():
        name, command, rest = command_of(words_of(example))
        assert name.split()[0] in commands
        options = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in rest if word.startswith("--")} <= options


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("analyze game.sgf", "kikashi analyze is now kikashi review"),
        ("check mine.py", "kikashi check is now kikashi check-plugin"),
        ("--check presets", "--check is now --boundscheck"),
        ("presets --check", "--check is now --boundscheck"),
        ("learn --self-play rounds", "--self-play is now the command kikashi self-play FOLDER"),
        ("learn games --playouts new", "--playouts is now the command kikashi balance GAMES... --output FOLDER"),
    ],
)
def test_an_old_name_is_one_line_with_the_new_one(words: str, line: str) -> None:
    result = CliRunner().invoke(main, words.split())
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"Error: {line}\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("gpt", "'gpt'; did you mean gtp? kikashi --help lists all 21"),
        ("mach lgrf2", "'mach'; did you mean match? kikashi --help lists all 21"),
        ("bench tactic", "'tactic'; did you mean tactics? there are bias, playouts, search, tactics"),
        ("experiment rum", "'rum'; did you mean run? there are list, reproduce, run, show, verdicts"),
    ],
)
def test_an_unknown_command_is_one_line_with_near_ones(words: str, line: str) -> None:
    result = CliRunner().invoke(main, words.split(), prog_name="kikashi")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"Error: no command is called {line}\n")


def test_presets_are_listed_by_use_and_one_has_the_star() -> None:
    lines = CliRunner().invoke(main, ["presets"]).stdout.splitlines()
    listed = [line[2:].split()[0] for line in lines if line and not line.endswith(":")]
    assert sorted(listed) == preset_names()
    assert [line[:9] for line in lines if line.startswith("*")] == ["* kikashi"]
    headings = [line for line in lines if line.endswith(":")]
    assert headings == [f"{use}:" for use in USES]
    assert all(presets_by_use().values())
