"""Reading ahead on a board of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.ladders import is_caught
from kikashi.board.position import BOARD, new_board, play
from kikashi.jit import kernel
from kikashi.parts.blocks import copy_record, records
from kikashi.playout.kinds import memory
from kikashi.playout.simulation import Simulation

A_BOARD = new_board(9)


@memory(cells=BOARD.itemsize // 4 + 1, scope="thread", learns=False)
def board_to_read_on(sim: Simulation, my: Any) -> None:
    """Room for a position on which parts may play."""


@kernel
def is_caught_after(sim: Simulation, point: int, stone: int, room: Any) -> bool:
    """Whether the chain of `stone` is caught by a ladder once the move is made; `room` is that memory's."""
    board = records(room, A_BOARD)[0]
    copy_record(board, sim.board)
    play(board, point)
    return is_caught(board, np.int64(stone), sim.found)
