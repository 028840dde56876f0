"""What parts may count on of their parameters: words from a closed set, numbers, and a record of their own."""

from __future__ import annotations

import pytest

from helpers.toy_policy import A1, B1, C3, run, worker_for
from kikashi.engine.preset import load_preset
from kikashi.jit import kernel
from kikashi.playout import HISTORY, PartError, add, cells, heuristic, make_policy, mark, memory

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
    for name, point in (("toy_light", A1), ("toy_heavy", B1), ("toy_light", A1)):
        worker = worker_for(name)
        run(worker)
        assert worker.sim["moves"][HISTORY] == point
