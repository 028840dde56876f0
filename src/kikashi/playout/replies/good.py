"""Last good replies (Drake 2010; Baier 2010, §6.1–6.2): play again what last won after the same moves.

A context is the last move (LGR-1) or the last two (LGR-2); it never contains a pass. Lists that want LGR-2 with
LGR-1 behind it name the part twice. The order of the list makes ELGRF (§6.3.8): `escape` before the replies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS
from kikashi.compiling import inlined
from kikashi.playout.candidates import Candidates, mark
from kikashi.playout.kinds import heuristic, memory
from kikashi.playout.raw import cells
from kikashi.playout.simulation import HISTORY, Simulation, last_move, mover

LONGEST = 2


def _size(parameters: Any) -> int:
    return 2 * POINTS ** int(parameters["context"])


@inlined
def _index(color: int, context: int, last: int, before_last: int) -> int:
    """Where the reply of `color` to `last` is kept, after its own move `before_last` for a context of two."""
    row = color - BLACK
    if context == 2:
        row = row * POINTS + before_last
    return row * POINTS + last


@memory(cells=_size, source="Baier 2010, eq. 6.1, 6.3", limits={"context": (1, LONGEST)}, context=1, forgetting=True)
def good_replies(sim: Simulation, my: Any) -> None:
    """For each player and context the last reply that won; with forgetting, a reply that loses is deleted."""
    if sim.winner == EMPTY:
        return
    table = cells(my.cells)
    for i in range(HISTORY + my.context, sim.length):
        reply = sim.moves[np.uintp(i)]
        last, before_last = np.int64(sim.moves[np.uintp(i - 1)]), np.int64(sim.moves[np.uintp(i - 2)])
        if reply == PASS or last == PASS or (my.context == 2 and before_last == PASS):
            continue
        color = mover(sim, i)
        at = np.uintp(_index(color, my.context, last, before_last))
        if color == sim.winner:
            table[at] = reply
        elif my.forgetting and table[at] == reply:
            table[at] = PASS


@heuristic(memories=["good_replies"], source="Baier 2010, eq. 6.2")
def last_good_reply(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play the reply to the last moves that won when it was last played."""
    last, before_last = last_move(sim, 1), last_move(sim, 2)
    if last == PASS or (my.context == 2 and before_last == PASS):
        return
    reply = cells(my.good_replies)[np.uintp(_index(sim.board.to_play, my.context, last, before_last))]
    if reply != PASS:
        mark(moves, reply)
