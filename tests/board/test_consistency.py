"""Boards that add up, and boards that a part has written to: nothing on them is endless."""

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import numpy as np
import pytest

from kikashi.board.consistency import adds_up, may_add_up
from kikashi.board.points import BLACK, EMPTY, PASS, POINTS, WHITE, point, points_of
from kikashi.board.position import BOARD, EMPTY_CAPACITY, is_legal, new_board, play
from kikashi.jit import is_bounds_checked

Board = np.ndarray


def game(size: int, moves: int) -> Iterator[Board]:
    """The board after each of some random moves."""
    board, chance = new_board(size), Random(1)
    for _ in range(moves):
        yield board
        play(board, next(filter(partial(is_legal, board), chance.sample(points_of(size), size * size)), PASS))
    yield board


def played(size: int, moves: int) -> Board:
    *_, board = game(size, moves)
    return board


@pytest.mark.parametrize("size", [2, 5, 9, 19])
def test_boards_of_games_add_up(size: int) -> None:
    for board in game(size, 2 * size * size):
        assert adds_up(board)
        assert may_add_up(board)


A_STONE = next(p for p in points_of(9) if played(9, 60)["color"][p] != EMPTY)
AN_EMPTY_POINT = next(p for p in points_of(9) if played(9, 60)["color"][p] == EMPTY)
WRITES: dict[str, Callable[[Board], None]] = {
    "a stone": lambda board: board["color"].__setitem__(AN_EMPTY_POINT, BLACK),
    "no stone": lambda board: board["color"].__setitem__(A_STONE, EMPTY),
    "another stone": lambda board: board["color"].__setitem__(A_STONE, BLACK + WHITE - board["color"][A_STONE]),
    "no board": lambda board: board["color"].__setitem__(A_STONE, BLACK | WHITE),
    "a chain": lambda board: board["chain"].__setitem__(A_STONE, AN_EMPTY_POINT),
    "a link": lambda board: board["next"].__setitem__(AN_EMPTY_POINT, A_STONE),
    "a link to nowhere": lambda board: board["next"].__setitem__(A_STONE, 60_000),
    "the empty points": lambda board: board["empty"].__setitem__(0, A_STONE),
    "their number": lambda board: board.__setitem__("empty_count", board["empty_count"] - 1),
    "the balance": lambda board: board.__setitem__("balance", board["balance"] + 2),
    "the hash": lambda board: board.__setitem__("hash", board["hash"] ^ np.uint64(1)),
    "who is to play": lambda board: board.__setitem__("to_play", 3),
    "the size": lambda board: board.__setitem__("size", 50),
}


@pytest.mark.parametrize("what", WRITES)
def test_a_board_that_was_written_to_does_not_add_up(what: str) -> None:
    board = played(9, 60)
    WRITES[what](board)
    assert not adds_up(board)


def test_walks_along_chains_end_on_boards_that_were_written_to() -> None:
    """Each point is followed by one other, whatever the colours say."""
    board = new_board(3)
    middle, above = point(2, 2), point(2, 3)
    board["color"][middle] = BLACK
    for move in (above, PASS, middle, PASS, point(1, 2)):
        play(board, move)
    assert sorted(board["next"].tolist()) == list(range(POINTS))


@pytest.mark.parametrize("seed", range(40))
def test_no_game_on_a_board_that_was_written_to_writes_outside_of_it(seed: int) -> None:
    """A stray write would damage whatever else this process has in memory."""
    chance = Random(seed)
    around = 1 << 17  # entries are at most 16 bits, and of at most 16 bits
    memory = np.zeros(2 * around + BOARD.itemsize, np.uint8)
    boards = memory[around:-around].view(BOARD)
    boards[0] = new_board(5)
    board = boards[0]
    for _ in range(300):
        board["color"][chance.choice(points_of(5))] = chance.choice((EMPTY, BLACK, WHITE))
        try:
            play(board, chance.choice([PASS, *points_of(5)]))
        except IndexError:  # one array goes on into the next, where nobody looks
            assert is_bounds_checked()
            return
        assert sorted(board["next"].tolist()) == list(range(POINTS))
        assert 0 <= board["empty_count"] < EMPTY_CAPACITY == BOARD["empty"].shape[0]
        assert not memory[:around].any()
        assert not memory[-around:].any()
