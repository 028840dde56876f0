"""What is tuned: settings of a preset, each with a range of numbers or some words.

The optimiser knows a number by its place in the range, from 0 at the low end to 1 at the high one. People and players
know values, which are rounded: what is played is what is printed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from kikashi.wording import nearest

Value = int | float | str
Values = dict[str, Value]
"""By the name of the setting."""
DIGITS = 4
"""Of a value that is no whole number."""


class Parameter(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A setting and what it may be: a range, or words."""

    setting: str
    """As ``--set`` names it: ``selection.x``, ``prior.0.games``."""
    low: float | None = None
    high: float | None = None
    scale: Literal["linear", "logarithmic"] = "linear"
    """Whether equal differences or equal factors are expected to matter alike."""
    whole: bool = False
    words: tuple[str, ...] = ()
    """In place of a range: texts as ``--set`` takes them."""
    start: float | str | None = None
    """The preset's own value, if nothing is said."""

    def check(self) -> None:
        """Raise ValueError if it may be nothing, or not what it starts with."""
        try:
            self._check()
        except ValueError as error:
            raise ValueError(f"parameter {self.setting}: {error}") from None

    def _check(self) -> None:
        if self.words:
            self._check_words()
            return
        if self.low is None or self.high is None:
            raise ValueError("it needs low and high, or words")
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(f"low and high must be numbers, not {self.low} and {self.high}")
        if self.low >= self.high:
            raise ValueError(f"its range is empty: low is {self.low:g} and high is {self.high:g}")
        if self.scale == "logarithmic" and self.low <= 0:
            raise ValueError(f"a logarithmic range begins above 0, not at {self.low:g}")
        if self.whole and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise ValueError(f"whole numbers have whole bounds, not {self.low:g} and {self.high:g}")
        if self.start is None:
            return
        if isinstance(self.start, str):
            raise ValueError(f"it starts with {self.start!r}, which is no number: name its words")
        if not self.low <= self.start <= self.high:
            raise ValueError(f"it starts with {self.start:g}, outside of {self.low:g} to {self.high:g}")
        if self.whole and not float(self.start).is_integer():
            raise ValueError(f"it starts with {self.start:g}, which is no whole number")

    def _check_words(self) -> None:
        if self.low is not None or self.high is not None:
            raise ValueError("it has a range or words, not both")
        if len(set(self.words)) < max(2, len(self.words)):
            raise ValueError("it needs two words at least, and none of them twice")
        if self.start is not None and self.start not in self.words:
            raise ValueError(f"it starts with {self.start!r}; {nearest(str(self.start), self.words)}")

    @property
    def first(self) -> Value:
        """What it starts with. Raises ValueError if that is not known."""
        if self.start is None:
            raise ValueError(f"parameter {self.setting}: the preset says nothing about it: say its start")
        return self.start if isinstance(self.start, str) else self._rounded(self.start)

    @property
    def ends(self) -> tuple[Value, ...]:
        """The values that a preset must be able to have: the ends of the range, or all words."""
        if self.low is None or self.high is None:
            return self.words
        return self._rounded(self.low), self._rounded(self.high)

    def _bounds(self) -> tuple[float, float]:
        low, high = self.low or 0.0, self.high or 0.0
        return (math.log(low), math.log(high)) if self.scale == "logarithmic" else (low, high)

    def _rounded(self, number: float) -> Value:
        return round(number) if self.whole else float(f"{number:.{DIGITS}g}")

    def value(self, place: float, dither: float = 0.5) -> Value:
        """The number at a place. A whole number is the next one below it with `dither` added to it."""
        low, high = self._bounds()
        number = low + (high - low) * min(max(place, 0.0), 1.0)
        number = math.exp(number) if self.scale == "logarithmic" else number
        if self.whole:  # the rounding of exp must not leave the range
            return round(min(max(math.floor(number + dither), self.low or 0), self.high or 0))
        return self._rounded(number)

    def place(self, value: Value) -> float:
        """The place of a number."""
        low, high = self._bounds()
        number = math.log(float(value)) if self.scale == "logarithmic" else float(value)
        return min(max((number - low) / (high - low), 0.0), 1.0)


@dataclass(frozen=True)
class Space:
    """All that is tuned. Raises ValueError if something about it cannot be."""

    parameters: Sequence[Parameter]

    def __post_init__(self) -> None:
        names = [parameter.setting for parameter in self.parameters]
        if not names:
            raise ValueError("there is no parameter to tune")
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"parameter {name} is named twice")
        for parameter in self.parameters:
            parameter.check()
        _ = self.start

    @property
    def start(self) -> Values:
        """The values that all begin with."""
        return {parameter.setting: parameter.first for parameter in self.parameters}
