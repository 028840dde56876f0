"""Reviews of games: what a walk finds, mistakes, the annotated record, the drawings."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sgfmill.sgf
import sgfmill.sgf_moves
from rich.text import Text

from kikashi import Game, sgf
from kikashi.board.points import BLACK, WHITE, parse_vertex, points_of, vertex
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.review import graph
from kikashi.review.annotation import annotated
from kikashi.review.review import (
    Evaluation,
    MoveReview,
    Review,
    check_outputs,
    describe,
    mistake_lines,
    summarise,
    walk,
)
from kikashi.search.analysis import Analysis
from kikashi.sgf.parser import first_game


def player(preset: str = "mogo-2006", simulations: int = 100, seed: int = 1) -> Player:
    return Player(preset, limit=Limit(simulations), seed=seed, megabytes=16)


@cache
def some_analysis() -> Analysis:
    return player(simulations=1).analyse(Game(2))


class Oracle(Player):
    """A player that has Black's win rates and the best lines by heart, and remembers what it was asked."""

    def __init__(self, winrates: Sequence[float], lines: Sequence[str] = (), visits: int = 10_000) -> None:
        super().__init__("mogo-2006")
        self.winrates, self.lines, self.visits = list(winrates), list(lines), visits
        self.asked: list[tuple[int, int]] = []

    def analyse(self, game: Game, **_: object) -> Analysis:
        number = len(self.asked)
        self.asked.append((game.move_count, game.turn))
        black = self.winrates[number]
        rate, score = (black, 10 * black - 5) if game.turn == BLACK else (1 - black, 5 - 10 * black)
        names = self.lines[number] if number < len(self.lines) else ""
        line = tuple(parse_vertex(name, game.size) for name in (names or "pass").split())
        known = {"visits": self.visits, "winrate": rate, "score": score}
        best = replace(some_analysis().moves[0], move=line[0], variation=line, **known)
        return replace(some_analysis(), to_play=game.turn, moves=(best,), **known)


def reviewed(by: Player, game: Game) -> Review:
    return summarise(by, game, walk(by, game))


def game_of(moves: str, size: int = 5, komi: float = 7.5) -> Game:
    game = Game(size, komi)
    for move in moves.split():
        game.push(move)
    return game


# --- the walk ---------------------------------------------------------------------------------------------------------


def test_every_position_is_searched_once_and_shared_by_its_neighbours() -> None:
    oracle = Oracle([0.5, 0.4, 0.6, 0.55])
    review = reviewed(oracle, game_of("C3 C2 D2"))
    assert oracle.asked == [(0, BLACK), (1, WHITE), (2, BLACK), (3, WHITE)]
    assert [e.winrate for e in review.evaluations] == pytest.approx([0.5, 0.4, 0.6, 0.55])
    assert [e.score for e in review.evaluations] == pytest.approx([0, -1, 1, 0.5])
    assert [m.loss for m in review.moves] == pytest.approx([0.1, 0.2, 0.05])
    assert [(m.number, m.color, m.move) for m in review.moves] == [(1, BLACK, "C3"), (2, WHITE, "C2"), (3, BLACK, "D2")]
    assert all(one.after == two.before for one, two in pairwise(review.moves))


def test_a_real_review_is_the_same_for_the_same_seed() -> None:
    game = game_of("C3 C2 D2 B2 pass B3 B4")
    before = (game.moves, game.hash)
    one, two = (reviewed(player(seed=3), game) for _ in range(2))
    assert one == two != reviewed(player(seed=4), game)
    assert (game.moves, game.hash) == before
    assert [move.move for move in one.moves] == ["C3", "C2", "D2", "B2", "pass", "B3", "B4"]
    assert all(0 <= e.winrate <= 1 and e.visits >= 100 for e in one.evaluations)


STANDING = """
X . X . X
X X X X X
O O O O O
O O O O O
. O . O .
"""


@pytest.mark.parametrize("preset", ["kikashi", "crazystone-2006"])
def test_a_decided_game_is_seen_as_such_from_both_sides(preset: str) -> None:
    """Also by a program that counts points and knows no win rate, and by one for which points add to a win."""
    game = Game.from_diagram(STANDING, "black", komi=3.5)
    game.push("pass")
    game.push("A1")
    review = reviewed(player(preset, 200), game)
    assert all(e.winrate < 0.2 and e.score < 0 for e in review.evaluations), review.evaluations
    game.komi = -10.5
    review = reviewed(player(preset, 200), game)
    assert all(0.8 < e.winrate <= 1 and e.score > 0 for e in review.evaluations), review.evaluations


def test_a_blunder_is_found_with_the_move_that_was_missed() -> None:
    """White's room is three points in a row: B5 makes two eyes of it, and Black's B5 none."""
    game = Game.from_diagram(
        """
        . . . O X
        O O O O X
        X X X X X
        X X X X X
        . X . X .
        """,
        "white",
        komi=15.5,
    )
    game.push("pass")
    game.push("B5")
    review = reviewed(player("kikashi", 300), game)
    (mistake,) = review.mistakes()
    assert (mistake.number, mistake.color, mistake.best, mistake.grade) == (1, WHITE, "B5", "very bad")


def test_passes_that_end_the_game_change_nothing_and_are_not_searched() -> None:
    oracle = Oracle([0.5, 0.4, 0.7], ["", "", "A1"])
    review = reviewed(oracle, game_of("C3 C2 pass pass"))
    assert len(oracle.asked) == 3
    assert [e.winrate for e in review.evaluations] == pytest.approx([0.5, 0.4, 0.7, 0.7, 0.7])
    assert [move.loss for move in review.moves[2:]] == [0, 0]
    assert [move.best for move in review.moves[2:]] == ["A1", "pass"]
    assert (review.total, review.result) == (4, "W+7.5")


def test_the_result_is_the_one_of_the_record() -> None:
    game = game_of("C3 C2 pass pass")
    game.headers["RE"] = "B+T"
    assert reviewed(Oracle([0.5, 0.4, 0.7], ["", "", "A1"]), game).result == "B+T"


def test_other_passes_are_moves_like_any() -> None:
    review = reviewed(Oracle([0.5, 0.2, 0.2, 0.1], ["C3"]), game_of("pass C3 pass"))
    assert [move.move for move in review.mistakes()] == ["pass"]


def test_a_resignation_is_the_result_and_no_move() -> None:
    oracle = Oracle([0.5, 0.4, 0.1])
    review = reviewed(oracle, game_of("C3 C2 resign"))
    assert [move.move for move in review.moves] == ["C3", "C2"]
    assert (review.result, review.total, len(oracle.asked)) == ("W+R", 2, 3)


def test_handicap_komi_and_rules_are_those_of_the_file() -> None:
    game = sgf.read_game("(;SZ[9]KM[0.5]HA[2]RU[AGA]PB[A]PW[B]RE[B+4]AB[gc][cg];W[ee];B[cc])")
    oracle = Oracle([0.9, 0.9, 0.9])
    review = reviewed(oracle, game)
    assert oracle.asked[0] == (0, WHITE)
    assert (review.size, review.komi, review.rules, review.handicap) == (9, 0.5, "aga", 2)
    assert review.title == "A – B, B+4"


def test_a_player_who_moves_twice_is_to_play_in_both_searches() -> None:
    oracle = Oracle([0.5, 0.5, 0.5, 0.5])
    reviewed(oracle, sgf.read_game("(;SZ[5];B[cc];B[bb];W[dd])"))
    assert [turn for _number, turn in oracle.asked] == [BLACK, BLACK, WHITE, BLACK]


def test_the_walk_can_be_stopped_at_any_move() -> None:
    oracle, game = Oracle([0.5] * 9), game_of("C3 C2 D2 B2")
    steps = walk(oracle, game)
    review = summarise(oracle, game, islice(steps, 2))
    assert (len(review.moves), review.total, len(oracle.asked)) == (2, 4, 3)
    tree = annotated(review, sgf.game_tree(game))
    assert [("C" in node.properties) for node in tree.main_line()] == [True, True, True, False, False]
    assert "the first 2 of 4 moves" in graph.as_svg(review)
    assert "the first 2 of 4 moves" in graph.as_text(review).plain


@pytest.mark.parametrize("size", [2, 19])
def test_the_smallest_and_the_largest_board(size: int) -> None:
    review = reviewed(player(simulations=20), game_of(f"A1 {vertex(points_of(size)[-1])}", size))
    assert len(review.moves) == 2
    ElementTree.fromstring(graph.as_svg(review))


def test_a_line_ends_before_a_move_that_the_rules_forbid() -> None:
    review = reviewed(Oracle([0.5, 0.1], ["B2 C3 C3 A1"]), game_of("A1"))
    assert review.moves[0].line == ("B2", "C3")
    review = reviewed(Oracle([0.5, 0.1], ["pass pass A1"]), game_of("A1"))
    assert review.moves[0].line == ("pass", "pass")


def test_a_game_without_moves_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no move"):
        walk(player(), Game(5))
    with pytest.raises(ValueError, match="no move"):
        walk(player(), game_of("resign"))
    with pytest.raises(ValueError, match="no move was reviewed"):
        summarise(player(), game_of("C3"), ())
    review = reviewed(Oracle([0.5] * 3), game_of("C3 C2"))
    with pytest.raises(ValueError, match="a tree of 1 move "):
        annotated(review, sgf.game_tree(game_of("C3")))


# --- mistakes ---------------------------------------------------------------------------------------------------------


def move_from(before: float, after: float, color: int = BLACK, best: str = "E5", visits: int = 10_000) -> MoveReview:
    evaluations = (Evaluation(rate, 0.0, visits) for rate in (before, after))
    return MoveReview(7, color, "D4", *evaluations, best, (best, "C3"))


GRADES = {
    "nothing lost": (move_from(0.5, 0.5), None),
    "a little": (move_from(0.5, 0.46), None),
    "doubtful": (move_from(0.5, 0.44), "doubtful"),
    "bad": (move_from(0.5, 0.39), "bad"),
    "very bad": (move_from(0.5, 0.29), "very bad"),
    "won for the other": (move_from(0.5, 0.29, WHITE), None),
    "lost by White": (move_from(0.5, 0.71, WHITE), "very bad"),
    "the move the search would play": (move_from(0.5, 0.29, best="D4"), None),
    "within chance": (move_from(0.5, 0.39, visits=100), None),
    "beyond chance": (move_from(0.5, 0.39, visits=200), "bad"),
}


@pytest.mark.parametrize("name", GRADES)
def test_grades(name: str) -> None:
    move, grade = GRADES[name]
    assert move.grade == grade


def test_mistakes_come_by_size_and_are_listed_as_the_game_went() -> None:
    review = reviewed(Oracle([0.5, 0.4, 0.6, 0.55, 0.9], ["A1"] * 5), game_of("C3 C2 D2 B2"))
    assert [move.number for move in review.mistakes()] == [4, 2, 1]
    assert [move.number for move in review.mistakes(2)] == [4, 2]
    assert [line.split()[:5] for line in mistake_lines(review, 2).splitlines()] == [
        ["2", "White", "C2", "lost", "20%"],
        ["4", "White", "B2", "lost", "35%"],
    ]
    assert mistake_lines(reviewed(Oracle([0.5, 0.5]), game_of("C3"))) == "no mistake that the search is sure of"


def test_descriptions() -> None:
    assert describe(move_from(0.5, 0.5)) == "Black 50%, even"
    assert describe(move_from(0.5, 0.29)) == (
        "Black 29%, even: very bad, Black lost 21%\nbetter: E5 C3 (Black 50%, even)"
    )


def test_json_has_everything() -> None:
    review = reviewed(Oracle([0.5, 0.25, 0.25], ["A1 B2"]), game_of("C3 C2"))
    data = json.loads(json.dumps(review.as_json()))
    assert (data["size"], data["total"], data["komi"]) == (5, 2, 7.5)
    assert data["moves"][0] == {
        "number": 1,
        "color": "black",
        "move": "C3",
        "before": {"winrate": 0.5, "score": 0.0, "visits": 10_000},
        "after": {"winrate": 0.25, "score": -2.5, "visits": 10_000},
        "best": "A1",
        "line": ["A1", "B2"],
        "loss": 0.25,
        "grade": "very bad",
    }


# --- SGF --------------------------------------------------------------------------------------------------------------

RECORD = (
    r"(;FF[4]AP[Other:1.0]GN[A \] game]SZ[5]KM[6.5]HA[2]AB[bb][db]PL[W]PB[Ann]PW[Bob]RE[W+R]C[before]"
    r";W[cc]C[back\\slash \]]WL[55]TR[aa](;B[cb]TE[1];W[])(;B[ee];W[aa]))"
)
LINES = ["", "D2 D3 pass C4", "B1 A1"]


def annotated_record() -> tuple[Review, sgf.Node, str]:
    root = first_game(RECORD)
    review = reviewed(Oracle([0.6, 0.6, 0.3, 0.37], LINES), sgf.read_game(root))
    return review, root, sgf.dump([annotated(review, root)])


def test_the_annotated_record_is_the_same_game() -> None:
    _review, root, text = annotated_record()
    before, after = sgf.read_game(RECORD), sgf.read_game(text)
    assert (after.moves, after.komi, after.handicap, after.headers, after.hash) == (
        *(before.moves, before.komi, before.handicap, before.headers),
        before.hash,
    )
    assert sgf.dump([root]) == sgf.dump([first_game(RECORD)]), "the tree it was made from has changed"
    again = first_game(text)
    assert sgf.dump([again]) == text
    assert [again.text(name) for name in ("AP", "GN")] == ["Other:1.0", "A ] game"]


def test_comments_marks_and_the_better_line() -> None:
    _review, _root, text = annotated_record()
    root, white, black, last = first_game(text).main_line()
    assert root.text("C") == "before\n\nBlack 60%, B+1\nreviewed by mogo-2006, 2,000 simulations a position"
    assert white.text("C") == "back\\slash ]\n\nBlack 60%, B+1"
    assert (white.properties["WL"], white.properties["TR"], white.properties["SBKV"]) == (["55"], ["aa"], ["60.00"])
    assert black.text("C") == ("Black 30%, W+2: very bad, Black lost 30%\nbetter: D2 D3 pass C4 (Black 60%, B+1)")
    assert (black.properties["BM"], black.properties["TR"]) == (["2"], ["dd"])
    assert "TE" not in black.properties, "a move is not both good and bad"
    assert (last.properties["DO"], last.properties["TR"]) == ([""], ["be"])
    _played, better = white.children
    assert [dict(islice(n.properties.items(), 1)) for n in better.main_line()] == [
        *({"B": ["dd"]}, {"W": ["dc"]}, {"B": [""]}, {"W": ["cb"]})
    ]
    assert better.text("C") == "better than C4: Black 60%, B+1"


def test_another_reader_sees_the_same() -> None:
    _review, _root, text = annotated_record()
    other = sgfmill.sgf.Sgf_game.from_string(text)
    main = [node.get_move() for node in other.get_main_sequence() if node.get_move()[0]]
    assert main == [("w", (2, 2)), ("b", (3, 2)), ("w", None)]
    mistake = other.get_main_sequence()[2]
    assert (mistake.get("BM"), mistake.get("TR")) == (2, {(1, 3)})
    better = other.get_main_sequence()[1][1]
    board, plays = sgfmill.sgf_moves.get_setup_and_moves(other)
    for color, where in [*plays[:1], *(node.get_move() for node in other.get_main_sequence_below(better))]:
        if where is not None:
            board.play(*where, color)
    assert (better.get_move(), other.get_root().get("GN")) == (("b", (1, 3)), "A ] game")


def test_the_number_of_marked_mistakes_is_limited() -> None:
    review, root, _text = annotated_record()
    marked = annotated(review, root, mistakes=1)
    assert [sorted({"BM", "DO"} & node.properties.keys()) for node in marked.walk() if node.parent] == [
        *([], ["BM"], [], [], [], [], [])
    ]


def test_a_better_pass_needs_no_triangle_and_a_marked_point_no_second_mark() -> None:
    root = first_game("(;SZ[5];B[cc]SQ[dd];W[bb]MA[aa])")
    review = reviewed(Oracle([0.9, 0.5, 0.7], ["D2 C2", "pass A1"]), sgf.read_game(root))
    _start, first, second = annotated(review, root).main_line()
    assert "TR" not in first.properties
    assert "BM" in first.properties
    assert "TR" not in second.properties
    assert "BM" in second.properties


TWO_IN_ONE = "(;SZ[5]B[cc]KM[3.5];W[bb]B[bc]C[both];W[dd])"
SETUP_BETWEEN = "(;SZ[5];B[cc];W[bb];AB[aa]AW[ee]PL[B];B[dd];W[dc])"


def test_moves_in_the_root_and_two_in_a_node_get_nodes_of_their_own() -> None:
    root = first_game(TWO_IN_ONE)
    game = sgf.read_game(root)
    review = reviewed(Oracle([0.5] * 3 + [0.2, 0.2], ["", "", "A1"]), game)
    tree = annotated(review, root)
    assert sgf.read_game(tree).moves == game.moves
    assert sgf.read_game(tree).komi == 3.5
    names = [sorted({"B", "W"} & node.properties.keys()) for node in tree.main_line()]
    assert names == [[], ["B"], ["W"], ["B"], ["W"]]
    assert list(tree.main_line())[3].text("C") == "both\n\n" + describe(review.moves[2])
    sgfmill.sgf.Sgf_game.from_string(sgf.dump([tree]))


def test_setup_stones_between_moves_begin_the_review() -> None:
    root = first_game(SETUP_BETWEEN)
    review = reviewed(Oracle([0.5, 0.2, 0.2], ["A1"]), sgf.read_game(root))
    tree = annotated(review, root)
    assert [move.move for move in review.moves] == ["D2", "D3"]
    assert ["C" in node.properties for node in tree.main_line()] == [False, False, False, True, True, True]
    assert str(sgf.read_game(tree)) == str(sgf.read_game(root))


# --- files ------------------------------------------------------------------------------------------------------------


def test_files_that_cannot_be_written_are_refused_before_the_work(tmp_path: Path) -> None:
    game = tmp_path / "game.sgf"
    game.write_text(RECORD)
    check_outputs(game, [tmp_path / "a.sgf", tmp_path / "a.svg"])
    assert [file.name for file in tmp_path.iterdir()] == ["game.sgf"]
    with pytest.raises(OSError, match="no folder"):
        check_outputs(game, [tmp_path / "nowhere" / "a.sgf"])
    with pytest.raises(OSError, match="is a folder"):
        check_outputs(game, [tmp_path])
    with pytest.raises(ValueError, match="the game itself"):
        check_outputs(game, [tmp_path / "." / "game.sgf"])
    with pytest.raises(ValueError, match="two files"):
        check_outputs(game, [tmp_path / "a", tmp_path / "a"])


# --- drawings ---------------------------------------------------------------------------------------------------------


def course(winrates: Sequence[float], **changes: object) -> Review:
    """A review with these win rates, White's and Black's moves all mistakes if they lose."""
    evaluations = [Evaluation(rate, 40 * rate - 20, 10_000) for rate in winrates]
    moves = [
        MoveReview(i, BLACK if i % 2 else WHITE, "D4", before, after, "E5", ("E5", "C3"))
        for i, (before, after) in enumerate(pairwise(evaluations), start=1)
    ]
    review = Review(
        "Ann", "Bob", "B+2", 9, 7.5, "simple", 0, "kikashi, 10 simulations a position", len(moves), tuple(moves)
    )
    return replace(review, **changes)


WAVE = [0.5 + 0.4 * ((i * 7919 % 13) / 12 - 0.5) for i in range(60)]


@pytest.mark.parametrize(("width", "height"), [(80, 20), (120, 31), (30, 12), (200, 60)])
@pytest.mark.parametrize("moves", [1, 2, 7, 59, 400])
def test_the_terminal_graph_fills_its_room_and_no_more(width: int, height: int, moves: int) -> None:
    picture = graph.as_text(course((WAVE * 8)[: moves + 1]), width, height)
    lines = picture.plain.split("\n")
    assert isinstance(picture, Text)
    assert len(lines) == height
    assert max(map(len, lines[1:])) == width - 1
    assert lines[0].startswith("Ann – Bob, B+2")


def test_the_terminal_graph_shows_the_leader_and_the_turning_point() -> None:
    review = course([1.0] * 31 + [0.0] * 30)
    lines = graph.as_text(review, 80, 20).plain.split("\n")
    upper = [line[8:] for line in lines[1:12]]
    assert all(row[:30].strip("█╌") == "" for row in upper)
    assert all(row[-30:].strip(" ╌") == "" for row in upper)
    (mistake,) = review.mistakes()
    assert mistake.number == 31
    place = lines[12].index("▲")
    assert lines[13][place - 1 : place + 1] == "31"


def test_a_mistake_of_white_is_where_black_gains() -> None:
    lines = graph.as_text(course([0.2] * 10 + [0.9] * 10), 80, 20).plain.split("\n")
    assert ("△" in lines[12], "▲" in lines[12]) == (True, False)


def test_the_svg_is_xml_with_title_mistakes_and_tooltips() -> None:
    review = course(WAVE, black='A < B & "C"')
    root = ElementTree.fromstring(graph.as_svg(review, mistakes=4))
    texts = ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert 'A < B & "C" – Bob, B+2' in texts
    for move in review.mistakes(4):
        assert f"{move.number} D4 −{move.loss:.0%}" in texts
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) == 1 + len(review.moves)
    assert titles[1] == f"1 Black D4: {review.moves[0].after}"


def test_labels_of_mistakes_do_not_touch() -> None:
    root = ElementTree.fromstring(graph.as_svg(course([0.9, 0.1] * 30), mistakes=12))
    marks = [text for text in root.iter("{http://www.w3.org/2000/svg}text") if text.get("class") == "mark"]
    places = [(float(mark.attrib["x"]), float(mark.attrib["y"])) for mark in marks]
    assert len(places) == 12
    for i, (x, y) in enumerate(places):
        assert all(abs(y - other_y) >= 15 or abs(x - other_x) >= 75 for other_x, other_y in places[i + 1 :])


def test_names_that_no_picture_can_show_are_cleaned() -> None:
    game = game_of("C3")
    game.headers = {"PB": "A\x00\x1b[31m", "PW": ""}
    review = reviewed(Oracle([0.5, 0.5]), game)
    assert (review.black, review.white) == ("A[31m", "White")
    ElementTree.fromstring(graph.as_svg(review))
