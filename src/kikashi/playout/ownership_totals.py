"""Whose each point is at the end of many playouts from one position."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, POINTS, STRIDE, WALL, WHITE
from kikashi.board.position import Board
from kikashi.board.scoring import owner_at_end
from kikashi.jit import announced, kernel
from kikashi.playout.candidates import Candidates
from kikashi.playout.loop import begin, playout
from kikashi.playout.policy import Policy
from kikashi.playout.simulation import Root, Simulation
from kikashi.playout.worker import Memories, Worker

BATCH = 256
"""Playouts between two moments at which Ctrl-C is heard."""


@kernel
def run_ownership(root: Root, sim: Simulation, moves: Candidates, policy: Any, owned: np.ndarray, count: int) -> None:
    """Run `count` simulations as `run_playouts` does; for each add one to ``owned[owner, point]`` at every point.

    The owner is BLACK, WHITE or EMPTY for neither: `owned` has WALL rows of POINTS integers.
    """
    for _ in range(count):
        begin(sim, policy, root)
        playout(sim, moves, policy)
        add_ownership(sim.board, owned)


@kernel
def add_ownership(board: Board, owned: np.ndarray) -> None:
    """Count for each point of a finished playout who owns it."""
    for row in range(1, board.size + 1):
        for column in range(1, board.size + 1):
            p = np.uintp(row * STRIDE + column)
            owner = np.uintp(owner_at_end(board, p))
            owned[owner, p] += 1


def estimate_ownership(policy: Policy, root: Root, *, playouts: int, seed: int = 1) -> np.ndarray:
    """Black's share of every point, over a number of playouts from `root`; a point that is nobody's counts one half.

    The same seed gives the same shares, for each side to play its own. Raises PartError if a part fails.
    """
    board = root["board"]
    owned = np.zeros((WALL, POINTS), np.int64)
    with announced([run_ownership, *policy.functions], "for playouts"):
        worker = Worker(policy, Memories(), size=int(board["size"]), seed=seed, number=int(board["to_play"]))
        for done in range(0, playouts, BATCH):
            batch = min(BATCH, playouts - done)
            try:
                run_ownership(root, worker.sim, worker.moves, worker.record, owned, batch)
            except Exception as error:
                raise worker.explain(error) from error
    return (owned[BLACK] + owned[EMPTY] / 2) / np.maximum(1, owned[BLACK] + owned[WHITE] + owned[EMPTY])
