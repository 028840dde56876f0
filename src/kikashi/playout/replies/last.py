"""Last good replies (Drake 2010; Baier 2010, §6.1–6.2): play again the reply that last won after the same moves.

For LGR-2 with LGR-1 behind it a list names the part twice. `escape` before the replies makes ELGRF (§6.3.8). With
``back=2`` the context is the player's own last move: good follow-ups (§6.3.3). The memory may learn losing replies, for
last bad replies (§6.3.7), and may learn from some moves only: early ones (§6.3.9), stones that survive (§6.3.10), local
replies (§6.3.12). Last good moves (§6.3.11–12, LGM) are replies without a context.
"""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, POINTS
from kikashi.board.position import enemy_of
from kikashi.board.queries import KNIGHT
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
    mark_reply,
    table_cells,
)
from kikashi.playout.simulation import HISTORY, Simulation, color_row, last_move, move_at, mover
from kikashi.playout.words import name_context, name_place, say_reply

LONGEST = 3
PER_POINT = 1.2
"""Entries of a store for each simulation and point of the board. LGRF-3 makes 0.6 in short searches and
0.35 in those of 25,000 simulations."""
LARGEST_BOARD = 361
_WON = 0


def _cells(parameters: Any, room: Room) -> int:
    if int(parameters["context"]) <= LONGEST_TABLE:
        return table_cells(int(parameters["context"]))
    return cells_within(room, 1, entries=int(parameters["entries"]), per_point=PER_POINT)


def _say_reply(parameters: Any, cell: int, before: int, after: int) -> str:
    context = int(parameters["context"])
    return say_reply(name_context(cell, context), before, after) if context <= LONGEST_TABLE else ""


@memory(
    cells=_cells,
    words=_say_reply,
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
    """For each player and context the last reply that won, or that lost; with forgetting, the opposite result deletes
    it. Learned from all moves, from the `first` moves of a simulation (on 19x19; fewer on smaller boards), or only from
    stones that survive or local replies. Contexts of three moves are hashed: `entries`, or 0 to fit the search."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    learner = sim.winner if my.of == _WON else enemy_of(sim.winner)
    end, size = np.int64(sim.length), np.int64(sim.board.size)
    if my.first > 0:
        end = min(end, HISTORY + my.first * size * size // LARGEST_BOARD)
    for i in range(first_reply(my.context, my.back), end):
        reply, key = move_at(sim, i), context_at(sim, i, my.context, my.back)
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
def _is_learned(sim: Simulation, my: Any, i: int) -> bool:
    """Return whether a reply is stored, by `surviving` and `local`; forgetting makes no such difference."""
    if my.surviving and sim.board.color[np.uintp(move_at(sim, i))] != mover(sim, i):
        return False
    if my.local:
        for k in range(my.context):
            if not are_local(sim.moves[np.uintp(i - k)], sim.moves[np.uintp(i - k - 1)]):
                return False
    return True


@heuristic(memories=["last_replies"], source="Baier 2010, eq. 6.2")
def last_good_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the reply to the last moves that won when it was last played."""
    mark_reply(moves, _present_reply(sim, my, my.last_replies))


@heuristic(memories={"bad_replies": "last_replies(of=lost, forgetting=false)"}, source="Baier 2010, eq. 6.15")
def last_bad_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Bar the reply to the last moves that lost when it was last played: to all later heuristics, not to the uniform
    choice."""
    reply = _present_reply(sim, my, my.bad_replies)
    if reply != PASS:
        bar(moves, reply, False)


@inlined
def _present_reply(sim: Simulation, my: Any, replies: Any) -> int:
    table = cells(replies)
    at = find_place(table, my.context, context_at(sim, sim.length, my.context, my.back))
    return np.int64(table[np.uintp(at)]) if at != NOWHERE else np.int64(PASS)


def _say_move(_parameters: Any, cell: int, _before: int, after: int) -> str:
    return f"{name_place(cell)} {'won' if after else 'lost'}"


@memory(cells=2 * POINTS, words=_say_move, source="Baier 2010, eq. 6.16")
def good_moves(sim: Simulation, my: Any) -> None:
    """For each player and point: whether the player won when it last moved there."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(HISTORY, sim.length):
        color, p = np.int64(mover(sim, i)), move_at(sim, i)
        if p != PASS:
            table[np.uintp(color_row(color) + p)] = color == sim.winner


@heuristic(memories=["good_moves"], source="Baier 2010, §6.3.11–12", local=False)
def last_good_move(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play any point where the player won when it last moved there; if `local`, one in the knight's neighbourhood of
    the last move."""
    board, table = sim.board, cells(my.good_moves)
    row = color_row(board.to_play)
    if not my.local:
        for i in range(board.empty_count):
            p = np.int64(board.empty[np.uintp(i)])
            if table[np.uintp(row + p)] != 0:
                mark(moves, p)
        return
    last = last_move(sim, 1)
    if last == PASS:
        return
    for i in range(KNIGHT.shape[1]):
        p = np.int64(KNIGHT[np.uintp(last), i])
        if board.color[np.uintp(p)] == EMPTY and table[np.uintp(row + p)] != 0:
            mark(moves, p)
