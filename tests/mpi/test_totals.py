"""What ranks say of their searches, added up: the same as if one process knew them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from kikashi.board.points import vertex
from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.mpi.gathering import Gathering
from kikashi.mpi.job import _fingerprint
from kikashi.mpi.links import Links
from kikashi.mpi.orders import Start, share_of
from kikashi.mpi.totals import Merged, places
from kikashi.mpi.worker_rank import Searcher, seed_of_rank
from kikashi.search.analysis import Analysis, analyse, merged
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


class Alone(Links):
    """Of a rank that nobody talks to."""

    def __init__(self, rank: int) -> None:
        self.rank, self.ranks, self.below = rank, len(SIMULATIONS), []


def gathered(preset: str, *overrides: str) -> list[Gathering]:
    """What ranks have that ran different numbers of simulations."""
    found = []
    for rank, simulations in enumerate(SIMULATIONS):
        player = Searcher(preset, seed=7, megabytes=1, overrides=overrides)
        gathering = Gathering(player.new_search(GAME.size, Alone(rank)))
        gathering.begin(1)
        gathering.search.start(Start.of(1, search_request(GAME)).situation)
        gathering.search.run(simulations)
        found.append(gathering)
    return found


def by_all(ranks: list[Gathering]) -> Analysis:
    """What the first rank makes of what the others say."""
    for rank, gathering in enumerate(ranks[1:], 1):
        ranks[0].note(rank, gathering.all().numbers)
    totals = ranks[0].all()
    return analyse(Merged(totals, ranks[0].search.trees[0]), simulations=int(totals.added["done"]), seconds=1.0)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("starts", [1, 2])
def test_sums_of_ranks_are_an_analysis_of_all(preset: str, starts: int) -> None:
    ranks = gathered(preset, f"starts={starts}")
    every = [search for gathering in ranks for search in gathering.search.trees]
    wanted = merged([search.analysis(1.0) for search in every])
    found = by_all(ranks)
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
    ranks = gathered(preset, "starts=2")
    every = [search for gathering in ranks for search in gathering.search.trees]
    wanted = merged([search.analysis(1.0) for search in every])
    by_all(ranks)
    wins = ranks[0].all().highest["wins"] / SCALE
    for move in wanted.moves:
        assert wins[places(GAME.size)[move.move]] == pytest.approx(move.best_wins, abs=1e-4)


def test_what_other_ranks_say_changes_nothing_of_ones_own() -> None:
    ranks = gathered("mogo-2006")
    before = ranks[0].own().numbers.copy()
    by_all(ranks)
    assert (ranks[0].own().numbers == before).all()
    assert ranks[0].search.trees[0].tree.nodes[0]["visits"] == SIMULATIONS[0], "visits are simulations, always"


def test_what_is_said_twice_counts_once_and_what_is_out_of_date_not_at_all() -> None:
    first, second, _third = gathered("mogo-2006")
    for _ in range(2):
        first.note(1, second.all().numbers)
    assert first.all().added["done"] == sum(SIMULATIONS[:2])
    second.begin(2)
    first.note(1, second.all().numbers)
    assert first.all().added["done"] == sum(SIMULATIONS[:2])
    first.begin(2)
    assert first.all().added["done"] == SIMULATIONS[0]
    first.note(1, Gathering(Searcher("mogo-2006", megabytes=1).new_search(7, Alone(1))).all().numbers)
    assert first.all().added["ranks"] == 1, "a message about another board"


def test_a_rest_counts_until_the_next_one() -> None:
    first, second, _third = gathered("mogo-2006")
    second.rest(1)
    first.rest(1)
    first.note(1, second.all().numbers)
    assert first.resting_below == 1
    assert first.ranks_at_rest() == {1}
    first.work()
    first.rest(2)
    assert first.resting_below == 0, "it has not heard of the second"
    assert first.counts_below["done"] == SIMULATIONS[1], "but what it ran was run"
    assert first.ranks_at_rest() == set()


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


def test_plugins_that_differ_are_noticed(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text("one = 1\n")
    before = _fingerprint([str(plugin)])
    assert before == _fingerprint([str(plugin)])
    plugin.write_text("one = 2\n")
    assert before != _fingerprint([str(plugin)]) != _fingerprint([])
