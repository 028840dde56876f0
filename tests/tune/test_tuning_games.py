"""The games of a tuning: the journal has every game once, whatever the workers and interruptions."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from helpers.match_tools import ONE, PATIENCE, check_refused, engine, eventually, record, winning, without_times
from kikashi.board import vertex
from kikashi.cli import main
from kikashi.cli.options import RunOptions
from kikashi.engine.preset import load_preset
from kikashi.learn.training_games import read_training_games
from kikashi.match import runner as match
from kikashi.match.failures import MatchStopped
from kikashi.match.journal import FILE, read_records
from kikashi.match.one_game import GameRecord, GameTask
from kikashi.tune import trials
from kikashi.tune.trials import TrialGame, outcomes_of, run_trials, tuning_in
from kikashi.tune.tuning import Parameter, Tuning, load_tuning
from kikashi.workers.executors import Workers
from kikashi.workers.watchdog import note_path, trace_path

PARAMETERS = (
    Parameter("selection.x", 0.0001, 0.01, "logarithmic", start=0.0003),
    Parameter("prior.0.games", 0, 50, whole=True, start=20),
)


def tuning(**more: object) -> Tuning:
    tiny = {"preset": "kikashi", "parameter": PARAMETERS, "size": 3, "simulations": 8, "games": 24, "ahead": 3}
    return Tuning(**{**tiny, **more})


def drawn(task: GameTask) -> GameRecord:
    """Draw the result of a game by its seeds and by the players' values."""
    chance = Random(repr((task.seeds, task.black.overrides, task.white.overrides)))
    result = chance.choice(["B+R", "W+R"])
    how = {"ended": "resignation", "pairing": task.pairing, "pair": task.pair, "seeds": task.seeds}
    return record(task.number, task.black.name, task.white.name, result, **how)


def slowly(task: GameTask) -> GameRecord:
    """Do the same, with some games slower than others."""
    time.sleep(0.02 * (task.number % 3))
    return drawn(task)


def timeless(games: Sequence[TrialGame]) -> list[TrialGame]:
    """Return games without their times."""
    return [replace(game, game=without_times([game.game])[0]) for game in games]


# --- the journal ------------------------------------------------------------------------------------------------------


def test_neither_the_number_of_workers_nor_their_speed_changes_anything(tmp_path: Path) -> None:
    whole = run_trials(tuning(), tmp_path / "one", ONE, play=drawn)
    several = Workers(lambda: ThreadPoolExecutor(5), 5)
    assert run_trials(tuning(), tmp_path / "five", several, play=slowly) == whole
    assert [game.game.number for game in whole] == list(range(24))
    assert len(outcomes_of(tuning(), whole)) == 12
    other = run_trials(tuning(seed=2), tmp_path / "seed", ONE, play=drawn)
    assert other[0].first != whole[0].first
    assert whole[-1].first != run_trials(tuning(ahead=11), tmp_path / "ahead", ONE, play=drawn)[-1].first


def test_two_games_of_a_trial_have_swapped_colours_and_the_rest_in_common(tmp_path: Path) -> None:
    seen: dict[int, GameTask] = {}

    def watched(task: GameTask) -> GameRecord:
        seen[task.number] = task
        return drawn(task)

    games = run_trials(tuning(options="--set even_games=7"), tmp_path / "t", ONE, play=watched)
    for number in range(0, 24, 2):
        one, two = seen[number], seen[number + 1]
        assert (one.black, one.white) == (two.white, two.black)
        assert (one.seeds, one.opening) == (two.seeds[::-1], two.opening)
        for player, values in ((one.black, games[number].first), (one.white, games[number].second)):
            preset = load_preset(player.preset, player.overrides)
            assert preset.table["selection"]["x"] == values["selection.x"]
            assert preset.table["prior"][0]["games"] == values["prior.0.games"]
            assert preset.table["even_games"] == 7


def test_opponents_take_turns_and_meet_both_values(tmp_path: Path) -> None:
    """One is a preset and one a GTP engine; the result is the advantage of one value over the other."""
    design = tuning(opponents=("lgrf2", engine("honest", 3, name="engine")), games=15)
    games = run_trials(design, tmp_path / "t", ONE, play=drawn)
    met = [tuple(sorted({one.game.black, one.game.white})) for one in games]
    first = [("lgrf2", "tuned")] * 2 + [("lgrf2", "other")] * 2
    second = [("engine", "tuned")] * 2 + [("engine", "other")] * 2
    assert met == [tuple(sorted(names)) for names in (first + second) * 2]
    for number, outcome in enumerate(outcomes_of(design, games)):
        four = [one.game for one in games[4 * number : 4 * number + 4]]
        points = [game.points("tuned" if k < 2 else "other") for k, game in enumerate(four)]
        assert outcome.result == points[0] + points[1] - points[2] - points[3]
        assert len({game.seeds if k % 2 == 0 else game.seeds[::-1] for k, game in enumerate(four)}) == 1


def test_the_games_of_a_tuning_can_be_learned_from(tmp_path: Path) -> None:
    games = run_trials(tuning(size=3, simulations=4, games=4), tmp_path / "t", ONE)
    training = list(read_training_games([tmp_path / "t"]))
    assert {game.size for game in training} == {3}
    read = [[vertex(move.point) for move in game.moves] for game in training]
    played = [[name for name in one.game.moves if name != "resign"] for one in games]
    assert sorted(read) == sorted(played)
    assert any(read)


def test_a_journal_that_was_cut_anywhere_becomes_whole(tmp_path: Path) -> None:
    """Whatever was lost is tried again with the values that it had; nothing is there twice."""
    whole = run_trials(tuning(), tmp_path / "whole", ONE, play=drawn)
    folder, chance = tmp_path / "cut", Random(3)
    run_trials(tuning(), folder, Workers(lambda: ThreadPoolExecutor(3), 3), play=slowly)
    lines = (folder / FILE).read_bytes().splitlines(keepends=True)
    for _ in range(6):
        left = lines[: chance.randrange(1, len(lines))]
        (folder / FILE).write_bytes(b"".join(left)[: -chance.randrange(5)] if len(left) > 1 else left[0])
        heard: list[TrialGame] = []
        assert run_trials(tuning_in(folder), folder, ONE, resume=True, listener=heard.append, play=drawn) == whole
        assert sorted(game.game.number for game in heard) == list(range(24))
        assert len(read_records(folder, TrialGame)) == 24


def test_values_are_read_from_the_journal_and_not_computed_again(tmp_path: Path) -> None:
    """So a tuning can go on in a version with another optimiser."""
    folder = tmp_path / "t"
    run_trials(tuning(), folder, ONE, play=drawn)
    written = re.sub(rb',"crc32":"[0-9a-f]+"', b"", (folder / FILE).read_bytes())
    lines = written.splitlines(keepends=True)
    values = json.loads(lines[1])["first"]
    changed = lines[1].replace(str(values["selection.x"]).encode(), b"0.00077", 1)
    assert changed != lines[1]
    (folder / FILE).write_bytes(lines[0] + changed)
    games = run_trials(tuning(), folder, ONE, resume=True, play=drawn)
    assert [game.first["selection.x"] for game in games[:2]] == [0.00077, 0.00077]


def test_games_with_unseen_time_outs_are_played_again(tmp_path: Path) -> None:
    """The part may have looped for ever, or the machine may have stopped: only a watchdog can tell."""
    whole = run_trials(tuning(ahead=0), tmp_path, ONE, play=drawn)
    lines = (tmp_path / FILE).read_bytes().splitlines(keepends=True)
    (tmp_path / FILE).write_bytes(lines[0])
    for game in whole[:2]:
        note = note_path(tmp_path, game.game.number)
        note.parent.mkdir(exist_ok=True)
        note.write_bytes(msgspec.json.encode(replace(game.game, result="B+F", ended="forfeit")))
        trace_path(note).write_text("it was here")
    told: list[str] = []
    games = run_trials(tuning(ahead=0), tmp_path, ONE, resume=True, play=drawn, tell=told.append)
    assert games == whole
    assert told == [f"nobody saw the time-out in game {number}; the game is played again" for number in (0, 1)]
    assert not note_path(tmp_path, 0).exists()


def test_another_tuning_is_refused(tmp_path: Path) -> None:
    run_trials(tuning(games=2), tmp_path, ONE, play=drawn)
    again: list[tuple[Callable[[], object], str]] = [
        (lambda: run_trials(tuning(games=2), tmp_path, ONE, play=drawn), "was begun already; go on with --resume"),
        (lambda: run_trials(tuning(), tmp_path, ONE, resume=True, play=drawn), "was begun with games 2, not 24"),
    ]
    for call, message in again:
        check_refused(call, message)
    (tmp_path / FILE).write_text('{"kind":"match","settings":{}}\n')
    check_refused(lambda: tuning_in(tmp_path), "does not hold a tuning")


def test_an_opponent_that_fails_again_and_again_stops_it(tmp_path: Path) -> None:
    failing = engine("honest", 3, name="engine")

    def fails(task: GameTask) -> GameRecord:
        color = "black" if task.black.name == "engine" else "white"
        return replace(drawn(task), result="Void", ended="not begun", reason=f"{color}: broken")

    with pytest.raises(MatchStopped, match=r"engine forfeited 3 games in a row .* broken; --resume goes on$"):
        run_trials(tuning(opponents=(failing,)), tmp_path, ONE, play=fails)
    games = run_trials(tuning_in(tmp_path), tmp_path, ONE, resume=True, play=drawn)
    outcomes = outcomes_of(tuning(opponents=(failing,)), games)
    assert [outcome.result is None for outcome in outcomes] == [True] + [False] * 5
    assert len(games) == 24


# --- the command ------------------------------------------------------------------------------------------------------

TOML = """
preset = "mine.toml"
size = 4
simulations = 8
games = 20
ahead = 2
confirm = { games = 4 }

[[parameter]]
setting = "selection.x"
low = 0.0001
high = 0.01
scale = "logarithmic"

[[parameter]]
setting = "choice.rule"
words = ["visits", "robust"]
"""


@pytest.fixture
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commands that are invoked in this process play here, too."""
    monkeypatch.setattr(RunOptions, "workers", lambda _how, _tell: ONE)


def kill_after(games: int, folder: Path, words: Sequence[str]) -> None:
    """Run the command in its own processes and kill it when its journal has a number of games."""
    command = [sys.executable, "-m", "kikashi", "tune", *words, "--concurrency", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    journal = folder / FILE

    def is_far_enough() -> bool:
        written = journal.read_bytes() if journal.exists() else b""
        return process.poll() is not None or len(written.splitlines()) > games

    assert eventually(is_far_enough, 3 * PATIENCE)
    process.kill()
    _, errors = process.communicate(timeout=3 * PATIENCE)
    assert process.returncode == -signal.SIGKILL, errors


@pytest.mark.slow
@pytest.mark.usefixtures("at_home")
def test_a_killed_tuning_goes_on_with_the_same_games(tmp_path: Path) -> None:
    """After kill -9 it goes on to its end, with a match, a preset and pictures."""
    (tmp_path / "mine.toml").write_text('base = "kikashi"\nselection = { x = 0.001 }\n')
    file, folder = tmp_path / "t.toml", tmp_path / "out"
    file.write_text(TOML)
    kill_after(5, folder, [str(file), "--output", str(folder)])
    assert 5 <= len(read_records(folder, TrialGame)) < 20
    original = (tmp_path / "mine.toml").read_text()
    (tmp_path / "mine.toml").write_text('base = "mogo-2006"\n')  # it goes on with the copy
    result = CliRunner().invoke(main, ["tune", "--resume", str(folder), "--json"])
    assert result.exit_code == 0, result.output
    (tmp_path / "mine.toml").write_text(original)
    games = sorted(read_records(folder, TrialGame), key=lambda game: game.game.number)
    assert timeless(games) == timeless(run_trials(load_tuning(str(file)), tmp_path / "whole", ONE))
    check_finished(folder, json.loads(result.stdout))
    again = CliRunner().invoke(main, ["tune", "--resume", str(folder)])
    assert again.exit_code == 0
    assert f"preset and report: {folder}" in again.stdout
    assert len(read_records(folder, TrialGame)) == 20


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("test", ["", ", sprt = [0, 100]"])
@pytest.mark.parametrize(("winner", "verdict"), [("found", "\nconfirmed\n"), ("start", "\nnot confirmed\n")])
def test_confirmed_values_are_printed_as_a_preset(
    winner: str, verdict: str, test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text('base = "kikashi"\n')
    file, folder = tmp_path / "t.toml", tmp_path / "out"
    file.write_text(TOML.replace("games = 4", "games = 40" + test))
    monkeypatch.setattr(trials, "run_trials", partial(run_trials, play=drawn))
    monkeypatch.setattr(match, "play_game", winning(winner))
    result = CliRunner().invoke(main, ["tune", str(file), "--output", str(folder)])
    assert result.exit_code == 0, result.output
    preset = (folder / "found.toml").read_text()
    assert verdict in result.stdout
    assert verdict.strip() in preset.splitlines()[1]
    assert (f"\n{preset}" in result.stdout) == (winner == "found")


@pytest.mark.usefixtures("at_home")
def test_after_ctrl_c_it_prints_the_result_so_far_and_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text('base = "kikashi"\n')
    file, folder = tmp_path / "t.toml", tmp_path / "out"
    file.write_text(TOML)

    def interrupted(*words: Any, listener: Any, **how: Any) -> Any:
        def hear(game: TrialGame) -> None:
            listener(game)
            if game.game.number == 4:
                raise KeyboardInterrupt

        return run_trials(*words, listener=hear, play=drawn, **how)

    monkeypatch.setattr(trials, "run_trials", interrupted)
    result = CliRunner().invoke(main, ["tune", str(file), "--output", str(folder)])
    assert result.exit_code == 130
    assert result.stderr == f"interrupted; go on with: kikashi tune --resume {folder}\n"
    assert result.stdout.startswith("after 4 games:\nselection.x: 0.0017 -> ")
    assert "not confirmed by a match" in result.stdout
    assert (folder / "report.md").exists()
    assert len(read_records(folder, TrialGame)) == 5
    again = CliRunner().invoke(main, ["tune", str(file), "--output", str(folder)])
    assert f"{folder} was begun already; go on with --resume {folder}" in again.stderr


def check_finished(folder: Path, found: dict[str, object]) -> None:
    """Check the match, the preset, and the report with its pictures."""
    values = {one["setting"]: one["best"] for one in found["estimates"]}
    assert found["finished"] is True
    assert found["games"] == 20
    assert len(read_records(folder / "match", GameRecord)) == 4
    preset = load_preset(str(folder / "found.toml"))
    assert preset.table["selection"]["x"] == values["selection.x"]
    assert preset.table["choice"]["rule"] == values["choice.rule"]
    assert (folder / "found.toml").read_text() == found["preset"]
    page = (folder / "report.md").read_text()
    for picture in ("parameter-1.svg", "parameter-2.svg", "match.svg"):
        assert f"({picture})" in page
        ElementTree.fromstring((folder / picture).read_text())
