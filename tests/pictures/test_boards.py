"""Boards as SVG: every stone, mark and candidate at its place and in its colour; what games and analyses show."""

import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest

from kikashi import Game, Limit, Player
from kikashi.board.points import BLACK, EMPTY, PASS, WHITE, parse_vertex, points_of
from kikashi.engine.move_choice import Decision
from kikashi.game import RESIGN
from kikashi.pictures import boards as drawing
from kikashi.pictures.boards import BEST, CELL, OTHERS, STONES, Candidate, draw_board
from kikashi.search.analysis import SHOWN_MOVES, Analysis, MoveStatistics

SVG = "{http://www.w3.org/2000/svg}"
DIAGRAM = "..../.XO./.X../...."
SIZE = 4
WORDS = "<b>&\"'"


def p(name: str) -> int:
    return parse_vertex(name, 19)


def stones() -> list[int]:
    game = Game.from_diagram(DIAGRAM)
    return [game.color_at(each) for each in points_of(SIZE)]


def drawn(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def place(name: str, size: int = SIZE) -> tuple[float, float]:
    """Where a point is on a small board: the letter from the left, the number from below."""
    return CELL * ("ABCDEFGHJ".index(name[0]) + 1.0), CELL * (size + 1.0 - int(name[1:]))


def circles(root: ElementTree.Element, **attributes: str) -> set[tuple[float, float]]:
    found = [each for each in root.iter(f"{SVG}circle") if attributes.items() <= each.attrib.items()]
    return {(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in found}


def texts(root: ElementTree.Element) -> list[str]:
    return [str(each.text) for each in root.iter(f"{SVG}text")]


# --- the board --------------------------------------------------------------------------------------------------------


def test_every_stone_is_at_its_place_in_its_colour() -> None:
    root = drawn(draw_board(SIZE, stones(), about="a board"))
    assert circles(root, fill=STONES[BLACK]) == {place("B3"), place("B2")}
    assert circles(root, fill=STONES[WHITE]) == {place("C3")}
    assert (root.attrib["width"], root.attrib["role"], root[0].text) == (str(CELL * 5), "img", "a board")
    assert Counter(texts(root)) == Counter("AABBCCDD11223344")


def test_lines_end_at_the_first_and_the_last_point() -> None:
    root = drawn(draw_board(SIZE, stones(), about=""))
    lines = [tuple(float(each.attrib[key]) for key in ("x1", "y1", "x2", "y2")) for each in root.iter(f"{SVG}line")]
    (low, _), (high, _) = place("A1"), place("D1")
    assert len(lines) == 2 * SIZE
    assert {each[:2] for each in lines if each[1] == each[3]} == {place(f"A{row}") for row in range(1, 5)}
    assert {coordinate for each in lines for coordinate in (min(each), max(each))} == {low, high}


@pytest.mark.parametrize(("size", "stars"), [(6, 0), (7, 5), (9, 5), (12, 4), (13, 5), (19, 9)])
def test_stars(size: int, stars: int) -> None:
    """Five on small boards: the corners and the middle, where there is one."""
    root = drawn(draw_board(size, [EMPTY] * size**2, about=""))
    assert len(circles(root)) == stars


@pytest.mark.parametrize("size", [2, 9, 13, 19])
def test_everything_is_inside_the_picture(size: int) -> None:
    candidates = [Candidate(point, 0.5, 1_000, 0.5) for point in points_of(size)]
    picture = draw_board(size, [EMPTY] * size**2, about="", candidates=candidates, ownership=[-1.0] * size**2)
    root = drawn(picture)
    side = float(root.attrib["width"])
    assert side <= drawing.WIDEST
    for each in root.iter(f"{SVG}circle"):
        middle, radius = (float(each.attrib["cx"]), float(each.attrib["cy"])), float(each.attrib["r"])
        assert all(radius <= at <= side - radius for at in middle)


def test_a_picture_has_no_styles_and_no_ids() -> None:
    """Neither styles nor names: pages have many pictures."""
    picture = draw_board(SIZE, stones(), about="", last=p("B2"), marks={p("A1"): "1"}, ownership=[0.5] * SIZE**2)
    assert not re.search(r"<style|\bid=|\bclass=|url\(", picture)


# --- what is known about it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("last", "ring"), [("B2", STONES[WHITE]), ("C3", STONES[BLACK])])
def test_the_last_move_has_a_ring_of_the_other_colour(last: str, ring: str) -> None:
    root = drawn(draw_board(SIZE, stones(), about="", last=p(last)))
    (found,) = [each for each in root.iter(f"{SVG}circle") if each.attrib["fill"] == "none"]
    assert (float(found.attrib["cx"]), float(found.attrib["cy"])) == place(last)
    assert (found.attrib["stroke"] < "#888888") == (ring < "#888888"), "dark on a light stone, light on a dark one"


@pytest.mark.parametrize("last", [PASS, p("A1")])
def test_a_pass_has_no_ring_and_nor_has_a_stone_that_was_taken(last: int) -> None:
    assert not circles(drawn(draw_board(SIZE, stones(), about="", last=last)), fill="none")


def test_squares_are_their_owners_and_as_large_as_that_is_sure() -> None:
    ownership = dict.fromkeys(points_of(SIZE), 0.05) | {p("A1"): 1.0, p("D4"): -0.5, p("C3"): 0.8, p("B3"): 0.9}
    covered = {"candidates": [Candidate(p("B1"), 0.5, 1, 1.0)], "marks": {p("C1"): "A"}}
    ownership |= {p("B1"): 1.0, p("C1"): 1.0}
    root = drawn(draw_board(SIZE, stones(), about="", ownership=list(ownership.values()), **covered))
    squares = {}
    for each in list(root.iter(f"{SVG}rect"))[1:]:  # the first is the wood
        x, y, side = (float(each.attrib[key]) for key in ("x", "y", "width"))
        squares[round(x + side / 2), round(y + side / 2)] = (each.attrib["fill"], side)
    assert set(squares) == {place("A1"), place("D4"), place("C3")}, "none on the owner's own stone, or under words"
    assert {at: fill for at, (fill, _) in squares.items()} == {
        place("A1"): STONES[BLACK],
        place("D4"): STONES[WHITE],
        place("C3"): STONES[BLACK],
    }
    assert squares[place("A1")][1] == pytest.approx(2 * squares[place("D4")][1], abs=0.2)


def test_ownership_may_be_an_array() -> None:
    game, ownership = Game.from_diagram(DIAGRAM), [0.5, -0.5] * 8
    assert game.picture(ownership=np.array(ownership)) == game.picture(ownership=ownership)


def test_a_candidate_shows_its_win_rate_and_its_visits() -> None:
    moves = [Candidate(p("A1"), 0.617, 12_345, 1.0, WORDS), Candidate(p("D1"), 0.4, 999, 0.1), Candidate(PASS, 0, 1, 0)]
    root = drawn(draw_board(SIZE, stones(), about="", candidates=moves))
    assert circles(root, fill=BEST) == {place("A1")}
    assert circles(root, fill=OTHERS) == {place("D1")}, "a pass has no place on the board"
    assert texts(root)[-4:] == ["62", "12k", "40", "999"]
    assert [each.text for each in root.iter(f"{SVG}title")][1:] == [WORDS]


@pytest.mark.parametrize(
    ("visits", "said"),
    [(0, "0"), (999, "999"), (1_000, "1.0k"), (9_949, "9.9k"), (9_950, "10k"), (999_400, "999k"), (1_250_000, "1.2M")],
)
def test_large_numbers_are_short(visits: int, said: str) -> None:
    root = drawn(draw_board(SIZE, stones(), about="", candidates=[Candidate(p("A1"), 0.5, visits, 1.0)]))
    assert texts(root)[-1] == said


def test_marks_are_written_as_they_are() -> None:
    root = drawn(Game.from_diagram(DIAGRAM).picture(marks={"B2": WORDS, p("A4"): "A"}))
    assert texts(root)[-2:] == [WORDS, "A"]
    places = [(float(each.attrib["x"]), float(each.attrib["y"])) for each in root.iter(f"{SVG}text")][-2:]
    assert [x for x, _ in places] == [place("B2")[0], place("A4")[0]]


# --- what shows itself ------------------------------------------------------------------------------------------------


def test_a_game_shows_its_board() -> None:
    game = Game(5)
    for move in ("C3", "pass", "D3"):
        game.push(move)
    root = drawn(game._repr_svg_())
    assert circles(root, fill=STONES[BLACK]) == {place("C3", 5), place("D3", 5)}
    assert circles(root, fill="none") == {place("D3", 5)}
    assert root[0].text == "Game 5x5, komi 7.5, positional, 3 moves, white to play"
    game.push("resign")
    assert not circles(drawn(game.picture()), fill="none")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"marks": {"F1": "1"}}, "F1 is off the 5x5 board"),
        ({"marks": {"pass": "1"}}, "pass"),
        ({"ownership": [0.0] * 24}, "ownership is by point: 25 numbers, not 24"),
    ],
)
def test_marks_and_ownership_that_cannot_be_drawn_are_errors(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Game(5).picture(**wrong)


def test_an_analysis_shows_the_board_it_is_of() -> None:
    game = Game(5)
    for move in ("C3", "C2", "D3"):
        game.push(move)
    found = Player("mogo-2006", limit=Limit(simulations=200), megabytes=16).analyse(game)
    assert found.stones == tuple(game.color_at(each) for each in points_of(5))
    assert (found.last, found.as_json()["last"]) == (p("D3"), "D3")
    root = drawn(str(found._repr_svg_()))
    assert circles(root, fill=STONES[WHITE]) == {place("C2", 5)}
    assert circles(root, fill=BEST) == {place(found.moves[0].name, 5)}
    assert root[0].text == str(found)
    bare = drawn(found.picture(candidates=False, ownership=False))
    assert circles(bare, fill=BEST) == circles(bare, fill=OTHERS) == set()
    assert len(list(bare.iter(f"{SVG}rect"))) == 1
    page = found._repr_html_()
    assert str(found._repr_svg_()) in page
    assert f"<td>{found.moves[0].name}</td><td>{found.moves[0].visits}</td>" in page


def statistics(move: int, visits: int) -> MoveStatistics:
    return MoveStatistics(move, visits, 0.5, 1.0, 0.0, None, (move, p("A1")), (visits, 1))


def analysed(*moves: MoveStatistics, stones: tuple[int, ...] = ()) -> Analysis:
    return Analysis(BLACK, 30, 0.5, 0.0, 1.0, moves, (), 30, 1.0, 1, 4, {}, stones=stones)


def test_few_moves_are_shown_and_none_that_was_hardly_looked_at() -> None:
    many = analysed(*(statistics(each, 50) for each in points_of(5)), stones=(EMPTY,) * 25)
    assert len(circles(drawn(many.picture()), fill=OTHERS)) == SHOWN_MOVES - 1
    few = analysed(*(statistics(p(f"{each}1"), visits) for each, visits in zip("ABCD", (100, 2, 1, 0), strict=True)))
    assert few._repr_html_().count("<tr>") == 1 + 2
    assert analysed()._repr_html_().count("<tr>") == 1


def test_an_analysis_without_a_board_shows_its_moves() -> None:
    found = analysed(statistics(p("C3"), 5), statistics(PASS, 1))
    assert found._repr_svg_() is None
    assert "<td>pass</td>" in found._repr_html_()
    assert "<svg" not in found._repr_html_()
    with pytest.raises(ValueError, match="does not know the board"):
        found.picture()


def test_a_decision_shows_its_move_and_the_analysis() -> None:
    found = analysed(statistics(p("C3"), 5))
    assert Decision(RESIGN, found)._repr_html_() == "<p>The move: resign</p>" + found._repr_html_()


def test_the_moves_of_an_analysis_are_a_data_frame() -> None:
    frame = analysed(statistics(p("C3"), 5), statistics(PASS, 1)).as_frame()
    assert frame["move"].tolist() == ["C3", "pass"]
    assert frame["visits"].sum() == 6
    assert frame["variation"][0] == "C3 A1"
