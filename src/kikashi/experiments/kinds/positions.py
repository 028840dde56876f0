"""Positions: search each of many, and record the root's value after 128, 256, 512 … simulations.

After Coulom 2006, §4: positions come from games of self-play. One search by the "mix" operator is recorded; the value
of every backup operator at the root is compared with that of mix after twice as many simulations (table 1). How far mix
itself still moves is compared with the variance that Crazy Stone backs up (§4.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from kikashi.engine.limits import Limit, megabytes_for
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.experiments.claims import Observations
from kikashi.experiments.estimate import search_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    NOTHING,
    AtLeastOne,
    Design,
    Findings,
    Numbers,
    at_scale,
    experiment_kind,
)
from kikashi.experiments.paper import published_elsewhere
from kikashi.game import Game
from kikashi.match.player_spec import PlayerSpec
from kikashi.match.progress import expected_moves
from kikashi.match.runner import derived
from kikashi.parts.binding import bind
from kikashi.pictures.svg import Picture
from kikashi.report import Figure, Paragraph, Table, plots
from kikashi.search.analysis import from_side, score_deviation
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
    record_type: ClassVar[type] = PositionRecord
    journal_kind: ClassVar[str] = "study"
    is_paired: ClassVar[bool] = True
    decided_by = ("preset", "overrides", "positions", "simulations", "first", "game_simulations", "size", "komi")
    least: ClassVar[Mapping[str, int]] = {"positions": 4}

    preset: str
    positions: AtLeastOne
    simulations: AtLeastOne
    """Of each search, a power of 2 times the first checkpoint."""
    first: AtLeastOne = 128
    """The first checkpoint; each next one is twice as far."""
    game_simulations: AtLeastOne = 256
    """For a move of the games that positions come from."""
    overrides: list[str] = []
    """Changed settings of the preset, as in ``selection.p=1.2``."""
    size: int = 9
    komi: float = 7.5
    published: dict[str, list[float]] = {}
    """By number of simulations: root of the mean square and mean of the error, for each operator in turn."""

    def scaled(self, scale: float) -> dict[str, Any]:
        simulations, most = self.first, at_scale(self.simulations, scale, 2 * self.first)
        while 2 * simulations <= most:
            simulations *= 2
        games = at_scale(self.game_simulations, min(1.0, 4 * scale), FEWEST_SIMULATIONS)
        return super().scaled(scale) | {"simulations": simulations, "game_simulations": games}

    def check(self) -> None:
        load_preset(self.preset, self.overrides)
        if self.simulations < 2 * self.first:
            raise ValueError("a study needs two checkpoints at least")

    @property
    def steps(self) -> int:
        return self.positions

    @property
    def players(self) -> list[str]:
        return [str(PlayerSpec(preset=self.preset, overrides=tuple(self.overrides)))]

    @property
    def checkpoints(self) -> list[int]:
        return [self.first << k for k in range((self.simulations // self.first).bit_length())]

    def work(self, number: int) -> PositionRecord:
        """Play a game, take a position of it and search it."""
        seed = derived(self.seed, "position", number)
        game = self.sampled(seed)
        search = new_search(
            load_preset(self.preset, self.overrides).at(self.size).config,
            size=self.size,
            seed=seed,
            megabytes=megabytes_for(self.size, self.simulations),
        )
        search.start(search_request(game))
        values, variances = {}, {}
        done = 0
        for checkpoint in self.checkpoints:
            done += search.run(checkpoint - done)
            values[str(checkpoint)] = root_values(search, game.turn)
            variances[str(checkpoint)] = round(score_deviation(search.scores()) ** 2, 6)
        moves = tuple(move.name for move in game.moves)
        return PositionRecord(number=number, moves=moves, values=values, variances=variances)

    def sampled(self, seed: int) -> Game:
        """Return a random position of a game of self-play; at least its last move is taken back."""
        game = Game(self.size, self.komi)
        player = Player(
            self.preset,
            limit=Limit(simulations=self.game_simulations),
            seed=seed,
            megabytes=megabytes_for(self.size, self.game_simulations),
            overrides=self.overrides,
        )
        while not game.is_over() and game.move_count < 2 * self.size**2:
            game.push(player.choose(game).move)
        for _ in range(Random(seed).randint(1, game.move_count)):
            game.pop()
        return game

    def published_with(self) -> dict[str, str]:
        board = f"on {self.size}×{self.size}"
        return {"size": board, "komi": f"with komi {self.komi:g}", "preset": f"by {self.preset}"}

    def rows(self) -> Iterator[dict[str, str]]:
        printed = [count for count in self.checkpoints[:-1] if str(count) in self.published]
        yield {
            "preset": " ".join([self.preset, *(f"--set {change}" for change in self.overrides)]),
            "positions": f"{self.positions:,}",
            "simulations a search": f"{self.simulations:,}",
            "checkpoints": ", ".join(f"{count:,}" for count in self.checkpoints),
            "published": f"after {len(printed)} of these {published_elsewhere(self)}".strip() if printed else NOTHING,
        }

    def core_seconds(self) -> float:
        simulations = self.simulations + expected_moves(self.size) * self.game_simulations
        return self.positions * search_seconds(self.preset, simulations, self.size)

    def numbers(self, records: Sequence[PositionRecord]) -> Iterator[Numbers]:
        """Yield an operator's error, the root of the mean square, and its bias, the mean, in points for the mover."""
        published = {} if published_elsewhere(self) else self.published
        for row in error_table(records):
            numbers: Numbers = {"simulations": row.simulations}
            paper = published.get(str(row.simulations), [None] * 2 * len(OPERATORS))
            for operator, (square, mean) in zip(OPERATORS, row.errors, strict=False):
                k = 2 * PRINTED[operator]
                numbers |= {f"{operator} error": square, f"{operator} error published": paper[k]}
                numbers |= {f"{operator} bias": mean, f"{operator} bias published": paper[k + 1]}
            yield numbers

    def observations(self, records: Sequence[PositionRecord]) -> Observations:
        """Return squared errors and errors of the operators, by number of simulations."""
        found: dict[str, list[float]] = {}
        for now, gaps in _errors(records):
            for operator, gap in zip(OPERATORS, gaps.T, strict=False):
                found |= {f"{operator} error, {now:,}": [*gap**2], f"{operator} bias, {now:,}": [*gap]}
        return found

    def findings(self, records: Sequence[PositionRecord]) -> Findings:
        table, uncertainty = error_table(records), uncertainty_table(records)
        elsewhere = published_elsewhere(self)
        operators = list(OPERATORS)[: len(table[0].errors) if table else None]
        paper = f"paper, {elsewhere}" if elsewhere else "paper"
        head = ["simulations", *(name for each in operators for name in (f"{each} √⟨δ²⟩", paper, "⟨δ⟩", paper))]
        size = f"{plural(len(records), 'position')}, {plural(self.simulations, 'simulation')} each"
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
    for now, gaps in _errors(records):
        errors = tuple((float(np.sqrt(np.mean(gap**2))), float(np.mean(gap))) for gap in gaps.T)
        rows.append(ErrorRow(now, errors))
    return rows


def _errors(records: Sequence[PositionRecord]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the errors after each number of simulations: a row for each position, a column for each operator."""
    checkpoints = [int(text) for text in records[0].values] if records else []
    known = min((len(values) for record in records for values in record.values.values()), default=0)
    for now, later in pairwise(checkpoints):
        values = np.array([record.values[str(now)][:known] for record in records])
        truth = np.array([record.values[str(later)][list(OPERATORS).index("mix")] for record in records])
        yield now, values - truth[:, None]


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
