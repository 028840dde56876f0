"""The choice of a heuristic for a move: the roulette wheel, which learns probabilities from wins (Baier 2010, §3.4.1),
and `skip`, the parameter of every heuristic."""

from collections import Counter

import numpy as np
import pytest

from helpers.toy_policy import A1, B1, C3, DRAWS as FEW_DRAWS, SIZE, first_moves, run, worker_for
from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, vertex
from kikashi.board.position import new_board
from kikashi.engine.preset import load_preset
from kikashi.playout import HISTORY, PartError, heuristic, make_policy, mark, memory, new_root
from kikashi.playout.heuristics.wheel import MOVES, SECTORS, WON
from kikashi.playout.loop import HEURISTICS, UNIFORM, begin, choose, make_move, playout
from kikashi.playout.worker import Worker

DRAWS = 3000


@heuristic()
def toy_at_a1(sim, moves, my):
    """Marks A1."""
    mark(moves, A1)


@heuristic()
def toy_at_b1(sim, moves, my):
    """Marks B1."""
    mark(moves, B1)


@heuristic()
def toy_nowhere(sim, moves, my):
    """Has no move."""


@memory(cells=1, number=0)
def toy_picker(sim, my):
    """Learns nothing."""


@toy_picker.pick
def _pick(sim, count, my):
    return my.number


def wheel_over(playout: str, power: float = 4.0) -> Worker:
    return worker_for(make_policy(playout, memories=[f"heuristic_wheel(power={power})"]))


def drawn(worker: Worker) -> Counter[str]:
    """The first moves of playouts that end there."""
    begin(worker.sim, worker.record, new_root(new_board(SIZE)))
    return Counter(vertex(choose(worker.sim, worker.moves, worker.record)) for _ in range(DRAWS))


def table_of(worker: Worker) -> np.ndarray:
    return next(block for (name, _), block in worker.memory_blocks.items() if name == "heuristic_wheel")


def test_at_first_all_heuristics_have_the_same_probability() -> None:
    counts = drawn(wheel_over("toy_at_a1,toy_at_b1"))
    assert counts.keys() == {"A1", "B1"}
    assert abs(counts["A1"] - DRAWS / 2) < 5 * (DRAWS / 4) ** 0.5


def test_a_uniform_move_follows_if_the_picked_heuristic_has_none() -> None:
    """At most one heuristic is used for a move: then any move is drawn."""
    counts = drawn(wheel_over("toy_nowhere,toy_at_a1"))
    expected = DRAWS * (0.5 + 0.5 / SIZE**2)
    assert abs(counts["A1"] - expected) < 5 * (DRAWS / 4) ** 0.5
    assert len(counts) == SIZE**2


@pytest.mark.parametrize(
    ("number", "moves"), [(0, {"A1"}), (1, {"B1"}), (2, None), (7, None), (-1, {"A1"})], ids=lambda value: str(value)
)
def test_a_picker_decides(number: int, moves: set[str] | None) -> None:
    """A number beyond the list leaves the move to chance."""
    found = drawn(worker_for(make_policy("toy_at_a1,toy_at_b1", memories=[f"toy_picker(number={number})"])))
    assert (set(found) == moves) if moves else len(found) == SIZE**2


def test_two_pickers_are_refused() -> None:
    with pytest.raises(PartError, match="at most 1 memory that picks heuristics can work together"):
        worker_for(make_policy("toy_at_a1", memories=["toy_picker", "heuristic_wheel"]))


@pytest.mark.parametrize("power", [0.0, 1.0, 4.0])
def test_a_sector_is_the_power_of_the_share_of_winners_moves(power: float) -> None:
    worker = worker_for(make_policy("escape,pattern3,capture", memories=[f"heuristic_wheel(power={power})"]))
    made, won, winners = Counter(), Counter(), Counter()
    for number in range(80):
        begin(worker.sim, worker.record, new_root(new_board(SIZE), komi=SIZE**2 if number % 8 == 0 else 0.5))
        make_move(worker.sim, worker.record, C3)
        playout(worker.sim, worker.moves, worker.record)
        sim = worker.sim
        winners[int(sim["winner"])] += 1
        assert sim["tree_length"] == HISTORY + 1, "a move of the tree is no heuristic's"
        for i in range(HISTORY + 1, int(sim["length"])):
            by, color = int(sim["by"][i]), BLACK if (i - HISTORY) % 2 == 0 else WHITE
            if by != UNIFORM and sim["winner"] != EMPTY:
                made[by] += 1
                won[by] += color == sim["winner"]
        table = table_of(worker)
        assert table[MOVES:WON].tolist() == [made[k] for k in range(HEURISTICS)]
        assert table[WON:SECTORS].tolist() == [won[k] for k in range(HEURISTICS)]
        shares = [(won[k] + 1) / (made[k] + 2) for k in range(HEURISTICS)]
        wanted = [1 + int(2**16 * share**power) for share in shares] if sum(made.values()) else [0] * HEURISTICS
        assert table[SECTORS:].tolist() == pytest.approx(wanted, abs=1)
    assert min(made[k] for k in range(3)) > 30
    assert winners.keys() == {BLACK, WHITE, EMPTY}


def test_heuristics_are_picked_in_proportion_to_their_sectors() -> None:
    worker = wheel_over("toy_at_a1,toy_at_b1")
    table = table_of(worker)
    table[SECTORS : SECTORS + 2] = 3000, 1000
    table[SECTORS + 2 :] = 9000  # beyond the list
    counts = drawn(worker)
    assert counts.keys() == {"A1", "B1"}
    assert abs(counts["A1"] - 0.75 * DRAWS) < 5 * (DRAWS * 0.75 * 0.25) ** 0.5


def test_every_move_of_a_playout_has_the_number_of_its_heuristic() -> None:
    """As the counts of moves do."""
    worker = worker_for(load_preset("mogo-wheel").config.policy)
    by: Counter[int] = Counter()
    for _ in range(30):
        run(worker)
        sim = worker.sim
        moves = range(HISTORY, int(sim["length"]))
        by.update(int(sim["by"][i]) for i in moves if sim["moves"][i] != PASS)
    names = {0: "escape", 1: "pattern3", 2: "capture", UNIFORM: "uniform"}
    assert {names[number]: count for number, count in by.items()} == {
        name: count for name, count in worker.moves_by().items() if name != "pass"
    }


# -- skipping ----------------------------------------------------------------------------------------------------------


@heuristic()
def toy_moved(sim, moves, my):
    """Proposes nothing, and wants C3 instead of anything."""


@toy_moved.review
def _review(sim, moves, point, my):
    return C3


@pytest.mark.parametrize(
    ("playout", "drawn"),
    [
        ("toy_at_a1,toy_at_b1", "A1"),
        ("toy_at_a1(skip=0),toy_at_b1", "A1"),
        ("toy_at_a1(skip=1),toy_at_b1", "B1"),
        ("toy_at_a1,toy_moved", "C3"),
        ("toy_at_a1,toy_moved(skip=1)", "A1"),
    ],
)
def test_never_and_always(playout: str, drawn: str) -> None:
    assert first_moves(playout) == {drawn: FEW_DRAWS}


@pytest.mark.parametrize(
    ("playout", "seldom"), [("toy_at_a1(skip=0.25),toy_at_b1", "B1"), ("toy_at_b1,toy_moved(skip=0.25)", "B1")]
)
def test_a_heuristic_and_its_review_are_skipped_with_the_probability_skip(playout: str, seldom: str) -> None:
    """100 of 400 times in the mean; the bounds hold with a probability of more than 1 - 1e-5."""
    counts = first_moves(playout)
    assert 60 < counts[seldom] < 145
    assert len(counts) == 2


def test_the_next_heuristic_has_the_move() -> None:
    worker = worker_for("toy_at_a1(skip=1),toy_at_b1")
    run(worker)
    assert worker.moves_by()["toy_at_a1(skip=1.0)"] == 0


@pytest.mark.parametrize("value", [-0.1, 1.1, "true"])
def test_a_skip_that_is_no_probability_is_an_error(value: object) -> None:
    with pytest.raises(PartError, match=r"^heuristic 'toy_at_a1': skip must be (0 to 1|a number), not "):
        make_policy(f"toy_at_a1(skip={value})")


def test_every_heuristic_has_it_and_no_memory() -> None:
    assert str(make_policy("escape(skip=0.5),pattern3")) == "escape(skip=0.5),pattern3,uniform"
    with pytest.raises(PartError, match="memory 'ataris' has no parameter 'skip'; it has none"):
        make_policy(memories=["ataris(skip=0.5)"])


def test_a_heuristic_may_have_no_skip_of_its_own() -> None:
    with pytest.raises(PartError, match="heuristic 'toy_taken': every heuristic has a parameter 'skip'"):

        @heuristic(skip=3)
        def toy_taken(sim, moves, my):
            """Never registered."""


def test_a_prior_has_none() -> None:
    with pytest.raises(ValueError, match=r"^preset kikashi: prior 'capture': every new node asks it"):
        load_preset("kikashi", ["prior=[{ part = 'capture', skip = 0.5 }]"])
