"""Group mode: the compiled groups beside a naive transcription of the paper's, and trees that keep to them."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from helpers.naive_groups import naive_group, naive_twin
from helpers.searching import own_record
from kikashi import Game
from kikashi.board.points import EMPTY, PASS, STRIDE, parse_vertex, row_of, vertex
from kikashi.board.position import new_board
from kikashi.engine.limits import Limit
from kikashi.engine.move_choice import best_move
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.jit import kernel
from kikashi.playout import make_policy, new_root, play_out
from kikashi.playout.simulation import HISTORY, new_simulation
from kikashi.search.analysis import Analysis, MoveStatistics
from kikashi.search.kinds import region
from kikashi.search.rules.groups import common_fate
from kikashi.search.tree import GROWN
from kikashi.search.tree_search import TreeSearch


@cache
def compiled() -> Any:
    return kernel(common_fate.function)


def group(board: Any, last: list[int], **parameters: int) -> set[int]:
    """The points that the rule marks after these last moves, the latest last."""
    sim = new_simulation(np.uint64(1))
    sim["board"] = board
    sim["moves"][:HISTORY] = PASS
    sim["moves"][HISTORY - len(last) : HISTORY] = last
    sim["length"] = HISTORY
    compiled()(sim, own_record(region, "common_fate", **parameters))
    return set(np.flatnonzero(sim["region"]).tolist())


@pytest.mark.thorough
@pytest.mark.parametrize("size", [2, 5, 9, 13, 19])
def test_groups_are_those_of_the_naive_rule(size):
    game = [(move, board.copy()) for move, board in play_out(make_policy(), new_root(new_board(size)), seed=size)]
    found = set()
    for number in range(0, len(game), max(1, len(game) // 12)):
        board, last = game[number][1], [move for move, _ in game[max(0, number - 3) : number + 1]]
        for distance in (1, 2, 4):
            for count in (1, 2, HISTORY):
                starts = [p for p in last[-count:] if p != PASS] if last[-1] != PASS else []
                marked = group(board, last, distance=distance, last_moves=count)
                assert marked == naive_group(naive_twin(board), starts, distance), f"{starts} {distance}"
                found.add(len(marked))
    assert len(found) > 1 + (size > 2), "the groups of these positions are all alike"


DIAGRAM = """
    . . . . . . . . .
    . . . . . . . O .
    . . . . . . . . .
    . . . . . . . . .
    . X . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . X . . O . . . .
    . . . . . . . . ."""


def test_a_group_reaches_strings_that_its_empty_points_touch():
    """B2 and E2 have two empty points between them: both are one step from a string, so at distance 1 neither group
    touches the other's string, and at distance 2 they are one."""
    board = Game.from_diagram(DIAGRAM).board
    last = [parse_vertex("B2", 9)]
    at_one = {vertex(p) for p in group(board, last, distance=1, last_moves=1)}
    assert at_one == {"B2", "A2", "B1", "B3", "C2"}
    at_two = {vertex(p) for p in group(board, last, distance=2, last_moves=1)}
    assert {"E2", "G2", "E4", "B5", "B7", "D5"} <= at_two
    assert "H8" not in at_two


def test_after_a_pass_nothing_is_marked():
    board = Game.from_diagram(DIAGRAM).board
    assert group(board, [parse_vertex("B2", 9), PASS]) == set()
    assert group(board, []) == set()


def test_the_groups_of_both_last_moves_are_marked():
    board = Game.from_diagram(DIAGRAM).board
    both = [parse_vertex("H8", 9), parse_vertex("B2", 9)]
    assert group(board, both, distance=1, last_moves=2) == group(board, both[:1], distance=1) | group(
        board, both[1:], distance=1
    )


# --- in the tree ------------------------------------------------------------------------------------------------------


def nodes_below(search: TreeSearch) -> Iterator[tuple[list[int], list[int]]]:
    """For every node with children: the moves that lead to it, and its children's."""
    nodes, waiting = search.tree.nodes, [(0, [])]
    while waiting:
        node, path = waiting.pop()
        if nodes[node]["state"] != GROWN:
            continue
        children = range(int(nodes[node]["first"]), int(nodes[node]["first"] + nodes[node]["count"]))
        yield path, [int(nodes[child]["move"]) for child in children]
        waiting += [(child, [*path, int(nodes[child]["move"])]) for child in children]


def grouped(*moves: str, threads: int = 1) -> tuple[Game, TreeSearch]:
    game = Game(9)
    for move in moves:
        game.push(move)
    search = TreeSearch(load_preset("mogo-2006", ["region=common_fate(distance=2)"]).config, size=9, threads=threads)
    search.start(search_request(game))
    search.run(400)
    return game, search


@pytest.mark.parametrize("threads", [1, 2])
def test_the_tree_keeps_to_the_groups_of_each_node(threads):
    game, search = grouped("C3", "G7", threads=threads)
    checked = 0
    for path, moves in nodes_below(search):
        here = game.copy()
        for move in path:
            here.push(move)
        last = [move.point for move in here.moves][-2:]
        if here.is_over() or last[-1] == PASS:
            continue
        group = naive_group(naive_twin(here.board), [p for p in last if p != PASS], 2)
        assert set(moves) - {PASS} <= group
        assert moves[-1] == PASS
        checked += 1
    assert checked > 100


def test_the_whole_board_is_searched_at_first_and_after_a_pass():
    for moves in ([], ["C3", "pass"]):
        game, search = grouped(*moves)
        assert set(search.tree.children()["move"].tolist()) == {*game.legal_moves, PASS}


@region()
def toy_nowhere(sim, my):
    """Marks only points that are taken."""
    for p in range(sim.region.size):
        sim.region[p] = sim.board.color[p] != EMPTY


def test_where_nothing_is_left_in_the_region_the_whole_board_is_searched():
    game = Game(9)
    game.push("E5")
    player = Player("mogo-2006", limit=Limit(simulations=100), overrides=["region=toy_nowhere"])
    assert len(player.analyse(game).moves) == 81


def test_groups_of_lone_stones_have_less_than_fifty_moves():
    """The paper: "we reduce the branching factor to less than 50 at the opening period"; it gives no distance."""
    game = Game(19)
    player = Player("mogo-2006", limit=Limit(simulations=100), overrides=["region=common_fate"])
    for move in ("D4", "Q16", "Q4", "D16"):
        game.push(move)
        assert 10 < len(player.analyse(game).moves) < 50


@region()
def toy_first_line(sim, my):
    """Marks the lowest line."""
    for column in range(1, sim.board.size + 1):
        sim.region[STRIDE + column] = 1


def on_the_first_line(**budget: Any) -> Player:
    return Player("mogo-2006", limit=Limit(**budget), overrides=["region=toy_first_line"])


@pytest.fixture
def passing_is_best_near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only the lowest line is looked at, a player would pass."""

    def best(analysis: Analysis, rule: str) -> MoveStatistics | None:
        passing = next(move for move in analysis.moves if move.move == PASS)
        return passing if len(analysis.moves) <= 10 else best_move(analysis, rule)

    for module in ("player", "move_search"):
        monkeypatch.setattr(f"kikashi.engine.{module}.best_move", best)


def test_in_a_region_the_whole_budget_is_spent() -> None:
    for threads in (1, 2):
        player = Player(
            "mogo-2006", limit=Limit(simulations=1000), overrides=["region=toy_first_line"], threads=threads
        )
        player.early_stop = False
        found = player.choose(Game(9)).analysis
        assert {row_of(move.move) for move in found.moves} == {0, 1}, "passing, and the first line"
        assert found.visits == found.simulations == 1000


@pytest.mark.usefixtures("passing_is_best_near")
@pytest.mark.parametrize("early_stop", [False, True])
def test_where_passing_looks_best_the_other_half_is_for_the_whole_board(early_stop: bool) -> None:
    for player in (on_the_first_line(simulations=1000), on_the_first_line(seconds=0.2)):
        player.early_stop = early_stop
        for _ in range(2):
            decision = player.choose(Game(9))
            assert len(decision.analysis.moves) == 82, "and again: the tree of the whole board was not kept"
            assert decision.analysis.visits == decision.analysis.simulations
            assert decision.name != "pass"
            if player.limit.simulations and not early_stop:
                assert decision.analysis.simulations == 500


@pytest.mark.usefixtures("passing_is_best_near")
def test_who_is_ahead_in_the_opening_does_not_pass() -> None:
    """Black has more than the other on the board as it stands: komi."""
    assert on_the_first_line(simulations=400).choose(Game(9, komi=-0.5)).name != "pass"


@pytest.mark.usefixtures("passing_is_best_near")
def test_where_a_pass_wins_nothing_else_is_looked_for() -> None:
    game = Game(9, komi=7.5)
    game.push("pass")
    decision = on_the_first_line(simulations=400).choose(game)
    assert decision.name == "pass"
    assert len(decision.analysis.moves) == 1


@pytest.mark.usefixtures("passing_is_best_near")
def test_one_playout_is_enough_to_answer() -> None:
    decision = on_the_first_line(simulations=1).choose(Game(9))
    assert Game(9).is_legal(decision.move)
    assert len(decision.analysis.moves) == 10


def test_requested_moves_may_be_anywhere() -> None:
    centre = parse_vertex("E5", 9)
    *_, found = on_the_first_line(simulations=200).think(Game(9), moves=[centre])
    assert {move.move for move in found.moves} == {centre, PASS}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("region=common_fat", "did you mean common_fate"),
        ("region=common_fate(distance=0)", "distance must be 1 to"),
        ("region=common_fate(last_moves=9)", "last_moves must be 1 to 8"),
    ],
)
def test_the_error_of_a_bad_region_is_one_line(text, message):
    with pytest.raises(ValueError, match=message):
        load_preset("mogo-2006", [text])
