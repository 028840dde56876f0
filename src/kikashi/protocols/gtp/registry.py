"""The registry of commands: each is a function and its usage line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kikashi.protocols.gtp.protocol import Arguments
from kikashi.protocols.gtp.session import GtpSession

Result = str | Iterator[str] | None
"""A response, or the lines of a long one; None for an empty response."""
Function = Callable[[GtpSession, Arguments], Result]


@dataclass(frozen=True)
class KnownCommand:
    """A registered command."""

    name: str
    usage: str
    """Name and arguments: ``play COLOR VERTEX``."""
    function: Function
    family: str
    """Its file in `kikashi.protocols.gtp.commands`."""

    def check_number(self, words: Sequence[str]) -> None:
        """Raise Failure for more arguments than the usage has; ``...`` there means any number."""
        named = self.usage.split()[1:]
        if "..." not in self.usage and len(words) > len(named):
            Arguments(words[len(named) :], self.usage).end()


COMMANDS: dict[str, KnownCommand] = {}
"""By name, in the order of registration; `kikashi.protocols.gtp.commands` registers all."""


def command(*usages: str) -> Callable[[Function], Function]:
    """Register the decorated function under the name of each usage."""

    def register(function: Function) -> Function:
        for usage in usages:
            name = usage.split()[0]
            COMMANDS[name] = KnownCommand(name, usage, function, function.__module__.rpartition(".")[2])
        return function

    return register
