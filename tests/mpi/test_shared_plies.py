"""Shared statistics of the first plies: every rank receives the counts of all others, and never its own."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
import pytest

from kikashi.board.points import parse_vertex
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.mpi import shared_plies
from kikashi.mpi.communicator import Communicator
from kikashi.mpi.rank_search import RankSearch, new_rank_search
from kikashi.mpi.shared_plies import ROOT, Counts, SharedPlies, extend_path, moves_of, sum_counts
from kikashi.search.tree import SCALE

GAME = Game(5, komi=2.5)
SIMULATIONS = (300, 450, 201, 330)
Mail = dict[tuple[int, int], list[np.ndarray]]


class Wired(Communicator):
    """The communicator of a rank with messages in a dictionary, by sender and receiver; 0 – 1 – 2, and 3 below 1."""

    def __init__(self, rank: int, mail: Mail) -> None:
        self.rank, self.ranks, self.parent = rank, len(SIMULATIONS), (0, 0, 1, 1)[rank]
        self.children = [[1], [2, 3], [], []][rank]
        self._mail = mail

    def share(self, rank: int, numbers: np.ndarray) -> None:
        self._mail.setdefault((self.rank, rank), []).append(numbers)

    def shared(self) -> Iterator[tuple[int, np.ndarray]]:
        for (sender, receiver), waiting in self._mail.items():
            while receiver == self.rank and waiting:
                yield sender, waiting.pop(0)


def searched(rank: int, preset: str = "mogo-2006", *overrides: str) -> RankSearch:
    """Return the search of a rank after some simulations of its own."""
    search = new_rank_search(load_preset(preset, overrides), Wired(rank, {}), size=GAME.size, seed=7, megabytes=2)
    ranks = RankSearch(search, 2)
    ranks.begin(1)
    ranks.search.start(search_request(GAME))
    ranks.search.run(SIMULATIONS[rank])
    return ranks


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
    ranks = [searched(rank, "mogo-2006", f"starts={starts}") for rank in range(4)]
    exchange(ranks, 4)
    own = [plies_of(rank).own_counts() for rank in ranks]
    for number, rank in enumerate(ranks):
        others = plies_of(rank).other_counts()
        assert others == sum_counts(own[:number] + own[number + 1 :])
        assert others[ROOT][0] == sum(SIMULATIONS) - SIMULATIONS[number]
    assert {len(list(moves_of(path))) for path in own[0]} == {0, 1, 2}


def test_shared_counts_are_those_of_the_nodes_that_were_visited_often() -> None:
    rank = searched(1)
    (search,), found = rank.search.trees, plies_of(rank).own_counts()
    tree = search.tree
    wanted: Counts = {ROOT: (SIMULATIONS[1], int(tree.nodes[0]["value"]))}
    for child in tree.children():
        first = extend_path(ROOT, 0, int(child["move"]))
        wanted[first] = (int(child["visits"]), int(child["value"]))
        for reply in tree.nodes[child["first"] : child["first"] + child["count"]]:
            wanted[extend_path(first, 1, int(reply["move"]))] = (int(reply["visits"]), int(reply["value"]))
    wanted = {path: counts for path, counts in wanted.items() if counts[0] >= SIMULATIONS[1] // 64}
    assert found.keys() == wanted.keys()
    for path, (visits, value) in found.items():
        assert (visits, value / SCALE) == (wanted[path][0], pytest.approx(wanted[path][1] / SCALE, abs=1e-3))
    assert list(moves_of(extend_path(extend_path(ROOT, 0, 0), 1, 423))) == [0, 423], "a pass, and the last point"


@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi"])
def test_sharing_leaves_own_counts_and_priors_unchanged(preset: str) -> None:
    """`kikashi` has priors. After a pause every node is as it was."""
    ranks = [searched(rank, preset) for rank in range(4)]
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
    rank = searched(0, "mogo-2006", 'selection={ rule = "ucb1", p = 0.1 }')
    (search,), sharing = rank.search.trees, plies_of(rank)
    move = parse_vertex("b4", GAME.size)
    child = search.tree.child(move)
    assert child is not None
    node = search.tree.nodes[child]
    visits, wins = int(node["visits"]), float(node["mean"]) * int(node["visits"])
    path = extend_path(ROOT, 0, move)
    sharing.receive(1, np.array([1, ROOT, 1000, 600 * SCALE, path, 1000, 990 * SCALE], np.int64))
    sharing.apply()
    games = node["visits"] + node["prior_visits"]
    assert games == visits + 1000
    value = (node["mean"] * node["visits"] + node["prior_value"] * node["prior_visits"]) / games
    assert value == pytest.approx((wins + 990) / (visits + 1000))
    others = [each for each in search.tree.children() if each["move"] != move]
    bounds = [each["mean"] + 0.1 * sqrt(2 * np.log(1300) / each["visits"]) for each in others]
    assert value > max(bounds), "so that UCB1 must prefer it"
    search.run(50)
    assert int(search.tree.nodes[child]["visits"]) == visits + 50, "a move that all others won with"
    assert int(search.tree.nodes[0]["visits"]) == SIMULATIONS[0] + 50, "visits are simulations, always"
    rank.pause(1)
    assert float(search.tree.nodes[child]["prior_visits"]) == 0.0


def test_counts_of_another_search_are_ignored() -> None:
    rank = searched(0)
    sharing = plies_of(rank)
    sharing.receive(1, np.array([2, ROOT, 10, 5 * SCALE], np.int64))
    assert sharing.other_counts() == {}
    sharing.receive(1, np.array([1, ROOT, 10, 5 * SCALE], np.int64))
    sharing.receive(1, np.array([1, ROOT, 20, 9 * SCALE], np.int64))
    assert sharing.other_counts() == {ROOT: (20, 9 * SCALE)}, "the latest counts, and not the one before"
    rank.begin(2)
    assert sharing.other_counts() == {}


def test_a_message_has_the_nodes_with_the_most_visits() -> None:
    many = {extend_path(ROOT, 0, k): (k, k * SCALE) for k in range(1, 401)}
    number, *numbers = plies_of(searched(0)).message(many, 1).tolist()
    assert number == 1
    assert numbers[1::3] == list(range(400, 208, -1))
