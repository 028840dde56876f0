"""A person against a player: scripted sessions through every command, and nothing a person played is lost."""

import contextlib
import errno
import io
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from helpers.gtp_text import SETTLED
from kikashi import Analysis, Game, Limit, Player, sgf
from kikashi.board.points import BLACK, PASS, WHITE
from kikashi.cli import main
from kikashi.engine.player import Decision
from kikashi.files import write_whole
from kikashi.game import RESIGN
from kikashi.terminal import saved_game as record_module
from kikashi.terminal.play_session import (
    COUNTING,
    COUNTING_PROMPT,
    HELP,
    OVER,
    OVER_PROMPT,
    Table,
    adviser_of,
    new_game,
)
from kikashi.terminal.prompt import asker, matches
from kikashi.terminal.saved_game import FILE


def player(preset: str = "mogo-2006", simulations: int = 60, **more) -> Player:
    return Player(preset, limit=Limit(simulations), megabytes=16, **more)


class Stubborn(Player):
    """Always makes the same move."""

    move = PASS

    def decide(self, game: Game, analysis: Analysis) -> Decision:
        return Decision(self.move, analysis)


def stubborn() -> Player:
    return Stubborn("mogo-2006", limit=Limit(simulations=5), megabytes=1)


class Session:
    """A person's input at a table, and the output."""

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
        return self.console.file.getvalue()

    @property
    def answers(self) -> dict[str, str]:
        """By line typed, what was said to it."""
        prompts = "|".join(
            map(re.escape, ("Black", "White", OVER_PROMPT, COUNTING_PROMPT, "pass all the same, yes or no"))
        )
        pieces = re.split(rf"^(?:{prompts})> (.*)\n", self.said, flags=re.M)
        return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def names(game: Game) -> list[str]:
    return [move.name for move in game.moves]


# --- playing ----------------------------------------------------------------------------------------------------------


def test_a_new_game_has_its_date_and_a_loaded_one_keeps_its_own(tmp_path: Path) -> None:
    assert date.fromisoformat(new_game(size=5).headers["DT"])
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[5]DT[1846-07-21])")
    assert new_game(load=file).headers["DT"] == "1846-07-21"


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


def test_kernels_are_loaded_before_the_first_prompt(tmp_path: Path) -> None:
    """Else the first move has the time that loading leaves: 56 simulations on 19x19."""
    engine, seen = player(), []

    def ask(_prompt: str) -> str:
        seen.append(engine.last_search.size if engine.last_search else None)
        raise EOFError

    Table(Console(file=io.StringIO()), ask, engine, new_game(size=13), folder=tmp_path).run()
    assert seen == [13]


def test_a_level_is_shown_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = (
        CliRunner().invoke(main, ["play", "--level", "1", "--size", "5"], input="c3\n", catch_exceptions=False).stdout
    )
    assert "You are Black, kikashi level 1 is White." in said
    assert "kikashi level 1 plays " in said
    assert sgf.read_game(tmp_path / FILE).headers["PW"] == "kikashi level 1"


def test_the_engine_begins_when_the_person_is_white(tmp_path: Path) -> None:
    session = Session(tmp_path, ["undo"], color=WHITE)
    assert session.game.moves[0].color == BLACK
    assert session.answers["undo"].splitlines()[0] == "there is no move of yours to take back"
    assert session.game.headers.items() >= {"PB": "mogo-2006", "PW": "person"}.items()
    assert "You are White, mogo-2006 is Black." in session.said
    assert f"kikashi play mogo-2006 --color white --load {tmp_path / FILE}" in session.said


def test_without_a_terminal_all_is_plain(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3", "hint", "estimate", "undo", "board", "help", "save", "resign", "quit"])
    assert not re.search(r"[\x1b\r]", session.said)
    assert HELP in session.answers["help"]
    assert str(Game(5)) in session.answers["board"]


WRONG = {
    "z9": "'z9' is not a vertex such as D4, nor pass; help lists the commands",
    "a6": "a6 is off the 5x5 board; help lists the commands",
    "play c3": "'play c3' is not a vertex",
    "c3": "not at C3: the point is occupied",
    "é": "'é' is not a vertex",
    "[bold]": "'[bold]' is not a vertex",
    "save no/such/folder/game": "No such file or directory",
    "save taken.sgf": "taken.sgf is there already; save it under another name",
    "save .": "",
}


@pytest.mark.parametrize("typed", WRONG)
def test_a_wrong_command_is_one_line_and_changes_nothing(tmp_path: Path, typed: str) -> None:
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
    session = Session(tmp_path, ["c3", "b2", "undo", "undo", "undo", "b3"])
    assert session.answers["undo"].strip() == "there is no move of yours to take back"  # the last of the three
    assert session.said.count("taken back: ") == 2
    assert names(session.game)[0] == "B3"
    assert session.game.move_count == 2


@pytest.mark.parametrize("drawn", [False, True])
def test_a_hint_changes_nothing_not_even_the_answers(tmp_path: Path, drawn: bool) -> None:
    asked = Session(tmp_path, ["c3", "hint", "estimate", "hint", "b3"], drawn=drawn)
    silent = Session(tmp_path, ["c3", "b3"])
    assert names(asked.game) == names(silent.game)


def test_hints_are_strong_however_weak_the_opponent(tmp_path: Path) -> None:
    session = Session(tmp_path, ["hint"], engine=player(simulations=1))
    visits = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) visits", session.answers["hint"])]
    assert sum(visits) > 1_000
    weak, strong = adviser_of(player(simulations=1)), adviser_of(player(simulations=10**6))
    assert (weak.preset.name, weak.limit.simulations) == ("kikashi", 40_000)
    assert strong.limit.simulations == 10**6
    assert adviser_of(Player("mogo-2006", limit=Limit(seconds=20.0), megabytes=1)).limit == Limit(seconds=20.0)


def test_a_hint_names_legal_moves_and_a_variation(tmp_path: Path) -> None:
    session = Session(tmp_path, ["hint"], engine=player(simulations=400))
    *hints, blank, variation = session.answers["hint"].splitlines()[:7]
    found = [re.fullmatch(r"([a-e]) (\S+) +B \d+% +([\d,]+) visits", line) for line in hints]
    assert all(found), hints
    moves = [hint[2] for hint in found if hint]
    assert "".join(hint[1] for hint in found if hint) == "abcde"
    assert all(Game(5).is_legal(move) for move in moves)
    visits = [int(hint[3].replace(",", "")) for hint in found if hint]
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
    engine = Stubborn("mogo-2006", limit=Limit(simulations=5), megabytes=1)
    engine.move = RESIGN
    session = Session(tmp_path, ["c3", "quit"], engine=engine)
    assert "mogo-2006 resigns (W " in session.answers["c3"]
    assert "Black wins by resignation (B+R)" in session.answers["c3"]
    assert sgf.read_game(tmp_path / FILE).headers["RE"] == "B+R"


@pytest.mark.parametrize("drawn", [False, True])
def test_two_passes_end_the_game(tmp_path: Path, drawn: bool) -> None:
    engine = Stubborn("mogo-2006", limit=Limit(simulations=5), megabytes=1)
    session = Session(tmp_path, ["c3", "pass", "quit"], engine=engine, drawn=drawn)
    assert session.game.is_over()
    assert names(session.game) == ["C3", "pass", "pass"]  # the engine's pass and ours are two in succession
    assert "Black wins by 17.5 points (B+17.5)" in session.said


def at_the_end(*, white_has_passed: bool = False) -> Game:
    game = Game.from_diagram(SETTLED, turn="white" if white_has_passed else "black", komi=0.5)
    if white_has_passed:
        game.push("pass")
    return game


@pytest.mark.parametrize("drawn", [False, True])
def test_dead_stones_are_proposed_with_both_counts(tmp_path: Path, drawn: bool) -> None:
    session = Session(tmp_path, ["pass", "quit"], game=at_the_end(), engine=stubborn(), drawn=drawn)
    shown = text_of(session.said)
    sign = "✕" if drawn else "x and o"
    assert f"Dead, marked {sign} and not counted: Black G4; White B6" in shown
    assert "Black wins by 6.5 points (B+6.5)\nAs the board stands: White wins by 3.5 points (W+3.5)" in shown
    assert "A point such as g4: its stones are alive." in " ".join(shown.split())
    assert shown.count("✕") == (3 if drawn else 0), "two on the board, one in the words"
    assert drawn or " 6 . o . X O . . 6" in shown
    written = sgf.read_game(tmp_path / FILE)
    assert written.headers["RE"] == "B+6.5"
    assert written.comments[2] == "dead: G4 B6"


def test_a_person_says_which_stones_are_dead(tmp_path: Path) -> None:
    session = Session(
        tmp_path,
        ["pass", "b6", "G4", "a1", "z9", "pass", "b6", "hint", "undo", "board"],
        game=at_the_end(),
        engine=stubborn(),
    )
    assert session.said.count("not counted: Black G4\n") == 1
    assert "No stones are dead.\nWhite wins by 3.5 points (W+3.5)\nRight?" in session.answers["G4"]
    assert session.answers["a1"].strip() == "there is no stone at A1"
    assert "not a vertex" in session.answers["z9"]
    assert session.answers["hint"].strip() == COUNTING
    assert "not counted: White B6\n" in session.answers["b6"]
    assert names(session.game) == []
    assert "dead" not in session.answers["board"]
    assert list(tmp_path.iterdir()) == [], "no move is left"


@pytest.mark.parametrize("yes", ["", "yes", "OK"])
def test_the_count_is_accepted_with_enter(tmp_path: Path, yes: str) -> None:
    session = Session(tmp_path, ["pass", "b6", yes, "b6", "save end", "quit"], game=at_the_end(), engine=stubborn())
    assert session.answers[yes].startswith("Agreed: White wins by 12.5 points (W+12.5)\n")
    assert f"{OVER_PROMPT}> save end" in session.said
    assert f"{OVER_PROMPT}> b6\n{OVER}\n" in session.said, "what is agreed stays"
    assert sgf.read_game(tmp_path / "end.sgf").headers["RE"] == "W+12.5"


def test_undo_opens_an_accepted_count_again(tmp_path: Path) -> None:
    session = Session(tmp_path, ["pass", "", "undo", "pass"], game=at_the_end(), engine=stubborn())
    assert session.said.count("Right?") == 2


@pytest.mark.parametrize(("said", "passes"), [("yes", True), ("no", False), ("", False)])
def test_a_pass_that_loses_a_won_game_needs_a_confirmation(tmp_path: Path, said: str, passes: bool) -> None:
    session = Session(tmp_path, ["pass", said], game=at_the_end(white_has_passed=True), engine=stubborn())
    assert "You are ahead (B+6.5 by the estimate), but as the board stands it is W+3.5" in session.answers["pass"]
    assert session.game.is_over() is passes
    assert session.game.move_count == (2 if passes else 1)


def test_a_pass_that_loses_nothing_needs_no_confirmation(tmp_path: Path) -> None:
    for komi in (-20.5, 20.5):  # won or lost both ways
        game = at_the_end(white_has_passed=True)
        game.komi = komi
        session = Session(tmp_path, ["pass"], game=game, engine=stubborn())
        assert "all the same" not in session.said
        assert session.game.is_over()


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
    assert (loaded.moves, loaded.komi, loaded.rules.superko) == (session.game.moves, 7.5, "positional")
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


def test_the_game_is_on_the_disk_after_every_move(tmp_path: Path) -> None:
    """So whatever ends the program, no move is lost."""
    seen: list[list[str]] = []

    def ask(_prompt: str) -> str:
        file = tmp_path / FILE
        seen.append(names(sgf.read_game(file)) if file.exists() else [])
        if len(seen) > 3:
            raise EOFError
        return ["c3", "b2", "undo"][len(seen) - 1]

    table = Table(Console(file=io.StringIO()), ask, player(), new_game(size=5), folder=tmp_path)
    table.run()
    assert [len(moves) for moves in seen] == [0, 2, 4, 2]
    assert seen[1] == seen[3]


def test_a_full_disk_leaves_the_last_whole_game_and_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Path, text: str, **more: bool) -> None:
        if text.count(";") > 3:
            raise OSError(errno.ENOSPC, "No space left on device", str(file))
        write_whole(file, text, **more)

    monkeypatch.setattr(record_module, "write_whole", full)
    session = Session(tmp_path, ["c3", "b2", "b4", "save here", "quit"])
    assert names(sgf.read_game(tmp_path / FILE)) == names(session.game)[:2]
    assert session.said.count("the game cannot be saved: ") == 1
    assert "No space left on device" in session.answers["save here"]
    text = session.said[session.said.index("(;") :]
    assert sgf.read_game(text).moves == session.game.moves


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGKILL"])
def test_a_signal_loses_no_move(tmp_path: Path, name: str) -> None:
    command = [sys.executable, "-m", "kikashi", "play", "mogo-2006", "--size", "5", "--simulations", "20"]
    if name == "SIGHUP":  # where the tests run under nohup it is ignored, and so by all that they start
        heard = (
            "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
        )
        command = [sys.executable, "-c", heard, *command]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write("c3\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("mogo-2006 plays"):
                break
        process.send_signal(getattr(signal, name))
        process.wait(60)
    assert len(names(sgf.read_game(tmp_path / FILE))) == 2


def test_the_command_that_resumes_has_the_options_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = ["lgrf2", "--color", "white", "--simulations", "30", "--seed", "7", "--megabytes", "16", "--ponder"]
    said += ["--set", "choice.resign=0", "--set", "selection.exploration=0.1"]
    new = ["--size", "5", "--komi", "3.5"]
    first = CliRunner().invoke(main, ["play", *said, *new], input="undo\n", prog_name="kikashi", catch_exceptions=False)
    *command, load, file = shlex.split(first.stdout.splitlines()[-1].partition(": ")[2])
    assert (load, file) == ("--load", FILE)
    assert command[:2] == ["kikashi", "play"]
    assert sorted(command[2:]) == sorted(said)
    again = CliRunner().invoke(main, [*command[1:], load, file], input="c3\n", catch_exceptions=False)
    assert again.exit_code == 0
    assert "komi 3.5" in again.stdout


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
    """Return the output without colours and cursor movements."""
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


def test_without_colours_the_stones_differ(tmp_path: Path) -> None:
    game = new_game(size=5)
    for move in ("B2", "C3", "D4", "C2"):
        game.push(move)
    console = Console(file=io.StringIO(), force_terminal=True, no_color=True, width=80, _environ={"TERM": "xterm"})
    Table(console, asker(console, io.StringIO("estimate\n")), player(), game, folder=tmp_path).run()
    shown = text_of(console.file.getvalue())
    assert " 3  ├─┼─○─┼─┤  3" in shown
    assert " 2  ├─●─◎─┼─┤  2" in shown
    assert re.search(r" ○ +mogo-2006, 0 taken", shown)
    assert "x: likely Black's" in shown, "the wood cannot tell owners"


@pytest.mark.parametrize("size", [5, 9, 13, 19])
def test_a_picture_lists_the_last_moves(tmp_path: Path, size: int) -> None:
    game = new_game(size=size)
    for move in ("A1", "B2", "C3", "D4", "E5", "B3", "B4", "B5", "C1", "C2", "A3", "A4"):
        game.push(move)
    shown = text_of(Session(tmp_path, [], game=game, drawn=True).said)
    assert re.search(r"12 +● +A4", shown)
    assert re.search(r"● +you, 0 taken", shown)


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


# --- the tab key ------------------------------------------------------------------------------------------------------


def test_words_that_the_tab_key_completes(tmp_path: Path) -> None:
    session = Session(tmp_path, ["c3"])
    words = list(session.table.words())
    assert matches(words, "es") == ["estimate"]
    assert matches(words, "a") == ["a1", "a2", "a3", "a4", "a5"]
    assert matches(words, "C") == [name for name in ("C1", "C2", "C3", "C4", "C5") if session.game.is_legal(name)]
    assert {"pass", "resign", "undo", "hint", "save", "quit"} <= set(words)
    over = Session(tmp_path, ["pass"], game=at_the_end(), engine=stubborn())
    assert matches(over.table.words(), "b") == ["board", "b2", "b6"]


@pytest.mark.slow
def test_the_tab_key_at_a_terminal(tmp_path: Path) -> None:
    """``es`` and Tab is an estimate."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "kikashi", "play", "mogo-2006", "--size", "5", "--simulations", "20"]
    environment = {**os.environ, "TERM": "dumb", "INPUTRC": os.devnull}
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        said, prompt = b"", b"Black> "
        for prompts, typed in ((1, b"es\t\n"), (2, b"quit\n")):
            while said.count(prompt) < prompts:
                said += os.read(ours, 1 << 16)
            os.write(ours, typed)
        with contextlib.suppress(OSError):  # the other end is closed
            while data := os.read(ours, 1 << 16):
                said += data
        assert process.wait(60) == 0
    os.close(ours)
    assert b"komi included" in said
