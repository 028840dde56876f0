"""Who plays a match and from where: players from lines of text, openings of our own and from files."""

import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from helpers.match_tools import ONE, SCRIPT, settings
from kikashi import Game, sgf
from kikashi.board.points import parse_vertex
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset, preset_names
from kikashi.match.journal import read_records
from kikashi.match.match_player import MatchPlayer, Plugin, copy_path, digest_of, in_use, match_player
from kikashi.match.one_game import GameRecord
from kikashi.match.player_spec import PlayerSpec
from kikashi.match.runner import resumed_settings, run_match
from kikashi.match.settings import file_openings, own_openings
from kikashi.playout import load_plugin
from kikashi.workers.executors import make_workers

# --- players ----------------------------------------------------------------------------------------------------------


OPTIONS = "lgrf2 --playouts 20 --threads 2 --set even_games=10 --set choice.resign=0.1"
CHANGES = ("even_games=10", "choice.resign=0.1")
READ: dict[str, tuple[dict[str, Any], MatchPlayer]] = {
    "lgrf2": ({}, MatchPlayer("lgrf2", preset="lgrf2", simulations=1000)),
    "lgrf2 ": ({"simulations": 7}, MatchPlayer("lgrf2", preset="lgrf2", simulations=7)),
    "name=x lgrf2": ({"seconds": 0.5}, MatchPlayer("x", preset="lgrf2", seconds=0.5)),
    "lgrf2 --seconds 2": ({"simulations": 7}, MatchPlayer("lgrf2 --seconds 2", preset="lgrf2", seconds=2.0)),
    OPTIONS: (
        {"simulations": 7, "seconds": 1.0},
        MatchPlayer(OPTIONS, preset="lgrf2", overrides=CHANGES, simulations=20, threads=2),
    ),
    'name="My engine" sh -c "exec engine  --seed {seed}"': (
        {"simulations": 5, "seconds": 2.0},
        MatchPlayer("My engine", command=("sh", "-c", "exec engine  --seed {seed}"), seconds=2.0),
    ),
    "sh -c true": ({}, MatchPlayer("sh -c true", command=("sh", "-c", "true"))),
    "lgrf2\n  --playouts 3": ({}, MatchPlayer("lgrf2 --playouts 3", preset="lgrf2", simulations=3)),
    "name='a\n b' lgrf2": ({}, MatchPlayer("a b", preset="lgrf2", simulations=1000)),
}
"""Texts of players, with the limits of the match."""


@pytest.mark.parametrize("text", READ)
def test_a_player_is_read_from_a_text_and_written_as_one(text: str) -> None:
    limits, expected = READ[text]
    assert match_player(text, **limits) == expected
    spec = PlayerSpec.parse(text)
    assert PlayerSpec.parse(str(spec)) == spec


PLUGIN = """
from kikashi.playout import add, heuristic

@heuristic()
def NAME(sim, moves, my):
    add(moves, 22, 1.0)
"""
CHANGED = "# changed"


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """A player with a part of its own, in the file corner.py."""
    file = tmp_path / "corner.py"
    file.write_text(PLUGIN.replace("NAME", tmp_path.name))
    return f"name=mine mogo-2006 --plugin {file} --set playout={tmp_path.name}"


@pytest.mark.thorough
def test_a_player_may_bring_its_own_parts(tmp_path: Path, mine: str) -> None:
    """Also into another process."""
    assert [Path(plugin.file).name for plugin in match_player(mine).plugin_files] == ["corner.py"]
    wanted = settings(mine, "mogo-2006", games=2)
    run_match(wanted, tmp_path / "m", make_workers("processes", 1), resume=False)
    records = read_records(tmp_path / "m", GameRecord)
    assert [record.ended in ("passes", "resignation") for record in records] == [True, True]
    assert all(record.reason == "" for record in records)


@pytest.mark.parametrize("text", [CHANGED, None], ids=["changed", "gone"])
def test_a_match_keeps_to_the_plugins_that_it_was_begun_with(text: str | None, tmp_path: Path, mine: str) -> None:
    """They are copied into its folder; a message says that the file has changed when the match is resumed."""
    file, match = tmp_path / "corner.py", settings(mine, "mogo-2006", games=4)
    before = file.read_text()

    def change(record: GameRecord) -> None:
        if record.number == 0:
            file.unlink() if text is None else file.write_text(text)

    records = run_match(match, tmp_path / "m", ONE, listener=change)
    assert all(record.ended in ("passes", "move limit") for record in records)
    (copy,) = (tmp_path / "m" / "files").glob("*/corner.py")
    assert copy.read_text() == before
    messages: list[str] = []
    more = replace(match, games=6)
    assert len(run_match(more, tmp_path / "m", ONE, resume=True, tell=messages.append)) == 6
    assert messages == [f"{file} has changed since {tmp_path / 'm'} was begun: the match goes on with its copy"]


def test_a_plugin_that_goes_while_it_is_loaded_is_taken_from_its_copy(
    tmp_path: Path, mine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at the file and its loading it may be removed: the copy says the same."""
    file = tmp_path / "corner.py"
    copy = copy_path(tmp_path / "m", "corner.py", file.read_bytes())
    copy.parent.mkdir(parents=True)
    copy.write_bytes(file.read_bytes())
    plugin = Plugin("corner.py", digest_of(file.read_bytes()), str(file), str(copy))
    loaded: list[str] = []

    def load(path: str) -> None:
        if not loaded:
            file.unlink()
        loaded.append(path)
        load_plugin(path)

    monkeypatch.setattr("kikashi.parts.plugins.load_plugin", load)
    with in_use([plugin]):
        assert loaded == [str(file), str(copy)]


PREFERS = """
from kikashi.board import EMPTY
from kikashi.playout import add, heuristic, memory

@memory(cells=1)
def my_notes(sim, my):
    pass

@heuristic(memories=["my_notes"])
def my_corner(sim, moves, my):
    for p in POINTS:
        if sim.board.color[p] == EMPTY:
            add(moves, p, 1e6)

POINTS = (ROWS)
"""


def corners(folder: Path, *points: int) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "mine.py"
    file.write_text(PREFERS.replace("ROWS", ", ".join(map(str, points)) + ","))
    return file


def test_two_plugins_that_define_the_same_part_can_meet(tmp_path: Path) -> None:
    """Each player has its own; outside of them both together are refused, as they are for one player."""
    one, two = corners(tmp_path / "one", parse_vertex("A1", 5)), corners(tmp_path / "two", parse_vertex("E5", 5))
    option = "--set playout=my_corner --simulations 1"
    players = [match_player(f"name={file.parent.name} mogo-2006 --plugin {file} {option}") for file in (one, two)]
    files = []
    for player in players:
        with player.parts():
            used = load_preset(player.preset, player.overrides).config.policy.heuristics[0]
            files.append((used.part.file, next(used.part.memories_read())[1].file))
    assert files == [(str(one), str(one)), (str(two), str(two))]
    games = run_match(
        settings(*(f"name={file.parent.name} mogo-2006 --plugin {file} {option}" for file in (one, two)), games=2),
        tmp_path / "m",
        ONE,
    )
    assert all(game.failed is None for game in games)
    with pytest.raises(ValueError, match=r"my_corner' is in .*one.mine\.py and in .*two.mine\.py: name only one"):
        load_preset("mogo-2006", ["playout=my_corner"])
    with pytest.raises(ValueError, match="the name is taken by"):
        match_player(f"mogo-2006 --plugin {one} --plugin {corners(tmp_path / 'three', 22)}")


def test_a_preset_of_ones_own_is_a_player_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the preset that it is based on; relative paths are those of where the match was begun."""
    begun, elsewhere = tmp_path / "begun", tmp_path / "elsewhere"
    for folder in (begun, elsewhere):
        folder.mkdir()
    (begun / "base.toml").write_text('base = "mogo-2006"\nsummary = "a base"\n')
    (begun / "own.toml").write_text('base = "base.toml"\neven_games = 9\n[choice]\nresign = 0.05\n')
    corners(begun, 22)
    (begun / "engine.sh").write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{SCRIPT}" passes\n')
    (begun / "engine.sh").chmod(0o755)
    players = ("own.toml", "name=part mogo-2006 --plugin mine.py --set playout=my_corner", "name=gtp ./engine.sh")
    monkeypatch.chdir(begun)
    run_match(settings(*players, games=2), tmp_path / "m", ONE)
    (copy,) = (tmp_path / "m" / "files").glob("*/own.toml")
    assert load_preset(str(copy)).table == load_preset("own.toml").table
    monkeypatch.chdir(elsewhere)
    for file in ("own.toml", "base.toml", "mine.py"):
        (begun / file).unlink()
    more = replace(resumed_settings(tmp_path / "m", {}), games=4)
    games = run_match(more, tmp_path / "m", ONE, resume=True)
    assert len(games) == 12
    assert all(game.failed is None for game in games)


def test_a_file_that_is_no_preset_is_refused(tmp_path: Path) -> None:
    for text, message in {"none.toml": "No such file", f"{tmp_path / 'bad.toml'}": "bad.toml"}.items():
        (tmp_path / "bad.toml").write_text("no = toml = here")
        with pytest.raises(ValueError, match=message) as caught:
            match_player(text)
        assert "\n" not in str(caught.value)


def test_a_plugin_is_run_once_until_it_changes(tmp_path: Path) -> None:
    file, runs = tmp_path / "count.py", tmp_path / "runs"
    runs.write_text("")
    file.write_text(f"from pathlib import Path\nruns = Path({str(runs)!r})\nruns.write_text(runs.read_text() + 'x')\n")
    load_plugin(file)
    load_plugin(file)
    assert runs.read_text() == "x"
    file.write_text(file.read_text() + "# changed")
    load_plugin(file)
    assert runs.read_text() == "xx"


WRONG_PLAYERS = {
    "": "needs a name",
    "orego": "neither a preset nor a program that can be found; did you mean orego-2010",
    "no-such-engine --mode gtp": "neither a preset nor a program .* kikashi presets lists all ",
    "name=alone": "neither a preset nor a program",
    "name= lgrf2": "an empty name",
    "lgrf2 'x": "No closing quotation",
    "lgrf2 --playuots 3": "--playuots",
    "lgrf2 --play 3": "--play",
    "lgrf2 --playouts": "--playouts",
    "lgrf2 --plugin none.py": "plugin none.py: no such file",
    "lgrf2 --playouts x": "'x'",
    "lgrf2 --playouts 0": "at least 1",
    "lgrf2 --seconds nan": "seconds must be above 0",
    "lgrf2 --threads 0": "threads are from 1 to 256",
    "lgrf2 --set foo=1": "foo",
    "lgrf2 --set even_games": "even_games",
    "lgrf2 lgr1": "lgr1",
}


@pytest.mark.parametrize("text", WRONG_PLAYERS)
def test_a_wrong_player_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match=WRONG_PLAYERS[text]) as caught:
        match_player(text)
    assert "\n" not in str(caught.value)
    assert not text or text.removeprefix("name=").strip() in str(caught.value).replace('"', "'")


def test_every_preset_can_be_named() -> None:
    assert [match_player(name).preset for name in preset_names()] == preset_names()


# --- openings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(2, 20))
def test_our_openings_are_legal_and_differ(size: int) -> None:
    found = own_openings(size)
    assert len(set(found)) == len(found)
    positions = [str(settings(size=size).after(opening)) for opening in found]
    assert len(set(positions)) == len(positions)
    assert found[0] == ()
    assert len(found) >= {7: 6, 9: 20, 13: 12, 19: 10}.get(size, 1)


@pytest.mark.slow
@pytest.mark.parametrize("opening", own_openings(9), ids=" ".join)
def test_our_openings_leave_the_game_open(opening: tuple[str, ...]) -> None:
    game = settings(size=9).after(opening)
    found = Player("kikashi", limit=Limit(simulations=1000), megabytes=32).analyse(game)
    assert 0.3 < found.winrate < 0.7


def saved(game: Game, path: Path) -> Path:
    path.write_text(sgf.write_game(game), encoding="utf-8")
    return path


def test_openings_may_be_the_first_moves_of_files(tmp_path: Path) -> None:
    game = Game(5)
    for name in ["C3", "B2", "D2", "C2", "B3", "pass", "C4", "D4", "E5", "A1"]:
        game.push(name)
    found = file_openings([saved(game, tmp_path / "a.sgf")] * 2, 5)
    assert found == [("C3", "B2", "D2", "C2", "B3", "pass", "C4", "D4")] * 2
    assert file_openings([tmp_path / "a.sgf"], 5, moves=3) == [("C3", "B2", "D2")]


def test_files_that_are_no_openings_are_refused(tmp_path: Path) -> None:
    large, handicap, unfair = Game(9), Game(9), Game(5)
    handicap.place_fixed_handicap(2)
    unfair.push("C3", "black")
    unfair.push("C4", "black")
    (tmp_path / "text.sgf").write_text("no SGF")
    wrong = {
        saved(large, tmp_path / "large.sgf"): (5, r"large\.sgf is a game on 9x9, not 5x5"),
        saved(handicap, tmp_path / "handicap.sgf"): (9, r"handicap\.sgf begins with stones"),
        saved(unfair, tmp_path / "unfair.sgf"): (5, r"unfair\.sgf: the players do not take turns"),
        tmp_path / "text.sgf": (5, r"text\.sgf"),
    }
    for path, (size, message) in wrong.items():
        with pytest.raises(ValueError, match=message):
            file_openings([path], size)
    with pytest.raises(FileNotFoundError):
        file_openings([tmp_path / "none.sgf"], 5)
