"""Players without a tree in games: whole ones, their komi, their choice, and what ends their thinking."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.gtp_text import new_session, ok
from helpers.match_tools import ONE, settings
from helpers.tools import tool
from kikashi import Game, Limit, Player
from kikashi.board.points import BLACK, PASS, WHITE
from kikashi.engine.limits import UNLIMITED
from kikashi.engine.move_choice import best_move, rather_than_pass
from kikashi.engine.preset import load_preset
from kikashi.game import RESIGN
from kikashi.match.runner import run_match
from kikashi.search.analysis import Analysis, MoveStatistics

FLAT = [
    "one-ply-2003",
    "amaf-2003",
    "gobble-1993",
    "yoshizoe-2006-basic",
    "yoshizoe-2006-atari",
    "yoshizoe-2006-ataripp",
]
PRUNED_LATER = ("stages.blocks=4", "pruning.samples=400")
PRUNED_SOON = (*PRUNED_LATER, "pruning.sigma=mean")
WITHOUT_KOMI = [name for name in FLAT if name != "gobble-1993"]


def player(preset: str, simulations: int, *settings: str, threads: int = 1) -> Player:
    return Player(preset, limit=Limit(simulations=simulations), megabytes=1, threads=threads, overrides=settings)


def play_out(one: Player, game: Game) -> Game:
    """A whole game of a player with itself, which must come to an end."""
    while not game.is_over():
        game.push(one.choose(game).move)
        assert game.move_count < 100 + 6 * game.size**2
    return game


@pytest.mark.parametrize("size", [2, 5, 9])
@pytest.mark.parametrize("preset", FLAT)
def test_whole_games_are_played(preset: str, size: int) -> None:
    game = play_out(player(preset, 2 * size * size), Game(size))
    assert [move.point for move in game.moves[-2:]] == [PASS, PASS], "nobody resigns"
    if size == 9:
        assert game.move_count > 40
        assert len(game.board["empty"][: game.board["empty_count"]]) < 40, "they play until there is something to count"


@pytest.mark.thorough
def test_whole_games_are_played_against_gnu_go(tmp_path: Path) -> None:
    """And nobody forfeits one."""
    tool("gnugo")
    gnugo = "name=GNU gnugo --mode gtp --level 1 --seed {seed}"
    games = run_match(settings(*FLAT, gnugo, only_with="GNU", games=2, size=7, simulations=200), tmp_path, ONE)
    assert [game.ended for game in games] == ["passes"] * 2 * len(FLAT)


@pytest.mark.parametrize("preset", FLAT)
def test_a_win_may_count_instead_of_points(preset: str) -> None:
    one = player(preset, 60, "backup.value=win")
    assert one.preset.config.win_weight == 1.0
    game = play_out(one, Game(4))
    assert RESIGN not in [move.point for move in game.moves]


@pytest.mark.parametrize("preset", FLAT)
def test_moves_are_found_on_the_largest_board(preset: str) -> None:
    decision = player(preset, 150).choose(Game(19))
    assert decision.analysis.simulations == 150
    assert (decision.analysis.depth, decision.analysis.nodes) == (1, 363)


@pytest.mark.parametrize("preset", WITHOUT_KOMI)
@pytest.mark.parametrize("turn", [BLACK, WHITE])
def test_papers_without_komi_have_none(preset: str, turn: int) -> None:
    """A player of the paper's game decides the same by any komi, says by which it thought, and counts by the game's."""
    games = [Game(5, komi=komi).turned_to(turn) for komi in (0.0, 24.5)]
    none, much = (player(preset, 400, "backup.value=win").choose(game) for game in games)
    assert none.move == much.move
    assert (none.analysis.internal_komi, much.analysis.internal_komi) == (None, 0.0)
    assert much.analysis.komi_note == ", by a komi of 0"
    assert none.analysis.winrate == pytest.approx(much.analysis.winrate)
    side = 1 if turn == BLACK else -1
    assert none.analysis.score - much.analysis.score == pytest.approx(24.5 * side)


def test_other_players_count_komi() -> None:
    found = player("gobble-1993", 100).choose(Game(5, komi=24.5)).analysis
    assert found.internal_komi is None
    assert found.winrate < 0.3


def test_after_a_pass_the_question_is_the_komi_of_the_game() -> None:
    """Black is ahead on the board, but not by komi: it does not pass because it would win without."""
    one, game = player("yoshizoe-2006-atari", 300), Game(5, komi=25.5)
    for name in ("C3", "pass"):
        game.push(name)
    decision = one.choose(game)
    assert decision.analysis.internal_komi is None
    assert decision.move != PASS
    won = Game(5, komi=0.5)
    for name in ("C3", "pass"):
        won.push(name)
    assert one.choose(won).analysis.internal_komi is None


def test_a_pass_that_was_lucky_is_not_played() -> None:
    """With three simulations it may win all of them; with a thousand it is better."""
    game = Game(5, komi=-0.5)
    found = (
        analysis_of(replace(a_move(PASS, 0.9), visits=visits), replace(a_move(21, 0.5), visits=visits))
        for visits in (3, 1000)
    )
    lucky, sure = (replace(each, ownership=(1.0,) * 25) for each in found)
    for rule in ("value", "amaf", "first_put"):
        assert getattr(rather_than_pass(game, lucky, rule), "move", None) == 21
        assert rather_than_pass(game, sure, rule) is None
    assert rather_than_pass(game, lucky, "visits") is None, "the most visited move was not lucky"


def test_threads_do_not_change_a_decision() -> None:
    found = [player("yoshizoe-2006-ataripp", 7000, threads=threads).choose(Game(5)) for threads in (1, 2)]
    assert found[0].move == found[1].move
    one, two = ([(m.move, m.visits, m.winrate, m.pruned) for m in each.analysis.moves] for each in found)
    assert one == two


def test_the_preset_gives_up_only_what_is_clearly_worse() -> None:
    """By the deviation of games: all of the budget is spent, and the moves that are left have more of it."""
    game = Game(5)
    for name in ("c3", "c2", "d2", "b2", "b3", "d1"):
        game.push(name)
    found = player("yoshizoe-2006-ataripp", 2000, *PRUNED_LATER).choose(game).analysis
    assert found.simulations == 2000
    left, given_up = ([move.visits for move in found.moves if move.pruned == pruned] for pruned in (False, True))
    assert len(left) > 1
    assert given_up
    assert min(left) > max(given_up)


def test_thinking_ends_when_the_moves_left_are_equal() -> None:
    """And not before the first stage is over, whatever the rule would say."""
    found = player("yoshizoe-2006-ataripp", 5000, *PRUNED_SOON).choose(Game(5)).analysis
    assert found.simulations % 400 == 0
    assert 400 <= found.simulations < 5000


@pytest.mark.parametrize("preset", ["yoshizoe-2006-atari", "gobble-1993"])
def test_time_ends_thinking(preset: str) -> None:
    one = Player(preset, limit=Limit(seconds=0.05), megabytes=1)
    found = one.choose(Game(5)).analysis
    assert found.simulations > 0
    if preset == "yoshizoe-2006-atari":
        assert found.simulations % 100 == 0


def a_move(point: int, winrate: float, **more: object) -> MoveStatistics:
    return MoveStatistics(point, 10, winrate, 20 * winrate, 0.0, None, (point,), (10,), **more)


def analysis_of(*moves: MoveStatistics) -> Analysis:
    return Analysis(BLACK, 30, 0.5, 0.0, 1.0, moves, (), 30, 1.0, 1, 4, {})


def test_choices_of_players_without_a_tree() -> None:
    known = analysis_of(
        a_move(21, 0.9, first_put=1.0), a_move(22, 0.5, first_put=3.0), a_move(23, 0.4, first_put=9.0, pruned=True)
    )
    assert getattr(best_move(known, "first_put"), "move", None) == 22
    assert getattr(best_move(known, "value"), "move", None) == 21
    unknown = analysis_of(a_move(21, 0.3), a_move(22, 0.5), a_move(23, 0.2, first_put=-4.0))
    assert getattr(best_move(unknown, "first_put"), "move", None) == 23
    assert getattr(best_move(unknown, "amaf"), "move", None) == 22, "where nothing is known, by value"


def test_far_ahead_points_decide() -> None:
    """Where every win rate is 1."""
    ahead = analysis_of(*(replace(a_move(20 + i, 1.0), score=score) for i, score in enumerate((3.0, 8.0, 5.0))))
    assert getattr(best_move(ahead, "value"), "move", None) == 21


def test_a_statistic_that_is_not_there_is_one_line() -> None:
    with pytest.raises(ValueError, match="preset amaf-2003: no statistic is called 'rav'; did you mean rave"):
        load_preset("amaf-2003", ["statistics=['rav']"])
    with pytest.raises(ValueError, match="stages"):
        load_preset("amaf-2003", ["stages={ blocks = 0 }"])


# --- reports ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", FLAT)
def test_the_best_move_comes_first(preset: str) -> None:
    decision = player(preset, 200).choose(Game(5))
    assert decision.analysis.moves[0].move == decision.move


def test_pruned_moves_come_last() -> None:
    found = player("yoshizoe-2006-ataripp", 800, *PRUNED_SOON).choose(Game(5)).analysis
    pruned = [move.pruned for move in found.moves]
    assert pruned == sorted(pruned)
    assert {False, True} == set(pruned)
    assert json.loads(json.dumps(found.as_json()))["moves"][-1]["pruned"] is True


def test_by_gtp() -> None:
    """The komi of the simulations, values in points, and what was pruned."""
    session = new_session(5, 800, preset="gobble-1993")
    ok(session, "genmove b")
    assert re.search(r"rave [+-]\d+\.\d: ", ok(session, "kikashi-explain"))
    ok(session, "kikashi-preset amaf-2003 backup.value=win")
    ok(session, "genmove w")
    assert re.search(r"first put -?\d+\.\d%: ", ok(session, "kikashi-explain"))
    assert ", by a komi of 0, " in ok(session, "kikashi-explain")
    ok(session, f"kikashi-preset yoshizoe-2006-ataripp {' '.join(PRUNED_SOON)}")
    ok(session, "genmove b")
    assert ", pruned: " in ok(session, "kikashi-explain")


def test_a_decided_search_repeats_its_analysis_until_interrupted() -> None:
    """Also when the search has nothing more to find out."""
    one = player("yoshizoe-2006-ataripp", 1, *PRUNED_SOON, "pruning.r_d=0.0")
    checks = 0

    def interrupted() -> bool:
        nonlocal checks
        checks += 1
        return checks > 100

    found = list(one.search(Game(5), UNLIMITED, every=0.02, interrupted=interrupted))
    assert checks > 100
    assert found[-1].simulations == found[-2].simulations == 400, "one move is left after the first stage"


def test_several_starts_may_all_know_enough() -> None:
    found = player("yoshizoe-2006-ataripp", 5000, *PRUNED_SOON, "pruning.r_d=0.0", "starts=2").choose(Game(5)).analysis
    assert found.simulations == 800
    assert sum(not move.pruned for move in found.moves) <= 2
