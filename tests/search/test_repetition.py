"""No position is repeated in the tree: bans at the root and below it, and the table of positions of the game."""

import numpy as np
import pytest

from helpers.naive import NaiveBoard, Rules as NaiveRules
from helpers.searching import config, search_of, start
from kikashi import Game
from kikashi.board.points import PASS, parse_vertex, vertex
from kikashi.engine.preset import load_preset
from kikashi.playout import feasibility
from kikashi.search.loop import is_seen, seen_table
from kikashi.search.tree import BANNED, Tree
from kikashi.search.tree_search import TreeSearch

SIZE = 5


@feasibility()
def toy_anything(sim, point, my):
    """Every legal move."""
    return True


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


def flags_of(search: TreeSearch) -> dict[str, int]:
    return {vertex(int(child["move"])): int(child["flags"]) & BANNED for child in search.tree.children()}


def test_a_root_move_that_repeats_a_position_is_banned() -> None:
    game = after_ko("pass", "pass")
    assert not game.is_legal("C4")
    search = search_of(load_preset("mogo-2006").config, game)
    assert flags_of(search) == {name: name == "C4" for name in flags_of(search)}
    search.run(1000)
    assert search.tree.nodes[search.tree.child(parse_vertex("C4", SIZE))]["visits"] == 0
    assert search.tree.children()["visits"].sum() == 1000


@pytest.mark.parametrize("superko", ["simple", "situational"])
def test_a_root_move_that_the_rules_of_the_game_allow_is_not_banned(superko: str) -> None:
    game = after_ko("pass", "pass", rules=superko)
    assert game.is_legal("C4") == (superko == "simple")
    search = search_of(load_preset("mogo-2006").config, game)
    search.run(1000)
    assert bool(flags_of(search)["C4"]) == (superko != "simple")
    assert bool(search.tree.nodes[search.tree.child(parse_vertex("C4", SIZE))]["visits"]) == (superko == "simple")


def test_a_ban_of_the_tree_does_not_bind_the_root_of_a_game_that_allows_it() -> None:
    game = after_ko("pass", rules="simple")
    search = search_of(load_preset("mogo-2006", ["selection.first_play_urgency=10"]).config, game)
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
    search = search_of(config(feasible="toy_anything", select_by={"p": 3.0}), game, threads=threads)
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
        assert table.size >= 2 * len(set(hashes))
        assert all(is_seen(table, np.uint64(h)) for h in hashes)
        others = {int(h) for h in chances.integers(1, 2**64, 500, np.uint64, endpoint=False)} | {5, 5 << 33, 2**62}
        assert not any(is_seen(table, np.uint64(h)) for h in others - set(hashes))
        assert not is_seen(table, np.uint64(0))
