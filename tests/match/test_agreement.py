"""Matches whose players have to agree about dead stones."""

from pathlib import Path

import pytest

from helpers.match_tools import ONE, engine, settings
from helpers.tools import tool
from kikashi import sgf
from kikashi.board.points import BLACK, WHITE, parse_vertex
from kikashi.match.game_players import GamePlayer, PresetPlayer
from kikashi.match.match_player import match_player
from kikashi.match.one_game import GameRecord
from kikashi.match.referee import ROUNDS, Proposal, settle
from kikashi.match.runner import run_match

SQUARE = ("B1", "D1", "B2", "D2", "B3", "D3", "B4", "D4", "B5", "D5", "C1", "C2", "C3", "C4", "C5")
DEAD = (*SQUARE, "A3")
"""A white stone in Black's area: W+5.5 on the board, B+0.5 without it."""


def played(black: str, white: str, folder: Path, **more: object) -> GameRecord:
    match = settings(black, white, games=2, komi=0.5, openings=(DEAD,), agree=True, **more)
    return run_match(match, folder, ONE)[0]


def buries(name: str, *points: str, how: str = "buries") -> str:
    return engine(how, 0, name=name, mark=" ".join(points))


def test_stones_that_both_call_dead_are_taken_off(tmp_path: Path) -> None:
    game = played(buries("a", "A3"), buries("b", "A3"), tmp_path)
    assert (game.result, game.ended, game.counts["agreed"], game.counts["board"]) == (
        "B+0.5",
        "passes",
        "B+0.5",
        "W+5.5",
    )
    assert game.proposals == (Proposal(16, ("A3",), ("A3",)),)
    none = played(buries("a"), buries("b"), tmp_path / "none")
    assert (none.result, none.proposals) == ("W+5.5", (Proposal(16, (), ()),)), "the players' word, not the referee's"


def test_every_pass_is_noted_with_count_and_estimate(tmp_path: Path) -> None:
    game = played(buries("a", "A3"), buries("b", "A3"), tmp_path)
    assert [(one.after, one.color, one.count, one.estimate) for one in game.passes] == [
        (16, "black", "W+5.5", "B+0.5"),
        (17, "white", "W+5.5", "B+0.5"),
    ]
    comments = sgf.read_game(tmp_path / "games" / "000000.sgf").comments
    assert comments[16] == "\n".join(
        ["black passes: W+5.5 on the board, B+0.5 without dead stones", "dead: black A3, white A3"]
    )
    assert "white passes" in comments[17]


def test_where_they_differ_play_goes_on(tmp_path: Path) -> None:
    """The second one sees reason when the passes are taken back."""
    game = played(buries("a"), buries("b", "A3", how="buries once"), tmp_path)
    assert [proposal.is_agreed for proposal in game.proposals] == [False, True]
    assert game.moves[16:] == ("pass", "pass"), "those that were taken back are not among the moves"
    assert [one.after for one in game.passes] == [16, 17, 16, 17]
    assert game.result == "W+5.5"
    assert "they differ" in sgf.read_game(tmp_path / "games" / "000000.sgf").comments[16]


def test_after_some_rounds_the_referee_counts(tmp_path: Path) -> None:
    game = played(buries("a"), buries("b", "A3"), tmp_path)
    assert len(game.proposals) == ROUNDS
    assert (game.result, game.ended) == (game.counts["playouts"], "passes")
    assert "agreed" not in game.counts


def test_an_engine_that_cannot_say_leaves_it_to_the_referee(tmp_path: Path) -> None:
    game = played(buries("a", "nowhere"), buries("b", "A3"), tmp_path)
    assert game.proposals == (Proposal(16, None, ("A3",)),)
    assert game.result == game.counts["playouts"]


def test_a_preset_names_dead_stones_and_captures_them_before_it_passes() -> None:
    """Black has won, with the dead stone or without, and passes unless the players differ about it."""
    game = settings().after((*DEAD, "pass", "pass"))
    game.komi = -9.5
    player = PresetPlayer(match_player("kikashi --simulations 200"), 5, 1)
    assert player.dead_stones(game) == {parse_vertex("A3", 5)}
    assert player.genmove(game) == "pass"
    player.cleans_up = True
    assert player.genmove(game) in ("A2", "A4")
    assert game.score(["A3"]) == 10.5


class Stubborn(GamePlayer):
    """A player that names the same stones for ever."""

    def __init__(self, dead: set[int]) -> None:
        self._dead, self.undone = dead, 0

    def dead_stones(self, game: object) -> set[int]:
        return self._dead

    def undo(self, game: object, moves: int) -> None:
        self.undone += moves


def test_both_players_undo_passes_that_are_taken_back() -> None:
    game = settings().after((*DEAD, "pass", "pass"))
    players = {BLACK: Stubborn({parse_vertex("A3", 5)}), WHITE: Stubborn(set())}
    assert not settle(game, players, [])
    assert game.move_count == 16
    assert [(player.undone, player.cleans_up) for player in players.values()] == [(2, True)] * 2


def test_a_resignation_needs_no_agreement(tmp_path: Path) -> None:
    """The other does not receive it, who might take it for a move."""
    game = played(engine("resign"), engine("first points", 2), tmp_path)
    assert (game.result, game.proposals) == ("W+R", ())


@pytest.mark.slow
def test_a_preset_and_gnu_go_agree(tmp_path: Path) -> None:
    tool("gnugo")
    match = settings(
        "kikashi", "name=GNU gnugo --mode gtp --level 1 --seed {seed}", simulations=100, size=7, agree=True
    )
    games = run_match(match, tmp_path, ONE)
    assert all(game.ended in ("passes", "resignation") for game in games)
    assert all(
        game.result == game.counts["agreed"] for game in games if game.proposals and game.proposals[-1].is_agreed
    )
