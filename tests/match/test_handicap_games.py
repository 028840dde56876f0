"""Matches with a handicap: Black has the stones, whoever has Black, and White begins."""

from pathlib import Path

import pytest

from helpers.match_tools import ONE, engine, settings, tasks_of
from kikashi import sgf
from kikashi.board.points import BLACK, WHITE, vertex
from kikashi.game import Game
from kikashi.match.game_players import begin_commands
from kikashi.match.one_game import as_sgf
from kikashi.match.runner import new_settings, run_match


def test_both_players_of_a_pair_take_the_handicap_once() -> None:
    first, second, *_ = tasks_of(settings(size=7, handicap=3))
    assert (first.black.name, first.white.name) == (second.white.name, second.black.name)
    game = first.settings.after(())
    assert (game.handicap, len(game.stones(BLACK)), game.turn) == (3, 3, WHITE)


def test_a_game_with_a_handicap_is_played_counted_and_written(tmp_path: Path) -> None:
    match = settings(size=7, handicap=2, komi=0.5, games=2)
    records = run_match(match, tmp_path, ONE)
    assert [record.ended for record in records] == ["passes"] * 2
    for record in records:
        game = sgf.read_game(as_sgf(record, match))
        assert (game.handicap, game.komi, len(game.root().stones(BLACK))) == (2, 0.5, 2)
        assert game.moves[0].color == WHITE
        assert [move.name for move in game.moves] == list(record.moves)


def test_engines_receive_the_handicap_stones_and_the_whole_compensation() -> None:
    game = Game(7, 0.5, "chinese")
    points = [vertex(p) for p in sorted(game.place_free_handicap(2))]
    assert begin_commands(game) == [
        "boardsize 7",
        "clear_board",
        "komi 2.5",
        *(f"play black {name}" for name in points),
    ]
    assert begin_commands(Game(7)) == ["boardsize 7", "clear_board", "komi 7.5"], "as without a handicap"
    assert game.score() == 49 - 2.5


def test_an_engine_plays_with_a_handicap(tmp_path: Path) -> None:
    match = settings("lgrf2", engine("random"), size=7, handicap=2, games=2)
    records = run_match(match, tmp_path, ONE)
    assert not [record.reason for record in records if record.reason]


def test_komi_and_openings_follow_a_handicap_by_default() -> None:
    players = {"players": ("lgrf2", "lgr1")}
    match = new_settings({**players, "handicap": 4})
    assert (match.komi, match.openings) == (0.5, ((),))
    match = new_settings({**players, "handicap": 4, "komi": 5.5})
    assert match.komi == 5.5
    match = new_settings(players)
    assert match.komi == 7.5
    assert len(match.openings) > 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"handicap": 1}, "a free handicap on 5x5 has 2 to 24 stones, not 1"),
        ({"handicap": 25}, "not 25"),
        ({"handicap": 2, "openings": (("C3",),)}, "a game with a handicap has no opening"),
    ],
)
def test_a_handicap_that_cannot_be_is_refused(more: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        settings(**more)
