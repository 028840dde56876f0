"""What the tests of the documentation share: code blocks and command lines of a page."""

import re
import shlex
from pathlib import Path

import click

from kikashi.cli import main

ROOT = Path(__file__).parents[2]
PAGES = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[list[str]]:
    """The command lines of a page that begin with `kikashi`, without what is explained behind them."""
    indented = re.findall(r"^ {4}(kikashi .*)$", (ROOT / page).read_text(), re.MULTILINE)
    return [*map(words_of, indented), *(words for block in blocks(page, "sh") for words in commands_of(block))]


def commands_of(block: str) -> list[list[str]]:
    """The command lines of a block that begin with `kikashi`."""
    return [words_of(line) for line in block.splitlines() if line.startswith("kikashi ")]


def words_of(line: str) -> list[str]:
    """The words behind `kikashi`."""
    return shlex.split(line, comments=True)[1:]


def command_of(words: list[str]) -> tuple[str, click.Command, list[str]]:
    """The name of a subcommand, itself, and the words behind it."""
    command: click.Command = main
    rest, names = list(words), []
    while isinstance(command, click.Group):
        names.append(rest.pop(0))
        found = command.get_command(click.Context(command), names[-1])
        assert found is not None, words
        command = found
    return " ".join(names), command, rest
