"""Games by GTP: moves, positions, files, rules, and the end with its count, dead stones and cleaning up."""

import json
import re
from pathlib import Path

import pytest

from helpers.gtp_text import VERTEX, WON_BY_A_DEAD_STONE, check_answer, fails, new_session, ok, play, says, state
from kikashi.board.points import BLACK, WHITE
from kikashi.engine.scoring import judge
from kikashi.game import Game, Rules
from kikashi.protocols.gtp import session as session_module
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
    assert session.player._kept.search.root["komi"] == 0.5 + BONUSES[line], "also in simulations"
    ok(session, "clear_board")
    ok(session, "komi 0")
    assert ok(session, "final_score") == "0"


# --- the end ----------------------------------------------------------------------------------------------------------


def test_the_count_and_the_estimate(settled: GtpSession) -> None:
    before = state(settled)
    assert ok(settled, "final_score") == "W+3.5", "as the board stands"
    assert ok(settled, "kikashi-estimate_score") == "B+6.5", "without the dead stones"
    assert state(settled) == before


def test_an_open_board_is_nobodys(session: GtpSession) -> None:
    ok(session, "boardsize 9")  # on 5x5 it is clear whose the board will be
    assert ok(session, "final_score") == ok(session, "kikashi-estimate_score") == "W+7.5"
    ok(session, "komi 0")
    assert ok(session, "final_score") == "0"


@pytest.mark.parametrize("komi", ["0.5", "-9.5", "9.5"])
@pytest.mark.parametrize("passes", [[], ["b pass"], ["b pass", "w pass"], ["b pass", "w pass", "b pass"], ["b resign"]])
def test_dead_stones_do_not_depend_on_passes(passes: list[str], komi: str, settled: GtpSession) -> None:
    """Nor on who would win if the board were counted as it stands."""
    ok(settled, f"komi {komi}")
    play(settled, *passes)
    assert sorted(ok(settled, "final_status_list dead").split()) == ["B6", "G4"]
    assert ok(settled, "kikashi-estimate_score") == {"0.5": "B+6.5", "-9.5": "B+16.5", "9.5": "W+2.5"}[komi]


def test_dead_stones_and_territory(settled: GtpSession) -> None:
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
    command: str, color: str, dead: str, moves: set[str], settled: GtpSession
) -> None:
    other = "wb"[color == "w"]
    play(settled, "b pass", "w pass")
    played = set()
    for _ in moves:
        played.add(ok(settled, f"{command} {color}"))
        play(settled, f"{other} pass")
    assert played == moves, "the liberties of the dead stone"
    assert dead not in ok(settled, f"list_stones {other}").split()


def test_cleaning_up_never_resigns(session: GtpSession) -> None:
    ok(session, "kikashi-preset mogo-2006 choice.resign=0.4")
    ok(session, "komi 100")
    play(session, *["b pass", "w pass"] * 3)
    assert "resign" not in [ok(session, "genmove_cleanup b") for _ in range(4)]
    assert "resign" in [says(session, "genmove b")[2:].strip() for _ in range(4)]


def test_ownership_is_a_table(settled: GtpSession) -> None:
    rows = [[float(word) for word in row.split()] for row in ok(settled, "kikashi-ownership").split("\n")]
    assert [len(row) for row in rows] == [7] * 7
    assert all(owner > 0.9 for row in rows for owner in row[:4])
    assert all(owner < -0.9 for row in rows for owner in row[4:])


def won_by_a_dead_stone(simulations: int = 200) -> GtpSession:
    session = new_session(9, simulations)
    session.take_game(Game.from_diagram(WON_BY_A_DEAD_STONE, komi=-10.5))
    ok(session, "kgs-rules chinese")
    return session


def test_a_game_is_not_lost_by_a_pass() -> None:
    """White's count is won, but servers that take A8 off would give the game to Black."""
    session = won_by_a_dead_stone()
    assert (ok(session, "final_score"), ok(session, "kikashi-estimate_score")) == ("W+8.5", "B+1.5")
    play(session, "b pass")
    assert ok(session, "reg_genmove w") == ok(session, "genmove w") == "F9"
    play(session, "b E9")
    for _ in range(4):
        if ok(session, "genmove w") == "pass":
            break
        play(session, "b pass")
    assert session.game.is_over()
    for score in (ok(session, "final_score"), ok(session, "kikashi-estimate_score")):
        assert score.startswith("W+")


@pytest.mark.parametrize("simulations", [20, 200])
def test_dead_stones_agree_with_the_pass(simulations: int, monkeypatch: pytest.MonkeyPatch) -> None:
    session = won_by_a_dead_stone(simulations)
    ok(session, "komi 2.5")
    play(session, "b pass")
    assert ok(session, "genmove w") == "pass"
    judged: list[Game] = []
    monkeypatch.setattr(
        session_module, "judge", lambda player, game, **more: judged.append(game) or judge(player, game, **more)
    )
    dead = ok(session, "final_status_list dead").split()
    assert dead == ["A8"]
    assert judged == [], "nothing was thought about anew"
    assert session.game.score() < session.game.score(dead) < 0
    ok(session, "undo")
    play(session, "w F9")
    assert ok(session, "final_status_list dead").split() == ["A8"]
    assert judged == [session.game], "in another position it was"


def test_a_board_that_is_lost_without_the_dead_stones_is_left_as_it_is() -> None:
    """Nothing better can be done: White passes and says honestly that A8 is dead."""
    session = won_by_a_dead_stone()
    play(session, "w F9", "b E9", "w G9", "b A7")
    ok(session, "komi -50.5")
    session.game.komi = session.game.score() + session.game.komi + 4.5  # White wins the count by 4.5
    play(session, "b pass")
    assert ok(session, "genmove w") == "pass"
    assert "A8" in ok(session, "final_status_list dead").split()
    assert ok(session, "kikashi-estimate_score").startswith("B+")
