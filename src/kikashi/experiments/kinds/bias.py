"""Bias: errors of playouts about positions whose outcome is known.

Playouts from a decided position give an estimate of every point's owner; beside the truth it shows what a policy
misjudges: whether its playouts fill eyes, break up a seki or let a ladder escape.

An ownership is Black's share of a point: 1 is Black's, 0 is White's. An error is the mean distance of the estimate
from the truth, over the judged points of a position; that of a theme, and the total, are means over positions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Any, ClassVar, Literal

import msgspec
import numpy as np

from kikashi.board.points import BLACK, POINTS, WHITE, parse_vertex, point, points_of
from kikashi.board.position import Board
from kikashi.board.scoring import area_score
from kikashi.experiments.estimate import search_seconds
from kikashi.experiments.kind import (
    FEWEST_SIMULATIONS,
    AtLeastOne,
    Design,
    Findings,
    Numbers,
    Values,
    at_scale,
    experiment_kind,
)
from kikashi.game import Game
from kikashi.playout import make_policy, new_root
from kikashi.playout.policy import Policy
from kikashi.playout.sampling import estimate_ownership
from kikashi.report import Figure, Paragraph, Table, plots
from kikashi.wording import nearest, plural

POLICIES = ("uniform", "mogo-pure", "mogo", "crazystone")
"""Policies that are compared by default."""

PACKAGE, DATA = "kikashi.experiments", "bias_positions.toml"
FEWEST_POSITIONS = 2
SIDES = {"black": (BLACK,), "white": (WHITE,), "either": (BLACK, WHITE)}
TRUTHS = {"B": 1.0, "W": 0.0}
UNJUDGED = "?"


# --- the positions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Position:
    """A position whose outcome is known."""

    name: str
    theme: str
    why: str
    diagram: str
    size: int
    to_play: tuple[int, ...]
    """The sides with which to play the truth holds."""
    last: int
    """The move that led here, PASS if that does not matter: many policies answer it."""
    truth: Mapping[int, float]
    """The owners of the judged points."""

    @property
    def mean_truth(self) -> float:
        """Black's share of the judged points."""
        return fmean(self.truth.values())


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    theme: str
    to_play: Literal["black", "white", "either"]
    why: str
    board: str
    last: str = "pass"


@cache
def load_positions() -> tuple[Position, ...]:
    """Load the positions of the package, those of a theme together."""
    return parse_positions((files(PACKAGE) / DATA).read_bytes())


def parse_positions(text: bytes | str) -> tuple[Position, ...]:
    """Parse the positions of a file. Raises ValueError if it is not one such as ours."""
    entries = msgspec.toml.decode(text, type=dict[str, _Entry])
    positions = [_position(name, entry) for name, entry in entries.items()]
    themes = list(dict.fromkeys(position.theme for position in positions))
    return tuple(sorted(positions, key=lambda position: themes.index(position.theme)))


def _position(name: str, entry: _Entry) -> Position:
    rows = [line.split() for line in entry.board.strip().splitlines()]
    size = len(rows)
    if any(len(row) != 2 * size for row in rows):
        raise ValueError(f"{name}: a board of {size} rows needs {size} points and {size} truths in each")
    diagram = "\n".join(" ".join(row[:size]) for row in rows)
    truth = dict(_truths(name, [row[size:] for row in rows]))
    if not truth:
        raise ValueError(f"{name}: no point is judged")
    last = parse_vertex(entry.last, size)
    return Position(name, entry.theme, entry.why.strip(), diagram, size, SIDES[entry.to_play], last, truth)


def _truths(name: str, rows: list[list[str]]) -> Iterator[tuple[int, float]]:
    for index, row in enumerate(rows):
        for column, sign in enumerate(row, start=1):
            if sign != UNJUDGED and sign not in TRUTHS:
                raise ValueError(f"{name}: a truth is B, W or {UNJUDGED}, not {sign!r}")
            if sign in TRUTHS:
                yield point(column, len(rows) - index), TRUTHS[sign]


def select(name: str | None) -> tuple[Position, ...]:
    """Return the position of a name, all of them for None. Raises ValueError if there is none."""
    positions = load_positions()
    chosen = tuple(position for position in positions if name is None or position.name == name)
    if not chosen:
        raise ValueError(f"no position {name}; {nearest(str(name), [position.name for position in positions])}")
    return chosen


# --- the estimates ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """Ownership in the playouts of a position."""

    position: Position
    ownership: Mapping[int, float]
    """Black's share of each point of the board."""

    @property
    def error(self) -> float:
        """The mean distance from the truth, over judged points."""
        return fmean(abs(self.ownership[p] - owner) for p, owner in self.position.truth.items())

    @property
    def mean(self) -> float:
        """Black's estimated share of the judged points."""
        return fmean(self.ownership[p] for p in self.position.truth)


@dataclass(frozen=True)
class Bias:
    """The estimates of one policy."""

    policy: str
    estimates: tuple[Estimate, ...]

    @property
    def error(self) -> float:
        return fmean(estimate.error for estimate in self.estimates)

    @property
    def themes(self) -> dict[str, float]:
        """The mean error of each theme's positions."""
        errors: dict[str, list[float]] = {}
        for estimate in self.estimates:
            errors.setdefault(estimate.position.theme, []).append(estimate.error)
        return {theme: fmean(of_theme) for theme, of_theme in errors.items()}

    def of_theme(self, theme: str) -> list[Estimate]:
        return [estimate for estimate in self.estimates if estimate.position.theme == theme]


def measure(policy: str, positions: Iterable[Position], *, playouts: int, seed: int = 1) -> Bias:
    """Run playouts from each position. The same seed gives the same estimates, whatever the other positions are.

    Where either side may begin, each begins half of the playouts. Raises PartError if the policy is not one.
    """
    made = make_policy(policy)
    return Bias(policy, tuple(_estimate(made, position, playouts, seed) for position in positions))


def _estimate(policy: Policy, position: Position, playouts: int, seed: int) -> Estimate:
    shares = {side: (playouts + i) // len(position.to_play) for i, side in enumerate(position.to_play)}
    total = np.zeros(POINTS)
    for side, count in shares.items():
        board = Game.from_diagram(position.diagram, side).board
        root = new_root(board, history=(position.last,), komi=_even_komi(board, position))
        total += count * estimate_ownership(policy, root, playouts=count, seed=seed)
    return Estimate(position, {p: float(total[p]) / playouts for p in points_of(position.size)})


def _even_komi(board: Board, position: Position) -> float:
    """Return the komi that makes the truth a draw: some policies learn from the winner, and either may win then."""
    decided = board.copy()
    for p, owner in position.truth.items():
        decided["color"][p] = BLACK if owner else WHITE
    decided["balance"] = np.sum(decided["color"] == BLACK) - np.sum(decided["color"] == WHITE)
    return float(area_score(decided))


# --- the kind ---------------------------------------------------------------------------------------------------------


class BiasRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The playouts of a policy from a position."""

    number: int
    policy: int
    """Its number among the policies."""
    position: str
    ownership: tuple[float, ...]
    """Black's share of each point, A1 first."""


@experiment_kind("bias", unit="positions")
class BiasDesign(Design, frozen=True, kw_only=True):
    record_type: ClassVar[type] = BiasRecord
    decided_by = ("policies", "positions", "playouts")
    least: ClassVar[Mapping[str, int]] = {"playouts": FEWEST_SIMULATIONS}
    sentences: ClassVar[Mapping[str, str]] = {"playouts": "{now} playouts of each position for {before}"}

    policies: tuple[str, ...] = POLICIES
    """Heuristics in order: ``name,name(parameter=value),…``."""
    playouts: AtLeastOne = 500

    def check(self) -> None:
        for policy in self.policies:
            make_policy(policy)

    @property
    def positions(self) -> list[str]:
        """The names of the positions, spread evenly over all."""
        every = [position.name for position in load_positions()]
        count = at_scale(len(every), self.scale, FEWEST_POSITIONS)
        return [every[k * len(every) // count] for k in range(count)]

    @property
    def steps(self) -> int:
        return len(self.policies) * len(self.positions)

    def values(self) -> Values:
        return super().values() | {"positions": [len(self.positions)]}

    def work(self, number: int) -> BiasRecord:
        """Run the playouts of a policy from a position; policies take turns."""
        place, policy = divmod(number, len(self.policies))
        (position,) = select(self.positions[place])
        estimate = _estimate(make_policy(self.policies[policy]), position, self.playouts, self.seed)
        ownership = tuple(estimate.ownership.values())
        return BiasRecord(number=number, policy=policy, position=position.name, ownership=ownership)

    def rows(self) -> Iterator[dict[str, str]]:
        for policy in self.policies:
            yield {"policy": policy, "positions": str(len(self.positions)), "playouts": f"{self.playouts:,}"}

    def core_seconds(self) -> float:
        sizes = [position.size for name in self.positions for position in select(name)]
        return len(self.policies) * sum(search_seconds(DATA, self.playouts, size) for size in sizes)

    def biases(self, records: Sequence[BiasRecord]) -> list[Bias]:
        """Return the estimates of each policy, for positions that all of them have."""
        found: dict[str, dict[int, Estimate]] = {}
        for record in records:
            (position,) = select(record.position)
            ownership = dict(zip(points_of(position.size), record.ownership, strict=True))
            found.setdefault(record.position, {})[record.policy] = Estimate(position, ownership)
        whole = [estimates for estimates in found.values() if len(estimates) == len(self.policies)]
        return [Bias(policy, tuple(each[k] for each in whole)) for k, policy in enumerate(self.policies) if whole]

    def numbers(self, records: Sequence[BiasRecord]) -> Iterator[Numbers]:
        for bias in self.biases(records):
            for estimate in bias.estimates:
                position = {"position": estimate.position.name, "theme": estimate.position.theme}
                truth = {"truth": estimate.position.mean_truth, "estimate": estimate.mean, "error": estimate.error}
                yield {"policy": bias.policy, **position, **truth}

    def findings(self, records: Sequence[BiasRecord]) -> Findings:
        biases = self.biases(records)
        best = min(biases, key=lambda bias: bias.error, default=None)
        errors = {bias.policy: bias.error for bias in biases}
        plot = plots.bars(errors, "mean distance from the truth", title="Mean error of all positions")
        return Findings(
            verdict=f"{best.policy} has the least error: {best.error:.3f}" if best else "",
            scope=f"{len(records)} of {plural(self.steps, 'position')}, {self.playouts:,} playouts of each.",
            elements=[Figure(plot, "errors"), table(biases), Paragraph(LEGEND)] if biases else [],
            data=as_json(biases) if biases else {},
        )


# --- reports ---------------------------------------------------------------------------------------------------------

LEGEND = "estimate and error: Black's share of the judged points, and how far each is from the truth"


def table(biases: Sequence[Bias]) -> Table:
    """Return a row per theme and position: Black's true share of the judged points, estimates and errors."""
    rows = []
    for theme in biases[0].themes:
        rows.append([theme, "", *(f"{bias.themes[theme]:.2f}" for bias in biases)])
        for row in zip(*(bias.of_theme(theme) for bias in biases), strict=True):
            position = row[0].position
            cells = [f"{estimate.mean:.2f} {estimate.error:.2f}" for estimate in row]
            rows.append([f"  {position.name}", f"{position.mean_truth:.2f}", *cells])
    rows.append(["mean error of all", "", *(f"{bias.error:.3f}" for bias in biases)])
    return Table(["position", "truth", *(bias.policy for bias in biases)], rows)


def as_json(biases: Sequence[Bias]) -> dict[str, Any]:
    """Return all numbers, rounded: the truths, and for each policy the errors and the estimates."""
    truths = {estimate.position.name: round(estimate.position.mean_truth, 4) for estimate in biases[0].estimates}
    return {"truth": truths, "policies": {bias.policy: _numbers(bias) for bias in biases}}


def _numbers(bias: Bias) -> dict[str, Any]:
    return {
        "error": round(bias.error, 4),
        "themes": {theme: round(error, 4) for theme, error in bias.themes.items()},
        "positions": {
            estimate.position.name: {"error": round(estimate.error, 4), "estimate": round(estimate.mean, 4)}
            for estimate in bias.estimates
        },
    }


def as_pictures(biases: Sequence[Bias]) -> str:
    """Draw each position beside its truth, then Black's share of every point in percent, policy by policy."""
    blocks = []
    for row in zip(*(bias.estimates for bias in biases), strict=True):
        blocks.append(_picture_of_truth(row[0].position))
        blocks.extend(_picture(bias.policy, estimate) for bias, estimate in zip(biases, row, strict=True))
    return "\n\n".join(blocks)


def _picture_of_truth(position: Position) -> str:
    signs = {owner: sign for sign, owner in TRUTHS.items()}
    truth = _grid(position.size, lambda p: signs[position.truth[p]] if p in position.truth else UNJUDGED)
    rows = zip(position.diagram.splitlines(), truth, strict=True)
    return f"{position.name}: {position.why}\n" + "\n".join(f"{stones}    {owners}" for stones, owners in rows)


def _picture(policy: str, estimate: Estimate) -> str:
    shares = _grid(estimate.position.size, lambda p: f"{100 * estimate.ownership[p]:3.0f}")
    return f"{policy}: estimate {estimate.mean:.3f}, error {estimate.error:.3f}\n" + "\n".join(shares)


def _grid(size: int, sign: Callable[[int], str]) -> list[str]:
    """Return the rows of a board, the top one first."""
    return [" ".join(sign(point(column, row)) for column in range(1, size + 1)) for row in range(size, 0, -1)]
