"""Games in SGF files: what `read_game` makes of a tree, and what `write_game` makes of a game."""

import random
import re
import tracemalloc
from dataclasses import replace
from itertools import product

import pytest
import sgfmill.sgf
import sgfmill.sgf_moves
from hypothesis import given, strategies as st

from kikashi import sgf
from kikashi.board.points import BLACK, WHITE, column_of, row_of, vertex
from kikashi.game import Game
from kikashi.game.rules import BONUSES, RULE_SETS, SCORING, SUPERKO, Rules
from kikashi.sgf import SGFError
from kikashi.sgf.parser import first_game


def stones(game: Game) -> str:
    """Black's stones and White's, as in ``"A1 B2 / C3"``."""
    return " / ".join(" ".join(map(vertex, game.stones(color))) for color in (BLACK, WHITE))


def moves(game: Game) -> str:
    return " ".join(("b" if move.color == BLACK else "w") + move.name for move in game.moves)


# --- reading ----------------------------------------------------------------------------------------------------------


def test_the_main_line_is_the_game():
    game = sgf.read_game("(;SZ[9]KM[6.5];B[aa];W[bb](;B[cc];W[])(;B[dd]))")
    assert (game.size, game.komi, game.turn) == (9, 6.5, BLACK)
    assert moves(game) == "bA9 wB8 bC7 wpass"
    assert stones(game) == "C7 A9 / B8"
    game.pop()
    assert game.turn == WHITE


def test_reading_some_of_the_moves():
    text = "(;SZ[9];B[aa]C[one];C[and a half];W[bb]C[two];B[cc])"
    assert [moves(sgf.read_game(text, moves=number)) for number in (0, 1, 9)] == ["", "bA9", "bA9 wB8 bC7"]
    assert sgf.read_game(text, moves=1).comments == {1: "one\nand a half"}


def test_sources(tmp_path):
    text = "(;SZ[5];B[aa])"
    (tmp_path / "game.sgf").write_text(text)
    for source in (text, text.encode(), tmp_path / "game.sgf", sgf.parse(text)[0]):
        assert moves(sgf.read_game(source)) == "bA5"
    with pytest.raises(FileNotFoundError):
        sgf.read_game(tmp_path / "missing.sgf")


def test_a_game_of_too_many_nodes_is_not_read_to_its_end():
    assert len(list(first_game("(;;;)", max_nodes=3).walk())) == 3
    with pytest.raises(SGFError, match=r"line 1, column 5: a game tree has at most 3 nodes"):
        first_game("(;;;;[never closed", max_nodes=3)


def test_only_the_first_game_of_a_file_is_looked_at():
    assert sgf.read_game("(;SZ[9]) Thanks for the game (;-)").size == 9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(;SZ[5]AB[aa][bb]AW[ee])", "B4 A5 / E1"),
        ("(;SZ[5]AB[aa:bc]AW[ed:de])", "A3 B3 A4 B4 A5 B5 / D1 E1 D2 E2"),
        ("(;SZ[5]AB[aa:bc]AE[ab:bb]AW[])", "A3 B3 A5 B5 / "),
        ("(;SZ[5];AB[aa]PL[W];W[bb])", "A5 / B4"),
        ("(;SZ[5];B[aa];AE[aa]AW[ab];W[ba])", " / A4 B5"),
        ("(;SZ[5]AB[ab]AW[aa];B[ba])", "A4 B5 / "),
    ],
)
def test_setup_stones(text, expected):
    assert stones(sgf.read_game(text)) == expected


def test_setup_after_moves_starts_the_history_afresh():
    game = sgf.read_game("(;SZ[5]C[start];B[aa]C[one];AW[bb]C[edited];B[cc]C[two])")
    assert moves(game) == "bC3"
    assert game.comments == {0: "edited", 1: "two"}


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("(;SZ[5])", BLACK),
        ("(;SZ[5]PL[W])", WHITE),
        ("(;SZ[5]PL[white])", WHITE),
        ("(;SZ[5];PL[W])", WHITE),
        ("(;SZ[5]HA[2]AB[bb][dd])", WHITE),
        ("(;SZ[5]AB[bb][dd])", BLACK),
        ("(;SZ[5]HA[2]AB[bb][dd]PL[B])", BLACK),
        ("(;SZ[5];W[aa])", BLACK),
        ("(;SZ[5];B[aa];B[bb])", WHITE),
    ],
)
def test_whose_turn_it_is(text, turn):
    assert sgf.read_game(text).turn == turn


def test_the_player_of_the_first_move_begins():
    assert sgf.read_game("(;SZ[5];W[aa])", moves=0).turn == WHITE


@pytest.mark.parametrize(
    ("written", "komi"),
    [
        ("KM[6.5]", 6.5),
        ("KM[6,5]", 6.5),
        ("KM[ 7 ]", 7),
        ("KM[-.5]", -0.5),
        ("KM[6.50 points]", 6.5),
        ("KM[0.]", 0),
        ("KM[3.75]", 7.5),
        ("KM[375]", 7.5),
        ("KM[650]", 6.5),
        ("KM[]", 0),
        ("", 0),
    ],
)
def test_komi(written, komi):
    assert sgf.read_game(f"(;SZ[9]{written})").komi == komi


@pytest.mark.parametrize(("written", "size"), [("", 19), ("SZ[]", 19), ("SZ[ 13 ]", 13), ("SZ[9:9]", 9), ("SZ[2]", 2)])
def test_size(written, size):
    assert sgf.read_game(f"(;{written})").size == size


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ("", Rules("positional")),
        ("RU[unheard of]", Rules("positional")),
        ("RU[Chinese]", Rules("positional", bonus="N")),
        ("RU[japanese]", Rules("simple", scoring="territory")),
        ("RU[AGA]", Rules("situational", bonus="N-1")),
        ("RU[NZ]", Rules("situational", suicide=True)),
        ("RU[Tromp-Taylor]", Rules("positional", suicide=True)),
        ("RU[tromp_taylor]", Rules("positional", suicide=True)),
        ("RU[TT]", Rules("positional", suicide=True)),
        ("RU[New-Zealand]", Rules("situational", suicide=True)),
        ("RU[chinese-kgs]", Rules("positional", bonus="N")),
        ("RU[Simple ko]", Rules("simple")),
        ("RU[Simple ko with suicide]", Rules("simple", suicide=True)),
        ("RU[koSIMPLEscoreTERRITORYtaxSEKIsui0whbN-1]", Rules("simple", scoring="territory", bonus="N-1")),
        ("RU[koSIMPLEscoreAREAtaxALLsui0]", Rules("positional")),
    ],
)
def test_rules(written, rules):
    assert sgf.read_game(f"(;{written})").rules == rules
    assert sgf.read_game(f"(;{written})", rules="simple").rules == Rules("simple")


def test_headers_handicap_and_comments():
    game = sgf.read_game("(;SZ[9]HA[2]AB[cg][gc]PB[Shu\\]saku]RE[W+R]C[a\nb]XX[?];W[ee]C[c\\\nd])")
    assert game.headers == {"PB": "Shu]saku", "RE": "W+R"}
    assert game.handicap == 2
    assert game.comments == {0: "a\nb", 1: "cd"}
    assert not game.is_over()


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("(;GM[2])", "line 1, column 2", "GM says '2', and Go is 1"),
        ("(;SZ[20])", "line 1, column 2", "board size 20 is not in 2-19"),
        ("(;SZ[9:13])", "line 1, column 2", "SZ says '9:13', which is not the size of a square board"),
        ("(;SZ[-9])", "line 1, column 2", "SZ says '-9'"),
        ("(;KM[6.3])", "line 1, column 2", "komi 6.3 is not a multiple of 1/2"),
        ("(;KM[much])", "line 1, column 2", "KM says 'much', which is not a number"),
        ("(;SZ[9]PL[x])", "line 1, column 2", "a colour is black or white, not 'x'"),
        ("(;SZ[9]\n;B[aa]\n;W[aa])", "line 3, column 1", "move 2: white A9 is illegal: the point is occupied"),
        ("(;SZ[9];B[jj])", "line 1, column 8", "move 1: point 'jj' is off the 9x9 board"),
        ("(;SZ[9];B[a])", "line 1, column 8", "move 1: 'a' is not a point such as 'dd'"),
        ("(;SZ[9];B[A\nA])", "line 1, column 8", "move 1: 'A\\nA' is not a point such as 'dd'"),
        ("(;SZ[9];B[aa][bb])", "line 1, column 8", "property B has 2 values; a move has one"),
        ("(;SZ[9]AB[aa:])", "line 1, column 2", "'aa:' is not a point such as 'dd', nor a rectangle"),
        ("(;SZ[9]AB[tt])", "line 1, column 2", "'tt' is not a point"),
        ("(;SZ[9]AB[aa:bb:cc])", "line 1, column 2", "'aa:bb:cc' is not a point"),
        ("(;SZ[9];AB[ab][ba]AW[aa])", "line 1, column 8", "the chain at A9 has no liberty"),
        ("(;SZ[9]AB[ab][ba];W[aa])", "line 1, column 18", "move 1: white A9 is illegal: it is suicide"),
    ],
)
def test_an_error_has_place_and_problem(text, place, problem):
    with pytest.raises(SGFError) as caught:
        sgf.read_game(text)
    assert str(caught.value).startswith(f"{place}: {problem}")


# --- writing ----------------------------------------------------------------------------------------------------------


def test_writing_a_game():
    game = Game(9, komi=6.5)
    game.place_fixed_handicap(2)
    game.headers = {"PB": "Black ]", "PW": "White"}
    game.comments = {0: "start", 2: "a\\b"}
    for move in ("E5", "A1", "pass"):
        game.push(move)
    game.push("resign")
    assert sgf.write_game(game) == (
        "(;FF[4]GM[1]CA[UTF-8]AP[kikashi]SZ[9]KM[6.5]HA[2]PB[Black \\]]PW[White]RU[koPOSITIONALscoreAREAtaxNONEsui0]"
        "RE[W+R]"
        "AB[cg][gc]PL[W]C[start]\n;W[ee];B[ai]C[a\\\\b];W[])\n"
    )


@pytest.mark.parametrize("superko", SUPERKO)
@pytest.mark.parametrize("suicide", [False, True])
def test_every_rule_set_survives(superko, suicide):
    """The bonus for a handicap only where there is one."""
    for scoring, bonus in product(SCORING, BONUSES):
        game = Game(9, rules=Rules(superko, suicide, scoring, bonus))
        again = sgf.read_game(sgf.write_game(game))
        assert replace(again.rules, bonus=bonus) == game.rules
        game.place_fixed_handicap(3)
        assert sgf.read_game(sgf.write_game(game)).rules == game.rules


def test_without_a_handicap_the_rules_have_the_name_that_programs_know():
    names = [sgf.write_game(Game(9, rules=name)).partition("RU[")[2].partition("]")[0] for name in RULE_SETS]
    simple = "koSIMPLEscoreAREAtaxNONEsui0"  # KataGo's text: no name for these rules is known everywhere
    expected = ["Chinese", "AGA", simple, "Tromp-Taylor", "Chinese", "AGA", "NZ", "Japanese", "Japanese"]
    assert names == expected


def test_a_name_of_the_rules_that_means_the_same_is_kept():
    game = sgf.read_game("(;RU[japanese]RE[?])")
    assert "RE[?]RU[japanese]" in sgf.write_game(game)
    game.rules = Rules.named("situational")
    assert "RU[AGA]" in sgf.write_game(game)


@pytest.mark.parametrize("result", ["B+R", "W+T", "B+13.50", "Void", "0", ""])
def test_a_recorded_result_stays_until_the_game_is_played_on(result):
    game = sgf.read_game(f"(;SZ[5]KM[0.5]RE[{result}];B[cc];W[];B[])")
    assert game.result() == "B+24.5"
    assert f"RE[{result}]" in sgf.write_game(game)
    game.push("A1")
    assert "RE[" not in sgf.write_game(game)
    game.push("resign")
    assert f"RE[{'W+R' if game.turn == BLACK else 'B+R'}]" in sgf.write_game(game)


def test_nobody_has_counted_a_game_that_ends_in_two_passes():
    game = Game(5)
    for move in ("C3", "A1", "pass", "pass"):
        game.push(move)
    assert "RE[" not in sgf.write_game(game)
    game.headers["RE"] = "B+17.5"
    assert "RE[B+17.5]" in sgf.write_game(game)
    game.setup(["C3"], [])
    assert "RE[" not in sgf.write_game(game)


def random_game(seed: int) -> Game:
    """A game with setup stones, captures, passes, moves out of turn, headers and comments."""
    generator = random.Random(seed)
    game = Game(generator.randint(2, 9), generator.randint(-9, 9) / 2, generator.choice(["positional", "tromp-taylor"]))
    if generator.random() < 0.5:
        game.setup(["A1"], ["B2"], generator.choice([BLACK, WHITE]))
    for number in range(generator.randint(0, 60)):
        color = generator.choice([BLACK, WHITE])
        point = generator.choice(list(game.legal_moves))
        game.push(point if game.is_legal(point, color) else "pass", color)
        if generator.random() < 0.1:
            game.comments[number + 1] = f"move {number + 1} [sic\\]"
    game.headers["EV"] = "a test"
    return game


@given(st.integers(0, 10**9))
def test_a_game_survives_its_file(seed):
    game = random_game(seed)
    again = sgf.read_game(sgf.write_game(game).encode())
    assert again.moves == game.moves
    assert (again.size, again.komi, again.comments) == (game.size, game.komi, game.comments)
    assert (again.rules.superko, again.rules.suicide) == (game.rules.superko, game.rules.suicide)
    assert list(again.positions()) == list(game.positions())
    assert game.headers.items() <= again.headers.items()


@pytest.mark.thorough
@given(st.integers(0, 10**9))
def test_sgfmill_sees_the_same_game(seed):
    game = random_game(seed)
    theirs = sgfmill.sgf.Sgf_game.from_string(sgf.write_game(game))
    assert (theirs.get_size(), theirs.get_komi()) == (game.size, game.komi)
    board, plays = sgfmill.sgf_moves.get_setup_and_moves(theirs)
    assert len(plays) == game.move_count
    for color, spot in plays:
        if spot is not None:
            board.play(*spot, color)
    expected = {BLACK: "b", WHITE: "w"}
    for color in (BLACK, WHITE):
        for p in game.stones(color):
            assert board.get(row_of(p) - 1, column_of(p) - 1) == expected[color]
    assert len(board.list_occupied_points()) == len(game.stones(BLACK)) + len(game.stones(WHITE))


# --- old and vague records --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("written", "turn"), [("1", BLACK), ("2", WHITE), ("B", BLACK), ("white", WHITE)])
def test_whose_turn_it_is_in_old_and_new_words(written: str, turn: int) -> None:
    assert sgf.read_game(f"(;SZ[5]AB[aa]AW[bb]PL[{written}])").turn == turn


REPEATS = "(;SZ[2]{};B[ab];W[bb];B[aa];W[ba];B[ab];W[aa];B[ab])"


def test_a_record_without_rules_is_not_refused_for_superko() -> None:
    """The same stones again after a longer cycle: a record that names rules with superko is wrong, another is not."""
    doubts: list[str] = []
    with pytest.raises(sgf.SGFError, match="superko"):
        sgf.read_game(REPEATS.format("RU[Chinese]"))
    game = sgf.read_game(REPEATS.format(""), doubt=doubts.append)
    assert (game.move_count, game.rules.superko) == (7, "simple")
    assert len(doubts) == 1
    assert "names no rules" in doubts[0]
    with pytest.raises(sgf.SGFError, match="superko"):
        sgf.read_game(REPEATS.format(""), rules="positional")


def test_a_record_without_rules_that_needs_none_is_read_by_superko() -> None:
    doubts: list[str] = []
    assert sgf.read_game("(;SZ[5];B[cc];W[cd])", doubt=doubts.append).rules.superko == "positional"
    assert doubts == []
    with pytest.raises(sgf.SGFError, match="move 2"):
        sgf.read_game("(;SZ[5];B[cc];W[cc])")


# --- large files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", ["some words, and a line\n", r"a \] and a \\ ", "\r\n\r\n", "\t\\\r\n", "囲碁 "])
def test_a_long_comment_needs_memory_in_proportion(piece: str) -> None:
    """A few copies of the text, not many times it: no list of its words, no call for each of its blanks."""
    size = 1_000_000
    data = f"(;SZ[5]C[{piece * (size // len(piece))}];B[cc])".encode()
    tracemalloc.start()
    try:
        game = sgf.read_game(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert game.comments[0].startswith(sgf.unescape(piece)[:3])
    assert peak < 8 * len(data)


def slow_unescape(value: str) -> str:
    """From the text of the standard, character by character."""
    text, rest = "", value
    while rest:
        escaped, rest = (True, rest[1:]) if rest[0] == "\\" and len(rest) > 1 else (False, rest)
        line_break = re.match(r"\r\n|\n\r|\r|\n", rest)
        if line_break:
            text += "" if escaped else "\n"
        else:
            text += " " if rest[0].isspace() else rest[0]
        rest = rest[line_break.end() if line_break else 1 :]
    return text


@given(st.text(st.sampled_from("\\\r\n] a\t\x0b\xa0\x01\x02\u3000碁"), max_size=12))
def test_plain_text_by_the_standard(value: str) -> None:
    assert sgf.unescape(value) == slow_unescape(value)
