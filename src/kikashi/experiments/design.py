"""The design of an experiment: a paper's table or figure as a file.

A file says which players meet an opponent (``kind = "match"``), with how many simulations, which positions are searched
(``kind = "positions"``), what is asked about one position (``kind = "local"``), whose moves are judged by an oracle
(``kind = "quality"``), or whose playout moves are counted by heuristic (``kind = "shares"``); beside each stands what
the paper found, and where the file deviates from it. ``base`` names another experiment, which says whatever the file
does not. `kikashi.experiments.experiment` runs it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from kikashi.engine.named_files import NamedFiles, Table, beside
from kikashi.engine.overrides import override
from kikashi.match.settings import OLD_NAMES, Bounds, with_todays_names
from kikashi.wording import convert

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Portion = Annotated[float, msgspec.Meta(gt=0)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
Openings = Literal["own", "none"]
EXPERIMENTS = NamedFiles("experiment", "kikashi.experiments", "papers", "kikashi experiment list")
ADD_UP = ("deviations", "remarks")
"""Lists that go on where those of the base end."""
PER_ROW = ("simulations", "seconds", "games", "opponent", "opponent_share", "openings", "megabytes", "sprt")
"""What a row may have of its own; said by ``--set`` it holds for all rows."""
INSTEAD = {"simulations": "seconds", "seconds": "simulations"}
"""What a setting stands in for: said by ``--set``, it takes the other's place."""


class Deviation(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A deviation that holds only where settings are those that it names."""

    text: str
    where: dict[str, bool | int | float | str]
    """Settings as they are run, and what they have to be: a text that is part of them, a number, or true and false for
    whether there is any."""


Deviations = list[str | Deviation]
"""Where an experiment is not the paper's, line by line. ``{games}`` stands for a setting as it is run."""


def at_scale(value: int, scale: float, least: int) -> int:
    """A number of the paper's at a scale: `least` of them, if there were as many, or more.

    >>> at_scale(70000, 0.1, 16), at_scale(500, 0.001, 16), at_scale(4, 0.1, 16)
    (7000, 16, 4)
    """
    return min(value, max(least, round(value * scale)))


class Row(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A player of an experiment, and what the paper found for it. What is not said is as in the design."""

    name: str
    player: str
    """A preset with options."""
    seconds: Portion | None = None
    """For each move, instead of simulations."""
    simulations: AtLeastOne | list[AtLeastOne] | None = None
    games: AtLeastOne | None = None
    opponent: str | None = None
    opponent_share: Portion | None = None
    openings: Openings | None = None
    megabytes: AtLeastOne | None = None
    sprt: Bounds | None = None
    """The row stops when it is known whether the player is better than its opponent by the one or the other Elo."""
    published: Share | dict[str, Share] | None = None
    """The share of games won; by number of simulations where there are several."""
    published_black: Share | None = None
    """The share of games won with Black, and with White."""
    published_white: Share | None = None
    margin: Share | None = None
    """What the paper says about the error."""


class MatchDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="match"):
    """Players, each with one number of simulations or several, against an opponent."""

    title: str
    source: str
    player: list[Row]
    opponent: str | None = None
    opponent_share: Portion | None = None
    """How many simulations an opponent has that is a preset and names no budget: this many for each of the player's."""
    games: AtLeastOne | None = None
    simulations: AtLeastOne | list[AtLeastOne] = []
    seconds: Portion | None = None
    openings: Openings = "none"
    megabytes: AtLeastOne | None = None
    sprt: Bounds | None = None
    options: str = ""
    """What every preset plays with, opponents too, as in ``--set choice.resign=0.05``."""
    about: str = ""
    deviations: Deviations = []
    remarks: list[str] = []
    """What is to be known about the paper's own results."""
    size: int = 9
    komi: float = 7.5
    handicap: int = 0
    rules: str = "positional"
    referee: str = "gnugo"
    seed: int = 1
    paper: MatchDesign | None = None
    """As the file has it, where ``--set`` has changed something."""


class PositionDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="positions"):
    """Positions × checkpoints."""

    title: str
    source: str
    preset: str
    positions: AtLeastOne
    simulations: AtLeastOne
    first: AtLeastOne = 128
    game_simulations: AtLeastOne = 256
    overrides: list[str] = []
    """Settings of the preset that are changed, as in ``selection.p=1.2``."""
    about: str = ""
    deviations: Deviations = []
    size: int = 9
    komi: float = 7.5
    seed: int = 1
    paper: PositionDesign | None = None
    """As the file has it, where ``--set`` has changed something."""
    published: dict[str, list[float]] = {}
    """By number of simulations: root of the mean square and mean of the error, for each operator in turn."""


Color = Literal["black", "white"]


class OwnerQuestion(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How often points belong to a colour when a simulation ends."""

    name: str
    color: Color
    points: list[str]


class ReplyQuestion(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How often a colour's move is answered at once by the right one, if none of the points in `unless` was played
    before it."""

    name: str
    color: Color
    move: str
    answer: str
    unless: list[str] = []


class LocalRow(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A player that is asked, and what the paper found for it."""

    name: str
    player: str
    """A preset with options."""
    published: dict[str, list[float]] = {}
    """By the name of a question, means with their errors: of the share, or of how often the move was made and of how
    often it was answered rightly."""


class LocalDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="local"):
    """Questions about what happens at one place of a position, in the simulations of searches."""

    title: str
    source: str
    player: list[LocalRow]
    simulations: AtLeastOne
    repeats: AtLeastOne
    """Searches by each player, with different seeds."""
    owner: list[OwnerQuestion] = []
    reply: list[ReplyQuestion] = []
    board: str = ""
    """A diagram; or else a file:"""
    sgf: str = ""
    """A game that leads to the position."""
    turn: Color | None = None
    """Who is to play; Black, or as in the file, if nothing is said."""
    komi: float | None = None
    """7.5, or as in the file, if nothing is said."""
    about: str = ""
    deviations: Deviations = []
    seed: int = 1
    paper: LocalDesign | None = None
    """As the file has it, where ``--set`` has changed something."""


class QualityRow(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A player whose moves are judged."""

    name: str
    player: str
    """A preset with options."""
    oracle: str | None = None
    """Who judges them: the player itself, with many samples, if nothing is said."""


class QualityDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="quality"):
    """The quality of moves that players choose in positions of games, by the word of oracles with many samples."""

    title: str
    source: str
    player: list[QualityRow]
    oracle: AtLeastOne
    """Samples of an oracle for each position."""
    simulations: list[AtLeastOne] = []
    """Samples of the players; none where only moves at random are judged."""
    games: AtLeastOne = 58
    first: int = 10
    last: int = 50
    """Positions are those before which this many moves were made, at least and at most."""
    positions: AtLeastOne | None = None
    """How many of them, spread over games and moves; all if nothing is said."""
    sgf: str = ""
    """A folder with games, or one file; or else games of self-play by:"""
    preset: str = "kikashi"
    game_simulations: AtLeastOne = 400
    about: str = ""
    deviations: Deviations = []
    size: int = 9
    seed: int = 1
    paper: QualityDesign | None = None
    """As the file has it, where ``--set`` has changed something."""


class ShareRow(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A player whose playout moves are counted, and what the paper found for it."""

    name: str
    player: str
    """A preset with options."""
    simulations: AtLeastOne | None = None
    published: Share | None = None
    """The share of playout moves by heuristics that propose replies."""


class ShareDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="shares"):
    """Shares of playout moves by heuristic, in searches of the empty board."""

    title: str
    source: str
    player: list[ShareRow]
    simulations: AtLeastOne
    repeats: AtLeastOne
    """Searches by each player, with different seeds."""
    about: str = ""
    deviations: Deviations = []
    size: int = 19
    komi: float = 7.5
    seed: int = 1
    paper: ShareDesign | None = None
    """As the file has it, where ``--set`` has changed something."""


Design = MatchDesign | PositionDesign | LocalDesign | QualityDesign | ShareDesign
"""An experiment of any kind, as it is written."""
KINDS: dict[Any, type[Design]] = {
    "match": MatchDesign,
    "positions": PositionDesign,
    "local": LocalDesign,
    "quality": QualityDesign,
    "shares": ShareDesign,
}


def experiment_names() -> list[str]:
    """Return the names of the experiments of the package."""
    return list(EXPERIMENTS.names)


def load_design(name: str, overrides: Iterable[str] = ()) -> Design:
    """An experiment of the package by name, or one in a file. Raises ValueError and OSError.

    >>> load_design("coulom2006-table1", ["positions=50"]).positions
    50
    """
    table, said = EXPERIMENTS.read_merged(name, _prepare, _merge), list(overrides)
    try:
        design = _converted(_changed(copy.deepcopy(table), said))
        return msgspec.structs.replace(design, paper=_converted(table)) if said else design
    except ValueError as error:
        raise ValueError(f"experiment {name}: {error}") from None


def _converted(table: Table) -> Design:
    if table.get("kind") not in KINDS:
        raise ValueError(f"kind must be {' or '.join(KINDS)}, not {table.get('kind')!r}")
    if "paper" in table:
        raise ValueError("there is no setting 'paper'")
    return convert(table, KINDS[table["kind"]])


def _prepare(name: str, table: Table) -> Table:
    """Give a table today's names, and paths relative to its file."""
    table = with_todays_names(table)
    rows = table.get("player")
    if isinstance(rows, list):
        table["player"] = [with_todays_names(row) if isinstance(row, dict) else row for row in rows]
    if isinstance(table.get("sgf"), str) and name not in EXPERIMENTS.names:
        table["sgf"] = beside(name, table["sgf"])
    return table


def _merge(base: Table, table: Table) -> Table:
    for key in ADD_UP:
        if isinstance(base.get(key), list) and isinstance(table.get(key), list):
            table[key] = base[key] + table[key]
    return base | table


def _changed(table: Table, overrides: Iterable[str]) -> Table:
    """A table with some settings changed: for all rows, if they may have their own. Raises ValueError."""
    for said in overrides:
        override(table, said, "size=9")
        table = with_todays_names(table)
        key = said.partition("=")[0].strip()
        if (key := OLD_NAMES.get(key, key)) in PER_ROW:
            _drop_from_rows(table, key)
        if (other := INSTEAD.get(key)) is not None and table.get("kind") == "match":
            table.pop(other, None)
            _drop_from_rows(table, other)
    return table


def _drop_from_rows(table: Table, key: str) -> None:
    rows = table.get("player")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict):
            row.pop(key, None)
