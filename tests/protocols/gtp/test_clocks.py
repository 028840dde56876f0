"""Clocks by GTP: which clock a command sets, what is shown on it, and that no move takes longer than it allows."""

import math
from dataclasses import replace

import pytest

from helpers.gtp_text import new_session, ok, says
from kikashi.board.points import BLACK, WHITE
from kikashi.engine import warmup as warming
from kikashi.engine.limits import ENGINE_LIMIT
from kikashi.engine.player import Player
from kikashi.game.time_control import CONTROLLER_DELAY, MOVE_DELAY, Clock, moves_left
from kikashi.protocols.gtp.session import GtpSession

SETTINGS = {
    "time_settings 600 0 0": Clock(main=600),
    "time_settings 600 0 25": Clock(main=600),
    "time_settings 600 30 1": Clock(main=600, period=30, stones=1),
    "time_settings 0 300 25": Clock(period=300, stones=25),
    "time_settings 0 0 0": None,
    "time_settings 600 30 0": None,
    "time_settings 1.5 0 0": Clock(main=1.5),
    "kgs-time_settings none": None,
    "kgs-time_settings absolute 300": Clock(main=300),
    "kgs-time_settings byoyomi 300 30 5": Clock(main=300, period=30, periods=5),
    "kgs-time_settings byoyomi 0 30 5": Clock(period=30, periods=5),
    "kgs-time_settings canadian 300 60 10": Clock(main=300, period=60, stones=10),
    "kata-time_settings none": None,
    "kata-time_settings absolute 300": Clock(main=300),
    "kata-time_settings byoyomi 300 30 5": Clock(main=300, period=30, periods=5),
    "kata-time_settings canadian 300 60 10": Clock(main=300, period=60, stones=10),
    "kata-time_settings fischer 300 10": Clock(main=300, increment=10),
    "kata-time_settings fischer-capped 300 10 600 60": Clock(main=300, increment=10, full=600, longest=60),
    "kata-time_settings fischer-capped 300 10 -1 -1": Clock(main=300, increment=10, full=math.inf, longest=math.inf),
}


@pytest.mark.parametrize("line", SETTINGS)
def test_settings_give_both_players_a_clock(line: str) -> None:
    session = new_session()
    ok(session, "time_settings 1 2 3")
    assert ok(session, line) == ""
    assert session.clocks == {BLACK: SETTINGS[line], WHITE: SETTINGS[line]}
    session.clocks[BLACK] = None
    ok(session, "clear_board")
    assert session.clocks[BLACK] == SETTINGS[line], "a new game, a full clock"


def test_systems_are_listed() -> None:
    assert ok(new_session(), "kata-list_time_settings").split() == [
        *("none", "absolute", "byoyomi", "canadian", "fischer", "fischer-capped")
    ]


BYOYOMI = Clock(main=300, period=30, periods=5)
CANADIAN = Clock(main=300, period=60, stones=10)
FISCHER = Clock(main=300, increment=10)
SHOWN = [
    ("kgs-time_settings byoyomi 300 30 5", "120 0", replace(BYOYOMI, main=120)),
    ("kgs-time_settings byoyomi 300 30 5", "120", replace(BYOYOMI, main=120)),
    ("kgs-time_settings byoyomi 300 30 5", "30 3", replace(BYOYOMI, main=0, periods=3)),
    ("kgs-time_settings byoyomi 300 30 5", "12 1", replace(BYOYOMI, main=0, period=12, periods=1)),
    ("kgs-time_settings canadian 300 60 10", "120 0", replace(CANADIAN, main=120)),
    ("kgs-time_settings canadian 300 60 10", "45 8", replace(CANADIAN, main=0, used=15, made=2)),
    ("kgs-time_settings canadian 300 60 10", "90 12", replace(CANADIAN, main=0, used=0, made=0)),
    ("kata-time_settings fischer 300 10", "17.5 0", replace(FISCHER, main=17.5)),
    ("time_settings 600 0 0", "33 0", Clock(main=33)),
    ("time_settings 600 0 0", "-1 0", Clock(main=0)),
    ("time_settings 0 0 0", "33 0", Clock(main=33)),
]


@pytest.mark.parametrize(("settings", "shown", "clock"), SHOWN)
def test_time_left_sets_one_clock(settings: str, shown: str, clock: Clock) -> None:
    session = new_session()
    ok(session, settings)
    other = session.clocks[BLACK]
    assert ok(session, f"time_left w {shown}") == ""
    assert session.clocks == {BLACK: other, WHITE: clock}


@pytest.mark.parametrize(("settings", "shown", "clock"), SHOWN)
def test_a_move_fits_into_what_is_shown(settings: str, shown: str, clock: Clock) -> None:
    """Also where a period has been begun: no period is given away."""
    session = new_session()
    ok(session, f"{settings}")
    ok(session, f"time_left w {shown}")
    left = max(0.0, float(shown.split()[0]))
    found = session.clocks[WHITE]
    assert found.seconds_for(moves_left(9, 40)) <= left + (clock.period if clock.main else 0)
    if found.main == 0:
        assert found.seconds_for(moves_left(9, 40)) <= left


# --- thinking by the clock --------------------------------------------------------------------------------------------

SHORT = [
    "time_settings 3 0 0",
    "time_settings 0 0.5 2",
    "kgs-time_settings byoyomi 0 0.3 1",
    "kgs-time_settings canadian 0.1 0.5 5",
    "kata-time_settings fischer 0.6 0.1",
    "kata-time_settings fischer-capped 5 0.01 5 0.1",
]


def thinking_session() -> GtpSession:
    """Without a budget: only the clock ends a search."""
    session = GtpSession(Player(megabytes=4), size=5)
    session.player.early_stop = False
    return session


@pytest.mark.parametrize("settings", SHORT)
def test_the_clock_ends_a_move_and_runs_down(settings: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else would end it: the player has no budget, and no move is so good that it stops early."""
    session = thinking_session()
    ok(session, settings)
    before = session.clocks[BLACK]
    given = []
    think = session.player.think

    def noting(*arguments, **more):
        given.append(arguments[1].clock)
        return think(*arguments, **more)

    monkeypatch.setattr(session.player, "think", noting)
    assert ok(session, "genmove b") not in ("", "resign")
    assert given == [before.with_margin(moves_left(5, 0))]
    assert session.last.analysis.simulations > 0
    after = session.clocks[BLACK]
    assert after.main <= before.main + before.increment
    assert after != before or before.periods, "time was taken from it"
    assert session.clocks[WHITE] == before, "the other's stands still"


GAMES = {
    "absolute": (9, Clock(main=10)),
    "absolute on a large board": (19, Clock(main=60)),
    "canadian": (9, Clock(main=10, period=5, stones=10)),
    "canadian only": (19, Clock(period=2, stones=10)),
    "byoyomi": (9, Clock(main=5, period=0.5, periods=3)),
    "fischer": (9, Clock(main=5, increment=0.5)),
    "fischer, little main time": (19, Clock(main=0.5, increment=0.2)),
}


@pytest.mark.parametrize("late", [0.0, 0.7 * MOVE_DELAY])
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("game", GAMES)
def test_a_long_game_of_late_moves_is_not_lost_on_time(game: str, told: bool, late: float) -> None:
    """Every move takes longer than was meant, and a part of that the engine never sees unless it is told."""
    size, clock = GAMES[game]
    official = own = clock
    for number in range(0, 5 * size * size // 4, 2):
        own = official if told else own
        left = moves_left(size, number)
        taken = own.with_margin(left).seconds_for(left) + late
        own = own.after_move(taken + CONTROLLER_DELAY)
        official = official.after_move(taken + (CONTROLLER_DELAY if late else 0.0))
        assert official.main >= 0, f"time ran out at move {number}"


def test_a_clock_that_has_run_out_still_gets_a_move() -> None:
    session = thinking_session()
    ok(session, "time_settings 10 0 0")
    ok(session, "time_left b 0 0")
    assert ok(session, "genmove b") not in ("", "resign")


def test_kernels_are_loaded_before_a_clock_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Noted(Player):
        def choose(self, *arguments, **more):
            made.append(self.preset)
            return super().choose(*arguments, **more)

    monkeypatch.setattr(warming, "Player", Noted)
    monkeypatch.setattr(warming, "_WARM", set())
    session = new_session()
    ok(session, "time_settings 0 0 0")
    assert made == []
    ok(session, "time_settings 10 0 0")
    ok(session, "time_settings 20 0 0")
    assert made == [variant for variant in session.player.preset.variants for _ in range(2)], "two moves, once"
    assert session.game.moves == ()


def test_a_budget_ends_a_move_before_the_clock() -> None:
    session = new_session(simulations=20)
    ok(session, "time_settings 100000 0 0")
    ok(session, "genmove b")
    assert session.last.analysis.simulations <= 20


def test_without_a_clock_a_default_number_is_played() -> None:
    session = thinking_session()
    ok(session, "boardsize 2")
    ok(session, "genmove b")
    assert session.last.analysis.simulations == ENGINE_LIMIT.simulations
    ok(session, "time_settings 0.2 0 0")
    assert says(session, "genmove w").startswith("= ")
