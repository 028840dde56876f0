"""The demonstration: the same game in a terminal and as plain lines, saved, and polite when it is stopped."""

import io
import re
import signal
import time
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest
from rich.console import Console

from kikashi import Game, sgf
from kikashi.board.points import BLACK, WHITE, parse_vertex, points_of
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.game import RESIGN
from kikashi.search.analysis import Analysis
from kikashi.terminal import board_view as view
from kikashi.terminal.demo import Match, Screen, run

PLY = re.compile(
    r" *(\d+) (black|white) (\S+) +([BW] \d+%) +[BW]\+\d+\.\d +[\d,]+ simulations +[\d,]+/s(  \S+( \S+)*)?"
)


def plain(**more) -> Console:
    """A console that writes to a file."""
    return Console(file=io.StringIO(), force_terminal=False, width=80, **more)


def terminal(width: int = 80, height: int = 24, **more) -> Console:
    """A console that believes in a terminal with all colours."""
    settings = {"color_system": "truecolor", "no_color": False, "_environ": {"TERM": "xterm"}} | more
    return Console(file=io.StringIO(), force_terminal=True, width=width, height=height, **settings)


def said(console: Console) -> str:
    """All that was written."""
    return console.file.getvalue()


def text_of(written: str) -> str:
    """Return the output without colours and cursor movements."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)


def demo(console: Console, file: Path, **more) -> Game:
    """Play the demonstration on a small board, and read what it has saved."""
    settings = {"seed": 3, "simulations": 60, "size": 5} | more
    assert run(console, output=file, **settings)
    return sgf.read_game(file)


# --- the game ---------------------------------------------------------------------------------------------------------


def test_without_a_terminal_there_is_a_plain_line_for_each_move(tmp_path: Path) -> None:
    console, file = plain(), tmp_path / "game.sgf"
    game = demo(console, file)
    lines = said(console).splitlines()
    assert not re.search(r"[\x1b\r]", said(console))
    assert lines[0].startswith("Black: crazystone-2006, Coulom 2006")
    assert lines[1].startswith("White: mogo-2006, Gelly, Wang")
    plies = [PLY.fullmatch(line) for line in lines[2:-9]]
    assert all(plies), lines
    listed = [(int(ply[1]), f"{ply[2]} {ply[3]}") for ply in plies if ply and ply[3] != "resign"]
    assert listed == list(enumerate(map(str, game.moves), 1))
    assert "\n".join(lines[-9:-2]) == str(game)
    assert lines[-1] == f"The game with comments is in {file}"
    winner = "crazystone-2006" if game.headers["RE"].startswith("B") else "mogo-2006"
    assert lines[-2] == f"{view.result_in_words(game.headers['RE'])} ({winner}), after {game.move_count} moves."


def test_the_file_has_players_and_evaluations(tmp_path: Path) -> None:
    game = demo(plain(), tmp_path / "game.sgf")
    assert (game.headers["PB"], game.headers["PW"], game.komi) == ("crazystone-2006", "mogo-2006", 7.5)
    assert re.match(r"crazystone-2006: B \d+%, [BW]\+\d+\.\d after \d+ simulations; [A-E][1-5]", game.comments[1])
    assert re.match(r"mogo-2006: W \d+%, [BW]\+\d+\.\d after \d+ simulations; ", game.comments[2])
    assert len(game.comments) == game.move_count


def test_a_terminal_shows_the_same_game(tmp_path: Path) -> None:
    shown, listed = terminal(), plain()
    demo(shown, tmp_path / "shown.sgf")
    demo(listed, tmp_path / "listed.sgf")
    assert (tmp_path / "shown.sgf").read_bytes() == (tmp_path / "listed.sgf").read_bytes()
    result, place = text_of(said(shown)).splitlines()[-2:]
    assert result == said(listed).splitlines()[-2]
    assert place.startswith(f"The game with comments is in {tmp_path / 'shown.sgf'}")
    assert "Black's chances, move by move" in said(shown)


def test_the_same_seed_and_simulations_give_the_same_file(tmp_path: Path) -> None:
    files = []
    for number, seed in enumerate([3, 3, 4]):
        demo(plain(), tmp_path / f"{number}.sgf", seed=seed)
        files.append((tmp_path / f"{number}.sgf").read_text().replace(f"seed {seed}", ""))
    assert files[0] == files[1] != files[2]


def test_a_limit_in_seconds_is_for_the_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on by a millisecond whenever somebody looks at it."""
    looks = count()
    match = Match(size=5, seconds=1.0)
    match.compile()
    monkeypatch.setattr(time, "perf_counter", lambda: next(looks) / 1000)
    started = time.perf_counter()
    plies = list(match.plies())
    assert match.game.is_over()
    assert 0.5 < time.perf_counter() - started < 1.0 + 0.02 * len(plies)
    assert plies[0].simulations > 200


def test_a_win_of_black_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decide = Player.decide

    def resigning(self: Player, game: Game, analysis: Analysis):
        decision = decide(self, game, analysis)
        return replace(decision, move=RESIGN) if game.move_count == 3 else decision

    monkeypatch.setattr(Player, "decide", resigning)
    console = plain()
    game = demo(console, tmp_path / "game.sgf")
    assert (game.headers["RE"], game.move_count) == ("B+R", 3)
    assert "Black wins by resignation (crazystone-2006), after 3 moves.\n" in said(console)
    assert "white resign" in said(console)


# --- stopping and failing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make_console", [plain, terminal])
def test_ctrl_c_is_one_line_and_the_game_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_console) -> None:
    decide = Player.decide

    def interrupted(self: Player, game: Game, analysis: Analysis):
        if game.move_count == 4:
            signal.raise_signal(signal.SIGINT)
        return decide(self, game, analysis)

    monkeypatch.setattr(Player, "decide", interrupted)
    console, file = make_console(), tmp_path / "game.sgf"
    assert not run(console, seed=3, simulations=60, size=5, output=file)
    assert text_of(said(console)).splitlines()[-1] == f"Stopped after 4 moves; the game so far is in {file}"
    game = sgf.read_game(file)
    assert game.move_count == 4
    assert "RE" not in game.headers


def test_ctrl_c_before_the_first_move_leaves_an_older_game_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Match, "compile", lambda self: signal.raise_signal(signal.SIGINT))
    console, file = plain(), tmp_path / "game.sgf"
    file.write_text("older")
    assert not run(console, output=file)
    assert said(console).splitlines()[2:] == ["Stopped before the first move."]
    assert file.read_text() == "older"


def test_no_game_is_overwritten(tmp_path: Path) -> None:
    console, file = plain(), tmp_path / "game.sgf"
    file.write_text("older")
    assert run(console, seed=3, simulations=20, size=3, output=file)
    assert file.read_text() == "older"
    assert f"The game with comments is in {tmp_path / 'game-2.sgf'}\n" in said(console)
    assert sgf.read_game(tmp_path / "game-2.sgf").move_count


def test_a_place_that_cannot_be_written_is_refused_before_the_game(tmp_path: Path) -> None:
    console = plain()
    for place in (tmp_path, tmp_path / "no" / "game.sgf"):
        with pytest.raises(OSError, match=re.escape(str(place))):
            run(console, simulations=10**9, output=place)
    assert said(console) == ""


# --- the screen -------------------------------------------------------------------------------------------------------


def lines_of(screen: Screen, width: int = 80) -> list[str]:
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(screen)
    return said(console).splitlines()


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "moves"), [(9, 14), (5, 300)])
def test_the_screen_fits_80_by_24_from_the_first_move_to_the_last(size: int, moves: int) -> None:
    match = Match(size=size, simulations=40)
    screen = Screen(match)
    assert len(lines_of(screen)) == screen.height == 22
    for ply in islice(match.plies(), moves):
        screen.show(ply)
        lines = lines_of(screen, 200)
        assert len(lines) == 22
        assert max(map(len, lines)) == screen.width == 80
        assert any(f"{ply.number} " in line and ply.move.name in line for line in lines)
        assert sum("thinking" in line for line in lines) == (not match.game.is_over())


@pytest.mark.parametrize(("width", "height", "moves"), [(120, 30, 16), (80, 22, 8), (200, 60, 20), (80, 17, 3)])
def test_the_screen_takes_the_room_that_there_is(width: int, height: int, moves: int) -> None:
    match = Match(size=5, simulations=10)
    screen = Screen(match, width, height)
    for ply in islice(match.plies(), 23):
        screen.show(ply)
    lines = lines_of(screen, 200)
    assert (max(map(len, lines)), len(lines)) == (min(width, 110), min(height, 34)) == (screen.width, screen.height)
    listed = [line for line in lines if re.search(r"│ +\d+ +● +\S+ +[BW] \d+%", line)]
    assert len(listed) == min(moves, ply.number)


@pytest.mark.parametrize("width", [40, 60, 79])
def test_lines_in_a_narrow_terminal_are_not_wrapped(tmp_path: Path, width: int) -> None:
    console = terminal(width)
    demo(console, tmp_path / "game.sgf")
    plies = [line for line in text_of(said(console)).splitlines() if re.match(r" *\d+ (black|white) ", line)]
    assert plies
    assert all(re.search(r" [BW] \d+%", line) and len(line) <= width for line in plies)


def test_without_colours_the_stones_differ(tmp_path: Path) -> None:
    console = terminal(no_color=True)
    demo(console, tmp_path / "game.sgf")
    shown = text_of(said(console))
    assert re.search(r" ● +crazystone-2006", shown)
    assert re.search(r" ○ +mogo-2006", shown)
    assert "─◎─" in shown
    assert not re.search(r"\x1b\[[0-9;]*(3|4)[0-9]", said(console)), "a colour"


def test_the_screen_shows_the_thinker_and_the_expected_line() -> None:
    match = Match(size=9, simulations=200)
    screen = Screen(match)
    for ply in islice(match.plies(), 3):
        screen.show(ply)
    lines = lines_of(screen)
    assert re.search(r"mogo-2006 .* thinking", "\n".join(lines))
    assert not re.search(r"crazystone-2006 .* thinking", "\n".join(lines))
    assert re.search(rf"expects {' '.join(ply.variation[1:])}", "\n".join(lines))
    assert "move 4" in lines[0]


def test_the_opening_screen_shows_how_many_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    match = Match(size=9, simulations=10)
    screen = Screen(match)
    before = lines_of(screen)
    monkeypatch.setattr("kikashi.terminal.demo.compiling", lambda: (30, 120, "30 of 120, about 12 s left"))
    during = lines_of(screen)
    assert "about 12 s left" in "\n".join(during)
    assert "├─┼─┼─┼─┼─┼─┼─┼─┤" in "\n".join(during), "the board is there already"
    assert (len(during), max(map(len, during))) == (len(before), max(map(len, before)))
    monkeypatch.undo()
    screen.show(next(match.plies()))
    assert "left" not in "\n".join(lines_of(screen))


def test_kernels_are_compiled_while_the_board_is_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    console, compile_kernels = terminal(), Match.compile
    shown: list[str] = []
    monkeypatch.setattr(Match, "compile", lambda match: (shown.append(said(console)), compile_kernels(match)))
    demo(console, tmp_path / "game.sgf")
    assert "crazystone-2006" in text_of(shown[0])
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("console", [terminal(79), terminal(height=18), terminal(_environ={"TERM": "dumb"})])
def test_a_terminal_that_cannot_show_it_gets_lines(tmp_path: Path, console: Console) -> None:
    demo(console, tmp_path / "game.sgf")
    assert "thinking" not in said(console)
    assert any(PLY.fullmatch(line) for line in text_of(said(console)).splitlines())


# --- what it is drawn from --------------------------------------------------------------------------------------------


def test_a_board_is_drawn_with_its_stones_and_lines() -> None:
    game = Game(5)
    for move in ("C3", "B2"):
        game.push(move)
    picture = view.draw(game.board, parse_vertex("B2", 5))
    assert [line.rstrip() for line in picture.plain.splitlines()] == [
        "    A B C D E",
        " 5  ┌─┬─┬─┬─┐  5",
        " 4  ├─┼─┼─┼─┤  4",
        " 3  ├─┼─●─┼─┤  3",
        " 2  ├─◉─┼─┼─┤  2",
        " 1  └─┴─┴─┴─┘  1",
        "    A B C D E",
    ]
    styles = {picture.plain[span.start]: span.style for span in picture.spans if picture.plain[span.start] in "●◉"}
    assert "rgb(15,15,15)" in str(styles["●"])
    assert "rgb(255,255,255)" in str(styles["◉"])


def test_marks_and_owners_change_the_picture() -> None:
    game = Game(5)
    marked = view.draw(game.board, marks={parse_vertex("A1", 5): "a"})
    assert " 1  a─┴─┴─┴─┘  1" in marked.plain
    first = [1.0] + [0.0] * 23 + [-1.0]
    styles = {str(span.style) for span in view.draw(game.board, ownership=first).spans}
    assert {style.rpartition(" on ")[2] for style in styles if " on " in style} == {
        *("rgb(220,179,115)", "rgb(124,88,50)", "rgb(246,229,196)")
    }


@pytest.mark.parametrize(("size", "stars"), [(5, 0), (7, 5), (8, 4), (9, 5), (13, 5), (19, 9)])
def test_star_points(size: int, stars: int) -> None:
    assert sum(view.is_star(column, row, size) for column in range(1, size + 1) for row in range(1, size + 1)) == stars


def test_the_bar_is_as_long_as_the_share() -> None:
    assert view.bar(0.5, 4).plain == "██  "
    assert view.bar(0.625, 4).plain == "██▌ "
    assert (view.bar(0.0, 3).plain, view.bar(1.0, 3).plain, view.bar(7.0, 3).plain) == ("   ", "███", "███")


def test_the_graph_is_as_high_as_the_shares_and_squeezed_when_long() -> None:
    assert view.winrate_graph([0.0, 0.5, 0.75, 1.0], 5, 2).plain == "  ▄█·\n ███·"
    assert view.winrate_graph([], 2, 1).plain == "··"
    assert view.winrate_graph([0.0, 1.0, 1.0, 1.0], 2, 1).plain == "▄█"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("B+R", "Black wins by resignation"),
        ("W+1.5", "White wins by 1.5 points"),
        ("B+1", "Black wins by 1 point"),
        ("0", "nobody wins: the score is even"),
    ],
)
def test_results_in_words(result: str, words: str) -> None:
    assert view.result_in_words(result) == words


def analysis(to_play: int, winrate: float, score: float) -> Analysis:
    """A search that looked at two moves and found this about the first, E5."""
    found = Player("mogo-2006", limit=Limit(simulations=2), megabytes=1).choose(Game(5)).analysis
    first = replace(found.moves[0], move=parse_vertex("E5", 5), visits=10, winrate=winrate, score=score)
    second = replace(first, move=parse_vertex("C3", 5), visits=1, winrate=0.125, score=-1.0)
    return replace(found, to_play=to_play, moves=(first, second))


@pytest.mark.parametrize(
    ("to_play", "score", "move", "expected"),
    [
        (WHITE, 3.0, None, view.EvaluationText("W 75%", "W+3.0", 0.25)),
        (WHITE, -3.0, parse_vertex("E5", 5), view.EvaluationText("W 75%", "B+3.0", 0.25)),
        (BLACK, 3.0, RESIGN, view.EvaluationText("B 75%", "B+3.0", 0.75)),
        (BLACK, 3.0, parse_vertex("C3", 5), view.EvaluationText("B 12%", "W+1.0", 0.125)),
    ],
)
def test_evaluations_are_those_of_the_move(
    to_play: int, score: float, move: int | None, expected: view.EvaluationText
) -> None:
    assert view.evaluation_text(analysis(to_play, 0.75, score), move) == expected


def test_the_plain_diagram_of_owners() -> None:
    game = Game(2)
    game.push("A1")
    owned = dict.fromkeys(points_of(2), 0.0) | {parse_vertex("A1", 2): -1.0, parse_vertex("B2", 2): 0.9}
    assert view.owner_diagram(game, list(owned.values())) == "   A B\n 2 . x 2\n 1 o . 1\n   A B"
    assert view.owner_diagram(game, [1.0, 0.1, 0.0, 0.0]).splitlines()[2] == " 1 X . 1"


def test_pictures_need_a_terminal_and_room_but_no_colours() -> None:
    assert view.can_draw(terminal(), 80, 24)
    assert not view.can_draw(terminal(), 81)
    assert not view.can_draw(terminal(), 0, 25)
    assert not view.can_draw(plain())
    assert view.can_draw(terminal(no_color=True), 80, 24)
    assert view.has_colors(terminal())
    assert not view.has_colors(terminal(no_color=True))
