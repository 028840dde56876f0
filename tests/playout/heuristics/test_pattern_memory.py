"""Pattern memory beside a list in Python: the same content after every move of a playout, and the same proposals."""

import os
from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from helpers.heuristic_cases import Case, cases, check_proposals, propose
from helpers.naive import NaiveBoard
from helpers.naive_patterns import grid_around, naive_proposals, players
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WALL, WHITE, parse_vertex, vertex
from kikashi.board.position import new_board
from kikashi.jit import kernel
from kikashi.playout import make_policy, new_root
from kikashi.playout.heuristics.pattern_memory import END, FIRST_WAITING, HEAD, WAITING
from kikashi.playout.loop import begin, choose, make_move
from kikashi.playout.tactics.patterns import AROUND
from kikashi.playout.worker import Memories, Worker

LIST = "capture,pattern_collector,pattern_retriever"
COLLECTOR, RETRIEVER, UNIFORM = 1, 2, 3


# -- diagrams ----------------------------------------------------------------------------------------------------------


PATTERN3 = [case for case in cases("pattern3") if case.field("part") == "pattern3"]


@pytest.mark.parametrize("case", PATTERN3, ids=lambda case: case.id)
def test_the_collector_proposes_as_pattern3_does(case: Case) -> None:
    check_proposals(case.asking("pattern_collector"))


@pytest.mark.parametrize("case", cases("pattern_memory"), ids=lambda case: case.id)
def test_proposals_of_the_retriever(case: Case) -> None:
    check_proposals(case, before_move=lambda worker: propose(worker, 1))


# -- beside a transcription --------------------------------------------------------------------------------------------


class Transcription:
    """§7.3 in Python: for each player the saved points, the latest first."""

    def __init__(self) -> None:
        self.saved: dict[int, list[int]] = {BLACK: [], WHITE: []}

    def collected(self, naive: NaiveBoard, last: int) -> list[int]:
        """What the collector lists, clockwise from the north."""
        found = naive_proposals(naive, last)
        return [last + step for step in AROUND if last + step in found]

    def retrieved(self, naive: NaiveBoard) -> list[int]:
        """What the retriever lists; the rest is forgotten."""
        own = naive.to_play
        empty = [p for p in self.saved[own] if naive.color_at(p) == EMPTY]
        holding = [p for p in empty if own in players(grid_around(naive, p)) and not naive.is_self_atari(p, own)]
        self.saved[own] = holding
        return holding

    def save(self, color: int, collected: list[int], played: int) -> None:
        """Save what the collector listed besides the move that was played."""
        for p in collected:
            if p != played and p not in self.saved[color]:
                self.saved[color].insert(0, p)


def table_of(worker: Worker) -> np.ndarray:
    (table,) = [block for (name, _), block in worker.memory_blocks.items() if name == "saved_patterns"]
    return table


def content(worker: Worker) -> dict[int, list[int]]:
    """The saved points of both players, the latest first; also a check that nothing else is linked."""
    table = table_of(worker)
    found = {color: list(_chain(table[(color - BLACK) * POINTS :][:POINTS])) for color in (BLACK, WHITE)}
    on_board = [p for p in range(POINTS) if worker.sim["board"]["color"][p] != WALL]
    for color, chain in found.items():
        row = table[(color - BLACK) * POINTS :]
        assert {p for p in on_board if row[p]} == set(chain)
        assert len(set(chain)) == len(chain)
    return found


def _chain(row: np.ndarray) -> Iterator[int]:
    p = int(row[HEAD])
    while p not in (0, END):
        yield p
        p = int(row[p])


@kernel
def _choose(sim, moves, policy):
    return choose(sim, moves, policy)


def check_playout(worker: Worker, size: int, random: Random, counts: Counter[str]) -> None:
    """One playout move by move, after some moves of a tree with passes among them."""
    naive, model, last = NaiveBoard(size), Transcription(), PASS
    begin(worker.sim, worker.record, new_root(new_board(size)))
    in_tree = random.randrange(6)
    for number in range(3 * size * size):
        color, collected = naive.to_play, []
        if random.random() < 0.2:  # asked as for priors
            assert list(propose(worker, RETRIEVER).weights) == model.retrieved(naive), str(naive)
            collected = model.collected(naive, last)
            assert list(propose(worker, COLLECTOR).weights) == collected, str(naive)
            counts["asked"] += 1
        if number < in_tree:
            played = random.choice([PASS, *(p for p in naive.points() if naive.is_legal(p))])
        else:
            played, by = choose_with_source(worker)
            if by >= COLLECTOR:
                collected = model.collected(naive, last)
                assert by != COLLECTOR or played in collected
            if by >= RETRIEVER:
                retrieved = model.retrieved(naive)
                assert by != RETRIEVER or played in retrieved
                counts["retrieved"] += by == RETRIEVER
        make_move(worker.sim, worker.record, played)
        naive.play(played)
        model.save(color, collected, played)
        assert content(worker) == model.saved, f"{vertex(played)}\n{naive}"
        counts["saved"] = max(counts["saved"], len(model.saved[color]))
        if played == last == PASS:
            break
        last = played
    counts["playouts"] += 1


def choose_with_source(worker: Worker) -> tuple[int, int]:
    """The next move of the playout, and the number of the heuristic that had it."""
    before = worker.record["moves_by"][:UNIFORM].tolist()
    played = int(_choose(worker.sim, worker.moves, worker.record))
    moved = [now > then for now, then in zip(worker.record["moves_by"][:UNIFORM].tolist(), before, strict=True)]
    return played, moved.index(True) if any(moved) else UNIFORM


def worker_on(size: int) -> Worker:
    return Worker(make_policy(LIST), Memories(), size=size, seed=1)


@pytest.mark.parametrize("size", [2, 3, 5, 9])
def test_memory_and_proposals_are_those_of_the_transcription(size: int) -> None:
    worker, random, counts = worker_on(size), Random(size), Counter()
    for _ in range(3 if size == 9 else 15):
        check_playout(worker, size, random, counts)
    assert counts["asked"] > 10
    assert size < 5 or (counts["retrieved"] > 10 and counts["saved"] > 3)


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "playouts"), [(3, 150), (4, 60), (5, 25), (7, 8), (13, 2)])
def test_playouts_are_those_of_the_transcription(size: int, playouts: int) -> None:
    worker, random, counts = worker_on(size), Random(size), Counter()
    playouts *= 30 if os.environ.get("KIKASHI_SOAK") else 1
    for _ in range(playouts):
        check_playout(worker, size, random, counts)
    assert counts["playouts"] == playouts
    assert counts["retrieved"] > playouts / 50


def test_every_playout_starts_with_nothing_saved() -> None:
    worker = worker_on(9)
    table_of(worker)[:] = 1
    begin(worker.sim, worker.record, new_root(new_board(9)))
    assert not table_of(worker).any()


def test_a_point_that_is_found_again_is_saved_once() -> None:
    worker = worker_on(9)
    begin(worker.sim, worker.record, new_root(new_board(9)))
    found = [parse_vertex(name, 9) for name in ("C3", "D3", "C3")]
    for _ in range(2):
        table_of(worker)[[WAITING, *range(FIRST_WAITING, FIRST_WAITING + 3)]] = [3, *found]
        make_move(worker.sim, worker.record, PASS)
        make_move(worker.sim, worker.record, PASS)
    assert content(worker) == {BLACK: [found[1], found[0]], WHITE: []}
