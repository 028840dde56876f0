"""Contextual Monte Carlo beside the thesis's footnote 16 over sets: pairs of moves of one player, in any order."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from helpers.heuristic_cases import empty_points, propose
from helpers.simulations import Simulations
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WHITE, opponent

SIMULATIONS = {2: 100, 3: 100, 5: 40, 9: 8}


class Pairs:
    """Simulations in which a player moved at both points, and those of them that it won."""

    def __init__(self) -> None:
        self.runs: Counter[tuple[int, int, int]] = Counter()
        self.wins: Counter[tuple[int, int, int]] = Counter()

    def learn(self, moves: list[int], first: int, winner: int) -> None:
        for color, made in ((first, moves[::2]), (opponent(first), moves[1::2])):
            pairs = [(color, *pair) for pair in permutations(set(made) - {PASS}, 2)]
            self.runs.update(pairs)
            self.wins.update(pairs if color == winner else [])

    def best(self, color: int, own_last: int, vacant: list[int]) -> set[int]:
        """The vacant points that complete the pair with the highest score."""
        values = {
            p: Fraction(self.wins[color, own_last, p], self.runs[color, own_last, p])
            for p in vacant
            if self.wins[color, own_last, p]
        }
        return {p for p in values if values[p] == max(values.values())} if own_last != PASS else set()


@pytest.mark.parametrize("size", SIMULATIONS)
def test_every_proposal_and_the_memory_are_those_of_the_footnote(size: int) -> None:
    simulations = Simulations("best_pair", size)
    worker, model, answers = simulations.worker, Pairs(), Counter()
    (block,) = worker.memory_blocks.values()
    table = block.reshape(2, POINTS, POINTS, 2)

    def simulation():
        model.learn(*(yield from simulations.run_by_moves()))

    for _ in range(SIMULATIONS[size]):
        for _ in simulation():
            sim = worker.sim
            own_last = int(sim["moves"][sim["length"] - 2])
            best = model.best(int(sim["board"]["to_play"]), own_last, empty_points(worker))
            assert propose(worker) == (dict.fromkeys(best, 1.0), 0.0, {})
            answers[len(best)] += 1
        kept = [(int(c) + BLACK, int(p), int(q)) for c, p, q in np.argwhere(table[..., 0])]
        assert {key: int(table[key[0] - BLACK, key[1], key[2], 0]) for key in kept} == model.runs
        assert {key: int(table[key[0] - BLACK, key[1], key[2], 1]) for key in kept} == {k: model.wins[k] for k in kept}
        assert np.count_nonzero(table[..., 1]) == len(model.wins)
    assert min(answers[0], answers[1], answers[2]) > 0
    assert simulations.winners.keys() >= ({BLACK, WHITE, EMPTY} if size < 5 else {BLACK, WHITE})
