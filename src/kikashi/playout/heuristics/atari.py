"""Chains in atari: the memory that keeps them, and the heuristics that live on it.

Looking at every chain before every move would cost more than the playout. But a move can only put chains into atari
that it touches, so the memory `ataris` looks at those and keeps a list; whoever reads it drops what is out of date.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WHITE
from kikashi.board.position import Board, atari_liberty, east, in_atari, north, south, west
from kikashi.board.queries import is_self_atari
from kikashi.board.rng import random_below
from kikashi.compiling import inlined, kernel
from kikashi.playout.calling import cells
from kikashi.playout.candidates import Candidates, add_once, bar
from kikashi.playout.parts import heuristic, memory
from kikashi.playout.simulation import Simulation, last_move

_LIST = 1
_LISTED = 1 + POINTS


@memory(cells=1 + 2 * POINTS, scope="playout")
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
    for p in range(POINTS):
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


@heuristic(memories=["ataris"], source="Gelly et al. 2006, §3.2")
def capture(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Capture something, anywhere on the board; all capturing moves are alike."""
    enemy = BLACK + WHITE - sim.board.to_play
    for i in range(chains_in_atari(sim.board, cells(my.ataris), enemy, sim.found)):
        add_once(moves, atari_liberty(sim.board, sim.found[i]), 1.0)


@heuristic(memories=["ataris"], source="Yoshizoe et al. 2006, Sequential")
def atari50(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Half of the probability goes to the capturing moves alike, the other half to all other moves alike."""
    enemy = BLACK + WHITE - sim.board.to_play
    count = chains_in_atari(sim.board, cells(my.ataris), enemy, sim.found)
    if count == 0:
        return
    prefer = random_below(sim, 2) == 0
    for i in range(count):
        liberty = atari_liberty(sim.board, sim.found[i])
        if prefer:
            add_once(moves, liberty, 1.0)
        else:
            bar(moves, liberty, True)


@heuristic(source="Gelly et al. 2006, §3.2")
def escape(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Save chains that the last move put into atari: by extending to two liberties or more, or by capturing a neighbour
    chain so that they have two or more."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    own = board.to_play
    if not (
        _is_atari_of(board, north(last), own)
        | _is_atari_of(board, east(last), own)
        | _is_atari_of(board, south(last), own)
        | _is_atari_of(board, west(last), own)
    ):
        return
    for q in (north(last), east(last), south(last), west(last)):
        if _is_atari_of(board, q, own):
            _add_saving_moves(sim, moves, np.int64(q))


@inlined
def _is_atari_of(board: Board, p: int, color: int) -> bool:
    return (board.color[p] == color) & in_atari(board, p)


@kernel
def _add_saving_moves(sim: Simulation, moves: Candidates, stone: int) -> None:
    board = sim.board
    own = board.to_play
    enemy = BLACK + WHITE - own
    liberty = atari_liberty(board, stone)
    if not is_self_atari(board, liberty, own, sim.found):
        add_once(moves, liberty, 1.0)
    p = stone
    while True:
        for q in (north(p), east(p), south(p), west(p)):
            if board.color[q] == enemy and in_atari(board, q):
                taking = atari_liberty(board, q)
                # Elsewhere than on the last liberty, a capture leaves that one and adds what it takes.
                if taking != liberty:
                    add_once(moves, taking, 1.0)
        p = np.int64(board.next[np.uintp(p)])
        if p == stone:
            return
