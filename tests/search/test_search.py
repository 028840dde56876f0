"""The search as a whole: no visit is lost, a seed gives one tree, memory is bounded."""

import tracemalloc

import pytest

from helpers.searching import grown, search_of, start
from kikashi import Game
from kikashi.engine.preset import load_preset
from kikashi.search.tree import SCALE

SIZE = 5


# --- counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi", "crazystone-2006"])
def test_no_visit_is_lost(preset: str, threads: int) -> None:
    search = search_of(load_preset(preset).config, threads=threads)
    assert search.run(1501) == 1501
    assert search.run(500) == 500
    tree = search.tree
    assert tree.nodes[0]["visits"] == 2001
    assert not tree.nodes["losses"].any()
    seen = 0
    for node, below in grown(tree):
        first, count = int(tree.nodes[node]["first"]), int(tree.nodes[node]["count"])
        assert 0 < first < first + count <= tree.used <= tree.nodes.size
        assert tree.nodes[node]["visits"] >= below
        seen += count
    assert seen + 1 == tree.used, "blocks of children do not overlap and leave no gap"
    assert tree.nodes[0]["visits"] == tree.children()["visits"].sum(), "every simulation made a move"


def test_one_simulation_ends_at_a_node_before_it_grows() -> None:
    search = search_of(load_preset("mogo-2006").config)
    search.run(2000)
    inner = [(int(search.tree.nodes[node]["visits"]), below) for node, below in grown(search.tree)][1:]
    assert len(inner) > 50
    assert all(visits == below + 1 for visits, below in inner)


@pytest.mark.parametrize(("visits", "simulations"), [(0, 200), (3, 2000)])
def test_a_leaf_grows_at_the_visit_that_the_rule_says(visits: int, simulations: int) -> None:
    config = load_preset("mogo-2006", [f"expansion.visits={visits}"]).config
    search = search_of(config, nodes=200_000)
    search.run(simulations)
    assert not search.tree.full
    inner = [(int(search.tree.nodes[node]["visits"]), below) for node, below in grown(search.tree)][1:]
    assert inner
    assert all(total == below + visits for total, below in inner)


def test_sums_are_those_of_the_children() -> None:
    """A node's sums are its children's and those of the one simulation that ended there: 0 or 1 for a win."""
    search = search_of(load_preset("mogo-2006").config)
    search.run(2000)
    for node, _ in grown(search.tree):
        here, below = search.tree.nodes[node], search.tree.children(node)
        own = (int(here["value"]) - int(below["value"].sum())) / SCALE
        assert own == 0 if node == 0 else own in (0, 1)
        assert search.tree.columns["squares"][node]["square"] == here["value"]
        assert here["mean"] == pytest.approx(int(here["value"]) / SCALE / int(here["visits"]))


def test_several_threads_search_the_same_tree() -> None:
    search = search_of(load_preset("mogo-2006").config, threads=3)
    search.run(3000)
    shares = [int(worker.search["owned_count"]) for worker in search.workers]
    assert shares == [1000, 1000, 1000]


@pytest.mark.parametrize("threads", [1, 3])
def test_scores_count_every_simulation(threads: int) -> None:
    search = search_of(load_preset("mogo-2006").config, threads=threads)
    search.run(900)
    scores = search.analysis(1.0).scores
    assert sum(scores.values()) == 900
    assert all(abs(score) <= SIZE * SIZE for score in scores)
    assert sum(score * count for score, count in scores.items()) == search.tree.nodes[0]["score"]


# --- seeds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi", "crazystone-2006"])
def test_the_same_seed_gives_the_same_tree(preset: str) -> None:
    trees = []
    for seed in (7, 7, 8):
        search = search_of(load_preset(preset).config, seed=seed)
        search.run(500)
        trees.append(search.tree.nodes.tobytes())
    assert trees[0] == trees[1]
    assert trees[0] != trees[2]


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("threads", [1, 3])
def test_searches_in_a_row_stay_within_a_small_tree(threads: int) -> None:
    """200 searches, the tree kept from move to move, with new games when one is over."""
    game = Game(SIZE)
    search = search_of(load_preset("mogo-2006", ["expansion.visits=0"]).config, game, threads=threads, nodes=2000)
    full, memory_at = 0, []
    tracemalloc.start()
    try:
        for number in range(200):
            visits = int(search.tree.nodes[0]["visits"])
            assert search.run(150) == 150
            assert search.tree.nodes[0]["visits"] == visits + 150
            assert search.tree.used <= search.tree.nodes.size == search.tree.record["capacity"] == 2000
            assert not search.tree.nodes["losses"].any()
            full += search.tree.record["used"] > 2000
            children = search.tree.children()
            best = int(children[int(children["visits"].argmax())]["move"])
            game.push(best)
            if game.is_over() or game.move_count > 40:
                game = Game(SIZE)
                search.tree.clear()
            else:
                search.tree.keep(best)
            start(search, game)
            if number in (50, 199):
                memory_at.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert full > 10, "the limit was reached"
    assert memory_at[1] - memory_at[0] < 300_000
