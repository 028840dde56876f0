"""The search as a whole: no visit is lost, a seed gives one tree, memory is bounded, no position is repeated."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from helpers.naive import NaiveBoard
from helpers.naive import Rules as NaiveRules
from helpers.searching import grown, search_of, start
from kikashi import Game
from kikashi.board.points import PASS, parse_vertex, vertex
from kikashi.playout import PartError, cells, feasibility, heuristic, make_policy, memory
from kikashi.playout.uses import use
from kikashi.preset import load_preset
from kikashi.search.kinds import backup, expansion, selection
from kikashi.search.loop import is_seen
from kikashi.search.search import Recipe, Search, seen_table
from kikashi.search.tree import BANNED, SCALE, Tree, nodes_of

SIZE = 5


@feasibility()
def toy_anything(sim, point, my):
    """Every legal move."""
    return True


def recipe(
    *, select: str = "ucb1", expand: str = "after_visits", back_up: str = "mean", playout: Any = "uniform", **more: Any
) -> Recipe:
    return Recipe(
        policy=make_policy(playout, feasibility=more.pop("feasible", "eyelike"), move_limit=200),
        rules={
            "selection": use(selection, select, more.pop("select_by", {})),
            "expansion": use(expansion, expand),
            "backup": use(backup, back_up),
        },
        **more,
    )


# --- counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi", "crazystone-2006"])
def test_no_visit_is_lost(preset: str, threads: int) -> None:
    search = search_of(load_preset(preset).recipe, threads=threads)
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
    search = search_of(load_preset("mogo-2006").recipe)
    search.run(2000)
    inner = [(int(search.tree.nodes[node]["visits"]), below) for node, below in grown(search.tree)][1:]
    assert len(inner) > 50
    assert all(visits == below + 1 for visits, below in inner)


@pytest.mark.parametrize("visits", [0, 3])
def test_a_leaf_grows_at_the_visit_that_the_rule_says(visits: int) -> None:
    wanted = load_preset("mogo-2006", [f"expansion.visits={visits}"]).recipe
    search = search_of(wanted, nodes=200_000)
    search.run(2000 if visits else 100)  # with 0 a simulation grows all the way to the end of the game
    inner = [(int(search.tree.nodes[node]["visits"]), below) for node, below in grown(search.tree)][1:]
    assert inner
    assert all(total == below + visits for total, below in inner)


def test_sums_are_those_of_the_children() -> None:
    """A node's sums are its children's and those of the one simulation that ended there: 0 or 1 for a win."""
    search = search_of(load_preset("mogo-2006").recipe)
    search.run(2000)
    for node, _ in grown(search.tree):
        here, below = search.tree.nodes[node], search.tree.children(node)
        own = (int(here["value"]) - int(below["value"].sum())) / SCALE
        assert own == 0 if node == 0 else own in (0, 1)
        assert search.tree.columns["squares"][node]["square"] == here["value"]
        assert here["mean"] == pytest.approx(int(here["value"]) / SCALE / int(here["visits"]))


def test_several_threads_search_the_same_tree() -> None:
    search = search_of(load_preset("mogo-2006").recipe, threads=3)
    search.run(3000)
    shares = [int(worker.search["owned_count"]) for worker in search.workers]
    assert shares == [1000, 1000, 1000]


# --- seeds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi", "crazystone-2006"])
def test_the_same_seed_gives_the_same_tree(preset: str) -> None:
    trees = []
    for seed in (7, 7, 8):
        search = search_of(load_preset(preset).recipe, seed=seed)
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
    search = search_of(load_preset("mogo-2006", ["expansion.visits=0"]).recipe, game, threads=threads, nodes=2000)
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


def test_a_full_tree_is_consistent() -> None:
    search = search_of(load_preset("mogo-2006").recipe, threads=3, nodes=500)
    search.run(3000)
    assert search.tree.nodes[0]["visits"] == 3000
    blocks = sorted(
        (int(search.tree.nodes[node]["first"]), int(search.tree.nodes[node]["count"])) for node, _ in grown(search.tree)
    )
    assert all(first + count <= after for (first, count), (after, _) in pairwise(blocks))
    assert blocks[-1][0] + blocks[-1][1] <= 500
    assert all(search.tree.nodes[node]["visits"] >= below for node, below in grown(search.tree))


# --- keeping a subtree ------------------------------------------------------------------------------------------------


def nested(tree: Tree, node: int) -> dict[str, Any]:
    """A node with all below it, without the places in the array."""
    here = tree.nodes[node]
    names = [name for name in here.dtype.names or () if name not in ("first", "move", "losses")]
    first = int(here["first"])
    below = {int(child["move"]): nested(tree, first + i) for i, child in enumerate(tree.children(node))}
    return {name: here[name].item() for name in names} | {"below": below}


def test_keeping_a_move_keeps_all_that_is_known_of_it() -> None:
    game = Game(SIZE)
    search = search_of(load_preset("kikashi").recipe, game)
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
    search = search_of(load_preset("mogo-2006").recipe, nodes=2000)
    search.run(100)
    search.tree.children()["visits"][search.tree.children()["move"] == parse_vertex(move, SIZE)] = 0
    assert not search.tree.keep(parse_vertex(move, SIZE))
    assert search.tree.used == 1
    assert search.tree.nodes[0]["visits"] == 0


# --- repetition -------------------------------------------------------------------------------------------------------

KO = """
    . X O . .
    X . X O .
    . X O . .
    . . . . .
    . . . . .
"""


def after_ko(*moves: str, rules: str = "positional") -> Game:
    """White takes the ko at B4, then these moves are made."""
    game = Game.from_diagram(KO, turn="white", rules=rules)
    for move in ("B4", *moves):
        game.push(move)
    return game


def flags_of(search: Search) -> dict[str, int]:
    return {vertex(int(child["move"])): int(child["flags"]) & BANNED for child in search.tree.children()}


def test_a_root_move_that_repeats_a_position_is_banned() -> None:
    game = after_ko("pass", "pass")
    assert not game.is_legal("C4")
    search = search_of(load_preset("mogo-2006").recipe, game)
    assert flags_of(search) == {name: name == "C4" for name in flags_of(search)}
    search.run(1000)
    assert search.tree.nodes[search.tree.child(parse_vertex("C4", SIZE))]["visits"] == 0
    assert search.tree.children()["visits"].sum() == 1000


@pytest.mark.parametrize("superko", ["simple", "situational"])
def test_a_root_move_that_the_rules_of_the_game_allow_is_not_banned(superko: str) -> None:
    game = after_ko("pass", "pass", rules=superko)
    assert game.is_legal("C4") == (superko == "simple")
    search = search_of(load_preset("mogo-2006").recipe, game)
    search.run(1000)
    assert bool(flags_of(search)["C4"]) == (superko != "simple")
    assert bool(search.tree.nodes[search.tree.child(parse_vertex("C4", SIZE))]["visits"]) == (superko == "simple")


def test_a_ban_of_the_tree_does_not_bind_the_root_of_a_game_that_allows_it() -> None:
    game = after_ko("pass", rules="simple")
    search = search_of(load_preset("mogo-2006", ["selection.first_play_urgency=10"]).recipe, game)
    search.run(300)
    assert search.tree.keep(PASS)
    game.push("pass")
    for child in search.tree.children():
        child["flags"] |= BANNED
    start(search, game)
    assert not any(flags_of(search).values())


def check_path(tree: Tree, node: int, board: NaiveBoard, found: dict[str, int]) -> None:
    """No visited move repeats a position; every banned one does."""
    for i, child in enumerate(tree.children(node)):
        move = int(child["move"])
        repeats = move != PASS and board.repeats(move, "positional")
        assert move == PASS or board.is_legal(move, NaiveRules("simple"))
        if child["visits"]:
            assert not repeats
            after = board.copy()
            after.play(move)
            check_path(tree, int(tree.nodes[node]["first"]) + i, after, found)
        elif child["flags"] & BANNED:
            assert repeats
        found["visited"] += int(child["visits"] > 0)
        found["banned"] += int(child["flags"]) & BANNED


@pytest.mark.parametrize("threads", [1, 2])
def test_no_position_comes_twice_in_the_tree(threads: int) -> None:
    """On 2x2, where nearly every line wants to repeat something: of the game and of the tree itself."""
    game = Game(2, komi=0)
    board = NaiveBoard(2)
    for move in ("A1", "B2", "B1", "A2"):
        game.push(move)
        board.play(parse_vertex(move, 2))
    search = search_of(recipe(feasible="toy_anything", select_by={"p": 3.0}), game, threads=threads)
    search.run(3000)
    found = {"visited": 0, "banned": 0}
    check_path(search.tree, 0, board, found)
    # How much of the tree two threads see depends on who is how fast.
    assert found["visited"] > (250 if threads == 1 else 100)
    assert found["banned"] > (50 if threads == 1 else 10)


def test_seen_positions_are_found_again() -> None:
    chances = np.random.default_rng(1)
    for count in (0, 1, 8, 9, 300, 3000):
        hashes = [int(h) for h in chances.integers(1, 2**64, count, np.uint64, endpoint=False)]
        hashes += [h << 32 for h in range(1, count // 10)] + [h << 20 for h in range(1, count // 10)]
        hashes += [2**64 - 1, 2**63, 2**31] if count else []
        table = seen_table([*hashes, 0])
        assert table.size >= 4 * len(set(hashes))
        assert all(is_seen(table, np.uint64(h)) for h in hashes)
        others = {int(h) for h in chances.integers(1, 2**64, 500, np.uint64, endpoint=False)} | {5, 5 << 33, 2**62}
        assert not any(is_seen(table, np.uint64(h)) for h in others - set(hashes))
        assert not is_seen(table, np.uint64(0))


# --- errors of parts --------------------------------------------------------------------------------------------------


@selection()
def toy_selects_badly(sim, tree, node, my):
    """Fails when the root has some visits."""
    if nodes_of(tree)[0].visits >= 10:
        raise ValueError("no choice")
    return nodes_of(tree)[node].first


@expansion()
def toy_expands_badly(sim, tree, node, my):
    """Fails."""
    raise ValueError("no growth")


@backup()
def toy_backs_up_badly(sim, tree, node, my):
    """Fails."""
    raise ValueError("no mean")


@feasibility()
def toy_refuses_badly(sim, point, my):
    """Fails inside the tree, below the root."""
    if sim.length > 5:
        raise ValueError("no idea")
    return True


@heuristic()
def toy_proposes_badly(sim, moves, my):
    """Fails."""
    raise ValueError("no move")


@memory(cells=1)
def toy_learns_badly(sim, my):
    """Fails."""
    raise ValueError("no lesson")


@heuristic(memories=["toy_learns_badly"])
def toy_forgets(sim, moves, my):
    """Proposes nothing, but has a memory."""
    if cells(my.toy_learns_badly)[0] > 1:
        moves.base = 1.0


@selection()
def toy_does_not_compile(sim, tree, node, my):
    """Names what is not there."""
    return my.nothing


def prior(name: str) -> tuple[Any, float]:
    return use(heuristic, name), 10.0


BROKEN = {
    "toy_selects_badly": lambda: recipe(select="toy_selects_badly"),
    "toy_expands_badly": lambda: recipe(expand="toy_expands_badly"),
    "toy_backs_up_badly": lambda: recipe(back_up="toy_backs_up_badly"),
    "toy_refuses_badly": lambda: recipe(feasible="toy_refuses_badly"),
    "toy_proposes_badly": lambda: recipe(playout="toy_proposes_badly"),
    "toy_learns_badly": lambda: recipe(playout="toy_forgets"),
    "toy_does_not_compile": lambda: recipe(select="toy_does_not_compile"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_error_of_a_part_names_it(name: str, threads: int) -> None:
    with pytest.raises(PartError, match=name) as caught:
        search_of(BROKEN[name](), threads=threads).run(500)
    assert "\n" not in str(caught.value)


def test_the_error_of_a_prior_names_it() -> None:
    with pytest.raises(PartError, match=r"heuristic 'toy_proposes_badly'.*no move"):
        search_of(recipe(priors=(prior("toy_proposes_badly"),)))
