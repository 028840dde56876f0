"""Levels: one preset with more and more simulations, weakest first."""

from importlib import resources
from typing import NamedTuple

from kikashi.wording import read_toml

MOST = 10
"""The highest level."""


class Level(NamedTuple):
    number: int
    preset: str
    simulations: int
    """Simulations for each move."""


def level_of(number: int) -> Level:
    """Return a level by its number, from 1 to `MOST`. Raises ValueError for another number.

    >>> level_of(6)
    Level(number=6, preset='kikashi', simulations=1000)
    """
    if not 1 <= number <= MOST:
        raise ValueError(f"levels go from 1 to {MOST}, there is no {number}")
    table = read_toml((resources.files("kikashi.engine") / "levels.toml").read_bytes())
    return Level(number, table["preset"], table["simulations"][number - 1])
