"""The commands, one file for each family. A command is a function and a line that says how it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kikashi.gtp.arguments import Arguments
    from kikashi.gtp.session import Session

Result = str | Iterator[str]
Function = Callable[["Session", "Arguments"], Result]

FAMILIES = ("standard", "board", "timing", "judging", "analysing", "rules", "gogui", "own")
_commands: dict[str, KnownCommand] = {}


@dataclass(frozen=True)
class KnownCommand:
    """A command: its function returns the answer, or the lines of one that takes its time."""

    name: str
    usage: str
    """How it is written, such as ``play COLOR VERTEX``."""
    function: Function
    family: str


def command(*usages: str) -> Callable[[Function], Function]:
    """Decorates the function of a command; several usages give it several names."""

    def register(function: Function) -> Function:
        for usage in usages:
            name = usage.split()[0]
            _commands[name] = KnownCommand(name, usage, function, function.__module__.rpartition(".")[2])
        return function

    return register


def find(name: str) -> KnownCommand | None:
    """The command of a name."""
    return all_commands().get(name)


def all_commands() -> dict[str, KnownCommand]:
    """All commands by name, in the order of the files."""
    for family in FAMILIES:
        import_module(f"kikashi.gtp.commands.{family}")
    return _commands
