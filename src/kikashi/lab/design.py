"""The design of an experiment: a paper's table or figure as a file.

A file says either which players meet an opponent (``kind = "match"``), with how many simulations, or which positions
are searched (``kind = "positions"``); beside each stands what the paper found, and where the file deviates from the
paper. `kikashi.lab.experiment` runs it.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from kikashi.lab.match_settings import OLD_NAMES, with_todays_names
from kikashi.settings import override
from kikashi.wording import converted, nearest, read_toml

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
Openings = Literal["own", "none"]
PER_ROW = ("simulations", "games", "opponent", "openings", "megabytes")
"""What a row may have of its own; said by ``--set`` it holds for all rows."""


class Row(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A player of an experiment, and what the paper found for it. What is not said is as in the design."""

    name: str
    player: str
    """A preset with options."""
    seconds: float | None = None
    """For each move, instead of simulations."""
    simulations: AtLeastOne | list[AtLeastOne] | None = None
    games: AtLeastOne | None = None
    opponent: str | None = None
    openings: Openings | None = None
    megabytes: AtLeastOne | None = None
    published: Share | dict[str, Share] | None = None
    """The share of games won; by number of simulations where there are several."""
    margin: Share | None = None
    """What the paper says about the error."""


class MatchDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="match"):
    """Players, each with one number of simulations or several, against an opponent."""

    title: str
    source: str
    player: list[Row]
    opponent: str | None = None
    games: AtLeastOne | None = None
    simulations: AtLeastOne | list[AtLeastOne] = []
    openings: Openings = "none"
    megabytes: AtLeastOne | None = None
    about: str = ""
    deviations: list[str] = []
    """Where the experiment is not the paper's."""
    size: int = 9
    komi: float = 7.5
    rules: str = "positional"
    referee: str = "gnugo"
    seed: int = 1


class PositionDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="positions"):
    """Positions × checkpoints."""

    title: str
    source: str
    preset: str
    positions: AtLeastOne
    simulations: AtLeastOne
    first: AtLeastOne = 128
    game_simulations: AtLeastOne = 256
    about: str = ""
    deviations: list[str] = []
    """Where the experiment is not the paper's."""
    size: int = 9
    komi: float = 7.5
    seed: int = 1
    published: dict[str, list[float]] = {}
    """By number of simulations: root of the mean square and mean of the error, for each operator in turn."""


Design = MatchDesign | PositionDesign
KINDS: dict[Any, type[Design]] = {"match": MatchDesign, "positions": PositionDesign}


def experiment_names() -> list[str]:
    """The experiments of the package."""
    folder = resources.files("kikashi") / "experiments"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def load_design(name: str, overrides: Iterable[str] = ()) -> Design:
    """An experiment of the package by name, or one in a file. Raises ValueError and OSError."""
    if name in experiment_names():
        data = (resources.files("kikashi") / "experiments" / f"{name}.toml").read_bytes()
    elif Path(name).is_file():
        data = Path(name).read_bytes()
    else:
        raise ValueError(f"no experiment is called {name!r}, nor is it a file; {nearest(name, experiment_names())}")
    try:
        table = _table(data, overrides)
        if table.get("kind") not in KINDS:
            raise ValueError(f"kind must be {' or '.join(KINDS)}, not {table.get('kind')!r}")
        return converted(table, KINDS[table["kind"]])
    except ValueError as error:
        raise ValueError(f"experiment {name}: {error}") from None


def _table(data: bytes, overrides: Iterable[str]) -> dict[str, Any]:
    """What a file says, under today's names and with some settings changed: for all rows, if they may have their own.

    Raises ValueError.
    """
    table = with_todays_names(read_toml(data))
    rows = table.get("player")
    if isinstance(rows, list):
        table["player"] = [with_todays_names(row) if isinstance(row, dict) else row for row in rows]
    for said in overrides:
        override(table, said, "size=9")
        table = with_todays_names(table)
        key = said.partition("=")[0].strip()
        if (key := OLD_NAMES.get(key, key)) in PER_ROW:
            _drop_from_rows(table, key)
    return table


def _drop_from_rows(table: dict[str, Any], key: str) -> None:
    rows = table.get("player")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict):
            row.pop(key, None)
