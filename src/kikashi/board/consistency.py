"""Consistency checks of boards, which detect parts that changed them."""

import numpy as np

from kikashi.board.points import BLACK, EMPTY, MAX_SIZE, POINTS, STRIDE, WALL, WHITE
from kikashi.board.position import ZOBRIST, Board
from kikashi.jit import kernel


@kernel
def adds_up(board: Board) -> bool:
    """Return whether the colours of a board agree with its hash, its balance, its empty points and its chains."""
    if not (0 < board.size <= MAX_SIZE and (board.to_play == BLACK or board.to_play == WHITE)):
        return False
    empty, balance, links, found = np.int64(0), np.int64(0), np.int64(0), np.uint64(0)
    for row in range(1, board.size + 1):
        for column in range(1, board.size + 1):
            p = row * STRIDE + column
            color, name, following = np.int64(board.color[p]), np.int64(board.chain[p]), np.int64(board.next[p])
            if color >= WALL or name >= POINTS or following >= POINTS:
                return False
            if board.color[name] != color or board.chain[following] != name:
                return False
            links += (following - p) * (following + p + 1)  # 0 in the end, as `next` is a permutation
            if color == EMPTY:
                at = np.int64(board.empty_at[p])
                if at >= board.empty_count or board.empty[at] != p:
                    return False
                empty += 1
            else:
                found ^= ZOBRIST[color, p]
                balance += BLACK + WHITE - 2 * color
    counted = empty == board.empty_count and balance == board.balance
    return bool(counted and found == board.hash and links == 0)


@kernel
def may_add_up(board: Board) -> bool:
    """Return whether a quick check finds no error: a stone at a listed empty point, or an impossible balance."""
    for i in range(board.empty_count):
        if board.color[board.empty[i]] != EMPTY:
            return False
    stones = board.size * board.size - board.empty_count
    return abs(board.balance) <= stones and (stones - board.balance) % 2 == 0
