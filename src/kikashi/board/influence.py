"""Influence of stones on empty points: area before a game is over."""

import numpy as np

from kikashi.board.points import BLACK, EMPTY, POINTS, STRIDE, WHITE
from kikashi.board.position import Board, east, north, south, west
from kikashi.jit import kernel

STONE, STEPS = 50, 4


@kernel
def find_influence(board: Board, owner: np.ndarray) -> int:
    """Write the player with more influence on each point into `owner`; return Black's points less White's.

    A stone counts 50. Four times each point adds one to its neighbours, of the sign that it has (Zobrist 1969).
    """
    influence = np.zeros(POINTS, np.int64)
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            influence[p] = STONE * ((board.color[p] == BLACK) - np.int64(board.color[p] == WHITE))
    for _ in range(STEPS):
        before = np.sign(influence)
        for row in range(1, board.size + 1):
            for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
                influence[p] += before[north(p)] + before[east(p)] + before[south(p)] + before[west(p)]
    owner[:] = EMPTY
    score = 0
    for p in range(POINTS):
        if influence[p] != 0:
            owner[p] = BLACK if influence[p] > 0 else WHITE
            score += 1 if influence[p] > 0 else -1
    return score
