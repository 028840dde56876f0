"""How simulations are shared out among the moves of a game (Yoshizoe et al. 2006, Results)."""

from statistics import fmean

import pytest

from kikashi import Game, Limit, Player
from kikashi.engine.preset import SimulationSchedule, load_preset


def test_every_move_has_as_many_unless_a_preset_says_otherwise() -> None:
    assert load_preset("yoshizoe-2006-basic").simulation_schedule == SimulationSchedule()
    assert {SimulationSchedule().share(legal, number) for legal in (1, 82) for number in (1, 20, 99)} == {1.0}


def test_by_legal_moves_a_usual_position_has_the_budget() -> None:
    schedule = SimulationSchedule("legal_moves")
    assert [schedule.share(legal, 1) for legal in (78, 39, 0)] == [2.0, 1.0, 0.0]


def test_by_the_number_of_the_move_the_mean_over_a_usual_game_is_the_budget() -> None:
    schedule = SimulationSchedule("move_number")
    shares = [schedule.share(40, number) for number in range(1, 101)]
    assert fmean(shares) == pytest.approx(1.0)
    assert shares[9:30] == [2.0] * 21, "moves 10 to 30"
    assert len(set(shares[:9] + shares[30:])) == 1


def test_an_error_is_one_line() -> None:
    with pytest.raises(ValueError, match=r"^[^\n]*simulation_schedule.rule cannot be 'fair'[^\n]*$"):
        load_preset("yoshizoe-2006-basic", ["simulation_schedule.rule=fair"])


def spent(moves: int, *changes: str) -> list[int]:
    """The samples of a player that plays both sides."""
    game, found = Game(5), []
    player = Player("yoshizoe-2006-basic", limit=Limit(200), megabytes=16, overrides=changes)
    for _ in range(moves):
        decision = player.choose(game)
        found.append(decision.analysis.simulations)
        game.push(decision.move)
    return found


def test_a_player_spends_what_the_rule_says() -> None:
    assert spent(4) == [200] * 4
    assert spent(2, "simulation_schedule.rule=legal_moves") == [round(200 * legal / 39) for legal in (26, 25)]
    assert spent(11, "simulation_schedule.rule=move_number") == [round(200 * 58 / 79)] * 9 + [400, 400]


def test_seconds_are_not_shared_out() -> None:
    player = Player(
        "yoshizoe-2006-basic",
        limit=Limit(seconds=0.01),
        megabytes=16,
        overrides=["simulation_schedule.rule=legal_moves"],
    )
    assert player.choose(Game(5)).analysis.simulations > 0
