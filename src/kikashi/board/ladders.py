"""Ladder reading: a chain is put into atari again and again until it is free or captured."""

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import (
    Board,
    atari_liberty,
    enemy_of,
    in_atari,
    is_legal,
    neighbours,
    play,
)
from kikashi.board.queries import find_liberties, find_liberties_after, line_of
from kikashi.jit import kernel

LONGEST = 200
"""Moves after which a chain counts as free."""
CAUGHT = -1


@kernel
def is_caught(board: Board, stone: int, found: np.ndarray) -> bool:
    """Return whether the chain of `stone` is caught by ataris alone. Changes the board.

    The chain has at most two liberties, one if its owner is to play. One line is read, not a tree. A chain that can
    capture an attacker counts as free. If two ataris leave it two liberties each, it is driven towards the edge; if
    both drive it equally near, it is free.
    """
    color = board.color[np.uintp(stone)]
    for _ in range(LONGEST):
        if board.to_play == color:
            if _can_take_attacker(board, stone):
                return False
            p = atari_liberty(board, stone)
            if not is_legal(board, p):
                return True
        else:
            p = _next_atari(board, stone, color, found)
            if p == PASS or p == CAUGHT:
                return p == CAUGHT
        play(board, p)
        if board.to_play != color:
            liberties = find_liberties(board, stone, found, 3)
            if liberties != 2:
                return liberties < 2
    return False


@kernel
def _can_take_attacker(board: Board, stone: int) -> bool:
    """Return whether a chain beside that of `stone` is in atari and can be captured."""
    enemy = enemy_of(board.color[np.uintp(stone)])
    first = np.int64(stone)
    p = first
    while True:
        for q in neighbours(p):
            if board.color[q] == enemy and in_atari(board, q) and is_legal(board, atari_liberty(board, q)):
                return True
        p = np.int64(board.next[np.uintp(p)])
        if p == first:
            return False


@kernel
def _next_atari(board: Board, stone: int, color: int, found: np.ndarray) -> int:
    """Return the liberty, of a chain's two, whose atari leaves the chain fewer liberties when it extends at the other.

    PASS if the chain gets free in any case, CAUGHT if it is captured in any case.
    """
    find_liberties(board, stone, found, 3)
    a, b = np.int64(found[0]), np.int64(found[1])
    after_a = find_liberties_after(board, b, color, found, 4) - 1  # without the one that is played at
    after_b = find_liberties_after(board, a, color, found, 4) - 1
    if after_a != after_b:
        p = a if after_a < after_b else b
        return p if min(after_a, after_b) < 3 and is_legal(board, p) else np.int64(PASS)
    if after_a != 2:
        return np.int64(CAUGHT if after_a < 2 else PASS)
    line_a, line_b = line_of(a, np.int64(board.size)), line_of(b, np.int64(board.size))
    p = a if line_a > line_b else b  # drive it towards the edge
    return p if line_a != line_b and is_legal(board, p) else np.int64(PASS)
