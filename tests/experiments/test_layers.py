"""What the laboratory leaves to the command line, and how an option is tied to its setting."""

import ast
from pathlib import Path

import click
import msgspec
import pytest

import kikashi
from kikashi.cli.match import match
from kikashi.match.settings import MatchSettings

SOURCES = [
    path
    for name in ("stats", "workers", "report", "match", "experiments")
    for path in sorted((Path(kikashi.__file__).parent / name).glob("*.py"))
]
SETTINGS = {field.name: field.default for field in msgspec.structs.fields(MatchSettings)}
OPTIONS = {option.name: option for option in match.params if isinstance(option, click.Option)}
WITHOUT_OPTION = {"players", "move_limit", "pairings"}
"""The players are arguments; the others are for experiments and tests."""


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_the_laboratory_prints_nothing(source: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").partition(".")[0])
    assert not imported & {"click", "rich"}


def test_every_setting_of_a_match_has_an_option() -> None:
    assert SETTINGS.keys() - OPTIONS.keys() == WITHOUT_OPTION


@pytest.mark.parametrize("name", sorted(SETTINGS.keys() & OPTIONS.keys() - {"openings"}))
def test_the_default_of_an_option_is_that_of_the_setting(name: str) -> None:
    """It is not said twice, only shown."""
    option, default = OPTIONS[name], SETTINGS[name]
    assert option.default is None or not isinstance(option.default, (int, float, str))
    if default is not None:
        assert option.show_default == str(default)
