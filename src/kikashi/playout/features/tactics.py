"""What a move does to the chains beside it: takes, saves, threatens, or throws itself away."""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import Board, east, enemy_of, in_atari, north, only_liberty_is, south, west
from kikashi.board.queries import captures, find_liberties_after, is_self_atari, second_liberty
from kikashi.jit import inlined, kernel
from kikashi.playout.kinds import feature
from kikashi.playout.simulation import Simulation

SIZES = ("one stone", "two or three stones", "four stones or more")
LARGE = 4


@inlined
def _size_level(stones: int) -> int:
    """1, 2 or 3, as SIZES has them."""
    return 1 + (stones > 1) + (stones >= LARGE)


@feature(
    levels=("no", "one stone", "several stones", "one stone, which saves a chain", "several, which saves a chain"),
    source="Coulom 2007",
)
def capture(sim: Simulation, point: int, my: Any) -> int:
    """Whether it takes stones, and whether these stood beside a chain of one's own that is in atari."""
    board = sim.board
    own = np.int64(board.to_play)
    taken = captures(board, point, own)
    if taken == 0:
        return 0
    saves = False
    for q in (north(point), east(point), south(point), west(point)):
        if board.color[q] == enemy_of(own) and only_liberty_is(board, q, point):
            saves |= _touches_atari(board, np.int64(q), own)
    return (1 if taken == 1 else 2) + 2 * np.int64(saves)


@kernel
def _touches_atari(board: Board, stone: int, color: int) -> bool:
    """Whether a chain of `color` in atari is beside the chain of `stone`."""
    p = stone
    while True:
        for q in (north(p), east(p), south(p), west(p)):
            if board.color[q] == color and in_atari(board, q):
                return True
        p = np.int64(board.next[np.uintp(p)])
        if p == stone:
            return False


@feature(levels=("no", *SIZES, "in vain"), source="Coulom 2007")
def escape(sim: Simulation, point: int, my: Any) -> int:
    """Whether it extends a chain that is in atari, the largest if there are several; in vain if it stays in atari."""
    board = sim.board
    own = np.int64(board.to_play)
    level = np.int64(0)
    for q in (north(point), east(point), south(point), west(point)):
        if board.color[q] == own and only_liberty_is(board, q, point):
            level = max(level, _size_level(board.stones[board.chain[q]]))
    return np.int64(4) if level > 0 and is_self_atari(board, point, own, sim.found) else level


@feature(levels=("no", *SIZES), source="Coulom 2007")
def atari(sim: Simulation, point: int, my: Any) -> int:
    """Whether it puts a chain into atari, the largest if there are several."""
    board = sim.board
    enemy = enemy_of(np.int64(board.to_play))
    level = np.int64(0)
    for q in (north(point), east(point), south(point), west(point)):
        if board.color[q] == enemy and second_liberty(board, q, point) != PASS:
            level = max(level, _size_level(board.stones[board.chain[q]]))
    return level


@feature(
    levels=(
        *("no", "a lone stone", "with one or two stones", "with three or more"),
        *("a lone stone, with atari", "with one or two stones, with atari", "with three or more, with atari"),
    ),
    source="Coulom 2007",
)
def self_atari(sim: Simulation, point: int, my: Any) -> int:
    """Whether it leaves its own chain with one liberty and takes nothing: by the stones that the chain had, and whether
    it puts another chain into atari."""
    board = sim.board
    own = np.int64(board.to_play)
    if not is_self_atari(board, point, own, sim.found) or captures(board, point, own) > 0:
        return 0
    largest, threatens = np.int64(0), False
    for q in (north(point), east(point), south(point), west(point)):
        if board.color[q] == own:
            largest = max(largest, np.int64(board.stones[board.chain[q]]))
        elif board.color[q] == enemy_of(own):
            threatens |= second_liberty(board, q, point) != PASS
    return 1 + (largest > 0) + (largest > 2) + 3 * np.int64(threatens)


@feature(levels=("no", "to fewer than three", "to three or more"), source="our own")
def two_liberties(sim: Simulation, point: int, my: Any) -> int:
    """Whether it extends a chain of two liberties, and how many that has then."""
    board = sim.board
    own = np.int64(board.to_play)
    for q in (north(point), east(point), south(point), west(point)):
        if board.color[q] == own and second_liberty(board, q, point) != PASS:
            return 1 + np.int64(find_liberties_after(board, point, own, sim.found, 3) == 3)
    return 0
