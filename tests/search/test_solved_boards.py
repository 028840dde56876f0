"""Boards whose value is known: the search finds value and move. Positional superko, every legal move feasible.

2x2 is solved here, by exhaustive search; 3x3 (Black +9, at the centre) and 4x4 (Black +2) are of J. Tromp and others.
"""

from functools import cache

import pytest

from helpers.naive import Position
from kikashi import Game
from kikashi.board.points import BLACK, PASS, WHITE, opponent
from kikashi.engine.tree_reuse import search_request
from kikashi.parts.binding import bind
from kikashi.playout import feasibility, make_policy
from kikashi.search.analysis import Analysis
from kikashi.search.config import SearchConfig
from kikashi.search.kinds import backup, expansion, selection
from kikashi.search.tree_search import TreeSearch


def think(game: Game, simulations: int, *, p: float) -> Analysis:
    """Search the position of a game by UCT, in wins, with every legal move in the tree. Playouts spare their own eyes:
    those that do not hardly ever end."""
    config = SearchConfig(
        policy=make_policy("uniform"),
        rules={
            "selection": bind(selection, "ucb1", {"p": p, "first_play_urgency": 10.0}),
            "expansion": bind(expansion, "after_visits", {"visits": 1}),
            "backup": bind(backup, "mean"),
            "tree_feasibility": bind(feasibility, "legal", {}),
        },
    )
    search = TreeSearch(config, size=game.size, megabytes=1000)
    search.start(search_request(game))
    search.run(simulations)
    return search.analysis(1.0)


# --- our own solver ---------------------------------------------------------------------------------------------------

Stones = frozenset[tuple[int, int]]
"""A position: points with their colours."""


@cache
def results(size: int, stones: Stones, color: int) -> tuple[tuple[int, Stones], ...]:
    """What each move that is no suicide makes of a position, captures first: the fewer stones, the earlier."""
    here = Position(size, dict(stones))
    moves = [(p, here.after(p, color)) for p in set(here.points()) - here.stones.keys()]
    found = [(p, frozenset(after.stones.items())) for p, after in moves if p in after.stones]
    return tuple(sorted(found, key=lambda result: len(result[1])))


@cache
def area(size: int, stones: Stones) -> int:
    return Position(size, dict(stones)).area_score()


def reaches(size: int, stones: Stones, color: int, goal: int, passes: int, seen: set[Stones]) -> bool:
    """Whether `color`, who is to play, can end with `goal` points or more than the other, whatever the other does."""
    won_by_stopping = (area(size, stones) if color == BLACK else -area(size, stones)) >= goal
    if passes == 1 and won_by_stopping:
        return True
    for _move, after in results(size, stones, color):
        if after not in seen:
            seen.add(after)
            lost = reaches(size, after, opponent(color), 1 - goal, 0, seen)
            seen.remove(after)
            if not lost:
                return True
    return passes == 0 and not reaches(size, stones, opponent(color), 1 - goal, 1, seen)


def value_of(game: Game) -> int:
    """The score of best play for Black, who need not be to play."""
    stones = stones_of(game)
    if game.is_over():
        return area(game.size, stones)
    seen = {stones_of(position) for position in history_of(game)}
    passes = int(bool(game.moves) and game.moves[-1].point == PASS)
    points = game.size**2
    goals = [g for g in range(-points, points + 1) if reaches(game.size, stones, game.turn, g, passes, seen)]
    return max(goals) if game.turn == BLACK else -max(goals)


def stones_of(game: Game) -> Stones:
    return frozenset((p, color) for color in (BLACK, WHITE) for p in game.stones(color))


def history_of(game: Game) -> list[Game]:
    """The game after each of its moves, the start first."""
    past = [game.root()]
    for move in game.moves:
        past.append(past[-1].copy())
        past[-1].push(move.point, move.color)
    return past


# --- 2x2 --------------------------------------------------------------------------------------------------------------

LINES_2X2 = ["", "A1", "A1 B2", "A1 A2", "A1 B1 B2", "A1 pass", "A1 B2 B1 A2", "A1 B2 A2", "A1 B2 B1", "A1 A2 B2"]
"""Moves from the empty board: quiet ones, captures and fights that superko decides."""


def after(line: str, size: int = 2) -> Game:
    game = Game(size, komi=0)
    for move in line.split():
        game.push(move)
    return game


def test_the_empty_board_of_2x2_is_worth_1() -> None:
    assert value_of(after("")) == 1


@pytest.mark.parametrize("line", LINES_2X2)
def test_2x2_converges_to_the_solution(line: str) -> None:
    """With komi on either side of the value, each side wins in turn, and the winner's move keeps the value."""
    game = after(line)
    value = value_of(game)
    for komi in (value - 0.5, value + 0.5):
        game.komi = komi
        found = think(game, 20_000, p=0.5)
        black_wins = found.winrate if game.turn == BLACK else 1 - found.winrate
        assert black_wins > 0.85 if komi < value else black_wins < 0.15
        if found.winrate > 0.5:
            best = game.copy()
            best.push(found.moves[0].move)
            assert value_of(best) == value


# --- 3x3 and 4x4 ------------------------------------------------------------------------------------------------------


def test_3x3_is_all_black_from_the_centre() -> None:
    found = think(Game(3, komi=8.5), 200_000, p=0.2)
    assert found.moves[0].name == "B2"
    assert found.moves[0].winrate > 0.8
    assert found.winrate > 0.8


def test_3x3_cannot_be_more() -> None:
    assert think(Game(3, komi=9.5), 20_000, p=0.3).winrate == 0


@pytest.mark.parametrize("move", ["A1", "B1"])
def test_3x3_other_first_moves_do_not_win_all(move: str) -> None:
    """White to play after a first move elsewhere: Black does not get everything."""
    game = after(move, 3)
    game.komi = 8.5
    found = think(game, 50_000, p=0.2)
    assert found.winrate > 0.8


@pytest.mark.soak
def test_4x4_is_worth_2_from_the_middle() -> None:
    """With komi on either side of 2; Black begins in the middle."""
    wins = think(Game(4, komi=1.5), 1_200_000, p=0.2)
    assert wins.moves[0].name in ("B2", "B3", "C2", "C3")
    assert wins.moves[0].winrate > 0.65
    assert wins.winrate > 0.6
    assert think(Game(4, komi=2.5), 2_000_000, p=0.2).winrate < 0.48
