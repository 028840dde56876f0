"""Progressive pruning beside a slow transcription of Yoshizoe et al. 2006 on the samples that were recorded."""

from collections import defaultdict
from math import inf, sqrt
from statistics import mean, variance
from typing import Any

import pytest

from helpers.searching import children_of, run_traced, search_of
from kikashi import Game
from kikashi.board.points import BLACK, WHITE
from kikashi.engine.move_choice import best_move
from kikashi.engine.preset import load_preset
from kikashi.search.tree import PRUNED
from kikashi.search.tree_search import TreeSearch

TURNS = pytest.mark.parametrize("turn", [BLACK, WHITE], ids=["black", "white"])
STAGE = 100
UNCLEAR = """
    . X O . .
    X . X O .
    . X O . .
    . O . X .
    . . . . .
"""
CASES: dict[str, tuple[dict[str, Any], str]] = {
    # parameters; what a game is worth
    "as in the paper": ({"r_d": 0.3, "sigma_e": 1.0, "samples": 300}, "score"),
    "careful": ({"r_d": 2.0, "sigma_e": 1.0, "samples": 100}, "score"),
    "soon equal": ({"r_d": 3.0, "sigma_e": 4.0, "samples": 100}, "score"),
    "by the games": ({"r_d": 0.2, "sigma_e": 1.0, "samples": 200, "sigma": "games"}, "score"),
    "by wins": ({"r_d": 1.5, "sigma_e": 0.05, "samples": 100}, "win"),
    "from the start, with hardly a sample": ({"r_d": 0.5, "sigma_e": 0.5, "samples": 0}, "score"),
}


class SlowPruning:
    """The rule in the words of the paper, figure 2, on lists of samples."""

    def __init__(self, moves: list[int], r_d: float, sigma_e: float, samples: int, sigma: str = "mean") -> None:
        self.samples: dict[int, list[float]] = defaultdict(list)
        self.left = list(moves)
        self.r_d, self.sigma_e, self.needed, self.sigma = r_d, sigma_e, samples, sigma
        self.equal = False

    def deviation(self, move: int) -> float:
        found = self.samples[move]
        if len(found) < 2:
            return inf
        return sqrt(variance(found) / (len(found) if self.sigma == "mean" else 1))

    def end_stage(self) -> None:
        if sum(map(len, self.samples.values())) < self.needed:
            return
        known = [move for move in self.left if len(self.samples[move]) >= 2]
        best = max(known, key=lambda move: mean(self.samples[move]))
        left_of_best = mean(self.samples[best]) - self.r_d * self.deviation(best)
        inferior = {m for m in known if mean(self.samples[m]) + self.r_d * self.deviation(m) < left_of_best}
        self.left = [move for move in self.left if move not in inferior]
        self.equal = len(self.left) == 1 or all(self.deviation(move) < self.sigma_e for move in self.left)


def searched(turn: int, parameters: dict[str, Any], value: str, games: int = 25) -> TreeSearch:
    settings = [
        f"stages={{ blocks = {STAGE // games}, games = {games} }}",
        f"backup.value={value}",
        "pruning.sigma=mean",
    ]
    settings += [f"pruning.{name}={given}" for name, given in parameters.items()]
    config = load_preset("yoshizoe-2006-ataripp", settings).config
    return search_of(config, Game.from_diagram(UNCLEAR, turn=turn, komi=0.5))


def not_pruned(search: TreeSearch) -> list[int]:
    return [int(child["move"]) for child in search.tree.children() if not child["flags"] & PRUNED]


@TURNS
@pytest.mark.parametrize("case", CASES)
def test_the_same_moves_are_pruned_at_the_same_moment(case: str, turn: int) -> None:
    parameters, value = CASES[case]
    search = searched(turn, parameters, value)
    slow = SlowPruning([child.move for child in children_of(search.tree)], **parameters)
    for simulation in range(1, 12 * STAGE + 1):
        trace = run_traced(search)
        margin = (trace.score - trace.komi) * (1 if turn == BLACK else -1)
        slow.samples[trace.moves[0]].append(margin if value == "score" else float(margin > 0))
        assert trace.moves[0] in slow.left, "pruned moves never return"
        if simulation % STAGE == 0:
            slow.end_stage()
        assert not_pruned(search) == slow.left, simulation
        if slow.equal:
            break
    assert len(slow.left) < len(search.tree.children()), "something was pruned"
    assert search.is_decided == slow.equal
    assert search.run(1) == (0 if slow.equal else 1)


def test_both_ends_are_met() -> None:
    """Some of the cases above go on to the end of the samples, some are decided with several moves left."""
    careful, equal = (searched(BLACK, *CASES[case]) for case in ("careful", "soon equal"))
    assert careful.run(3 * STAGE) == 3 * STAGE
    assert equal.run(12 * STAGE) < 12 * STAGE
    assert len(not_pruned(equal)) > 1


def test_a_pruned_move_is_reported_and_not_chosen() -> None:
    """Not even if its mean is the best of all by now."""
    search = searched(BLACK, *CASES["as in the paper"])
    search.run(3 * STAGE)
    child = next(child for child in search.tree.children() if child["flags"] & PRUNED)
    child["mean"] = 1000.0
    found = search.analysis()
    assert sum(move.visits for move in found.moves) == found.visits, "all samples are reported"
    assert [move.move for move in found.moves if not move.pruned] == [
        move.move for move in found.moves if move.move in not_pruned(search)
    ]
    assert max(found.moves, key=lambda move: move.winrate).pruned
    best = best_move(found, "value")
    assert best is not None
    assert not best.pruned


def test_pruning_needs_stages() -> None:
    with pytest.raises(ValueError, match="preset mogo-2006: pruning comes at the end of a stage"):
        load_preset("mogo-2006", ["pruning=progressive"])
