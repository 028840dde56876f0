"""Players without a tree: which moves are sampled how often, and what is counted for them."""

from collections import Counter

import pytest

from helpers.searching import UNITS, Trace, children_of, run_traced, search_of
from kikashi import Game
from kikashi.board.points import BLACK, PASS, WHITE, opponent, parse_vertex, vertex
from kikashi.engine.move_choice import best_move
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.search.analysis import Analysis
from kikashi.search.tree_search import TreeSearch

FIGHT = """
    . X O . .
    X . X O .
    . X O . .
    O O . X .
    . . X . .
"""
TURNS = pytest.mark.parametrize("turn", [BLACK, WHITE], ids=["black", "white"])


def flat(preset: str, *settings: str, game: Game | None = None, threads: int = 1, seed: int = 1) -> TreeSearch:
    return search_of(load_preset(preset, settings).config, game, threads=threads, seed=seed)


def visits(search: TreeSearch) -> dict[str, int]:
    return {vertex(child.move): child.visits for child in children_of(search.tree)}


def analysis_of(search: TreeSearch) -> Analysis:
    return search.analysis()


@pytest.mark.parametrize("simulations", [1, 26, 100, 1337])
@pytest.mark.parametrize("threads", [1, 2])
def test_evenly_is_in_turn(simulations: int, threads: int) -> None:
    """The first moves of the tree have one more, where it does not come out even."""
    search = flat("one-ply-2003", threads=threads)
    assert search.run(simulations) == simulations
    counts = list(visits(search).values())
    each, more = divmod(simulations, 26)
    assert counts == [each + 1] * more + [each] * (26 - more)
    assert search.tree.depth() == 1


@pytest.mark.parametrize("preset", ["one-ply-2003", "yoshizoe-2006-basic"])
def test_moves_that_are_not_allowed_are_not_sampled(preset: str) -> None:
    search = flat(preset)
    allowed = [parse_vertex(name, 5) for name in ("A1", "C3", "E2")]
    search.start(search_request(Game(5), allowed))
    search.run(400)
    counts = {name: count for name, count in visits(search).items() if count}
    assert sorted(counts) == ["A1", "C3", "E2", "pass"]
    assert min(counts.values()) >= (100 if preset == "one-ply-2003" else 70)


def test_at_random_all_moves_are_alike() -> None:
    """Chi-square over 26 moves: 52.6 is exceeded once in a thousand."""
    search = flat("yoshizoe-2006-basic", seed=7)
    search.run(6500)
    counts = visits(search)
    assert len(counts) == 26
    assert sum(counts.values()) == 6500
    assert sum((count - 250) ** 2 / 250 for count in counts.values()) < 52.6


def test_by_playout_the_policy_begins() -> None:
    """Nothing but a capture is looked at where the policy always captures."""
    game = Game.from_diagram(". . . . .\n" * 3 + "X O X . .\n. X . . .\n", turn=BLACK)
    search = flat("gobble-1993", "playout=capture", game=game)
    search.run(50)
    assert {name: count for name, count in visits(search).items() if count} == {"B3": 50}


# --- first-put scores -------------------------------------------------------------------------------------------------


def first_players(trace: Trace) -> dict[int, int]:
    """By point: who was the first to play there."""
    found: dict[int, int] = {}
    for i, move in enumerate(trace.moves):
        found.setdefault(move, trace.to_play if i % 2 == 0 else opponent(trace.to_play))
    found.pop(PASS, None)
    return found


@TURNS
@pytest.mark.parametrize("value", ["win", "score"])
def test_first_put_scores_are_those_of_a_replay(turn: int, value: str) -> None:
    """Of both players, after every one of 120 simulations of a position full of captures."""
    game = Game.from_diagram(FIGHT, turn=turn, komi=0.5)
    search = flat("amaf-2003", f"backup.value={value}", game=game)
    count: Counter[tuple[int, int]] = Counter()
    total: Counter[tuple[int, int]] = Counter()
    for _ in range(120):
        trace = run_traced(search)
        won = {BLACK: 1.0, WHITE: 0.0}.get(trace.winner, 0.5)
        amount = round((won if value == "win" else trace.score - trace.komi) * UNITS)
        for point, player in first_players(trace).items():
            count[point, player] += 1
            total[point, player] += amount
        rows = search.tree.columns["first_puts"]
        for child in children_of(search.tree):
            for player, name in ((BLACK, "black"), (WHITE, "white")):
                row = rows[child.number]
                found = (int(row[f"{name}_visits"]), int(row[f"{name}_value"]))
                assert found == (count[child.move, player], total[child.move, player]), vertex(child.move)
    assert min(sum(n for (_, player), n in count.items() if player == color) for color in (BLACK, WHITE)) > 500
    for move in analysis_of(search).moves:
        if move.move == PASS:
            assert move.first_put == 0.0
        elif count[move.move, turn] and count[move.move, opponent(turn)]:
            own, others = (total[move.move, who] / count[move.move, who] / UNITS for who in (turn, opponent(turn)))
            assert move.first_put == pytest.approx((own - others) * (1 if turn == BLACK else -1))


def test_the_largest_difference_is_chosen() -> None:
    """It says more than the mean of the few games that began with the move."""
    game = Game.from_diagram(FIGHT, turn=BLACK, komi=0.5)
    search = flat("amaf-2003", game=game)
    search.run(600)
    found = analysis_of(search)
    best = best_move(found, "first_put")
    assert best is not None
    assert best.first_put == max(move.first_put or -99.0 for move in found.moves)
    assert all(move.first_put is None for move in analysis_of(flat("one-ply-2003", game=game)).moves)


@TURNS
def test_where_only_one_player_was_first_all_games_stand_for_the_other(turn: int) -> None:
    search = flat("amaf-2003", game=Game(3, komi=0.5).turned_to(turn))
    search.run(30)
    row, root = search.tree.columns["first_puts"][1], search.tree.nodes[0]
    mine, yours = ("black", "white") if turn == BLACK else ("white", "black")
    row[f"{yours}_visits"], row[f"{mine}_visits"], row[f"{mine}_value"] = 0, 10, 40 * UNITS
    move = vertex(children_of(search.tree)[0].move)
    side = 1 if turn == BLACK else -1
    expected = side * (4.0 - int(root["value"]) / int(root["visits"]) / UNITS)
    assert next(each.first_put for each in analysis_of(search).moves if each.name == move) == pytest.approx(expected)
    row[f"{mine}_visits"] = 0
    assert next(each.first_put for each in analysis_of(search).moves if each.name == move) is None
