"""The contract between the playout loop and its parts, proved with toy parts.

They mostly look at the first move of a playout on an empty board, where every point is feasible.
"""

import numpy as np
import pytest

from helpers.toy_policy import A1, B1, C3, DRAWS, E5, SIZE, first_moves, run, worker_for
from kikashi.board.points import PASS, parse_vertex, point, points_of, vertex
from kikashi.board.position import new_board, play
from kikashi.engine.preset import load_preset
from kikashi.jit import kernel
from kikashi.parts.registry import find
from kikashi.playout import (
    HISTORY,
    REDRAW,
    PartError,
    add,
    bar,
    cells,
    feasibility,
    heuristic,
    last_move,
    make_policy,
    mark,
    memory,
    new_root,
    reweigh,
    sample,
    weight_of,
)
from kikashi.playout.loop import begin, choose, make_move


@heuristic(point=C3, weight=1.0)
def toy_point(sim, moves, my):
    """Proposes one point."""
    add(moves, my.point, my.weight)


@heuristic()
def toy_silent(sim, moves, my):
    """Proposes nothing."""


@heuristic(first=1.0, second=3.0, base=0.0)
def toy_weights(sim, moves, my):
    """Two points with weights, all others with a base weight."""
    add(moves, A1, my.first)
    add(moves, C3, my.second)
    moves.base = my.base


def test_weights_are_odds() -> None:
    counts = first_moves("toy_weights(first=1,second=3)", draws=4000)
    assert set(counts) == {"A1", "C3"}
    assert abs(counts["C3"] - 3000) < 5 * (4000 * 0.75 * 0.25) ** 0.5


def test_a_point_named_twice_has_both_weights() -> None:
    @heuristic()
    def toy_twice(sim, moves, my):
        add(moves, A1, 1.0)
        add(moves, C3, 1.0)
        add(moves, A1, 2.0)

    counts = first_moves("toy_twice", draws=4000)
    assert abs(counts["A1"] - 3000) < 5 * (4000 * 0.75 * 0.25) ** 0.5


def test_moves_are_counted_by_heuristic() -> None:
    worker = worker_for("toy_silent,toy_point")
    moves = run(worker, 20)
    counts = worker.moves_by()
    assert list(counts) == ["toy_silent", "toy_point", "uniform", "pass"]
    assert sum(counts.values()) == moves
    assert counts["toy_silent"] == 0
    assert counts["toy_point"] >= 20


# --- barring ---------------------------------------------------------------------------------------------------------


@heuristic(uniform_too=False)
def toy_bar(sim, moves, my):
    """Bars C3 and proposes nothing."""
    bar(moves, C3, my.uniform_too)


def test_a_bar_lasts_for_one_move() -> None:
    @heuristic()
    def toy_bar_first(sim, moves, my):
        if sim.length == HISTORY:
            bar(moves, C3, True)

    worker = worker_for("toy_bar_first,toy_point")
    begin(worker.sim, worker.record, new_root(new_board(SIZE)))
    for _ in range(2):
        move = choose(worker.sim, worker.moves, worker.record)
        make_move(worker.sim, worker.record, move)
    assert move == C3


# --- reviewing -------------------------------------------------------------------------------------------------------


@heuristic()
def toy_second_thoughts(sim, moves, my):
    """Prefers A1, but on review its weight is reset and the move drawn again (as Coulom 2006, A.2 does)."""
    add(moves, A1, 1000.0)
    add(moves, C3, 1.0)


@toy_second_thoughts.review
def _(sim, moves, point, my):
    if weight_of(moves, point) >= 1000.0:
        reweigh(moves, point, 1.0)
        return REDRAW
    return point


def test_a_review_may_ask_for_a_redraw_with_changed_weights() -> None:
    counts = first_moves("toy_second_thoughts", draws=2000)
    assert set(counts) == {"A1", "C3"}
    assert abs(counts["A1"] - 1000) < 5 * (2000 * 0.25) ** 0.5


@heuristic(seen=int(A1), instead=int(B1))
def toy_replace(sim, moves, my):
    """Proposes nothing; replaces one move by another."""


@toy_replace.review
def _(sim, moves, point, my):
    return my.instead if point == my.seen else point


@heuristic()
def toy_refuse(sim, moves, my):
    """Never A1."""


@toy_refuse.review
def _(sim, moves, point, my):
    if point != A1:
        return point
    bar(moves, point, True)
    return REDRAW


def test_a_review_that_never_has_enough_ends() -> None:
    @heuristic()
    def toy_never(sim, moves, my):
        """Nothing is good enough."""

    @toy_never.review
    def _(sim, moves, point, my):
        return REDRAW

    assert sum(first_moves("toy_never").values()) == DRAWS


# --- which move comes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "stones", "move"),
    [
        pytest.param(f"toy_silent,toy_point,toy_point(point={A1})", (), "C3", id="of the first heuristic with a move"),
        pytest.param(f"toy_point,toy_point(point={A1})", (C3,), "A1", id="none that cannot be played"),
        pytest.param(f"toy_replace,toy_point(point={A1})", (), "B1", id="that of a review"),
        pytest.param(f"toy_replace,toy_point(point={A1})", (B1,), "A1", id="of a review, if it can be played"),
    ],
)
def test_only_one_move_comes(policy: str, stones: tuple[int, ...], move: str) -> None:
    board = new_board(SIZE)
    for stone in stones:
        play(board, stone)
    assert first_moves(policy, new_root(board)) == {move: DRAWS}


@pytest.mark.parametrize(
    ("policy", "missing"),
    [
        pytest.param("toy_silent", set(), id="none without proposals"),
        pytest.param("toy_weights(first=0,second=0,base=2)", {"A1", "C3"}, id="those of weight 0 with a base"),
        pytest.param("toy_bar,toy_point", set(), id="none barred to heuristics alone"),
        pytest.param("toy_bar(uniform_too=true),toy_point", {"C3"}, id="those barred to the uniform choice too"),
        pytest.param("toy_bar,toy_weights(base=1)", {"C3"}, id="those barred, with a base weight"),
        pytest.param("toy_replace", {"A1"}, id="a uniform move that a review replaces"),
        pytest.param("toy_refuse", {"A1"}, id="a uniform move that a review bars and redraws"),
    ],
)
def test_all_moves_come_but(policy: str, missing: set[str]) -> None:
    assert set(first_moves(policy, draws=2000)) == set(map(vertex, points_of(SIZE))) - missing


# --- the simulation --------------------------------------------------------------------------------------------------


def test_a_heuristic_sees_the_moves_before_the_root() -> None:
    @heuristic(back=1)
    def toy_mirror(sim, moves, my):
        """Plays the centre only if the moves before the root were these."""
        if last_move(sim, 1) == E5 and last_move(sim, 2) == A1 and last_move(sim, 3) == PASS:
            add(moves, C3, 1.0)

    assert first_moves("toy_mirror", new_root(new_board(SIZE), history=(A1, E5))) == {"C3": DRAWS}
    assert len(first_moves("toy_mirror", new_root(new_board(SIZE), history=(E5, A1)))) > 1


def test_playouts_end_with_two_passes_or_the_limit() -> None:
    ended = worker_for("uniform")
    run(ended)
    assert ended.sim["passes"] == 2
    limited = worker_for(make_policy("uniform", move_limit=6))
    assert run(limited) == 6


def test_a_pass_before_the_root_counts_towards_the_end() -> None:
    board = new_board(2)
    for name in ("A1", "pass", "B2", "pass"):
        play(board, parse_vertex(name, 2))
    totals = sample(make_policy("uniform"), new_root(board, passes=1), playouts=50)
    assert totals.playouts == 50


def test_no_move_leaves_the_zone() -> None:
    worker = worker_for("uniform")
    zone = {A1, B1, point(1, 2), point(2, 2), C3}
    worker.sim["zone"][list(zone)] = 1
    worker.set_zoned(True)
    root = new_root(new_board(SIZE))
    for _ in range(20):
        run(worker, 1, root)
        moves = {int(move) for move in worker.sim["moves"][HISTORY : worker.sim["length"]]} - {PASS}
        assert moves
        assert moves <= zone
    worker.set_zoned(False)
    run(worker, 1, root)
    assert not {int(move) for move in worker.sim["moves"][HISTORY : worker.sim["length"]]} <= zone | {PASS}


def test_a_feasibility_rule_of_ones_own() -> None:
    @feasibility(column=2)
    def toy_file(sim, point, my):
        """Only one file of the board."""
        return point % 20 == my.column

    policy = make_policy("toy_point", feasibility={"part": "toy_file", "column": 1})
    assert set(first_moves(policy)) == {f"A{row}" for row in range(1, SIZE + 1)}


# --- parameters, errors, threads -------------------------------------------------------------------------------------


def test_other_parameters_compile_nothing() -> None:
    first, second = worker_for(f"toy_point(point={A1})"), worker_for(f"toy_point(point={E5},weight=2)")
    rules = [worker.record["heuristic"][0] for worker in (first, second)]
    assert rules[0]["address"] == rules[1]["address"]
    assert rules[0]["own"] != rules[1]["own"]


@pytest.mark.parametrize(
    ("playout", "message"),
    [
        ("toy_pont", "no heuristic is called 'toy_pont'"),
        ("toy_pont", "did you mean toy_point? python -m kikashi.engine.catalogue lists all "),
        ("toy_point(pint=3)", "heuristic 'toy_point' has no parameter 'pint'; it has point, weight"),
        ("toy_point(point=1.5)", "point must be a whole number, not 1.5"),
        ("toy_point(weight=true)", "weight must be a number, not True"),
        ("toy_point(weight)", "'weight' is not parameter=value"),
        ("toy_point(weight=x)", "weight must be a number, not 'x'"),
        ("toy_point(weight=[)", "'weight=[' is not parameter=value"),
        ("toy_point,,toy_silent", "'' is not a part"),
        ("uniform,toy_point", "nothing can come after it"),
        (",".join(["toy_point"] * 17), "at most 16 heuristics, not 17"),
    ],
)
def test_a_list_that_is_not_right_says_why(playout: str, message: str) -> None:
    with pytest.raises(PartError) as raised:
        make_policy(playout)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_list_may_be_tables_as_in_a_preset() -> None:
    policy = make_policy(["toy_silent", {"part": "toy_point", "weight": 2}])
    assert str(policy) == "toy_silent,toy_point(weight=2.0),uniform"
    assert make_policy(str(policy)) == policy


def test_an_error_inside_a_part_names_it() -> None:
    @heuristic(divisor=0)
    def toy_broken(sim, moves, my):
        if my.divisor == 0:
            raise ValueError("divided by nothing")

    with pytest.raises(PartError, match=r"heuristic 'toy_broken' in .*: ValueError: divided by nothing"):
        sample(make_policy("toy_silent,toy_broken"), new_root(new_board(SIZE)), playouts=1)


def test_an_error_inside_a_memory_names_it() -> None:
    @memory(cells=1)
    def toy_amnesia(sim, my):
        raise ValueError("forgot")

    @heuristic(memories=["toy_amnesia"])
    def toy_forgetful(sim, moves, my):
        """Proposes nothing."""

    with pytest.raises(PartError, match=r"memory 'toy_amnesia' in .*: ValueError: forgot"):
        sample(make_policy("toy_forgetful"), new_root(new_board(SIZE)), playouts=1, threads=2)


def test_a_name_belongs_to_one_file() -> None:
    taken = find(heuristic, "toy_point")
    source = "from kikashi.playout import heuristic\n@heuristic()\ndef toy_point(sim, moves, my):\n    pass\n"
    with pytest.raises(PartError, match=r"heuristic 'toy_point' in .*elsewhere.py: the name is taken by"):
        exec(compile(source, "elsewhere.py", "exec"))
    assert find(heuristic, "toy_point") is taken


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_no_playout_is_lost(threads: int) -> None:
    totals = sample(make_policy("toy_point"), new_root(new_board(SIZE)), playouts=1001, threads=threads)
    assert totals.playouts == 1001 == totals.scores.sum()
    assert totals.moves == sum(totals.moves_by.values())


def test_the_same_seed_gives_the_same_playouts() -> None:
    first, same, other = (
        sample(make_policy("toy_second_thoughts"), new_root(new_board(9)), playouts=300, seed=seed)
        for seed in (5, 5, 6)
    )
    assert np.array_equal(first.scores, same.scores)
    assert first.moves == same.moves
    assert first.moves != other.moves


# --- parts that write to what they may only read ----------------------------------------------------------------------


@heuristic(point=C3)
def toy_painter(sim, moves, my):
    """Puts a stone on the board without playing it."""
    sim.board.color[my.point] = 1


@heuristic()
def toy_counter(sim, moves, my):
    """Forgets all moves of the playout."""
    sim.length = HISTORY


@pytest.mark.parametrize("policy", ["toy_painter", "capture,toy_painter", "toy_counter"])
def test_a_heuristic_that_writes_to_the_board_ends_playouts_with_its_name(policy: str) -> None:
    name = policy.split(",")[-1]
    with pytest.raises(PartError, match=rf"^heuristic '{name}' in .*test_contract\.py, line \d+: it changes the board"):
        sample(make_policy(policy), new_root(new_board(SIZE)), playouts=50)


# --- words ------------------------------------------------------------------------------------------------------------


@heuristic(order=("oldest", "newest", "any-order"))
def toy_worded(sim, moves, my):
    """Marks the point that the place of its word says."""
    mark(moves, A1 if my.order == 0 else B1 if my.order == 1 else C3)


@memory(cells=1, forget=("never", "always"))
def toy_worded_memory(sim, my):
    """Keeps the place of its word."""
    cells(my.cells)[0] = 10 + my.forget


@heuristic(memories=["toy_worded_memory"])
def toy_reads_worded(sim, moves, my):
    """Proposes nothing."""
    if my.forget > 1:
        moves.base = 1.0


@pytest.mark.parametrize(
    ("spec", "move"),
    [
        ("toy_worded", A1),
        ("toy_worded(order=oldest)", A1),
        ("toy_worded(order=newest)", B1),
        ("toy_worded( order = any-order )", C3),
        ("toy_worded(order='newest')", B1),
        ({"part": "toy_worded", "order": "newest"}, B1),
    ],
)
def test_a_word_is_seen_by_its_place(spec: str | dict[str, str], move: int) -> None:
    worker = worker_for(make_policy([spec]))
    run(worker)
    assert worker.sim["moves"][HISTORY] == move


def test_words_are_written_as_they_are_read() -> None:
    policy = make_policy("toy_worded(order=newest),toy_worded")
    assert str(policy) == "toy_worded(order=newest),toy_worded,uniform"
    assert make_policy(str(policy)) == policy


@pytest.mark.parametrize("value", ["latest", "", "0", "true", "1.5"])
def test_another_word_is_told_with_those_that_are_allowed(value: str) -> None:
    with pytest.raises(PartError, match=r"^heuristic 'toy_worded': order must be oldest or newest or any-order, not "):
        make_policy([{"part": "toy_worded", "order": value}])


def test_words_of_a_memory_are_parameters_of_its_reader() -> None:
    worker = worker_for("toy_reads_worded(forget=always)")
    run(worker)
    (block,) = worker.memory_blocks.values()
    assert block[0] == 11
    with pytest.raises(PartError, match="heuristic 'toy_reads_worded': forget must be never or always, not 'often'"):
        make_policy("toy_reads_worded(forget=often)")


@pytest.mark.parametrize(
    "setting",
    ["playout=toy_worded(order=newest),mogo", "playout=[{ part = 'toy_worded', order = 'newest' }, 'mogo']"],
)
def test_words_in_a_setting_of_a_preset(setting: str) -> None:
    assert str(load_preset("mogo-2006", [setting]).config.policy).startswith("toy_worded(order=newest),escape")
    with pytest.raises(ValueError, match=r"^preset mogo-2006: heuristic 'toy_worded': order must be oldest or newest"):
        load_preset("mogo-2006", [setting.replace("newest", "latest")])


@pytest.mark.parametrize("words", [(), (1, 2), ("one", 2)])
def test_words_that_are_none_are_refused(words: tuple[object, ...]) -> None:
    with pytest.raises(PartError, match="parameter 'which' must be one of some words"):

        @heuristic(which=words)
        def toy_wordless(sim, moves, my):
            """Never registered."""


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("limits", "allowed"), [({}, "a number"), ({"share": (0, 1)}, "0 to 1")])
def test_not_a_number_is_none(limits: dict[str, tuple[float, float]], allowed: str) -> None:
    @heuristic(limits=limits, share=0.5)
    def toy_shares(sim, moves, my):
        """Never asked."""

    with pytest.raises(PartError, match=f"^heuristic 'toy_shares': share must be {allowed}, not nan$"):
        make_policy([{"part": "toy_shares", "share": float("nan")}])


# --- records ----------------------------------------------------------------------------------------------------------


@kernel
def weigh(moves, point, my):
    """What two parts share, each with a record of its own."""
    add(moves, point, my.weight)


@heuristic(weight=1.0)
def toy_light(sim, moves, my):
    """Has one parameter."""
    weigh(moves, A1, my)


@heuristic(weight=1.0, further=2.0)
def toy_heavy(sim, moves, my):
    """Has the same one and another."""
    weigh(moves, B1, my)


def test_parts_with_records_that_begin_alike_share_a_kernel() -> None:
    """Numba would warn, and warnings are errors, if it took the longer record for one of the shorter kind."""
    for name, move in (("toy_light", A1), ("toy_heavy", B1), ("toy_light", A1)):
        worker = worker_for(name)
        run(worker)
        assert worker.sim["moves"][HISTORY] == move
