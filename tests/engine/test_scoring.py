"""Judging a finished board: the moves that ended it, who owns what, and the score."""

import pytest

from helpers.gtp_text import SETTLED
from kikashi import Game
from kikashi.board.points import BLACK, EMPTY, WHITE, parse_vertex, points_of
from kikashi.engine.scoring import before_the_end, decided_score, last_passes, owner_of, simulated_score, territory
from kikashi.game.ownership import owners_by_point
from kikashi.search.analysis import from_side

ENDS = {"": 0, "pass": 1, "pass pass": 2, "pass pass pass": 3, "resign": 0, "pass resign": 0}


@pytest.mark.parametrize("end", ENDS)
def test_the_moves_that_end_a_game(end: str) -> None:
    game = Game(5)
    for move in ["C3", "pass", "D3", *end.split()]:
        game.push(move)
    before = game.moves
    assert last_passes(game) == ENDS[end]
    assert [move.name for move in before_the_end(game).moves] == ["C3", "pass", "D3"], "not the pass in between"
    assert game.moves == before


def test_a_game_of_passes_ends_where_it_began() -> None:
    game = Game(5)
    game.push("pass")
    game.push("pass")
    assert last_passes(game) == 2
    assert before_the_end(game).moves == ()


def test_points_are_owned_far_more_often_or_by_nobody() -> None:
    assert [owner_of(share) for share in (1.0, 0.51, 0.5, 0.0, -0.5, -0.51, -1.0)] == [
        *(BLACK, BLACK, EMPTY, EMPTY, EMPTY, WHITE, WHITE)
    ]
    owners = owners_by_point(2, [1.0, 0.6, 0.5, -0.9])
    assert owners == dict(zip(points_of(2), [1.0, 0.6, 0.5, -0.9], strict=True))
    assert decided_score(owners, komi=0.5) == 2 - 1 - 0.5


def test_territory_has_the_points_of_dead_stones() -> None:
    game = Game.from_diagram("X . O/. . ./X . .")
    owners = owners_by_point(3, [1.0, 1.0, 0.0] * 2 + [1.0, -1.0, 1.0])
    names = {color: territory(game, owners, color) for color in (BLACK, WHITE, EMPTY)}
    assert names == {
        BLACK: [parse_vertex(name, 3) for name in ("B1", "A2", "B2", "C3")],
        WHITE: [parse_vertex("B3", 3)],
        EMPTY: [parse_vertex(name, 3) for name in ("C1", "C2")],
    }


@pytest.mark.parametrize("passes", [0, 1, 2])
def test_the_score_by_simulations_does_not_depend_on_who_has_passed(passes: int) -> None:
    game = Game.from_diagram(SETTLED, komi=0.5)
    for _ in range(passes):
        game.push("pass")
    assert simulated_score(game) == 6.5
    assert game.score() == -3.5, "as the board stands"


@pytest.mark.parametrize("total", [0.0, 1.0])
def test_the_values_of_both_sides_add_up(total: float) -> None:
    assert from_side(BLACK, 0.25, total) == 0.25
    assert from_side(BLACK, 0.25, total) + from_side(WHITE, 0.25, total) == total
    assert from_side(WHITE, from_side(WHITE, 0.25, total), total) == 0.25
