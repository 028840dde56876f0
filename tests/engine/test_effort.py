"""How simulations are shared out among the moves of a game (Yoshizoe et al. 2006, Results)."""

from __future__ import annotations

from statistics import fmean

import pytest

from kikashi import Game, Limit, Player
from kikashi.engine.preset import Effort, load_preset


def test_every_move_has_as_many_unless_a_preset_says_otherwise() -> None:
    assert load_preset("yoshizoe-2006-basic").effort == Effort()
    assert {Effort().share(legal, number) for legal in (1, 82) for number in (1, 20, 99)} == {1.0}


def test_by_legal_moves_a_usual_position_has_the_budget() -> None:
    effort = Effort("legal_moves", usual=41.0)
    assert [effort.share(legal, 1) for legal in (82, 41, 0)] == [2.0, 1.0, 0.0]


@pytest.mark.parametrize("times", [0.5, 1.0, 2.0, 3.0])
def test_by_the_number_of_the_move_the_mean_over_a_usual_game_is_the_budget(times: float) -> None:
    effort = Effort("move_number", first=10, last=30, times=times, moves=100)
    shares = [effort.share(40, number) for number in range(1, 101)]
    assert fmean(shares) == pytest.approx(1.0)
    assert shares[9:30] == [times] * 21, "moves 10 to 30"
    assert len(set(shares[:9] + shares[30:])) == 1


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (["effort.rule=fair"], "effort.rule cannot be 'fair'"),
        (["effort.first=40"], "first, last and moves go up, not 40, 30, 100"),
        (["effort.times=5"], "5 times for moves 10 to 30 leaves the others nothing"),
        (["effort.usual=0"], "effort.usual must be a number above 0"),
    ],
)
def test_what_is_wrong_is_one_line(changes: list[str], told: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        load_preset("yoshizoe-2006-basic", changes)
    assert told in str(caught.value)


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
    assert spent(3, "effort.rule=legal_moves", "effort.usual=13")[:2] == [400, round(200 * 25 / 13)]
    changes = ["effort.rule=move_number", "effort.first=2", "effort.last=3", "effort.moves=12", "effort.times=3"]
    assert spent(5, *changes) == [120, 600, 600, 120, 120]


def test_seconds_are_not_shared_out() -> None:
    player = Player(
        "yoshizoe-2006-basic", limit=Limit(seconds=0.01), megabytes=16, overrides=["effort.rule=legal_moves"]
    )
    assert player.choose(Game(5)).analysis.simulations > 0
