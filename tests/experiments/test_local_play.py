"""The study of one place of a position: the position of the package is what it claims, and questions are answered."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from helpers.match_tools import ONE, check_page, check_refused
from helpers.tools import tool
from kikashi import Game, sgf
from kikashi.board.points import BLACK, EMPTY, WHITE, color_name, parse_vertex, vertex
from kikashi.experiments.design_files import load_design
from kikashi.experiments.experiment import write_experiment_report
from kikashi.experiments.kinds.local import LocalDesign, LocalRecord, Mean, OwnerQuestion, ReplyQuestion

NAME = "baier2010-local-play"
GROUP = ["a16", "b17", "b18", "b19", "c16", "c17", "d17", "d18"]
CORNER = ["a16", "a17", "a18", "a19", "b16"]
"""Where stones may be played without leaving the corner."""


def shipped() -> LocalDesign:
    return load_design(NAME)


def position() -> Game:
    design = shipped()
    return Game.from_diagram(design.board, design.turn or BLACK)


# --- the position of figure 5.4 ---------------------------------------------------------------------------------------


def corner_moves(game: Game) -> Iterator[str]:
    """What may be played in the corner, and a pass."""
    inside = {parse_vertex(name, game.size) for name in [*CORNER, *GROUP]}
    yield from (vertex(p) for p in game.legal_moves if p in inside)
    yield "pass"


def is_killed(game: Game) -> bool:
    """Whether White can capture the group, both sides keeping to the corner; every line is read to its end."""
    if game.color_at("b18") != BLACK:
        return True
    if game.is_over():
        return False
    kills = (is_killed(after(game, move)) for move in corner_moves(game))
    return any(kills) if game.turn == WHITE else all(kills)


def after(game: Game, *moves: str) -> Game:
    """A copy of a game in which more moves were made."""
    copied = game.copy()
    for move in moves:
        copied.push(move)
    return copied


LINES = {
    "": True,
    "b16": True,
    "a18": True,
    "b16 a18": True,
    "a18 b16": True,
    "b16 a17 a18": False,
    "b16 a19 a18": False,
    "b16 pass a18": False,
    "a18 pass b16": False,
    "a17": True,
    "a19": True,
    "a17 pass a19": True,
    "a19 pass a17": True,
    "a17 pass b16": True,
}
"""Moves from the position on, Black's first, and whether White captures the group then."""


@pytest.mark.parametrize("line", LINES)
def test_the_group_lives_only_if_white_does_not_answer(line: str) -> None:
    assert is_killed(after(position(), *line.split())) is LINES[line]


def test_the_stones_are_those_that_the_thesis_names() -> None:
    design, game = shipped(), position()
    assert game.size == 19
    (owner,), (reply,) = design.owner, design.reply
    assert (owner.points, owner.color) == (GROUP, "white")
    assert {game.color_at(name) for name in GROUP} == {BLACK}
    assert (reply.color, reply.move, reply.answer, reply.unless) == ("black", "b16", "a18", ["a17", "a18", "a19"])
    assert {game.color_at(name) for name in CORNER[1:]} == {EMPTY}
    (mcts, bmr) = design.player
    assert (mcts.player, bmr.player) == ("orego-2010", "bmr")
    assert [row.published["b16"][2] / row.published["b16"][0] for row in (mcts, bmr)] == pytest.approx(
        [0.374, 0.714], abs=5e-4
    )


AROUND = ["a15", "b15", "c15", "d15", "d16", "e16", "e17", "e18", "e19", "d19", "c19", "c18"]
"""The white stones that surround the group."""


def test_the_corner_decides_the_game() -> None:
    """White wins if the group is dead; if it lives, the stones around it die, and Black wins by about as much."""
    game = position()
    assert -35 < game.score(GROUP) < -20
    assert 20 < after(game, "b16", "pass", "a18").score(AROUND) < 35


def gnugo(commands: list[str]) -> list[str]:
    """The answers of GNU Go to GTP commands."""
    text = "\n".join([*commands, "quit", ""])
    done = subprocess.run([tool("gnugo"), "--mode", "gtp"], input=text, capture_output=True, text=True, check=True)
    return [answer.lstrip("= ").strip() for answer in done.stdout.split("\n\n")][: len(commands)]


@pytest.mark.slow
def test_gnu_go_agrees() -> None:
    game = position()
    stones = [f"play {color_name(c)} {vertex(p)}" for c in (BLACK, WHITE) for p in game.stones(c)]
    asked = {
        "dragon_status b17": "dead",
        "dragon_status e17": "alive",
        "dragon_status l5": "alive",
        "dragon_status m5": "alive",
        "owl_defend b17": "0",
        "play black b16": "",
        "owl_attack b17": "1 A18",
        "play black a18": "",
        "dragon_status b17 ": "alive",
        "dragon_status e17 ": "dead",
        "undo": "",
        "undo ": "",
        "play black a18 ": "",
        "owl_attack b17 ": "1 B16",
    }
    found = gnugo(["boardsize 19", "clear_board", *stones, *asked])[-len(asked) :]
    assert dict(zip(asked, found, strict=True)) == asked


# --- asking -----------------------------------------------------------------------------------------------------------

BOARD = """
. . . . .
. X O . .
. X O . .
. X O . .
. . . . .
"""
TEXT = f'''
kind = "local"
title = "Mine"
source = "ours, 2026"
simulations = 60
repeats = 3
board = """{BOARD}"""
[[owner]]
name = "left"
color = "black"
points = ["a1", "b2"]
[[owner]]
name = "right"
color = "white"
points = ["e5"]
[[reply]]
name = "top"
color = "black"
move = "b5"
answer = "c5"
[[player]]
name = "A"
player = "lgrf2"
published = {{ left = [0.5, 0.1], top = [10, 1.5, 5, 0.5] }}
[[player]]
name = "B"
player = "mogo-2006 --set selection.p=0.5"
'''


def mine(folder: Path, *overrides: str, text: str = TEXT) -> LocalDesign:
    (folder / "mine.toml").write_text(text)
    return load_design(str(folder / "mine.toml"), overrides)


def test_a_file_of_ones_own_is_asked(tmp_path: Path) -> None:
    design = mine(tmp_path)
    records = design.at(1.0).run(tmp_path / "out", ONE)
    assert [(record.number, record.player) for record in records] == [(n, n % 2) for n in range(6)]
    assert design.at(1.0).steps == 6
    for record in records:
        (left, right, top) = record.counts
        assert left[0] == right[0] == 60
        assert 0 < left[1] <= 120
        assert right[1] == right[2], "all of one point is that point"
        assert top[1] <= top[0] <= 60
    assert len({record.counts for record in records}) > 2, "seeds differ"
    found = write_experiment_report(tmp_path / "out", design.at(1.0), records).data
    assert (found["searches"], found["of"]) == (6, 6)
    assert set(found["questions"]) == {"left", "right", "top"}
    text, page = ((tmp_path / "out" / f"report.{end}").read_text() for end in ("md", "html"))
    for told in ("50.0% ± 10.0%", "10.0 ± 1.5", "left: how much of a1 b2 belongs to Black", "5 . . . . . 5"):
        assert told in text
    assert "unfinished" not in text
    assert "(squares: the paper)" in page
    check_page(page)


def test_it_goes_on_where_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = mine(tmp_path)
    whole = design.at(1.0).run(tmp_path / "whole", ONE)

    def listen(record: LocalRecord) -> None:
        if record.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        design.at(1.0).run(tmp_path / "cut", ONE, listen)
    heard: list[LocalRecord] = []
    assert design.at(1.0).run(tmp_path / "cut", ONE, heard.append) == whole
    assert sorted(record.number for record in heard) == list(range(6))
    monkeypatch.setattr(LocalDesign, "work", lambda *_: pytest.fail("searched again"))
    assert design.at(1.0).run(tmp_path / "cut", ONE) == whole
    with pytest.raises(ValueError, match="was begun with simulations 60, not 61"):
        mine(tmp_path, "simulations=61").at(1.0).run(tmp_path / "cut", ONE)


def test_what_is_unfinished_is_marked(tmp_path: Path) -> None:
    counts = ((60, 60, 20), (60, 30, 30), (0, 0, 0))
    one = LocalRecord(number=0, player=0, counts=counts)
    found = write_experiment_report(tmp_path, mine(tmp_path).at(1.0), [one]).data
    assert list(found["questions"]["left"]) == ["A"]
    text = (tmp_path / "report.md").read_text()
    assert text.count("| A | 1, unfinished, of 3 |") == 3
    assert text.count("| B | 0, unfinished, of 3 | – |") == 3


def test_the_scale_shrinks_searches_and_simulations() -> None:
    design = replace(shipped(), player=shipped().player[:1])
    settings = design.at(1.0)
    assert (settings.simulations, settings.repeats, settings.steps) == (25000, 100, 100)
    settings = design.at(0.01)
    assert (settings.simulations, settings.repeats, settings.steps) == (250, 2, 2)


def test_questions_and_positions_come_from_the_command_line_too(tmp_path: Path) -> None:
    said = 'reply+={ name = "more", color = "white", move = "d1", answer = "d2", unless = ["a1"] }'
    game = after(Game(7), "c3", "e5", "c5")
    (tmp_path / "game.sgf").write_text(sgf.write_game(game))
    settings = mine(tmp_path, said, f"sgf={tmp_path / 'game.sgf'}", "board=", "komi=3.5").at(1.0)
    assert [question.name for question in settings.questions] == ["left", "right", "top", "more"]
    found = settings.game()
    assert (str(found), found.turn, found.komi, found.move_count) == (str(game), WHITE, 3.5, 3)
    beside = TEXT.replace(f'board = """{BOARD}"""', 'sgf = "game.sgf"\nturn = "black"')
    assert mine(tmp_path, text=beside).at(1.0).game().turn == BLACK


WRONG = {
    "no position": (["board="], "a position is a board or an sgf, one of them"),
    "no question": (["owner=[]", "reply=[]"], "a position is asked 1 to 16 questions, not 0"),
    "off the board": (['owner=[{ name = "x", color = "black", points = ["a6"] }]'], "a6 is off the 5x5 board"),
    "a pass": (['owner=[{ name = "x", color = "black", points = ["pass"] }]'], "about points, not about passing"),
    "no points": (['owner=[{ name = "x", color = "black", points = [] }]'], "x: there are no points"),
    "a colour": (['owner=[{ name = "x", color = "red", points = ["a1"] }]'], "red"),
    "an engine": (['player=[{ name = "x", player = "cat" }]'], "is not a preset: its simulations cannot be watched"),
    "numbers": (['player=[{ name = "x", player = "lgr1", published = { left = [1] } }]'], "no question 'left' has 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_questions_are_told_in_one_line(case: str, tmp_path: Path) -> None:
    said, message = WRONG[case]
    check_refused(lambda: mine(tmp_path, *said).at(1.0), message)


def test_means_and_their_errors() -> None:
    """Two points, two searches of ten simulations: 15 and 5 of 20; a move made 4 and 16 times, right 1 and 9 times."""
    assert Mean.of([1, 2, 6]) == Mean(3.0, 2.0)
    owner = OwnerQuestion("left", "black", ["a1", "b2"]).means([(10, 15, 6), (10, 5, 2)])
    assert owner == {"share": Mean(0.5, 0.25), "together": Mean(0.4, pytest.approx(0.2))}
    question = ReplyQuestion("top", "black", "b5", "c5")
    reply = question.means([(4, 1, 1), (16, 9, 9), (0, 0, 0)])
    assert reply["times"] == Mean(pytest.approx(20 / 3), pytest.approx(56 / 9))
    assert reply["share"] == Mean(0.5, pytest.approx((0.5625 - 0.25) / 2))
    assert question.means([(0, 0, 0)])["share"] == Mean(0.0, 0.0)
