"""How wrong playouts are about positions whose outcome is known.

Playouts from a decided position give an estimate of every point's owner; beside the truth it shows what a policy
misjudges: whether its playouts fill eyes, break up a seki or let a ladder escape. Reading order: `load_positions`
(the data), `measure` (the estimates), `as_pictures` (for people), `as_json` (for programs).

An ownership is Black's share of a point: 1 is Black's, 0 is White's. An error is the mean distance of the estimate
from the truth, over the judged points of a position; that of a theme, and the total, are means over positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Any, Literal

import msgspec
import numpy as np

from kikashi.board.points import BLACK, POINTS, WHITE, parse_vertex, point, points_of
from kikashi.board.position import Board
from kikashi.board.scoring import area_score
from kikashi.game import Game
from kikashi.playout import make_policy, new_root
from kikashi.playout.policy import Policy
from kikashi.playout.sampling import estimate_ownership
from kikashi.wording import nearest

POLICIES = ("uniform", "mogo-pure", "mogo", "crazystone")
"""What `kikashi bench bias` compares if not told otherwise."""

DATA = "bias_positions.toml"
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
    """Whose turn it may be for the truth to hold."""
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
    """The positions of the package, those of a theme together."""
    return parse_positions((files(__package__) / DATA).read_bytes())


def parse_positions(text: bytes | str) -> tuple[Position, ...]:
    """The positions of a file. Raises ValueError if it is not one such as ours."""
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
    """The position of that name, all of them for None. Raises ValueError if there is none."""
    positions = load_positions()
    chosen = tuple(position for position in positions if name is None or position.name == name)
    if not chosen:
        raise ValueError(f"no position {name}; {nearest(str(name), [position.name for position in positions])}")
    return chosen


# --- the estimates ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """What playouts say about a position."""

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
        """The mean error of the positions."""
        return fmean(estimate.error for estimate in self.estimates)

    @property
    def themes(self) -> dict[str, float]:
        """The mean error of each theme's positions."""
        errors: dict[str, list[float]] = {}
        for estimate in self.estimates:
            errors.setdefault(estimate.position.theme, []).append(estimate.error)
        return {theme: fmean(of_theme) for theme, of_theme in errors.items()}

    def of_theme(self, theme: str) -> list[Estimate]:
        """The estimates of a theme's positions."""
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
    """The komi that makes the truth a draw, so that whoever does better wins: some policies learn from the winner."""
    decided = board.copy()
    for p, owner in position.truth.items():
        decided["color"][p] = BLACK if owner else WHITE
    decided["balance"] = np.sum(decided["color"] == BLACK) - np.sum(decided["color"] == WHITE)
    return float(area_score(decided))


# --- reports ---------------------------------------------------------------------------------------------------------


def as_json(biases: Sequence[Bias]) -> dict[str, Any]:
    """All numbers, rounded: the truths, and for each policy the errors and the estimates."""
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
    """Each position beside its truth, then Black's share of every point in percent, policy by policy."""
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
    """The rows of a board, the top one first."""
    return [" ".join(sign(point(column, row)) for column in range(1, size + 1)) for row in range(size, 0, -1)]
