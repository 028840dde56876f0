"""Hashed stores of replies have room for a whole search (Baier 2010, §6.3.2, §6.3.14, §8.2.2), or say what
they lose."""

import numpy as np
import pytest

from kikashi import Game, Limit, Player, load_preset, search_request
from kikashi.board.points import BLACK, PASS, POINTS
from kikashi.jit import kernel
from kikashi.playout import HISTORY, find_entry
from kikashi.search.multi_start import MultiStart
from kikashi.search.staged import new_search

HASHED = {"plgr": "pattern_replies", "lgrf3": "last_replies", "lgr-mat-a": "reply_tree", "lgr-mat-b": "reply_tree"}
SMALL = {
    "lgrf3": "last_good_reply(context=3, entries=500)",
    "plgr": "pattern_reply(entries=500)",
    "lgr-mat-a": "reply_of_tree(entries=500)",
}


def search_of(preset: str, size: int, simulations: int | None, **how):
    search = new_search(load_preset(preset).at(size).config, size=size, seed=1, megabytes=64, **how)
    search.start(search_request(Game(size), simulations=simulations))
    return search


@kernel
def count_missing(table, width, keys):
    return sum([find_entry(table, width, key) < 0 for key in keys])


def contexts_of_winner(moves: np.ndarray, winner: int) -> np.ndarray:
    """Eq. 6.1 with three moves: the contexts of all replies of who won a simulation in which Black began; no pass is
    part of one, nor a reply."""
    mover = np.arange(moves.size) % 2
    *before, reply = (moves[k : moves.size - 3 + k].astype(np.int64) for k in range(4))
    is_kept = (np.minimum.reduce([*before, reply]) != PASS) & (mover[3:] == winner - BLACK)
    keys = mover[3:]
    for point in before:
        keys = keys * POINTS + point
    return keys[is_kept]


@pytest.mark.thorough
def test_replies_to_three_moves_are_all_kept() -> None:
    """2,000 simulations of the empty 19x19 board make more than 300,000 contexts."""
    search = search_of("lgrf3", 19, 2000)
    sim = search.workers[0].sim
    made = []
    for _ in range(2000):
        search.run(1)
        made.append(contexts_of_winner(sim["moves"][HISTORY : sim["length"]], int(sim["winner"])))
    keys = np.unique(np.concatenate(made))
    assert keys.size > 300_000
    table = search.memories.named("last_replies")[0]  # of contexts of three moves, which the list asks first
    made, evicted = search.memories.entries()["last_replies"]
    assert keys.size <= made <= keys.size + evicted
    assert count_missing(table, 1, keys.view(np.uint64)) <= evicted < 0.005 * keys.size


LARGE = [pytest.param(size, simulations, marks=pytest.mark.thorough) for size, simulations in ((9, 5000), (19, 1000))]


@pytest.mark.parametrize(("size", "simulations"), [(9, 20), (9, 300), (19, 300), *LARGE])
@pytest.mark.parametrize("preset", HASHED)
def test_a_search_evicts_less_than_one_in_a_hundred(preset: str, size: int, simulations: int) -> None:
    search = search_of(preset, size, simulations)
    search.run(simulations)
    assert [*search.memories.entries()] == [HASHED[preset]]
    made, evicted = search.entries()
    assert made > 12 * simulations
    assert evicted < 0.01 * made
    assert search.analysis().evicted == 0, "not worth telling"


def test_a_budget_that_grows_has_a_store_that_grows() -> None:
    player = Player("plgr", limit=Limit(100), megabytes=64)
    few = player.analyse(Game(9))
    player.limit = Limit(4000)
    many = player.analyse(Game(9))
    assert few.evicted == many.evicted == 0
    assert many.entries.made > 2 * 24_300, "entries of a store for 250 simulations or fewer"
    player.limit = Limit(100)
    player.new_game(reseed=True)
    assert player.analyse(Game(9)).moves_by == few.moves_by, "nothing is left of the large search"


@pytest.mark.parametrize("preset", SMALL)
def test_evictions_of_a_small_store_are_reported(preset: str) -> None:
    player = Player(preset, limit=Limit(300), overrides=[f'playout=["{SMALL[preset]}", "mogo"]'], megabytes=64)
    found = player.analyse(Game(9))
    assert found.entries.made > found.evicted == found.entries.evicted > 5000
    assert found.as_json()["entries"] == {"made": found.entries.made, "evicted": found.evicted}
    assert Player("lgrf2", limit=Limit(50), megabytes=64).analyse(Game(9)).entries == (0, 0)


def test_evictions_are_counted_anew_by_each_search_and_added_up_over_several() -> None:
    preset = load_preset("lgrf3", [f'playout=["{SMALL["lgrf3"]}"]'])
    searches = MultiStart(preset.config, searches=2, size=9, megabytes=64)
    for _ in range(2):
        searches.start(search_request(Game(9), simulations=100))
        assert [search.entries() for search in searches.searches] == [(0, 0)] * 2
        searches.run(100)
        one, two = (search.entries() for search in searches.searches)
        assert min(one.evicted, two.evicted) > 1000
        found = searches.analysis()
        assert found.entries == (one.made + two.made, one.evicted + two.evicted)
