"""Area scores, Black's minus White's, without komi."""

import numpy as np

from kikashi.board.points import BLACK, EMPTY, POINTS, STRIDE, WHITE
from kikashi.board.position import Board, east, north, south, surrounding, west
from kikashi.jit import inlined, kernel

_WHOLE_BOARD = np.ones(POINTS, np.uint8)


@inlined
def owner_at_end(board: Board, p: int) -> int:
    """Return the owner of a point of a finished playout: its stone's colour or the only colour around it, or EMPTY."""
    color = board.color[np.uintp(p)]
    return color if color != EMPTY else surrounding(board, p)


@kernel
def playout_score(board: Board) -> int:
    """Return the score of a finished playout: stones, and empty points whose four neighbours are all of one colour.

    It is exact if every empty point is a one-point eye or neutral, as at the end of playouts.
    """
    score = np.int64(board.balance)
    for i in range(board.empty_count):
        owner = surrounding(board, board.empty[i])
        score += (owner == BLACK) - np.int64(owner == WHITE)
    return score


@kernel
def area_score(board: Board) -> int:
    """Return the area score of any position: stones, and empty regions that touch only one colour."""
    return area_score_within(board, _WHOLE_BOARD)


@kernel
def playout_score_within(board: Board, zone: np.ndarray) -> int:
    """Return the score of a finished playout over the points that are not 0 in `zone`."""
    score = np.int64(0)
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            if zone[p]:
                owner = owner_at_end(board, p)
                score += (owner == BLACK) - np.int64(owner == WHITE)
    return score


@kernel
def area_score_within(board: Board, zone: np.ndarray) -> int:
    """Return the area score over the points of a zone alone; an empty region may reach beyond it."""
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
    """List the empty region of `start` in `queue`, marked in `seen`; return its size and the OR of border colours."""
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
