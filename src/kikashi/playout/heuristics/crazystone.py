"""Crazy Stone's playouts: urgencies (Coulom 2006, A.1) and useless moves replaced (A.2)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import EMPTY, PASS, WALL
from kikashi.board.position import Board, atari_liberty, east, empty_neighbours, enemy_of, in_atari, north, south, west
from kikashi.board.queries import has_three_liberties, is_self_atari, second_liberty
from kikashi.jit import kernel
from kikashi.parts.blocks import cells
from kikashi.playout.candidates import REDRAW, Candidates, add, is_listed, reweigh, weight_of
from kikashi.playout.kinds import heuristic
from kikashi.playout.simulation import Simulation
from kikashi.playout.tactics.atari import chains_in_atari


@heuristic(memories=["ataris"], source="Coulom 2006, A.1", save=1_000.0, take=10_000.0, take_attacker=100_000.0)
def urgency(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Every point weighs 1; the last liberty of an own chain of S stones weighs 1,000 S more and of an enemy chain
    10,000 S more, unless it is a hopeless extension; 100,000 S more if that chain touches an own one in atari."""
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
        if _touches_atari(board, stone, own):
            _add_urgency(board, moves, stone, my.take_attacker)


@kernel
def _add_urgency(board: Board, moves: Candidates, stone: int, each: float) -> None:
    liberty = atari_liberty(board, stone)
    base = 0.0 if is_listed(moves, liberty) else moves.base
    add(moves, liberty, base + each * board.stones[board.chain[np.uintp(stone)]])


@kernel
def is_hopeless(board: Board, p: int, color: int) -> bool:
    """Whether extending at `p` cannot help a chain of `color`: at most one empty point beside it, no enemy chain in
    atari beside it and no own chain that is not in atari."""
    if empty_neighbours(board, p) > 1:
        return False
    for q in (north(p), east(p), south(p), west(p)):
        here = board.color[q]
        if here == enemy_of(color) and in_atari(board, q):
            return False
        if here == color and not in_atari(board, q):
            return False
    return True


@kernel
def _touches_atari(board: Board, stone: int, color: int) -> bool:
    """Whether the chain of `stone` touches a chain of `color` that is in atari."""
    return atari_beside(board, stone, color) != PASS


@kernel
def atari_beside(board: Board, stone: int, color: int) -> int:
    """A stone of a chain of `color` in atari that touches the chain of `stone`; PASS if there is none."""
    p = np.int64(stone)
    while True:
        for q in (north(p), east(p), south(p), west(p)):
            if board.color[q] == color and in_atari(board, q):
                return np.int64(q)
        p = np.int64(board.next[np.uintp(p)])
        if p == stone:
            return np.int64(PASS)


@heuristic(source="Coulom 2006, A.2", urgent=1_000.0)
def useless_moves(sim: Simulation, moves: Candidates, my: Any) -> None:
    """Proposes nothing, but replaces drawn moves that are useless: at the end of a 3-point eye plays its middle, among
    enemy stones the one empty neighbour; for a self-atari of two stones or more draws again, captures or extends."""


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
    """The one empty neighbour of `p` where that is the better point: the first two cases of A.2. PASS if it is not."""
    board = sim.board
    own = board.to_play
    empty, chain, one_chain, stones = np.int64(PASS), np.int64(0), True, 0
    for q in (north(p), east(p), south(p), west(p)):
        here = board.color[q]
        if here == EMPTY:
            empty = np.int64(q)
        elif here != WALL:
            stones |= here
            one_chain = one_chain and (chain == 0 or chain == np.int64(board.chain[q]))
            chain = np.int64(board.chain[q])
    if stones == own and one_chain and _touches_chain(board, empty, chain):
        return empty
    if stones == enemy_of(own) and not _changes_atari(board, p):
        return empty
    return np.int64(PASS)


@kernel
def _touches_chain(board: Board, p: int, chain: int) -> bool:
    for q in (north(p), east(p), south(p), west(p)):
        if board.color[q] != WALL and np.int64(board.chain[q]) == chain:
            return True
    return False


@kernel
def _changes_atari(board: Board, p: int) -> bool:
    """Whether a stone at `p` captures an enemy chain or puts one into atari."""
    for q in (north(p), east(p), south(p), west(p)):
        if board.color[q] == enemy_of(board.to_play) and not has_three_liberties(board, q, p):
            return True
    return False


@kernel
def _is_large_self_atari(sim: Simulation, p: int) -> bool:
    """Whether playing at `p` makes a chain of two stones or more with one liberty."""
    board = sim.board
    own = board.to_play
    if empty_neighbours(board, p) >= 2:
        return False
    for q in (north(p), east(p), south(p), west(p)):
        if board.color[q] == own:
            return is_self_atari(board, p, own, sim.found)
    return False


@kernel
def _better_than_self_atari(sim: Simulation, p: int) -> int:
    """Instead of a self-atari at `p`: the capture of a chain in atari beside the own chain, else its other liberty."""
    board = sim.board
    own = board.to_play
    for q in (north(p), east(p), south(p), west(p)):
        if board.color[q] == own:
            attacker = atari_beside(board, np.int64(q), enemy_of(own))
            if attacker != PASS:
                return atari_liberty(board, attacker)
    for q in (north(p), east(p), south(p), west(p)):
        if board.color[q] == own:
            other = second_liberty(board, q, p)
            if other != PASS:
                return other
    return np.int64(PASS)
