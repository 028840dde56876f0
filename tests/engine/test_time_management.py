"""The reserve: what searches save by ending early is spent where it is not clear what to play, and never more."""

from dataclasses import replace

import pytest

from kikashi import Game, Limit, Player
from kikashi.engine.limits import Savings, SearchLimit
from kikashi.engine.move_choice import is_unsettled
from kikashi.engine.preset import load_preset
from kikashi.game.time_control import CONTROLLER_DELAY, MOVE_DELAY, Clock, moves_left

SIMULATIONS = 400


def player(most: float, **more) -> Player:
    changes = [f"time_management.max_extension={most}", "time_management.close=0.5"]
    return Player("lgrf2", limit=Limit(SIMULATIONS), megabytes=16, overrides=changes, **more)


def used(one: Player, game: Game, moves: int) -> list[int]:
    """The simulations of the player's moves, who plays both sides."""
    found = []
    for _ in range(moves):
        decision = one.choose(game)
        found.append(decision.analysis.simulations)
        game.push(decision.move)
    return found


def test_moves_use_what_moves_of_their_colour_have_saved() -> None:
    spent = used(player(most=1.0), Game(5), 20)
    assert max(spent) > SIMULATIONS, "some move has more than its budget"
    assert max(spent) <= 2 * SIMULATIONS
    for first in (0, 1):
        own = spent[first::2]
        for played in range(1, len(own) + 1):
            assert sum(own[:played]) <= played * SIMULATIONS, "nothing is spent that was not saved"


def test_without_a_reserve_no_move_has_more_than_its_budget() -> None:
    assert load_preset("lgrf2").time_management.max_extension == 0
    assert max(used(player(most=0.0), Game(5), 20)) <= SIMULATIONS


@pytest.mark.parametrize(("size", "most"), [(5, 1.0), (6, 0.0)])
def test_a_reserve_may_be_for_larger_boards_only(size: int, most: float) -> None:
    changes = [f"from_size.{size}.time_management.max_extension=1", "time_management.close=0.5"]
    one = Player("lgrf2", limit=Limit(SIMULATIONS), megabytes=16, overrides=changes)
    assert used(one, Game(5), 20) == used(player(most), Game(5), 20)


def test_a_move_that_is_taken_back_takes_its_savings_with_it() -> None:
    one, game = player(most=1.0), Game(5)
    used(one, game, 8)
    before = one._decisions.last(game, game.turn).savings
    assert before.simulations > 0
    played = [move.name for move in game.moves]
    for _ in range(4):
        game.pop()
    assert one._decisions.last(game, game.turn).savings != before
    other = Game(5, komi=0.5)
    for name in played:
        other.push(name)
    assert one._decisions.last(other, other.turn).savings == Savings()


def test_the_same_seed_plays_the_same_game() -> None:
    games = [Game(5), Game(5)]
    assert used(player(most=1.0, seed=3), games[0], 12) == used(player(most=1.0, seed=3), games[1], 12)
    assert games[0].moves == games[1].moves


@pytest.mark.parametrize(
    ("visits", "winrates", "unsettled"),
    [
        ((100, 40), (0.5, 0.4), False),
        ((100, 60), (0.5, 0.4), True),  # close by visits
        ((100, 50), (0.5, 0.6), True),  # the most visited is not the best
        ((100, 49), (0.5, 0.9), False),  # too few to tell
        ((100,), (0.5,), False),
        ((100, 0), (0.5, 0.5), False),
    ],
)
def test_what_is_unsettled(visits: tuple[int, ...], winrates: tuple[float, ...], unsettled: bool) -> None:
    analysis = Player("lgrf2", limit=Limit(20), megabytes=16).analyse(Game(5))
    moves = [
        replace(move, visits=count, winrate=rate)
        for move, count, rate in zip(analysis.moves, visits, winrates, strict=False)
    ]
    assert is_unsettled(replace(analysis, moves=tuple(moves)), close=0.5) is unsettled


def test_a_limit_grows_up_to_what_is_spare() -> None:
    limit = SearchLimit(10.0, 1000, 2.0, Savings(200, 4.0))
    assert [(longer.simulations, longer.until) for longer in limit.extensions()] == [
        (1050, 13.0),
        (1100, 14.0),
        (1150, 15.0),
        (1200, 16.0),
    ]
    assert list(SearchLimit(10.0, 1000, 2.0).extensions()) == []


@pytest.mark.parametrize("clear", [0.0, 0.1, 0.5])
def test_a_search_ends_when_the_move_is_clear(clear: float) -> None:
    """After a quarter of the budget at the earliest; if it goes on, another move had too many visits."""
    one, game = (
        Player("lgrf2", limit=Limit(2000), megabytes=16, overrides=[f"time_management.early_stop={clear}"]),
        Game(5),
    )
    ended_early = 0
    for _ in range(12):
        decision = one.choose(game)
        first, second, *_ = sorted((move.visits for move in decision.analysis.moves), reverse=True)
        spent = decision.analysis.simulations
        cannot_be_overtaken = first - second > 2000 - spent  # by what the tree knew before it may be so at once
        assert spent == 2000 or cannot_be_overtaken or (spent >= 500 and second < clear * first)
        ended_early += not cannot_be_overtaken and spent < 2000
        game.push(decision.move)
    assert bool(ended_early) is bool(clear)


@pytest.mark.parametrize(("komi", "is_decided"), [(-30.5, True), (30.5, True), (0.5, False)])
def test_a_search_ends_when_the_game_is_decided(komi: float, is_decided: bool) -> None:
    """Both the one who has won and the one who has lost save three quarters of the budget, and may spend them later."""
    one, game = (
        Player("lgrf2", limit=Limit(2000), megabytes=16, overrides=["time_management.decided=0.05"]),
        Game(5, komi),
    )
    found = one.choose(game).analysis
    assert is_decided is (min(found.winrate, 1 - found.winrate) < 0.05)
    assert (found.simulations == 500) is is_decided
    usual = Player("lgrf2", limit=Limit(2000), megabytes=16).choose(game).analysis
    assert usual.simulations > 500


def test_what_is_left_over() -> None:
    limit = SearchLimit(0.0, 1000, 2.0)
    saved = limit.saved_after(Savings(), 700, 1.5)
    assert saved == Savings(300, 0.5)
    assert limit.saved_after(saved, 1200, 2.4) == Savings(100, pytest.approx(0.1))
    assert limit.saved_after(saved, 5000, 9.0) == Savings()
    assert SearchLimit(0.0, 1000).saved_after(saved, 1000, 9.0) == Savings(300, 0.0)
    assert SearchLimit(0.0, None, 2.0).saved_after(saved, 1000, 1.0) == Savings(0, 1.5)


def test_what_one_move_may_have_of_it() -> None:
    limit = SearchLimit(0.0, 1000, 2.0)
    assert limit.with_savings(Savings(3000, 9.0), 1.5).savings == Savings(1500, 3.0)
    assert limit.with_savings(Savings(300, 0.5), 1.5).savings == Savings(300, 0.5)
    assert limit.with_savings(Savings(3000, 9.0), 0.0).savings == Savings()
    assert limit.with_savings(Savings(3000, 9.0), 1.5, main=1.0).savings == Savings(1500, 0.5), "half of the clock"
    assert limit.with_savings(Savings(3000, 9.0), 1.5, main=-1.0).savings == Savings(1500, 0.0)
    assert SearchLimit(0.0, None, 2.0).with_savings(Savings(0, 1.0), 1.5).savings == Savings(0, 1.0)
    assert SearchLimit(0.0).with_savings(Savings(), 0.0).savings == Savings()


@pytest.mark.parametrize("late", [0.0, 0.7 * MOVE_DELAY])
@pytest.mark.parametrize("saving", [2, 5])
@pytest.mark.parametrize(
    ("size", "clock"),
    [
        (9, Clock(main=10)),
        (19, Clock(main=60)),
        (9, Clock(main=10, period=5, stones=10)),
        (9, Clock(main=5, period=0.5, periods=3)),
        (9, Clock(main=5, increment=0.5)),
        (19, Clock(main=0.5, increment=0.2)),
    ],
)
def test_no_game_is_lost_on_time(size: int, clock: Clock, saving: int, late: float) -> None:
    """One move of some ends at once; all others take whatever they may have, and come late."""
    saved = Savings()
    for number in range(0, 5 * size * size // 4, 2):
        left = moves_left(size, number)
        shown = clock.with_margin(left)
        limit = SearchLimit(0.0, None, shown.seconds_for(left)).with_savings(saved, 2.0, shown.main)
        taken = 0.0 if number // 2 % saving == 0 else limit.seconds + limit.savings.seconds
        saved = limit.saved_after(saved, 1, taken)
        clock = clock.after_move(taken + late + CONTROLLER_DELAY)
        assert clock.main >= 0, f"time ran out at move {number}"


def test_an_interruption_ends_the_longer_search_too() -> None:
    one, game, checks = player(most=1.0), Game(5), []
    used(one, game, 8)

    def interrupted() -> bool:
        checks.append(True)
        return True

    decision = one.choose(game, interrupted=interrupted)
    assert checks
    assert decision.analysis.simulations < SIMULATIONS
