"""The compiled board beside the naive one, move by move; then scores of finished games, random numbers and vertices."""

import hashlib
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from helpers.naive import SIMPLE_KO, NaiveBoard, Position, stones_of
from kikashi.board import queries
from kikashi.board.points import (
    BLACK,
    MAX_SIZE,
    MIN_SIZE,
    PASS,
    POINTS,
    WHITE,
    color_name,
    parse_vertex,
    points_of,
    vertex,
)
from kikashi.board.position import (
    ZOBRIST,
    Board,
    atari_liberty,
    empty_neighbours,
    has_empty_neighbour,
    in_atari,
    is_legal,
    is_suicide,
    new_board,
    only_liberty_is,
    play,
    surrounding,
)
from kikashi.board.scoring import area_score, playout_score
from kikashi.board.two_liberties import liberty_pair

SIZES = range(MIN_SIZE, MAX_SIZE + 1)
COLORS = (BLACK, WHITE)
FOUND = np.empty(POINTS, np.uint16)
"""Where the compiled queries write the points that they find."""


# -- the two boards ----------------------------------------------------------------------------------------------------


class Oracle(NaiveBoard):
    """The naive board, asked many questions about one position: what a move would do is found once."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._known: dict[tuple[int, int], Position] = {}

    def after(self, p: int, color: int) -> Position:
        if (p, color) not in self._known:
            self._known[p, color] = super().after(p, color)
        return self._known[p, color]

    def play(self, p: int) -> frozenset[int]:
        removed = super().play(p)
        self._known.clear()
        return removed

    def empty_points(self) -> list[int]:
        return [p for p in self.points() if p not in self.stones]


class Twins:
    """A compiled board and the oracle, played together; `removed` are the stones that the last move took off."""

    def __init__(self, size: int) -> None:
        self.board: Board = new_board(size)
        self.naive = Oracle(size)
        self.removed: frozenset[int] = frozenset()
        self.moves: list[int] = []

    def play(self, p: int) -> None:
        play(self.board, p)
        self.removed = self.naive.play(p)
        self.moves.append(p)

    def agree(self, what: str, compiled: object, naive: object) -> None:
        """Fail unless both answers are the same, with the question and the position in the message."""
        assert compiled == naive, f"{what}: compiled {compiled}, naive {naive}\n{self}"

    def __str__(self) -> str:
        moves = " ".join(vertex(p) for p in self.moves)
        turn = f"{color_name(self.naive.to_play)} to play, ko {vertex(self.naive.ko)}"
        return f"{self.naive.diagram()}\n{turn}, size {self.naive.size}, after {len(self.moves)} moves:\n{moves}"


def found_by(find: Callable[..., int], *question: object) -> frozenset[int]:
    """All that `find` finds; it is asked with small limits too, and must then find some of these."""
    count = find(*question, FOUND, POINTS)
    everything = frozenset(FOUND[:count].tolist())
    assert len(everything) == count, "a liberty was found twice"
    for limit in (1, 2, 3):
        assert find(*question, FOUND, limit) == min(limit, count)
        assert everything.issuperset(FOUND[: min(limit, count)].tolist())
    return everything


def naive_only_liberty_after(naive: NaiveBoard, p: int, color: int) -> int:
    left = naive.liberties_after(p, color)
    return min(left) if len(left) == 1 and not naive.captures(p, color) else PASS


# -- the questions, each with its naive twin ---------------------------------------------------------------------------

AT_EMPTY_POINT: dict[str, tuple[Callable, Callable]] = {
    "has_empty_neighbour": (has_empty_neighbour, lambda naive, p: not naive.neighbours(p) <= naive.stones.keys()),
    "empty_neighbours": (empty_neighbours, lambda naive, p: len(naive.neighbours(p) - naive.stones.keys())),
    "surrounding": (surrounding, lambda naive, p: sum(c for c in COLORS if naive.surrounded_by(p, c))),
    "is_legal": (is_legal, NaiveBoard.is_legal),
    "is_suicide": (is_suicide, NaiveBoard.is_suicide),
    "hash_after": (queries.hash_after, lambda naive, p: naive.after(p, naive.to_play).hash(ZOBRIST)),
}
"""Asked of a board and an empty point."""

FOR_A_COLOR: dict[str, tuple[Callable, Callable]] = {
    "captures": (queries.captures, lambda naive, p, color: len(naive.captures(p, color))),
    "is_eyelike": (queries.is_eyelike, NaiveBoard.is_eyelike),
    "is_self_atari": (lambda *question: queries.is_self_atari(*question, FOUND), NaiveBoard.is_self_atari),
    "only_liberty_after": (queries.only_liberty_after, naive_only_liberty_after),
    "find_liberties_after": (
        lambda *question: found_by(queries.find_liberties_after, *question),
        NaiveBoard.liberties_after,
    ),
}
"""Asked of a board, an empty point and a colour, whoever is to play."""


def check_chains_beside(twins: Twins, p: int) -> None:
    """What is known of a chain's liberties once one of them is known."""
    for stone in twins.naive.neighbours(p) & twins.naive.stones.keys():
        others = twins.naive.liberties(stone) - {p}
        what = f"{vertex(stone)} besides {vertex(p)}"
        second = min(others) if len(others) == 1 else PASS
        twins.agree(f"second_liberty {what}", queries.second_liberty(twins.board, stone, p), second)
        twins.agree(f"has_three_liberties {what}", queries.has_three_liberties(twins.board, stone, p), len(others) > 1)


def check_point(twins: Twins, p: int) -> None:
    """All that can be asked about an empty point."""
    check_chains_beside(twins, p)
    for name, (compiled, naive) in AT_EMPTY_POINT.items():
        twins.agree(f"{name} {vertex(p)}", compiled(twins.board, p), naive(twins.naive, p))
    for name, (compiled, naive) in FOR_A_COLOR.items():
        for color in COLORS:
            what = f"{name} {vertex(p)} {color_name(color)}"
            twins.agree(what, compiled(twins.board, p, color), naive(twins.naive, p, color))


def check_state(twins: Twins) -> None:
    """What the record says of the position and of the last move."""
    board, naive = twins.board, twins.naive
    colors = {p: (color, naive.color_at(p)) for p, color in enumerate(board["color"].tolist())}
    assert not {p: pair for p, pair in colors.items() if pair[0] != pair[1]}, f"colours differ at these points\n{twins}"
    twins.agree("to_play", board["to_play"], naive.to_play)
    twins.agree("ko", board["ko"], naive.ko)
    twins.agree("hash", board["hash"], naive.hash(ZOBRIST))
    stones = list(naive.stones.values())
    twins.agree("balance", board["balance"], stones.count(BLACK) - stones.count(WHITE))
    check_empty_list(twins)


def check_empty_list(twins: Twins) -> None:
    """The list of empty points holds each once, knows where each is, and ends with what the last move took."""
    board = twins.board
    empty = board["empty"][: board["empty_count"]].tolist()
    twins.agree("empty", sorted(empty), twins.naive.empty_points())
    twins.agree("empty_at", board["empty_at"][empty].tolist(), list(range(len(empty))))
    twins.agree("captured", board["captured"], len(twins.removed))
    twins.agree("captured points", frozenset(empty[len(empty) - board["captured"] :]), twins.removed)


def check_chain(twins: Twins, chain: frozenset[int]) -> None:
    """Name, length, list of stones and liberties of one chain. Its name is in it, so no other can have the same."""
    board, name = twins.board, int(twins.board["chain"][min(chain)])
    what = f"of the chain of {vertex(min(chain))}"
    twins.agree(f"a point is the name {what}", name in chain, True)
    twins.agree(f"names {what}", {int(board["chain"][p]) for p in chain}, {name})
    twins.agree(f"stones {what}", board["stones"][name], len(chain))
    twins.agree(f"next {what}", sorted(walk(board, name)), sorted(chain))
    liberties = twins.naive.liberties(name)
    twins.agree(f"liberties {what}", found_by(queries.find_liberties, board, name), liberties)
    for stone in chain:
        twins.agree(f"in_atari {vertex(stone)}", in_atari(board, stone), len(liberties) == 1)
    pair = liberties if len(liberties) == 2 else {PASS}
    twins.agree(f"liberty_pair {what}", set(liberty_pair(board, min(chain))), set(pair))
    if len(liberties) == 1:
        twins.agree(f"atari_liberty {what}", atari_liberty(board, max(chain)), min(liberties))
    for p in liberties.union(board["empty"][:4].tolist()):
        twins.agree(f"{vertex(p)} is only liberty {what}", only_liberty_is(board, max(chain), p), liberties == {p})


def walk(board: Board, first: int) -> list[int]:
    """The stones met from `first` along `next` until it comes again; too many if it never does."""
    found = [first]
    while (p := int(board["next"][found[-1]])) != first and len(found) < POINTS:
        found.append(p)
    return found


def check_chains(twins: Twins) -> None:
    """Every chain; empty points and walls name themselves."""
    for chain in twins.naive.chains():
        check_chain(twins, chain)
    others = [p for p in range(POINTS) if p not in twins.naive.stones]
    twins.agree("names without stones", twins.board["chain"][others].tolist(), others)


def check_everything(twins: Twins) -> None:
    """Every question at every point. None of them changes the board."""
    before = twins.board.tobytes()
    check_state(twins)
    check_chains(twins)
    twins.agree("area_score", area_score(twins.board), twins.naive.area_score())
    legal = {p for p in range(POINTS) if is_legal(twins.board, p)}
    assert not legal ^ twins.naive.legal_under(SIMPLE_KO), f"legality differs at these points\n{twins}"
    for p in twins.naive.empty_points():
        check_point(twins, p)
    assert twins.board.tobytes() == before, f"a question changed the board\n{twins}"


# -- games -------------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(2, 5), st.lists(st.integers(0, 25), max_size=20))
def test_boards_agree_in_any_short_game(size, choices):
    """A choice is a pass or an empty point, counted from A1; suicide and the retaking of a ko are not forbidden."""
    twins = Twins(size)
    for choice in choices:
        moves = [PASS, *twins.naive.empty_points()]
        twins.play(moves[choice % len(moves)])
        check_everything(twins)


def random_move(twins: Twins, random: Random) -> int:
    """A pass, often a capture or a suicide, or any empty point: legal or not, to retake a ko included.

    The compiled board is asked which moves are sharp. This only chooses and proves nothing.
    """
    empty, color, dice = twins.naive.empty_points(), twins.naive.to_play, random.random()
    if dice < 0.05:
        return PASS
    sharp = [p for p in empty if queries.captures(twins.board, p, color) or is_suicide(twins.board, p)]
    return random.choice(sharp if sharp and dice < 0.3 else empty)


THOROUGH = (9, 13)
FOR_SOAK = (8, 10, 11, 12, 14, 15, 16, 17, 18)
"""Sizes that are seldom played on."""


@pytest.mark.parametrize(
    "size",
    [
        *(size for size in SIZES if size not in THOROUGH + FOR_SOAK),
        *(pytest.param(size, marks=pytest.mark.thorough) for size in THOROUGH),
        *(pytest.param(size, marks=pytest.mark.soak) for size in FOR_SOAK),
    ],
)
def test_boards_agree_in_a_long_game(size):
    """State and a point after every move; chains and the whole board as well, but less often on large boards."""
    random, twins = Random(size), Twins(size)
    removals = set()
    for number in range(100 + size * size * 3 // 4):
        twins.play(random_move(twins, random))
        removals.add(len(twins.removed))
        check_state(twins)
        check_point(twins, random.choice(twins.naive.empty_points()))
        if number % size == 0:
            check_chains(twins)
        if size <= 5 or number % (4 * size) == 0:
            check_everything(twins)
    assert removals >= {0, 1, 2}, "a game in which too little happened: change the seed"


@pytest.mark.parametrize(
    ("size", "moves", "removed", "ko"),
    [
        (3, "C1 B1 B2 A2 A1", "B1", "B1"),
        (4, "C1 B1 B2 A2 A1 pass", "", "pass"),
        (4, "C1 B1 B2 A2 A1 B1", "A1", "A1"),  # retaken at once: that is for others to forbid
        (4, "A1 B1 pass A2", "A1", "pass"),  # one stone is taken, and there is room left
        (5, "A2 A1 C2 C1 D1 B2 B3 pass B1", "A1 B2 C1", "pass"),  # three chains
        (5, "A2 A1 B2 B1 pass A3 C1", "A1 B1", "pass"),
        (5, "pass A2 pass B1 A1", "A1", "pass"),  # suicide of one stone
        (5, "A1 B1 C3 B2 C2 A3 A2", "A1 A2", "pass"),  # of two
        (2, "A1 pass A2 pass B1 pass B2", "A1 A2 B1 B2", "pass"),  # of the whole board
    ],
)
def test_captures_kos_and_suicides(size, moves, removed, ko):
    """What the last of these moves takes off and forbids; the boards agree all the way."""
    twins = Twins(size)
    for name in moves.split():
        twins.play(parse_vertex(name, size))
        check_everything(twins)
    assert twins.removed == {parse_vertex(name, size) for name in removed.split()}
    assert twins.board["captured"] == len(removed.split())
    assert vertex(int(twins.board["ko"])) == ko


def test_one_color_fills_the_largest_board_and_is_taken():
    """The sums that stand for liberties are nowhere larger, and no capture is."""
    random, twins = Random(0), Twins(MAX_SIZE)
    *order, last = random.sample(points_of(MAX_SIZE), MAX_SIZE * MAX_SIZE)
    for number, p in enumerate(order):
        twins.play(p)
        twins.play(PASS)
        if number % 40 == 0:
            check_chains(twins)
    check_everything(twins)
    twins.play(PASS)
    twins.play(last)
    check_everything(twins)
    assert twins.naive.stones == {last: WHITE}


@pytest.mark.parametrize("size", [-1, 0, 1, 20])
def test_a_board_has_a_size_that_is_allowed(size):
    with pytest.raises(ValueError, match=f"board size {size} is not in 2-19"):
        new_board(size)


@pytest.mark.parametrize("size", [2, 3, 9, 19])
def test_a_new_board_is_empty_with_black_to_play(size):
    twins = Twins(size)
    check_everything(twins)
    assert (twins.board["size"], twins.board["hash"], twins.board["to_play"]) == (size, 0, BLACK)


def test_hashes_stay_the_same_for_ever():
    """They may be in files: a change of the generator or of NumPy's stream must not pass unseen."""
    digest = hashlib.sha256(ZOBRIST.astype("<u8").tobytes()).hexdigest()
    assert digest == "f77d6b71c363138c2bc3947cc24a75e6b19629b0b25b2d099477378d7dc042ee"


# -- scores ------------------------------------------------------------------------------------------------------------


def quiet_move(naive: Oracle, random: Random) -> int:
    """A random legal move that fills no own eye; PASS if there is none."""
    empty = naive.empty_points()
    for p in random.sample(empty, len(empty)):
        if naive.is_legal(p) and not naive.is_eyelike(p, naive.to_play):
            return p
    return PASS


def finished_game(size: int, seed: int) -> Twins:
    """Quiet moves until both sides have none. No two empty points are then adjacent: either could be played."""
    random, twins = Random(seed), Twins(size)
    while twins.moves[-2:] != [PASS, PASS]:
        twins.play(quiet_move(twins.naive, random))
    return twins


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "games"), [(2, 30), (3, 30), (4, 20), (5, 20), (6, 10), (7, 5), (9, 3), (13, 1)])
def test_the_score_of_a_finished_playout_is_the_area_score(size, games):
    for seed in range(games):
        twins = finished_game(size, seed)
        score = twins.naive.area_score()
        twins.agree("playout_score", playout_score(twins.board), score)
        twins.agree("area_score", area_score(twins.board), score)


@pytest.mark.parametrize(
    ("diagram", "finished", "area"),
    [
        ("...\n...\n...", 0, 0),
        ("...\n.X.\n...", 1, 9),
        ("...\n.O.\n...", -1, -9),
        (".X.\nXX.\n.OO", 4 - 2, 4 - 2),  # A3 is Black's, C3 and A1 are neutral
        ("..X\n.XX\nXX.", 5 + 1, 9),
        (".X.X\nXXXX\nOOOO\n.O..", 8 - 6, 8 - 8),
    ],
)
def test_scores_of_finished_and_unfinished_positions(diagram, finished, area):
    """The quick score counts single points only."""
    size, stones = stones_of(diagram)
    board = new_board(size)
    for p, color in stones.items():
        board["to_play"] = color
        play(board, p)
    assert (playout_score(board), area_score(board)) == (finished, area)
