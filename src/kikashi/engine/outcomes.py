"""What playouts make of a position: owners, criticality and results, of any node of a search too."""

from __future__ import annotations

import msgspec
import numpy as np

from kikashi.board.points import BLACK, WHITE, points_of
from kikashi.engine.preset import Preset
from kikashi.engine.tree_reuse import root_of
from kikashi.game import Game
from kikashi.jit import announced
from kikashi.playout.sampling import run_ownership
from kikashi.playout.worker import Memories, Worker
from kikashi.search.tree import SLOTS_COLUMN
from kikashi.search.tree_search import TreeSearch


class Outcomes(msgspec.Struct, frozen=True):
    """Results of playouts from one position. Lists over points begin at the upper left and go row by row."""

    playouts: int
    black_wins: float
    """Share of the playouts that Black wins; a draw counts a half."""
    ownership: list[float]
    """Mean owner of each point at the end, from 1 for Black to -1 for White."""
    criticality: list[float]
    """By how much more often than by chance a point belongs to the winner: Coulom 2009, "Criticality: a Monte-Carlo
    heuristic for Go programs"."""
    scores: dict[int, int]
    """Number of playouts by area score, komi not counted."""
    moves_by: dict[str, float]
    """Share of the moves by heuristic."""


def find_outcomes(
    preset: Preset, game: Game, *, playouts: int = 500, seed: int = 1, search: TreeSearch | None = None
) -> Outcomes:
    """Run playouts of a preset from the position of a game; the memories of a search may take part, and learn.

    Raises PartError if a part fails, ValueError for less than one playout.
    """
    if playouts < 1:
        raise ValueError(f"there must be at least 1 playout, not {playouts}")
    at = preset.at(game.size)
    policy, root = at.config.policy, root_of(game, judging=True)
    memories = Memories() if search is None else search.memories
    found = np.zeros((playouts, len(points_of(game.size))), np.int8)
    values, scores = np.zeros(playouts), np.zeros(playouts, np.int64)
    owned = np.zeros((3, root["board"]["color"].size), np.int64)
    places = np.array([p for row in reversed(_rows(game.size)) for p in row])
    with announced([run_ownership, *policy.functions], "for playouts"):
        worker = Worker(policy, memories, size=game.size, seed=seed)
    if search is not None and SLOTS_COLUMN in search.tree.columns:
        worker.sim["path"][0] = search.tree.columns[SLOTS_COLUMN][0]["slot"]
    try:
        for i in range(playouts):
            run_ownership(root, worker.sim, worker.moves, worker.record, owned, 1)
            owner = worker.sim["owner"][places]
            found[i] = (owner == BLACK).astype(np.int8) - (owner == WHITE).astype(np.int8)
            values[i], scores[i] = worker.sim["value"], worker.sim["score"]
    except Exception as error:
        raise worker.explain(error) from error
    moves_by = worker.moves_by()
    total = max(1, sum(moves_by.values()))
    numbers, counts = np.unique(scores, return_counts=True)
    return Outcomes(
        playouts=playouts,
        black_wins=float(values.mean()),
        ownership=found.mean(axis=0).tolist(),
        criticality=criticality(found, values).tolist(),
        scores=dict(zip(numbers.tolist(), counts.tolist(), strict=True)),
        moves_by={name: count / total for name, count in moves_by.items() if count},
    )


def criticality(owners: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the criticality of each point, from the owners at the ends of playouts (a row each) and Black's values.

    It is the share of playouts whose winner owns the point, less that share if owner and winner did not depend on each
    other.
    """
    black, white = owners > 0, owners < 0
    wins, losses = values[:, None], 1.0 - values[:, None]
    together = (black * wins + white * losses).mean(axis=0)
    return np.asarray(together - black.mean(axis=0) * wins.mean() - white.mean(axis=0) * losses.mean())


def _rows(size: int) -> list[list[int]]:
    points = points_of(size)
    return [points[row : row + size] for row in range(0, size * size, size)]
