"""Every command of README and the pages is parsed: its options and values, its presets, experiments and players.

Those that finish in a moment also run, in `test_tutorials.py` and `test_docs.py`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from helpers.pages import PAGES, ROOT, blocks, command_of, commands, inline_commands
from kikashi import load_preset
from kikashi.cli import main
from kikashi.experiments.design_files import load_design
from kikashi.match.settings import MatchSettings
from kikashi.parts import plugins, registry
from kikashi.tune.tuning import load_tuning

PAGES_NOW = [page for page in PAGES if page != "CHANGELOG.md"]
"""The changelog also names commands of earlier versions."""
PROGRAMS = ("my-engine", "new", "old", "gnugo", "mpiexec", "srun")
FILES = {
    "my.toml": 'base = "mogo-2006"\n',
    "mine.toml": 'base = "mogo-2006"\n',
    "new.toml": 'base = "kikashi"\n',
    "found.toml": 'base = "kikashi"\n',
    "my_mogo.toml": blocks("docs/tutorial.md", "toml")[0],
    "my_tuning.toml": blocks("docs/tuning.md", "toml")[0],
    "my_table.toml": blocks("docs/lab.md", "toml")[0],
    "kikashi.toml": blocks("docs/gtp.md", "toml")[0],
    "my_ideas.py": blocks("docs/add_a_heuristic.md", "python")[0] + blocks("README.md", "python")[0],
    "my_mogo.py": blocks("docs/tutorial.md", "python")[4],
    "double.py": blocks("docs/gtp.md", "python")[0],
}
"""Files that pages ask their readers to write, or to have."""
WEIGHTS = {"mine.npz": "9.npz", "playouts/weights.npz": "playouts/9.npz"}
"""Weights that pages have their readers learn, and those of the package that stand in for them."""


@pytest.fixture(autouse=True)
def _files_of_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for program in PROGRAMS:
        (tmp_path / program).write_text(f"#!{sys.executable}\n")
        (tmp_path / program).chmod(0o755)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "playouts").mkdir()
    for name, ours in WEIGHTS.items():
        (tmp_path / name).symlink_to(ROOT / "src/kikashi/weights" / ours)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    yield
    for path in [path for path in plugins._LOADED if path.is_relative_to(tmp_path)]:  # others load the same names
        del plugins._LOADED[path]
        for files in registry._REGISTRY.values():
            files.pop(str(path), None)


def check_names(name: str, values: dict[str, Any]) -> None:
    """Load what the arguments of a command name: players, presets, experiments, tunings."""
    match name:
        case "match" if values["players"]:
            fields = {key: values[key] for key in MatchSettings.__struct_fields__ if values.get(key)}
            match = MatchSettings(**fields)
            assert len(match.match_players()) == len(match.players) > 1
            assert match.all_pairings()
        case "experiment run" | "experiment show":
            load_design(values["name"], values["overrides"])
        case "tune" if values["name"]:
            load_tuning(values["name"], values["overrides"])
        case "show":
            load_preset(values["name"], values["overrides"])
        case "play" | "gtp" | "kata-analysis" | "review":
            load_preset(values["preset"], values["overrides"])


@pytest.mark.parametrize("page", [page for page in PAGES_NOW if commands(page)])
def test_commands_can_be_run(page: str) -> None:
    for words in commands(page):
        name, command, rest = command_of(words)
        with command.make_context(name, list(rest)) as context:
            check_names(name, context.params)
        assert "--playouts" not in rest or name.startswith("bench "), "the word is simulations"


@pytest.mark.parametrize("page", PAGES_NOW)
def test_no_command_is_misspelt(page: str) -> None:
    """The search for commands looks for their names, and would pass over any other."""
    lines = [line.partition("#")[0] for block in blocks(page, "sh") for line in block.splitlines()]
    named = re.findall(r"(?:^|(?<=[\s/]))kikashi ([a-z][\w-]*)", "\n".join(lines), re.MULTILINE)
    named += re.findall(r"(?<!`)`kikashi ([a-z][\w-]*)", (ROOT / page).read_text("utf-8"))
    assert set(named) <= set(main.list_commands(click.Context(main)))


@pytest.mark.parametrize("page", [page for page in PAGES_NOW if inline_commands(page)])
def test_commands_within_a_sentence_exist(page: str) -> None:
    for words in inline_commands(page):
        _, command, rest = command_of([word for word in words if word != "…"])
        options = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
        assert {word for word in rest if word.startswith("--")} <= options | {"--help"}, words


@pytest.mark.parametrize("page", PAGES_NOW)
def test_targets_of_make_exist(page: str) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    code = "\n".join([*blocks(page, "sh"), *re.findall(r"`(make [^`]+)`", (ROOT / page).read_text("utf-8"))])
    for line in re.findall(r"^make +([^#\n]+)", code, re.MULTILINE):
        named = [word for word in line.split() if "=" not in word and word != "-o"]
        assert set(named) <= targets, line


def test_every_page_with_code_of_a_shell_shows_a_command() -> None:
    """The two ways to find commands do find them."""
    assert sum(len(commands(page)) for page in PAGES_NOW) > 100
    assert sum(len(inline_commands(page)) for page in PAGES_NOW) > 60
