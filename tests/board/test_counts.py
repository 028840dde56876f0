"""Legal positions, counted by the compiled board: the numbers of Tromp and Farnebäck, "Combinatorics of Go" (2007)."""

import numpy as np
import pytest

from kikashi.board.points import EMPTY, WHITE, points_of
from kikashi.board.position import BOARD, new_board, play
from kikashi.jit import kernel


@kernel
def count_positions(stack: np.ndarray, points: np.ndarray) -> int:
    """How many ways to leave each point empty or to put a stone on it give a legal position; `stack[0]` is empty.

    Depth first, point after point, and a branch ends where a placement takes a stone off, an enemy's or its own.
    This is exact. Every subset of the stones of a legal position is legal: a chain of the subset either is a whole
    chain of the position and has its liberty still, or it lacks a stone beside it, whose point is then a liberty. So
    all that lead to a legal position are legal, and no placement on the way takes anything. And a placement that takes
    nothing leaves a legal position: only the chains at its point lost a liberty, and each of them has one left.
    """
    chosen = np.zeros(len(points) + 1, np.int64)  # by depth: the colour that is tried next
    board_at = np.zeros(len(points) + 1, np.int64)  # by depth: the board on the stack; an empty point needs no new one
    count = depth = 0
    while depth >= 0:
        color = chosen[depth]
        if depth == len(points) or color > WHITE:
            count += depth == len(points)
            depth -= 1
            continue
        chosen[depth] += 1
        here = board_at[depth]
        if color != EMPTY:
            stack[here + 1] = stack[here]
            here += 1
            board = stack[here]
            board.to_play = color
            play(board, points[depth])
            if board.captured:
                continue
        depth += 1
        chosen[depth] = 0
        board_at[depth] = here
    return count


@pytest.mark.parametrize(("size", "count"), [(2, 57), (3, 12_675), pytest.param(4, 24_318_165, marks=pytest.mark.slow)])
def test_count_of_legal_positions(size, count):
    points = np.array(points_of(size))
    stack = np.zeros(len(points) + 1, BOARD)
    stack[0] = new_board(size)
    assert count_positions(stack, points) == count
