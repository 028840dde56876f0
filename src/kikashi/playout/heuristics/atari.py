"""Captures, escapes, and false eyes that a capture would make real."""

from typing import Any

import numpy as np

from kikashi.board.points import PASS, STRIDE
from kikashi.board.position import Board, atari_liberty, enemy_of, in_atari, neighbours, surrounding
from kikashi.board.queries import find_liberties_after, is_self_atari, takes_ko
from kikashi.board.rng import random_below
from kikashi.jit import inlined, kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import Candidates, bar, mark_once
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation, last_move
from kikashi.playout.tactics.atari import chains_in_atari, is_caught_after

DIAGONALS = (STRIDE + 1, 1 - STRIDE, -STRIDE - 1, STRIDE - 1)
"""Clockwise from the north-east."""


@heuristic(memories=["ataris"], source="Gelly et al. 2006, §3.2", kos=True)
def capture(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play any capturing move of the whole board, all with the same probability. Without `kos`, do not answer the
    taking of a ko by taking another one."""
    board = sim.board
    enemy = enemy_of(board.to_play)
    for i in range(chains_in_atari(board, cells(my.ataris), enemy, sim.found)):
        p = atari_liberty(board, sim.found[i])
        if my.kos or board.ko == PASS or not takes_ko(board, p, board.to_play):
            mark_once(moves, p)


@heuristic(memories=["ataris"], source="Yoshizoe et al. 2006, Sequential")
def atari50(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Play, with probability one half each, one of the capturing moves or one of all others."""
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
    """Save chains that the last move put into atari, so that they have two liberties or more: extend them or capture a
    neighbouring chain. Without `ladders`, do not extend a chain that a ladder catches."""
    last = last_move(sim, 1)
    if last == PASS:
        return
    board = sim.board
    own = board.to_play
    n, e, s, w = neighbours(last)
    in_vertical = _is_atari_of(board, n, own) | _is_atari_of(board, s, own)
    if not (in_vertical | _is_atari_of(board, e, own) | _is_atari_of(board, w, own)):
        return
    for q in (n, e, s, w):
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
    if not is_self_atari(board, liberty, own, sim.found) and (my.ladders or not _runs_into_ladder(sim, liberty, my)):
        mark_once(moves, liberty)
    p = stone
    while True:
        for q in neighbours(p):
            if board.color[q] == enemy and in_atari(board, q):
                taking = atari_liberty(board, q)
                # A capture elsewhere than on the last liberty keeps that liberty and adds the points it empties.
                if taking != liberty:
                    mark_once(moves, taking)
        p = np.int64(board.next[np.uintp(p)])
        if p == stone:
            return


@kernel
def _runs_into_ladder(sim: Simulation, p: int, my: Any) -> bool:
    if find_liberties_after(sim.board, p, np.int64(sim.board.to_play), sim.found, 3) != 2:
        return False
    return is_caught_after(sim, p, p, my.board_to_read_on)


@heuristic(source="our own, after the corrections of other programs")
def false_eyes(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Propose nothing, but replace a drawn move that would fill a false eye of one's own: if an enemy chain diagonal to
    it is in atari, capture that chain."""


@false_eyes.review
def _review(sim: Simulation, moves: Candidates, point: int, my: Any) -> int:
    board = sim.board
    own = board.to_play
    if surrounding(board, point) & own != 0:
        for i in range(4):
            q = point + DIAGONALS[i]
            if board.color[np.uintp(q)] == enemy_of(own) and in_atari(board, q):
                return atari_liberty(board, q)
    return point
