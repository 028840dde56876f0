"""How simulations are shared out among the moves of a game (Yoshizoe et al. 2006, Results)."""

from statistics import fmean

import pytest

from kikashi import Game, Limit, Player
from kikashi.engine.preset import SimulationSchedule, load_preset


def test_every_move_has_as_many_unless_a_preset_says_otherwise() -> None:
    assert load_preset("yoshizoe-2006-basic").simulation_schedule == SimulationSchedule()
    assert {SimulationSchedule().share(legal, number) for legal in (1, 82) for number in (1, 20, 99)} == {1.0}


def test_by_legal_moves_a_usual_position_has_the_budget() -> None:
    schedule = SimulationSchedule("legal_moves", usual=41.0)
    assert [schedule.share(legal, 1) for legal in (82, 41, 0)] == [2.0, 1.0, 0.0]


@pytest.mark.parametrize("times", [0.5, 1.0, 2.0, 3.0])
def test_by_the_number_of_the_move_the_mean_over_a_usual_game_is_the_budget(times: float) -> None:
    schedule = SimulationSchedule("move_number", first=10, last=30, times=times, moves=100)
    shares = [schedule.share(40, number) for number in range(1, 101)]
    assert fmean(shares) == pytest.approx(1.0)
    assert shares[9:30] == [times] * 21, "moves 10 to 30"
    assert len(set(shares[:9] + shares[30:])) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["simulation_schedule.rule=fair"], "simulation_schedule.rule cannot be 'fair'"),
        (["simulation_schedule.first=40"], "first, last and moves go up, not 40, 30, 100"),
        (["simulation_schedule.times=5"], "5 times for moves 10 to 30 leaves the others nothing"),
        (["simulation_schedule.usual=0"], "simulation_schedule.usual must be a number above 0"),
    ],
)
def test_an_error_is_one_line(changes: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        load_preset("yoshizoe-2006-basic", changes)
    assert message in str(caught.value)


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
    assert spent(3, "simulation_schedule.rule=legal_moves", "simulation_schedule.usual=13")[:2] == [
        400,
        round(200 * 25 / 13),
    ]
    changes = [
        "simulation_schedule.rule=move_number",
        "simulation_schedule.first=2",
        "simulation_schedule.last=3",
        "simulation_schedule.moves=12",
        "simulation_schedule.times=3",
    ]
    assert spent(5, *changes) == [120, 600, 600, 120, 120]


def test_seconds_are_not_shared_out() -> None:
    player = Player(
        "yoshizoe-2006-basic",
        limit=Limit(seconds=0.01),
        megabytes=16,
        overrides=["simulation_schedule.rule=legal_moves"],
    )
    assert player.choose(Game(5)).analysis.simulations > 0
