"""Recording one simulation: functions that stand in for the rules of a search, note what they see, and call the rules.

The loop calls rules by their addresses. A recorder puts its own functions there while the search itself runs one
simulation. So a traced simulation is like any other, and one that is not traced costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.jit import native_address
from kikashi.parts.blocks import BLOCK, block_of, copy_record, records
from kikashi.parts.calling import RULE, ask, ask_float, ask_int
from kikashi.parts.registry import Entry, PartError
from kikashi.playout.candidates import Candidates
from kikashi.playout.kinds import Learn, Propose
from kikashi.playout.loop import HEURISTICS, PolicyRecord
from kikashi.playout.simulation import MAX_MOVES, Simulation
from kikashi.search.kinds import Evaluate, Select
from kikashi.search.loop import MAX_DEPTH
from kikashi.search.terms import TERMS
from kikashi.search.tree import NODE, TREE, TreeRecord, nodes_of
from kikashi.search.tree_search import TreeSearch

REFUSALS = 256
"""The most refused moves that are kept."""

SELECTED = np.dtype(
    [("parent", "i8"), ("first", "i8"), ("count", "i8"), ("start", "i8"), ("chosen", "i8"), ("drawn", "i8")], align=True
)
"""A call of the selection rule: its children are those from `start` on among all that were noted."""
GIVEN = np.dtype([("child_move", "u2"), ("games", "f4"), ("value", "f4")], align=True)
"""A new child before a prior."""
BY = np.dtype([("heuristic_row", "i2")])

RECORDER = np.dtype(
    [
        ("_recorder", "i8"),  # a first field of its own, as parts have
        ("selection", RULE),
        ("explain", RULE),
        ("evaluation", RULE),
        ("prior", RULE, (HEURISTICS,)),
        ("priors", "i8"),
        ("terms", TERMS),
        ("tree", BLOCK),
        ("moves_by", BLOCK),
        # what was noted
        ("depths", "i8"),
        ("refusals", "i8"),
        ("given_to", "i8"),  # priors called so far
        ("given_count", "i8"),
        ("selected", BLOCK),
        ("children", BLOCK),
        ("numbers", BLOCK),
        ("refused", BLOCK),
        ("given", BLOCK),
        ("by", BLOCK),  # by place in the simulation's moves: the heuristic's row, or -1
        ("counted", "i8", (HEURISTICS + 1,)),
    ],
    align=True,
)
_A_SELECTED, _A_CHILD, _A_GIVEN, _A_BY = (np.zeros(1, each)[0] for each in (SELECTED, NODE, GIVEN, BY))
_A_TREE = np.zeros(1, TREE)[0]
_A_NUMBER = np.zeros(1, np.dtype([("term_value", "f8")]))[0]
_A_COUNT = np.zeros(1, np.dtype([("move_count", "i8")]))[0]


def _select(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """Note the children of a node with the terms of their values, then select one."""
    nodes, depth = nodes_of(tree), np.int64(sim.depth)
    here = nodes[node]
    selected = records(my.selected, _A_SELECTED)
    start = np.int64(0)
    if depth > 0:
        start = np.int64(selected[depth - 1].start + selected[depth - 1].count)
    now = selected[depth]
    if depth < my.depths and my.refusals < my.refused.length:  # once more: the loop has refused the move
        refused = records(my.refused, _A_SELECTED)[my.refusals]
        refused.parent, refused.chosen = now.parent, now.chosen
        my.refusals += 1
    now.parent, now.first, now.count, now.start = node, here.first, here.count, start
    children, numbers = records(my.children, _A_CHILD), records(my.numbers, _A_NUMBER)
    width = np.int64(my.terms.width)
    for i in range(here.count):
        copy_record(children[start + i], nodes[here.first + i])
    for i in range(here.count * width):
        numbers[start * width + i].term_value = np.nan
    my.terms.table.address = my.numbers.address + np.uint64(8 * start * width)
    my.terms.table.length = np.int64(here.count) * width
    my.terms.first, my.terms.count, my.terms.drawn = here.first, here.count, 0
    if my.explain.address != 0:
        rng = sim.rng
        ask(sim, my.explain, (sim, tree, node, my.terms))
        sim.rng = rng
    chosen = ask_int(sim, my.selection, (sim, tree, node))
    now.chosen, now.drawn = chosen, my.terms.drawn
    my.depths = depth + 1
    return chosen


def _propose(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Note the virtual games of new children before a prior, then let it propose moves."""
    tree = records(my.tree, _A_TREE)[0]
    nodes, given = nodes_of(tree), records(my.given, _A_GIVEN)
    count = np.int64(sim.place[PASS]) + 1  # the pass is the last of the moves
    first = np.int64(tree.used) - count
    if my.given_count + count <= my.given.length:
        for i in range(count):
            row, child = given[my.given_count + i], nodes[first + i]
            row.child_move, row.games, row.value = child.move, child.prior_visits, child.prior_value
        my.given_count += count
    number = my.given_to % my.priors
    my.given_to += 1
    ask(sim, my.prior[np.uintp(number)], (sim, moves))


def _evaluate(sim: Simulation, moves: Candidates, policy: PolicyRecord, my: Any) -> float:
    """Forget moves of the descent that the playout policy made and the loop refused, then evaluate."""
    for row in range(HEURISTICS + 1):
        my.counted[row] = policy.moves_by[row]
    return ask_float(sim, my.evaluation, (sim, moves, policy))


def _observe(sim: Simulation, my: Any) -> None:
    """Note the heuristic of the last move: its count is greater than before."""
    counts, found = records(my.moves_by, _A_COUNT), -1
    for row in range(HEURISTICS + 1):
        if counts[row].move_count != my.counted[row]:
            found = row
        my.counted[row] = counts[row].move_count
    records(my.by, _A_BY)[sim.length - 1].heuristic_row = found


@cache
def _address(function: Callable[..., Any], signature: Any) -> int:
    """Return the address of one of these functions for the loop."""
    return native_address(function, Entry("record", signature, "").types(RECORDER))


class Recorder:
    """The notes about simulations of the first thread of a search."""

    def __init__(self, search: TreeSearch) -> None:
        """Prepare for a search. Raises PartError if its selection rule names terms that it does not explain."""
        self.worker = worker = search.workers[0]
        self.rule = search.config.rules["selection"]
        self.terms: tuple[str, ...] = tuple(self.rule.part.options["terms"])
        if self.terms and "explain" not in self.rule.part.functions:
            raise PartError(f"{self.rule.part} names terms, but has no function to explain them")
        width, priors, most = len(self.terms) + 1, int(worker.search["priors"]), search.size**2 + 1
        self.selected = np.zeros(MAX_DEPTH + 1, SELECTED)
        self.children = np.zeros(MAX_DEPTH * most, NODE)  # memory that is not used costs nothing
        self.numbers = np.zeros((MAX_DEPTH * most, width))
        self.refused = np.zeros(REFUSALS, SELECTED)
        self.given = np.zeros(MAX_DEPTH * most * priors, GIVEN)
        self.by = np.zeros(MAX_MOVES, BY)
        self._notes = np.zeros(1, RECORDER)
        self.record = self._notes[0]
        for name in ("selected", "children", "numbers", "refused", "given", "by"):
            self.record[name] = block_of(getattr(self, name))
        self.record["terms"]["width"] = width
        self.record["explain"] = worker.rule(self.rule, "explain", int(worker.search["selection"]["own"]))
        self.record["tree"] = (search.tree.record.__array_interface__["data"][0], 1)
        self.record["moves_by"] = block_of(worker.record["moves_by"])
        self.record["priors"] = priors

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Note one simulation that is run inside the ``with``. Raises PartError if there is no room to observe it."""
        rules, policy = self.worker.search, self.worker.record
        observers, kept = (
            int(policy["observers"]),
            {key: rules[key].copy() for key in ("selection", "evaluation", "prior")},
        )
        if observers == len(policy["observer"]):
            raise PartError(f"a simulation cannot be traced while {observers} memories observe moves: leave one out")
        for name in ("depths", "refusals", "given_to", "given_count"):
            self.record[name] = 0
        for key, rule in kept.items():
            self.record[key] = rule
        self.record["counted"] = policy["moves_by"]
        try:
            rules["selection"] = self._in_place_of(rules["selection"], _select, Select)
            rules["evaluation"] = self._in_place_of(rules["evaluation"], _evaluate, Evaluate)
            for row in range(int(self.record["priors"])):
                rules["prior"][row] = self._in_place_of(rules["prior"][row], _propose, Propose)
            policy["observer"][observers] = self._in_place_of(rules["selection"], _observe, Learn)
            policy["observers"] = observers + 1
            yield
        finally:
            policy["observers"] = observers
            for key, rule in kept.items():
                rules[key] = rule

    def _in_place_of(self, rule: Any, function: Callable[..., Any], signature: Any) -> tuple[int, int, int]:
        """Return the RULE of one of the functions above, by the number of the part that it stands in for."""
        return _address(function, signature), int(self._notes.ctypes.data), int(rule["number"])
