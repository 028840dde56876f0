"""Last good replies (Drake 2010; Baier 2010, §6.1–6.2): play again what last won after the same moves.

Lists that want LGR-2 with LGR-1 behind it name the part twice. The order of a list makes ELGRF (§6.3.8): `escape`
before the replies. With ``back=2`` the context is the player's own last move: good follow-ups (§6.3.3). The memory also
learns what lost, for last bad replies (§6.3.7); and it may learn from a part of the moves only: early ones (§6.3.9),
stones that survive (§6.3.10), local replies (§6.3.12).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS
from kikashi.board.position import enemy_of
from kikashi.jit import inlined
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, bar, mark
from kikashi.playout.hash_store import Room, cells_within
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.replies.contexts import (
    LONGEST_TABLE,
    NOWHERE,
    are_local,
    context_at,
    find_place,
    first_reply,
    make_place,
    table_cells,
)
from kikashi.playout.simulation import HISTORY, Simulation, mover

LONGEST = 3
PER_POINT = 1.2
"""Entries of a store for each simulation and point of the board. LGRF-3 makes 0.6 in short searches and
0.35 in those of 25,000 simulations."""
LARGEST_BOARD = 361
_WON = 0


def _size(parameters: Any, room: Room) -> int:
    if int(parameters["context"]) <= LONGEST_TABLE:
        return table_cells(int(parameters["context"]))
    return cells_within(room, 1, entries=int(parameters["entries"]), per_point=PER_POINT)


@memory(
    cells=_size,
    source="Baier 2010, eq. 6.1, 6.3, 6.8, 6.14",
    limits={"context": (1, LONGEST), "back": (1, 2), "first": (0, np.inf), "entries": (0, np.inf)},
    context=1,
    back=1,
    forgetting=True,
    of=("won", "lost"),
    first=0,
    surviving=False,
    local=False,
    entries=0,
)
def last_replies(sim: Simulation, my: Any) -> None:
    """For each player and context the last reply that won, or that lost; with forgetting, a reply with which it goes
    the other way is deleted. Learned from all moves, from the `first` of a simulation (on 19x19; fewer on smaller
    boards), or only from stones that survive or local replies. Contexts of three moves are hashed: `entries`,
    or 0 for as many as the search needs."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    learner = sim.winner if my.of == _WON else enemy_of(sim.winner)
    for i in range(first_reply(my.context, my.back), _end(sim, my.first)):
        reply = np.int64(sim.moves[np.uintp(i)])
        key = context_at(sim, i, my.context, my.back)
        if reply == PASS or key == NOWHERE:
            continue
        if mover(sim, i) == learner:
            if _is_learned(sim, my, i):
                table[np.uintp(make_place(table, my.context, key))] = reply
        elif my.forgetting:
            at = find_place(table, my.context, key)
            if at != NOWHERE and table[np.uintp(at)] == reply:
                table[np.uintp(at)] = PASS


@inlined
def _end(sim: Simulation, first: int) -> int:
    """Where the moves end that are learned from."""
    if first == 0:
        return np.int64(sim.length)
    size = np.int64(sim.board.size)
    return min(np.int64(sim.length), HISTORY + first * size * size // LARGEST_BOARD)


@inlined
def _is_learned(sim: Simulation, my: Any, i: int) -> bool:
    """Whether a reply is of the sort that is stored; all are forgotten alike."""
    reply = np.int64(sim.moves[np.uintp(i)])
    if my.surviving and sim.board.color[np.uintp(reply)] != mover(sim, i):
        return False
    if my.local:
        for k in range(my.context):
            if not are_local(sim.moves[np.uintp(i - k)], sim.moves[np.uintp(i - k - 1)]):
                return False
    return True


@heuristic(memories=["last_replies"], source="Baier 2010, eq. 6.2")
def last_good_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the reply to the last moves that won when it was last played."""
    reply = _reply_to_now(sim, my, my.last_replies)
    if reply != PASS:
        mark(moves, reply)


@heuristic(memories={"bad_replies": "last_replies(of=lost, forgetting=false)"}, source="Baier 2010, eq. 6.15")
def last_bad_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Bar the reply to the last moves that lost when it was last played: to all heuristics that follow, not to the
    uniform choice."""
    reply = _reply_to_now(sim, my, my.bad_replies)
    if reply != PASS:
        bar(moves, reply, False)


@inlined
def _reply_to_now(sim: Simulation, my: Any, replies: Any) -> int:
    table = cells(replies)
    at = find_place(table, my.context, context_at(sim, sim.length, my.context, my.back))
    return np.int64(table[np.uintp(at)]) if at != NOWHERE else np.int64(PASS)
