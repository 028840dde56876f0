"""The GTP engine in this process: lines in, answers out. Analysis and clocks have files of their own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import kikashi
from gtp_text import VERTEX, check_answer, fails, new_session, ok, says, state
from kikashi.board.points import BLACK, WHITE
from kikashi.game import Rules
from kikashi.gtp import catalogue, commands
from kikashi.gtp.session import Session
from kikashi.preset import preset_names

DOCS = Path(__file__).resolve().parents[1] / "docs" / "gtp.md"


@pytest.fixture
def session() -> Session:
    return new_session()


def play(session: Session, *moves: str) -> None:
    """``"b C3"``, ``"w D3"``, …"""
    for move in moves:
        assert ok(session, f"play {move}") == ""


# --- on the wire ------------------------------------------------------------------------------------------------------

SPELLINGS = {
    "an id": ("12 name", "=12 kikashi\n\n"),
    "an id with zeros": ("007 name", "=007 kikashi\n\n"),
    "an id of many digits": (f"{'9' * 30} name", f"={'9' * 30} kikashi\n\n"),
    "the end of a line on Windows": ("name\r\n", "= kikashi\n\n"),
    "blanks around": ("   name   ", "= kikashi\n\n"),
    "tabs": ("3\tknown_command\tname", "=3 true\n\n"),
    "a comment": ("name # who are you", "= kikashi\n\n"),
    "a comment without a blank": ("name# who", "= kikashi\n\n"),
    "control characters": ("\x01na\x02me\x7f", "= kikashi\n\n"),
    "a form feed in a word": ("na\x0cme", "= kikashi\n\n"),
    "arguments that are too many": ("name of this program", "= kikashi\n\n"),
    "an unknown command": ("5 nmae", "?5 unknown command\n\n"),
    "upper case is another command": ("NAME", "? unknown command\n\n"),
    "a negative id is none": ("-1 name", "? unknown command\n\n"),
    "nothing": ("", ""),
    "blanks only": (" \t ", ""),
    "a comment only": ("# interrupt", ""),
    "an id and a comment": ("4 # nothing", ""),
}


@pytest.mark.parametrize("case", SPELLINGS)
def test_lines_as_controllers_spell_them(case: str, session: Session) -> None:
    line, answer = SPELLINGS[case]
    assert says(session, line) == answer


def test_failures_are_one_short_line(session: Session) -> None:
    text = says(session, "8 play b " + "x" * 5000)
    check_answer(text, "8")
    assert text.startswith("?8 ")
    assert len(text) < 320


def test_answers_of_many_lines_hold_no_empty_one(session: Session) -> None:
    session.game.comments[0] = "one\n\n\ntwo"
    text = says(session, "printsgf")
    check_answer(text)
    assert "two" in text


def test_who_answers(session: Session) -> None:
    assert ok(session, "protocol_version") == "2"
    assert ok(session, "version") == kikashi.__version__
    assert re.match(r"\d+\.\d+", ok(session, "version")), "Lizzie wants a number after the first dot"
    assert float(ok(session, "cputime")) > 0


def test_commands_are_listed_and_known(session: Session) -> None:
    listed = ok(session, "list_commands").split("\n")
    assert ok(session, "help").split("\n") == listed
    assert len(set(listed)) == len(listed)
    assert all(ok(session, f"known_command {name}") == "true" for name in listed)
    assert ok(session, "known_command analyze") == ok(session, "known_command") == "false"
    assert "analyze" not in listed, "Sabaki would take its win rates for integers"


def test_the_page_lists_the_commands_that_there_are(session: Session) -> None:
    page = DOCS.read_text("utf-8")
    assert page == catalogue.with_table(page), "make docs writes it"
    listed = ok(session, "list_commands").split("\n")
    assert re.findall(r"^\| `([\w-]+)", page.partition("## Commands")[2], re.MULTILINE) == listed


def test_quit_answers_first(session: Session) -> None:
    assert ok(session, "quit") == ""
    assert not session.running


def test_a_mistake_of_ours_costs_no_game(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(session: Session, arguments: object) -> str:
        raise ZeroDivisionError("oh\ndear")

    known = commands.KnownCommand("name", "name", broken, "standard")
    monkeypatch.setitem(commands.all_commands(), "name", known)
    assert says(session, "2 name") == "?2 internal error: ZeroDivisionError('oh\\ndear')\n\n"
    assert ok(session, "protocol_version") == "2"


# --- what cannot be done ----------------------------------------------------------------------------------------------

WRONG = {
    "boardsize": "unacceptable size",
    "boardsize 1": "unacceptable size",
    "boardsize 20": "unacceptable size",
    "boardsize nine": "unacceptable size",
    "boardsize +-9": "unacceptable size",
    "boardsize 9.0": "unacceptable size",
    "boardsize ٩": "unacceptable size",
    "komi": "write komi POINTS",
    "komi much": "'much' is not a number",
    "komi nan": "not a number",
    "komi inf": "not a number",
    "komi 1_0": "not a number",
    "komi 6.3": "multiple of 1/2",
    "komi 1e8": "more than",
    "play": "write play COLOR VERTEX",
    "play b": "write play COLOR VERTEX",
    "play green C3": "'green' is not a colour",
    "play b I3": "not a vertex",
    "play b C33": "off the 5x5 board",
    "play b F1": "off the 5x5 board",
    "play b C3": "occupied",
    "play w A1": "suicide",
    "genmove": "write genmove COLOR",
    "genmove c3": "not a colour",
    "reg_genmove": "write reg_genmove",
    "genmove_cleanup": "write",
    "gg-undo 4": "cannot undo",
    "gg-undo 0": "whole number",
    "gg-undo -1": "whole number",
    "gg-undo all": "whole number",
    "list_stones": "write list_stones COLOR",
    "list_stones red": "not a colour",
    "is_legal b": "write is_legal",
    "is_legal b Z1": "not a vertex",
    "all_legal": "write all_legal",
    "fixed_handicap 2": "no fixed handicap",
    "place_free_handicap 2": "empty board",
    "place_free_handicap 1": "2 to 24 stones",
    "place_free_handicap 25": "2 to 24 stones",
    "set_free_handicap A1 C1": "empty board",
    "set_free_handicap A1": "2 to 24 stones",
    "set_free_handicap A1 A1": "twice",
    "set_free_handicap A1 pass": "not a point",
    "set_position b": "write set_position",
    "set_position b pass": "not a point",
    "set_position b A1 w A1": "twice",
    "set_position b A1 w A2 w B1": "no liberty",
    "gogui-setup_player": "write gogui-setup_player",
    "gogui-play_sequence b A2 w D1 b A2": "occupied",
    "gogui-play_sequence b D4 w": "write gogui-play_sequence",
    "gogui-play_sequence b resign": "not a vertex",
    "loadsgf": "write loadsgf FILE",
    "loadsgf no/such/file.sgf": "cannot load file: No such file",
    "loadsgf .": "cannot load file",
    "loadsgf /dev/null": "cannot load file",
    "printsgf no/such/folder/game.sgf": "No such file",
    "kgs-rules": "write kgs-rules",
    "kgs-rules japanese": "'japanese' is not a rule set played here: chinese",
    "kata-set-rules": "not a rule set",
    "kata-set-rules japanese": "not a rule set",
    "kata-set-rules [1]": "not a rule set",
    "kata-set-rules {": "not JSON",
    'kata-set-rules {"ko":5}': "superko must be one of",
    'kata-set-rules {"ko":null}': "superko must be one of",
    'kata-set-rules {"suicide":1}': "suicide is true or false",
    'kata-set-rules {"scoring":"TERRITORY"}': 'scoring can only be "AREA"',
    'kata-set-rules {"tax":["ALL"]}': 'tax can only be "NONE"',
    "final_status_list": "write final_status_list",
    "final_status_list sleeping": "'sleeping' is not a status",
    "time_settings 1 2": "write time_settings",
    "time_settings -1 0 0": "less than nothing",
    "time_settings 1 2 many": "whole number",
    "time_settings 1 2 2.5": "whole number",
    "kgs-time_settings": "write kgs-time_settings",
    "kgs-time_settings fischer 10 1": "'fischer' is not a time system",
    "kgs-time_settings absolute": "write kgs-time_settings",
    "kgs-time_settings byoyomi 10 30": "write kgs-time_settings",
    "kgs-time_settings byoyomi 10 0 3": "lost at once",
    "kgs-time_settings byoyomi 10 10 0": "whole number",
    "kgs-time_settings canadian 10 0 3": "lost at once",
    "kata-time_settings fischer 10": "write kata-time_settings",
    "kata-time_settings fischer-capped 10 5 100": "write kata-time_settings",
    "time_left": "write time_left",
    "time_left b": "write time_left",
    "time_left b soon": "not a number",
    "time_left b 10 -1": "whole number",
    "lz-analyze c3": "not something an analysis can be asked for",
    "lz-analyze b interval": "write lz-analyze",
    "lz-analyze b interval soon": "whole number",
    "lz-analyze b ownership true": "not something an analysis can be asked for",
    "lz-analyze b allow b": "write lz-analyze",
    "lz-analyze b allow b X9 1": "not a vertex",
    "kata-analyze b ownership": "write kata-analyze",
    "kata-analyze b ownership yes": "neither true nor false",
    "kata-genmove_analyze b maxmoves 0": "whole number",
    "kikashi-explain": "nothing has been thought about",
    "kikashi-analysis": "nothing has been thought about",
    "kikashi-policy_statistics": "nothing has been thought about",
    "kikashi-preset mogo-2007": "mogo-2006",
    "kikashi-preset mogo-2006 selection.q=1": "'q'",
}


@pytest.mark.parametrize("line", WRONG)
def test_what_cannot_be_done_is_said_and_changes_nothing(line: str, session: Session) -> None:
    play(session, "b C3", "b A2", "b B1")
    before = state(session)
    assert WRONG[line] in fails(session, line)
    assert state(session) == before


@pytest.mark.parametrize(
    "line", ["play w C3", "play w pass", "play b resign", "genmove w", "lz-genmove_analyze w", "kgs-genmove_cleanup w"]
)
def test_after_a_resignation_nobody_moves(line: str, session: Session) -> None:
    play(session, "b D4", "b resign")
    before = state(session)
    assert "resigned" in fails(session, line)
    assert state(session) == before
    assert ok(session, "all_legal w") == ""
    assert ok(session, "final_status_list dead") == ""
    ok(session, "undo")
    play(session, "w C3")


# --- a game -----------------------------------------------------------------------------------------------------------


def test_a_game_begins_anew(session: Session) -> None:
    play(session, "b C3")
    ok(session, "komi 6.5")
    assert ok(session, "boardsize 7") == ""
    assert (session.game.size, session.game.moves, session.game.komi) == (7, (), 6.5)
    play(session, "b G7")
    assert ok(session, "clear_board") == ""
    assert (session.game.size, session.game.moves, session.game.komi) == (7, (), 6.5)


def test_komi(session: Session) -> None:
    for said, got in {"0": "0", "-3.5": "-3.5", "99999.5": "99999.5", "+5": "5", "7.50": "7.5"}.items():
        ok(session, f"komi {said}")
        assert ok(session, "get_komi") == got


def test_moves_of_any_colour_and_case(session: Session) -> None:
    play(session, "BLACK c3", "b D4", "White d3", "W PASS", "b a01")
    assert sorted(ok(session, "list_stones b").split()) == ["A1", "C3", "D4"]
    assert ok(session, "list_stones white") == "D3"
    assert session.game.turn == WHITE


def test_legal_moves(session: Session) -> None:
    play(session, "b A2", "b B1")
    assert ok(session, "is_legal w A1") == "0"
    assert ok(session, "is_legal b a1") == "1"
    assert ok(session, "is_legal w pass") == "1"
    assert len(ok(session, "all_legal w").split()) == 22
    assert len(ok(session, "all_legal b").split()) == 23


def test_a_generated_move_is_played(session: Session) -> None:
    move = ok(session, "genmove b")
    assert re.fullmatch(VERTEX, move)
    assert session.game.moves[-1].name == move
    assert session.game.moves[-1].color == BLACK
    second = ok(session, "genmove b")
    assert session.game.moves[-1] == (BLACK, session.game.moves[-1].point), "either player may be asked"
    assert second != move


def test_a_move_is_thought_of_but_not_played(session: Session) -> None:
    assert re.fullmatch(VERTEX, ok(session, "reg_genmove w"))
    assert session.game.moves == ()


def test_whole_games_are_legal(session: Session) -> None:
    for color in "bwbwbwbwbw":
        move = ok(session, f"genmove {color}")
        assert re.fullmatch(f"{VERTEX}|resign", move)
        if move == "resign":
            break


def test_taking_back(session: Session) -> None:
    assert "cannot undo" in fails(session, "undo")
    play(session, "b A2", "w A1", "b B1")
    assert ok(session, "list_stones w") == ""
    ok(session, "undo")
    assert ok(session, "list_stones w") == "A1"
    play(session, "b B1", "w C3", "b pass")
    ok(session, "gg-undo 3")
    assert [move.name for move in session.game.moves] == ["A2", "A1"]
    ok(session, "gg-undo")
    ok(session, "undo")
    assert session.game.moves == ()


def test_handicaps() -> None:
    session = new_session(9)
    assert ok(session, "fixed_handicap 4") == "C3 G7 C7 G3"
    assert (session.game.turn, session.game.handicap) == (WHITE, 4)
    assert "cannot undo" in fails(session, "undo")
    ok(session, "clear_board")
    stones = ok(session, "place_free_handicap 5").split()
    assert sorted(ok(session, "list_stones b").split()) == sorted(stones)
    assert len(set(stones)) == 5
    ok(session, "clear_board")
    assert ok(session, "set_free_handicap a1 C3 j9") == ""
    assert sorted(ok(session, "list_stones b").split()) == ["A1", "C3", "J9"]
    assert re.fullmatch(VERTEX, ok(session, "genmove w"))


# --- positions and files ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["set_position", "gogui-setup"])
def test_positions_are_set_up(command: str, session: Session) -> None:
    play(session, "b C3")
    ok(session, f"{command} b A1 w b2 W E5")
    assert ok(session, "list_stones w") == "B2 E5"
    assert (session.game.turn, session.game.komi) == (BLACK, 7.5)
    ok(session, "gogui-setup_player w")
    assert session.game.turn == WHITE
    ok(session, command)
    assert ok(session, "list_stones b") == ""


def test_a_sequence_is_played_whole(session: Session) -> None:
    ok(session, "gogui-play_sequence b C3 w D3 b pass w C4")
    assert [str(move) for move in session.game.moves] == ["black C3", "white D3", "black pass", "white C4"]
    assert ok(session, "gogui-play_sequence") == ""
    assert session.game.move_count == 4


def test_the_board_is_shown(session: Session) -> None:
    play(session, "b A2", "w A1", "b B1")
    shown = says(session, "showboard")
    check_answer(shown)
    assert " 1 . X . . . 1" in shown
    assert "white to play, move 4" in shown
    assert "komi 7.5, positional" in shown
    assert "black has taken 1, white 0" in shown


def test_files_come_back_as_they_were(session: Session, tmp_path: Path) -> None:
    ok(session, "set_position b C3 w C2")
    play(session, "b D2", "w pass", "b B2", "w D3", "b C1")
    text = ok(session, "printsgf")
    file = tmp_path / "game.sgf"
    assert ok(session, f"printsgf {file}") == ""
    assert file.read_text("utf-8").strip() == text
    shown = str(session.game)
    other = new_session(19)
    assert ok(other, f"loadsgf {file}") == "white"
    assert (str(other.game), other.game.moves, other.game.komi) == (shown, session.game.moves, 7.5)
    assert ok(other, "printsgf") == text
    assert ok(other, f"loadsgf {file} 3") == "black"
    assert other.game.move_count == 2
    assert ok(other, f"loadsgf {file} 1") == "black"
    assert other.game.move_count == 0


def test_a_broken_file_leaves_the_game_alone(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "broken.sgf"
    play(session, "b C3")
    before = state(session)
    for content in (b"", b"(;SZ[5];B[aa];W[aa])", b"(;SZ[5", b"\x00\xff\xfe", b"(;SZ[99])", b"(;GM[2])"):
        file.write_bytes(content)
        assert "cannot load file" in fails(session, f"loadsgf {file}")
        assert state(session) == before


def test_rules_of_a_file(tmp_path: Path) -> None:
    """They count, unless the engine was started with rules of its own."""
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[5]RU[AGA]KM[7.5])")
    free, firm = new_session(), new_session(rules="simple")
    ok(free, f"loadsgf {file}")
    ok(firm, f"loadsgf {file}")
    assert (free.game.rules, firm.game.rules) == (Rules("situational"), Rules("simple"))


# --- rules ------------------------------------------------------------------------------------------------------------

RULES = {
    "kgs-rules chinese": Rules("positional"),
    "kgs-rules AGA": Rules("situational"),
    "kgs-rules new_zealand": Rules("situational", suicide=True),
    "kata-set-rules tromp-taylor": Rules("positional", suicide=True),
    "kata-set-rules chinese": Rules("simple"),
    "kata-set-rules Chinese-OGS": Rules("positional"),
    "kata-set-rules chinese-kgs": Rules("positional"),
    "kata-set-rules bga": Rules("situational"),
    "kata-set-rules new-zealand": Rules("situational", suicide=True),
    "kata-set-rules {}": Rules("positional"),
    'kata-set-rules {"ko": "SIMPLE", "suicide": true}': Rules("simple", suicide=True),
    'kata-set-rules {"ko":"SITUATIONAL","scoring":"AREA","tax":"NONE","multiStoneSuicideLegal":true}': Rules(
        "situational", suicide=True
    ),
}


@pytest.mark.parametrize("line", RULES)
def test_rules_by_name(line: str, session: Session) -> None:
    play(session, "b C3")
    assert ok(session, line) == ""
    assert session.game.rules == RULES[line]
    assert session.game.move_count == 1
    said = json.loads(ok(session, "kata-get-rules"))
    assert said["ko"] == RULES[line].superko.upper()
    assert said["suicide"] is RULES[line].suicide
    assert ok(session, "kata-set-rules " + json.dumps(said)) == "", "what is said can be set"
    assert session.game.rules == RULES[line]


# --- the end of a game ------------------------------------------------------------------------------------------------

SETTLED = """
    . . . X O . .
    . O . X O . .
    . . . X O . .
    X . X X O . X
    . . . X O O O
    . X . X O . .
    . . . X O . .
"""
"""White's B6 and Black's G4 are dead; Black owns 28 points and White 21."""


@pytest.fixture
def settled() -> Session:
    session = new_session(7, playouts=100)
    session.take_game(kikashi.Game.from_diagram(SETTLED, komi=0.5))
    return session


def test_the_count_and_the_estimate(settled: Session) -> None:
    before = state(settled)
    assert ok(settled, "final_score") == "W+3.5", "as the board stands"
    assert ok(settled, "kikashi-estimate_score") == "B+6.5", "without the dead stones"
    assert state(settled) == before


def test_an_open_board_is_nobodys(session: Session) -> None:
    assert ok(session, "final_score") == ok(session, "kikashi-estimate_score") == "W+7.5"
    ok(session, "komi 0")
    assert ok(session, "final_score") == "0"


@pytest.mark.parametrize("komi", ["0.5", "-9.5", "9.5"])
@pytest.mark.parametrize("passes", [[], ["b pass"], ["b pass", "w pass"], ["b pass", "w pass", "b pass"], ["b resign"]])
def test_who_is_dead_does_not_depend_on_who_has_passed(passes: list[str], komi: str, settled: Session) -> None:
    """Nor on who would win if the board were counted as it stands."""
    ok(settled, f"komi {komi}")
    play(settled, *passes)
    assert sorted(ok(settled, "final_status_list dead").split()) == ["B6", "G4"]
    assert ok(settled, "kikashi-estimate_score") == {"0.5": "B+6.5", "-9.5": "B+16.5", "9.5": "W+2.5"}[komi]


def test_who_is_dead_and_who_owns_what(settled: Session) -> None:
    dead = ok(settled, "final_status_list dead").split("\n")
    assert sorted(dead) == ["B6", "G4"]
    alive = ok(settled, "final_status_list alive").split("\n")
    assert {frozenset(chain.split()) for chain in alive} >= {frozenset({"A4"}), frozenset({"B2"})}
    assert len(alive) == 4, "a chain in a line"
    assert ok(settled, "final_status_list seki") == ok(settled, "final_status_list dame") == ""
    black = set(ok(settled, "final_status_list black_territory").split())
    white = set(ok(settled, "final_status_list white_territory").split())
    assert len(black) == 28 - 10
    assert len(white) == 21 - 9
    assert "B6" in black
    assert "G4" in white


@pytest.mark.parametrize(
    ("command", "color", "dead", "moves"),
    [
        ("genmove_cleanup", "w", "G4", {"F4", "G5"}),
        ("kgs-genmove_cleanup", "b", "B6", {"A6", "B5", "B7", "C6"}),
    ],
)
def test_cleaning_up_takes_dead_stones_instead_of_passing(
    command: str, color: str, dead: str, moves: set[str], settled: Session
) -> None:
    other = "wb"[color == "w"]
    play(settled, "b pass", "w pass")
    played = set()
    for _ in moves:
        played.add(ok(settled, f"{command} {color}"))
        play(settled, f"{other} pass")
    assert played == moves, "the liberties of the dead stone"
    assert dead not in ok(settled, f"list_stones {other}").split()


def test_cleaning_up_never_resigns(session: Session) -> None:
    ok(session, "kikashi-preset mogo-2006 choice.resign=0.4")
    ok(session, "komi 100")
    play(session, *["b pass", "w pass"] * 3)
    assert "resign" not in [ok(session, "genmove_cleanup b") for _ in range(4)]
    assert "resign" in [says(session, "genmove b")[2:].strip() for _ in range(4)]


def test_ownership_is_a_table(settled: Session) -> None:
    rows = [[float(word) for word in row.split()] for row in ok(settled, "kikashi-ownership").split("\n")]
    assert [len(row) for row in rows] == [7] * 7
    assert all(owner > 0.9 for row in rows for owner in row[:4])
    assert all(owner < -0.9 for row in rows for owner in row[4:])


# --- what is special here, and GoGui's menu ---------------------------------------------------------------------------


def test_the_last_move_is_explained(session: Session) -> None:
    assert ok(session, "kgs-chat game somebody why") == "no move yet"
    move = ok(session, "genmove b")
    explained = ok(session, "kikashi-explain").split("\n")
    assert explained[0].startswith(f"{move}: win rate ")
    assert explained[1].startswith(move), "the most visited first"
    assert 2 < len(explained) <= 6
    assert ok(session, "kgs-chat game somebody why") == explained[0]
    shares = [line.rpartition(" ") for line in ok(session, "kikashi-policy_statistics").split("\n")]
    assert sum(float(share.rstrip("%")) for _, _, share in shares) == pytest.approx(100, abs=0.1)
    found = json.loads(ok(session, "kikashi-analysis"))
    assert (found["to_play"], len(found["ownership"])) == (BLACK, 25)
    ok(session, "clear_board")
    assert "nothing has been thought about" in fails(session, "kikashi-explain")


def test_presets_can_be_changed(session: Session) -> None:
    assert ok(session, "kikashi-presets").split("\n") == list(preset_names())
    assert ok(session, "kikashi-preset").startswith("kikashi: ")
    assert ok(session, "kikashi-preset mogo-2006 selection.p=1.2").startswith("mogo-2006")
    assert session.player.preset.rules.selection.values["p"] == 1.2
    assert re.fullmatch(VERTEX, ok(session, "genmove b"))
    assert ok(session, "kikashi-preset").startswith("mogo-2006")


def test_the_menu_of_gogui_names_commands_that_work(settled: Session) -> None:
    ok(settled, "genmove b")
    for line in ok(settled, "gogui-analyze_commands").split("\n"):
        kind, label, command = line.split("/")
        assert kind in ("dboard", "string", "plist")
        assert label
        ok(settled, command.replace("%c", "black"))
    assert ok(settled, "gogui-interrupt") == ok(settled, "kgs-game_over") == ""
