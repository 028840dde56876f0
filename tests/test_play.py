"""A person against a player: scripted sessions through every command, and nothing a person played is lost."""

from __future__ import annotations

import io
import re
import signal
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from kikashi import Budget, Game, Player, sgf
from kikashi.board.points import BLACK, PASS, WHITE
from kikashi.game import RESIGN
from kikashi.play import FILE, HELP, Table, asker, new_game
from kikashi.player import Decision


def player(preset: str = "mogo-2006", simulations: int = 60, **more) -> Player:
    return Player(preset, budget=Budget(simulations), megabytes=16, **more)


class Stubborn(Player):
    """Always makes the same move."""

    move = PASS

    def choose(self, game: Game, **more) -> Decision:
        return replace(super().choose(game, **more), move=self.move)


class Session:
    """What a person typed at a table, and what was said."""

    def __init__(
        self,
        folder: Path,
        typed: Iterable[str],
        *,
        game: Game | None = None,
        engine: Player | None = None,
        drawn: bool = False,
        **more,
    ) -> None:
        settings = {"color_system": "truecolor", "no_color": False, "_environ": {"TERM": "xterm"}} if drawn else {}
        self.console = Console(file=io.StringIO(), force_terminal=drawn, width=80, height=24, **settings)
        self.game = game or new_game(size=5)
        ask = asker(self.console, io.StringIO("".join(f"{line}\n" for line in typed)))
        self.table = Table(self.console, ask, engine or player(), self.game, folder=folder, **more)
        self.ended_well = self.table.run()

    @property
    def said(self) -> str:
        assert isinstance(self.console.file, io.StringIO)
        return self.console.file.getvalue()

    @property
    def answers(self) -> dict[str, str]:
        """By line typed, what was said to it."""
        pieces = re.split(r"^(?:Black|White|the game is over: save FILE, undo or quit)> (.*)\n", self.said, flags=re.M)
        return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def names(game: Game) -> list[str]:
    return [move.name for move in game.moves]


# --- playing ----------------------------------------------------------------------------------------------------------


def test_moves_are_answered(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3", "B2", "quit"])
    assert session.ended_well
    assert [move.color for move in session.game.moves] == [BLACK, WHITE] * 2
    assert names(session.game)[0::2] == ["C3", "B2"]
    answer = session.game.moves[1].name
    assert re.search(rf"^mogo-2006 plays {answer} \(W \d+%, \d+ simulations in", session.answers["c3"], re.M)
    board = Game(5)
    for move in names(session.game)[:2]:
        board.push(move)
    assert str(board) in session.answers["c3"]


def test_the_engine_begins_when_the_person_is_white(tmp_path: Path) -> None:
    session = Session(tmp_path, ["undo"], color=WHITE)
    assert session.game.moves[0].color == BLACK
    assert session.answers["undo"].splitlines()[0] == "there is no move of yours to take back"
    assert session.game.headers == {"PB": "mogo-2006", "PW": "person"}
    assert "You are White, mogo-2006 is Black." in session.said
    assert f"kikashi play mogo-2006 --color white --load {tmp_path / FILE}" in session.said


def test_without_a_terminal_all_is_plain(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3", "hint", "estimate", "undo", "board", "help", "save", "resign", "quit"])
    assert not re.search(r"[\x1b\r]", session.said)
    assert HELP in session.answers["help"]
    assert str(Game(5)) in session.answers["board"]


WRONG = {
    "z9": "'z9' is not a vertex such as D4, nor pass; help tells what can be said",
    "a6": "a6 is off the 5x5 board; help tells what can be said",
    "play c3": "'play c3' is not a vertex",
    "c3": "not at C3: the point is occupied",
    "é": "'é' is not a vertex",
    "[bold]": "'[bold]' is not a vertex",
    "save no/such/folder/game": "No such file or directory",
    "save taken.sgf": "taken.sgf is there already; save it under another name",
    "save .": "",
}


@pytest.mark.parametrize("typed", WRONG)
def test_what_is_wrong_is_one_line_and_changes_nothing(tmp_path: Path, typed: str) -> None:
    (tmp_path / "taken.sgf").write_text("mine")
    game = new_game(size=5)
    for move in ("C3", "B2"):
        game.push(move)
    session = Session(tmp_path, [typed], game=game)
    assert names(session.game) == ["C3", "B2"]
    assert session.ended_well
    line = session.answers[typed].splitlines()[0]
    assert WRONG[typed] in line
    assert (tmp_path / "taken.sgf").read_text() == "mine"


def test_an_empty_line_is_no_mistake(tmp_path: Path) -> None:
    assert Session(tmp_path, ["", "  "]).answers[""].strip() == ""


@pytest.mark.parametrize("word", ["quit", "exit", "QUIT"])
def test_leaving_before_the_first_move_leaves_nothing_behind(tmp_path: Path, word: str) -> None:
    assert Session(tmp_path, [word, "c3"]).game.move_count == 0
    assert list(tmp_path.iterdir()) == []


# --- undo, hint and estimate ------------------------------------------------------------------------------------------


def test_undo_takes_back_the_move_and_its_answer(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3", "b2", "undo", "undo", "undo"])
    assert names(session.game) == []
    assert session.game.turn == BLACK
    assert session.game.hash == Game(5).hash
    assert session.answers["undo"].strip() == "there is no move of yours to take back"  # the last of the three
    assert session.said.count("taken back: ") == 2


def test_after_undo_the_game_goes_on(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3", "undo", "b3"])
    assert names(session.game)[0] == "B3"
    assert session.game.move_count == 2


@pytest.mark.parametrize("drawn", [False, True])
def test_a_hint_changes_nothing_not_even_the_answers(tmp_path: Path, drawn: bool) -> None:
    asked = Session(tmp_path, ["c3", "hint", "estimate", "hint", "b3"], drawn=drawn)
    silent = Session(tmp_path, ["c3", "b3"])
    assert names(asked.game) == names(silent.game)


def test_a_hint_names_legal_moves_and_a_variation(tmp_path: Path) -> None:
    session = Session(tmp_path, ["hint"], engine=player(simulations=400))
    *hints, blank, variation = session.answers["hint"].splitlines()[:7]
    found = [re.fullmatch(r"([a-e]) (\S+) +B \d+% +(\d+) visits", line) for line in hints]
    assert all(found), hints
    moves = [hint[2] for hint in found if hint]
    assert "".join(hint[1] for hint in found if hint) == "abcde"
    assert all(Game(5).is_legal(move) for move in moves)
    visits = [int(hint[3]) for hint in found if hint]
    assert visits == sorted(visits, reverse=True)
    assert (blank, variation.partition(", then ")[0]) == ("", moves[0])


WALL = "..X../..X../..X../..X../..X.."


def test_an_estimate_tells_score_and_owners(tmp_path: Path) -> None:
    game = Game.from_diagram(WALL, komi=0.5)
    session = Session(tmp_path, ["estimate"], game=game, engine=player(simulations=300))
    assert " 3 x x X x x 3" in session.answers["estimate"]
    assert re.search(r"^about B\+\d+(\.5)?, komi included\nB \d+%$", session.answers["estimate"], re.M)


# --- the end ----------------------------------------------------------------------------------------------------------


def test_resigning_ends_the_game_and_undo_resumes_it(tmp_path: Path) -> None:
    session = Session(tmp_path, ["resign", "c3", "hint", "save end", "undo", "board"])
    assert "White wins by resignation (W+R)" in session.answers["resign"]
    for late in ("c3", "hint"):
        assert session.answers[late].strip() == "the game is over: save FILE, undo or quit"
    assert sgf.read_game(tmp_path / "end.sgf").headers["RE"] == "W+R"
    assert not session.game.is_over()
    assert session.game.move_count == 0


def test_the_engine_resigns(tmp_path: Path) -> None:
    engine = Stubborn("mogo-2006", budget=Budget(simulations=5), megabytes=1)
    engine.move = RESIGN
    session = Session(tmp_path, ["c3", "quit"], engine=engine)
    assert "mogo-2006 resigns (W " in session.answers["c3"]
    assert "Black wins by resignation (B+R)" in session.answers["c3"]
    assert sgf.read_game(tmp_path / FILE).headers["RE"] == "B+R"


@pytest.mark.parametrize("drawn", [False, True])
def test_two_passes_end_the_game(tmp_path: Path, drawn: bool) -> None:
    engine = Stubborn("mogo-2006", budget=Budget(simulations=5), megabytes=1)
    session = Session(tmp_path, ["c3", "pass", "quit"], engine=engine, drawn=drawn)
    assert session.game.is_over()
    assert names(session.game) == ["C3", "pass", "pass"]  # the engine's pass and ours are two in succession
    assert "Black wins by 17.5 points (B+17.5)" in session.said


def test_a_game_that_is_over_can_be_loaded_and_taken_up_again(tmp_path: Path) -> None:
    game = new_game(size=5)
    for move in ("C3", "pass", "pass"):
        game.push(move)
    session = Session(tmp_path, ["undo", "b2"], game=game)
    assert "Black wins by 17.5 points" in session.said
    assert names(session.game)[:3] == ["C3", "pass", "B2"]


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_saved_game_can_be_loaded_and_played_on(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3", "save my game", "quit"])
    file = tmp_path / "my game.sgf"
    assert f"saved in {file}" in session.answers["save my game"]
    loaded = new_game(load=file)
    assert (loaded.moves, loaded.komi, loaded.rules) == (session.game.moves, 7.5, session.game.rules)
    assert loaded.headers["PB"] == "person"
    again = Session(tmp_path, ["b2", "save my game", "save other"], game=loaded)
    assert names(again.game)[:2] == names(session.game)
    assert "is there already" in again.answers["save my game"]
    assert sgf.read_game(tmp_path / "other.sgf").moves == again.game.moves


def test_saving_again_writes_the_same_file(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3", "save one", "b2", "save", "save one.sgf"])
    assert sgf.read_game(tmp_path / "one.sgf").moves == session.game.moves
    assert [file.name for file in tmp_path.iterdir()] == ["one.sgf"]


@pytest.mark.parametrize("ending", [[], ["quit"]])
def test_a_game_that_was_not_saved_is_saved_at_the_end(tmp_path: Path, ending: list[str]) -> None:
    for number, name in enumerate((FILE, "kikashi-game-2.sgf", "kikashi-game-3.sgf"), 1):
        session = Session(tmp_path, ["c3", *ending])
        assert session.ended_well
        assert sgf.read_game(tmp_path / name).moves == session.game.moves
        assert f"saved in {tmp_path / name}" in session.said
        assert session.said.splitlines()[-1] == f"go on with: kikashi play mogo-2006 --load {tmp_path / name}"
        assert len(list(tmp_path.iterdir())) == number


def test_a_game_that_cannot_be_saved_is_printed(tmp_path: Path) -> None:
    session = Session(tmp_path / "no such folder", ["c3"])
    text = session.said[session.said.index("(;") :]
    assert sgf.read_game(text).moves == session.game.moves


def test_ctrl_c_saves_the_game(tmp_path: Path) -> None:
    console = Console(file=io.StringIO(), force_terminal=False, width=80)
    typed = iter(["c3", "b2"])

    def ask(_prompt: str) -> str:
        line = next(typed, None)
        if line is None:
            signal.raise_signal(signal.SIGINT)
        return line or ""

    table = Table(console, ask, player(), new_game(size=5), folder=tmp_path)
    assert not table.run()
    assert sgf.read_game(tmp_path / FILE).moves == table.game.moves
    assert table.game.move_count == 4


# --- what is drawn ----------------------------------------------------------------------------------------------------


def text_of(written: str) -> str:
    """What was written, less colours and cursor movements."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)


def test_a_terminal_gets_pictures(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3", "hint", "estimate"], drawn=True)
    shown = text_of(session.said)
    assert {len(line) for line in shown.splitlines() if line.endswith("│")} == {52}
    assert " 3  ├─┼─●─┼─┤  3" in shown
    for title in ("─ move 1 ─", "─ hint ─", "─ estimate ─", "─ 5x5, komi 7.5 ─"):
        assert title in shown
    assert re.search(r"├─[a-e┼]", shown)
    assert "dark: likely Black's" in shown


@pytest.mark.parametrize("size", [5, 9, 13, 19])
def test_a_picture_lists_the_last_moves(tmp_path: Path, size: int) -> None:
    game = new_game(size=size)
    for move in ("A1", "B2", "C3", "D4", "E5", "B3", "B4", "B5", "C1", "C2", "A3", "A4"):
        game.push(move)
    shown = text_of(Session(tmp_path, [], game=game, drawn=True).said)
    assert re.search(r"12 +● +A4", shown)
    assert re.search(r"● +you 0 taken", shown)


# --- settings ---------------------------------------------------------------------------------------------------------


def test_new_games() -> None:
    game = new_game()
    assert (game.size, game.komi, str(game.rules), game.turn) == (9, 7.5, "positional", BLACK)
    game = new_game(size=13, komi=6.5, rules="tromp-taylor")
    assert (game.size, game.komi, str(game.rules)) == (13, 6.5, "tromp-taylor")
    game = new_game(handicap=3)
    assert (len(game.stones(BLACK)), game.komi, game.turn, game.handicap) == (3, 0.5, WHITE, 3)
    assert new_game(handicap=2, komi=5.0).komi == 5.0


@pytest.mark.parametrize(
    "settings", [{"size": 20}, {"komi": 0.3}, {"rules": "none"}, {"handicap": 1}, {"handicap": 100}], ids=str
)
def test_settings_that_are_not_right(settings: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"size|komi|rules|handicap"):
        new_game(**settings)


def test_loading_brings_its_own_size(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[7]KM[5.5]RU[Japanese]RE[B+R];B[dd];W[cc])")
    game = new_game(load=file, rules="situational", komi=6.5)
    assert (game.size, game.komi, str(game.rules), names(game)) == (7, 6.5, "situational", ["D4", "C5"])
    assert "RE" not in game.headers
    assert new_game(load=file, size=7).komi == 5.5
    for wrong in ({"size": 9}, {"handicap": 2}):
        with pytest.raises(ValueError, match="come with"):
            new_game(load=file, **wrong)
    with pytest.raises(OSError, match="no such"):
        new_game(load=tmp_path / "no such file")


def test_pondering_is_done_while_the_person_thinks(tmp_path: Path) -> None:
    engine = player(simulations=20)
    seen: list[int] = []

    pondering = engine.pondering

    def counted(game: Game):
        seen.append(game.move_count)
        return pondering(game)

    engine.pondering = counted  # type: ignore[method-assign]
    session = Session(tmp_path, ["c3", "hint", "b2", "undo", "resign", "quit"], engine=engine, ponder=True)
    assert seen == [0, 2, 2, 4, 2]
    assert session.game.is_over()
