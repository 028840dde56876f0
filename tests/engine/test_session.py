"""A session: what GTP, KataGo's JSON, the page and the terminal share."""

import pytest

from kikashi.board.points import BLACK, WHITE
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.session import Session
from kikashi.game import Game
from kikashi.game.time_control import Clock


def new_session(game: Game | None = None, **more) -> Session:
    player = Player("mogo-2006", megabytes=4)
    return Session(player, game or Game(5), Limit(simulations=20), **more)


def test_a_turn_is_played_and_only_its_clock_runs() -> None:
    session = new_session(clock=Clock(main=60))
    decision = session.take_turn(WHITE)
    assert [(move.color, move.name) for move in session.game.moves] == [(WHITE, decision.name)]
    assert session.clocks[BLACK] == Clock(main=60)
    assert session.clocks[WHITE] is not None
    assert session.clocks[WHITE].main < 60


def test_two_sessions_share_a_game() -> None:
    game = Game(5)
    sessions = [new_session(game), new_session(game)]
    for number in range(4):
        sessions[number % 2].take_turn()
    assert [move.color for move in game.moves] == [BLACK, WHITE, BLACK, WHITE]


def test_moves_of_the_opponent_take_time_and_may_lose_by_it() -> None:
    session = new_session(clock=Clock(main=10))
    session.push("C3", seconds=4)
    session.push("D4", seconds=11)
    session.push("B2", seconds=1)
    assert session.clocks[BLACK] == Clock(main=6), "after the end of the game no clock runs"
    assert session.flagged == WHITE


def test_undo_takes_back_moves_or_a_whole_turn() -> None:
    session = new_session()
    for move in ("C3", "D4", "B2"):
        session.push(move)
    with pytest.raises(ValueError, match="cannot undo 4 of 3 moves"):
        session.undo(4)
    assert [move.name for move in session.undo_turn(WHITE)] == ["B2", "D4"]
    with pytest.raises(ValueError, match="no move of yours"):
        session.undo_turn(WHITE)
    assert [move.name for move in session.undo()] == ["C3"]


def test_any_search_can_be_interrupted_and_analyses_play_nothing() -> None:
    session = new_session(interrupted=lambda: True)
    *_, analysis = session.analyse(WHITE, every=10.0)
    assert analysis.to_play == WHITE
    session.limit = Limit(seconds=1000.0)
    *_, analysis = session.think()
    assert session.game.moves == ()
    session.game.push("resign")
    with pytest.raises(ValueError, match="a player has resigned"):
        next(session.think())
