"""How often a playout skips a heuristic: the parameter that every one has."""

from __future__ import annotations

import pytest

from helpers.toy_policy import A1, B1, C3, DRAWS, first_moves, run, worker_for
from kikashi.engine.preset import load_preset
from kikashi.playout import PartError, heuristic, make_policy, mark


@heuristic()
def toy_first(sim, moves, my):
    """Marks A1."""
    mark(moves, A1)


@heuristic()
def toy_second(sim, moves, my):
    """Marks B1."""
    mark(moves, B1)


@heuristic()
def toy_moved(sim, moves, my):
    """Proposes nothing, and wants C3 instead of anything."""


@toy_moved.review
def _review(sim, moves, point, my):
    return C3


@pytest.mark.parametrize(
    ("playout", "drawn"),
    [
        ("toy_first,toy_second", "A1"),
        ("toy_first(skip=0),toy_second", "A1"),
        ("toy_first(skip=1),toy_second", "B1"),
        ("toy_first,toy_moved", "C3"),
        ("toy_first,toy_moved(skip=1)", "A1"),
    ],
)
def test_never_and_always(playout: str, drawn: str) -> None:
    assert first_moves(playout) == {drawn: DRAWS}


@pytest.mark.parametrize(
    ("playout", "seldom"), [("toy_first(skip=0.25),toy_second", "B1"), ("toy_second,toy_moved(skip=0.25)", "B1")]
)
def test_a_heuristic_and_its_review_are_skipped_as_often_as_said(playout: str, seldom: str) -> None:
    """100 of 400 times in the mean; the bounds hold with a probability of more than 1 - 1e-5."""
    counts = first_moves(playout)
    assert 60 < counts[seldom] < 145
    assert len(counts) == 2


def test_whoever_comes_next_has_the_move() -> None:
    worker = worker_for("toy_first(skip=1),toy_second")
    run(worker)
    assert worker.moves_by()["toy_first(skip=1.0)"] == 0


@pytest.mark.parametrize("value", [-0.1, 1.1, "true"])
def test_a_share_that_is_none_is_told(value: object) -> None:
    with pytest.raises(PartError, match=r"^heuristic 'toy_first': skip must be (0 to 1|a number), not "):
        make_policy(f"toy_first(skip={value})")


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
