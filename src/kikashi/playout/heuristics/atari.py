"""Captures and escapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import Board, atari_liberty, east, enemy_of, in_atari, north, south, west
from kikashi.board.queries import find_liberties_after, is_self_atari
from kikashi.board.rng import random_below
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, bar, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.atari import chains_in_atari
from kikashi.playout.tactics.captures import is_caught_after


@heuristic(memories=["ataris"], source="Gelly et al. 2006, §3.2")
def capture(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Capture something, anywhere on the board; all capturing moves are alike."""
    enemy = enemy_of(sim.board.to_play)
    for i in range(chains_in_atari(sim.board, cells(my.ataris), enemy, sim.found)):
        mark_once(moves, atari_liberty(sim.board, sim.found[i]))


@heuristic(memories=["ataris"], source="Yoshizoe et al. 2006, Sequential")
def atari50(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Half of the probability goes to the capturing moves alike, the other half to all other moves alike."""
    enemy = enemy_of(sim.board.to_play)
    count = chains_in_atari(sim.board, cells(my.ataris), enemy, sim.found)
    if count == 0:
        return
    prefer = random_below(sim, 2) == 0
    for i in range(count):
        liberty = atari_liberty(sim.board, sim.found[i])
        if prefer:
            mark_once(moves, liberty)
        else:
            bar(moves, liberty, True)


@heuristic(memories=["board_to_read_on"], source="Gelly et al. 2006, §3.2", ladders=True)
def escape(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Save chains that the last move put into atari: by extending to two liberties or more, or by capturing a neighbour
    chain so that they have two or more. Without `ladders` they are not run with where a ladder catches them."""
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
            _add_saving_moves(sim, moves, np.int64(q), my)


@inlined
def _is_atari_of(board: Board, p: int, color: int) -> bool:
    return (board.color[p] == color) & in_atari(board, p)


@kernel
def _add_saving_moves(sim: Simulation, moves: Candidates, stone: int, my: Any) -> None:
    board = sim.board
    own = board.to_play
    enemy = enemy_of(own)
    liberty = atari_liberty(board, stone)
    if not is_self_atari(board, liberty, own, sim.found) and (my.ladders or not _is_vain(sim, liberty, my)):
        mark_once(moves, liberty)
    p = stone
    while True:
        for q in (north(p), east(p), south(p), west(p)):
            if board.color[q] == enemy and in_atari(board, q):
                taking = atari_liberty(board, q)
                # Elsewhere than on the last liberty, a capture leaves that one and adds what it takes.
                if taking != liberty:
                    mark_once(moves, taking)
        p = np.int64(board.next[np.uintp(p)])
        if p == stone:
            return


@kernel
def _is_vain(sim: Simulation, p: int, my: Any) -> bool:
    """Whether an extension to two liberties is the way into a ladder that works."""
    if find_liberties_after(sim.board, p, np.int64(sim.board.to_play), sim.found, 3) != 2:
        return False
    return is_caught_after(sim, p, p, my.board_to_read_on)
