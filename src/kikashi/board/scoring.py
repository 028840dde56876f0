"""Area scores, Black's minus White's, without komi."""

from __future__ import annotations

import numpy as np

from kikashi.board.points import BLACK, EMPTY, POINTS, STRIDE, WHITE
from kikashi.board.position import Board, east, north, south, surrounding, west
from kikashi.jit import inlined, kernel


@inlined
def owner_at_end(board: Board, p: int) -> int:
    """Who owns a point of a finished playout: its stone's colour, or the one colour around it; EMPTY for nobody."""
    color = board.color[np.uintp(p)]
    return color if color != EMPTY else surrounding(board, p)


@kernel
def playout_score(board: Board) -> int:
    """The score of a finished playout: stones, and empty points whose four neighbours are all of one colour.

    Exact where every empty point is a one-point eye or neutral, which is how playouts end.
    """
    score = np.int64(board.balance)
    for i in range(board.empty_count):
        owner = surrounding(board, board.empty[i])
        score += (owner == BLACK) - np.int64(owner == WHITE)
    return score


@kernel
def area_score(board: Board) -> int:
    """The score of any position as it stands: stones, and empty regions that reach one colour only."""
    score = np.int64(board.balance)
    seen = np.zeros(POINTS, np.bool_)
    queue = np.empty(POINTS, np.int64)
    for row in range(1, board.size + 1):
        for column in range(1, board.size + 1):
            p = row * STRIDE + column
            if board.color[p] == EMPTY and not seen[p]:
                size, reached = _region(board, p, seen, queue)
                score += size * ((reached == BLACK) - np.int64(reached == WHITE))
    return score


@kernel
def playout_score_within(board: Board, zone: np.ndarray) -> int:
    """The score of a finished playout that kept to a zone: of the points that are not 0 in `zone` alone."""
    score = np.int64(0)
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            if zone[p]:
                owner = owner_at_end(board, p)
                score += (owner == BLACK) - np.int64(owner == WHITE)
    return score


@kernel
def area_score_within(board: Board, zone: np.ndarray) -> int:
    """The score of any position as it stands, of the points of a zone alone; an empty region may reach beyond it."""
    score = np.int64(0)
    seen = np.zeros(POINTS, np.bool_)
    queue = np.empty(POINTS, np.int64)
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            color = board.color[p]
            if color != EMPTY and zone[p]:
                score += (color == BLACK) - np.int64(color == WHITE)
            elif color == EMPTY and not seen[p]:
                size, reached = _region(board, p, seen, queue)
                for i in range(size):
                    if zone[queue[i]]:
                        score += (reached == BLACK) - np.int64(reached == WHITE)
    return score


@kernel
def _region(board: Board, start: int, seen: np.ndarray, queue: np.ndarray) -> tuple[int, int]:
    """Size of the empty region of `start`, marked in `seen`, and the OR of the colours of the stones around it."""
    queue[0] = start
    seen[start] = True
    count, done, reached = 1, 0, 0
    while done < count:
        p = queue[done]
        done += 1
        for q in (np.int64(north(p)), np.int64(east(p)), np.int64(south(p)), np.int64(west(p))):
            color = board.color[q]
            if color == EMPTY and not seen[q]:
                seen[q] = True
                queue[count] = q
                count += 1
            elif color == BLACK or color == WHITE:
                reached |= color
    return count, reached
