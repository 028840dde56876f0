"""Levels: players of all strengths, weakest first, as one preset with more and more simulations."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources

import msgspec

from kikashi.wording import convert, read_toml

MOST = 10
"""The highest level."""


class _File(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    preset: str
    simulations: list[int]


@dataclass(frozen=True)
class Level:
    """A player of some strength."""

    number: int
    """From 1 to `MOST`."""
    preset: str
    simulations: int
    """For each move."""


def level_of(number: int) -> Level:
    """A level by its number.

    >>> level_of(6)
    Level(number=6, preset='kikashi', simulations=1000)

    Raises ValueError if there is none.
    """
    if not 1 <= number <= MOST:
        raise ValueError(f"levels go from 1 to {MOST}, there is no {number}")
    file = convert(read_toml((resources.files("kikashi.engine") / "levels.toml").read_bytes()), _File)
    return Level(number, file.preset, file.simulations[number - 1])
