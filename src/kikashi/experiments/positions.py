"""A study of positions: search each of many, and write down what is known after 128, 256, 512 … simulations.

After Coulom 2006, §4: positions come from games of self-play; one search by the "mix" operator is watched, and what
every backup operator would make of the root's moves is compared with what mix says after twice as many simulations
(table 1). How far mix itself still moves stands beside the variance that Crazy Stone backs up (§4.2).
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import numpy as np

from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_memory import megabytes_for
from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.match.player_spec import Contestant, files_of_player, parse_contestant, setting_with_other_files
from kikashi.match.runner import derived
from kikashi.parts.binding import bind
from kikashi.search.analysis import from_side
from kikashi.search.kinds import backup
from kikashi.search.staged import new_search
from kikashi.search.tree_search import TreeSearch
from kikashi.workers.serialization import Packed, packs, put

OPERATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "mean": ("mean", {}),
    "max": ("max_value", {"internal": 1}),
    "robust max": ("robust_max", {"internal": 1}),
    "mix": ("mix", {"internal": 1}),
    "robust of two": ("robust_max", {"internal": 1, "of": "two_best"}),
}
"""The paper's operators, each with its backup rule, and another reading of one; older journals have the first four."""
PRINTED = {name: place for place, name in enumerate(list(OPERATORS)[:4])} | {"robust of two": 2}
"""The place of an operator's two columns in the paper's table."""


class PositionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be studied. Raises ValueError if it cannot be."""

    preset: str
    overrides: tuple[str, ...] = ()
    positions: int
    simulations: int
    """Of each search, a power of 2."""
    first: int = 128
    """The first checkpoint; each next one is twice as far."""
    game_simulations: int = 256
    """For a move of the games that positions come from."""
    size: int = 9
    komi: float = 7.5
    seed: int = 1

    def __post_init__(self) -> None:
        load_preset(self.preset, self.overrides)
        if self.positions < 1 or self.first < 1 or self.simulations < 2 * self.first:
            raise ValueError("a study needs a position and two checkpoints at least")

    def contestant(self) -> Contestant:
        """The preset as a player. Raises ValueError if it cannot play."""
        return parse_contestant(shlex.join([self.preset, *(f"--set={change}" for change in self.overrides)]))

    @property
    def checkpoints(self) -> list[int]:
        """Numbers of simulations."""
        return [self.first << k for k in range((self.simulations // self.first).bit_length())]


@packs(PositionSettings)
def _pack_settings(settings: PositionSettings) -> Packed | None:
    """A study takes the files along that its preset names."""
    files = files_of_player(shlex.quote(settings.preset), settings.contestant())
    return (_unpack_settings, (msgspec.to_builtins(settings), files)) if files else None


def _unpack_settings(table: dict[str, Any], files: Mapping[str, bytes]) -> PositionSettings:
    paths = {name: put(name, data) for name, data in files.items()}
    preset = paths.get(table["preset"], table["preset"])
    overrides = [setting_with_other_files(text, paths) for text in table["overrides"]]
    return msgspec.convert({**table, "preset": preset, "overrides": overrides}, PositionSettings)


@dataclass(frozen=True)
class PositionTask:
    """A position to be searched."""

    number: int
    settings: PositionSettings


class PositionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A position that was searched."""

    number: int
    moves: tuple[str, ...]
    values: dict[str, tuple[float, ...]]
    """By number of simulations: the root's value for the side to play, by each of OPERATORS."""
    variances: dict[str, float] = {}
    """By number of simulations: the variance of their scores; nothing in journals of version 0.2."""


def study_position(task: PositionTask) -> PositionRecord:
    """Play a game, take a position of it and search it."""
    settings = task.settings
    seed = derived(settings.seed, "position", task.number)
    game = sampled_position(settings, seed)
    search = new_search(
        load_preset(settings.preset, settings.overrides).at(settings.size).config,
        size=settings.size,
        seed=seed,
        megabytes=megabytes_for(settings.size, settings.simulations),
    )
    search.start(search_request(game))
    values, variances = {}, {}
    done = 0
    for checkpoint in settings.checkpoints:
        done += search.run(checkpoint - done)
        values[str(checkpoint)] = root_values(search, game.turn)
        variances[str(checkpoint)] = round(search.score_deviation() ** 2, 6)
    moves = tuple(move.name for move in game.moves)
    return PositionRecord(number=task.number, moves=moves, values=values, variances=variances)


def sampled_position(settings: PositionSettings, seed: int) -> Game:
    """A random position of a game of self-play; at least its last move is taken back."""
    game = Game(settings.size, settings.komi)
    player = Player(
        settings.preset,
        limit=Limit(simulations=settings.game_simulations),
        seed=seed,
        megabytes=megabytes_for(settings.size, settings.game_simulations),
        overrides=settings.overrides,
    )
    while not game.is_over() and game.move_count < 2 * settings.size**2:
        game.push(player.choose(game).move)
    for _ in range(Random(seed).randint(1, game.move_count)):
        game.pop()
    return game


def root_values(search: TreeSearch, color: int) -> tuple[float, ...]:
    """What each of OPERATORS says about the root for `color`, the side to play, whatever the number of its visits."""
    win_weight = search.config.win_weight
    rules = [bind(backup, rule, parameters) for rule, parameters in OPERATORS.values()]
    return tuple(from_side(color, search.value_by(rule), win_weight) for rule in rules)


class ErrorRow(msgspec.Struct, frozen=True):
    """How far the operators are from mix after twice as many simulations: root of the mean square, and mean."""

    simulations: int
    errors: tuple[tuple[float, float], ...]
    """By operator."""


def error_table(records: Sequence[PositionRecord]) -> list[ErrorRow]:
    """Coulom 2006, table 1: for the operators that all records have."""
    rows = []
    checkpoints = [int(text) for text in records[0].values] if records else []
    known = min((len(values) for record in records for values in record.values.values()), default=0)
    for now, later in pairwise(checkpoints):
        values = np.array([record.values[str(now)][:known] for record in records])
        truth = np.array([record.values[str(later)][list(OPERATORS).index("mix")] for record in records])
        gaps = values - truth[:, None]
        errors = tuple((float(np.sqrt(np.mean(gap**2))), float(np.mean(gap))) for gap in gaps.T)
        rows.append(ErrorRow(now, errors))
    return rows


MOST_COUNTED = 500
"""Simulations that the backed-up variance is divided by at most (Coulom 2006, §4.2)."""


class UncertaintyRow(msgspec.Struct, frozen=True):
    """The step of mix while the number of simulations doubles, and the variances that it might be backed up with."""

    simulations: int
    difference: float
    """The mean squared difference between mix now and after twice as many simulations, in points squared."""
    by_all: float | None
    """The mean of σ²/S, σ² being the variance of the scores of a search's simulations; None if it was not recorded."""
    by_most: float | None
    """The mean of σ²/min(500, S)."""


def uncertainty_table(records: Sequence[PositionRecord]) -> list[UncertaintyRow]:
    """Coulom 2006, §4.2: the data that 500 comes from."""
    rows, mix = [], list(OPERATORS).index("mix")
    checkpoints = [int(text) for text in records[0].values] if records else []
    for now, later in pairwise(checkpoints):
        moved = [record.values[str(later)][mix] - record.values[str(now)][mix] for record in records]
        known = [record.variances[str(now)] for record in records if str(now) in record.variances]
        variance = float(np.mean(known)) if known else None
        rows.append(
            UncertaintyRow(
                simulations=now,
                difference=float(np.mean(np.square(moved))),
                by_all=None if variance is None else variance / now,
                by_most=None if variance is None else variance / min(MOST_COUNTED, now),
            )
        )
    return rows
