"""The instrument that watches one place: its counts beside a recount of every simulation, move by move."""

import numpy as np
import pytest

from helpers.naive import Position
from helpers.searching import run_traced, search_of
from kikashi import Game
from kikashi.board.points import BLACK, WHITE, opponent, parse_vertex, points_of
from kikashi.engine.preset import load_preset
from kikashi.playout.heuristics.instruments import (
    LocalCounts,
    LocalQuestion,
    owners_after,
    read_counts,
    write_questions,
)

SIZE = 5
QUESTIONS = [
    (WHITE, "B2 B3 C3", None, None),
    (BLACK, "A1", None, None),
    (BLACK, "", "C3", "C2"),
    (WHITE, "A1 B1 C3", "D4", "B4"),
    (BLACK, "D4", "B4", "D4"),
]
"""Colour, points, and for replies the move and the answer."""


def as_question(color: int, points: str, move: str | None, answer: str | None) -> LocalQuestion:
    marked = tuple(parse_vertex(name, SIZE) for name in points.split())
    if move is None or answer is None:
        return LocalQuestion(color, marked)
    return LocalQuestion(color, marked, parse_vertex(move, SIZE), parse_vertex(answer, SIZE))


LOCAL_QUESTIONS = [as_question(*one) for one in QUESTIONS]


def watched(preset: str, game: Game, *, threads: int = 1):
    """A search with the questions, and the cells of the instrument."""
    config = load_preset(preset, [f'memories+="local_play(questions={len(LOCAL_QUESTIONS)})"']).config
    search = search_of(config, game, threads=threads)
    (block,) = search.memories.named("local_play")
    write_questions(block, LOCAL_QUESTIONS)
    return search, block


def owner(position: Position, p: int) -> int:
    """Who owns a point of a finished board: who is there, or all around."""
    around = {position.color_at(q) for q in position.neighbours(p)}
    return position.color_at(p) or (around.pop() if len(around) == 1 else 0)


def recounted(question: LocalQuestion, moves: tuple[int, ...], first: int, end: Position) -> LocalCounts:
    """What one simulation adds to a question's counts, by its list of moves and its last board."""
    if not question.move:
        owned = sum(owner(end, p) == question.color for p in question.points)
        return LocalCounts(1, owned, int(owned == len(question.points)))
    for i, move in enumerate(moves):
        color = first if i % 2 == 0 else opponent(first)
        if (move, color) == (question.move, question.color):
            right = int(moves[i + 1 : i + 2] == (question.answer,))
            return LocalCounts(1, right, right)
        if move in question.points:
            break
    return LocalCounts(0, 0, 0)


@pytest.mark.parametrize("turn", ["black", "white"])
@pytest.mark.parametrize("preset", ["orego-2010", "lgrf2", "crazystone-2006"])
def test_counts_are_those_of_every_simulation(preset: str, turn: str) -> None:
    search, block = watched(preset, Game(SIZE).turned_to(turn))
    expected = [(0, 0, 0)] * len(LOCAL_QUESTIONS)
    for _ in range(400):
        trace = run_traced(search)
        board = search.workers[0].sim["board"]
        end = Position(SIZE, {p: int(board["color"][p]) for p in points_of(SIZE) if board["color"][p]})
        for k, question in enumerate(LOCAL_QUESTIONS):
            found = recounted(question, trace.moves, trace.to_play, end)
            times, hits, together = expected[k]
            expected[k] = (times + found.times, hits + found.hits, together + found.all)
    assert read_counts(block) == [LocalCounts(*counts) for counts in expected]
    found = read_counts(block)
    assert [one.times for one in found[:2]] == [400, 400]
    assert 0 < sum(one.times for one in found[2:]) < 1200, "some simulations had the moves, others had not"
    assert sum(one.hits for one in found[2:]) > 0


def test_threads_lose_no_count() -> None:
    search, block = watched("orego-2010", Game(SIZE), threads=2)
    search.run(2000)
    assert [one.times for one in read_counts(block)[:2]] == [2000, 2000]


def test_owners_are_counted_by_first_move() -> None:
    """The means of all first moves, each as often as it was tried, are the owners that the search itself counts."""
    config = load_preset("lgrf2", ['memories+="first_move_owners"']).config
    search = search_of(config, Game.from_diagram("...../.XXX./...../.OOO./....."))
    search.run(500)
    (block,) = search.memories.named("first_move_owners")
    found = owners_after(block, SIZE)
    visits = {int(child["move"]): int(child["visits"]) for child in search.tree.children() if child["visits"]}
    assert found.keys() == visits.keys()
    mean = sum(visits[move] * np.array(owners) for move, owners in found.items()) / sum(visits.values())
    assert mean == pytest.approx(search.ownership()[points_of(SIZE)])
    assert len({tuple(owners) for owners in found.values()}) > 5


def test_watching_changes_nothing() -> None:
    search, _ = watched("lgrf2", Game(SIZE))
    plain = search_of(load_preset("lgrf2").config, Game(SIZE))
    for one in (search, plain):
        one.run(300)
    assert [child["visits"] for child in search.tree.children()] == [c["visits"] for c in plain.tree.children()]


def test_a_marked_point_before_the_move_discards_the_simulation() -> None:
    """The recount itself: a marked point before the move discards, one after it does not."""
    end = Position(SIZE, {})
    question = LOCAL_QUESTIONS[3]
    d4, b4, a1, b2 = (parse_vertex(name, SIZE) for name in ("D4", "B4", "A1", "B2"))
    assert recounted(question, (b2, d4, b4, a1), BLACK, end) == LocalCounts(1, 1, 1)
    assert recounted(question, (d4, b4), WHITE, end) == LocalCounts(1, 1, 1)
    assert recounted(question, (b2, d4, a1, b4), BLACK, end) == LocalCounts(1, 0, 0)
    assert recounted(question, (a1, d4, b4), BLACK, end) == LocalCounts(0, 0, 0)
    assert recounted(question, (d4, b4), BLACK, end) == LocalCounts(0, 0, 0), "the other colour's move"
