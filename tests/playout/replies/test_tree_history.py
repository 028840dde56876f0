"""History heuristics of the tree beside counters: what the selection chose counts, playouts and results do not
(Baier 2010, §3.4.2)."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from helpers.heuristic_cases import empty_points, propose
from helpers.searching import search_of, visited
from helpers.simulations import Simulations
from kikashi import Game
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WHITE, opponent, parse_vertex
from kikashi.board.position import new_board, play
from kikashi.engine.preset import load_preset
from kikashi.playout import HISTORY, make_policy, new_root
from kikashi.playout.loop import begin, make_move, playout
from kikashi.playout.worker import Memories, Worker

Choices = Counter[tuple[int, ...]]
"""By colour, with order 2 also by last move, and by move."""
PRESETS = {1: "history1", 2: "history2"}
SIMULATIONS = {2: 100, 3: 100, 5: 40, 9: 100}


def kept(block: np.ndarray, order: int) -> Choices:
    """What the memory has counted."""
    table = block.reshape(2, *[POINTS] * order)
    return Counter({(int(at[0]) + BLACK, *map(int, at[1:])): int(table[tuple(at)]) for at in np.argwhere(table)})


def count(choices: Choices, order: int, moves: list[int], color: int) -> None:
    """Count moves that the selection chose; the first of them is the last move before the root, and not counted."""
    for last, p in pairwise(moves):
        if p != PASS and (order == 1 or last != PASS):
            choices[(color, p) if order == 1 else (color, last, p)] += 1
        color = opponent(color)


@pytest.mark.parametrize("before", [[], ["C3"], ["C3", "pass"]])
@pytest.mark.parametrize("order", PRESETS)
def test_the_counts_of_a_search_are_the_visits_of_its_nodes(order: int, before: list[str]) -> None:
    """Each visit of a node is a choice of the selection, the answer at the root to the move before it among them."""
    game = Game(5)
    for name in before:
        game.push(name)
    search = search_of(load_preset(PRESETS[order], ["feasibility=eyelike"]).config, game)
    search.run(600)
    turn = int(game.board["to_play"])
    expected: Choices = Counter()
    for path, node in visited(search.tree):
        line = [*(before[-1:] or ["pass"]), *path][-2:]
        last, p = (parse_vertex(name, 5) for name in (line if path else ["pass", "pass"]))
        color = turn if len(path) % 2 == 1 else opponent(turn)
        if p != PASS and (order == 1 or last != PASS):
            expected[(color, p) if order == 1 else (color, last, p)] += node.visits
    (block,) = search.memories.named("tree_choices")
    assert kept(block, order) == expected
    assert sum(expected.values()) > 600


@pytest.mark.parametrize("size", SIMULATIONS)
@pytest.mark.parametrize("order", PRESETS)
def test_the_vacant_point_chosen_most_often_is_proposed(order: int, size: int) -> None:
    simulations = Simulations(f"tree_history(order={order})", size)
    worker, choices, answers = simulations.worker, Counter(), Counter()
    (block,) = worker.memory_blocks.values()
    for _ in range(SIMULATIONS[size]):
        moves, first, _ = simulations.run()
        sim = worker.sim
        in_tree = int(sim["tree_length"]) - HISTORY
        assert in_tree <= len(moves)
        count(choices, order, [int(sim["moves"][HISTORY - 1]), *moves[:in_tree]], first)
        assert kept(block, order) == choices
        for _ in simulations.random_moves():
            color, last = int(sim["board"]["to_play"]), int(sim["moves"][sim["length"] - 1])
            values = {p: choices[(color, p) if order == 1 else (color, last, p)] for p in empty_points(worker)}
            highest = max(values.values(), default=0)
            best = {p for p in values if values[p] == highest > 0 and (order == 1 or last != PASS)}
            proposed = propose(worker).weights
            assert set(proposed) <= best
            assert len(proposed) == min(1, len(best))
            answers[bool(best)] += 1
    assert answers[True] > 20
    assert order == 1 or answers[False] > 20
    assert simulations.winners[BLACK] > 0 < simulations.winners[WHITE]


# --- by hand ----------------------------------------------------------------------------------------------------------

A1, B2, C3, D4, E5 = (parse_vertex(name, 5) for name in ("A1", "B2", "C3", "D4", "E5"))


def simulate(worker: Worker, history: tuple[int, ...], *tree: int) -> None:
    """Run a simulation from where `history` led, with these moves of the tree."""
    board = new_board(5)
    for p in history:
        play(board, p)
    begin(worker.sim, worker.record, new_root(board, history=history))
    for p in tree:
        make_move(worker.sim, worker.record, p)
    playout(worker.sim, worker.moves, worker.record)


def answer(worker: Worker, *history: int) -> set[int]:
    """What is proposed after some moves, asked often."""
    board = new_board(5)
    for p in history:
        play(board, p)
    begin(worker.sim, worker.record, new_root(board, history=history))
    return {p for _ in range(40) for p in propose(worker).weights}


def test_an_answer_of_the_tree_counts_even_if_it_loses() -> None:
    """White loses every simulation by komi. The thesis's example: an answer is useful only when it is provoked."""
    worker = Worker(load_preset("history2").config.policy, Memories(), size=5, seed=1)
    for reply in (B2, D4, D4):
        board = new_board(5)
        begin(worker.sim, worker.record, new_root(board, komi=-100.5))
        for p in (C3, reply):
            make_move(worker.sim, worker.record, p)
        playout(worker.sim, worker.moves, worker.record)
        assert worker.sim["winner"] == BLACK
    assert answer(worker, C3) == {D4}
    assert answer(worker, E5) == set(), "it was never provoked by this"
    assert answer(worker, A1, C3) == set(), "Black never answered"
    simulate(worker, (), C3, B2)
    assert answer(worker, C3) == {B2, D4}, "ties are drawn"


def test_the_first_order_ignores_the_last_move() -> None:
    worker = Worker(make_policy("tree_history(order=1)"), Memories(), size=5, seed=1)
    simulate(worker, (), C3, B2)
    simulate(worker, (C3,), B2, D4)
    simulate(worker, (E5,), D4)
    assert answer(worker, C3) == answer(worker, PASS, PASS, A1) == {B2}, "White's, twice"
    assert answer(worker, PASS, B2) == {C3, D4}, "Black's, once each"
    assert answer(worker, C3, B2) == {D4}, "vacant points alone"


def test_a_pass_is_neither_a_question_nor_an_answer() -> None:
    worker = Worker(make_policy("tree_history"), Memories(), size=5, seed=1)
    simulate(worker, (), PASS, C3)
    simulate(worker, (A1,), PASS)
    simulate(worker, (PASS,), C3)
    (block,) = worker.memory_blocks.values()
    assert not block.any()
    assert int(worker.sim["board"]["color"][C3]) != EMPTY
