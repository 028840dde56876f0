"""What follows a command's name, taken one by one; what is wrong with it is told in one line."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable

from kikashi.board.points import PASS, parse_vertex
from kikashi.game.moves import parse_color
from kikashi.protocols.gtp.protocol import Failure


class Arguments:
    """The arguments of one command. Each method takes the next one and raises Failure if it is missing or wrong."""

    def __init__(self, words: Iterable[str], usage: str) -> None:
        self._words = deque(words)
        self._usage = usage

    def __bool__(self) -> bool:
        return bool(self._words)

    def text(self) -> str:
        if not self._words:
            raise Failure(f"something is missing; write {self._usage}")
        return self._words.popleft()

    def takes(self, word: str) -> bool:
        """Whether the next one is this word, in any case; it is then taken."""
        if self.peek().lower() != word:
            return False
        self.text()
        return True

    def end(self) -> None:
        """Raise Failure if anything is left: it would be ignored, and somebody meant something by it."""
        if self._words:
            raise Failure(f"{' '.join(self._words)!r} is too much; write {self._usage}")

    def rest(self) -> list[str]:
        """All that are left."""
        words = list(self._words)
        self._words.clear()
        return words

    def peek(self) -> str:
        """The next one, which stays; empty if nothing is left."""
        return self._words[0] if self._words else ""

    def color(self) -> int:
        word = self.text()
        try:
            return parse_color(word)
        except ValueError:
            raise Failure(f"{word!r} is not a colour: black, white, b or w") from None

    def color_or(self, default: int) -> int:
        """A colour if the next argument is one, else the default."""
        try:
            color = parse_color(self.peek())
        except ValueError:
            return default
        self.text()
        return color

    def vertex(self, size: int) -> int:
        """A point or PASS."""
        try:
            return parse_vertex(self.text(), size)
        except ValueError as error:
            raise Failure(str(error)) from None

    def point(self, size: int) -> int:
        p = self.vertex(size)
        if p == PASS:
            raise Failure("pass is not a point")
        return p

    def integer(self, low: int, high: int) -> int:
        word = self.text()
        if not re.fullmatch(r"[+-]?[0-9]{1,9}", word) or not low <= int(word) <= high:
            raise Failure(f"{word!r} is not a whole number from {low} to {high}; write {self._usage}")
        return int(word)

    def number(self) -> float:
        word = self.text()
        try:
            value = float(word) if word.isascii() and "_" not in word else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or abs(value) > 1e9:
            raise Failure(f"{word!r} is not a number; write {self._usage}")
        return value

    def seconds(self) -> float:
        """A number that is not negative."""
        value = self.number()
        if value < 0:
            raise Failure(f"{value:g} seconds is less than nothing")
        return value

    def truth(self) -> bool:
        word = self.text().lower()
        if word not in ("true", "false"):
            raise Failure(f"{word!r} is neither true nor false")
        return word == "true"
