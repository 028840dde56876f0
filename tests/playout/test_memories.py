"""Memories, proved with toys: learning, observing, and what threads share."""

import numpy as np

from helpers.toy_policy import A1, B1, C3, E5, SIZE, run, worker_for
from kikashi.board.points import BLACK, PASS, WHITE
from kikashi.board.position import new_board
from kikashi.playout import (
    HISTORY,
    add,
    cells,
    heuristic,
    last_move,
    memory,
    mover,
    new_root,
)
from kikashi.playout.loop import begin, make_move, playout
from kikashi.playout.worker import Memories, Worker


@memory(cells=4, step=1)
def toy_tally(sim, my):
    """Counts simulations, wins of Black, and the moves since the root."""
    tally = cells(my.cells)
    tally[0] += my.step
    tally[1] += sim.winner == BLACK
    tally[2] += sim.length - HISTORY
    for i in range(HISTORY, sim.length):
        tally[3] += mover(sim, i) == WHITE


@heuristic(memories=["toy_tally"])
def toy_reader(sim, moves, my):
    """Plays A1 first in the first simulation, B1 in all later ones."""
    if sim.length == HISTORY:
        add(moves, A1 if cells(my.toy_tally)[0] == 0 else B1, 1.0)


@heuristic(memories=["toy_tally"], at=0)
def toy_writer(sim, moves, my):
    """Changes what the other heuristic reads."""
    cells(my.toy_tally)[my.at] += 100


def block_of(worker: Worker, name: str) -> np.ndarray:
    return next(block for (memory, _), block in worker.memory_blocks.items() if memory == name)


def test_a_memory_learns_when_a_simulation_is_over() -> None:
    worker = worker_for("toy_reader")
    moves = run(worker, 7)
    simulations, wins, learned_moves, by_white = block_of(worker, "toy_tally")
    assert (simulations, learned_moves) == (7, moves)
    assert 0 <= wins <= 7
    assert abs(2 * by_white - moves) <= 7


def test_a_heuristic_reads_its_memory() -> None:
    worker = worker_for("toy_reader")
    run(worker, 1)
    assert worker.sim["moves"][HISTORY] == A1
    run(worker, 1)
    assert worker.sim["moves"][HISTORY] == B1


def test_two_heuristics_share_one_memory() -> None:
    worker = worker_for("toy_writer,toy_reader")
    run(worker, 1)
    assert worker.record["learners"] == 1
    assert worker.sim["moves"][HISTORY] == B1


def test_other_parameters_mean_another_memory() -> None:
    worker = worker_for("toy_reader(step=1),toy_reader(step=5)")
    run(worker, 3)
    assert worker.record["learners"] == 2
    assert sorted(block[0] for block in worker.memory_blocks.values()) == [3, 15]


def test_a_memory_sizes_itself_by_its_parameters() -> None:
    @memory(cells=lambda parameters: 10 * parameters["width"], width=2)
    def toy_sized(sim, my):
        """Learns nothing."""

    @heuristic(memories=["toy_sized"])
    def toy_uses_sized(sim, moves, my):
        """Proposes nothing."""

    assert block_of(worker_for("toy_uses_sized(width=7)"), "toy_sized").size == 70


def test_threads_share_a_memory_of_the_search() -> None:
    memories = Memories()
    first, second = (worker_for("toy_reader", memories, seed) for seed in (1, 2))
    run(first, 2)
    run(second, 3)
    assert block_of(first, "toy_tally")[0] == 5
    memories.clear()
    assert block_of(second, "toy_tally")[0] == 0


@memory(cells=3, scope="playout")
def toy_witness(sim, my):
    """Checks at the end that every move was shown; counts in a cell that is cleared with the rest."""
    seen = cells(my.cells)
    if seen[0] != sim.length - HISTORY:
        raise ValueError("a move was not observed")
    seen[1] += 1


@toy_witness.observe
def _(sim, my):
    seen = cells(my.cells)
    seen[0] += 1
    seen[2] += last_move(sim, 1) == PASS


@heuristic(memories=["toy_witness"])
def toy_with_witness(sim, moves, my):
    """Proposes nothing."""


def test_a_memory_observes_every_move_and_forgets_before_each_playout() -> None:
    worker = worker_for("toy_with_witness")
    moves = run(worker, 1)
    run(worker, 4)
    observed, learned, passes = block_of(worker, "toy_witness")
    assert learned == 1
    assert observed == worker.sim["length"] - HISTORY != moves * 5
    assert passes >= 2


def test_moves_of_the_tree_are_observed_and_learned_from() -> None:
    worker = worker_for("toy_with_witness,toy_reader")
    begin(worker.sim, worker.record, new_root(new_board(SIZE)))
    for move in (E5, C3):
        make_move(worker.sim, worker.record, move)
    playout(worker.sim, worker.moves, worker.record)
    assert worker.sim["tree_length"] == HISTORY + 2
    assert block_of(worker, "toy_witness")[1] == 1
    assert block_of(worker, "toy_tally")[2] == worker.sim["length"] - HISTORY


def test_threads_have_memories_of_a_playout_for_themselves() -> None:
    memories = Memories()
    first, second = (worker_for("toy_with_witness", memories) for _ in range(2))
    assert block_of(first, "toy_witness").ctypes.data != block_of(second, "toy_witness").ctypes.data
