"""Every variant of last good replies beside a dictionary: the same proposal before every move, the same memory after
every simulation."""

import os
from collections import Counter

import pytest

from helpers.heuristic_cases import propose
from helpers.reply_models import MODELS, LastReplies, Now, SeveralReplies, is_local
from helpers.simulations import Random32, Simulations
from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, point, points_of, vertex
from kikashi.board.position import new_board
from kikashi.engine.preset import load_preset, preset_names
from kikashi.parts.binding import bind
from kikashi.parts.registry import as_part
from kikashi.playout import make_policy, new_root
from kikashi.playout.kinds import heuristic
from kikashi.playout.loop import begin
from kikashi.playout.policy import named_lists
from kikashi.playout.replies.contexts import are_local
from kikashi.playout.worker import Memories, Worker

SIZES = {2: 50, 3: 40, 5: 10, 9: 2}
"""Simulations by size; thirty times as many in `make soak`."""
MORE = 30 if os.environ.get("KIKASHI_SOAK") else 1

RARE = "last_good_reply(context=2, first=100, surviving=true, local=true)"
"""A variant that seldom has an answer, and gets four times as many."""
EXTRA = [
    "last_good_reply(context=1, forgetting=false)",
    "last_good_reply(context=2, forgetting=false)",
    "last_bad_reply(context=2, back=2)",
    RARE,
    "pattern_reply(shape=four)",
    "pattern_reply(shape=knight)",
    "one_of_good_replies(pick=best, cap=3, needed=2, loss=lower, full=lowest)",
    "one_of_good_replies(context=2, slots=4, ranks=4, cap=9)",
    "indirect_good_reply(replies=2, forget=all)",
    "reply_of_tree(depth=4, appearances=3, growth=future)",
    "reply_of_tree(depth=3, appearances=1, growth=future)",
    "recent_good_reply(context=1, since=age, age=5)",
]
"""What no preset has: other neighbourhoods, several wins before a reply counts, the other direction of growth."""


def specs() -> list[str]:
    """Every use of a modelled heuristic in the presets, and some more."""
    listed = [spec for name in preset_names() for spec in _expanded(load_preset(name).table["playout"])]
    return sorted({spec for spec in [*listed, *EXTRA] if as_part(spec)[0] in MODELS})


def _expanded(playout: str | list[str]) -> list[str]:
    if isinstance(playout, list):
        return [spec for each in playout for spec in _expanded(each)]
    return _expanded(list(named_lists()[playout].playout)) if playout in named_lists() else [playout]


def small(spec: str) -> str:
    """The same with a small store, if it is a hashed one: tests look at all of it after every simulation."""
    name, values = as_part(spec)
    if "entries" not in bind(heuristic, name, values).part.all_parameters or values.get("context", 3) < 3:
        return spec
    return spec.rstrip(")") + (", " if values else "(") + "entries=30000)"


def model_of(spec: str, size: int):
    name, values = as_part(spec)
    values.pop("entries", None)
    model = MODELS[name](**values)
    if isinstance(model, LastReplies):
        model.size = size
        if name == "last_bad_reply":
            model.of, model.forgetting = "lost", False
    return model


@pytest.mark.parametrize("spec", specs())
def test_a_variant_is_its_model(spec: str) -> None:
    answers, winners = Counter[bool](), Counter[int]()
    for size, count in SIZES.items():
        simulations = Simulations(small(spec), size)
        check(spec, simulations, count * MORE * (4 if spec == RARE else 1), answers)
        winners += simulations.winners
    assert min(answers[True], answers[False], winners[BLACK], winners[WHITE], winners[EMPTY]) > 5


def check(spec: str, simulations: Simulations, count: int, answers: Counter[bool]) -> None:
    """Run simulations beside the model; count how often something was proposed, and how often nothing."""
    worker, model = simulations.worker, model_of(spec, simulations.size)
    listed, listed_count = ("barred", "barred_count") if "bad" in spec else ("points", "count")

    def compare() -> None:
        sim, moves = worker.sim, worker.moves
        now = Now(sim["moves"][: sim["length"]].tolist(), int(sim["board"]["to_play"]), sim["board"]["color"])
        expected = model.proposal(now)
        propose(worker)
        proposed = moves[listed][: moves[listed_count]].tolist()
        if not model.ordered:
            proposed, expected = sorted(proposed), sorted(expected)
        assert proposed == expected, " ".join(map(vertex, now.moves))
        assert moves["ordered"] == model.ordered or not proposed
        answers[bool(expected)] += 1

    for number in range(count):
        record = simulations.run_step_by_step(compare)
        model.learn(record)
        if number < 20 or number % 10 == 9:
            expected, found = model.content(worker)
            assert found == expected, " ".join(map(vertex, record.moves))


def test_every_list_of_replies_is_made_of_modelled_parts() -> None:
    """So that no variant escapes the test above."""
    static = {"escape", "pattern3", "capture", "uniform"}
    names = [name for name in named_lists() if named_lists()[name].source.startswith("Baier 2010, §6.3")]
    for name in names:
        parts = {as_part(spec)[0] for spec in _expanded(name)}
        assert parts <= static | MODELS.keys() | {"node_reply"}, name
    assert len(names) >= 30


# --- by hand --------------------------------------------------------------------------------------------------------

A1, C3 = point(1, 1), point(3, 3)


def test_a_reply_that_wins_again_is_the_youngest() -> None:
    model, listed = SeveralReplies(slots=2), []
    for reply in (1, 2, 1, 3):
        known = next((entry for entry in listed if entry[0] == reply), None)
        model.win(listed, known, reply, Random32(0))
    assert [reply for reply, _ in listed] == [3, 1]


@pytest.mark.parametrize("size", [9, 13, 19])
def test_a_neighbourhood_ends_at_the_edge(size: int) -> None:
    """On 19x19 a row is followed by the next after one wall: A10 and T10 are not local to each other."""
    points = points_of(size)
    wrong = [(vertex(p), vertex(q)) for p in points for q in points if p != q and are_local(p, q) != is_local(p, q)]
    assert wrong == []


@pytest.mark.parametrize(("context", "passed"), [(1, "1"), (2, "01"), (2, "10"), (2, "11")])
def test_a_context_with_a_pass_has_no_reply(context: int, passed: str) -> None:
    worker = Worker(make_policy(f"last_good_reply(context={context})"), Memories(), size=5, seed=1)
    (table,) = worker.memory_blocks.values()
    table[:] = C3
    for last, replies in ((passed, []), ("0" * context, [C3])):
        history = tuple(PASS if mark == "1" else A1 for mark in last)
        begin(worker.sim, worker.record, new_root(new_board(5), history=history))
        propose(worker)
        assert worker.moves["points"][: worker.moves["count"]].tolist() == replies


def test_uses_with_other_parameters_have_memories_of_their_own_and_the_same_use_twice_shares_one() -> None:
    uses = [f"last_good_reply(context={n},forgetting={f})" for n in (1, 2) for f in ("true", "false")]
    worker = Worker(make_policy(",".join([*uses, "escape", *uses])), Memories(), size=5, seed=1)
    kept = {block.ctypes.data for (name, _), block in worker.memory_blocks.items() if name == "last_replies"}
    assert len(kept) == 4 == worker.record["learners"]


@pytest.mark.parametrize("context", [0, 4])
def test_a_context_that_is_too_long_is_refused(context: int) -> None:
    with pytest.raises(ValueError, match=f"context must be 1 to 3, not {context}"):
        Worker(make_policy(f"last_good_reply(context={context})"), Memories(), size=5, seed=1)
