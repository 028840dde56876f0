"""Last good replies beside a dictionary: the same content after every simulation, and the reply that it gives."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from helpers.heuristic_cases import propose
from helpers.simulations import Simulations
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WHITE, opponent, point, vertex
from kikashi.board.position import new_board
from kikashi.playout import HISTORY, make_policy, new_root
from kikashi.playout.loop import begin
from kikashi.playout.worker import Memories, Worker

Replies = dict[tuple[int, ...], int]
"""By colour and the last moves, the latest last: the reply."""

A1, C3 = point(1, 1), point(3, 3)
USES = [(context, forgetting) for context in (1, 2) for forgetting in (False, True)]


def learn(model: Replies, moves: list[int], first: int, winner: int, *, context: int, forgetting: bool) -> None:
    """What a simulation teaches (Baier 2010, eq. 6.1 and 6.3); `first` made the first of its moves."""
    for t in range(context, len(moves)):
        color = first if t % 2 == 0 else opponent(first)
        last, reply = moves[t - context : t], moves[t]
        if PASS in last or reply == PASS or winner == EMPTY:
            continue
        key = (color, *last)
        if color == winner:
            model[key] = reply
        elif forgetting and model.get(key) == reply:
            del model[key]


def content(worker: Worker, context: int, forgetting: bool) -> Replies:
    """The table of the memory as a dictionary."""
    block = worker.memory_blocks["good_replies", (("context", context), ("forgetting", forgetting))]
    table = block.reshape(2, *[POINTS] * context)
    return {(int(at[0]) + BLACK, *map(int, at[1:])): int(table[tuple(at)]) for at in np.argwhere(table)}


@pytest.mark.parametrize("size", [2, 3, 5, 9])
@pytest.mark.parametrize(("context", "forgetting"), USES)
def test_the_table_is_the_model_after_every_simulation(context: int, forgetting: bool, size: int) -> None:
    simulations = Simulations(f"last_good_reply(context={context},forgetting={forgetting})", size)
    model: Replies = {}
    for _ in range(60):
        before = dict(model)
        moves, first, winner = simulations.run()
        learn(model, moves, first, winner, context=context, forgetting=forgetting)
        assert content(simulations.worker, context, forgetting) == model, " ".join(map(vertex, moves))
        assert winner != EMPTY or model == before
    assert PASS not in {p for key in model for p in key} | set(model.values())
    assert model
    assert simulations.winners.keys() >= ({BLACK, WHITE, EMPTY} if size < 5 else {BLACK, WHITE})


@pytest.mark.parametrize(("context", "forgetting"), USES)
def test_the_heuristic_proposes_the_reply_of_the_model(context: int, forgetting: bool) -> None:
    """The moves before the root count as last moves too."""
    simulations = Simulations(f"last_good_reply(context={context},forgetting={forgetting})", size=3)
    worker, model, answers = simulations.worker, {}, Counter()
    for _ in range(100):
        learn(model, *simulations.run(), context=context, forgetting=forgetting)
        for _ in simulations.random_moves():
            sim = worker.sim
            last = sim["moves"][sim["length"] - context : sim["length"]].tolist()
            reply = model.get((int(sim["board"]["to_play"]), *last))
            proposal = propose(worker)
            assert proposal.weights == ({} if reply is None else {reply: 1.0})
            assert (proposal.base, proposal.bars) == (0.0, {})
            answers[reply is None, PASS in last, int(sim["length"]) == HISTORY] += 1
    assert min(answers[False, False, at_root] for at_root in (False, True)) > 10
    assert min(answers[True, True, at_root] for at_root in (False, True)) > 10
    assert not answers.keys() & {(False, True, False), (False, True, True)}


@pytest.mark.parametrize(("context", "passed"), [(1, "1"), (2, "01"), (2, "10"), (2, "11")])
def test_a_pass_is_not_asked_about_even_if_the_table_had_an_answer(context: int, passed: str) -> None:
    worker = Worker(make_policy(f"last_good_reply(context={context})"), Memories(), size=5, seed=1)
    (table,) = worker.memory_blocks.values()
    table[:] = C3
    for last, replies in ((passed, {}), ("0" * context, {C3: 1.0})):
        history = tuple(PASS if mark == "1" else A1 for mark in last)
        begin(worker.sim, worker.record, new_root(new_board(5), history=history))
        assert propose(worker).weights == replies


def test_uses_with_other_parameters_have_memories_of_their_own() -> None:
    """All four learn from the same simulations, each in its own way."""
    uses = [f"last_good_reply(context={context},forgetting={forgetting})" for context, forgetting in USES]
    simulations = Simulations(",".join(uses), size=5)
    models: list[Replies] = [{} for _ in USES]
    for _ in range(40):
        simulation = simulations.run()
        for (context, forgetting), model in zip(USES, models, strict=True):
            learn(model, *simulation, context=context, forgetting=forgetting)
            assert content(simulations.worker, context, forgetting) == model
    assert len({frozenset(model.items()) for model in models}) == len(USES)
    blocks = simulations.worker.memory_blocks.values()
    assert len({block.ctypes.data for block in blocks}) == len(USES)


def test_the_same_use_twice_shares_its_memory() -> None:
    worker = Worker(make_policy("last_good_reply,escape,last_good_reply"), Memories(), size=5, seed=1)
    assert len(worker.memory_blocks) == 1
    assert worker.record["learners"] == 1


@pytest.mark.parametrize("context", [0, 3])
def test_a_context_that_is_too_long_is_refused(context: int) -> None:
    with pytest.raises(ValueError, match=f"context must be 1 to 2, not {context}"):
        Worker(make_policy(f"last_good_reply(context={context})"), Memories(), size=5, seed=1)
