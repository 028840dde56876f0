"""Prompts for a person, with tab completion."""

import importlib
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TextIO

from rich.console import Console

Ask = Callable[[str], str]
"""Shows a prompt and returns the person's line; raises EOFError at the end of the input."""


def asker(console: Console, stream: TextIO | None = None) -> Ask:
    """Return a prompt at the terminal, or one that reads lines of a stream and prints them too."""
    source = sys.stdin if stream is None else stream
    if source is sys.stdin and source is not None and source.isatty():
        with suppress(ImportError):
            importlib.import_module("readline")  # input() then edits lines and remembers them
        return input

    def ask(prompt: str) -> str:
        line = source.readline() if source is not None else ""  # no standard input at all: nobody to ask
        if not line:
            raise EOFError
        console.print(f"{prompt}{line.rstrip()}", markup=False, highlight=False, soft_wrap=True)
        return line

    return ask


def complete_with(words: Callable[[], Iterable[str]]) -> None:
    """Let the tab key complete the first word of a line with the current `words()`."""
    try:
        readline = importlib.import_module("readline")
    except ImportError:
        return

    def complete(text: str, number: int) -> str | None:
        found = matches(words(), text) if readline.get_begidx() == 0 else []
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")


def matches(words: Iterable[str], text: str) -> list[str]:
    """Return the words that begin with a text, in its case."""
    found = [word for word in words if word.lower().startswith(text.lower())]
    return [word.upper() if text.isupper() else word.lower() for word in found]
