"""``kikashi trace``: simulations in the terminal and as JSON, from a record or an empty board."""

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from kikashi import Game, Player
from kikashi.cli import main
from kikashi.engine.trace import Trace

RECORD = "(;SZ[5]KM[0.5];B[cc];W[cb];B[dc])"


def run(*arguments: str | Path, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["trace", "--preset", "mogo-2006-pure", *map(str, arguments)], input=text)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    file = tmp_path / "game.sgf"
    file.write_text(RECORD)
    return file


def test_the_steps_of_a_simulation_are_printed_in_order() -> None:
    result = run("--size", "5", "--after", "40")
    assert result.exit_code == 0, result.stderr
    steps = ["simulation 41", "root: 40 visits", "has the largest total", "playout:", "result by playout", "40 → 41"]
    places = [result.stdout.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)


def test_json_has_the_records_of_the_player(record: Path) -> None:
    found = json.loads(run("--sgf", record, "--move", "2", "--simulations", "3", "--seed", "5", "--json").stdout)
    game = Game(5, komi=0.5)
    game.push("C3")
    game.push("C4")
    traces = Player("mogo-2006-pure", seed=5).trace(game, 3)
    assert {key: found[key] for key in ("preset", "seed", "after")} == {
        "preset": "mogo-2006-pure",
        "seed": 5,
        "after": 0,
    }
    assert msgspec.convert(found["simulations"], list[Trace]) == list(traces)


def test_a_record_comes_from_standard_input_too() -> None:
    result = run("--sgf", "-", "--json", text=RECORD)
    assert json.loads(result.stdout)["simulations"][0]["path"][0]["to_play"] == "white"


WRONG = {
    "a move without a record": (("--move", "3"), "--move is a number of a game's move: it needs --sgf"),
    "a move that the record lacks": (
        ("--sgf", "{record}", "--move", "9"),
        "{record} has 3 moves, so there is no move 9",
    ),
    "a size beside a record": (("--sgf", "{record}", "--size", "5"), "leave out --size, or --sgf"),
    "a preset that is not there": (("--preset", "nobody"), "nobody"),
    "a setting that is not there": (("--set", "selection.q=1"), "has no parameter 'q'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_one_line(case: str, record: Path) -> None:
    arguments, message = WRONG[case]
    result = run(*(each.format(record=record) for each in arguments))
    assert result.exit_code == 1
    assert message.format(record=record) in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
