"""The effect of a move on the chains beside it: captures, escapes, ataris, self-ataris and ladders."""

from typing import Any

import numpy as np

from kikashi.board.points import PASS
from kikashi.board.position import enemy_of, neighbours, only_liberty_is
from kikashi.board.queries import captures, find_liberties_after, is_self_atari, second_liberty
from kikashi.jit import inlined
from kikashi.playout.kinds import feature
from kikashi.playout.simulation import Simulation
from kikashi.playout.tactics.atari import atari_beside, is_caught_after

SIZES = ("one stone", "two or three stones", "four stones or more")
LARGE = 4


@inlined
def _size_level(stones: int) -> int:
    """Return the level, 1, 2 or 3, of a number of stones in SIZES."""
    return 1 + (stones > 1) + (stones >= LARGE)


@feature(
    levels=("no", "one stone", "several stones", "one stone, which saves a chain", "several, which saves a chain"),
    source="Coulom 2007",
)
def capture(sim: Simulation, point: int, my: Any) -> int:
    """Captures of stones, which may be beside an own chain in atari."""
    board = sim.board
    own = np.int64(board.to_play)
    taken = captures(board, point, own)
    if taken == 0:
        return 0
    saves = False
    for q in neighbours(point):
        if board.color[q] == enemy_of(own) and only_liberty_is(board, q, point):
            saves |= atari_beside(board, np.int64(q), own) != PASS
    return (1 if taken == 1 else 2) + 2 * np.int64(saves)


@feature(levels=("no", *SIZES, "in vain"), source="Coulom 2007")
def escape(sim: Simulation, point: int, my: Any) -> int:
    """Extension of a chain in atari, the largest if there are several; in vain if it stays in atari."""
    board = sim.board
    own = np.int64(board.to_play)
    level = np.int64(0)
    for q in neighbours(point):
        if board.color[q] == own and only_liberty_is(board, q, point):
            level = max(level, _size_level(board.stones[board.chain[q]]))
    return np.int64(4) if level > 0 and is_self_atari(board, point, own, sim.found) else level


@feature(levels=("no", *SIZES), source="Coulom 2007")
def atari(sim: Simulation, point: int, my: Any) -> int:
    """Atari on a chain, the largest if there are several."""
    board = sim.board
    enemy = enemy_of(np.int64(board.to_play))
    level = np.int64(0)
    for q in neighbours(point):
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
    """Self-atari without a capture: by the stones that the chain had, and whether it puts another chain into atari."""
    board = sim.board
    own = np.int64(board.to_play)
    if not is_self_atari(board, point, own, sim.found) or captures(board, point, own) > 0:
        return 0
    largest, threatens = np.int64(0), False
    for q in neighbours(point):
        if board.color[q] == own:
            largest = max(largest, np.int64(board.stones[board.chain[q]]))
        elif board.color[q] == enemy_of(own):
            threatens |= second_liberty(board, q, point) != PASS
    return 1 + (largest > 0) + (largest > 2) + 3 * np.int64(threatens)


@feature(levels=("no", "to fewer than three", "to three or more"), source="our own")
def two_liberties(sim: Simulation, point: int, my: Any) -> int:
    """Extension of a chain with two liberties, by its liberties after it."""
    board = sim.board
    own = np.int64(board.to_play)
    for q in neighbours(point):
        if board.color[q] == own and second_liberty(board, q, point) != PASS:
            return 1 + np.int64(find_liberties_after(board, point, own, sim.found, 3) == 3)
    return 0


@feature(
    memories=["board_to_read_on"],
    levels=(
        "none",
        "an atari that it gets out of",
        "an atari that catches",
        "an escape in vain",
        "an escape that works",
    ),
    source="Coulom 2007",
)
def ladder(sim: Simulation, point: int, my: Any) -> int:
    """Atari, or extension out of one to two liberties, by the outcome of the ladder."""
    board = sim.board
    own = np.int64(board.to_play)
    level = np.int64(0)
    for q in neighbours(point):
        if board.color[q] == own and only_liberty_is(board, q, point):
            if find_liberties_after(board, point, own, sim.found, 3) == 2:
                return 3 if is_caught_after(sim, point, point, my.board_to_read_on) else 4
        elif board.color[q] == enemy_of(own) and second_liberty(board, q, point) != PASS:
            level = max(level, 2 if is_caught_after(sim, point, q, my.board_to_read_on) else 1)
    return level
