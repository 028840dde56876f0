"""A plugin with types: `tests/test_api.py` has a type checker look at it. Lines that are wrong say so."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from kikashi.board import EMPTY, PASS, Board, east, in_atari, new_board, play, random_below
from kikashi.jit import kernel
from kikashi.playout import (
    REDRAW,
    Block,
    Candidates,
    Kind,
    Simulation,
    add,
    add_to_cell,
    cells,
    feature,
    heuristic,
    last_move,
    mark,
    memory,
    records,
)
from kikashi.search import BANNED, MOMENTS, TreeRecord, games, nodes_of, selection, statistic


class Contact(Protocol):
    """The record of `contact`: its parameter, and the memory that it reads."""

    weight: float
    answers: Block


@kernel
def is_open(board: Board, point: int) -> bool:
    """Whether the point to the east is empty."""
    return board.color[east(point)] == EMPTY


@heuristic(weight=1.0, memories=["answers"])
def contact(sim: Simulation, moves: Candidates, my: Contact) -> None:
    """Play beside the last move."""
    last = last_move(sim, 1)
    if last != PASS and is_open(sim.board, last) and not in_atari(sim.board, last):
        add(moves, east(last), my.weight * cells(my.answers)[last])
        moves.ordered = random_below(sim, 2) == 0
    mark(moves, sim.board.colour[last])  # wrong: attr-defined
    add(moves, last)  # wrong: call-arg
    add(moves, my.wieght, 1.0)  # wrong: attr-defined
    sim.length = 3  # wrong: misc
    sim.board.color[last] = EMPTY  # wrong: index
    play(sim.board, last)  # wrong: arg-type


@contact.review
def think_again(sim: Simulation, moves: Candidates, point: int, my: Contact) -> int:
    """Not at a random time."""
    return REDRAW if random_below(sim, 10) == 0 else point


class Answers(Protocol):
    """The record of `answers`."""

    cells: Block


@memory(cells=500)
def answers(sim: Simulation, my: Answers) -> None:
    """How often a point was the last."""
    add_to_cell(my.cells, last_move(sim, 1), 1)


@heuristic()  # wrong: arg-type
def no_list(sim: Simulation, my: Any) -> None:
    """It has forgotten its list."""


@feature(levels=("no", "yes"))
def open_to_the_east(sim: Simulation, point: int, my: Any) -> int:
    """Whether the point to the east is empty."""
    return 1 if is_open(sim.board, point) else 0


class Seen(Protocol):
    """A row of the statistic `seen`."""

    times: int


SEEN = np.dtype([("times", "i4")])
A_SEEN: Seen = np.zeros(1, SEEN)[0]


@statistic(row=SEEN)
def seen(sim: Simulation, tree: TreeRecord, my: Any) -> None:
    """How often a node was passed."""
    for depth in range(sim.depth + 1):
        row = records(my.seen, A_SEEN)[sim.nodes[depth]]
        row.times += 1
        row.time += 1  # wrong: attr-defined


@selection()
def least_seen(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> int:
    """The child with the fewest games."""
    nodes = nodes_of(tree)
    best = nodes[node].first
    for child in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if not nodes[child].flags & BANNED and games(nodes[child]) < games(nodes[best]):
            best = child
    nodes[best].visits = 0  # wrong: misc
    return best


surprise = Kind("surprise", "Surprises", [MOMENTS["passed"]])


@surprise()
def surprising(sim: Simulation, tree: TreeRecord, node: int, my: Any) -> None:
    """A kind of one's own does not say what it is called with."""


board = new_board(9)
play(board, 21)
board["to_play"] = 1
