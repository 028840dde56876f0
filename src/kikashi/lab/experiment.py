"""Experiments: a paper's table or figure as a file, and one command that runs it at any scale.

A file says either which players meet a common opponent (``kind = "match"``), at which numbers of playouts, or which
positions are searched (``kind = "positions"``); beside each stands what the paper found. Scale 1 is the paper's size.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from kikashi.lab.journal import FILE, Journal
from kikashi.lab.match import MatchSettings, Workers, run_all, run_match, schedule
from kikashi.lab.one_game import GameRecord
from kikashi.lab.openings import own_openings
from kikashi.lab.positions import PositionRecord, PositionSettings, PositionTask, study_position

FEWEST_PLAYOUTS = 16
FEWEST_POSITIONS = 4
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
OPPONENT = "opponent"


class Row(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A player of an experiment, and what the paper found for it."""

    name: str
    player: str
    """A preset with options."""
    seconds: float | None = None
    """For each move, instead of playouts."""
    published: Share | dict[str, Share] | None = None
    """The share of games won; by number of playouts where there are several."""
    margin: Share | None = None
    """What the paper says about the error."""


class MatchDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="match"):
    """Players × playouts against one opponent."""

    title: str
    source: str
    opponent: str
    games: AtLeastOne
    player: list[Row]
    playouts: list[AtLeastOne] = []
    about: str = ""
    size: int = 9
    komi: float = 7.5
    rules: str = "positional"
    referee: str = "gnugo"
    openings: Literal["own", "none"] = "own"
    seed: int = 1


class PositionDesign(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="positions"):
    """Positions × checkpoints."""

    title: str
    source: str
    preset: str
    positions: AtLeastOne
    simulations: AtLeastOne
    first: AtLeastOne = 128
    game_playouts: AtLeastOne = 256
    about: str = ""
    size: int = 9
    komi: float = 7.5
    seed: int = 1
    published: dict[str, list[float]] = {}
    """By number of simulations: root of the mean square and mean of the error, for each operator in turn."""


Design = MatchDesign | PositionDesign


def experiment_names() -> list[str]:
    """The experiments of the package."""
    folder = resources.files("kikashi") / "experiments"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def load_design(name: str, overrides: Iterable[str] = ()) -> Design:
    """An experiment of the package by name, or one in a file. Raises ValueError and OSError."""
    if name in experiment_names():
        text = (resources.files("kikashi") / "experiments" / f"{name}.toml").read_text("utf-8")
    elif Path(name).is_file():
        text = Path(name).read_text("utf-8")
    else:
        raise ValueError(
            f"no experiment is called {name!r}, nor is it a file; there are {', '.join(experiment_names())}"
        )
    try:
        table = tomllib.loads(text)
        for override in overrides:
            key, equals, value = override.partition("=")
            if not equals:
                raise ValueError(f"{override!r} is not key=value, as in size=9")
            table[key.strip()] = _value(value.strip())
        design: Design = msgspec.convert(table, MatchDesign | PositionDesign)
        return design
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, ValueError) as error:
        raise ValueError(f"experiment {name}: {error}") from None


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


# --- matches ----------------------------------------------------------------------------------------------------------


class Cell(msgspec.Struct, frozen=True):
    """One player of the design at one number of playouts."""

    label: str
    row: Row
    playouts: int
    """As in the paper; 0 for a time."""
    text: str
    """The player, scaled."""


def cells(design: MatchDesign, scale: float) -> list[Cell]:
    """The players of the design at all its numbers of playouts, scaled."""
    found = []
    for row in design.player:
        if row.seconds is not None:
            text = f"{row.player} --seconds {max(0.01, row.seconds * scale):g}"
            found.append(Cell(row.name, row, 0, text))
            continue
        for playouts in design.playouts:
            label = f"{row.name}, {playouts:,}" if len(design.playouts) > 1 else row.name
            text = f"{row.player} --playouts {max(FEWEST_PLAYOUTS, round(playouts * scale))}"
            found.append(Cell(label, row, playouts, text))
    if not found:
        raise ValueError(f"{design.title}: neither playouts nor seconds are given")
    return found


def match_settings(design: MatchDesign, scale: float) -> MatchSettings:
    """The match that runs a design."""
    return MatchSettings(
        players=(
            *(f"{shlex.quote(f'name={cell.label}')} {cell.text}" for cell in cells(design, scale)),
            f"name={OPPONENT} {design.opponent}",
        ),
        games=max(2, round(design.games * scale)),
        size=design.size,
        komi=design.komi,
        rules=design.rules,
        openings=tuple(own_openings(design.size)) if design.openings == "own" else ((),),
        seed=design.seed,
        referee=design.referee,
        only_with=OPPONENT,
    )


def published_share(cell: Cell) -> float | None:
    """What the paper found for a cell."""
    if isinstance(cell.row.published, dict):
        return cell.row.published.get(str(cell.playouts))
    return cell.row.published


# --- positions --------------------------------------------------------------------------------------------------------


def position_settings(design: PositionDesign, scale: float) -> PositionSettings:
    """The study that runs a design; simulations stay a power of 2 times the first checkpoint."""
    simulations = 2 * design.first
    while 2 * simulations <= design.simulations * scale:
        simulations *= 2
    return PositionSettings(
        preset=design.preset,
        positions=max(FEWEST_POSITIONS, round(design.positions * scale)),
        simulations=simulations,
        first=design.first,
        game_playouts=max(FEWEST_PLAYOUTS, round(design.game_playouts * min(1.0, 4 * scale))),
        size=design.size,
        komi=design.komi,
        seed=design.seed,
    )


def run_study(
    settings: PositionSettings, folder: Path, workers: Workers, listener: Any = None, *, resume: bool
) -> list[PositionRecord]:
    """Search the positions that are left and return all; like `kikashi.lab.match.run_match`."""
    header = {"kind": "study", "settings": msgspec.to_builtins(settings)}
    tell = listener or (lambda _record: None)
    with Journal(folder, header, PositionRecord, resume=resume) as journal:
        for record in journal.records:
            tell(record)
        done = {record.number for record in journal.records}
        tasks = [PositionTask(number, settings) for number in range(settings.positions) if number not in done]

        def note(record: PositionRecord) -> None:
            journal.append(record)
            tell(record)

        run_all(tasks, study_position, workers, note)
        return sorted(journal.records, key=lambda record: record.number)


def steps(design: Design, scale: float) -> int:
    """How many games or positions an experiment has."""
    if isinstance(design, MatchDesign):
        return sum(1 for _ in schedule(match_settings(design, scale)))
    return position_settings(design, scale).positions


def run_design(
    design: Design, folder: Path, workers: Workers, *, scale: float, listener: Any = None
) -> list[GameRecord] | list[PositionRecord]:
    """Run an experiment, or go on with it if the folder has it already. Raises ValueError and OSError."""
    resume = (folder / FILE).exists()
    if isinstance(design, MatchDesign):
        return run_match(match_settings(design, scale), folder, workers, resume=resume, listener=listener)
    return run_study(position_settings(design, scale), folder, workers, listener, resume=resume)
