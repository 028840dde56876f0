"""Regression files are read, cut into scripts that stand alone, and refused with the line that is wrong."""

from pathlib import Path

import pytest

from kikashi.experiments.regression import Expected, Script, parse_scripts

FILE = """
# A suite of ours. theme: opening
komi 5.5
boardsize 9
10 reg_genmove black  # a comment
#? [E5|D4]
play black E5
20 list_stones black
#? [E5]*

# theme: the end
boardsize 7
play black A1
30 reg_genmove white
#? [!pass]
komi 6.5
clear_board
play white A1
boardsize 5
40 get_komi
#? [6\\.5]
showboard
"""


def told(script: Script) -> list[str]:
    return [f"{step}{f' {step.expected}' if step.expected else ''}" for step in script.steps]


def test_a_file_is_cut_where_boards_are_set_up_and_keeps_its_settings() -> None:
    first, second, third = parse_scripts(FILE, "suites/file.tst")
    assert told(first) == [
        *("komi 5.5", "boardsize 9", "reg_genmove black E5|D4"),
        *("play black E5", "list_stones black E5"),
    ]
    assert told(second) == ["komi 5.5", "boardsize 7", "play black A1", "reg_genmove white !pass"]
    assert told(third) == ["komi 6.5", "boardsize 5", "get_komi 6\\.5"]
    assert [script.steps[-1].theme for script in (first, second, third)] == ["opening", "the end", "the end"]
    assert [step.expected.may_fail for step in first.steps if step.expected] == [False, True]
    assert [step.line for step in third.steps] == [16, 19, 20]


def test_a_theme_is_the_files_name_if_nothing_else_is_said() -> None:
    (script,) = parse_scripts("name\n#? [kikashi]", "suites/semeai.tst")
    assert script.steps[0].theme == "semeai"


@pytest.mark.parametrize(
    ("expected", "right", "wrong"),
    [
        (Expected("C3|D4"), ["C3", "d4"], ["C33", "pass", ""]),
        (Expected("C3|PASS", is_negated=True), ["D4"], ["c3", "pass"]),
        (Expected(r"[BW]\+0\.5"), ["B+0.5", " W+0.5 "], ["B+0x5", "B+1.5"]),
        (Expected("A1 B2 C3"), ["C3 A1 B2"], ["A1 B2", "A1 B2 C3 D4"]),
        (Expected(""), [""], ["A1"]),
    ],
)
def test_answers_are_judged_by_the_whole_pattern(expected: Expected, right: list[str], wrong: list[str]) -> None:
    assert all(expected.fits(answer) for answer in right)
    assert not any(expected.fits(answer) for answer in wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#? [C3]", "a.tst, line 1: no command stands before this answer"),
        ("name\n#? [a]\n#? [b]", "a.tst, line 3: no command stands before this answer"),
        ("name\n#? C3", r"a.tst, line 2: an answer is written as .*, not '#\? C3'"),
        ("name\n\n#? [C3(]", r"a.tst, line 3: 'C3\(' is not a pattern: "),
        ("loadsgf none.sgf\nname\n#? [a]", "a.tst, line 1: there is no file none.sgf"),
        ("name\nlz-analyze\n#? [a]", "a.tst, line 2: lz-analyze never ends by itself"),
        ("name\nplay black C3", "a.tst: there is no question in it"),
        ("", "a.tst: there is no question in it"),
    ],
)
def test_what_cannot_be_run_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        parse_scripts(text, "a.tst")
    assert "\n" not in str(raised.value)


def test_games_are_beside_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "with blanks"
    folder.mkdir()
    (folder / "game.sgf").write_text("(;SZ[5];B[aa])")
    (folder / "a.tst").write_text("loadsgf game.sgf 1\n1 list_stones black\n#? []\n")
    (script,) = parse_scripts((folder / "a.tst").read_text(), str(folder / "a.tst"))
    assert script.steps[0].command.arguments == (str(folder / "game.sgf"), "1")
