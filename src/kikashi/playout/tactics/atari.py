"""Chains in atari, and ladders.

Looking at every chain before every move would cost more than the playout. But a move can only put chains into atari
that it touches, so the memory `ataris` looks at those alone and lists them; readers drop outdated entries.
"""

from typing import Any

import numpy as np

from kikashi.board.ladders import is_caught
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, STRIDE, WHITE
from kikashi.board.position import BOARD, Board, in_atari, neighbours, play
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells, copy_record, records
from kikashi.playout.kinds import memory
from kikashi.playout.simulation import Simulation, last_move

_LIST = 1
_LISTED = 1 + POINTS


@memory(cells=1 + 2 * POINTS, scope="playout", learns=False)
def ataris(sim: Simulation, my: Any) -> None:
    """Stones of chains that were put into atari: cell 0 is their number plus one, then the stones, then marks."""


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
    n, e, s, w = neighbours(p)
    vertical = _is_stone_in_atari(board, n) | _is_stone_in_atari(board, s)
    if in_atari(board, p) | vertical | _is_stone_in_atari(board, e) | _is_stone_in_atari(board, w):
        for q in (np.uintp(p), n, e, s, w):
            _note(board, table, q)


@kernel
def _scan(board: Board, table: np.ndarray) -> None:
    """List all chains in atari of a position that was not observed."""
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
    """List the chain at `p`, by its name, if it is in atari and not listed."""
    if _is_stone_in_atari(board, p):
        stone = board.chain[p]
        if table[_LISTED + stone] == 0:
            table[_LISTED + stone] = 1
            table[_LIST + table[0] - 1] = stone
            table[0] += 1


@kernel
def chains_in_atari(board: Board, table: np.ndarray, color: int, found: np.ndarray) -> int:
    """Write one stone of each chain of `color` in atari into `found`, drop outdated entries, return the number."""
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


@kernel
def atari_beside(board: Board, stone: int, color: int) -> int:
    """Return a stone of a chain of `color` in atari that touches the chain of `stone`; PASS if there is none."""
    p = np.int64(stone)
    while True:
        for q in neighbours(p):
            if board.color[q] == color and in_atari(board, q):
                return np.int64(q)
        p = np.int64(board.next[np.uintp(p)])
        if p == stone:
            return np.int64(PASS)


@memory(cells=BOARD.itemsize // 4 + 1, scope="thread", learns=False)
def board_to_read_on(sim: Simulation, my: Any) -> None:
    """A board of the thread, on which parts read ahead."""


@kernel
def is_caught_after(sim: Simulation, point: int, stone: int, board_to_read_on: Any) -> bool:
    """Return whether a ladder catches the chain of `stone` after the move; the last argument is that memory's block."""
    board = records(board_to_read_on, sim.board)[0]
    copy_record(board, sim.board)
    play(board, point)
    return is_caught(board, np.int64(stone), sim.found)
