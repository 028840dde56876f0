"""Multi-start (Baier 2010, §7.1): two searches of half the budget give what the same searches give when run by hand."""

import json
import time
from dataclasses import replace

import pytest

from helpers.searching import SETTLED
from kikashi import Game, Limit, Player
from kikashi.board.points import PASS, parse_vertex
from kikashi.engine.limits import UNLIMITED
from kikashi.engine.move_choice import best_move
from kikashi.engine.preset import load_preset
from kikashi.engine.tree_reuse import search_request
from kikashi.game.time_control import Clock
from kikashi.search.analysis import Analysis, MoveStatistics, merged
from kikashi.search.multi_start import TURN, MultiStart, seed_of
from kikashi.search.tree_search import BATCH, TreeSearch

MEGABYTES = 16


def player(preset: str = "lgrf2-m-a", simulations: int = 200, **more) -> Player:
    return Player(preset, limit=Limit(simulations), **{"megabytes": MEGABYTES, **more})


def starts_of(one: Player) -> list[TreeSearch]:
    assert isinstance(one._kept.search, MultiStart)
    return one._kept.search.searches


def by_hand(game: Game, simulations: list[int], seed: int = 1) -> list[Analysis]:
    """The searches one after the other, each alone."""
    found = []
    for number, count in enumerate(simulations):
        search = TreeSearch(
            load_preset("lgrf2").config, size=game.size, seed=seed_of(seed, number), megabytes=MEGABYTES / 2
        )
        search.start(search_request(game))
        assert search.run(count) == count
        found.append(search.analysis(1.0))
    return found


def wins_of(found: Analysis) -> dict[int, float]:
    return {move.move: move.wins for move in found.moves}


# --- the two rules ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 7])
@pytest.mark.parametrize(("simulations", "shares"), [(400, [200, 200]), (2501, [1251, 1250])])
@pytest.mark.parametrize("size", [5, 9])
def test_the_sums_are_those_of_two_searches_by_hand(size: int, simulations: int, shares: list[int], seed: int) -> None:
    game = Game(size)
    game.push("C3")
    both = by_hand(game, shares, seed)
    decisions = {rule: player(f"lgrf2-m-{rule}", simulations, seed=seed).choose(game) for rule in "ab"}
    for decision in decisions.values():
        found = decision.analysis
        assert (found.simulations, found.visits) == (simulations, simulations)
        assert sum(move.visits for move in found.moves) == simulations
        for move in found.moves:
            alone = [next((m for m in each.moves if m.move == move.move), None) for each in both]
            known = [each for each in alone if each is not None]
            assert move.visits == sum(each.visits for each in known)
            assert move.wins == pytest.approx(sum(each.wins for each in known)) or not move.visits
            assert move.best_wins == max(each.wins for each in known)
    summed, best = ({}, {})
    for each in both:
        for move, wins in wins_of(each).items():
            summed[move] = summed.get(move, 0) + wins
            best[move] = max(best.get(move, 0), wins)
    assert summed[decisions["a"].move] == pytest.approx(max(summed.values()))
    assert best[decisions["b"].move] == max(best.values())


def test_the_searches_differ() -> None:
    one, other = by_hand(Game(9), [300, 300])
    assert one.moves != other.moves
    assert seed_of(5, 0) == 5
    assert len({seed_of(seed, number) for seed in range(20) for number in range(5)}) == 100


def a_move(name: str, visits: int, winrate: float, best_wins: float | None = None) -> MoveStatistics:
    line = (parse_vertex(name, 9),)
    return MoveStatistics(line[0], visits, winrate, 1.0 * visits, 0.5, winrate, line, (visits,), best_wins)


def test_analyses_are_merged() -> None:
    found = player(simulations=4).analyse(Game(9))
    moves = [a_move("A1", 30, 0.5), a_move("B1", 10, 0.4)], [a_move("B1", 50, 0.8), a_move("C1", 40, 0.5)]
    one = replace(found, visits=40, simulations=40, winrate=0.475, score=2.0, moves=tuple(moves[0]), depth=3)
    other = replace(found, visits=120, simulations=90, winrate=0.6, score=4.0, moves=tuple(moves[1]), full=True)
    both = merged([one, other])
    assert (both.visits, both.simulations, both.full) == (160, 130, True)
    assert both.winrate == pytest.approx((40 * 0.475 + 120 * 0.6) / 160)
    assert both.score == pytest.approx(3.5)
    assert both.nodes == 2 * found.nodes
    first, second, third = both.moves
    assert (first.name, first.visits, first.best_wins) == ("B1", 60, 40.0)
    assert first.wins == pytest.approx(44)
    assert first.variation_visits == (50,)
    assert (second.name, third.name) == ("C1", "A1")
    json.dumps(both.as_json())


def test_the_most_wins_of_both_and_of_one_are_not_the_same() -> None:
    found = player(simulations=4).analyse(Game(9))
    steady, once = a_move("A1", 100, 0.5), a_move("B1", 90, 0.8)
    both = merged([replace(found, moves=(steady, once)), replace(found, moves=(steady,))])
    assert best_move(both, "wins").name == "A1"
    assert best_move(both, "best_wins").name == "B1"


# --- budgets, threads, memory -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("simulations", [1, 2, 3, 999, 2000])
@pytest.mark.parametrize("starts", [2, 3])
def test_no_simulation_is_lost(starts: int, simulations: int, threads: int) -> None:
    one = player(simulations=simulations, threads=threads, overrides=[f"starts={starts}"])
    found = one.choose(Game(5)).analysis
    assert found.simulations == found.visits == simulations
    done = [search.done for search in starts_of(one)]
    assert sum(done) == simulations
    assert max(done) - min(done) <= 1


@pytest.mark.parametrize("limit", [Limit(seconds=0.3), Limit(10**9, 0.3)])
def test_a_time_is_shared_too(limit: Limit) -> None:
    one = player()
    one.choose(Game(5), limit)  # warm
    found = one.choose(Game(9), limit).analysis
    done = [search.done for search in starts_of(one)]
    assert sum(done) == found.simulations
    assert max(done) - min(done) <= TURN // 81
    assert one.choose(Game(9), Limit(clock=Clock(main=2.0))).analysis.simulations > 0


def test_an_interruption_ends_both() -> None:
    found = player(simulations=10**6).choose(Game(5), interrupted=lambda: True).analysis
    assert 0 < found.simulations <= BATCH // 25


def test_pauses_change_nothing() -> None:
    reported = list(player(simulations=3000).think(Game(5), every=0.01))
    assert reported[-1].simulations == 3000
    assert reported[-1].moves == player(simulations=3000).choose(Game(5)).analysis.moves


def test_each_has_its_part_of_the_memory() -> None:
    one, single = player(), player("lgrf2")
    one.analyse(Game(5))
    single.analyse(Game(5))
    nodes = [search.tree.nodes.size for search in starts_of(one)]
    assert nodes[0] == nodes[1] == pytest.approx(single._kept.search.tree.nodes.size / 2, rel=0.01)


@pytest.mark.thorough
def test_full_trees_are_pruned_and_reported() -> None:
    found = player(simulations=3000, megabytes=0.5).choose(Game(9)).analysis
    assert found.full
    assert found.simulations == 3000


# --- a player with several searches -----------------------------------------------------------------------------------


def test_each_keeps_its_own_tree() -> None:
    game, one = Game(5), player(simulations=600)
    game.push(one.choose(game).move)
    game.push(player(simulations=100).choose(game).move)
    found = one.choose(game).analysis
    assert found.visits > 600 == found.simulations
    assert found.visits == sum(int(search.tree.nodes[0]["visits"]) for search in starts_of(one))
    one.new_game()
    assert one.choose(game).analysis.visits == 600


def test_pondering_fills_both_trees() -> None:
    game, one = Game(5), player(simulations=100)
    game.push(one.choose(game).move)
    with one.pondering(game):
        while min(search.done for search in starts_of(one)) < 1000:
            time.sleep(0.01)
        tree = starts_of(one)[0].tree
        answer = int(tree.children()["move"][tree.children()["visits"].argmax()])
    game.push(answer)
    found = one.choose(game).analysis
    assert found.visits > found.simulations == 100


def test_watching_only_some_moves() -> None:
    only, reported = [parse_vertex("A1", 5), parse_vertex("B2", 5)], []
    for found in player().search(Game(5), UNLIMITED, every=0.05, interrupted=lambda: len(reported) == 3, moves=only):
        reported.append(found.visits)
        assert {move.move for move in found.moves} <= {*only, PASS}
    assert reported == sorted(reported)


def test_a_choice_by_visits_is_made_early_with_the_visits_of_both() -> None:
    found = player(simulations=20_000, overrides=["choice.rule=visits"]).choose(Game(5)).analysis
    assert found.simulations < 20_000
    first, second = (move.visits for move in found.moves[:2])
    assert first - second > 20_000 - found.simulations


@pytest.mark.parametrize("preset", ["lgrf2-m-a", "lgrf2-m-b"])
def test_a_won_game_is_ended(preset: str) -> None:
    game = Game.from_diagram(SETTLED, komi=-5.5)
    assert player(preset, 300).choose(game).move == PASS
    game = Game.from_diagram(SETTLED, turn="white", komi=-5.5)
    game.push("pass")
    assert player(preset, 300).choose(game).move == PASS


@pytest.mark.parametrize("starts", ["0", "65", "many"])
def test_a_number_of_searches_that_cannot_be_is_refused(starts: str) -> None:
    with pytest.raises(ValueError, match="starts"):
        load_preset("lgrf2", [f"starts={starts}"])
