"""Totals of the ranks' searches equal the analysis of all searches in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from kikashi.board.points import vertex
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.mpi.communicator import Communicator
from kikashi.mpi.job import _fingerprint
from kikashi.mpi.rank_search import RankSearch, new_rank_search, seed_of_rank
from kikashi.mpi.root_totals import MergedRoot, move_indices
from kikashi.search.analysis import Analysis, analyse, merged
from kikashi.search.interface import share_of
from kikashi.search.multi_start import seed_of
from kikashi.search.tree import SCALE

GAME = Game.from_diagram(
    """
    . . . . .
    . X O . .
    . X O O .
    . X X O .
    . . . . .
    """,
    turn="white",
    komi=2.5,
)
SIMULATIONS = (40, 75, 31)
PRESETS = ["mogo-2006", "kikashi", "crazystone-2006", "lgrf2"]


class Alone(Communicator):
    """The communicator of a rank without neighbours."""

    def __init__(self, rank: int) -> None:
        self.rank, self.ranks, self.children = rank, len(SIMULATIONS), []


def searches_of_ranks(preset: str, *overrides: str) -> list[RankSearch]:
    """Run searches of ranks, each with another number of simulations."""
    found = []
    for rank, simulations in enumerate(SIMULATIONS):
        ranks = new_search(preset, rank, *overrides)
        ranks.begin(1)
        ranks.search.start(search_request(GAME))
        ranks.search.run(simulations)
        found.append(ranks)
    return found


def new_search(preset: str, rank: int, *overrides: str, size: int = GAME.size) -> RankSearch:
    return RankSearch(new_rank_search(load_preset(preset, overrides), Alone(rank), size=size, seed=7, megabytes=1))


def analysis_of_all(ranks: list[RankSearch]) -> Analysis:
    """Return the analysis of the first rank after the reports of all others."""
    for rank, other in enumerate(ranks[1:], 1):
        ranks[0].receive(rank, other.all_totals().numbers)
    totals = ranks[0].all_totals()
    merged_root = MergedRoot(totals, ranks[0].search.trees[0], ranks[0].moves_by())
    return analyse(merged_root, simulations=int(totals.sums["done"]), seconds=1.0)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("starts", [1, 2])
def test_sums_of_ranks_are_an_analysis_of_all(preset: str, starts: int) -> None:
    ranks = searches_of_ranks(preset, f"starts={starts}")
    every = [search for rank in ranks for search in rank.search.trees]
    wanted = merged([search.analysis(1.0) for search in every])
    found = analysis_of_all(ranks)
    assert found.simulations == wanted.simulations == sum(SIMULATIONS)
    assert (found.visits, found.to_play) == (wanted.visits, wanted.to_play)
    assert found.score == pytest.approx(wanted.score)
    assert found.score_deviation == pytest.approx(wanted.score_deviation)
    assert found.ownership == pytest.approx(wanted.ownership)
    moves = {move.move: move for move in wanted.moves}
    assert {move.move for move in found.moves} == set(moves)
    for move in found.moves:
        assert move.visits == moves[move.move].visits, vertex(move.move)
        assert move.score == pytest.approx(moves[move.move].score)
        assert move.prior == pytest.approx(moves[move.move].prior)
        if every[0].tree.record["win_weight"]:
            assert move.winrate == pytest.approx(moves[move.move].winrate, abs=1e-6)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_most_wins_of_a_move_on_any_rank(preset: str) -> None:
    ranks = searches_of_ranks(preset, "starts=2")
    every = [search for rank in ranks for search in rank.search.trees]
    wanted = merged([search.analysis(1.0) for search in every])
    analysis_of_all(ranks)
    wins = ranks[0].all_totals().maxima["wins"] / SCALE
    for move in wanted.moves:
        assert wins[move_indices(GAME.size)[move.move]] == pytest.approx(move.best_wins, abs=1e-4)


def test_reports_of_other_ranks_leave_own_totals_unchanged() -> None:
    ranks = searches_of_ranks("mogo-2006")
    before = ranks[0].own_totals().numbers.copy()
    analysis_of_all(ranks)
    assert (ranks[0].own_totals().numbers == before).all()
    assert ranks[0].search.trees[0].tree.nodes[0]["visits"] == SIMULATIONS[0], "visits are simulations, always"


def test_a_repeated_report_counts_once_and_one_of_another_search_never() -> None:
    first, second, _third = searches_of_ranks("mogo-2006")
    for _ in range(2):
        first.receive(1, second.all_totals().numbers)
    assert first.all_totals().sums["done"] == sum(SIMULATIONS[:2])
    second.begin(2)
    first.receive(1, second.all_totals().numbers)
    assert first.all_totals().sums["done"] == sum(SIMULATIONS[:2])
    first.begin(2)
    assert first.all_totals().sums["done"] == SIMULATIONS[0]
    first.receive(1, new_search("mogo-2006", 1, size=7).all_totals().numbers)
    assert first.all_totals().sums["ranks"] == 1, "a message about another board"


def test_a_pause_counts_until_the_next_one() -> None:
    first, second, _third = searches_of_ranks("mogo-2006")
    second.pause(1)
    first.pause(1)
    first.receive(1, second.all_totals().numbers)
    assert first.paused_descendants == 1
    assert first.paused_children() == {1}
    first.resume()
    first.pause(2)
    assert first.paused_descendants == 0, "it has not reported the second"
    assert first.descendant_sums["done"] == SIMULATIONS[1], "but its simulations count"
    assert first.paused_children() == set()


@pytest.mark.parametrize("simulations", [0, 1, 5, 100, 6401])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 128])
def test_shares_add_up(simulations: int, ranks: int) -> None:
    found = [share_of(simulations, rank, ranks) for rank in range(ranks)]
    assert sum(found) == simulations
    assert max(found) - min(found) <= 1


def test_no_search_of_a_job_has_the_seed_of_another() -> None:
    seeds = [seed_of(seed_of_rank(1, rank), start) for rank in range(64) for start in range(64)]
    assert len(set(seeds)) == len(seeds)
    assert seed_of_rank(1, 0) == 1


def test_the_fingerprint_depends_on_plugins(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text("one = 1\n")
    before = _fingerprint([str(plugin)])
    assert before == _fingerprint([str(plugin)])
    plugin.write_text("one = 2\n")
    assert before != _fingerprint([str(plugin)]) != _fingerprint([])
