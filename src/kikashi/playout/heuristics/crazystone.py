"""Crazy Stone's playouts: urgencies (Coulom 2006, A.1) and useless moves replaced (A.2)."""

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, WALL
from kikashi.board.position import Board, adjacencies, atari_liberty, empty_neighbours, enemy_of, in_atari, neighbours
from kikashi.board.queries import has_three_liberties, is_self_atari, second_liberty
from kikashi.jit import kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import REDRAW, Candidates, add, is_listed, reweigh, weight_of
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation
from kikashi.playout.tactics.atari import atari_beside, chains_in_atari


@heuristic(memories=["ataris"], source="Coulom 2006, A.1", save=1_000.0, take=10_000.0, take_attacker=100_000.0)
def urgency(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Weigh every point 1, and the last liberty of an own chain of S stones 1,000 S more, of an enemy chain 10,000 S
    more, unless it is a hopeless extension; 100,000 S more if the enemy chain touches an own one in atari."""
    board = sim.board
    own = board.to_play
    enemy = enemy_of(own)
    moves.base = 1.0
    table = cells(my.ataris)
    for i in range(chains_in_atari(board, table, own, sim.found)):
        stone = np.int64(sim.found[i])
        if not is_hopeless(board, atari_liberty(board, stone), own):
            _add_urgency(board, moves, stone, my.save)
    for i in range(chains_in_atari(board, table, enemy, sim.found)):
        stone = np.int64(sim.found[i])
        if not is_hopeless(board, atari_liberty(board, stone), enemy):
            _add_urgency(board, moves, stone, my.take)
        if atari_beside(board, stone, own) != PASS:
            _add_urgency(board, moves, stone, my.take_attacker)


@kernel
def _add_urgency(board: Board, moves: Candidates, stone: int, each: float) -> None:
    liberty = atari_liberty(board, stone)
    base = 0.0 if is_listed(moves, liberty) else moves.base
    add(moves, liberty, base + each * board.stones[board.chain[np.uintp(stone)]])


@kernel
def is_hopeless(board: Board, p: int, color: int) -> bool:
    """Return whether extending at `p` cannot help a chain of `color`: `p` has at most one empty neighbour, no enemy
    chain in atari and no own chain that is not in atari beside it."""
    if empty_neighbours(board, p) > 1:
        return False
    for q in neighbours(p):
        here = board.color[q]
        if here == enemy_of(color) and in_atari(board, q):
            return False
        if here == color and not in_atari(board, q):
            return False
    return True


@heuristic(source="Coulom 2006, A.2", urgent=1_000.0)
def useless_moves(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Propose nothing, but replace useless drawn moves: the end of a 3-point eye by its middle, a point among enemy
    stones by its only empty neighbour, a self-atari of two stones or more by another draw, a capture or an
    extension."""


@useless_moves.review
def _review(sim: Simulation, moves: Candidates, point: int, my: Any) -> int:
    board = sim.board
    if empty_neighbours(board, point) == 1:
        instead = _end_of_a_row(sim, point)
        if instead != PASS:
            return instead
    if _is_large_self_atari(sim, point):
        if weight_of(moves, point) >= my.urgent:
            reweigh(moves, point, 1.0)
            return REDRAW
        instead = _better_than_self_atari(sim, point)
        if instead != PASS:
            return instead
    return point


@kernel
def _end_of_a_row(sim: Simulation, p: int) -> int:
    """Return the only empty neighbour of `p` if it is the better point, by the first two cases of A.2; else PASS."""
    board = sim.board
    own = board.to_play
    empty, chain, one_chain, stones = np.int64(PASS), np.int64(0), True, 0
    for q in neighbours(p):
        here = board.color[q]
        if here == EMPTY:
            empty = np.int64(q)
        elif here != WALL:
            stones |= here
            one_chain = one_chain and (chain == 0 or chain == np.int64(board.chain[q]))
            chain = np.int64(board.chain[q])
    if stones == own and one_chain and adjacencies(board, chain, empty) > 0:
        return empty
    if stones != enemy_of(own):
        return np.int64(PASS)
    for q in neighbours(p):
        if board.color[q] == stones and not has_three_liberties(board, q, p):  # a capture or an atari
            return np.int64(PASS)
    return empty


@kernel
def _is_large_self_atari(sim: Simulation, p: int) -> bool:
    """Return whether playing at `p` makes a chain of two stones or more with one liberty."""
    board = sim.board
    own = board.to_play
    if empty_neighbours(board, p) >= 2:
        return False
    for q in neighbours(p):
        if board.color[q] == own:
            return is_self_atari(board, p, own, sim.found)
    return False


@kernel
def _better_than_self_atari(sim: Simulation, p: int) -> int:
    """Return the capture of a chain in atari beside the chain that `p` would join, else its other liberty or PASS."""
    board = sim.board
    own = board.to_play
    for q in neighbours(p):
        if board.color[q] == own:
            attacker = atari_beside(board, np.int64(q), enemy_of(own))
            if attacker != PASS:
                return atari_liberty(board, attacker)
    for q in neighbours(p):
        if board.color[q] == own:
            other = second_liberty(board, q, p)
            if other != PASS:
                return other
    return np.int64(PASS)
