"""What ranks share of the first plies: everybody hears of all others, and no count becomes another's."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

import numpy as np
import pytest

from kikashi.board.points import parse_vertex
from kikashi.engine.tree_reuse import search_request
from kikashi.game import Game
from kikashi.mpi import shared_plies as plies
from kikashi.mpi.gathering import Gathering
from kikashi.mpi.links import Links
from kikashi.mpi.shared_plies import ROOT, Counts, SharedPlies, added_up, joined_path, moves_of
from kikashi.mpi.worker_rank import Searcher
from kikashi.search.tree import SCALE

GAME = Game(5, komi=2.5)
SIMULATIONS = (300, 450, 201, 330)
Mail = dict[tuple[int, int], list[np.ndarray]]


class Wired(Links):
    """Of a rank whose messages are kept in a dictionary, by who sends and who receives; 0 – 1 – 2, and 3 below 1."""

    def __init__(self, rank: int, mail: Mail) -> None:
        self.rank, self.ranks, self.above = rank, len(SIMULATIONS), (0, 0, 1, 1)[rank]
        self.below = [[1], [2, 3], [], []][rank]
        self._mail = mail

    def share(self, rank: int, numbers: np.ndarray) -> None:
        self._mail.setdefault((self.rank, rank), []).append(numbers)

    def shared(self) -> Iterator[tuple[int, np.ndarray]]:
        for (sender, receiver), waiting in self._mail.items():
            while receiver == self.rank and waiting:
                yield sender, waiting.pop(0)


def begun(rank: int, preset: str = "mogo-2006", *overrides: str) -> Gathering:
    """A rank that has run some simulations by itself."""
    player = Searcher(preset, seed=7, megabytes=2, overrides=overrides)
    gathering = Gathering(player.new_search(GAME.size, Wired(rank, {})), 2)
    gathering.begin(1)
    gathering.search.start(search_request(GAME))
    gathering.search.run(SIMULATIONS[rank])
    return gathering


def shared(gathering: Gathering) -> SharedPlies:
    assert gathering.shared is not None
    return gathering.shared


def exchanged(gatherings: list[Gathering], times: int) -> list[Gathering]:
    """The ranks after they have talked to each other a number of times."""
    mail: Mail = {}
    for _ in range(times):
        for rank, gathering in enumerate(gatherings):
            shared(gathering)._again = 0.0  # time has passed
            gathering.exchange(Wired(rank, mail))
    return gatherings


def nodes_of(gathering: Gathering) -> bytes:
    """All nodes of a rank's trees."""
    return b"".join(search.tree.nodes[: search.tree.used].tobytes() for search in gathering.search.trees)


@pytest.mark.parametrize("starts", [1, 2])
def test_everybody_hears_of_all_others_and_nobody_of_itself(starts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plies, "MOST_NODES", 10_000)
    ranks = exchanged([begun(rank, "mogo-2006", f"starts={starts}") for rank in range(4)], 4)
    own = [shared(gathering).own() for gathering in ranks]
    for rank, gathering in enumerate(ranks):
        others = shared(gathering).others()
        assert others == added_up(own[:rank] + own[rank + 1 :])
        assert others[ROOT][0] == sum(SIMULATIONS) - SIMULATIONS[rank]
    assert {len(list(moves_of(path))) for path in own[0]} == {0, 1, 2}


def test_shared_counts_are_those_of_the_nodes_that_were_visited_often() -> None:
    gathering = begun(1)
    (search,), found = gathering.search.trees, shared(gathering).own()
    tree = search.tree
    wanted: Counts = {ROOT: (SIMULATIONS[1], int(tree.nodes[0]["value"]))}
    for child in tree.children():
        first = joined_path(ROOT, 0, int(child["move"]))
        wanted[first] = (int(child["visits"]), int(child["value"]))
        for reply in tree.nodes[child["first"] : child["first"] + child["count"]]:
            wanted[joined_path(first, 1, int(reply["move"]))] = (int(reply["visits"]), int(reply["value"]))
    wanted = {path: counts for path, counts in wanted.items() if counts[0] >= SIMULATIONS[1] // 64}
    assert found.keys() == wanted.keys()
    for path, (visits, value) in found.items():
        assert (visits, value / SCALE) == (wanted[path][0], pytest.approx(wanted[path][1] / SCALE, abs=1e-3))
    assert list(moves_of(joined_path(joined_path(ROOT, 0, 0), 1, 423))) == [0, 423], "a pass, and the last point"


@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi"])
def test_what_is_shared_changes_nothing_of_ones_own(preset: str) -> None:
    """Neither counts, nor priors, which `kikashi` has; when the search rests, every node is as it was."""
    ranks = [begun(rank, preset) for rank in range(4)]
    before = [(gathering.own().numbers.tolist(), nodes_of(gathering)) for gathering in ranks]
    for gathering, (numbers, nodes) in zip(exchanged(ranks, 4), before, strict=True):
        assert nodes_of(gathering) != nodes, "something was given"
        assert gathering.own().numbers.tolist() == numbers
        gathering.rest(1)
        assert nodes_of(gathering) == nodes
        exchanged(ranks, 1)
        assert nodes_of(gathering) == nodes, "a rank at rest is given nothing"


def test_virtual_games_of_others_count_as_games_do() -> None:
    """UCB1 after 300 own games and 1,000 of others, by hand; then visits are still the simulations run."""
    gathering = begun(0, "mogo-2006", 'selection={ rule = "ucb1", p = 0.1 }')
    (search,), sharing = gathering.search.trees, shared(gathering)
    move = parse_vertex("b4", GAME.size)
    child = search.tree.child(move)
    assert child is not None
    node = search.tree.nodes[child]
    visits, wins = int(node["visits"]), float(node["mean"]) * int(node["visits"])
    path = joined_path(ROOT, 0, move)
    sharing.note(1, np.array([1, ROOT, 1000, 600 * SCALE, path, 1000, 990 * SCALE], np.int64))
    sharing.give()
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
    gathering.rest(1)
    assert float(search.tree.nodes[child]["prior_visits"]) == 0.0


def test_what_is_out_of_date_is_not_heard() -> None:
    gathering = begun(0)
    sharing = shared(gathering)
    sharing.note(1, np.array([2, ROOT, 10, 5 * SCALE], np.int64))
    assert sharing.others() == {}
    sharing.note(1, np.array([1, ROOT, 10, 5 * SCALE], np.int64))
    sharing.note(1, np.array([1, ROOT, 20, 9 * SCALE], np.int64))
    assert sharing.others() == {ROOT: (20, 9 * SCALE)}, "the latest counts, and not the one before"
    gathering.begin(2)
    assert sharing.others() == {}


def test_a_message_has_the_nodes_that_matter_most() -> None:
    many = {joined_path(ROOT, 0, k): (k, k * SCALE) for k in range(1, 401)}
    number, *numbers = shared(begun(0)).message(many, 1).tolist()
    assert number == 1
    assert numbers[1::3] == list(range(400, 208, -1))
