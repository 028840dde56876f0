"""The end of a game by GTP: the count, who is dead and who owns what, and cleaning up."""

import pytest

from helpers.gtp_text import WON_BY_A_DEAD_STONE, new_session, ok, play, says, state
from kikashi.engine.scoring import judge
from kikashi.game import Game
from kikashi.protocols.gtp import session as session_module
from kikashi.protocols.gtp.session import GtpSession


def test_the_count_and_the_estimate(settled: GtpSession) -> None:
    before = state(settled)
    assert ok(settled, "final_score") == "W+3.5", "as the board stands"
    assert ok(settled, "kikashi-estimate_score") == "B+6.5", "without the dead stones"
    assert state(settled) == before


def test_an_open_board_is_nobodys(session: GtpSession) -> None:
    ok(session, "boardsize 9")  # on 5x5 it is clear whose the board will be
    assert ok(session, "final_score") == ok(session, "kikashi-estimate_score") == "W+7.5"
    ok(session, "komi 0")
    assert ok(session, "final_score") == "0"


@pytest.mark.parametrize("komi", ["0.5", "-9.5", "9.5"])
@pytest.mark.parametrize("passes", [[], ["b pass"], ["b pass", "w pass"], ["b pass", "w pass", "b pass"], ["b resign"]])
def test_who_is_dead_does_not_depend_on_who_has_passed(passes: list[str], komi: str, settled: GtpSession) -> None:
    """Nor on who would win if the board were counted as it stands."""
    ok(settled, f"komi {komi}")
    play(settled, *passes)
    assert sorted(ok(settled, "final_status_list dead").split()) == ["B6", "G4"]
    assert ok(settled, "kikashi-estimate_score") == {"0.5": "B+6.5", "-9.5": "B+16.5", "9.5": "W+2.5"}[komi]


def test_who_is_dead_and_who_owns_what(settled: GtpSession) -> None:
    dead = ok(settled, "final_status_list dead").split("\n")
    assert sorted(dead) == ["B6", "G4"]
    alive = ok(settled, "final_status_list alive").split("\n")
    assert {frozenset(chain.split()) for chain in alive} >= {frozenset({"A4"}), frozenset({"B2"})}
    assert len(alive) == 4, "a chain in a line"
    assert ok(settled, "final_status_list seki") == ok(settled, "final_status_list dame") == ""
    black = set(ok(settled, "final_status_list black_territory").split())
    white = set(ok(settled, "final_status_list white_territory").split())
    assert len(black) == 28 - 10
    assert len(white) == 21 - 9
    assert "B6" in black
    assert "G4" in white


@pytest.mark.parametrize(
    ("command", "color", "dead", "moves"),
    [
        ("genmove_cleanup", "w", "G4", {"F4", "G5"}),
        ("kgs-genmove_cleanup", "b", "B6", {"A6", "B5", "B7", "C6"}),
    ],
)
def test_cleaning_up_takes_dead_stones_instead_of_passing(
    command: str, color: str, dead: str, moves: set[str], settled: GtpSession
) -> None:
    other = "wb"[color == "w"]
    play(settled, "b pass", "w pass")
    played = set()
    for _ in moves:
        played.add(ok(settled, f"{command} {color}"))
        play(settled, f"{other} pass")
    assert played == moves, "the liberties of the dead stone"
    assert dead not in ok(settled, f"list_stones {other}").split()


def test_cleaning_up_never_resigns(session: GtpSession) -> None:
    ok(session, "kikashi-preset mogo-2006 choice.resign=0.4")
    ok(session, "komi 100")
    play(session, *["b pass", "w pass"] * 3)
    assert "resign" not in [ok(session, "genmove_cleanup b") for _ in range(4)]
    assert "resign" in [says(session, "genmove b")[2:].strip() for _ in range(4)]


def test_ownership_is_a_table(settled: GtpSession) -> None:
    rows = [[float(word) for word in row.split()] for row in ok(settled, "kikashi-ownership").split("\n")]
    assert [len(row) for row in rows] == [7] * 7
    assert all(owner > 0.9 for row in rows for owner in row[:4])
    assert all(owner < -0.9 for row in rows for owner in row[4:])


def won_by_a_dead_stone(simulations: int = 200) -> GtpSession:
    session = new_session(9, simulations)
    session.take_game(Game.from_diagram(WON_BY_A_DEAD_STONE, komi=-10.5))
    ok(session, "kgs-rules chinese")
    return session


def test_a_game_is_not_lost_by_a_pass() -> None:
    """White's count is won, but servers that take A8 off would give the game to Black."""
    session = won_by_a_dead_stone()
    assert (ok(session, "final_score"), ok(session, "kikashi-estimate_score")) == ("W+8.5", "B+1.5")
    play(session, "b pass")
    assert ok(session, "reg_genmove w") == ok(session, "genmove w") == "F9"
    play(session, "b E9")
    for _ in range(4):
        if ok(session, "genmove w") == "pass":
            break
        play(session, "b pass")
    assert session.game.is_over()
    for score in (ok(session, "final_score"), ok(session, "kikashi-estimate_score")):
        assert score.startswith("W+")


@pytest.mark.parametrize("simulations", [20, 200])
def test_what_is_said_of_dead_stones_agrees_with_the_pass(simulations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    session = won_by_a_dead_stone(simulations)
    ok(session, "komi 2.5")
    play(session, "b pass")
    assert ok(session, "genmove w") == "pass"
    judged: list[Game] = []
    monkeypatch.setattr(
        session_module, "judge", lambda player, game, **more: judged.append(game) or judge(player, game, **more)
    )
    dead = ok(session, "final_status_list dead").split()
    assert dead == ["A8"]
    assert judged == [], "nothing was thought about anew"
    assert session.game.score() < session.game.score(dead) < 0
    ok(session, "undo")
    play(session, "w F9")
    assert ok(session, "final_status_list dead").split() == ["A8"]
    assert judged == [session.game], "in another position it was"


def test_a_board_that_is_lost_without_the_dead_stones_is_left_as_it_is() -> None:
    """Nothing better can be done: White passes and says honestly that A8 is dead."""
    session = won_by_a_dead_stone()
    play(session, "w F9", "b E9", "w G9", "b A7")
    ok(session, "komi -50.5")
    session.game.komi = session.game.score() + session.game.komi + 4.5  # White wins the count by 4.5
    play(session, "b pass")
    assert ok(session, "genmove w") == "pass"
    assert "A8" in ok(session, "final_status_list dead").split()
    assert ok(session, "kikashi-estimate_score").startswith("B+")
