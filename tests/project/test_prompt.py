"""Objects at Python's prompt: each shows itself in one short line, and what is no such thing is refused in one."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from kikashi import Analysis, Decision, Game, Limit, Move, MoveStatistics, Player
from kikashi.board.points import BLACK, PASS, WHITE, parse_vertex
from kikashi.game import RESIGN
from kikashi.sgf import load, parse, read_game

D4 = parse_vertex("D4", 5)
LINE = MoveStatistics(D4, 30, 0.534, 1.25, 0.0, None, (D4, PASS), (30, 2))


def analysis(visits: int = 30) -> Analysis:
    return Analysis(BLACK, visits, 0.534, 1.25, 1.0, (LINE,), (0.5,) * 25, visits, 1.0, 1, 4, {}, stones=(0,) * 25)


SHOWN: list[tuple[Any, str]] = [
    (Move(BLACK, D4), "<Move black D4>"),
    (Move(WHITE, PASS), "<Move white pass>"),
    (Move(WHITE, RESIGN), "<Move white resign>"),
    (LINE, "<MoveStatistics D4: 53.4%, +1.2 points, 30 visits>"),
    (analysis(), "<Analysis Black to play: D4, 53%, +1.2 points, 30 visits>"),
    (analysis(1), "<Analysis Black to play: D4, 53%, +1.2 points, 1 visit>"),
    (Decision(PASS, analysis()), "<Decision pass; Black to play: D4, 53%, +1.2 points, 30 visits>"),
    (Player("mogo-2006", limit=Limit(500)), "<Player mogo-2006, 500 simulations a move, seed 1>"),
    (
        Player("lgrf2", limit=Limit(1, 2.5), threads=2, seed=7),
        "<Player lgrf2, 1 simulation or 2.5 seconds a move, 2 threads, seed 7>",
    ),
]


@pytest.mark.parametrize(("thing", "line"), SHOWN, ids=[line for _, line in SHOWN])
def test_a_thing_shows_itself_in_a_line(thing: Any, line: str) -> None:
    assert repr(thing) == line


def test_one_move_is_no_moves() -> None:
    game = Game(5)
    game.push("C3")
    assert repr(game) == "<Game 5x5, komi 7.5, positional, 1 move, white to play>"


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: Player(limit=500), "the limit is a Limit, such as Limit(simulations=500), not 500"),  # type: ignore[arg-type]
    (lambda: Player(3), "the preset is a Preset, or its name or path as a text, not 3"),  # type: ignore[arg-type]
    (lambda: Player().choose("9x9"), "a player thinks about a Game, not '9x9'"),  # type: ignore[arg-type]
    (lambda: Player().choose(Game(5), Limit(clock=5)), "the clock is a Clock, not 5"),  # type: ignore[arg-type]
    (lambda: Limit("500"), "simulations are a whole number, not '500'"),  # type: ignore[arg-type]
    (lambda: Limit(seconds="1"), "seconds are a number, not '1'"),  # type: ignore[arg-type]
    (lambda: Game(size="9"), "the size is a whole number, not '9'"),  # type: ignore[arg-type]
    (lambda: Game(9, komi="7.5"), "komi is a number, not '7.5'"),  # type: ignore[arg-type]
    (lambda: Game(9, rules=3), "the rules are Rules or their name, not 3"),  # type: ignore[arg-type]
    (lambda: parse(Path("game.sgf")), "a game record is a text or bytes, and load reads one from a path; this is "),  # type: ignore[arg-type]
    (lambda: read_game(5), "a game record is a text or bytes, and load reads one from a path; this is 5"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_value_of_a_wrong_type_is_refused_in_a_line(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(said)}"):
        make()


def test_paths_and_texts_of_games_differ(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[9];B[ee])")
    assert read_game(file).moves == read_game(file.read_text()).moves
    with pytest.raises(ValueError, match=r"^this is the name of a file, not its text; give Path\('game.sgf'\)$"):
        read_game("game.sgf")
    with pytest.raises(ValueError, match=r"^this is the text of a game, not the path of a file: parse and read_game"):
        load(file.read_text())


def test_a_picture_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    Game(5).picture().save(file)
    assert ElementTree.parse(file).getroot().tag.endswith("svg")
    with pytest.raises(ValueError, match=r"saved as SVG: give the file a name that ends in \.svg, not board\.png$"):
        Game(5).picture().save("board.png")
