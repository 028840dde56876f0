"""What the tests of the documentation share: code blocks and command lines of a page."""

import re
import shlex
import textwrap
from pathlib import Path

import click

from kikashi.cli import main

ROOT = Path(__file__).parents[2]
PAGES = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<block>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(rf"(?:^|(?<=[\s/]))kikashi (?=(?:{'|'.join(main.list_commands(click.Context(main)))})\b)")
"""Where a command of ours begins in a line, behind a path or a launcher such as ``mpiexec -n 4``."""


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in a language; those of list items, too."""
    found = FENCE.finditer((ROOT / page).read_text("utf-8"))
    return [textwrap.dedent(block["block"]) for block in found if block["language"] == language]


def commands(page: str) -> list[list[str]]:
    """The command lines of ours that a page shows in code, without comments."""
    text = (ROOT / page).read_text("utf-8")
    indented = re.findall(r"^ {4}(kikashi .*)$", FENCE.sub("", text), re.MULTILINE)
    return [words for block in [*indented, *blocks(page, "sh")] for words in commands_of(block)]


def commands_of(block: str) -> list[list[str]]:
    """The words behind `kikashi` in each line of a block that has it."""
    lines = block.replace("\\\n", " ").splitlines()
    return [words_of(line[found.start() :]) for line in lines if (found := COMMAND.search(line))]


def inline_commands(page: str) -> list[list[str]]:
    """The words behind `kikashi` in each code span that begins with it."""
    text = FENCE.sub("", (ROOT / page).read_text("utf-8"))
    spans = [" ".join(span.split()) for span in re.findall(r"(?<!`)`(kikashi [^`]+)`(?!`)", text)]
    return [words_of(span) for span in spans if COMMAND.match(span)]


def words_of(line: str) -> list[str]:
    """The words behind `kikashi`."""
    return shlex.split(line, comments=True)[1:]


def command_of(words: list[str]) -> tuple[str, click.Command, list[str]]:
    """The name of a subcommand, itself, and the words behind it; a group alone if there is none."""
    command: click.Command = main
    rest, names = list(words), []
    while rest and isinstance(command, click.Group):
        names.append(rest.pop(0))
        found = command.get_command(click.Context(command), names[-1])
        assert found is not None, words
        command = found
    return " ".join(names), command, rest
