"""Positions: search each of many, and record the root's value after 128, 256, 512 … simulations.

After Coulom 2006, §4: positions come from games of self-play. One search by the "mix" operator is recorded; the value
of every backup operator at the root is compared with that of mix after twice as many simulations (table 1). How far mix
itself still moves is compared with the variance that Crazy Stone backs up (§4.2).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any, ClassVar

import msgspec
import numpy as np

from kikashi.engine.limits import Limit, megabytes_for
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.experiments.estimate import search_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    NOTHING,
    AtLeastOne,
    Design,
    Findings,
    Numbers,
    Settings,
    at_scale,
    experiment_kind,
)
from kikashi.experiments.paper import published_elsewhere
from kikashi.game import Game
from kikashi.match.match_player import MatchPlayer, match_player
from kikashi.match.progress import expected_moves
from kikashi.match.runner import derived
from kikashi.parts.binding import bind
from kikashi.pictures.svg import Picture
from kikashi.report import Figure, Paragraph, Table, plots
from kikashi.search.analysis import from_side
from kikashi.search.kinds import backup
from kikashi.search.staged import new_search
from kikashi.search.tree_search import TreeSearch
from kikashi.wording import plural

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


FEWEST_POSITIONS = 4


class PositionSettings(Settings, frozen=True, kw_only=True):
    """A study of positions."""

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

    @property
    def steps(self) -> int:
        return self.positions

    def __post_init__(self) -> None:
        load_preset(self.preset, self.overrides)
        if self.positions < 1 or self.first < 1 or self.simulations < 2 * self.first:
            raise ValueError("a study needs a position and two checkpoints at least")

    def players_by_text(self) -> dict[str, MatchPlayer]:
        words = [self.preset, *(f"--set={change}" for change in self.overrides)]
        return {shlex.quote(self.preset): match_player(shlex.join(words))}

    @property
    def checkpoints(self) -> list[int]:
        """Numbers of simulations."""
        return [self.first << k for k in range((self.simulations // self.first).bit_length())]


class PositionRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A position that was searched."""

    number: int
    moves: tuple[str, ...]
    values: dict[str, tuple[float, ...]]
    """By number of simulations: the root's value for the side to play, by each of OPERATORS."""
    variances: dict[str, float] = {}
    """By number of simulations: the variance of their scores; nothing in journals of version 0.2."""


@experiment_kind("positions", unit="positions")
class PositionDesign(Design, frozen=True, kw_only=True):
    """Positions × checkpoints."""

    settings_type: ClassVar[type] = PositionSettings
    record_type: ClassVar[type] = PositionRecord
    journal_kind: ClassVar[str] = "study"

    preset: str
    positions: AtLeastOne
    simulations: AtLeastOne
    first: AtLeastOne = 128
    game_simulations: AtLeastOne = 256
    overrides: list[str] = []
    """Changed settings of the preset, as in ``selection.p=1.2``."""
    size: int = 9
    komi: float = 7.5
    published: dict[str, list[float]] = {}
    """By number of simulations: root of the mean square and mean of the error, for each operator in turn."""

    def settings(self, scale: float) -> PositionSettings:
        """Return the study at a scale; simulations stay a power of 2 times the first checkpoint."""
        simulations, most = self.first, at_scale(self.simulations, scale, 2 * self.first)
        while 2 * simulations <= most:
            simulations *= 2
        return PositionSettings(
            preset=self.preset,
            overrides=tuple(self.overrides),
            positions=at_scale(self.positions, scale, FEWEST_POSITIONS),
            simulations=simulations,
            first=self.first,
            game_simulations=at_scale(self.game_simulations, min(1.0, 4 * scale), FEWEST_SIMULATIONS),
            size=self.size,
            komi=self.komi,
            seed=self.seed,
        )

    @staticmethod
    def work(settings: PositionSettings, number: int) -> PositionRecord:
        """Play a game, take a position of it and search it."""
        seed = derived(settings.seed, "position", number)
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
        return PositionRecord(number=number, moves=moves, values=values, variances=variances)

    def published_with(self, theirs: PositionSettings) -> dict[str, str]:
        return {
            "size": f"on {theirs.size}×{theirs.size}",
            "komi": f"with komi {theirs.komi:g}",
            "preset": f"by {theirs.preset}",
        }

    def rows(self, scale: float) -> Iterator[dict[str, str]]:
        settings, elsewhere = self.settings(scale), published_elsewhere(self, scale)
        printed = [count for count in settings.checkpoints[:-1] if str(count) in self.published]
        yield {
            "preset": " ".join([settings.preset, *(f"--set {change}" for change in settings.overrides)]),
            "positions": f"{settings.positions:,}",
            "simulations a search": f"{settings.simulations:,}",
            "checkpoints": ", ".join(f"{count:,}" for count in settings.checkpoints),
            "published": f"after {len(printed)} of these {elsewhere}".strip() if printed else NOTHING,
        }

    def core_seconds(self, scale: float) -> float:
        settings = self.settings(scale)
        simulations = settings.simulations + expected_moves(settings.size) * settings.game_simulations
        return settings.positions * search_seconds(settings.preset, simulations, settings.size)

    def numbers(self, scale: float, records: Sequence[PositionRecord]) -> Iterator[Numbers]:
        """Yield an operator's error, the root of the mean square, and its bias, the mean, in points for the mover."""
        published = {} if published_elsewhere(self, scale) else self.published
        for row in error_table(records):
            numbers: Numbers = {"simulations": row.simulations}
            paper = published.get(str(row.simulations), [None] * 2 * len(OPERATORS))
            for operator, (square, mean) in zip(OPERATORS, row.errors, strict=False):
                k = 2 * PRINTED[operator]
                numbers |= {f"{operator} error": square, f"{operator} error published": paper[k]}
                numbers |= {f"{operator} bias": mean, f"{operator} bias published": paper[k + 1]}
            yield numbers

    def findings(self, scale: float, records: Sequence[PositionRecord]) -> Findings:
        table, uncertainty = error_table(records), uncertainty_table(records)
        elsewhere = published_elsewhere(self, scale)
        operators = list(OPERATORS)[: len(table[0].errors) if table else None]
        paper = f"paper, {elsewhere}" if elsewhere else "paper"
        head = ["simulations", *(name for each in operators for name in (f"{each} √⟨δ²⟩", paper, "⟨δ⟩", paper))]
        size = f"{plural(len(records), 'position')}, {plural(self.settings(scale).simulations, 'simulation')} each"
        return Findings(
            verdict=_verdict(table, operators),
            scope=f"{size}, by {self.preset} on {self.size}×{self.size}.",
            elements=[
                Figure(self._error_plot(table, operators, not elsewhere), "errors"),
                Table(head, [self._row(row) for row in table]),
                Paragraph(UNCERTAINTY),
                Figure(_uncertainty_plot(uncertainty), "uncertainty"),
                Table(UNCERTAINTY_HEAD, [_uncertainty_row(row) for row in uncertainty]),
            ],
            data={
                "positions": len(records),
                "rows": msgspec.to_builtins(table),
                "uncertainty": msgspec.to_builtins(uncertainty),
            },
        )

    def _row(self, row: ErrorRow) -> list[str]:
        paper = self.published.get(str(row.simulations))
        found = [f"{row.simulations:,}"]
        for operator, (square, mean) in zip(OPERATORS, row.errors, strict=False):
            k = 2 * PRINTED[operator]
            printed = (f"{paper[k]:.2f}", f"{paper[k + 1]:+.2f}") if paper else (NOTHING, NOTHING)
            found += [f"{square:.2f}", printed[0], f"{mean:+.2f}", printed[1]]
        return found

    def _error_plot(self, table: Sequence[ErrorRow], operators: Sequence[str], compares: bool) -> Picture:
        """Draw the errors of the operators, and dashed those of the paper where they compare."""
        ours: dict[str, plots.Curve] = {
            operator: [(row.simulations, row.errors[k][0]) for row in table] for k, operator in enumerate(operators)
        }
        known = [row.simulations for row in table if compares and str(row.simulations) in self.published]
        paper: dict[str, plots.Curve] = {
            operator: [(count, self.published[str(count)][2 * PRINTED[operator]]) for count in known]
            for operator in operators
        }
        label = "simulations (dashed: the paper)" if known and operators else "simulations"
        return plots.curves(
            ours, title="Errors of the backup operators", x_label=label, y_label="error in points", others=paper
        )


def sampled_position(settings: PositionSettings, seed: int) -> Game:
    """Return a random position of a game of self-play; at least its last move is taken back."""
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
    """Return the value of the root by each of OPERATORS for `color`, the side to play."""
    win_weight = search.config.win_weight
    rules = [bind(backup, rule, parameters) for rule, parameters in OPERATORS.values()]
    return tuple(from_side(color, search.value_by(rule), win_weight) for rule in rules)


# --- errors -----------------------------------------------------------------------------------------------------------


class ErrorRow(msgspec.Struct, frozen=True):
    """Distance of the operators from mix after twice as many simulations: root of the mean square, and mean."""

    simulations: int
    errors: tuple[tuple[float, float], ...]
    """By operator."""


def error_table(records: Sequence[PositionRecord]) -> list[ErrorRow]:
    """Return Coulom 2006, table 1, for the operators that all records have."""
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
    """Return the data that 500 comes from (Coulom 2006, §4.2)."""
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


def _verdict(table: Sequence[ErrorRow], operators: Sequence[str]) -> str:
    if not table:
        return "No position was searched twice as long."
    best = [operators[int(np.argmin([square for square, _ in row.errors]))] for row in table]
    winner = best[-1]
    since = next(k for k in range(len(best)) if all(name == winner for name in best[k:]))
    error = table[-1].errors[operators.index(winner)][0]
    first, last = plural(table[since].simulations, "simulation"), f"{table[-1].simulations:,}"
    return f"{winner} has the least error from {first} on: {error:.2f} points after {last}"


UNCERTAINTY = (
    "How far mix moves from S simulations to 2 S, as the mean squared difference, beside the variance that might be "
    "backed up, σ² being that of the scores of a search's simulations (Coulom 2006, §4.2):"
)
UNCERTAINTY_HEAD = ["simulations", "⟨(mix after 2S − mix after S)²⟩", "⟨σ²⟩/S", "⟨σ²⟩/min(500, S)"]


def _uncertainty_row(row: UncertaintyRow) -> list[str]:
    numbers = (row.difference, row.by_all, row.by_most)
    return [f"{row.simulations:,}", *(NOTHING if number is None else f"{number:.3f}" for number in numbers)]


def _uncertainty_plot(table: Sequence[UncertaintyRow]) -> Picture:
    curves: dict[str, plots.Curve] = {
        "difference": [(row.simulations, row.difference) for row in table],
        "σ²/S": [(row.simulations, row.by_all) for row in table if row.by_all is not None],
        "σ²/min(500, S)": [(row.simulations, row.by_most) for row in table if row.by_most is not None],
    }
    shown = {name: curve for name, curve in curves.items() if curve}
    return plots.curves(shown, title="Uncertainty of mix", x_label="simulations", y_label="points squared")
