"""GTP's syntax, and the registry of commands: each is a function and its usage line."""

import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kikashi.board.points import PASS, parse_vertex
from kikashi.game.moves import parse_color
from kikashi.protocols.gtp.session import GtpSession

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
LONGEST_MESSAGE = 300
BYTE_ORDER_MARK = "\ufeff"
"""Some editors and shells of Windows put it before the first line."""
INTERRUPT = "# interrupt"
"""The comment that ends a search (GoGui's gogui-interrupt)."""


class Failure(Exception):
    """The error of a command: the text of a ``?`` response."""


@dataclass(frozen=True)
class Command:
    """A line from the controller."""

    id: str
    """Digits at the start of the line, repeated in the response."""
    name: str
    arguments: tuple[str, ...]


def parse_line(line: str) -> Command | None:
    """Return the command of a line; None if it is empty or only a comment."""
    text = _CONTROL.sub("", line.removeprefix(BYTE_ORDER_MARK).replace("\t", " ")).partition("#")[0]
    words = text.split()
    number = ""
    if words and re.fullmatch(r"[0-9]+", words[0]):
        number = words.pop(0)
    return Command(number, words[0], tuple(words[1:])) if words else None


def answer(command: Command, text: str) -> str:
    """Return a successful response. An empty line would end it, so inner ones get a blank."""
    filled = re.sub(r"\n(?=\n)", "\n ", text.rstrip("\n"))
    return f"={command.id} {filled}".rstrip(" ") + "\n\n"


def failure(command: Command, message: str) -> str:
    """Return an error response of one line."""
    line = " ".join(_CONTROL.sub(" ", message).split())
    if len(line) > LONGEST_MESSAGE:
        line = line[: LONGEST_MESSAGE - 1] + "…"
    return f"?{command.id} {line}\n\n"


class Arguments:
    """The arguments of one command. Each method takes the next and raises Failure if it is missing or wrong."""

    def __init__(self, words: Iterable[str], usage: str) -> None:
        self._words = deque(words)
        self._usage = usage

    def __bool__(self) -> bool:
        return bool(self._words)

    def text(self) -> str:
        """Take any word."""
        if not self._words:
            raise Failure(f"something is missing; write {self._usage}")
        return self._words.popleft()

    def takes(self, word: str) -> bool:
        """Take the next argument if it is this word, in any case. Return whether it was."""
        if self.peek().lower() != word:
            return False
        self.text()
        return True

    def end(self) -> None:
        """Raise Failure if arguments are left."""
        if self._words:
            raise Failure(f"{' '.join(self._words)!r} is too much; write {self._usage}")

    def remaining(self) -> list[str]:
        """Take all arguments that are left."""
        words = list(self._words)
        self._words.clear()
        return words

    def peek(self) -> str:
        """Return the next argument without taking it; empty if none is left."""
        return self._words[0] if self._words else ""

    def color(self) -> int:
        """Take ``black``, ``white``, ``b`` or ``w``."""
        word = self.text()
        try:
            return parse_color(word)
        except ValueError:
            raise Failure(f"{word!r} is not a colour: black, white, b or w") from None

    def color_or(self, default: int) -> int:
        """Take a colour if the next argument is one, else return the default."""
        try:
            color = parse_color(self.peek())
        except ValueError:
            return default
        self.text()
        return color

    def vertex(self, size: int) -> int:
        """Take a point or PASS."""
        try:
            return parse_vertex(self.text(), size)
        except ValueError as error:
            raise Failure(str(error)) from None

    def point(self, size: int) -> int:
        """Take a point of the board."""
        p = self.vertex(size)
        if p == PASS:
            raise Failure("pass is not a point")
        return p

    def integer(self, low: int, high: int) -> int:
        """Take a whole number from `low` to `high`."""
        word = self.text()
        if not re.fullmatch(r"[+-]?[0-9]{1,9}", word) or not low <= int(word) <= high:
            raise Failure(f"{word!r} is not a whole number from {low} to {high}; write {self._usage}")
        return int(word)

    def number(self) -> float:
        """Take a finite number."""
        word = self.text()
        try:
            value = float(word) if word.isascii() and "_" not in word else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or abs(value) > 1e9:
            raise Failure(f"{word!r} is not a number; write {self._usage}")
        return value

    def seconds(self) -> float:
        """Take a number of 0 or more."""
        value = self.number()
        if value < 0:
            raise Failure(f"{value:g} seconds is less than nothing")
        return value

    def truth(self) -> bool:
        """Take ``true`` or ``false``."""
        word = self.text().lower()
        if word not in ("true", "false"):
            raise Failure(f"{word!r} is neither true nor false")
        return word == "true"


# --- the registry -----------------------------------------------------------------------------------------------------

Result = str | Iterator[str] | None
"""A response, or the lines of a long one; None for an empty response."""
Function = Callable[[GtpSession, Arguments], Result]


@dataclass(frozen=True)
class KnownCommand:
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


def question(usage: str, explanation: str, respond: Callable[[GtpSession], str]) -> None:
    """Register a command without arguments that only answers."""

    def function(session: GtpSession, arguments: Arguments) -> Result:
        return respond(session)

    function.__doc__, function.__module__ = explanation, respond.__module__
    command(usage)(function)
