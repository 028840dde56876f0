"""Keeping a part of the tree: below a move that was played, and what is worth it when there is no room left."""

from itertools import pairwise

import pytest

from helpers.searching import check_consistent, grown, nested, search_of, start
from kikashi import Game, Limit, Player
from kikashi.board.points import parse_vertex, vertex
from kikashi.engine.preset import load_preset
from kikashi.search.tree import REGROWTH, Tree

SIZE = 5


def test_keeping_a_move_keeps_all_that_is_known_of_it() -> None:
    game = Game(SIZE)
    search = search_of(load_preset("kikashi").config, game)
    search.run(2000)
    for _ in range(3):
        children = search.tree.children()
        best = int(children["visits"].argmax())
        move, visits = int(children[best]["move"]), int(children[best]["visits"])
        before = nested(search.tree, int(search.tree.nodes[0]["first"]) + best)
        assert search.tree.keep(move)
        assert nested(search.tree, 0) == before
        game.push(move)
        start(search, game)
        assert {vertex(int(c["move"])) for c in search.tree.children()} - {"pass"} <= set(map(vertex, game.legal_moves))
        assert search.run(500) == 500
        assert search.tree.nodes[0]["visits"] == visits + 500


@pytest.mark.parametrize("move", ["A1", "C3"])
def test_a_move_that_was_never_tried_leaves_an_empty_tree(move: str) -> None:
    search = search_of(load_preset("mogo-2006").config, nodes=2000)
    search.run(100)
    search.tree.children()["visits"][search.tree.children()["move"] == parse_vertex(move, SIZE)] = 0
    assert not search.tree.keep(parse_vertex(move, SIZE))
    assert search.tree.used == 1
    assert search.tree.nodes[0]["visits"] == 0


def test_a_full_tree_is_consistent() -> None:
    search = search_of(load_preset("mogo-2006").config, threads=3, nodes=500)
    search.run(3000)
    assert search.tree.nodes[0]["visits"] == 3000
    blocks = sorted(
        (int(search.tree.nodes[node]["first"]), int(search.tree.nodes[node]["count"])) for node, _ in grown(search.tree)
    )
    assert all(first + count <= after for (first, count), (after, _) in pairwise(blocks))
    assert blocks[-1][0] + blocks[-1][1] <= 500
    assert all(search.tree.nodes[node]["visits"] >= below for node, below in grown(search.tree))


# --- pruning ----------------------------------------------------------------------------------------------------------


def paths(tree: Tree, node: int = 0, path: tuple[int, ...] = ()) -> dict[tuple[int, ...], tuple[int, ...]]:
    """By the moves that lead to it: what a node has counted, and whether it has children."""
    here, first = tree.nodes[node], int(tree.nodes[node]["first"])
    found = {path: (int(here["visits"]), int(here["value"]), int(here["score"]), int(here["count"]))}
    for i, child in enumerate(tree.children(node)):
        found |= paths(tree, first + i, (*path, int(child["move"])))
    return found


@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi", "crazystone-2006"])
def test_pruning_takes_the_children_of_nodes_that_were_visited_least(preset: str) -> None:
    search = search_of(load_preset(preset).config, nodes=42_000)
    search.run(1500)
    tree = search.tree
    assert not tree.full
    before, used, least = paths(tree), tree.used, tree._visits_worth_keeping()
    played_most = tuple(int(tree.nodes[node]["move"]) for node in tree.main_line()[1:])

    def keeps_children(path: tuple[int, ...]) -> bool:
        return before[path][0] >= least or path == played_most[: len(path)]  # the root among them

    tree.prune()
    assert tree.full
    assert not tree.is_full
    assert tree.used < used
    assert tree.used <= 0.5 * 42_000 + 26 * len(played_most)
    check_consistent(tree)
    after = paths(tree)
    assert 1 < least < 1500
    assert tree.record["least_visits"] == least // REGROWTH
    for path, (visits, value, score, count) in before.items():
        assert (path in after) == all(keeps_children(path[:depth]) for depth in range(len(path)))
        if path in after:
            assert after[path] == (visits, value, score, count if keeps_children(path) else 0)
    assert after.keys() <= before.keys()
    assert after[()][0] == 1500


def test_what_is_kept_is_as_it_was_to_the_last_bit() -> None:
    search = search_of(load_preset("kikashi").config, nodes=6000)
    search.run(3000)
    before = nested(search.tree, 0)
    search.tree.prune()

    def without_lost(old: dict, new: dict) -> dict:
        """What was known before, without what is below nodes that have lost their children."""
        lost = {"below": {}, "count": 0, "state": 0} if not new["below"] else {}
        return (
            old
            | {"below": {move: without_lost(old["below"][move], new["below"][move]) for move in new["below"]}}
            | lost
        )

    after = nested(search.tree, 0)
    assert after == without_lost(before, after)
    assert after != before


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi"])
def test_a_search_goes_on_after_pruning_and_loses_nothing(preset: str, threads: int) -> None:
    search = search_of(load_preset(preset, ["expansion.visits=1"]).config, threads=threads, nodes=2000)
    for number in range(1, 6):
        assert search.run(700) == 700
        assert search.tree.nodes[0]["visits"] == 700 * number == search.done
        check_consistent(search.tree)
    assert search.tree.prunings > 1, "more than once"
    assert search.tree.full
    assert search.tree.children()["visits"].sum() == 3500
    search.tree.prune()
    check_consistent(search.tree)
    assert search.run(301) == 301
    assert search.tree.nodes[0]["visits"] == 3801


def test_a_tree_is_full_until_a_new_search_starts() -> None:
    game = Game(SIZE)
    search = search_of(load_preset("mogo-2006").config, game, nodes=1000)
    assert not search.tree.full
    search.run(2000)
    assert search.tree.full
    best = search.tree.children()
    move = int(best[int(best["visits"].argmax())]["move"])
    search.tree.keep(move)
    game.push(move)
    start(search, game)
    assert not search.tree.full
    assert search.tree.record["least_visits"] == 0
    assert search.run(1) == 1
    assert not search.tree.full


def test_an_analysis_says_whether_the_tree_was_full() -> None:
    game = Game(SIZE)
    small = Player("mogo-2006", limit=Limit(simulations=3000), megabytes=0.01)
    small.early_stop = False
    decision = small.choose(game)
    assert decision.analysis.full
    assert decision.analysis.visits == 3000
    small.limit = Limit(simulations=1)
    small.new_game()
    game.push("C3")
    assert not small.choose(game).analysis.full
    roomy = Player("mogo-2006", limit=Limit(simulations=300))
    assert not roomy.choose(Game(SIZE)).analysis.full
