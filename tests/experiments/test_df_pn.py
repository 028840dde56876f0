"""The solver: compared with a brute force over `Game` that knows only the rules, and asked what books say."""

import random
from functools import cache
from typing import Any

import pytest

from helpers.df_pn import winning_moves
from helpers.naive import Position
from kikashi.board.points import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    color_name,
    column_of,
    parse_vertex,
    point,
    points_of,
    row_of,
    vertex,
)
from kikashi.game import Game
from kikashi.game.diagram import format_diagram

SIDES = ("black", "white")
LARGEST = 5
"""Points of a region that a brute force is done with in a moment; with six some take minutes."""


# --- against the rules ------------------------------------------------------------------------------------------------


def brute_force(game: Game, region: frozenset[int]) -> frozenset[int]:
    """The winning first moves, by trying everything. All that was seen is part of what a result is remembered for."""

    @cache
    def wins(stones: int, turn: int, has_passed: bool, seen: frozenset[int]) -> bool:
        return any(leads_to_a_win(move) for move in choices())

    def choices() -> list[int]:
        return [PASS, *(p for p in region if game.is_legal(p))]

    def leads_to_a_win(move: int) -> bool:
        mover = game.turn
        game.push(move)
        try:
            if game.is_over():
                return (game.score() > 0) == (mover == BLACK)
            return not wins(game.hash, game.turn, move == PASS, frozenset(stones for stones, _turn in game.positions()))
        finally:
            game.pop()

    return frozenset(move for move in choices() if leads_to_a_win(move))


def random_problem(numbers: random.Random) -> tuple[Game, list[int], frozenset[int]]:
    """A small room with stones in it and walls around it: a game, the marked points and the region."""
    while True:
        size = numbers.choice([3, 4])
        width, height = numbers.choice([(2, 2), (2, 2), (3, 2), (1, 3)])
        room = {p for p in points_of(size) if column_of(p) <= width and row_of(p) <= height}
        beside = {n for p in room for n in Position(size).neighbours(p)} - room
        stones = {p: numbers.choice([BLACK, WHITE]) for p in beside}
        stones |= {p: color for p in room if (color := numbers.choice([EMPTY, EMPTY, BLACK, WHITE]))}
        position = Position(size, stones)
        marked = {p for p in room if p not in stones}
        if not marked or not all(position.liberties(min(chain)) for chain in position.chains()):
            continue
        mortal = [chain for chain in position.chains() if position.liberties(min(chain)) <= marked]
        region = frozenset(marked.union(*mortal))
        game = Game.from_diagram(format_diagram(size, position.color_at), numbers.choice(SIDES))
        game.komi = game.score() + game.komi + numbers.choice([-4.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 4.5])
        if len(region) <= LARGEST:
            return game, sorted(marked), region


@pytest.mark.thorough
def test_it_finds_what_a_brute_force_finds() -> None:
    numbers = random.Random(15)
    not_all = 0
    for _ in range(150):
        game, marked, region = random_problem(numbers)
        expected = brute_force(game.copy(), region)
        assert winning_moves(game, marked) == expected, f"{game}\n{color_name(game.turn)} to play, komi {game.komi}"
        not_all += 0 < len(expected) < len(region)
    assert not_all > 30, "moves matter"


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
def test_it_finds_what_a_brute_force_finds_in_many_rooms(seed: int) -> None:
    numbers = random.Random(seed)
    for _ in range(400):
        game, marked, region = random_problem(numbers)
        assert winning_moves(game, marked) == brute_force(game.copy(), region), f"{game}\n{game.turn} {game.komi}"


# --- what books say ---------------------------------------------------------------------------------------------------

THREE_IN_A_ROW = """
    * * * X O . O
    X X X X O O O
    O O O O O . O
    . O . O . O O
    O O O O O O O
    . O . O . O .
    O O O O O O O
"""
CORNER_KO = """
    X * X O . O .
    * X X O O O O
    X * * O . O O
    * * X O O . O
    O O O O O O O
    X X X X X X X
    X . . X . X .
"""


def solved(diagram: str, turn: str, komi: float, **more: int) -> list[str]:
    game = Game.from_diagram(diagram, turn, komi)
    rows = [line.split() for line in diagram.strip().splitlines()]
    marked = [point(c + 1, 7 - r) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "*"]
    return sorted(map(vertex, winning_moves(game, marked, **more)))


def test_the_middle_of_three() -> None:
    assert solved(THREE_IN_A_ROW, "white", -38.5) == solved(THREE_IN_A_ROW, "black", -38.5) == ["B7"]
    assert solved(THREE_IN_A_ROW, "white", -60.5) == []
    assert solved(THREE_IN_A_ROW, "black", -60.5) == ["A7", "B7", "C7", "pass"]


def test_a_ko_is_lost_against_a_threat_but_not_against_moves_elsewhere() -> None:
    assert solved(CORNER_KO, "white", -8.5) == solved(CORNER_KO, "white", -8.5, free_moves=1) == ["B5"]
    assert solved(CORNER_KO, "white", -8.5, threats=1) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"marked": []}, "no point is marked"),
        ({"marked": ["D7"]}, "D7 is marked, but not empty"),
        ({"marked": ["A7"]}, "the region is open at A7: an empty point beside it is not marked"),
        ({"komi": 7.0}, "with a komi of 7 there may be draws"),
        ({"rules": "tromp-taylor"}, "a region is solved by positional superko without suicide, not by"),
    ],
)
def test_what_cannot_be_solved_is_refused(changes: dict[str, Any], message: str) -> None:
    marked = [parse_vertex(name, 7) for name in changes.pop("marked", ["A7", "B7", "C7"])]
    game = Game.from_diagram(THREE_IN_A_ROW, **{"komi": 0.5, **changes})
    with pytest.raises(ValueError, match=message):
        winning_moves(game, marked)
