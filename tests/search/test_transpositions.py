"""Transpositions: nodes of the same position share their children and their value; no simulation is lost."""

from collections import defaultdict

import numpy as np
import pytest

from helpers.searching import search_of, start
from kikashi import Game, Limit, Player
from kikashi.board.points import PASS
from kikashi.engine.preset import load_preset
from kikashi.parts.blocks import block_of
from kikashi.search.config import SearchConfig
from kikashi.search.transpositions import find_position, keep_positions, note_position, table_for
from kikashi.search.tree import GROWING, GROWN, SCALE, Tree
from kikashi.search.tree_search import TreeSearch

PRESETS = ["mogo-2006", "crazystone-2006", "orego-2010", "kikashi"]


def shared(preset: str, size: int = 5) -> SearchConfig:
    return load_preset(preset, ["transpositions=true"]).at(size).config


def positions(tree: Tree) -> dict[int, list[int]]:
    """By the node that counts for a position: all nodes that lead there."""
    found = defaultdict(list)
    nodes = tree.nodes[: tree.used]
    for node in np.flatnonzero(nodes["state"] == GROWN):
        if nodes["first"][node] != node + 1 or node == 0:
            found[int(nodes["first"][node]) - 1].append(int(node))
    return found


def check_graph(tree: Tree) -> None:
    """Blocks do not overlap and fit into the array; whoever leads to a position has its children and its mean."""
    free = np.ones(tree.used, bool)
    free[0] = False
    for position in positions(tree):
        here = tree.nodes[position]
        assert int(here["first"]) == position + 1
        assert here["state"] == GROWN
        end = position + 1 + int(here["count"])
        assert free[position:end].all()
        free[position:end] = False
        assert end <= tree.used
    for position, leading in positions(tree).items():
        for node in leading:
            assert tree.nodes[node]["count"] == tree.nodes[position]["count"]
    assert not free.any(), "there are no gaps"
    assert not tree.nodes[: tree.used]["losses"].any()


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("preset", PRESETS)
def test_no_simulation_is_lost(preset: str, threads: int) -> None:
    made_of = shared(preset)
    search = search_of(made_of, threads=threads)
    assert search.run(2000) == 2000
    tree, before_children = search.tree, made_of.rules["expansion"].values["visits"]
    check_graph(tree)
    assert tree.nodes[0]["visits"] == tree.children()["visits"].sum() == 2000
    for position, leading in positions(tree).items():
        below, here = tree.children(position), tree.nodes[position]
        assert below["visits"].sum() <= here["visits"] <= sum(int(tree.nodes[node]["visits"]) for node in leading)
        if threads == 1 and position != 1:  # the root has children from the start
            assert here["visits"] - below["visits"].sum() == before_children


def test_a_thread_that_came_too_late_to_grow_a_node_hides_no_position() -> None:
    """It stands in the node's state for a moment; what others find meanwhile counts for the position too."""
    search = search_of(shared("mogo-2006"))
    search.run(100)
    tree = search.tree
    position = int(tree.nodes[0]["first"]) - 1
    tree.nodes[0]["state"] += GROWING
    search.run(10)
    tree.nodes[0]["state"] -= GROWING
    assert tree.nodes[0]["visits"] == tree.nodes[position]["visits"] == 110


def three_moves(tree: Tree) -> dict[tuple[int, int, int], int]:
    """The nodes after three stones that have children, by the moves that lead there."""
    found = {}
    for one in range(int(tree.nodes[0]["first"]), int(tree.nodes[0]["first"]) + int(tree.nodes[0]["count"])):
        for two in range(int(tree.nodes[one]["first"]), int(tree.nodes[one]["first"]) + int(tree.nodes[one]["count"])):
            first = int(tree.nodes[two]["first"])
            for three in range(first, first + int(tree.nodes[two]["count"])):
                moves = tuple(int(tree.nodes[node]["move"]) for node in (one, two, three))
                if PASS not in moves and tree.nodes[three]["state"] == GROWN:
                    found[moves] = three
    return found


def test_moves_in_another_order_lead_to_one_position() -> None:
    """A, B, C and C, B, A: the same stones, the same to play. Its children are there once, and count both ways."""
    search = search_of(shared("mogo-2006", 4), Game(4), nodes=200_000)
    search.run(4000)
    nodes, ways = search.tree.nodes, three_moves(search.tree)
    pairs = [(node, ways[c, b, a]) for (a, b, c), node in ways.items() if a < c and (c, b, a) in ways]
    assert len(pairs) > 20
    for way, other in pairs:
        assert way != other
        assert nodes["first"][way] == nodes["first"][other]
        position = nodes[int(nodes["first"][way]) - 1]
        assert position["visits"] <= nodes["visits"][way] + nodes["visits"][other]
        assert position["visits"] >= max(nodes["visits"][way], nodes["visits"][other])
        assert position["mean"] == pytest.approx(position["value"] / SCALE / position["visits"])


def test_a_position_with_another_player_to_move_or_another_ko_is_another() -> None:
    """One pass more, or a ko that may not be taken back: the stones are the same, the position is not."""
    search = search_of(shared("mogo-2006", 3), Game(3), nodes=200_000)
    search.run(3000)
    tree = search.tree
    passed = tree.child(PASS)
    assert passed is not None
    assert tree.nodes[passed]["visits"] > 1
    assert int(tree.nodes[passed]["first"]) != int(tree.nodes[0]["first"])


@pytest.mark.parametrize("preset", PRESETS)
def test_no_simulation_repeats_a_position(preset: str) -> None:
    """On 3x3 captures and repetitions come soon; each way is checked move by move."""
    game = Game(3)
    search = search_of(shared(preset, 3), game, nodes=100_000)
    for _ in range(1500):
        assert search.run(1) == 1
        sim = search.workers[0].sim
        depth = int(sim["depth"])
        hashes = sim["hashes"][: depth + 1].tolist()
        moves = [int(tree_move) for tree_move in search.tree.nodes["move"][sim["nodes"][1 : depth + 1]]]
        placed = [at for at, move in enumerate(moves, 1) if move != PASS]
        seen = [hashes[0], *(hashes[at] for at in placed)]
        assert len(seen) == len(set(seen))
    assert not (search.tree.nodes["flags"][: search.tree.used] & 8).any(), "bans for one way are lifted"


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi"])
def test_a_full_graph_is_pruned_and_goes_on(preset: str, threads: int) -> None:
    search = search_of(shared(preset, 4), Game(4), threads=threads, nodes=1500)
    assert search.run(6000) == 6000
    assert search.tree.full
    assert search.tree.nodes[0]["visits"] == 6000
    search.tree.prune()
    check_graph(search.tree)
    check_table(search)
    assert not (search.tree.nodes["flags"][: search.tree.used] & 2).any()


def check_table(search: TreeSearch) -> None:
    """Every entry of the table names a position that is there."""
    known = positions(search.tree)
    entries = search.tree.positions[search.tree.positions["node"] > 0]
    assert entries.size > 1
    assert set(entries["node"].tolist()) <= set(known)
    for entry in entries:
        found = find_position(
            np.array([block_of(search.tree.positions)], search.tree.record["positions"].dtype)[0], entry["key"]
        )
        assert found == entry["node"]


def test_keeping_a_move_keeps_what_is_known_of_its_positions() -> None:
    game = Game(4)
    search = search_of(shared("mogo-2006", 4), game, nodes=300_000)
    search.run(3000)
    for _ in range(4):
        children = search.tree.children()
        best = int(children["visits"].argmax())
        move, visits = int(children[best]["move"]), int(children[best]["visits"])
        before = sorted(
            (int(c["move"]), int(c["visits"]), float(c["mean"]))
            for c in search.tree.children(int(search.tree.nodes[0]["first"]) + best)
        )
        assert search.tree.keep(move)
        check_graph(search.tree)
        assert before == sorted((int(c["move"]), int(c["visits"]), float(c["mean"])) for c in search.tree.children())
        game.push(move)
        start(search, game)
        assert search.run(500) == 500
        assert search.tree.nodes[0]["visits"] == visits + 500
        assert search.tree.depth() >= 1


def test_without_the_option_nothing_is_shared() -> None:
    search = search_of(load_preset("mogo-2006").config)
    search.run(500)
    assert search.tree.positions.size == 0
    firsts = search.tree.nodes["first"][: search.tree.used][search.tree.nodes["count"][: search.tree.used] > 0]
    assert len(firsts) == len(set(firsts.tolist()))


def test_the_same_seed_gives_the_same_graph() -> None:
    trees = []
    for _ in range(2):
        search = search_of(shared("kikashi"))
        search.run(700)
        trees.append(search.tree.nodes[: search.tree.used].tobytes())
    assert trees[0] == trees[1]


def test_a_player_plays_a_game_with_transpositions() -> None:
    game, player = Game(5), Player("mogo-2006", limit=Limit(200), overrides=["transpositions=true"])
    while not game.is_over() and game.move_count < 60:
        game.push(player.choose(game).move)
    assert game.move_count > 10


@pytest.mark.parametrize(
    ("preset", "why"),
    [("mogo-2006-group", "a region"), ("pnlgr", "a memory of nodes"), ("yoshizoe-2006-basic", "stages")],
)
def test_what_depends_on_the_way_does_not_go_with_transpositions(preset: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"transpositions do not go with {why}"):
        load_preset(preset, ["transpositions=true"])


# --- the table --------------------------------------------------------------------------------------------------------


def test_the_table_finds_what_was_noted_and_nothing_else() -> None:
    chances = np.random.default_rng(1)
    table = table_for(8 * 1000)
    block = np.array([block_of(table)], search_block())[0]
    keys = chances.integers(1, 2**63, 500).astype(np.uint64)
    keys[250:] = keys[:250] + np.uint64(len(table))  # every place is wanted twice
    for node, key in enumerate(keys, 1):
        note_position(block, key, node)
        note_position(block, key, 5000 + node)  # the first stays
    found = [find_position(block, key) for key in keys]
    assert found == list(range(1, 501))
    assert find_position(block, np.uint64(12345)) == 0
    moved = np.zeros(501, np.int32)
    moved[1::2] = np.arange(1, 501, 2) + 10_000
    keep_positions(table, moved)
    assert [find_position(block, key) for key in keys] == [n + 10_000 if n % 2 else 0 for n in range(1, 501)]


def search_block() -> np.dtype:
    return Tree(10).record["positions"].dtype


def test_a_table_without_a_free_place_goes_without() -> None:
    table = table_for(8)
    block = np.array([block_of(table)], search_block())[0]
    for node in range(1, 100):
        note_position(block, np.uint64(node), node)
    assert (table["node"] > 0).all()
    assert find_position(block, np.uint64(99)) == 0
