"""`kikashi.Game`: the rules seen from Python, against diagrams made by hand, known counts and the naive board."""

import doctest
import pickle
import random

import pytest
from hypothesis import given, strategies as st

import kikashi.game
from helpers import naive
from helpers.perft import perft
from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, parse_vertex, vertex
from kikashi.board.position import ZOBRIST
from kikashi.cli.options import RULES
from kikashi.game import Game
from kikashi.game.moves import RESIGN, IllegalMove, Move, format_score, parse_color
from kikashi.game.rules import RULE_SETS, SUPERKO, Rules

KO = """
    .XO.
    X.XO
    .XO.
    ....
"""
SEND_TWO_RETURN_ONE = """
    ....
    ....
    XXOO
    .O.O
"""


def play(game: Game, moves: str) -> Game:
    for move in moves.split():
        game.push(move)
    return game


KO_RULES = ("positional", "situational", "simple", "tromp-taylor")
"""Of the named sets those that differ in what they forbid."""


def verdicts(diagram: str, turn: int, before: str, move: str) -> dict[str, bool]:
    """For each preset of the rules: whether `move` is legal after the moves `before`."""
    return {name: play(Game.from_diagram(diagram, turn, rules=name), before).is_legal(move) for name in KO_RULES}


def test_the_example_in_the_module():
    assert doctest.testmod(kikashi.game).failed == 0


# --- moves ------------------------------------------------------------------------------------------------------------


def test_moves_alternate_and_take_any_spelling():
    game = Game(9)
    assert game.turn == BLACK
    assert game.push(" e5") == Move(BLACK, parse_vertex("E5", 9))
    assert game.push(parse_vertex("C3", 9)) == (WHITE, parse_vertex("C3", 9))
    assert str(game.push("PASS")) == "black pass"
    assert str(game.push("C4")) == "white C4"
    assert (game.color_at("E5"), game.color_at("c3"), game.color_at("A1")) == (BLACK, WHITE, EMPTY)
    assert [vertex(p) for p in game.stones("white")] == ["C3", "C4"]
    assert game.move_count == len(game.moves) == 4


def test_a_player_may_move_twice_in_a_row():
    game = Game(9)
    game.push("A1", "black")
    game.push("A2", BLACK)
    assert game.turn == WHITE
    assert game.push("A3").color == WHITE
    game.push("A4", "w")
    assert game.turn == BLACK
    with pytest.raises(ValueError, match="a colour is black or white, not 'green'"):
        game.push("A5", "green")
    with pytest.raises(ValueError, match="a colour is black or white, not 3"):
        game.is_legal("A5", 3)


def test_captures_and_prisoners():
    game = play(Game(9), "B1 A1 A2")
    assert game.color_at("A1") == EMPTY
    assert (game.prisoners("black"), game.prisoners("white")) == (1, 0)
    game.pop()
    assert game.color_at("A1") == WHITE
    assert (game.prisoners("black"), game.prisoners("white")) == (0, 0)


def test_the_stones_of_a_suicide_are_prisoners_of_the_opponent():
    game = Game.from_diagram("X.O/OO./...", rules="tromp-taylor")
    game.push("B3")
    assert (game.prisoners(BLACK), game.prisoners(WHITE)) == (0, 2)
    assert game.stones(BLACK) == []


def test_taking_back_any_kind_of_move():
    game = play(Game.from_diagram(KO, WHITE), "B3 pass A1 D1 resign")
    seen = []
    while game.moves:
        seen.append((list(game.positions()), game.turn, game.is_over()))
        game.pop()
    assert game.stones(BLACK) == Game.from_diagram(KO).stones(BLACK)
    assert game.turn == WHITE
    for positions, turn, over in reversed(seen):
        game.push(["B3", "pass", "A1", "D1", "resign"][game.move_count])
        assert (list(game.positions()), game.turn, game.is_over()) == (positions, turn, over)
    with pytest.raises(IndexError, match="there is no move to take back"):
        Game(9).pop()


def test_a_copy_is_independent():
    game = play(Game(9), "A1 B2")
    game.comments[1] = "one"
    twin = game.copy()
    twin.push("C3")
    twin.comments[1] = "two"
    twin.headers["PB"] = "x"
    assert (game.move_count, game.comments, game.headers) == (2, {1: "one"}, {})
    game.pop()
    assert (twin.move_count, twin.color_at("B2")) == (3, WHITE)
    assert twin.is_legal("B2") is False


def test_a_game_can_be_sent_to_another_process():
    game = play(Game.from_diagram(KO, WHITE), "B3 A1")
    twin = pickle.loads(pickle.dumps(game))
    assert (twin.moves, list(twin.positions())) == (game.moves, list(game.positions()))
    twin.push("D1")
    twin.pop()
    twin.pop()
    assert not twin.is_legal("C3")


def test_the_root_is_the_game_without_its_moves():
    game = play(Game.from_diagram(KO, WHITE, komi=0.5), "B3 A1")
    assert (game.root().move_count, game.root().turn, game.root().komi) == (0, WHITE, 0.5)
    assert str(game.root()) == str(Game.from_diagram(KO))
    assert game.move_count == 2


# --- legality ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("A4", "black A4 is illegal: the point is occupied"),
        ("D4", "black D4 is illegal: it is suicide"),
        ("C3", r"black C3 is illegal: it repeats an earlier position \(positional superko\)"),
        ("E5", "E5 is off the 4x4 board"),
        ("Z9", "'Z9' is not a vertex such as D4, nor pass"),
        ("", "'' is not a vertex such as D4, nor pass"),
        (3, "3 is not a point of the 4x4 board"),
        (10**6, "1000000 is not a point of the 4x4 board"),
        (-2, "-2 is not a point of the 4x4 board"),
    ],
)
def test_an_illegal_move_is_an_error_with_its_reason_and_changes_nothing(move, reason):
    game = Game.from_diagram("XXO./X.XO/.XO./....", WHITE)
    game.push("B3")
    with pytest.raises(IllegalMove, match=f"^{reason}$"):
        game.push(move)
    assert not game.is_legal(move)
    assert move not in game.legal_moves
    assert game.move_count == 1


def test_the_ko_rules_name_themselves():
    messages = []
    for rules in ("simple", "positional", "situational"):
        game = play(Game.from_diagram(KO, WHITE, rules=rules), "B3")
        with pytest.raises(IllegalMove) as caught:
            game.push("C3")
        messages.append(str(caught.value).partition(": ")[2])
    assert messages == [
        "it retakes the ko at once",
        "it repeats an earlier position (positional superko)",
        "it repeats an earlier position (situational superko)",
    ]


@pytest.mark.parametrize(
    ("diagram", "turn", "before", "move", "legal_under"),
    [
        (KO, WHITE, "B3", "C3", ""),
        (KO, WHITE, "B3 A1 D1", "C3", "positional situational simple tromp-taylor"),
        (KO, WHITE, "B3 pass pass", "C3", "simple"),
        (SEND_TWO_RETURN_ONE, WHITE, "A1 C1", "B1", "situational simple"),
        (SEND_TWO_RETURN_ONE, WHITE, "A1 C1 pass pass", "B1", "situational simple"),
        (SEND_TWO_RETURN_ONE, WHITE, "A1 pass", "pass", "positional situational simple tromp-taylor"),
        ("X.O/OO./...", BLACK, "", "B3", "tromp-taylor"),
        (".O./O../...", BLACK, "", "A3", ""),
    ],
)
def test_legality_by_rule_set(diagram, turn, before, move, legal_under):
    allowed = verdicts(diagram, turn, before, move)
    assert " ".join(name for name in allowed if allowed[name]) == legal_under


@pytest.mark.parametrize(("rules", "legal"), [("simple", True), ("situational", False)])
def test_situational_superko_forbids_the_second_round(rules, legal):
    assert play(Game.from_diagram(SEND_TWO_RETURN_ONE, WHITE, rules=rules), "A1 C1 B1 pass").is_legal("A1") is legal


@pytest.mark.parametrize(("superko", "legal"), [("positional", False), ("situational", True), ("simple", True)])
def test_suicide_of_a_single_stone(superko, legal):
    game = Game.from_diagram(".O./O../...", rules=Rules(superko, suicide=True))
    assert game.is_legal("A3") is legal
    if legal:
        game.push("A3")
        assert (game.stones(BLACK), game.turn) == ([], WHITE)


def test_a_ko_does_not_bind_a_player_out_of_turn():
    game = play(Game.from_diagram(KO, WHITE, rules="simple"), "B3")
    assert not game.is_legal("C3")
    game.push("A1", WHITE)
    assert game.is_legal("C3")


def test_rules_may_change_during_the_game():
    game = play(Game.from_diagram(SEND_TWO_RETURN_ONE, WHITE), "A1 C1")
    assert not game.is_legal("B1")
    game.rules = Rules.named("situational")
    assert game.is_legal("B1")


def test_the_legal_moves_are_a_view():
    game = Game.from_diagram(".O/O.", BLACK)
    moves = game.legal_moves
    assert list(moves) == [PASS]
    assert (len(moves), bool(moves), "pass" in moves, "A2" in moves) == (1, True, True, False)
    game.push("pass")
    assert repr(moves) == "<LegalMoves: B1 A2 pass>"
    game.push("resign")
    assert (len(moves), bool(moves), PASS in moves) == (0, False, False)


# --- the end of a game ------------------------------------------------------------------------------------------------


def test_two_passes_end_the_game_but_it_may_go_on():
    game = play(Game(9, komi=0.5), "E5 pass")
    assert (game.is_over(), game.result()) == (False, None)
    game.push("pass")
    assert (game.is_over(), game.result()) == (True, "B+80.5")
    game.push("A1")
    assert (game.is_over(), game.result()) == (False, None)


def test_two_passes_of_one_player_end_nothing():
    game = Game(9)
    game.push("pass", BLACK)
    game.push("pass", BLACK)
    assert not game.is_over()


def test_after_a_resignation_no_move_is_legal():
    game = play(Game(9), "E5")
    game.push("resign", "black")
    assert (game.is_over(), game.result(), game.moves[-1]) == (True, "W+R", (BLACK, RESIGN))
    with pytest.raises(IllegalMove, match="white A1 is illegal: the game is over, black has resigned"):
        game.push("A1", WHITE)
    game.pop()
    game.push("resign")
    assert game.result() == "B+R"


@pytest.mark.parametrize(
    ("komi", "result"), [(0, "B+4"), (3.5, "B+0.5"), (4, "0"), (4.5, "W+0.5"), (-3, "B+7"), (20000.5, "W+19996.5")]
)
def test_the_komi_decides(komi, result):
    game = Game.from_diagram(".XXO./XXXOO/XX.OO/XXXOO/XXXOO", komi=komi)
    assert format_score(game.score()) == result
    assert play(game, "pass pass").result() == result


@pytest.mark.parametrize("komi", [0.25, 6.3, float("nan"), float("inf"), -1e-9])
def test_only_halves_are_komi(komi):
    with pytest.raises(ValueError, match="is not a multiple of 1/2"):
        Game(9, komi=komi)
    game = Game(9, komi=5.5)
    with pytest.raises(ValueError, match="is not a multiple of 1/2"):
        game.komi = komi
    assert game.komi == 5.5


# --- starting positions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [-1, 0, 1, 20, 361])
def test_sizes_we_do_not_play(size):
    with pytest.raises(ValueError, match=f"board size {size} is not in 2-19"):
        Game(size)


def test_setup_starts_afresh():
    game = play(Game(5), "A1 B2")
    game.comments[2] = "gone"
    game.setup(["C3", "c4"], [parse_vertex("D3", 5)], "white")
    assert (game.move_count, game.turn, game.comments) == (0, WHITE, {})
    assert [vertex(p) for p in game.stones(BLACK)] == ["C3", "C4"]
    assert game.is_legal("A1")


@pytest.mark.parametrize(
    ("black", "white", "problem"),
    [
        ("A2 B1", "A1", "the chain at A1 has no liberty"),
        ("A1", "A2 B1", "the chain at A1 has no liberty"),
        ("A1 B1 A2", "B2 C1 A3", "the chain at A1 has no liberty"),
        ("A1 A1", "", "A1 is set up twice"),
        ("A1", "A1", "A1 is set up twice"),
        ("A1 pass", "", "pass is not a point"),
        ("A9", "", "A9 is off the 3x3 board"),
        ("A1 A2 A3 B1 B2 B3 C1 C2 C3", "", "the chain at A1 has no liberty"),
    ],
)
def test_setups_that_cannot_be(black, white, problem):
    game = play(Game(3), "B2")
    with pytest.raises(ValueError, match=f"^{problem}$"):
        game.setup(black.split(), white.split())
    assert game.move_count == 1


def test_the_setup_counts_as_a_position():
    game = play(Game.from_diagram(KO, WHITE), "B3")
    assert next(game.positions()) == (game.root().hash, WHITE)
    assert not game.is_legal("C3")


def test_handicap_stones_are_a_setup_with_white_to_play():
    game = Game(9)
    assert [vertex(p) for p in game.place_fixed_handicap(3)] == ["C3", "G7", "C7"]
    assert (game.turn, game.handicap, game.move_count) == (WHITE, 3, 0)
    for place in (game.place_fixed_handicap, game.place_free_handicap):
        with pytest.raises(ValueError, match="handicap stones need an empty board"):
            place(2)
    with pytest.raises(ValueError, match="handicap stones need an empty board"):
        game.set_free_handicap(["A1", "A2"])


def test_a_free_handicap_is_the_users_or_ours():
    game = Game(5)
    assert len(game.place_free_handicap(24)) == 24
    game = Game(9)
    assert game.set_free_handicap(["c3", "E5"]) == [parse_vertex("C3", 9), parse_vertex("E5", 9)]
    assert (game.turn, game.handicap) == (WHITE, 2)


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ("C3", "a free handicap on 9x9 has 2 to 80 stones, not 1"),
        ("", "a free handicap on 9x9 has 2 to 80 stones, not 0"),
        ("C3 E5 c3", "C3 is set up twice"),
        ("C3 pass", "pass is not a point"),
        ("C3 asdasd", "'asdasd' is not a vertex such as D4, nor pass"),
        ("C3 K1", "K1 is off the 9x9 board"),
    ],
)
def test_free_handicaps_that_cannot_be(points, problem):
    game = Game(9)
    with pytest.raises(ValueError, match=f"^{problem}$"):
        game.set_free_handicap(points.split())
    assert (game.stones(BLACK), game.handicap) == ([], 0)


# --- text -------------------------------------------------------------------------------------------------------------


def test_a_game_prints_its_board():
    game = play(Game(3), "A1 C3")
    assert str(game) == "   A B C\n 3 . . O 3\n 2 . . . 2\n 1 X . . 1\n   A B C"
    assert str(Game.from_diagram(str(game))) == str(game)
    assert repr(game) == "<Game 3x3, komi 7.5, positional, 2 moves, black to play>"
    assert repr(play(game, "pass pass")) == "<Game 3x3, komi 7.5, positional, 4 moves, W+7.5>"


@pytest.mark.parametrize(("text", "color"), [("b", BLACK), ("Black", BLACK), (" W ", WHITE), ("WHITE", WHITE)])
def test_colours_by_name(text, color):
    assert parse_color(text) == color


def test_rules_by_name():
    assert Rules.named("Tromp-Taylor") == Rules("positional", suicide=True)
    assert [str(Rules.named(name)) for name in RULE_SETS if name != "korean"] == [*RULE_SETS][:-1]
    assert Rules.named("korean") == Rules.named("japanese")
    assert list(RULES) == list(RULE_SETS), "the command line has them all"
    assert str(Rules("simple", suicide=True)) == "simple with suicide"
    assert str(Rules("simple", True, "territory", "N")) == "simple with suicide by territory, handicap bonus N"
    with pytest.raises(ValueError, match=r"rules must be one of positional, situational, .*, korean, not 'x'"):
        Game(9, rules="x")
    with pytest.raises(ValueError, match="superko must be one of positional, situational, simple, not 'none'"):
        Rules("none")


# --- against the naive board and known counts -------------------------------------------------------------------------


def test_a_game_turned_to_the_other_player() -> None:
    game = Game(9)
    game.push("E5")
    turned = game.turned_to("black")
    assert (turned.turn, game.turn) == (BLACK, WHITE)
    turned.push("E6")
    assert turned.moves[-1].color == BLACK
    assert game.move_count == 1


@given(st.integers(0, 10**9), st.integers(2, 5), st.sampled_from(SUPERKO), st.booleans())
def test_random_games_agree_with_the_naive_board(seed, size, superko, suicide):
    generator = random.Random(seed)
    game = Game(size, rules=Rules(superko, suicide))
    oracle = naive.NaiveBoard(size)
    for _ in range(generator.randint(1, 40)):
        legal = set(game.legal_moves)
        assert legal == oracle.legal_under(naive.Rules(superko, suicide))
        move = generator.choice(sorted(legal))
        game.push(move)
        oracle.play(move)
        assert {p: game.color_at(p) for p in oracle.points() if game.color_at(p)} == oracle.stones
        assert (game.turn, game.hash) == (oracle.to_play, oracle.hash(ZOBRIST))
        assert game.score() + game.komi == oracle.area_score()


@pytest.mark.parametrize(
    ("size", "rules", "counts"),
    [
        (2, "positional", [1, 5, 21, 68, 156, 316, 604, 1088, 2184, 4184]),
        (2, "tromp-taylor", [1, 5, 21, 68, 156, 316, 604, 1088, 2184, 4184]),
        (3, "positional", [1, 10, 91, 738, 5281, 33384]),
        (3, "tromp-taylor", [1, 10, 91, 738, 5281, 33384]),
        pytest.param(3, "positional", [1, 10, 91, 738, 5281, 33384, 179712], marks=pytest.mark.slow),
        pytest.param(3, "tromp-taylor", [1, 10, 91, 738, 5281, 33384, 180768], marks=pytest.mark.slow),
        (5, "positional", [1, 26, 651, 15650]),
        (19, "positional", [1, 362]),
    ],
)
def test_counts_of_move_sequences(size, rules, counts):
    """Published by K. Peeters (board-game-rs), confirmed by F. van Heusden (Dellabaduck)."""
    game = Game(size, rules=rules)
    assert [perft(game, depth) for depth in range(len(counts))] == counts
    assert game.move_count == 0
