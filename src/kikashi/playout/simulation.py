"""What one simulation carries, from the root of the search to the end of its playout.

Heuristics and memories get this record as ``sim``. Everything in it is plain data of fixed size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kikashi.board.board_types import Board
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, STRIDE, WHITE
from kikashi.board.position import BOARD, enemy_of, play
from kikashi.board.scoring import owner_at_end
from kikashi.jit import inlined, kernel
from kikashi.playout.playout_types import Root as Root, Simulation as Simulation

HISTORY = 8
"""Moves before the root that a simulation remembers, so that there always is a last move to answer."""

MAX_MOVES = 2048
"""Room for the moves of a simulation, those before the root among them."""
SLOTS = 4
"""How many memories of one policy may keep something for each node of the tree."""

ROOT = np.dtype(
    [
        ("board", BOARD),
        ("history", "u2", (HISTORY,)),  # the moves before the root, the latest last; PASS where there was none
        ("passes", "i8"),  # how many of the latest were passes in a row
        ("komi", "f8"),
    ],
    align=True,
)

SIMULATION = np.dtype(
    [
        ("board", BOARD),
        ("rng", "u8"),
        ("number", "i8"),  # how many simulations came before this one: in the thread, or by the plan of a staged search
        ("komi", "f8"),  # with a zone, less the score outside it
        ("length", "i8"),  # entries of `moves`
        ("tree_length", "i8"),  # of which were made before the playout: by the tree, or before the root
        ("root_color", "i8"),  # who is to play at the root
        ("passes", "i8"),
        ("score", "i8"),  # when it is over: area, Black minus White, without komi; of the zone alone if there is one
        ("value", "f8"),  # when it is over: Black's chance to win; 1, 0, or a half for a draw if it was played out
        ("winner", "i8"),  # when it is over, by its value: BLACK, WHITE, or EMPTY for a half
        ("asked", "i8"),  # the part that was called last, for error messages
        ("zoned", "?"),  # whether moves outside the zone are barred
        ("zone", "u1", (POINTS,)),
        ("region", "u1", (POINTS,)),  # scratch space for a region rule: not 0 at the points it marks
        ("first_by", "u1", (POINTS,)),  # scratch space of `note_first_players`
        ("owner", "u1", (POINTS,)),  # scratch space of `find_owners`
        ("found", "u2", (POINTS,)),  # scratch space for `find_liberties` and its like
        ("tally", "f8", (POINTS,)),  # scratch space: the weight of a point that may be listed twice
        ("place", "u2", (POINTS,)),  # scratch space: where a point is among the children of a node
        ("moves", "u2", (MAX_MOVES,)),  # HISTORY moves before the root, then all since
        ("by", "u1", (MAX_MOVES,)),  # where a memory picks: who made a move of a playout, a heuristic or UNIFORM
        ("path", "i4", (MAX_MOVES, SLOTS)),  # what memories keep for the nodes passed, the root first
        ("depth", "i8"),  # nodes passed below the root
        ("nodes", "i4", (MAX_MOVES,)),  # the nodes passed, the root first
        ("hashes", "u8", (MAX_MOVES,)),  # the positions at them
    ],
    align=True,
)


@kernel
def last_move(sim: Simulation, back: int) -> int:
    """The move made `back` moves ago, 1 for the latest, up to HISTORY before the root; PASS if there was none."""
    return np.int64(sim.moves[np.uintp(sim.length - back)])


@kernel
def mover(sim: Simulation, i: int) -> int:
    """Who made the move ``sim.moves[i]``."""
    return sim.root_color if (i - HISTORY) % 2 == 0 else enemy_of(sim.root_color)


@kernel
def color_at_depth(sim: Simulation) -> int:
    """Who is to play at the node of the path that ``sim.depth`` says."""
    return sim.root_color if sim.depth % 2 == 0 else enemy_of(sim.root_color)


@inlined
def advance(sim: Simulation, p: int) -> None:
    """Make a move, a pass too: on the board and in the list."""
    play(sim.board, p)
    sim.moves[np.uintp(sim.length)] = p
    sim.length += 1
    sim.passes = sim.passes + 1 if p == PASS else 0


@kernel
def settle(sim: Simulation, score: int) -> float:
    """Write down the score of a simulation that is over; return its value: 1 if Black has won, a half for a draw."""
    sim.score = score
    margin = sim.score - sim.komi
    set_value(sim, 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5)
    return sim.value


@kernel
def set_value(sim: Simulation, value: float) -> None:
    """Set the value of a simulation, Black's chance to win, and the likelier winner."""
    sim.value = value
    sim.winner = BLACK if value > 0.5 else WHITE if value < 0.5 else EMPTY


@inlined
def note_first_players(sim: Simulation, start: int, end: int) -> None:
    """Note in `sim.first_by` the first player at each point among the moves from `start` up to `end`, but for passes.

    Other points keep their entries, so a longer stretch can be noted part by part, the last part first.
    """
    for i in range(end - 1, start - 1, -1):
        sim.first_by[sim.moves[np.uintp(i)]] = mover(sim, i)
    sim.first_by[PASS] = EMPTY


@kernel
def find_owners(sim: Simulation) -> None:
    """Write the owner of each point of a finished simulation into `sim.owner`: BLACK, WHITE or EMPTY."""
    board = sim.board
    sim.owner[:] = EMPTY
    for row in range(1, board.size + 1):
        for p in range(row * STRIDE + 1, row * STRIDE + board.size + 1):
            sim.owner[np.uintp(p)] = owner_at_end(board, p)


def new_root(board: Board, *, history: tuple[int, ...] = (), passes: int = 0, komi: float = 7.5) -> Root:
    """Where simulations start: a position with the last moves that led to it, the latest last."""
    root = np.zeros(1, ROOT)[0]
    root["board"] = board
    latest = history[-HISTORY:]
    root["history"][HISTORY - len(latest) :] = latest
    root["passes"] = passes
    root["komi"] = komi
    return root


def new_simulation(state: np.uint64) -> Any:
    """Room for simulations of one thread, whose random numbers start at `state`."""
    sim = np.zeros(1, SIMULATION)[0]
    sim["rng"] = state
    return sim
