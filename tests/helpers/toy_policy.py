"""Policies of toy parts on a small empty board, where every point is feasible."""

from collections import Counter

import numpy as np

from kikashi.board.points import parse_vertex, vertex
from kikashi.board.position import new_board
from kikashi.playout import Policy, make_policy, new_root
from kikashi.playout.loop import TOTALS, begin, choose, run_playouts
from kikashi.playout.worker import Memories, Worker

SIZE = 5
A1, B1, C3, E5 = (parse_vertex(name, SIZE) for name in ("A1", "B1", "C3", "E5"))
DRAWS = 400


def worker_for(policy: Policy | str, memories: Memories | None = None, seed: int = 1) -> Worker:
    policy = make_policy(policy) if isinstance(policy, str) else policy
    return Worker(policy, memories or Memories(), size=SIZE, seed=seed)


def first_moves(policy: Policy | str, root=None, draws: int = DRAWS) -> Counter[str]:
    """How often each point is the first move of a playout."""
    worker = worker_for(policy)
    root = new_root(new_board(SIZE)) if root is None else root
    begin(worker.sim, worker.record, root)
    return Counter(vertex(choose(worker.sim, worker.moves, worker.record)) for _ in range(draws))


def run(worker: Worker, playouts: int = 1, root=None) -> int:
    """Run playouts; returns the moves made."""
    totals = np.zeros(1, TOTALS)[0]
    root = new_root(new_board(SIZE)) if root is None else root
    run_playouts(root, worker.sim, worker.moves, worker.record, totals, playouts)
    assert totals["playouts"] == playouts
    return int(totals["moves"])


# --- proposing -------------------------------------------------------------------------------------------------------
