"""The playout loop, the heuristics, the learned memories. Knows nothing of trees.

This is the face for people who write parts: everything a heuristic or a memory needs is exported here and in
`kikashi.board`.
"""

from kikashi.playout.calling import cells
from kikashi.playout.candidates import REDRAW, add, add_once, bar, is_listed, reweigh, weight_of
from kikashi.playout.parts import PartError, feasibility, heuristic, load_plugin, memory
from kikashi.playout.policy import Policy, make_policy
from kikashi.playout.sampling import Totals, play_out, sample
from kikashi.playout.simulation import HISTORY, last_move, mover, new_root

__all__ = [
    "HISTORY",
    "REDRAW",
    "PartError",
    "Policy",
    "Totals",
    "add",
    "add_once",
    "bar",
    "cells",
    "feasibility",
    "heuristic",
    "is_listed",
    "last_move",
    "load_plugin",
    "make_policy",
    "memory",
    "mover",
    "new_root",
    "play_out",
    "reweigh",
    "sample",
    "weight_of",
]
