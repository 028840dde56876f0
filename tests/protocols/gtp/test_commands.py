"""The GTP engine in this process: lines in, answers out. Games, ends, analysis and clocks have files of their own."""

import json
import re
import runpy
import time
from dataclasses import replace
from pathlib import Path

import pytest

import kikashi
from helpers.gtp_text import VERTEX, check_answer, fails, noise, ok, play, says, state
from kikashi.board.points import BLACK
from kikashi.engine.preset import preset_names
from kikashi.protocols.gtp.protocol import COMMANDS, Arguments, KnownCommand
from kikashi.protocols.gtp.session import GtpSession
from kikashi.search import TreeSearch

DOCS = Path(__file__).resolve().parents[3] / "docs" / "gtp.md"


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
    "arguments that are too many": ("name of this program", "? 'of this program' is too much; write name\n\n"),
    "the mark of a file of Windows": ("\ufeff1 name", "=1 kikashi\n\n"),
    "an unknown command": ("5 nmae", "?5 unknown command\n\n"),
    "upper case is another command": ("NAME", "? unknown command\n\n"),
    "a negative id is none": ("-1 name", "? unknown command\n\n"),
    "nothing": ("", ""),
    "blanks only": (" \t ", ""),
    "a comment only": ("# interrupt", ""),
    "an id and a comment": ("4 # nothing", ""),
}


@pytest.mark.parametrize("case", SPELLINGS)
def test_lines_as_controllers_spell_them(case: str, session: GtpSession) -> None:
    line, answer = SPELLINGS[case]
    assert says(session, line) == answer


def test_failures_are_one_short_line(session: GtpSession) -> None:
    text = says(session, "8 play b " + "x" * 5000)
    check_answer(text, "8")
    assert text.startswith("?8 ")
    assert len(text) < 320


def test_answers_of_many_lines_hold_no_empty_one(session: GtpSession) -> None:
    session.game.comments[0] = "one\n\n\ntwo"
    text = says(session, "printsgf")
    check_answer(text)
    assert "two" in text


def test_names_and_versions(session: GtpSession) -> None:
    assert ok(session, "protocol_version") == "2"
    assert f"kikashi {kikashi.__version__}" in ok(session, "version")
    minor = says(session, "1 version").strip().split(" ")[1].split(".")[1]
    assert int(minor) >= 15, "what Lizzie does with the answer"
    assert float(ok(session, "cputime")) > 0


def test_commands_are_listed_and_known(session: GtpSession) -> None:
    listed = ok(session, "list_commands").split("\n")
    assert ok(session, "help").split("\n") == listed
    assert len(set(listed)) == len(listed)
    assert all(ok(session, f"known_command {name}") == "true" for name in listed)
    assert ok(session, "known_command analyze") == ok(session, "known_command") == "false"
    assert "analyze" not in listed, "Sabaki would take its win rates for integers"


def test_the_page_lists_the_commands_that_there_are(session: GtpSession) -> None:
    page, with_table = DOCS.read_text("utf-8"), runpy.run_path(str(DOCS.parent / "site/gtp_commands.py"))["with_table"]
    assert page == with_table(page), "make docs writes it"
    listed = ok(session, "list_commands").split("\n")
    home = "kikashi.protocols.gtp.commands."  # examples in docstrings register others
    listed = [name for name in listed if COMMANDS[name].function.__module__.startswith(home)]
    assert re.findall(r"^\| `([\w-]+)", page.partition("## Commands")[2], re.MULTILINE) == listed


def test_quit_answers_first(session: GtpSession) -> None:
    assert ok(session, "quit") == ""
    assert not session.running


def test_a_mistake_of_ours_costs_no_game(session: GtpSession, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(session: GtpSession, arguments: object) -> str:
        raise ZeroDivisionError("oh\ndear")

    known = KnownCommand("name", "name", broken, "standard")
    monkeypatch.setitem(COMMANDS, "name", known)
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
    "boardsize 13 9": "'9' is too much; write boardsize SIZE",
    "play b D4 w E5": "'w E5' is too much",
    "undo 2": "'2' is too much; write undo",
    "quit now": "'now' is too much",
    "printsgf my out.sgf": "'out.sgf' is too much; write printsgf [FILE]",
    "kgs-time_settings none 5": "'5' is too much",
    "kata-time_settings absolute 5 6": "'6' is too much",
    "time_settings 1 2 3 4": "'4' is too much",
    'kata-set-rules {"whiteHandicapBonus":"N+1"}': 'whiteHandicapBonus can only be 0, N-1, N, not "N+1"',
    'kata-set-rules {"whiteHandicapBonus":1}': "whiteHandicapBonus can only be 0, N-1, N, not 1",
    'kata-set-rules {"friendlyPassOk":"yes"}': "friendlyPassOk is true or false",
    'kata-set-rules {"handicapBonus":"N"}': "'handicapBonus' is not a rule; did you mean whiteHandicapBonus?",
    "kata-get-param thread": "there is no parameter 'thread'; did you mean threads?",
    "kata-set-param threads": "write kata-set-param NAME VALUE",
    "kata-set-param threads 0": "whole number from 1 to 256",
    "kata-set-param simulations 1e3": "whole number",
    "kata-set-param seconds 0": "seconds must be above 0",
    "kata-set-param megabytes 0": "at least 1",
    "kata-set-param megabytes 900000000": "more than this machine has",
    "kata-set-param ponder maybe": "neither true nor false",
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
    "set_free_handicap A1 A1": "empty board",
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
    "kgs-rules korean": "'korean' is not a rule set played here: there are chinese",
    "kata-set-rules": "not a rule set",
    "kata-set-rules stone-scoring": "not a rule set",
    "kata-set-rules [1]": "not a rule set",
    "kata-set-rules {": "not JSON",
    'kata-set-rules {"ko":5}': "ko can only be POSITIONAL, SITUATIONAL, SIMPLE, not 5",
    'kata-set-rules {"ko":null}': "ko can only be POSITIONAL, SITUATIONAL, SIMPLE, not null",
    'kata-set-rules {"suicide":1}': "suicide is true or false",
    'kata-set-rules {"scoring":"TERRITORY","tax":"NONE"}': "tax can only be SEKI where territory counts",
    'kata-set-rules {"tax":["ALL"]}': 'tax can only be NONE where area counts, not ["ALL"]',
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
    "lz-analyze c3": "not a key of an analysis",
    "lz-analyze b interval": "write lz-analyze",
    "lz-analyze b interval soon": "whole number",
    "lz-analyze b ownership true": "not a key of an analysis",
    "lz-analyze b allow b": "write lz-analyze",
    "lz-analyze b allow b X9 1": "not a vertex",
    "kata-analyze b ownership": "write kata-analyze",
    "kata-analyze b ownership yes": "neither true nor false",
    "kata-genmove_analyze b maxmoves 0": "whole number",
    "kikashi-explain": "no move has been searched",
    "kikashi-analysis": "no move has been searched",
    "kikashi-policy_statistics": "no move has been searched",
    "kikashi-preset mogo-206": "mogo-2006",
    "kikashi-preset mogo-2006 selection.q=1": "'q'",
}


@pytest.mark.parametrize("line", WRONG)
def test_a_command_that_fails_gives_the_reason_and_changes_nothing(line: str, session: GtpSession) -> None:
    play(session, "b C3", "b A2", "b B1")
    before = state(session)
    assert WRONG[line] in fails(session, line)
    assert state(session) == before


@pytest.mark.parametrize(
    "line", ["play w C3", "play w pass", "play b resign", "genmove w", "lz-genmove_analyze w", "kgs-genmove_cleanup w"]
)
def test_after_a_resignation_nobody_moves(line: str, session: GtpSession) -> None:
    play(session, "b D4", "b resign")
    before = state(session)
    assert "resigned" in fails(session, line)
    assert state(session) == before
    assert ok(session, "all_legal w") == ""
    assert ok(session, "final_status_list dead") == ""
    ok(session, "undo")
    play(session, "w C3")


# --- parameters -------------------------------------------------------------------------------------------------------

PARAMETERS = {
    "simulations": ("70", "70"),
    "maxVisits": ("80", "80"),
    "seconds": ("2.5", "2.5"),
    "maxTime": ("none", "none"),
    "threads": ("2", "2"),
    "numSearchThreads": ("2", "2"),
    "megabytes": ("8", "8"),
    "ponder": ("TRUE", "true"),
    "ponderingEnabled": ("false", "false"),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_set_and_answered(name: str, session: GtpSession) -> None:
    said, told = PARAMETERS[name]
    assert name in ok(session, "kata-list-params").split()
    assert ok(session, f"kata-set-param {name} {said}") == ""
    assert ok(session, f"kata-get-param {name}") == told
    assert re.fullmatch(VERTEX, ok(session, "genmove b"))


def test_parameters_count_from_the_next_move_on(session: GtpSession) -> None:
    ok(session, "genmove b")
    for line in ("simulations 55", "threads 2", "megabytes 2"):
        ok(session, f"kata-set-param {line}")
    session.player.early_stop = False
    ok(session, "genmove w")
    assert session.last.analysis.simulations == 55
    assert len(session.player._kept.search.workers) == 2
    ok(session, "kata-set-param simulations none")
    assert session.limit is None
    assert ok(session, "kata-get-param seconds") == "none"


# --- what is special here, and GoGui's menu ---------------------------------------------------------------------------


def test_the_last_move_is_explained(session: GtpSession) -> None:
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
    assert "no move has been searched" in fails(session, "kikashi-explain")


def test_the_points_of_group_and_zone_are_shown(session: GtpSession) -> None:
    ok(session, "boardsize 9")
    everything = ok(session, "kikashi-group").split()
    assert len(everything) == 81, "nobody has moved"
    play(session, "b C3")
    group, zone = ok(session, "kikashi-group").split(), ok(session, "kikashi-zone").split()
    assert group == ["C1", "B2", "C2", "D2", "A3", "B3", "C3", "D3", "E3", "B4", "C4", "D4", "C5"]
    assert set(group) < set(zone) < set(everything)
    ok(session, "kikashi-preset mogo-2006-zone region.distance=1 zone.distance=1 zone.margin=0")
    assert ok(session, "kikashi-zone") == ok(session, "kikashi-group") == "C2 B3 C3 D3 C4"
    assert re.fullmatch(VERTEX, ok(session, "genmove w"))
    play(session, "b pass")
    assert ok(session, "kikashi-zone").split() == everything


def test_the_win_rates_of_a_zone_name_their_komi(session: GtpSession) -> None:
    ok(session, "boardsize 9")
    ok(session, "kikashi-preset mogo-2006-zone")
    play(session, "b C3")
    ok(session, "genmove w")
    found = json.loads(ok(session, "kikashi-analysis"))
    assert found["outside"] is not None
    assert f"by a komi of {found['internal_komi']:g}" in ok(session, "kikashi-explain")


def test_presets_can_be_changed(session: GtpSession) -> None:
    assert ok(session, "kikashi-presets").split("\n") == list(preset_names())
    assert ok(session, "kikashi-preset").startswith("kikashi: ")
    assert ok(session, "kikashi-preset mogo-2006 selection.p=1.2").startswith("mogo-2006")
    assert session.player.preset.config.rules["selection"].values["p"] == 1.2
    assert re.fullmatch(VERTEX, ok(session, "genmove b"))
    assert ok(session, "kikashi-preset").startswith("mogo-2006")


@pytest.mark.parametrize("asked", ["reg_genmove b", "lz-analyze b 1"])
def test_a_question_does_not_make_the_next_move_a_resignation(asked: str, session: GtpSession) -> None:
    """Only moves that were played count as signs that the game is lost."""
    ok(session, "kikashi-preset mogo-2006 choice.resign=0.1")
    ok(session, "komi 100")
    play(session, *["b pass", "w pass"] * 3)
    for _ in range(4):
        assert "resign" not in ok(session, asked)
    assert ok(session, "genmove b") != "resign"
    play(session, "w pass")
    assert ok(session, "genmove b") == "resign"


def test_resign_is_accepted_in_any_case(session: GtpSession) -> None:
    play(session, "b C3", "w ReSiGn")
    assert session.game.result() == "B+R"


@pytest.mark.parametrize("line", ["genmove b", "lz-analyze b 1", "kata-genmove_analyze b 1"])
def test_a_full_tree_is_warned_of_once(
    line: str, session: GtpSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    analysis = TreeSearch.analysis
    ok(session, line)
    assert noise(capsys.readouterr().err) == ""
    monkeypatch.setattr(TreeSearch, "analysis", lambda *search, **more: replace(analysis(*search, **more), full=True))
    ok(session, line)
    said = noise(capsys.readouterr().err)
    assert said.count("\n") == 1
    assert "no room left" in said
    assert "--megabytes" in said
    for again in (line, "genmove w"):
        ok(session, again)
    assert noise(capsys.readouterr().err) == ""


def test_the_menu_of_gogui_names_commands_that_work(settled: GtpSession) -> None:
    ok(settled, "genmove b")
    for line in ok(settled, "gogui-analyze_commands").split("\n"):
        kind, label, command = line.split("/")
        assert kind in ("dboard", "string", "plist")
        assert label
        ok(settled, command.replace("%c", "black"))
    assert ok(settled, "gogui-interrupt") == ok(settled, "kgs-game_over") == ""


def test_many_arguments_cost_in_proportion() -> None:
    """Twenty times as many took a thousand times as long. The least of three: other processes are in the way."""

    def cost(number: int) -> float:
        arguments = Arguments(["A1"] * number, "")
        started = time.process_time()
        while arguments:
            arguments.text()
        return time.process_time() - started

    few, many = (min(cost(number) for _ in range(3)) for number in (20_000, 400_000))
    assert many < 100 * few
