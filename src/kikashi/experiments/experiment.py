"""Experiments at work: the match or the study that a design asks for, at any scale. Scale 1 is the paper's size."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kikashi.experiments.design import (
    PER_ROW,
    Design,
    LocalDesign,
    MatchDesign,
    Openings,
    PositionDesign,
    QualityDesign,
    Row,
    ShareDesign,
    at_scale,
)
from kikashi.experiments.local_play import LocalRecord, LocalTask, local_settings, watch_search
from kikashi.experiments.move_quality import QualityRecord, QualityTask, judge_position, quality_settings
from kikashi.experiments.positions import PositionRecord, PositionSettings, PositionTask, study_position
from kikashi.experiments.shares import ShareRecord, ShareTask, count_moves, share_settings
from kikashi.match.journal import FILE, Journal, work_off
from kikashi.match.one_game import GameRecord
from kikashi.match.openings import own_openings
from kikashi.match.player_spec import name_of, names_budget, names_preset, without_name
from kikashi.match.runner import run_match
from kikashi.match.settings import Bounds, MatchSettings, Pairing, with_todays_names
from kikashi.wording import plural
from kikashi.workers.executors import Workers

OPPONENT = "opponent"
FOLDER = "experiments"
"""Where experiments are kept, in the working directory."""
FEWEST_SIMULATIONS = 16
FEWEST_POSITIONS = 4
FEWEST_GAMES = 2
LEAST_SECONDS = 0.01

# --- matches ----------------------------------------------------------------------------------------------------------


class Limit(msgspec.Struct, frozen=True):
    """What a player may spend on a move: simulations, or seconds."""

    simulations: int | None = None
    seconds: float | None = None

    @property
    def option(self) -> str:
        """For the text of a player."""
        return f"--simulations {self.simulations}" if self.seconds is None else f"--seconds {self.seconds:g}"

    def __str__(self) -> str:
        return plural(self.simulations or 0, "simulation") if self.seconds is None else f"{self.seconds:g} seconds"


class Cell(msgspec.Struct, frozen=True):
    """One player of the design with one number of simulations."""

    label: str
    row: Row
    simulations: int
    """As in the paper; 0 for a time."""
    limit: Limit
    """Scaled."""
    text: str
    """The player, scaled."""
    games: int
    """Scaled."""
    opponent: str
    """Its name."""
    opponent_text: str
    """Itself, with its name, scaled."""
    openings: Openings
    sprt: Bounds | None


def cells(design: MatchDesign, scale: float) -> list[Cell]:
    """The players of the design with all their numbers of simulations, scaled. Raises ValueError if one has none."""
    found = []
    names = _opponents(design)
    for row in design.player:
        for simulations in _simulations(design, row):
            label = f"{row.name}, {simulations:,}" if len(_simulations(design, row)) > 1 else row.name
            games = row.games or design.games
            if games is None:
                raise ValueError(f"{design.title}: {row.name} has no number of games")
            opponent, opponent_text = _opponent(design, row, simulations, scale, names)
            limit = _scaled(simulations or None, _seconds(design, row) or 0.0, scale)
            found.append(
                Cell(
                    label=label,
                    row=row,
                    simulations=simulations,
                    limit=limit,
                    text=_player(design, row, limit),
                    games=at_scale(games, scale, FEWEST_GAMES),
                    opponent=opponent,
                    opponent_text=opponent_text,
                    openings=row.openings or design.openings,
                    sprt=row.sprt or design.sprt,
                )
            )
    return found


def _seconds(design: MatchDesign, row: Row) -> float | None:
    """The seconds of a row, if it has those; simulations of its own come first."""
    return row.seconds if row.seconds is not None or row.simulations else design.seconds


def _simulations(design: MatchDesign, row: Row) -> list[int]:
    """The numbers of simulations of a row; 0 for a time."""
    if _seconds(design, row) is not None:
        return [0]
    said = row.simulations or design.simulations
    if not said:
        raise ValueError(f"{design.title}: {row.name} has neither simulations nor seconds")
    return [said] if isinstance(said, int) else said


def _scaled(simulations: int | None, seconds: float, scale: float) -> Limit:
    """Simulations at a scale; seconds, where there are none."""
    if simulations is None:
        return Limit(seconds=min(seconds, max(LEAST_SECONDS, seconds * scale)))
    return Limit(simulations=at_scale(simulations, scale, FEWEST_SIMULATIONS))


def _player(design: MatchDesign, row: Row, limit: Limit) -> str:
    """A row's player with its limit and its memory."""
    words = [row.player, *filter(None, [design.options]), limit.option]
    if megabytes := row.megabytes or design.megabytes:
        words.append(f"--megabytes {megabytes}")
    return " ".join(words)


def opponents_simulations(design: MatchDesign, scale: float) -> int | None:
    """The simulations of a preset that is an opponent and names no budget: the design's, where it has one number."""
    if not isinstance(design.simulations, int) or not any(map(names_preset, _opponents(design))):
        return None
    return at_scale(design.simulations, scale, FEWEST_SIMULATIONS)


def _opponents(design: MatchDesign) -> dict[str, str]:
    """The names of all opponents, by what the design says: ``opponent``, ``opponent 2`` … if it does not name them."""
    names: dict[str, str] = {}
    for row in design.player:
        text = row.opponent or design.opponent
        if not text:
            raise ValueError(f"{design.title}: {row.name} has no opponent")
        usual = f"{OPPONENT} {len(names) + 1}" if names else OPPONENT
        names.setdefault(text, name_of(text) if text.startswith("name=") else usual)
    return names


def _opponent(
    design: MatchDesign, row: Row, simulations: int, scale: float, names: Mapping[str, str]
) -> tuple[str, str]:
    """The name and the text of a cell's opponent; one that has a share of the player's simulations is a player of its
    own for each number of them."""
    text, share = row.opponent or design.opponent or "", row.opponent_share or design.opponent_share
    name, is_preset = names[text], names_preset(text)
    options = f" {design.options}" if design.options and is_preset else ""
    if share is None or not is_preset or names_budget(text):
        return name, (text if text.startswith("name=") else f"{_named(name)} {text}") + options
    seconds = share * (_seconds(design, row) or 0.0)
    theirs = f"{max(1, round(share * simulations)):,}" if simulations else f"{seconds:g} s"
    limit = _scaled(max(1, round(share * simulations)) if simulations else None, seconds, scale)
    name = f"{name} with {theirs}"
    return name, f"{_named(name)} {without_name(text)}{options} {limit.option}"


def match_settings(design: MatchDesign, scale: float) -> MatchSettings:
    """The match that runs a design; what the two call alike is alike, except where rows have their own. Raises
    ValueError."""
    found = cells(design, scale)
    openings = {"own": tuple(own_openings(design.size)), "none": ((),)}
    shared = (set(MatchDesign.__struct_fields__) & set(MatchSettings.__struct_fields__)) - set(PER_ROW)
    return MatchSettings(
        players=(
            *(f"{_named(cell.label)} {cell.text}" for cell in found),
            *dict.fromkeys(cell.opponent_text for cell in found),
        ),
        pairings=tuple(
            Pairing(cell.label, cell.opponent, cell.games, openings[cell.openings], cell.sprt) for cell in found
        ),
        simulations=opponents_simulations(design, scale),
        **{name: getattr(design, name) for name in shared},
    )


def _named(name: str) -> str:
    return shlex.quote(f"name={name}")


# --- positions --------------------------------------------------------------------------------------------------------


def position_settings(design: PositionDesign, scale: float) -> PositionSettings:
    """The study that runs a design; simulations stay a power of 2 times the first checkpoint."""
    simulations, most = design.first, at_scale(design.simulations, scale, 2 * design.first)
    while 2 * simulations <= most:
        simulations *= 2
    return PositionSettings(
        preset=design.preset,
        overrides=tuple(design.overrides),
        positions=at_scale(design.positions, scale, FEWEST_POSITIONS),
        simulations=simulations,
        first=design.first,
        game_simulations=at_scale(design.game_simulations, min(1.0, 4 * scale), FEWEST_SIMULATIONS),
        size=design.size,
        komi=design.komi,
        seed=design.seed,
    )


@dataclass(frozen=True)
class Study:
    """What an experiment without matches is made of: tasks that are done one by one, each for a record."""

    kind: str
    settings: Any
    count: int
    task: Callable[[int, Any], Any]
    record: type[Any]
    work: Callable[[Any], Any]
    upgrade: Callable[[dict[str, Any]], dict[str, Any]] = dict
    """What makes of a header of an older version one of today."""

    def run(self, folder: Path, workers: Workers, listener: Any = None, *, resume: bool) -> list[Any]:
        """Do the tasks that are left and return all records in order; like `kikashi.match.runner.run_match`."""
        header = {"kind": self.kind, "settings": msgspec.to_builtins(self.settings)}
        tasks = [self.task(number, self.settings) for number in range(self.count)]
        with Journal(folder, header, self.record, resume=resume, upgrade=self.upgrade) as journal:
            return work_off(journal, tasks, self.work, workers, listener or (lambda _record: None))


def study_of(design: PositionDesign | LocalDesign | QualityDesign | ShareDesign, scale: float) -> Study:
    """The study that a design asks for. Raises ValueError and OSError."""
    if isinstance(design, LocalDesign):
        local = local_settings(design, scale)
        return Study("local", local, local.searches, LocalTask, LocalRecord, watch_search)
    if isinstance(design, QualityDesign):
        quality = quality_settings(design, scale)
        return Study("quality", quality, quality.positions, QualityTask, QualityRecord, judge_position)
    if isinstance(design, ShareDesign):
        shares = share_settings(design, scale)
        return Study("shares", shares, shares.searches, ShareTask, ShareRecord, count_moves)
    settings = position_settings(design, scale)
    how = (PositionTask, PositionRecord, study_position, _with_todays_names)
    return Study("study", settings, settings.positions, *how)


def _with_todays_names(header: dict[str, Any]) -> dict[str, Any]:
    return header | {"settings": with_todays_names(header.get("settings", {}))}


# --- all -------------------------------------------------------------------------------------------------------------


def experiment_folder(name: str, scale: float) -> Path:
    """Where an experiment is kept if nobody says where."""
    return Path(FOLDER) / f"{Path(name).stem if name.endswith('.toml') else name}-{scale:g}"


def steps(design: Design, scale: float) -> int:
    """How many games, positions or searches an experiment has."""
    if isinstance(design, MatchDesign):
        return match_settings(design, scale).total_games
    return study_of(design, scale).count


def run_design(
    design: Design, folder: Path, workers: Workers, *, scale: float, listener: Any = None, tell: Any = None
) -> list[GameRecord] | list[PositionRecord] | list[LocalRecord] | list[QualityRecord] | list[ShareRecord]:
    """Run an experiment, or go on with it if the folder has it already. Raises ValueError and OSError.

    The listener hears of every result, `tell` of what else a person should know.
    """
    resume = (folder / FILE).exists()
    if isinstance(design, MatchDesign):
        settings = match_settings(design, scale)
        return run_match(settings, folder, workers, resume=resume, listener=listener, tell=tell)
    return study_of(design, scale).run(folder, workers, listener, resume=resume)
