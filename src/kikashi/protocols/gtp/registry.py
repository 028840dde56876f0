"""The table of commands. A command is a function and a line that says how it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kikashi.protocols.gtp.arguments import Arguments
from kikashi.protocols.gtp.session import Session

Result = str | Iterator[str]
Function = Callable[[Session, Arguments], Result]


@dataclass(frozen=True)
class KnownCommand:
    """A command: its function returns the answer, or the lines of one that takes its time."""

    name: str
    usage: str
    """How it is written, such as ``play COLOR VERTEX``."""
    function: Function
    family: str
    """The file of `kikashi.protocols.gtp.commands` that has it."""

    def check_number(self, words: Sequence[str]) -> None:
        """Raise Failure if there are more arguments than are written in the usage; ``...`` there means any number."""
        named = self.usage.split()[1:]
        if "..." not in self.usage and len(words) > len(named):
            Arguments(words[len(named) :], self.usage).end()


COMMANDS: dict[str, KnownCommand] = {}
"""By name, in the order of registration; `kikashi.protocols.gtp.commands` registers all."""


def command(*usages: str) -> Callable[[Function], Function]:
    """Decorates the function of a command; several usages give it several names."""

    def register(function: Function) -> Function:
        for usage in usages:
            name = usage.split()[0]
            COMMANDS[name] = KnownCommand(name, usage, function, function.__module__.rpartition(".")[2])
        return function

    return register
