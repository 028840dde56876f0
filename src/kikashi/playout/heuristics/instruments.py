"""Instruments: memories that observe all simulations of a search and do not influence it.

A preset switches them on (``memories = ["local_play(questions=2)"]``). `local_play` counts outcomes in a part of the
board, for `kikashi.experiments.kinds.local`: `write_questions` sets up its cells once the search has been made,
`read_counts` reads them at the end. `first_move_owners` counts the owners of points after each move of the root, for
`kikashi.protocols.kata`; `owners_after` reads it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, points_of
from kikashi.board.scoring import owner_at_end
from kikashi.jit import kernel
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.kinds import memory
from kikashi.playout.simulation import HISTORY, Simulation, find_owners, move_at, mover

MAX_QUESTIONS = 16
OWNER, REPLY = 1, 2
KIND, COLOR, MOVE, ANSWER, TIMES, HITS, ALL, MARKS = range(8)
"""Cells of a question: its kind and arguments, then the counts, then a mark for each of its points."""
ROW = MARKS + POINTS
NEVER = -1


@dataclass(frozen=True)
class LocalQuestion:
    """A question about simulations: does `color` own `points` at the end or, with a `move`, does `answer` follow
    `color`'s move there, provided that none of `points` was played before?"""

    color: int
    points: tuple[int, ...]
    move: int = PASS
    answer: int = PASS


@dataclass(frozen=True)
class LocalCounts:
    """The counts of a question."""

    times: int
    """Simulations that counted: all of them, or those with the move."""
    hits: int
    """Points that ended as the colour's, over all these simulations, or the number of right answers."""
    all: int
    """Simulations in which all points ended so, or the same as hits."""


def write_questions(block: np.ndarray, questions: Iterable[LocalQuestion]) -> None:
    """Write questions into the cells of the memory, which must be zeros."""
    for number, question in enumerate(questions):
        row = block[number * ROW : (number + 1) * ROW]
        row[KIND] = OWNER if question.move == PASS else REPLY
        row[COLOR], row[MOVE], row[ANSWER] = question.color, question.move, question.answer
        for p in question.points:
            row[MARKS + p] = 1


def read_counts(block: np.ndarray) -> list[LocalCounts]:
    """Return the counts of all questions."""
    return [LocalCounts(*row) for row in block.reshape(-1, ROW)[:, [TIMES, HITS, ALL]].tolist()]


@memory(
    cells=lambda parameters: ROW * int(parameters["questions"]),
    source="Baier 2010, §5.3.1",
    limits={"questions": (1, MAX_QUESTIONS)},
    questions=1,
)
def local_play(sim: Simulation, my: Any) -> None:
    """An instrument: the final owners of some points, and the answers to some move. It influences nothing."""
    table = cells(my.cells)
    for question in range(my.questions):
        at = ROW * question
        if table[np.uintp(at + KIND)] == OWNER:
            owned, missed = _owned(sim, table, at)
            add_to_cell(my.cells, at + TIMES, 1)
            add_to_cell(my.cells, at + HITS, owned)
            add_to_cell(my.cells, at + ALL, 1 if missed == 0 else 0)
        elif table[np.uintp(at + KIND)] == REPLY:
            reply = _reply_to(sim, table, at)
            right = 1 if reply == table[np.uintp(at + ANSWER)] else 0
            add_to_cell(my.cells, at + TIMES, 0 if reply == NEVER else 1)
            add_to_cell(my.cells, at + HITS, right)
            add_to_cell(my.cells, at + ALL, right)


@kernel
def _owned(sim: Simulation, table: np.ndarray, at: int) -> tuple[int, int]:
    """Return the numbers of marked points that the question's colour owns at the end, and of the others."""
    owned, missed = 0, 0
    for p in range(POINTS):
        if table[np.uintp(at + MARKS + p)] != 0:
            if owner_at_end(sim.board, p) == table[np.uintp(at + COLOR)]:
                owned += 1
            else:
                missed += 1
    return owned, missed


@kernel
def _reply_to(sim: Simulation, table: np.ndarray, at: int) -> int:
    """Return the answer to the colour's first move at the point; NEVER without one, or if a marked point came first.

    At the end of a simulation the answer is a pass.
    """
    for i in range(HISTORY, sim.length):
        p = move_at(sim, i)
        if p == table[np.uintp(at + MOVE)] and mover(sim, i) == table[np.uintp(at + COLOR)]:
            return move_at(sim, i + 1) if i + 1 < sim.length else PASS
        if table[np.uintp(at + MARKS + p)] != 0:
            return NEVER
    return NEVER


@memory(cells=POINTS * POINTS)
def first_move_owners(sim: Simulation, my: Any) -> None:
    """An instrument: the final owners of all points, for each first move of simulations."""
    if sim.length == HISTORY:
        return
    row = POINTS * move_at(sim, HISTORY)
    add_to_cell(my.cells, row, 1)  # point 0 is a wall: its cell counts the simulations
    find_owners(sim)
    for p in range(POINTS):
        if sim.owner[p] != EMPTY:
            add_to_cell(my.cells, row + p, 1 if sim.owner[p] == BLACK else -1)


def owners_after(block: np.ndarray, size: int) -> dict[int, list[float]]:
    """Return by first move the ownership of the points of the board, A1 first, from -1 for White to 1 for Black."""
    counts = block.reshape(POINTS, POINTS)
    points = points_of(size)
    tried = np.flatnonzero(counts[:, 0]).tolist()
    return {move: (counts[move, points] / counts[move, 0]).tolist() for move in tried}
