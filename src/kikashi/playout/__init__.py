"""The playout loop, heuristics, memories and features. No trees.

This package and `kikashi.board` export all that authors of heuristics, memories, features and evaluations need; `Kind`
makes new kinds. A policy is a list of parts, and `sample` runs playouts by it:

>>> from kikashi.board import new_board
>>> from kikashi.playout import make_policy, new_root, sample
>>> totals = sample(make_policy("uniform"), new_root(new_board(5)), playouts=1000, seed=1)
>>> totals.playouts, sum(totals.moves_by.values()) == totals.moves
(1000, True)
"""

from kikashi.parts.binding import BoundPart, bind
from kikashi.parts.blocks import Block, Rows, add_to_cell, atomic_add, cells, records
from kikashi.parts.models import Arrays
from kikashi.parts.plugins import load_plugin
from kikashi.parts.registry import Entry, Kind, Part, PartError, all_parts
from kikashi.playout.candidates import REDRAW, add, bar, is_listed, mark, mark_once, reweigh, weight_of
from kikashi.playout.hash_store import Room, cells_for, cells_within, find_entry, hash_of, make_entry
from kikashi.playout.kinds import feasibility, feature, heuristic, memory
from kikashi.playout.loop import play_moves, play_to_end
from kikashi.playout.playout_types import Candidates, Root, Simulation
from kikashi.playout.policy import Policy, make_policy
from kikashi.playout.sampling import Totals, play_out, sample
from kikashi.playout.simulation import HISTORY, MAX_MOVES, color_at_depth, last_move, mover, new_root, settle
from kikashi.playout.tactics.shapes import Keys
from kikashi.playout.weights import FeatureWeights, Weights, read_weights

__all__ = [
    "HISTORY",
    "MAX_MOVES",
    "REDRAW",
    "Arrays",
    "Block",
    "BoundPart",
    "Candidates",
    "Entry",
    "FeatureWeights",
    "Keys",
    "Kind",
    "Part",
    "PartError",
    "Policy",
    "Room",
    "Root",
    "Rows",
    "Simulation",
    "Totals",
    "Weights",
    "add",
    "add_to_cell",
    "all_parts",
    "atomic_add",
    "bar",
    "bind",
    "cells",
    "cells_for",
    "cells_within",
    "color_at_depth",
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
    "play_moves",
    "play_out",
    "play_to_end",
    "read_weights",
    "records",
    "reweigh",
    "sample",
    "settle",
    "weight_of",
]
