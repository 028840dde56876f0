"""Games by GTP: moves made, thought of and taken back, positions and files, and rules by all their names."""

import json
import re
from pathlib import Path

import pytest

from helpers.gtp_text import VERTEX, check_answer, fails, new_session, ok, play, says, state
from kikashi.board.points import BLACK, WHITE
from kikashi.game import Rules
from kikashi.protocols.gtp.session import GtpSession

# --- a game -----------------------------------------------------------------------------------------------------------


def test_a_game_begins_anew(session: GtpSession) -> None:
    play(session, "b C3")
    ok(session, "komi 6.5")
    assert ok(session, "boardsize 7") == ""
    assert (session.game.size, session.game.moves, session.game.komi) == (7, (), 6.5)
    play(session, "b G7")
    assert ok(session, "clear_board") == ""
    assert (session.game.size, session.game.moves, session.game.komi) == (7, (), 6.5)


def test_komi(session: GtpSession) -> None:
    for said, got in {"0": "0", "-3.5": "-3.5", "99999.5": "99999.5", "+5": "5", "7.50": "7.5"}.items():
        ok(session, f"komi {said}")
        assert ok(session, "get_komi") == got


def test_moves_of_any_colour_and_case(session: GtpSession) -> None:
    play(session, "BLACK c3", "b D4", "White d3", "W PASS", "b a01")
    assert sorted(ok(session, "list_stones b").split()) == ["A1", "C3", "D4"]
    assert ok(session, "list_stones white") == "D3"
    assert session.game.turn == WHITE


def test_legal_moves(session: GtpSession) -> None:
    play(session, "b A2", "b B1")
    assert ok(session, "is_legal w A1") == "0"
    assert ok(session, "is_legal b a1") == "1"
    assert ok(session, "is_legal w pass") == "1"
    assert len(ok(session, "all_legal w").split()) == 22
    assert len(ok(session, "all_legal b").split()) == 23


def test_a_generated_move_is_played(session: GtpSession) -> None:
    move = ok(session, "genmove b")
    assert re.fullmatch(VERTEX, move)
    assert session.game.moves[-1].name == move
    assert session.game.moves[-1].color == BLACK
    second = ok(session, "genmove b")
    assert session.game.moves[-1] == (BLACK, session.game.moves[-1].point), "either player may be asked"
    assert second != move


def test_a_move_is_thought_of_but_not_played(session: GtpSession) -> None:
    assert re.fullmatch(VERTEX, ok(session, "reg_genmove w"))
    assert session.game.moves == ()


def test_whole_games_are_legal(session: GtpSession) -> None:
    for color in "bwbwbwbwbw":
        move = ok(session, f"genmove {color}")
        assert re.fullmatch(f"{VERTEX}|resign", move)
        if move == "resign":
            break


def test_taking_back(session: GtpSession) -> None:
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
def test_positions_are_set_up(command: str, session: GtpSession) -> None:
    play(session, "b C3")
    ok(session, f"{command} b A1 w b2 W E5")
    assert ok(session, "list_stones w") == "B2 E5"
    assert (session.game.turn, session.game.komi) == (BLACK, 7.5)
    ok(session, "gogui-setup_player w")
    assert session.game.turn == WHITE
    ok(session, command)
    assert ok(session, "list_stones b") == ""


def test_a_sequence_is_played_whole(session: GtpSession) -> None:
    ok(session, "gogui-play_sequence b C3 w D3 b pass w C4")
    assert [str(move) for move in session.game.moves] == ["black C3", "white D3", "black pass", "white C4"]
    assert ok(session, "gogui-play_sequence") == ""
    assert session.game.move_count == 4


def test_the_board_is_shown(session: GtpSession) -> None:
    play(session, "b A2", "w A1", "b B1")
    shown = says(session, "showboard")
    check_answer(shown)
    assert " 1 . X . . . 1" in shown
    assert "white to play, move 4" in shown
    assert "komi 7.5, positional" in shown
    assert "black has taken 1, white 0" in shown


def test_files_come_back_as_they_were(session: GtpSession, tmp_path: Path) -> None:
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


def test_the_result_of_a_file_stays_until_a_move_is_played(session: GtpSession, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;SZ[5]KM[0.5]RE[W+T];B[cc];W[];B[])")
    ok(session, f"loadsgf {file}")
    assert "RE[W+T]" in ok(session, "printsgf")
    ok(session, "undo")
    assert "RE[W+T]" in ok(session, "printsgf")
    play(session, "b pass")
    assert "RE[" not in ok(session, "printsgf")


def test_a_broken_file_leaves_the_game_alone(session: GtpSession, tmp_path: Path) -> None:
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
    assert (free.game.rules, firm.game.rules) == (Rules("situational", bonus="N-1"), Rules("simple"))


# --- rules ------------------------------------------------------------------------------------------------------------

RULES = {
    "kgs-rules chinese": Rules("positional", bonus="N"),
    "kgs-rules japanese": Rules("simple", scoring="territory"),
    "kgs-rules AGA": Rules("situational", bonus="N-1"),
    "kgs-rules new_zealand": Rules("situational", suicide=True),
    "kata-set-rules tromp-taylor": Rules("positional", suicide=True),
    "kata-set-rules chinese": Rules("simple", bonus="N"),
    "kata-set-rules korean": Rules("simple", scoring="territory"),
    "kata-set-rules Chinese-OGS": Rules("positional", bonus="N"),
    "kata-set-rules chinese-kgs": Rules("positional", bonus="N"),
    "kata-set-rules bga": Rules("situational", bonus="N-1"),
    "kata-set-rules new-zealand": Rules("situational", suicide=True),
    "kata-set-rules {}": Rules("positional"),
    'kata-set-rules {"ko": "SIMPLE", "suicide": true}': Rules("simple", suicide=True),
    'kata-set-rules {"ko":"SITUATIONAL","scoring":"AREA","tax":"NONE","multiStoneSuicideLegal":true}': Rules(
        "situational", suicide=True
    ),
}


@pytest.mark.parametrize("line", RULES)
def test_rules_by_name(line: str, session: GtpSession) -> None:
    play(session, "b C3")
    assert ok(session, line) == ""
    assert session.game.rules == RULES[line]
    assert session.game.move_count == 1
    said = json.loads(ok(session, "kata-get-rules"))
    assert said["ko"] == RULES[line].superko.upper()
    assert said["suicide"] is RULES[line].suicide
    assert ok(session, "kata-set-rules " + json.dumps(said)) == "", "what is said can be set"
    assert session.game.rules == RULES[line]
    assert json.loads(ok(session, "kata-get-rules")) == said


BONUSES = {
    "kgs-rules chinese": 4,
    "kgs-rules aga": 3,
    "kgs-rules new_zealand": 0,
    "kata-set-rules chinese-ogs": 4,
    "kata-set-rules aga": 3,
    "kata-set-rules tromp-taylor": 0,
    'kata-set-rules {"whiteHandicapBonus":"N","friendlyPassOk":true}': 4,
    'kata-set-rules {"whiteHandicapBonus":"N-1"}': 3,
    "kata-set-rules {}": 0,
}


@pytest.mark.parametrize("line", BONUSES)
@pytest.mark.parametrize("rules_first", [True, False])
def test_the_bonus_for_handicap_stones_counts(line: str, rules_first: bool) -> None:
    session = new_session(9)
    for each in ["komi 0.5", *([line, "fixed_handicap 4"] if rules_first else ["fixed_handicap 4", line])]:
        ok(session, each)
    score = 81 - 0.5 - BONUSES[line]
    assert ok(session, "final_score") == f"B+{score:g}"
    assert ok(session, "get_komi") == "0.5"
    ok(session, "lz-analyze w 1")
    assert session.player._kept.search is not None
    assert session.player._kept.search.root["komi"] == 0.5 + BONUSES[line], "also in simulations"
    ok(session, "clear_board")
    ok(session, "komi 0")
    assert ok(session, "final_score") == "0"
