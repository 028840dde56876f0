"""The playout loop, the heuristics, the learned memories. Knows nothing of trees.

This is the face for people who write parts: everything a heuristic or a memory needs is exported here and in
`kikashi.board`.
"""

from kikashi.playout.candidates import REDRAW, add, bar, is_listed, mark, mark_once, reweigh, weight_of
from kikashi.playout.hashed import cells_for, find_entry, hash_of, make_entry
from kikashi.playout.kinds import feasibility, feature, heuristic, memory
from kikashi.playout.plugins import load_plugin
from kikashi.playout.policy import Policy, make_policy
from kikashi.playout.raw import add_to_cell, cells
from kikashi.playout.sampling import Totals, play_out, sample
from kikashi.playout.shapes import Keys
from kikashi.playout.simulation import HISTORY, last_move, mover, new_root
from kikashi.playout.specs import PartError

__all__ = [
    "HISTORY",
    "REDRAW",
    "Keys",
    "PartError",
    "Policy",
    "Totals",
    "add",
    "add_to_cell",
    "bar",
    "cells",
    "cells_for",
    "feasibility",
    "feature",
    "find_entry",
    "hash_of",
    "heuristic",
    "is_listed",
    "last_move",
    "load_plugin",
    "make_entry",
    "make_policy",
    "mark",
    "mark_once",
    "memory",
    "mover",
    "new_root",
    "play_out",
    "reweigh",
    "sample",
    "weight_of",
]
