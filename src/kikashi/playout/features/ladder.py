"""Ladders that a move begins or runs from."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.ladders import is_caught
from kikashi.board.points import PASS
from kikashi.board.position import BOARD, east, enemy_of, new_board, north, only_liberty_is, play, south, west
from kikashi.board.queries import find_liberties_after, second_liberty
from kikashi.compiling import kernel
from kikashi.playout.kinds import feature, memory
from kikashi.playout.raw import copy_record, records
from kikashi.playout.simulation import Simulation

A_BOARD = new_board(9)


@memory(cells=BOARD.itemsize // 4 + 1, scope="thread", learns=False)
def board_to_read_on(sim: Simulation, my: Any) -> None:
    """Room for a position on which parts may play."""


@feature(
    memories=["board_to_read_on"],
    levels=(
        "none",
        "an atari that it gets out of",
        "an atari that catches",
        "an escape in vain",
        "an escape that works",
    ),
    source="Coulom 2007",
)
def ladder(sim: Simulation, point: int, my: Any) -> int:
    """Whether it gives an atari, or extends out of one to two liberties, and what one atari after the other makes of
    it."""
    board = sim.board
    own = np.int64(board.to_play)
    level = np.int64(0)
    for q in (north(point), east(point), south(point), west(point)):
        if board.color[q] == own and only_liberty_is(board, q, point):
            if find_liberties_after(board, point, own, sim.found, 3) == 2:
                return 3 if _is_caught_after(sim, point, point, my) else 4
        elif board.color[q] == enemy_of(own) and second_liberty(board, q, point) != PASS:
            level = max(level, 2 if _is_caught_after(sim, point, q, my) else 1)
    return level


@kernel
def _is_caught_after(sim: Simulation, point: int, stone: int, my: Any) -> bool:
    """Whether the chain of `stone` is caught once the move is made."""
    board = records(my.board_to_read_on, A_BOARD)[0]
    copy_record(board, sim.board)
    play(board, point)
    return is_caught(board, np.int64(stone), sim.found)
