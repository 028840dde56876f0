"""Several replies to a context (Baier 2010): by age or unsorted (§6.3.5, MLGR), or with scores (§6.3.13, LGRS).

A row has `slots` pairs of a reply and its score, filled from the first on. With ``full=oldest`` the youngest comes
first; otherwise new replies come last and the others keep their order.
"""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS
from kikashi.board.rng import random_below
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import LONGEST_TABLE, NOWHERE, context_at, first_reply, table_cells
from kikashi.playout.simulation import Simulation, move_at, mover

MAX_SLOTS = 16
WIDTH = 2
"""Cells of a slot: the reply and its score."""
_OLDEST, _DISCARD, _RANDOM, _LOWEST = range(4)
_FORGET = 0
_IN_ORDER, _ANY, _BEST = range(3)


@memory(
    cells=lambda parameters: WIDTH * int(parameters["slots"]) * table_cells(int(parameters["context"])),
    source="Baier 2010, §6.3.5, §6.3.13",
    limits={"context": (1, LONGEST_TABLE), "slots": (1, MAX_SLOTS), "cap": (1, 1 << 30)},
    context=1,
    slots=3,
    full=("oldest", "discard", "random", "lowest"),
    loss=("forget", "lower"),
    cap=1,
)
def several_replies(sim: Simulation, my: Any) -> None:
    """For each player and context several replies that won, each with a score: 1 at first, one more for each win up to
    `cap`. A loss deletes it or lowers its score, and at 0 deletes it. If all slots are full, a new reply replaces the
    oldest, a random one or that with the lowest score, or is discarded."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(first_reply(my.context, 1), sim.length):
        reply, context = move_at(sim, i), context_at(sim, i, my.context, 1)
        if reply == PASS or context == NOWHERE:
            continue
        row = context * my.slots * WIDTH
        if mover(sim, i) == sim.winner:
            _win(sim, my, table, row, reply)
        else:
            _lose(my, table, row, reply)


@kernel
def _win(sim: Simulation, my: Any, table: np.ndarray, row: int, reply: int) -> None:
    slot, known = _slot_of(my, table, row, reply)
    score = 1
    if known:
        score = min(np.int64(my.cap), np.int64(table[np.uintp(row + WIDTH * slot + 1)]) + 1)
    elif slot == my.slots:
        if my.full == _DISCARD:
            return
        slot = my.slots - 1 if my.full == _OLDEST else _victim(sim, my, table, row)
    if my.full == _OLDEST:  # the youngest comes first
        for k in range(slot, 0, -1):
            _copy(table, row + WIDTH * k, row + WIDTH * (k - 1))
        slot = 0
    table[np.uintp(row + WIDTH * slot)] = reply
    table[np.uintp(row + WIDTH * slot + 1)] = score


@kernel
def _lose(my: Any, table: np.ndarray, row: int, reply: int) -> None:
    slot, known = _slot_of(my, table, row, reply)
    if not known:
        return
    at = np.uintp(row + WIDTH * slot + 1)
    table[at] -= 1
    if my.loss == _FORGET or table[at] == 0:
        for k in range(slot, my.slots - 1):
            _copy(table, row + WIDTH * k, row + WIDTH * (k + 1))
        table[np.uintp(row + WIDTH * (my.slots - 1))] = PASS


@inlined
def _slot_of(my: Any, table: np.ndarray, row: int, reply: int) -> tuple[int, bool]:
    """Return the slot of a reply, else the first free one or `slots`; and whether the reply is known."""
    for slot in range(my.slots):
        kept = table[np.uintp(row + WIDTH * slot)]
        if kept == reply or kept == PASS:
            return slot, kept == reply
    return np.int64(my.slots), False


@inlined
def _victim(sim: Simulation, my: Any, table: np.ndarray, row: int) -> int:
    """Return the slot that a new reply takes: a random one, or the first with the lowest score."""
    if my.full == _RANDOM:
        return random_below(sim, my.slots)
    lowest = np.int64(0)
    for slot in range(1, my.slots):
        if table[np.uintp(row + WIDTH * slot + 1)] < table[np.uintp(row + WIDTH * lowest + 1)]:
            lowest = np.int64(slot)
    return lowest


@inlined
def _copy(table: np.ndarray, to: int, from_: int) -> None:
    table[np.uintp(to)], table[np.uintp(to + 1)] = table[np.uintp(from_)], table[np.uintp(from_ + 1)]


@heuristic(
    memories=["several_replies"],
    source="Baier 2010, §6.3.5, §6.3.13, §8.2.2",
    limits={"rank": (0, MAX_SLOTS - 1), "ranks": (1, MAX_SLOTS), "needed": (1, 1 << 30)},
    pick=("in_order", "any", "best"),
    rank=0,
    ranks=1,
    needed=1,
)
def one_of_good_replies(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play one of the good replies to the last moves: the first feasible one of `ranks` from `rank` on, any of all, or
    any of those with the highest score; only replies with a score of `needed` or more count."""
    context = context_at(sim, sim.length, my.context, 1)
    if context == NOWHERE:
        return
    table = cells(my.several_replies)
    row = context * my.slots * WIDTH
    first = my.rank if my.pick == _IN_ORDER else 0
    end = min(my.slots, my.rank + my.ranks) if my.pick == _IN_ORDER else my.slots
    least = _best_score(my, table, row) if my.pick == _BEST else 0
    for slot in range(first, end):
        reply = np.int64(table[np.uintp(row + WIDTH * slot)])
        if reply == PASS:
            break
        if table[np.uintp(row + WIDTH * slot + 1)] >= max(np.int64(my.needed), least):
            mark(moves, reply)
    moves.ordered = my.pick == _IN_ORDER


@inlined
def _best_score(my: Any, table: np.ndarray, row: int) -> int:
    best = np.int64(0)
    for slot in range(my.slots):
        if table[np.uintp(row + WIDTH * slot)] != PASS:
            best = max(best, np.int64(table[np.uintp(row + WIDTH * slot + 1)]))
    return best
