"""GTP on the wire: a line becomes a command, an answer becomes lines."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
LONGEST_MESSAGE = 300
BYTE_ORDER_MARK = "\ufeff"
"""What some editors and shells of Windows put before the first line."""
INTERRUPT = "# interrupt"
"""The comment that ends a search (GoGui's gogui-interrupt)."""


class Failure(Exception):
    """A command that cannot be done: the text of a ``?`` answer."""


@dataclass(frozen=True)
class Command:
    """A line from the controller."""

    id: str
    """The digits it began with; they begin the answer too."""
    name: str
    arguments: tuple[str, ...]


def parse_line(line: str) -> Command | None:
    """The command in a line; None if it is empty or only a comment."""
    text = _CONTROL.sub("", line.removeprefix(BYTE_ORDER_MARK).replace("\t", " ")).partition("#")[0]
    words = text.split()
    number = ""
    if words and re.fullmatch(r"[0-9]+", words[0]):
        number = words.pop(0)
    return Command(number, words[0], tuple(words[1:])) if words else None


def answer(command: Command, text: str) -> str:
    """A successful answer. No line but the last may be empty: an empty line is what ends it."""
    return f"={command.id} {_filled(text)}".rstrip(" ") + "\n\n"


def failure(command: Command, message: str) -> str:
    """An answer in one line that says what is wrong."""
    line = " ".join(_CONTROL.sub(" ", message).split())
    if len(line) > LONGEST_MESSAGE:
        line = line[: LONGEST_MESSAGE - 1] + "…"
    return f"?{command.id} {line}\n\n"


def _filled(text: str) -> str:
    return re.sub(r"\n(?=\n)", "\n ", text.rstrip("\n"))
