"""The oracle itself, on diagrams made by hand. `tests/game` compares its ko and superko with those of `Game`."""

import pytest

from helpers.naive import TROMP_TAYLOR, NaiveBoard, Position
from helpers.naive_rules import FEASIBILITY, KNIGHT, LARGE_KNIGHT
from kikashi.board.points import BLACK, EMPTY, MAX_SIZE, PASS, WALL, WHITE, parse_vertex, points_of, vertex


def at(name: str) -> int:
    return parse_vertex(name, MAX_SIZE)


def spots(text: str) -> set[str]:
    return set(text.split())


def names(points) -> set[str]:
    return {vertex(p) for p in points}


def play_all(board: NaiveBoard, moves: str) -> NaiveBoard:
    for name in moves.split():
        board.play(at(name))
    return board


# -- the grid and chains -----------------------------------------------------------------------------------------------

CHAINS = """
    .XX..
    .XO..
    ..OX.
    .....
    X...O
"""


def test_a_diagram_is_read_and_written_top_row_first():
    board = NaiveBoard.from_diagram(CHAINS, WHITE)
    assert (board.size, board.to_play, board.ko) == (5, WHITE, PASS)
    assert board.stones[at("A1")] == BLACK
    assert board.stones[at("E1")] == WHITE
    assert board.diagram() == ".XX..\n.XO..\n..OX.\n.....\nX...O"
    assert NaiveBoard(2).diagram() == "..\n.."


@pytest.mark.parametrize("diagram", ["..\n.", "X?\n..", ".X.\n..."])
def test_a_bad_diagram_is_refused(diagram):
    with pytest.raises(ValueError, match="not a square diagram"):
        NaiveBoard.from_diagram(diagram)


@pytest.mark.parametrize(
    ("p", "neighbours", "diagonals"),
    [
        ("A1", "A2 B1", "B2"),
        ("T19", "S19 T18", "S18"),
        ("T10", "T11 T9 S10", "S11 S9"),
        ("K10", "K11 K9 J10 L10", "J9 J11 L9 L11"),
    ],
)
def test_neighbours_stay_on_the_board(p, neighbours, diagonals):
    assert names(NaiveBoard(19).neighbours(at(p))) == spots(neighbours)
    assert names(NaiveBoard(19).diagonals(at(p))) == spots(diagonals)


@pytest.mark.parametrize("size", [2, 9, 19])
def test_everything_beyond_the_edge_is_wall(size):
    board = NaiveBoard(size)
    on_board = [p for p in range((MAX_SIZE + 2) * (MAX_SIZE + 1)) if board.color_at(p) == EMPTY]
    assert on_board == points_of(size)
    assert board.color_at(PASS) == WALL


@pytest.mark.parametrize(
    ("p", "chain", "liberties"),
    [("B4", "B4 B5 C5", "A5 A4 B3 D5"), ("C3", "C3 C4", "B3 D4 C2"), ("D3", "D3", "D4 E3 D2"), ("E1", "E1", "D1 E2")],
)
def test_chains_and_liberties(p, chain, liberties):
    board = NaiveBoard.from_diagram(CHAINS)
    assert names(board.chain(at(p))) == spots(chain)
    assert names(board.liberties(at(p))) == spots(liberties)


def test_enemy_chains_are_the_other_colours_beside():
    board = NaiveBoard.from_diagram(CHAINS)
    assert board.enemy_chains(at("C4")) == {board.chain(at("B4")), board.chain(at("D3"))}
    assert board.enemy_chains(at("A1")) == set()
    assert len(board.chains()) == 5


def test_atari_names_the_last_liberty():
    board = NaiveBoard.from_diagram("X..\n.OX\n.X.")
    assert board.in_atari(at("B2")) is False
    assert board.atari_liberty(at("B2")) == PASS
    assert names(board.atari_after(at("A2"), BLACK)) == {"B2"}
    assert names(board.atari_after(at("B3"), WHITE)) == {"A3"}
    assert names(board.atari_after(at("C1"), WHITE)) == set()  # suicide
    assert names(board.atari_after(at("A1"), WHITE)) == {"B1"}
    assert names(NaiveBoard.from_diagram(CHAINS).atari_after(at("B3"), WHITE)) == set()
    board.play(at("A2"))
    assert board.in_atari(at("B2"))
    assert vertex(board.atari_liberty(at("B2"))) == "B3"


def test_no_chain_where_no_stone_is():
    with pytest.raises(ValueError, match="no stone at A1"):
        NaiveBoard(3).chain(at("A1"))


# -- captures, ko and suicide ------------------------------------------------------------------------------------------

SNAPBACK = """
    .....
    .....
    XXXXX
    XOOOX
    X..OX
"""


def test_a_snapback_is_not_a_ko():
    board = play_all(NaiveBoard.from_diagram(SNAPBACK), "C1")
    assert vertex(board.atari_liberty(at("C2"))) == "B1"
    assert board.is_self_atari(at("B1"), WHITE)
    assert names(board.play(at("B1"))) == {"C1"}
    assert board.ko == PASS
    assert names(board.play(at("C1"))) == spots("B1 B2 C2 D2 D1")


def test_one_move_captures_several_chains():
    board = NaiveBoard.from_diagram("O.O\nXOX\n.X.")
    assert names(board.captures(at("B3"), BLACK)) == {"A3", "C3", "B2"}
    assert names(board.chain_after(at("B3"), BLACK)) == {"B3"}
    assert names(board.liberties_after(at("B3"), BLACK)) == {"A3", "C3", "B2"}
    assert names(board.play(at("B3"))) == {"A3", "C3", "B2"}
    assert board.diagram() == ".X.\nX.X\n.X."


def test_suicide_of_several_stones_removes_them_where_it_is_allowed():
    board = NaiveBoard.from_diagram("X.O\nOO.\n...")
    assert board.is_suicide(at("B3"))
    assert not board.is_legal(at("B3"))
    assert board.is_legal(at("B3"), TROMP_TAYLOR)
    assert board.is_self_atari(at("B3"), BLACK)
    assert board.captures(at("B3"), BLACK) == frozenset()
    assert board.liberties_after(at("B3"), BLACK) == board.chain_after(at("B3"), BLACK) == frozenset()
    assert names(board.play(at("B3"))) == {"A3", "B3"}
    assert (board.diagram(), board.to_play, board.ko) == ("..O\nOO.\n...", WHITE, PASS)


# -- score and hash ----------------------------------------------------------------------------------------------------

SEKI = """
    .XXO.
    XXXOO
    XX.OO
    XXXOO
    XXXOO
"""


@pytest.mark.parametrize(
    ("diagram", "score"),
    [
        ("...\n...\n...", 0),
        ("...\n.X.\n...", 9),
        ("...\n.O.\n...", -9),
        ("X..\n...\n..O", 0),
        (".X.\nXX.\n.OO", 4 - 2),
        (SEKI, 14 - 10),
    ],
)
def test_area_score(diagram, score):
    assert NaiveBoard.from_diagram(diagram).area_score() == score


def test_neither_side_can_play_in_the_seki():
    board = NaiveBoard.from_diagram(SEKI)
    assert names(board.liberties_after(at("C3"), BLACK)) == {"A5"}
    assert names(board.liberties_after(at("C3"), WHITE)) == {"E5"}


def test_the_hash_is_the_xor_over_the_stones():
    zobrist = [None, {at("A1"): 1, at("B2"): 2}, {at("A1"): 4, at("B2"): 8}]
    assert NaiveBoard(2).hash(zobrist) == 0
    assert NaiveBoard.from_diagram(".O\nX.").hash(zobrist) == 9
    assert NaiveBoard.from_diagram(".X\nO.").hash(zobrist) == 6


# -- eyes and feasibility ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("diagram", "p", "expected"),
    [
        (".X.\nXX.\n...", "A3", True),
        (".X.\nX..\n...", "A3", True),  # an empty diagonal does not spoil it
        (".X.\nXO.\n...", "A3", False),
        (".X.\n.X.\n...", "A3", False),
        ("X.X\n.X.\n...", "B3", True),
        ("X.X\nOX.\n...", "B3", False),
        ("X.X\nXXX\n...", "B3", True),
        (".X.\nX.X\n.X.", "B2", True),
        ("OX.\nX.X\n.X.", "B2", True),
        ("OX.\nX.X\n.XO", "B2", False),
        ("OXO\nX.X\n.X.", "B2", False),
        (".X.\nXXX\n.X.", "B2", False),  # not empty
        (".X.\nX.O\n.X.", "B2", False),
    ],
)
def test_eyelike_points(diagram, p, expected):
    board = NaiveBoard.from_diagram(diagram)
    assert board.is_eyelike(at(p), BLACK) is expected
    assert not board.is_eyelike(at(p), WHITE)


def test_surrounded_counts_walls_but_not_diagonals():
    board = NaiveBoard.from_diagram(".XO\nXO.\n...")
    assert board.surrounded_by(at("A3"), BLACK)
    assert not board.surrounded_by(at("A3"), WHITE)
    assert not board.surrounded_by(at("C2"), WHITE)


def feasible(rule: str, board: Position, color: int = BLACK) -> set[str]:
    return names(p for p in board.points() if p not in board.stones and FEASIBILITY[rule](board, p, color))


def test_the_neighbourhoods_have_their_sizes():
    assert (len(KNIGHT), len(LARGE_KNIGHT)) == (20, 36)
    assert names(NaiveBoard(9).around(at("J9"), KNIGHT)) == spots("J8 J7 H9 H8 H7 G9 G8")


@pytest.mark.parametrize(
    ("rule", "stone", "count"),
    [
        ("orego", None, 16 + 8),  # the third and the fourth line
        ("orego", "A1", 24 + 7),
        ("orego", "C3", 23 + 13),
        ("orego", "E5", 24),
        ("orego_a", None, 49),
        ("orego_a", "A1", 49 + 6),
        ("orego_a", "E5", 48),
        ("orego_b", "E5", 80),
        ("eyelike", None, 81),
        ("coulom", "A1", 80),
    ],
)
def test_feasible_points_of_an_open_board(rule, stone, count):
    board = NaiveBoard(9, {at(stone): WHITE} if stone else {})
    assert len(feasible(rule, board)) == count


EYES = """
    .X...
    XX...
    .X...
    XO...
    .....
"""


@pytest.mark.parametrize(
    ("rule", "color", "infeasible"),
    [
        ("eyelike", BLACK, "A5"),
        ("orego", BLACK, "A5 E1 E2 E3 E4 E5"),
        ("orego_a", BLACK, "A5"),
        ("orego_b", BLACK, "A5"),
        ("coulom", BLACK, "A5 A3"),
        ("eyelike", WHITE, ""),
        ("orego", WHITE, "E1 E2 E3 E4 E5"),
        ("coulom", WHITE, ""),
    ],
)
def test_infeasible_points_beside_an_eye_and_a_false_eye(rule, color, infeasible):
    board = NaiveBoard.from_diagram(EYES)
    empty = names(p for p in board.points() if p not in board.stones)
    assert empty - feasible(rule, board, color) == spots(infeasible)


def test_coulom_fills_an_eye_only_beside_an_atari():
    false_eye = NaiveBoard.from_diagram(".XO.\nX.X.\n.XO.\n....")
    assert FEASIBILITY["eyelike"](false_eye, at("B3"), BLACK)
    assert not FEASIBILITY["coulom"](false_eye, at("B3"), BLACK)
    false_eye.play(PASS)
    false_eye.play(at("D3"))
    assert false_eye.in_atari(at("C3"))
    assert FEASIBILITY["coulom"](false_eye, at("B3"), BLACK)
