"""Instruments, not heuristics: they watch all simulations of a search and change nothing.

A preset switches a memory on (``memories = ["local_play(questions=2)"]``). That one watches a corner of the board:
`ask` writes questions into its cells when the search has been started, `answers` reads what was counted when it has
run; `kikashi.experiments.local_play` does both. ``first_move_owners`` tells who owned what after each move of the root:
`owners_after` reads it, for `kikashi.protocols.kata`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, points_of
from kikashi.board.scoring import owner_at_end
from kikashi.jit import kernel
from kikashi.parts.blocks import add_to_cell, cells
from kikashi.playout.kinds import memory
from kikashi.playout.simulation import HISTORY, Simulation, find_owners, mover

MOST_QUESTIONS = 16
OWNER, REPLY = 1, 2
WHAT, COLOR, MOVE, ANSWER, TIMES, HITS, ALL, MARKS = range(8)
"""Where a question's cells are: what it asks, then what was counted, then a mark for each point it names."""
ROW = MARKS + POINTS


@dataclass(frozen=True)
class Question:
    """Whether `points` end as `color`'s or, if there is a `move`, whether `color`'s move there is answered by `answer`
    when none of `points` was played before."""

    color: int
    points: tuple[int, ...]
    move: int = PASS
    answer: int = PASS


@dataclass(frozen=True)
class Answer:
    """What was counted for a question."""

    times: int
    """Simulations that counted: all of them, or those with the move."""
    hits: int
    """The points that ended as the colour's, over all these simulations, or how often the answer was the right one."""
    all: int
    """Simulations in which all points ended so, or the same as hits."""


def ask(block: np.ndarray, questions: Iterable[Question]) -> None:
    """Write questions into the cells of the memory, which must be zeros."""
    for number, question in enumerate(questions):
        row = block[number * ROW : (number + 1) * ROW]
        row[WHAT] = OWNER if question.move == PASS else REPLY
        row[COLOR], row[MOVE], row[ANSWER] = question.color, question.move, question.answer
        for p in question.points:
            row[MARKS + p] = 1


def answers(block: np.ndarray) -> list[Answer]:
    """What was counted, question by question."""
    rows = block.reshape(-1, ROW)[:, [TIMES, HITS, ALL]].tolist()
    return [Answer(*row) for row in rows]


def _size(parameters: Any) -> int:
    return ROW * int(parameters["questions"])


@memory(cells=_size, source="Baier 2010, §5.3.1", limits={"questions": (1, MOST_QUESTIONS)}, questions=1)
def local_play(sim: Simulation, my: Any) -> None:
    """For instruments: counts who owned some points in the end, and how some move was answered. It changes nothing."""
    table = cells(my.cells)
    for question in range(my.questions):
        at = ROW * question
        if table[np.uintp(at + WHAT)] == OWNER:
            owned, missed = _owned(sim, table, at)
            add_to_cell(my.cells, at + TIMES, 1)
            add_to_cell(my.cells, at + HITS, owned)
            add_to_cell(my.cells, at + ALL, 1 if missed == 0 else 0)
        elif table[np.uintp(at + WHAT)] == REPLY:
            reply = _reply_to(sim, table, at)
            right = 1 if reply == table[np.uintp(at + ANSWER)] else 0
            add_to_cell(my.cells, at + TIMES, 0 if reply == NEVER else 1)
            add_to_cell(my.cells, at + HITS, right)
            add_to_cell(my.cells, at + ALL, right)


NEVER = -1


@kernel
def _owned(sim: Simulation, table: np.ndarray, at: int) -> tuple[int, int]:
    """How many of the marked points ended as the question's colour, and how many did not."""
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
    """What followed the first time that the colour made the move; NEVER if it did not, or a marked point came first.

    A simulation that ends with the move is taken as one that passes.
    """
    for i in range(HISTORY, sim.length):
        p = np.int64(sim.moves[np.uintp(i)])
        if p == table[np.uintp(at + MOVE)] and mover(sim, i) == table[np.uintp(at + COLOR)]:
            return np.int64(sim.moves[np.uintp(i + 1)]) if i + 1 < sim.length else PASS
        if table[np.uintp(at + MARKS + p)] != 0:
            return NEVER
    return NEVER


@memory(cells=POINTS * POINTS)
def first_move_owners(sim: Simulation, my: Any) -> None:
    """For instruments: counts who owned each point in the end, apart for each first move of simulations."""
    if sim.length == HISTORY:
        return
    row = POINTS * np.int64(sim.moves[np.uintp(HISTORY)])
    add_to_cell(my.cells, row, 1)  # no stone can be at point 0: its cell has the number of simulations
    find_owners(sim)
    for p in range(POINTS):
        if sim.owner[p] != EMPTY:
            add_to_cell(my.cells, row + p, 1 if sim.owner[p] == BLACK else -1)


def owners_after(block: np.ndarray, size: int) -> dict[int, list[float]]:
    """By first move: who owned the points of the board, A1 first, from -1 for White's to 1 for Black's."""
    counts = block.reshape(POINTS, POINTS)
    points = points_of(size)
    tried = np.flatnonzero(counts[:, 0]).tolist()
    return {move: (counts[move, points] / counts[move, 0]).tolist() for move in tried}
