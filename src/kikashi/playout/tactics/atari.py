"""Chains in atari: the memory that keeps them.

Looking at every chain before every move would cost more than the playout. But a move can only put chains into atari
that it touches, so the memory `ataris` looks at those and keeps a list; whoever reads it drops what is out of date.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, STRIDE, WHITE
from kikashi.board.position import Board, east, in_atari, north, south, west
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.kinds import memory
from kikashi.playout.simulation import Simulation, last_move

_LIST = 1
_LISTED = 1 + POINTS


@memory(cells=1 + 2 * POINTS, scope="playout", learns=False)
def ataris(sim: Simulation, my: Any) -> None:
    """Stones of chains that were put into atari: cell 0 is their number plus one, then come the stones, then marks."""


@ataris.observe
def _observe(sim: Simulation, my: Any) -> None:
    p = last_move(sim, 1)
    if p == PASS:
        return
    table = cells(my.cells)
    if table[0] == 0:
        _scan(sim.board, table)
        return
    board = sim.board
    if (
        in_atari(board, p)
        | _is_stone_in_atari(board, north(p))
        | _is_stone_in_atari(board, east(p))
        | _is_stone_in_atari(board, south(p))
        | _is_stone_in_atari(board, west(p))
    ):
        for q in (np.uintp(p), north(p), east(p), south(p), west(p)):
            _note(board, table, q)


@kernel
def _scan(board: Board, table: np.ndarray) -> None:
    """Note all chains of a position that nothing is known of yet."""
    table[0] = 1
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            _note(board, table, np.uintp(p))


@inlined
def _is_stone_in_atari(board: Board, p: int) -> bool:
    color = board.color[p]
    return ((color == BLACK) | (color == WHITE)) & in_atari(board, p)


@kernel
def _note(board: Board, table: np.ndarray, p: int) -> None:
    """Put the chain at `p` on the list if it is in atari, under its name, unless it is there."""
    if _is_stone_in_atari(board, p):
        stone = board.chain[p]
        if table[_LISTED + stone] == 0:
            table[_LISTED + stone] = 1
            table[_LIST + table[0] - 1] = stone
            table[0] += 1


@kernel
def chains_in_atari(board: Board, table: np.ndarray, color: int, found: np.ndarray) -> int:
    """Write one stone of each chain of `color` in atari into `found` and return how many; tidies the list."""
    if table[0] == 0:
        _scan(board, table)
    listed = table[0] - 1
    count = 0
    i = 0
    while i < listed:
        stone = np.int64(table[_LIST + i])
        here = board.color[np.uintp(stone)]
        if here == EMPTY or not in_atari(board, stone):
            listed -= 1
            table[_LISTED + stone] = 0
            table[_LIST + i] = table[_LIST + listed]
            continue
        if here == color and not _has_chain(board, found, count, stone):
            found[count] = stone
            count += 1
        i += 1
    table[0] = listed + 1
    return count


@kernel
def _has_chain(board: Board, found: np.ndarray, count: int, stone: int) -> bool:
    for i in range(count):
        if board.chain[found[i]] == board.chain[np.uintp(stone)]:
            return True
    return False
