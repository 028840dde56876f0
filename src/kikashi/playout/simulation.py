"""The record of a simulation, from the root of the search to the end of its playout: ``sim``.

Everything in it is plain data of fixed size. `kikashi.playout.playout_types` describes the fields.
"""

from typing import Any

import numpy as np

from kikashi.board.board_types import Board
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, STRIDE, WHITE
from kikashi.board.position import BOARD, enemy_of, play
from kikashi.board.scoring import owner_at_end
from kikashi.jit import inlined, kernel
from kikashi.playout.playout_types import Root as Root, Simulation as Simulation

HISTORY = 8
"""Number of moves before the root in a simulation, so that there always is a last move to answer."""

MAX_MOVES = 2048
"""The most moves of a simulation, including those before the root."""
SLOTS = 4
"""The most memories of a policy that may store something for each node of the tree."""

ROOT = np.dtype([("board", BOARD), ("history", "u2", (HISTORY,)), ("passes", "i8"), ("komi", "f8")], align=True)

SIMULATION = np.dtype(
    [
        ("board", BOARD),
        ("rng", "u8"),
        ("number", "i8"),
        ("komi", "f8"),
        *((name, "i8") for name in ("length", "tree_length", "root_color", "passes", "score")),
        ("value", "f8"),
        ("winner", "i8"),
        ("called", "i8"),  # the number of the part that was called last, for error messages
        ("zoned", "?"),
        *((name, "u1", (POINTS,)) for name in ("zone", "region", "first_by", "owner")),
        ("found", "u2", (POINTS,)),
        ("tally", "f8", (POINTS,)),
        ("place", "u2", (POINTS,)),
        ("moves", "u2", (MAX_MOVES,)),
        ("by", "u1", (MAX_MOVES,)),
        ("path", "i4", (MAX_MOVES, SLOTS)),
        ("depth", "i8"),
        ("nodes", "i4", (MAX_MOVES,)),
        ("hashes", "u8", (MAX_MOVES,)),
    ],
    align=True,
)


@kernel
def last_move(sim: Simulation, back: int) -> int:
    """Return the move made `back` moves ago, 1 for the latest, up to HISTORY before the root; PASS if there is none."""
    return np.int64(sim.moves[np.uintp(sim.length - back)])


@inlined
def move_at(sim: Simulation, i: int) -> int:
    """Return the move ``sim.moves[i]``."""
    return np.int64(sim.moves[np.uintp(i)])


@inlined
def color_row(color: int) -> int:
    """Return the first index of a colour in a table by colour and point."""
    return (np.int64(color) - BLACK) * POINTS


@kernel
def mover(sim: Simulation, i: int) -> int:
    """Return the player who made the move ``sim.moves[i]``."""
    return sim.root_color if (i - HISTORY) % 2 == 0 else enemy_of(sim.root_color)


@kernel
def color_at_depth(sim: Simulation) -> int:
    """Return the player to move at the node of the path at ``sim.depth``."""
    return sim.root_color if sim.depth % 2 == 0 else enemy_of(sim.root_color)


@inlined
def advance(sim: Simulation, p: int) -> None:
    """Make a move or a pass, on the board and in the list of moves."""
    play(sim.board, p)
    sim.moves[np.uintp(sim.length)] = p
    sim.length += 1
    sim.passes = sim.passes + 1 if p == PASS else 0


@kernel
def settle(sim: Simulation, score: int) -> float:
    """Set the score of a finished simulation; return its value: 1 if Black has won, a half for a draw."""
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
    """Set `sim.first_by` to the first player at each point among the moves from `start` up to `end`, but for passes.

    Other points keep their entries: longer stretches can be processed in parts, the last part first.
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
    """Return a starting point of simulations: a position with the last moves before it, the latest last."""
    root = np.zeros(1, ROOT)[0]
    root["board"] = board
    latest = history[-HISTORY:]
    root["history"][HISTORY - len(latest) :] = latest
    root["passes"] = passes
    root["komi"] = komi
    return root


def new_simulation(state: np.uint64) -> Any:
    """Return a record for the simulations of one thread, whose random numbers start at `state`."""
    sim = np.zeros(1, SIMULATION)[0]
    sim["rng"] = state
    return sim
