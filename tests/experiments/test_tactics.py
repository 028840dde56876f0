"""Tactical questions: what is asked, what is counted, and what `kikashi bench tactics` says about it."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kikashi.board import color_name, parse_vertex
from kikashi.cli import main
from kikashi.experiments.kinds.tactics import ALL, Answer, Tactics, run_script
from kikashi.experiments.problems import load_overlooked
from kikashi.experiments.regression import parse_scripts
from kikashi.game import Game
from kikashi.match.match_player import match_player
from kikashi.workers import executors

CAPTURE = """
# theme: capture
boardsize 5
set_position b A2 b B1 b C1 b D2 b C3 w B2 w C2
10 reg_genmove black
#? [B3]
20 reg_genmove black
#? [A5]
30 attack B2
#? [1 B3]
# theme: rules
40 is_legal white B3
#? [0]*
50 is_legal white A1
#? [1]*
60 play white A1
#? []
"""


def asked(text: str, simulations: int = 60) -> list[Answer]:
    player = match_player("kikashi-handmade", simulations=simulations)
    scripts = parse_scripts(text, "a.tst")
    return [answer for n, script in enumerate(scripts) for answer in run_script(script, n, player, 1)]


def test_answers_are_counted_by_theme() -> None:
    found = Tactics(asked(CAPTURE))
    assert [(answer.question, answer.is_right) for answer in found.answers] == [
        ("reg_genmove black", True),
        ("reg_genmove black", False),
        ("is_legal white B3", False),
        ("is_legal white A1", False),
        ("play white A1", False),
    ]
    capture, rules = found.tallies["capture"], found.tallies["rules"]
    assert (capture.solved, capture.asked, len(capture.shares)) == (1, 2, 1)
    assert capture.mean_share is not None
    assert 0 <= capture.mean_share < 0.3, "a move in the far corner is not what was thought about"
    assert (rules.solved, rules.asked, rules.shares, rules.mean_share) == (0, 3, (), None)
    assert (found.tallies[ALL].solved, found.tallies[ALL].asked) == (1, 5)
    assert found.answers[-1].answer.startswith("? white A1 is illegal: it is suicide")
    assert found.remarks() == ["1 question counts for nothing: there is no command attack"]
    told = found.failures()
    assert told[0].startswith("a.tst, line 7: reg_genmove black: B3 instead of A5 (right move ")
    assert told[1] == "a.tst, line 12: is_legal white B3: 1 instead of 0, as expected"


def test_unseen_moves_and_surprises_are_counted() -> None:
    def answer(share: float | None, is_right: bool, may_fail: bool = False) -> Answer:
        about = {"script": 0, "where": "", "theme": "ko", "question": "", "expected": "", "answer": ""}
        return Answer(**about, is_right=is_right, may_fail=may_fail, is_known=True, share=share)

    answers = [answer(0.5, True, True), answer(0.0, False), answer(0.2, False, True), answer(None, False)]
    numbers = Tactics(answers).as_json()["themes"]["ko"]
    interval = numbers.pop("interval")
    assert numbers == {"asked": 4, "solved": 1, "share": 0.1, "unseen": 1, "surprises": 1}
    assert interval == [0.0456, 0.6994]


def test_a_script_stands_alone_and_its_seed_decides() -> None:
    """Whether scripts run before it, in the same worker, changes nothing."""
    twice = asked("boardsize 5\nreg_genmove black\n#? [A1]\n" * 2)
    again = asked("boardsize 5\nreg_genmove black\n#? [A1]\n")
    assert [twice[0].answer, twice[0].share] == [again[0].answer, again[0].share]


def test_a_command_that_fails_unasked_ends_it_with_its_line() -> None:
    with pytest.raises(ValueError, match=r"a\.tst, line 2: play black A1: black A1 is illegal: the point is occupied"):
        asked("play black A1\nplay black A1\n1 name\n#? [kikashi]")
    with pytest.raises(ValueError, match=r"a\.tst, line 1: increase_depths: unknown command"):
        asked("increase_depths\n1 name\n#? [kikashi]")


# --- moves that were overlooked ---------------------------------------------------------------------------------------


def test_answers_to_the_overlooked_are_legal_where_they_are_asked() -> None:
    scripts = load_overlooked()
    assert len(scripts) == 48
    for script in scripts:
        komi, board, played, question = script.steps
        game = Game(int(board.command.arguments[0]), float(komi.command.arguments[0]))
        for name in played.command.arguments[1::2]:
            game.push(name)
        assert [color_name(game.turn)] == list(question.command.arguments)
        assert question.expected is not None
        for answer in question.expected.pattern.split("|"):
            assert game.is_legal(parse_vertex(answer, game.size))


@pytest.mark.thorough
def test_a_search_that_does_without_rave_now_and_then_overlooks_less() -> None:
    """RAVE and the prior say that a move is bad in all positions alike: such a move may never be looked at."""

    def unseen(every: int) -> int:
        player = match_player(f"kikashi --set selection.plain_every={every}", simulations=2000)
        scripts = list(enumerate(load_overlooked()))
        return sum(
            answer.share == 0
            for seed in (1, 2)
            for n, script in scripts
            for answer in run_script(script, n, player, seed)
        )

    assert unseen(every=4) < unseen(every=0) / 2


# --- the command ------------------------------------------------------------------------------------------------------


def test_our_second_set_is_asked_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless there is a file of this name."""
    counts = []
    monkeypatch.setattr(executors, "run_all", lambda tasks, *_more: counts.append(len(tasks)))
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert CliRunner().invoke(main, ["bench", "tactics", "overlooked"]).exit_code == 0
        Path("overlooked").write_text(QUICK)
    assert counts == [48, 1]


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.tst"
    bad.write_text("boardsize 5\n#? C3\n")
    cases = {
        ("bench", "tactics", str(bad)): f"{bad}, line 2: an answer is written as",
        ("bench", "tactics", str(tmp_path / "none.tst")): "none.tst",
        ("bench", "tactics", "--preset", "kikashy"): "there is no preset 'kikashy'; did you mean kikashi?",
        ("bench", "tactics", "--set", "selection.q=1"): "selection",
    }
    for words, message in cases.items():
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 1, words
        assert message in result.output
        assert len(result.output.splitlines()) == 1


QUICK = "boardsize 5\n1 name\n#? [kikashi]\n"


@pytest.mark.slow
def test_the_command_asks_in_processes(tmp_path: Path) -> None:
    (tmp_path / "two.tst").write_text(QUICK + "# theme: size\n" + QUICK)
    result = CliRunner().invoke(main, ["bench", "tactics", str(tmp_path / "two.tst"), "--concurrency", "1", "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["player"], report["simulations"], report["finished"]) == ("kikashi", 2000, True)
    assert {theme: numbers["solved"] for theme, numbers in report["themes"].items()} == {"two": 1, "size": 1, "all": 2}


def test_after_ctrl_c_it_tells_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_then_ctrl_c(tasks: Sequence[Any], work: Callable[[Any], Any], _workers: Any, note: Any) -> None:
        note(work(tasks[0]))
        raise KeyboardInterrupt

    monkeypatch.setattr(executors, "run_all", one_then_ctrl_c)
    (tmp_path / "two.tst").write_text(QUICK * 2)
    result = CliRunner().invoke(main, ["bench", "tactics", str(tmp_path / "two.tst")])
    assert result.exit_code == 130
    assert "interrupted after 1 of 2 positions" in result.stderr
    assert re.search(r"two +1 +1 +100%", result.stdout)
