"""An experiment as it is run beside the paper's own: where it deviates, and which published values compare with ours.

The paper's settings are those of the file at scale 1. What ``--set`` or the scale changes becomes a line of its own; a
line of the file that names a setting says it as it is run, and is left out where it does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, NamedTuple

import msgspec

from kikashi.experiments.design import Design, Deviation, LocalDesign, MatchDesign, PositionDesign, Row, ShareDesign
from kikashi.experiments.experiment import Cell, cells, study_of
from kikashi.experiments.local_play import LocalSettings
from kikashi.experiments.positions import PositionSettings
from kikashi.experiments.shares import ShareSettings
from kikashi.wording import plural

Run = dict[str, list[Any]]
"""Settings as they are run: by name, the different values that rows have."""
OF_MATCH = ("size", "komi", "handicap", "rules", "referee", "options")
UNTOLD = ("seed", "owner", "reply", "published")
"""Settings whose change is no deviation, or that have lines of their own."""
UNRUNNABLE = (ValueError, OSError)
"""Raised for a file that cannot be run as it is: it leaves something to ``--set``, or its games are not here."""


def paper_of(design: Design) -> Design:
    """The design as its file has it."""
    return design.paper or design


def settings_run(design: Design, scale: float) -> Run:
    """The settings of an experiment at a scale, as they are run. Raises ValueError and OSError."""
    if not isinstance(design, MatchDesign):
        settings = msgspec.structs.asdict(study_of(design, scale).settings)
        return {name: _different(value) for name, value in settings.items() if name not in UNTOLD}
    rows = [
        {
            "player": cell.row.player,
            "simulations": cell.limit.simulations,
            "seconds": cell.limit.seconds,
            "games": cell.games,
            "opponent": opponent_of(design, cell.row),
            "opponent_share": cell.row.opponent_share or design.opponent_share,
            "openings": cell.openings,
            "megabytes": cell.row.megabytes or design.megabytes,
            "sprt": cell.sprt,
        }
        for cell in cells(design, scale)
    ]
    own = {name: list(dict.fromkeys(row[name] for row in rows if row[name] is not None)) for name in rows[0]}
    return {name: [getattr(design, name)] for name in OF_MATCH} | own


def _different(value: Any) -> list[Any]:
    """The different numbers of a setting that has one for each player; any other value as it is."""
    is_of_rows = isinstance(value, tuple) and all(isinstance(each, int) for each in value)
    return list(dict.fromkeys(value)) if is_of_rows else [value]


def opponent_of(design: MatchDesign, row: Row) -> str:
    """The opponent of a row as the design says it, without its name."""
    text = row.opponent or design.opponent or ""
    return re.sub(r"""^name=('[^']*'|"[^"]*"|\S+)\s+""", "", text)


# --- deviations -------------------------------------------------------------------------------------------------------


def deviations(design: Design, scale: float) -> list[str]:
    """List where an experiment is not the paper's: the lines of its file that hold, and what was changed.

    Raises ValueError for a line of the file that names no setting, and what `settings_run` raises.
    """
    run = settings_run(design, scale)
    texts = [line.text if isinstance(line, Deviation) else line for line in design.deviations if _holds(line, run)]
    named = {name for text in texts for name in _fields(text)}
    return [*(_filled(text, run) for text in texts), *_changes(design, run, named)]


def _holds(line: str | Deviation, run: Run) -> bool:
    if isinstance(line, str):
        return True
    return all(_is(_values(run, name), wanted) for name, wanted in line.where.items())


def _is(values: list[Any], wanted: Any) -> bool:
    if isinstance(wanted, bool):
        return any(values) == wanted
    return any(_has(value, wanted) for value in values)


def _has(value: Any, wanted: Any) -> bool:
    return wanted in value if isinstance(value, str) and isinstance(wanted, str) else bool(value == wanted)


def _values(run: Run, name: str) -> list[Any]:
    if name not in run:
        raise ValueError(f"a deviation names {name!r}, which is no setting; there are {', '.join(run)}")
    return run[name]


def _fields(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]


def _filled(text: str, run: Run) -> str:
    return text.format_map({name: _listed(_values(run, name)) or "no" for name in _fields(text)})


def _changes(design: Design, run: Run, named: set[str]) -> list[str]:
    """Lines about settings that are not as in the file, except for those that are named already."""
    try:
        paper = settings_run(paper_of(design), 1.0)
    except UNRUNNABLE:
        return []
    changed = [name for name in run if name not in named and run[name] != paper.get(name)]
    units = UNITS if isinstance(design, MatchDesign) else UNITS | {"simulations": "simulations a search"}
    return [_change(name, run[name], paper.get(name, []), units) for name in changed]


UNITS = {
    "simulations": "simulations a move",
    "seconds": "seconds a move",
    "games": "games",
    "positions": "positions",
    "repeats": "searches by each player",
    "game_simulations": "simulations a move of the games that positions come from",
    "oracle": "samples of an oracle",
    "samples": "samples of the players",
}
OTHERWISE: Mapping[str, Callable[[list[Any]], str]] = {
    "openings": lambda now: "no openings" if now == ["none"] else "openings of our own",
    "board": lambda _: "another position",
    "sgf": lambda _: "another position",
    "records": lambda _: "games from files",
    "rows": lambda _: "other players",
}


def _change(name: str, now: list[Any], before: list[Any], units: Mapping[str, str]) -> str:
    if name == "size":
        return f"{_size(now)} for {_size(before)}"
    if name in OTHERWISE:
        return OTHERWISE[name](now)
    if name in units:
        return f"{_listed(now) or 'no'} {units[name]} for {_listed(before) or 'none'}"
    return f"{name.replace('_', ' ')}: {_listed(now) or 'none'} for {_listed(before) or 'none'}"


def _size(sizes: list[Any]) -> str:
    return _listed([f"{size}×{size}" for size in sizes])


def _listed(values: list[Any]) -> str:
    """``500 and 800``."""
    texts = [text for value in values if (text := _text(value))]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    return _listed(list(value))


# --- published values -------------------------------------------------------------------------------------------------


class Published(NamedTuple):
    """What the paper found for a row of a match."""

    share: float
    black: float | None
    white: float | None
    margin: float | None
    elsewhere: str
    """The settings it was found with, where they are not ours: ``at 70,000 simulations``."""

    @property
    def compares(self) -> bool:
        """Whether it was found with the settings that are run."""
        return not self.elsewhere

    def __str__(self) -> str:
        colors = {"as Black": self.black, "as White": self.white}
        by_color = "".join(f", {share:.1%} {name}" for name, share in colors.items() if share is not None)
        return f"{self.total}{by_color}{self.where}"

    @property
    def total(self) -> str:
        """The share of all games, with its error."""
        return f"{self.share:.1%}" + (f" ± {self.margin:.1%}" if self.margin is not None else "")

    @property
    def where(self) -> str:
        """What stands after a number of it."""
        return f" {self.elsewhere}" if self.elsewhere else ""


def published_for(design: MatchDesign, cell: Cell) -> Published | None:
    """The paper's result for a cell of a design, if it has one."""
    row, told = cell.row, cell.row.published
    share = told.get(str(cell.simulations)) if isinstance(told, dict) else told
    if share is None:
        return None
    return Published(share, row.published_black, row.published_white, row.margin, _elsewhere(design, cell))


def _elsewhere(design: MatchDesign, cell: Cell) -> str:
    paper = paper_of(design)
    assert isinstance(paper, MatchDesign)
    try:
        theirs = [other for other in cells(paper, 1.0) if other.row.name == cell.row.name]
    except UNRUNNABLE:
        theirs = []
    if len(theirs) > 1:
        theirs = [other for other in theirs if other.simulations == cell.simulations]
    if not theirs:  # a row that the command line says, or completes: what was published was so as it says
        paper, theirs = design, [other for other in cells(design, 1.0) if other.label == cell.label]
    return _where(design, cell, paper, theirs[0])


def _where(design: MatchDesign, cell: Cell, paper: MatchDesign, theirs: Cell) -> str:
    differs = {
        f"at {theirs.limit}": cell.limit != theirs.limit,
        f"on {paper.size}×{paper.size}": design.size != paper.size,
        f"with komi {paper.komi:g}": design.komi != paper.komi,
        f"with {paper.handicap or 'no'} handicap stones": design.handicap != paper.handicap,
        f"by {theirs.row.player}": cell.row.player != theirs.row.player,
        f"against {opponent_of(paper, theirs.row)}": opponent_of(design, cell.row) != opponent_of(paper, theirs.row),
        f"with {paper.options or 'no options'}": design.options != paper.options,
    }
    return ", ".join(text for text, is_so in differs.items() if is_so)


def published_elsewhere(design: PositionDesign | LocalDesign | ShareDesign, scale: float) -> str:
    """The settings that the published values of a study were found with, where they are not ours; else empty."""
    ours = study_of(design, scale).settings
    try:
        theirs = study_of(paper_of(design), 1.0).settings  # type: ignore[arg-type]
    except UNRUNNABLE:
        theirs = study_of(design, 1.0).settings
    if isinstance(ours, PositionSettings):  # published values are by number of simulations
        names = {"size": f"on {theirs.size}×{theirs.size}", "komi": f"with komi {theirs.komi:g}"}
        names["preset"] = f"by {theirs.preset}"
    elif isinstance(ours, ShareSettings):
        names = {"size": f"on {theirs.size}×{theirs.size}", "simulations": "with other simulations"}
    else:
        assert isinstance(ours, LocalSettings)
        names = {"simulations": f"at {plural(theirs.simulations, 'simulation')}", "turn": f"with {theirs.turn} to play"}
        names |= {"board": "in another position", "sgf": "in another position", "komi": "with another komi"}
    return ", ".join(
        dict.fromkeys(text for name, text in names.items() if getattr(ours, name) != getattr(theirs, name))
    )
