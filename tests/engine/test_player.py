"""The player: legal moves, the same game for the same seed, settings, passing, resigning, and the clock."""

import gc
import json
import math
import time
from dataclasses import replace
from weakref import ref

import pytest

from helpers.gtp_text import WON_BY_A_DEAD_STONE
from helpers.searching import SETTLED
from kikashi import Game
from kikashi.board.points import BLACK, PASS, WHITE, opponent, parse_vertex, points_of, vertex
from kikashi.engine import move_search, player as player_module
from kikashi.engine.limits import UNLIMITED, Limit
from kikashi.engine.move_choice import should_pass
from kikashi.engine.move_search import run
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset, preset_names
from kikashi.game import RESIGN
from kikashi.game.time_control import Clock, moves_left


def player(preset: str = "mogo-2006", simulations: int = 200, **more) -> Player:
    return Player(preset, limit=Limit(simulations), **{"megabytes": 16, **more})


def play_on(players: list[Player], game: Game, moves: int) -> list[str]:
    """Let the players move in turn; every move must be legal."""
    for number in range(moves):
        decision = players[number % len(players)].choose(game)
        assert game.is_legal(decision.move)
        game.push(decision.move)
        if game.is_over():
            break
    return [move.name for move in game.moves]


@pytest.mark.parametrize("preset", ["lgrf2", "lgrf2-m-a", "mogo-2006-zone", "yoshizoe-2006-ataripp"])
def test_a_tree_is_gone_when_its_player_is(preset: str) -> None:
    """At once, and not when the garbage collector comes by: workers of matches make player after player."""
    one = player(preset, simulations=20)
    one.choose(Game(5))
    search = ref(one._kept.search)
    gc.disable()
    try:
        del one
        assert search() is None
    finally:
        gc.enable()


# --- moves ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_moves_are_legal_to_the_end(threads: int) -> None:
    game = Game(5)
    play_on([player(threads=threads), player(seed=2)], game, 75)
    assert game.is_over()


@pytest.mark.parametrize("preset", ["mogo-2006", "lgrf2-m-a", "lgrf2-m-b", "lgrf2-dk"])
def test_the_same_seed_plays_the_same_game(preset: str) -> None:
    def moves(seed: int) -> list[str]:
        return play_on([player(preset, 50, seed=seed)], Game(5, -8.5), 10)

    assert moves(3) == moves(3) != moves(4)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_plays(name: str) -> None:
    game = Game(9)
    game.push("E5")
    one = player(name, 20)
    one.early_stop = False
    decision = one.choose(game)
    assert game.is_legal(decision.move)
    assert decision.analysis.simulations == 20
    tuned = 5 if decision.analysis.outside is not None else 0
    assert sum(move.visits for move in decision.analysis.moves) == 20 - tuned
    assert decision.analysis.to_play == WHITE


def test_choosing_does_not_change_the_game() -> None:
    game = Game(5)
    game.push("C3")
    before = (game.moves, game.hash, game.turn)
    player(simulations=20).choose(game)
    assert (game.moves, game.hash, game.turn) == before


def test_what_was_found_is_kept_from_move_to_move() -> None:
    game, one = Game(5), player(simulations=600)
    one.early_stop = False
    game.push(one.choose(game).move)
    answer = player(simulations=100).choose(game).move
    game.push(answer)
    assert one.choose(game).analysis.visits > 600
    other = Game(5)
    other.push("A1")
    assert one.choose(other).analysis.visits == 600


def test_a_move_that_cannot_be_overtaken_ends_the_search() -> None:
    """The centre of 5x5 is so much better that little more than half of the simulations settle it."""
    decision = player(simulations=20_000).choose(Game(5))
    assert decision.name == "C3"
    first, second = (move.visits for move in decision.analysis.moves[:2])
    assert decision.analysis.simulations < 20_000
    assert first - second > 20_000 - decision.analysis.simulations


# --- analysing and pondering ------------------------------------------------------------------------------------------


def test_an_analysis_spends_the_whole_budget() -> None:
    assert player(simulations=3000).analyse(Game(5)).simulations == 3000


def test_an_analysis_is_json() -> None:
    game = Game(5)
    game.push("C3")
    found = player("kikashi", 200).analyse(game)
    read = json.loads(json.dumps(found.as_json()))
    assert read["to_play"] == WHITE
    assert read["visits"] == read["simulations"] == sum(move["visits"] for move in read["moves"]) == 200
    assert len(read["ownership"]) == 25
    assert all(-1 <= owner <= 1 for owner in read["ownership"])
    assert sum(read["moves_by"].values()) == pytest.approx(1)
    assert sum(move["prior"] for move in read["moves"]) == pytest.approx(1)
    best, move = read["moves"][0], found.moves[0]
    assert best["variation"][0] == best["move"] == move.name == vertex(move.move)
    assert best["variation"] == list(move.names) == [vertex(p) for p in move.variation]
    assert 0 <= best["rave"] <= 1
    assert 0 < read["score_deviation"] < 25
    assert 0 < read["depth"] < read["nodes"]
    assert read["simulations_per_second"] > 0


def test_watching_goes_on_until_interrupted() -> None:
    found = []
    for analysis in player().search(Game(5), UNLIMITED, every=0.01, interrupted=lambda: len(found) == 3):
        found.append(analysis.visits)
    assert len(found) == 4, "one more at the end"
    assert found == sorted(found)


def test_watching_only_some_moves() -> None:
    only = [parse_vertex("A1", 5), parse_vertex("B2", 5)]
    (found,) = player().search(Game(5), UNLIMITED, every=0.01, interrupted=lambda: True, moves=only)
    assert {move.move for move in found.moves} <= {*only, PASS}


def test_intermediate_analyses_change_nothing() -> None:
    found = list(player(simulations=3000).think(Game(5), every=0.01))
    assert [analysis.simulations for analysis in found] == sorted({analysis.simulations for analysis in found})
    assert found[-1].moves == player(simulations=3000).choose(Game(5)).analysis.moves


def test_an_interruption_decides_on_what_there_is() -> None:
    decision = player(simulations=1_000_000).choose(Game(5), interrupted=lambda: True)
    assert 0 < decision.analysis.simulations < 10_000


def test_pondering_is_of_use_to_the_next_move() -> None:
    game, one = Game(5), player(simulations=100)
    one.early_stop = False
    game.push(one.choose(game).move)
    with one.pondering(game):
        visits = 0
        while visits < 2000:  # the tree grows meanwhile
            visits = int(one._kept.search.tree.nodes[0]["visits"])
        game.push(one._kept.search.tree.children()["move"][one._kept.search.tree.children()["visits"].argmax()])
    found = one.choose(game).analysis
    assert found.visits > found.simulations == 100


def test_pondering_ends_when_the_tree_is_full() -> None:
    one = player(megabytes=0.1)
    with one.pondering(Game(5)):
        while one._kept.search.tree.used < one._kept.search.tree.nodes.size:
            pass


def test_a_tree_of_the_other_side_is_not_kept() -> None:
    """White moves on Black's turn; then Black plays on, and what was found for White means nothing."""
    game, one = Game(5), player(simulations=300)
    assert one.choose(game.turned_to(WHITE)).analysis.to_play == WHITE
    game.push("C3")
    found = one.choose(game).analysis
    assert found.visits == found.simulations


# --- settings ---------------------------------------------------------------------------------------------------------


def test_settings_can_be_overridden() -> None:
    preset = load_preset("mogo-2006", ["selection.p=1.2", "backup.score_weight=0.01", "choice.rule=robust"])
    assert preset.config.rules["selection"].values["p"] == 1.2
    assert preset.config.score_weight == 0.01
    assert preset.choice.rule == "robust"
    assert load_preset("mogo-2006").config.rules["selection"].values["p"] == 1.0


WRONG = {
    "a preset that is not there": ("mogo-206", [], "mogo-2006"),
    "a key that is not there": ("mogo-2006", ["selectoin.p=1"], "selectoin"),
    "a parameter that is not there": ("mogo-2006", ["selection.q=1"], "'q'"),
    "a part that is not there": ("mogo-2006", ["selection.rule=ucb2"], "ucb2"),
    "a playout part that is not there": ("mogo-2006", ["playout=escap"], "escap"),
    "a rule for the tree that is not there": ("mogo-2006", ["tree_feasibility=eyes"], "eyes"),
    "a feasibility rule that is not there": ("mogo-2006", ["feasibility=eyes"], "eyes"),
    "a text for a number": ("mogo-2006", ["selection.p=much"], "much"),
    "a fraction for a whole number": ("mogo-2006", ["expansion.visits=1.5"], "1.5"),
    "a number for a truth": ("mogo-2006", ["selection.grandfather=1"], "grandfather"),
    "no value": ("mogo-2006", ["selection.p"], "selection.p"),
    "no key": ("mogo-2006", ["=3"], "=3"),
    "settings of a text": ("mogo-2006", ["playout.x=1"], "playout"),
    "a choice that is not there": ("mogo-2006", ["choice.rule=best"], "best"),
    "a resignation out of range": ("mogo-2006", ["choice.resign=0.7"], "resign"),
    "a value that is not there": ("mogo-2006", ["backup.value=loss"], "loss"),
    "a number for a rule": ("mogo-2006", ["selection=5"], "selection"),
    "a number for a choice": ("mogo-2006", ["choice=5"], "choice"),
    "a number for the playout": ("mogo-2006", ["playout=5"], "playout"),
    "a number for the priors": ("mogo-2006", ["prior=5"], "prior"),
    "a text for games": ("mogo-2006", ["even_games=many"], "even_games"),
    "a negative number of games": ("mogo-2006", ["even_games=-1"], "even_games"),
    "a text for the virtual loss": ("mogo-2006", ["virtual_loss=some"], "virtual_loss"),
    "a negative number of visits": ("mogo-2006", ["expansion.visits=-1"], "visits"),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_error_of_settings_is_one_line(case: str) -> None:
    preset, overrides, message = WRONG[case]
    with pytest.raises(ValueError, match=message) as caught:
        Player(preset, overrides=overrides)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("limit", [{}, {"simulations": 0}, {"simulations": -3}, {"seconds": 0.0}, {"seconds": -1.0}])
def test_a_limit_allows_something(limit: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"simulations|seconds"):
        Limit(**limit)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threads": 0}, "threads must be at least 1, not 0"),
        ({"megabytes": -1}, "megabytes must be above 0, not -1"),
        ({"megabytes": math.nan}, "megabytes must be above 0, not nan"),
        ({"seed": -1}, "the seed must be at least 0, not -1"),
    ],
)
def test_a_player_refuses_what_it_cannot_play_with(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Player("mogo-2006", **settings)


def test_overrides_of_a_preset_that_is_loaded_are_not_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    made = load_preset("mogo-2006", ["even_games=3"])
    monkeypatch.setattr(player_module, "load_preset", lambda *given: loaded.append(given) or made)
    preset = load_preset("lgrf2")
    assert Player(preset).preset is preset
    assert Player(preset, overrides=iter(["even_games=3"])).preset is made
    assert loaded == [(preset, ("even_games=3",))]


# --- passing and resigning --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turn", "komi"), [(BLACK, -5.5), (WHITE, 4.5)])
@pytest.mark.parametrize("name", ["mogo-2006", "kikashi", "crazystone-2006"])
def test_a_player_who_has_won_the_count_passes_after_a_pass(name: str, turn: int, komi: float) -> None:
    game = Game.from_diagram(SETTLED, turn=opponent(turn), komi=komi)
    game.push("pass")
    assert (game.score() > 0) == (turn == BLACK)
    assert player(name, 100).choose(game).move == PASS


OPEN = """
    . . . . .
    . X X X .
    . . . . .
    . O . . .
    . . . . .
"""


@pytest.mark.parametrize("name", ["mogo-2006", "kikashi", "crazystone-2006"])
def test_a_player_who_would_lose_the_count_does_not_pass(name: str) -> None:
    """White has passed too early, but on the board White is ahead by komi."""
    game = Game.from_diagram(OPEN, turn="white", komi=7.5)
    game.push("pass")
    assert game.score() < 0
    assert player(name, 500).choose(game).move not in (PASS, RESIGN)


def test_a_player_passes_when_nothing_is_left_to_gain() -> None:
    game = Game.from_diagram(SETTLED, komi=-5.5)
    assert player(simulations=300).choose(game).move == PASS


@pytest.mark.parametrize("name", ["mogo-2006", "kikashi", "crazystone-2006"])
def test_a_count_that_is_won_only_by_dead_stones_is_not_enough(name: str) -> None:
    game = Game.from_diagram(WON_BY_A_DEAD_STONE, turn="black", komi=-10.5)
    game.push("pass")
    assert game.score() < 0 < game.score(["A8"])
    assert player(name, 300).choose(game).name == "F9"
    game.komi = 2.5
    decision = player(name, 300).choose(game)
    assert decision.name == "pass", "won both ways"
    assert [move.name for move in decision.analysis.moves] == ["pass"]
    assert decision.analysis.to_play == WHITE
    assert decision.analysis.winrate > 0.9


def test_dead_stones_count_before_a_first_pass_too() -> None:
    """Passing wins all simulations, but the game is won both ways only if A8 is White's."""
    game = Game.from_diagram(WON_BY_A_DEAD_STONE, turn="white", komi=-10.5)
    one = player("mogo-2006")
    *_, analysis = one.think(game)
    sure = [replace(move, visits=move.visits + 1, winrate=1.0) for move in analysis.moves]
    for owner_of_a8 in (BLACK, WHITE):
        owners = {p: game.color_at(p) for p in points_of(9)} | {parse_vertex("A8", 9): owner_of_a8}
        ownership = tuple(float({BLACK: 1, WHITE: -1}.get(owner, 0)) for owner in owners.values())
        found = replace(analysis, moves=tuple(sure), ownership=ownership)
        assert should_pass(one.preset, game, found, sure[0]) == (owner_of_a8 == WHITE)


LOST_BOTH_WAYS, WON_BY_THE_COUNT = -60.5, -10.5
"""Komi of `WON_BY_A_DEAD_STONE`."""


@pytest.mark.parametrize(
    ("passed", "winrates", "komi", "move"),
    [
        (False, (0.13, 0.08), LOST_BOTH_WAYS, "F9"),
        (False, (0.13, 0.08), WON_BY_THE_COUNT, "F9"),
        (False, (0.90, 0.30), LOST_BOTH_WAYS, "F9"),
        (False, (0.90, 0.30), WON_BY_THE_COUNT, "pass"),
        (False, (0.01, 0.00), LOST_BOTH_WAYS, "F9"),
        (False, (0.01, 0.00), WON_BY_THE_COUNT, "F9"),
        (True, (0.13, 0.08), LOST_BOTH_WAYS, "F9"),
        (True, (0.13, 0.08), WON_BY_THE_COUNT, "F9"),
        (True, (0.01, 0.30), LOST_BOTH_WAYS, "F9"),
        (True, (0.01, 0.30), WON_BY_THE_COUNT, "F9"),
        (True, (0.01, 0.00), LOST_BOTH_WAYS, "pass"),
        (True, (0.01, 0.00), WON_BY_THE_COUNT, "pass"),
    ],
)
def test_a_pass_that_wins_nothing_is_played_only_if_it_is_clearly_better(
    passed: bool, winrates: tuple[float, float], komi: float, move: str
) -> None:
    """As in a seki, or when a lost game is over; also if the count is won, but not without the dead stones. Where the
    opponent's pass would end a lost game it never is better, whatever a few simulations say."""
    game = Game.from_diagram(WON_BY_A_DEAD_STONE, turn="black" if passed else "white", komi=komi)
    if passed:
        game.push("pass")
    one = player("mogo-2006")
    *_, analysis = one.think(game)
    known = {found.name: found for found in analysis.moves}
    passing, other = (
        replace(known[name], visits=visits, winrate=winrate)
        for name, visits, winrate in zip(("pass", "F9"), (90, 60), winrates, strict=True)
    )
    assert one.decide(game, replace(analysis, moves=(passing, other))).name == move


def test_passing_takes_no_more_time_than_any_move(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.from_diagram(WON_BY_A_DEAD_STONE, turn="black", komi=-10.5)
    game.push("pass")
    one, limits = player(simulations=300), []
    monkeypatch.setattr(
        move_search, "run", lambda search, limit, *more, **how: limits.append(limit) or run(search, limit, *more, **how)
    )
    one.choose(game, Limit(seconds=0.4))
    judging, thinking = limits
    assert judging.until == pytest.approx(judging.started + 0.2)
    assert thinking.until == pytest.approx(judging.started + 0.4)


def test_a_count_is_given_up_only_after_enough_simulations() -> None:
    """However few of them the budget has: that no move wins takes as many as to know which stones are dead."""
    game = Game.from_diagram(WON_BY_A_DEAD_STONE, turn="black", komi=-10.5)
    game.push("pass")
    one = player("kikashi", 20)
    one.early_stop = False
    assert one.choose(game).analysis.simulations >= move_search.SCORING_SIMULATIONS


LOST = """
    O . O O .
    . O O O O
    O O O O O
    X O O . O
    . O O O O
"""


def lost_game() -> Game:
    """Black to play has lost everything; enough moves were made for a resignation to be decent."""
    game = Game.from_diagram(LOST, turn="black", komi=7.5)
    for _ in range(6):
        game.push("pass")
    return game


def answers(preset: str, *overrides: str) -> list[int]:
    game, one = lost_game(), player(preset, 100, overrides=overrides)
    found = []
    for _ in range(5):
        decision = one.choose(game)
        found.append(decision.move)
        if decision.move == RESIGN:
            break
        game.push(decision.move)
        game.push("pass")
    return found


def test_a_lost_player_resigns_if_the_preset_says_so() -> None:
    found = answers("mogo-2006", "choice.resign=0.1")
    assert found[-1] == RESIGN
    assert len(found) > 1, "not at the first bad search"
    assert answers("mogo-2006", "choice.resign=0", "from_size.5.choice.resign=0.1") == found
    assert RESIGN not in answers("mogo-2006", "choice.resign=0", "from_size.6.choice.resign=0.1")


@pytest.mark.parametrize("preset", ["mogo-2006", "kikashi"])
def test_a_lost_player_never_resigns_if_the_preset_says_never(preset: str) -> None:
    """Also where a small score term makes a lost game worth less than 0."""
    assert RESIGN not in answers(preset, "choice.resign=0")


def test_to_decide_is_not_to_remember() -> None:
    """What was only thought about, as by ``reg_genmove``, does not make the next decision a resignation."""
    game, one = lost_game(), player("mogo-2006", 100, overrides=["choice.resign=0.1"])
    *_, analysis = one.think(game)
    decided = [one.decide(game, analysis).move for _ in range(4)]
    assert decided == decided[:1] * 4
    decision = one.choose(game)
    assert RESIGN not in (decided[0], decision.move)
    assert one.choose(game).move == decision.move, "the game has not gone on"
    elsewhere = game.copy()
    elsewhere.push("pass", "white")
    assert one.choose(elsewhere).move != RESIGN, "what was decided on was not played"
    game.push(decision.move)
    game.push("pass")
    assert one.choose(game).move == RESIGN


# --- choosing ---------------------------------------------------------------------------------------------------------

FOUND = {"A1": (100, 0.50), "B1": (90, 0.60), "C1": (55, 0.70), "D1": (1, 1.0), "E1": (0, 0.5)}
"""Visits and win rates; won simulations are 50, 54, 38.5 and 1."""


@pytest.mark.parametrize(("rule", "best"), [("visits", "A1"), ("wins", "B1"), ("robust", "C1"), ("value", "D1")])
def test_the_rule_chooses_the_move(rule: str, best: str) -> None:
    one = player(simulations=1, overrides=[f"choice.rule={rule}"])
    found = one.analyse(Game(5))
    moves = tuple(
        replace(found.moves[0], move=parse_vertex(name, 5), visits=visits, winrate=winrate)
        for name, (visits, winrate) in FOUND.items()
    )
    assert one.decide(Game(5), replace(found, moves=moves)).name == best


@pytest.mark.parametrize("rule", ["visits", "wins", "robust", "value"])
def test_only_a_choice_by_visits_can_be_made_early(rule: str) -> None:
    found = player(simulations=3000, overrides=[f"choice.rule={rule}"]).choose(Game(5)).analysis
    assert (found.simulations < 3000) == (rule == "visits")


# --- the clock --------------------------------------------------------------------------------------------------------

CLOCKS = {
    "absolute": Clock(main=60.0),
    "short absolute": Clock(main=1.0),
    "byoyomi": Clock(main=30.0, period=10.0, periods=3),
    "short byoyomi": Clock(main=1.0, period=0.3, periods=1),
    "byoyomi only": Clock(period=5.0, periods=1),
    "canadian": Clock(main=30.0, period=60.0, stones=10),
    "canadian only": Clock(period=30.0, stones=25),
    "fischer": Clock(main=20.0, increment=2.0),
    "fischer, little main time": Clock(main=0.5, increment=0.2),
}


def left_for_a_move(clock: Clock) -> float:
    """What a move may take at the most without a loss on time."""
    main = max(0.0, clock.main)
    if clock.periods:
        return main + clock.period * clock.periods
    return main + (clock.period - clock.used if clock.stones else 0.0)


@pytest.mark.parametrize("size", [9, 19])
@pytest.mark.parametrize("overhead", [0.0, 0.01])
@pytest.mark.parametrize("name", CLOCKS)
def test_a_long_game_is_not_lost_on_time(name: str, overhead: float, size: int) -> None:
    """Every move takes what was allotted, and a little more while there is enough; twice as many moves as points."""
    clock = CLOCKS[name]
    for number in range(0, 4 * size * size, 2):
        allotted = clock.seconds_for(moves_left(size, number))
        left = left_for_a_move(clock)
        assert 0 <= allotted <= left
        taken = allotted + (overhead if left > 0.2 else 0.0)
        clock = clock.after_move(taken)
        assert clock.main >= 0, f"time ran out at move {number}"
        if name.endswith("byoyomi") or name == "byoyomi only":
            assert clock.periods == CLOCKS[name].periods, "no period is given away"


def test_the_clock_counts_down() -> None:
    assert Clock(main=60.0).after_move(5.0) == Clock(main=55.0)
    assert Clock(main=60.0).after_move(61.0).main < 0
    assert Clock(main=20.0, increment=2.0).after_move(5.0) == Clock(main=17.0, increment=2.0)
    byoyomi = Clock(main=5.0, period=10.0, periods=3)
    assert byoyomi.after_move(14.0) == replace(byoyomi, main=0.0)
    assert byoyomi.after_move(26.0) == replace(byoyomi, main=0.0, periods=1)
    assert byoyomi.after_move(35.0).main < 0
    canadian = Clock(main=5.0, period=30.0, stones=3)
    assert canadian.after_move(7.0) == replace(canadian, main=0.0, used=2.0, made=1)
    assert canadian.after_move(7.0).after_move(10.0).after_move(17.0) == replace(canadian, main=0.0)
    assert canadian.after_move(7.0).after_move(29.0).main < 0


def test_more_time_means_longer_thought() -> None:
    assert Clock(main=600.0).seconds_for(30) > Clock(main=60.0).seconds_for(30) > Clock(main=60.0).seconds_for(60)
    assert Clock(main=60.0, increment=3.0).seconds_for(30) > Clock(main=60.0).seconds_for(30)
    assert moves_left(9, 0) > moves_left(9, 40) > 0
    assert moves_left(9, 500) > 0


def test_a_clock_sets_the_time_of_a_search() -> None:
    decision = player().choose(Game(5), Limit(clock=Clock(main=0.5)))
    assert decision.analysis.simulations > 0


def test_the_time_of_a_move_begins_when_all_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """But a clock runs meanwhile."""
    loaded: list[float] = []
    new_search = Player._new_search

    def counted(self: Player, size: int) -> object:
        search = new_search(self, size)
        loaded.append(time.perf_counter())
        return search

    monkeypatch.setattr(Player, "_new_search", counted)
    for clock in (None, Clock(main=60.0)):
        player = Player("mogo-2006", megabytes=1)
        player.choose(Game(5), Limit(simulations=5, clock=clock))
        assert (player._last_limit.started > loaded[-1]) == (clock is None)
