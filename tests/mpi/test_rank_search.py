"""The searches of ranks: their totals equal one analysis of all, and shared plies reach every other rank."""

from collections.abc import Iterator
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from kikashi.board.points import parse_vertex, vertex
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.mpi import shared_plies
from kikashi.mpi.communicator import Communicator
from kikashi.mpi.rank_search import RankSearch, new_rank_search, seed_of_rank
from kikashi.mpi.root_totals import MergedRoot, move_indices
from kikashi.mpi.shared_plies import ROOT, Counts, SharedPlies, extend_path, moves_of, sum_counts
from kikashi.parts.binding import identity_of
from kikashi.search.analysis import Analysis, analyse, merged
from kikashi.search.interface import share_of
from kikashi.search.multi_start import seed_of
from kikashi.search.tree import SCALE

FIGHT = Game.from_diagram(
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
EMPTY_BOARD = Game(5, komi=2.5)
PRESETS = ["mogo-2006", "kikashi", "crazystone-2006", "lgrf2"]
FEW, MANY = (40, 75, 31), (300, 450, 201, 330)
"""Simulations of each rank."""
Mail = dict[tuple[int, int], list[np.ndarray]]


class Wired(Communicator):
    """A communicator with messages in a dictionary, by sender and receiver; 0 – 1 – 2, and 3 below 1."""

    def __init__(self, rank: int, mail: Mail | None = None) -> None:
        self.rank, self.ranks, self.parent = rank, 4, (0, 0, 1, 1)[rank]
        self.children = [[1], [2, 3], [], []][rank]
        self._mail = {} if mail is None else mail

    def share(self, rank: int, numbers: np.ndarray) -> None:
        self._mail.setdefault((self.rank, rank), []).append(numbers)

    def shared(self) -> Iterator[tuple[int, np.ndarray]]:
        for (sender, receiver), waiting in self._mail.items():
            while receiver == self.rank and waiting:
                yield sender, waiting.pop(0)


def new_search(preset: str, rank: int, *overrides: str, size: int = 5, plies: int = 0) -> RankSearch:
    how = {"size": size, "seed": 7, "megabytes": 2}
    return RankSearch(new_rank_search(load_preset(preset, overrides), Wired(rank), **how), plies)


def searched(preset: str, rank: int, simulations: int, *overrides: str, game: Game = FIGHT, plies: int = 0):
    """Return the search of a rank after some simulations of its own."""
    rank_search = new_search(preset, rank, *overrides, plies=plies)
    rank_search.begin(1)
    rank_search.search.start(search_request(game))
    rank_search.search.run(simulations)
    return rank_search


# --- totals -----------------------------------------------------------------------------------------------------------


def three_ranks(preset: str = "mogo-2006", *overrides: str) -> list[RankSearch]:
    return [searched(preset, rank, simulations, *overrides) for rank, simulations in enumerate(FEW)]


def analysis_of_all(ranks: list[RankSearch]) -> Analysis:
    """Return the analysis of the first rank after the reports of all others."""
    for rank, other in enumerate(ranks[1:], 1):
        ranks[0].receive(rank, other.all_totals().numbers)
    totals = ranks[0].all_totals()
    root = MergedRoot(totals, ranks[0].search.trees[0], ranks[0].moves_by())
    return analyse(root, simulations=int(totals.sums["done"]), seconds=1.0)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("starts", [1, 2])
def test_totals_of_ranks_are_an_analysis_of_all(preset: str, starts: int) -> None:
    ranks = three_ranks(preset, f"starts={starts}")
    every = [search for rank in ranks for search in rank.search.trees]
    wanted, found = merged([search.analysis(1.0) for search in every]), analysis_of_all(ranks)
    assert found.simulations == wanted.simulations == sum(FEW)
    assert (found.visits, found.to_play) == (wanted.visits, wanted.to_play)
    for name in ("score", "score_deviation", "scores", "ownership"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name))
    moves, wins = {move.move: move for move in wanted.moves}, ranks[0].all_totals().maxima["wins"] / SCALE
    assert {move.move for move in found.moves} == set(moves)
    for move in found.moves:
        other = moves[move.move]
        assert move.visits == other.visits, vertex(move.move)
        assert (move.score, move.prior) == (pytest.approx(other.score), pytest.approx(other.prior))
        assert wins[move_indices(5)[move.move]] == pytest.approx(other.best_wins, abs=1e-4), "the most on any rank"
        if every[0].tree.record["win_weight"]:
            assert move.winrate == pytest.approx(other.winrate, abs=1e-6)


def test_reports_of_other_ranks_leave_own_totals_unchanged() -> None:
    ranks = three_ranks()
    before = ranks[0].own_totals().numbers.copy()
    analysis_of_all(ranks)
    assert (ranks[0].own_totals().numbers == before).all()
    assert ranks[0].search.trees[0].tree.nodes[0]["visits"] == FEW[0], "visits are simulations, always"


def test_a_repeated_report_counts_once_and_one_of_another_search_never() -> None:
    first, second, _third = three_ranks()
    for _ in range(2):
        first.receive(1, second.all_totals().numbers)
    assert first.all_totals().sums["done"] == sum(FEW[:2])
    second.begin(2)
    first.receive(1, second.all_totals().numbers)
    assert first.all_totals().sums["done"] == sum(FEW[:2])
    first.begin(2)
    assert first.all_totals().sums["done"] == FEW[0]
    first.receive(1, new_search("mogo-2006", 1, size=7).all_totals().numbers)
    assert first.all_totals().sums["ranks"] == 1, "a message about another board"


def test_a_pause_counts_until_the_next_one() -> None:
    first, second, _third = three_ranks()
    second.pause(1)
    first.pause(1)
    first.receive(1, second.all_totals().numbers)
    assert (first.paused_descendants, first.paused_children()) == (1, {1})
    first.is_paused = False
    first.pause(2)
    assert (first.paused_descendants, first.paused_children()) == (0, set()), "it has not reported the second"
    assert first.descendant_sums["done"] == FEW[1], "but its simulations count"


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
    before = identity_of({}, [str(plugin)])
    assert before == identity_of({}, [str(plugin)])
    plugin.write_text("one = 2\n")
    assert before != identity_of({}, [str(plugin)]) != identity_of({}, [])


# --- shared plies -----------------------------------------------------------------------------------------------------


def sharing(rank: int, preset: str = "mogo-2006", *overrides: str) -> RankSearch:
    return searched(preset, rank, MANY[rank], *overrides, game=EMPTY_BOARD, plies=2)


def plies_of(rank: RankSearch) -> SharedPlies:
    assert rank.shared is not None
    return rank.shared


def exchange(ranks: list[RankSearch], times: int) -> None:
    """Let ranks exchange messages a number of times."""
    mail: Mail = {}
    for _ in range(times):
        for number, rank in enumerate(ranks):
            plies_of(rank)._next_exchange = 0.0  # time has passed
            rank.exchange(Wired(number, mail))


def nodes_of(rank: RankSearch) -> bytes:
    return b"".join(search.tree.nodes[: search.tree.used].tobytes() for search in rank.search.trees)


@pytest.mark.parametrize("starts", [1, 2])
def test_every_rank_receives_the_counts_of_all_others_and_not_its_own(
    starts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_plies, "MOST_NODES", 10_000)
    ranks = [sharing(rank, "mogo-2006", f"starts={starts}") for rank in range(4)]
    exchange(ranks, 4)
    own = [plies_of(rank).own_counts() for rank in ranks]
    for number, rank in enumerate(ranks):
        others = plies_of(rank).other_counts()
        assert others == sum_counts(own[:number] + own[number + 1 :])
        assert others[ROOT][0] == sum(MANY) - MANY[number]
    assert {len(list(moves_of(path))) for path in own[0]} == {0, 1, 2}


def test_shared_counts_are_those_of_the_nodes_that_were_visited_often() -> None:
    rank = sharing(1)
    (search,), found = rank.search.trees, plies_of(rank).own_counts()
    tree = search.tree
    wanted: Counts = {ROOT: (MANY[1], int(tree.nodes[0]["value"]))}
    for child in tree.children():
        first = extend_path(ROOT, 0, int(child["move"]))
        wanted[first] = (int(child["visits"]), int(child["value"]))
        for reply in tree.nodes[child["first"] : child["first"] + child["count"]]:
            wanted[extend_path(first, 1, int(reply["move"]))] = (int(reply["visits"]), int(reply["value"]))
    wanted = {path: counts for path, counts in wanted.items() if counts[0] >= MANY[1] // 64}
    assert found.keys() == wanted.keys()
    for path, (visits, value) in found.items():
        assert (visits, value / SCALE) == (wanted[path][0], pytest.approx(wanted[path][1] / SCALE, abs=1e-3))
    assert list(moves_of(extend_path(extend_path(ROOT, 0, 0), 1, 423))) == [0, 423], "a pass, and the last point"


@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi"])
def test_sharing_leaves_own_counts_and_priors_unchanged(preset: str) -> None:
    """`kikashi` has priors. After a pause every node is as it was."""
    ranks = [sharing(rank, preset) for rank in range(4)]
    before = [(rank.own_totals().numbers.tolist(), nodes_of(rank)) for rank in ranks]
    exchange(ranks, 4)
    for rank, (numbers, nodes) in zip(ranks, before, strict=True):
        assert nodes_of(rank) != nodes, "nodes got virtual games"
        assert rank.own_totals().numbers.tolist() == numbers
        rank.pause(1)
        assert nodes_of(rank) == nodes
        exchange(ranks, 1)
        assert nodes_of(rank) == nodes, "a paused rank gets nothing"


def test_selection_counts_virtual_games_of_other_ranks() -> None:
    """UCB1 after 300 own games and 1,000 of others, by hand; then visits are still the simulations run."""
    rank = sharing(0, "mogo-2006", 'selection={ rule = "ucb1", p = 0.1 }')
    (search,), plies = rank.search.trees, plies_of(rank)
    move = parse_vertex("b4", 5)
    child = search.tree.child(move)
    assert child is not None
    node = search.tree.nodes[child]
    visits, wins = int(node["visits"]), float(node["mean"]) * int(node["visits"])
    path = extend_path(ROOT, 0, move)
    plies.receive(1, np.array([1, ROOT, 1000, 600 * SCALE, path, 1000, 990 * SCALE], np.int64))
    plies.apply()
    games = node["visits"] + node["prior_visits"]
    assert games == visits + 1000
    value = (node["mean"] * node["visits"] + node["prior_value"] * node["prior_visits"]) / games
    assert value == pytest.approx((wins + 990) / (visits + 1000))
    others = [each for each in search.tree.children() if each["move"] != move]
    bounds = [each["mean"] + 0.1 * sqrt(2 * np.log(1300) / each["visits"]) for each in others]
    assert value > max(bounds), "so that UCB1 must prefer it"
    search.run(50)
    assert int(search.tree.nodes[child]["visits"]) == visits + 50, "a move that all others won with"
    assert int(search.tree.nodes[0]["visits"]) == MANY[0] + 50, "visits are simulations, always"
    rank.pause(1)
    assert float(search.tree.nodes[child]["prior_visits"]) == 0.0


def test_counts_of_another_search_are_ignored() -> None:
    rank = sharing(0)
    plies = plies_of(rank)
    plies.receive(1, np.array([2, ROOT, 10, 5 * SCALE], np.int64))
    assert plies.other_counts() == {}
    plies.receive(1, np.array([1, ROOT, 10, 5 * SCALE], np.int64))
    plies.receive(1, np.array([1, ROOT, 20, 9 * SCALE], np.int64))
    assert plies.other_counts() == {ROOT: (20, 9 * SCALE)}, "the latest counts, and not the one before"
    rank.begin(2)
    assert plies.other_counts() == {}


def test_a_message_has_the_nodes_with_the_most_visits() -> None:
    many = {extend_path(ROOT, 0, k): (k, k * SCALE) for k in range(1, 401)}
    number, *numbers = plies_of(sharing(0)).message(many, 1).tolist()
    assert number == 1
    assert numbers[1::3] == list(range(400, 208, -1))
