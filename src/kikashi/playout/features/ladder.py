"""Ladders that a move begins or runs from."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import east, enemy_of, north, only_liberty_is, south, west
from kikashi.board.queries import find_liberties_after, second_liberty
from kikashi.playout.kinds import feature
from kikashi.playout.simulation import Simulation
from kikashi.playout.tactics.captures import is_caught_after


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
                return 3 if is_caught_after(sim, point, point, my.board_to_read_on) else 4
        elif board.color[q] == enemy_of(own) and second_liberty(board, q, point) != PASS:
            level = max(level, 2 if is_caught_after(sim, point, q, my.board_to_read_on) else 1)
    return level
