"""Zone mode: which points belong, what they score beside a slow count, and searches that keep to them."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from helpers.gtp_text import group_of, zone_of
from helpers.heuristic_cases import Case, cases, root_at
from helpers.naive import NaiveBoard
from helpers.naive_groups import naive_group, naive_score, naive_twin, naive_zone
from helpers.searching import check_consistent, run_traced
from kikashi import Game
from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, points_of, vertex
from kikashi.board.position import new_board
from kikashi.board.scoring import area_score, area_score_within, playout_score_within
from kikashi.engine.limits import UNLIMITED, Limit
from kikashi.engine.move_choice import best_move, is_hopeless
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.scoring import judge
from kikashi.engine.tree_reuse import search_request
from kikashi.parts.binding import bind
from kikashi.playout import HISTORY, make_policy, new_root, play_out
from kikashi.search.analysis import Analysis, MoveStatistics
from kikashi.search.kinds import region
from kikashi.search.tree_search import TreeSearch
from kikashi.search.zones import Tuning, ZoneRule, tuned_score

FOREVER = float("inf")


@cache
def search_for(size: int) -> TreeSearch:
    """Only for questions about points."""
    return TreeSearch(load_preset("mogo-2006-zone").config, size=size, nodes=2_000)


def zoned(*moves: str, size: int = 9, tuning: int = 50, threads: int = 1, **more: Any) -> tuple[Game, TreeSearch]:
    """A search of a game after these moves, and the game; nothing has been run yet."""
    game = Game(size, komi=more.pop("komi", 7.5))
    for move in moves:
        game.push(move)
    search = TreeSearch(
        load_preset("mogo-2006-zone", more.pop("overrides", ())).config, size=size, threads=threads, **more
    )
    start(search, game, tuning)
    return game, search


def start(search: TreeSearch, game: Game, tuning: int = 50, alpha: float = 0.5, **more: Any) -> None:
    search.start(search_request(game, tuning=Tuning(tuning, FOREVER, alpha), **more))


def points_in(search: TreeSearch) -> set[int]:
    assert search.zone is not None
    return set(np.flatnonzero(search.zone.points).tolist())


# --- which points belong ----------------------------------------------------------------------------------------------


def shown(case: Case) -> set[int]:
    """The points that the part of a case's question marks."""
    name, listed = re.fullmatch(r"(\w+)\((.*)\)", case.field("part")).groups()
    values = {key: int(value) for key, _, value in (pair.partition("=") for pair in listed.split(","))}
    margin = values.pop("margin", 0)
    rule, search = ZoneRule(bind(region, "common_fate", values), margin=margin), search_for(case.size)
    naive = NaiveBoard.from_diagram("\n".join(" ".join(row) for row in case.rows))
    root = root_at(naive, case.points("last"))
    found = search.zone_at(root, rule) if name == "zone" else search.marked(rule.groups, root)
    return set(np.flatnonzero(found).tolist())


@pytest.mark.parametrize("case", cases("zones"), ids=lambda case: case.id)
def test_points_of_groups_and_zones_in_all_versions(case: Case) -> None:
    for version in case.versions():
        assert shown(version) == set(version.points("answer")), version


@pytest.mark.parametrize("size", [5, 9, 13, 19])
def test_zones_are_those_of_the_naive_rule(size: int) -> None:
    game = [(move, board.copy()) for move, board in play_out(make_policy(), new_root(new_board(size)), seed=size)]
    sizes = set()
    for number in (1, 2, 5, 9, len(game) // 2):
        board, last = game[number][1], tuple(move for move, _ in game[: number + 1])[-2:]
        naive = naive_twin(board)
        for distance, margin in ((1, 0), (1, 1), (1, 3), (2, 2)):
            rule = ZoneRule(bind(region, "common_fate", {"distance": distance}), margin=margin)
            found = np.flatnonzero(search_for(size).zone_at(new_root(board, history=last), rule)).tolist()
            assert set(found) == naive_zone(naive, naive_group(naive, list(last), distance), margin)
            sizes.add(len(found))
    assert len(sizes) > 4


AROUND_C3 = {"A3", "B2", "B3", "B4", "C1", "C2", "C3", "C4", "C5", "D2", "D3", "D4", "E3"}


def test_a_player_shows_the_points_whatever_its_preset() -> None:
    game = Game(9)
    zone, plain = Player("mogo-2006-zone", overrides=["zone.margin=1"]), Player("mogo-2006")
    assert zone_of(zone, game) == group_of(plain, game) == points_of(9), "nobody has moved"
    game.push("C3")
    assert {vertex(p) for p in group_of(zone, game)} == AROUND_C3
    assert group_of(zone, game) == group_of(plain, game) == group_of(Player("mogo-2006-group"), game)
    assert set(group_of(zone, game)) < set(zone_of(zone, game)) < set(zone_of(plain, game)), "the default margin is 2"
    several = Player("mogo-2006", overrides=["starts=2", "region=common_fate(distance=1)"])
    assert {vertex(p) for p in group_of(several, game)} == {"B3", "C2", "C3", "C4", "D3"}


# --- scores -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [5, 9, 13])
def test_scores_inside_are_those_of_a_slow_count(size: int) -> None:
    game = [board.copy() for _, board in play_out(make_policy(), new_root(new_board(size)), seed=size)]
    random, scores = np.random.default_rng(size), set()
    for board in game[:: max(1, len(game) // 12)]:
        zone = np.zeros(new_root(board)["board"]["color"].size, np.uint8)
        zone[random.choice(points_of(size), size * size // 2, replace=False)] = 1
        inside, naive = set(np.flatnonzero(zone).tolist()), naive_twin(board)
        score = area_score_within(board, zone)
        assert score == naive_score(naive, inside)
        rest = area_score_within(board, 1 - zone)
        assert score + rest == area_score(board) == naive.area_score()
        scores.add(score)
    assert playout_score_within(game[-1], zone) == naive_score(naive_twin(game[-1]), inside)
    assert len(scores) > 3


def test_equation_2() -> None:
    """The paper's, written out; and what it is for: the mean of the game comes nearer to a close one by alpha."""
    for inside, outside, komi, alpha in ((3.5, 10.25, 7.5, 0.5), (-20.0, 4.0, 7.5, 0.25), (0.0, 0.0, -3.5, 0.9)):
        tuned = tuned_score(inside, outside, komi=komi, alpha=alpha)
        assert tuned == alpha * (outside + inside - komi) - (inside - komi)
        assert inside + tuned - komi == pytest.approx(alpha * (inside + outside - komi))
        other_side = tuned_score(-inside, -outside, komi=-komi, alpha=alpha)
        assert other_side == pytest.approx(-tuned), "whoever counts"
        assert tuned_score(inside, outside, komi=komi, alpha=1.0) == pytest.approx(outside)


def test_a_zone_is_tuned_by_playouts_of_the_whole_board() -> None:
    """One at a time, each counted slowly; then equation 2."""
    where: dict[str, Any] = {"komi": 5.5, "overrides": ["zone.distance=1"]}
    _, watched = zoned("C3", "G7", "C5", tuning=41, **where)
    inside, scores = points_in(watched), []
    rest = set(points_of(9)) - inside
    for number in range(40):
        assert watched.run(1) == 1
        assert watched.done == number + 1
        final = naive_twin(watched.workers[0].sim["board"])
        scores.append((naive_score(final, inside), naive_score(final, rest)))
    assert watched.zone is not None
    assert not watched.zone.is_tuned
    game, search = zoned("C3", "G7", "C5", tuning=40, **where)
    assert search.run(40) == 40 == search.done
    assert search.zone is not None
    assert search.tree.nodes[0]["visits"] == 0
    s0, s1 = np.mean(scores, axis=0)
    assert (search.zone.inside, search.zone.outside) == pytest.approx((s0, s1))
    tuned = 0.5 * (s1 + s0 - 5.5) - (s0 - 5.5)
    assert search.zone.tuned == pytest.approx(tuned)
    assert search.zone.tuned % 1, "it need not be whole"
    assert search.root["komi"] == pytest.approx(5.5 - tuned)
    assert game.compensation == 5.5


@pytest.mark.parametrize("komi", [7.5, -10.0, 20.0])
def test_simulations_keep_to_the_zone_and_count_it_with_the_tuned_score(komi: float) -> None:
    game, search = zoned("C3", "G7", "C5", tuning=20, komi=komi, overrides=["zone.distance=1"])
    inside = points_in(search)
    assert search.run(20) == 20
    winners = set()
    for _ in range(150):
        trace = run_traced(search)
        assert set(trace.moves) <= inside | {PASS}
        assert set(trace.moves) > {PASS}
        final = naive_twin(search.workers[0].sim["board"])
        assert trace.score == naive_score(final, inside)
        assert search.zone is not None
        total = naive_score(final, inside) + search.zone.tuned
        assert trace.winner == (BLACK if total > komi else WHITE if total < komi else EMPTY)
        winners.add(trace.winner)
    assert winners == {BLACK, WHITE}, "tuned towards a close game"
    assert game.move_count == 3


# --- in the tree ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("more", ["zone.margin=1", "region=common_fate(distance=1)", "region=common_fate(distance=9)"])
def test_the_tree_has_no_move_outside(threads: int, more: str) -> None:
    _, search = zoned("C3", "G7", tuning=100, threads=threads, overrides=["zone.distance=1", more])
    assert search.run(700) == 700 == search.done
    assert search.tree.nodes[0]["visits"] == 600
    inside = points_in(search)
    moves = set(search.tree.nodes[1 : search.tree.used]["move"].tolist())
    assert PASS in moves
    assert moves <= inside | {PASS}
    check_consistent(search.tree)


def naive_points(game: Game, *after: int, distance: int = 2) -> set[int]:
    """The union of the groups of the last two moves, by the slow rule, after further moves of a game."""
    later = game.copy()
    for move in after:
        later.push(vertex(move))
    last = [move.point for move in later.moves][-2:]
    return naive_group(naive_twin(later.board), last, distance) & set(later.legal_moves)


def test_the_tree_keeps_to_the_groups_and_playouts_to_the_zone() -> None:
    """Gelly et al. 2006, §3.3: "in the tree search part we search only the moves in the group"; "in zone mode, the
    random moves is generated only in a certain zone". Figure 9: the group is a part of the zone."""
    game, search = zoned("D10", "K4", size=13, tuning=20)
    inside = points_in(search)
    assert search.run(3000) == 3000
    group = naive_points(game)
    assert set(search.tree.children()["move"].tolist()) == group | {PASS}
    assert group < inside
    looked_at = 0
    for child in search.tree.children():
        if child["count"] and child["move"] != PASS:
            moves = {int(node["move"]) for node in search.tree.nodes[child["first"] :][: child["count"]]}
            assert moves == naive_points(game, int(child["move"])) & inside | {PASS}
            looked_at += 1
    assert looked_at > 10
    played = set(search.workers[0].sim["moves"][HISTORY : search.workers[0].sim["length"]].tolist())
    assert played - {PASS} <= inside
    assert played - group - {PASS}, "a playout is not kept to the groups"


def test_where_the_groups_have_no_move_inside_the_tree_has_the_zone() -> None:
    game, search = zoned("G7", overrides=["zone.margin=1", "region=toy_corner"])
    search.run(60)
    inside = points_in(search)
    assert not inside & {21, 22, 41, 42}
    assert set(search.tree.children()["move"].tolist()) == inside & set(game.legal_moves) | {PASS}


def test_the_whole_board_is_searched_where_there_is_no_zone() -> None:
    everything = {*points_of(9), PASS}
    for moves in ([], ["pass"], ["C3", "pass"]):
        game, search = zoned(*moves)
        assert search.zone is None
        assert set(search.tree.children()["move"].tolist()) == everything & {*game.legal_moves, PASS}
    assert zoned("C3", overrides=["zone.margin=16"])[1].zone is None, "it is all of the board"
    assert zoned("C3", tuning=0)[1].zone is None, "the budget is too small"
    game, search = zoned("C3")
    assert search.zone is not None
    start(search, game, everywhere=True)
    assert search.zone is None
    assert search.run(100) == 100 == search.tree.nodes[0]["visits"]
    assert set(run_traced(search).moves) - {PASS} > set()


def test_where_nothing_inside_can_be_played_the_whole_board_is_searched() -> None:
    """The zone is Black's eye at A1, which Black does not fill, and the stones around it."""
    game = Game.from_diagram("""
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        X X . . . . .
        . X . . . . .""")
    search = TreeSearch(load_preset("mogo-2006-zone", ['zone={ rule = "toy_corner", margin = 0 }']).config, size=7)
    start(search, game)
    assert search.zone is None
    assert len(search.tree.children()) > 40


@region()
def toy_corner(sim, my):
    """Marks A1, A2, B1 and B2."""
    for p in (21, 22, 41, 42):
        sim.region[p] = 1


def test_a_tree_is_kept_only_with_its_zone() -> None:
    game, search = zoned("C3", "G7")
    search.run(250)
    kept = search.zone
    start(search, game)
    assert search.zone is kept, "its tuning goes with the tree"
    assert search.run(100) == 100 == search.done
    assert search.tree.nodes[0]["visits"] == 300
    start(search, game, alpha=1.0)
    assert search.tree.nodes[0]["visits"] == 0, "win rates by another score outside"
    search.run(100)
    game.push("E2")
    search.advance([game.moves[-1].point])
    start(search, game, alpha=1.0)
    assert search.tree.nodes[0]["visits"] == 0, "another zone"
    assert search.zone is not None
    assert not search.zone.is_tuned
    search.run(100)
    search.clear()
    start(search, game, alpha=1.0)
    assert not search.zone.is_tuned, "nothing is kept, so it is tuned anew"


def test_memories_of_nodes_start_anew_after_the_tuning() -> None:
    game = Game(9)
    game.push("C3")
    search = TreeSearch(load_preset("pnlgr", ["zone=common_fate"]).config, size=9, nodes=20_000)
    start(search, game)
    assert search.run(300) == 300
    check_consistent(search.tree)


# --- reports ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_an_analysis_tells_of_the_whole_board(color: int) -> None:
    game, search = zoned("C3", "G7", *["C5"][: color == WHITE], tuning=30, overrides=["zone.distance=1"])
    search.run(30)
    scores = [run_traced(search).score for _ in range(100)]
    zone = search.zone
    assert zone is not None
    found = search.analysis(1.0, komi=game.compensation)
    black = np.mean(scores) + zone.outside - 7.5
    assert found.black_score == pytest.approx(black)
    assert found.outside == zone.outside
    assert found.internal_komi == pytest.approx(7.5 + zone.outside - zone.tuned)
    won = np.mean([score + zone.outside > found.internal_komi for score in scores])
    assert found.black_winrate == pytest.approx(won), "by the komi of the report"
    owners, inside = dict(zip(points_of(9), found.ownership, strict=True)), points_in(search)
    assert sum(owners[p] for p in owners if p not in inside) == pytest.approx(zone.outside)
    assert sum(owners[p] for p in inside) == pytest.approx(np.mean(scores))
    assert (found.simulations, found.visits) == (130, 100)
    assert search.analysis(1.0) == found


def test_analyses_are_by_the_games_komi_and_moves_by_the_tuned_score() -> None:
    game = Game(9)
    game.push("C3")
    player = Player("mogo-2006-zone", limit=Limit(simulations=200))
    assert player.choose(game).analysis.internal_komi is not None
    found = player.analyse(game)
    assert found.outside is not None
    assert found.internal_komi is None
    assert found.simulations == 200
    (watched,) = player.search(game, UNLIMITED, every=1e9, interrupted=lambda: True)
    assert (watched.internal_komi, watched.outside) == (None, found.outside), "by the tree of the analysis"
    assert judge(player, game, simulations=100).outside is None, "owners are those of the whole board"


def test_an_interrupted_player_has_looked_at_moves() -> None:
    game = Game(9)
    game.push("C3")
    player = Player("mogo-2006-zone", limit=Limit(simulations=1_000_000))
    decision = player.choose(game, interrupted=lambda: True)
    assert decision.analysis.visits > 0
    assert decision.analysis.simulations > decision.analysis.visits
    assert decision.move in zone_of(player, game)


# --- budgets, and how a zone is left ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("simulations", "tuning", "expected"), [(400, 5000, 100), (400, 30, 30), (7, 5000, 1), (3, 5000, 0)]
)
def test_tuning_is_part_of_the_budget(simulations: int, tuning: int, expected: int) -> None:
    game = Game(13)
    game.push("D4")
    for threads in (1, 2):
        player = Player(
            "mogo-2006-zone",
            limit=Limit(simulations=simulations),
            overrides=[f"zone.tuning={tuning}"],
            threads=threads,
        )
        player.early_stop = False
        found = player.analyse(game)
        assert (found.simulations, found.visits) == (simulations, simulations - expected)
        assert (found.outside is None) == (expected == 0)


def test_tuning_has_its_share_of_the_time_too() -> None:
    rule = load_preset("mogo-2006-zone").config.zone
    assert rule is not None
    assert rule.tuning_for(10**9, 100.0, 108.0, 0.5) == Tuning(5000, 102.0, 0.5)
    assert rule.tuning_for(1000, 100.0, FOREVER, 1.0) == Tuning(250, FOREVER, 1.0)
    game = Game(9)
    game.push("C3")
    player = Player("mogo-2006-zone", limit=Limit(seconds=0.2), overrides=["zone.tuning=10000000"])
    found = player.choose(game).analysis
    assert found.simulations > found.visits > 0, "time was left for the tree"


@pytest.fixture
def passing_is_best_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    def best(analysis: Analysis, rule: str) -> MoveStatistics | None:
        passing = next(move for move in analysis.moves if move.move == PASS)
        return passing if analysis.outside is not None else best_move(analysis, rule)

    for module in ("player", "move_search"):
        monkeypatch.setattr(f"kikashi.engine.{module}.best_move", best)


@pytest.mark.usefixtures("passing_is_best_inside")
@pytest.mark.parametrize("komi", [7.5, -90.0])
def test_where_passing_looks_best_the_other_half_is_for_the_whole_board(komi: float) -> None:
    """Also where the count is won: a zone cannot tell whether the game is over."""
    game = Game(9, komi)
    game.push("C3")
    game.push("G7")
    player = Player("mogo-2006-zone", limit=Limit(simulations=400))
    player.early_stop = False
    for _ in range(2):
        decision = player.choose(game)
        assert decision.analysis.outside is None
        assert (decision.analysis.visits, len(decision.analysis.moves)) == (200, 80)


def test_nobody_passes_or_resigns_on_the_word_of_a_zone() -> None:
    game = Game(9, -90.0)
    for move in ("C3", "G7", "C5", "G5", "C7", "G3"):
        game.push(move)
    player = Player("mogo-2006-zone", limit=Limit(simulations=200), overrides=["choice.resign=0.4"])
    found = player.analyse(game)
    passing = next(move for move in found.moves if move.move == PASS)
    won = replace(found, outside=1.0, moves=(replace(passing, winrate=1.0, visits=900), *found.moves))
    assert player.decide(game, replace(won, outside=None)).name == "pass"
    assert player.decide(game, won).name != "pass"
    game = Game(9, 90.0)
    lost = replace(player.analyse(game), outside=None)
    assert is_hopeless(player.preset.at(game.size), game, lost)
    assert not is_hopeless(player.preset.at(game.size), game, replace(lost, outside=1.0))


# --- whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["mogo-2006-group", "mogo-2006-zone"])
@pytest.mark.parametrize("size", [9, pytest.param(13, marks=pytest.mark.soak)])
def test_whole_games_are_legal_and_the_same_again(preset: str, size: int) -> None:
    games = [played(preset, size) for _ in range(2)]
    assert games[0][0].moves == games[1][0].moves
    assert games[0][0].is_over()
    if preset.endswith("zone"):
        assert games[0][1] > 10, "searches that kept to a zone"


def played(preset: str, size: int) -> tuple[Game, int]:
    """A game of a player against itself, `Game.push` being the judge of its moves, and how often it kept to a zone."""
    game, player, count = Game(size), Player(preset, limit=Limit(simulations=20), seed=3), 0
    while not game.is_over():
        decision = player.choose(game)
        count += decision.analysis.outside is not None
        game.push(decision.move)
    return game, count


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["zone.alpha=2"], "alpha"),
        (["zone.share=0.9"], "share"),
        (["zone.tuning=0"], "tuning"),
        (["zone.margin=-1"], "margin"),
        (["zone.distance=0"], "distance must be 1 to"),
        (["zone.margn=1"], "has no parameter 'margn'"),
        (["zone=common_fat"], "did you mean common_fate"),
        (["starts=2"], "neither with several starts"),
        (["komi.rule=dynamic"], "nor with another komi"),
    ],
)
def test_the_error_of_a_bad_zone_is_one_line(overrides: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_preset("mogo-2006-zone", overrides)


def test_a_zone_may_be_named_only() -> None:
    assert load_preset("mogo-2006", ["zone=common_fate"]).config.zone == ZoneRule(bind(region, "common_fate"))
    assert load_preset("mogo-2006-zone").config.zone == load_preset("mogo-2006", ["zone=common_fate"]).config.zone
