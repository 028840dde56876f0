"""Signatures of playouts: exact totals of seeded playouts by policy, and one short hash over all of them.

`python -m helpers.signatures` (``make signature``) prints the hash; a change of play changes it.
"""

import hashlib
import json
from collections.abc import Iterator
from functools import cache

import numpy as np

from kikashi.board.points import vertex
from kikashi.board.position import new_board
from kikashi.engine.preset import load_preset, preset_names
from kikashi.parts.registry import Part, all_parts
from kikashi.playout import Policy, make_policy, new_root
from kikashi.playout.kinds import feasibility, heuristic
from kikashi.playout.loop import TOTALS, run_playouts
from kikashi.playout.policy import named_lists
from kikashi.playout.simulation import HISTORY
from kikashi.playout.worker import Memories, Worker

SEED = 2026
PLAYOUTS = {9: 300, 19: 60}
ON_19 = ("list lgrf2", "preset kikashi", "preset kikashi-handmade", "preset crazystone-2006", "feasibility orego")
"""Policies whose playouts are counted on 19x19 too."""

Signatures = dict[str, dict[str, dict[str, object]]]


def policies(size: int = 9) -> dict[str, Policy]:
    """Every named list, every heuristic and every feasibility rule of the package alone, and the presets' policies."""
    found = {f"list {name}": make_policy(name) for name in named_lists()}
    found |= {f"heuristic {name}": make_policy(name) for name in _own_names(heuristic)}
    found |= {f"feasibility {name}": make_policy("uniform", feasibility=name) for name in _own_names(feasibility)}
    return found | {f"preset {name}": load_preset(name).at(size).config.policy for name in preset_names()}


def _own_names(kind: type[Part]) -> list[str]:
    """The parts of the package itself: neither a test's nor a plugin's, nor what plays by weights of a file."""
    own = [part for part in all_parts(kind) if part.function.__module__.startswith("kikashi.")]
    return [part.name for part in own if not part.models]


def signature(policy: Policy, size: int, playouts: int, seed: int = SEED) -> dict[str, object]:
    """Total moves, sum of Black's area scores, who made the moves, and a hash over all moves in their order."""
    worker = Worker(policy, Memories(), size=size, seed=seed)
    digest = hashlib.sha256()
    moves, score = 0, 0
    for made, result in _play(worker, size, playouts):
        moves += len(made)
        score += result
        digest.update(f"{' '.join(map(_vertex, made))} {result}\n".encode())
    return {"moves": moves, "score": score, "by": worker.moves_by(), "hash": digest.hexdigest()[:12]}


def _play(worker: Worker, size: int, playouts: int) -> Iterator[tuple[list[int], int]]:
    """The moves and the score of one playout after the other, from the empty board."""
    root, totals = new_root(new_board(size)), np.zeros(1, TOTALS)[0]
    for _ in range(playouts):
        run_playouts(root, worker.sim, worker.moves, worker.record, totals, 1)
        sim = worker.sim
        yield sim["moves"][HISTORY : int(sim["length"])].tolist(), int(sim["score"])


_vertex = cache(vertex)


def signatures() -> Signatures:
    """All signatures by size of the board, then by policy."""
    found = {size: policies(size) for size in PLAYOUTS}
    on_size = {9: list(found[9]), 19: list(ON_19)}
    return {
        f"{size}x{size}": {name: signature(found[size][name], size, PLAYOUTS[size]) for name in names}
        for size, names in on_size.items()
    }


def short_hash(found: Signatures) -> str:
    """Eight digits that stand for all signatures."""
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:8]


if __name__ == "__main__":
    print(short_hash(signatures()))
