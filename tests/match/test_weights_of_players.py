"""Weights are part of a player: hashed, copied, kept to when a match goes on, and sent to where games are played."""

import dataclasses
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from helpers.match_tools import ONE, check_refused, record, settings, without_times
from helpers.toy_weights import toy_weights
from kikashi.engine.preset import load_preset
from kikashi.experiments.kind import Design, PlayerRow, Task
from kikashi.experiments.kinds.local import LocalDesign, LocalRow
from kikashi.experiments.kinds.positions import PositionDesign
from kikashi.learn.labels import LabelSettings, LabelTask, label_position
from kikashi.learn.self_play import SelfPlayGame, SelfPlaySettings, SelfPlayTask, play_self_game
from kikashi.match.journal import Journal, read_header
from kikashi.match.match_player import (
    FileChanged,
    WeightsFile,
    copy_path,
    digest_of,
    in_use,
    match_player,
)
from kikashi.match.one_game import GameRecord, GameTask
from kikashi.match.player_spec import PlayerSpec
from kikashi.match.results import rate_together
from kikashi.match.runner import resumed_settings, run_match
from kikashi.parts.registry import as_part, as_specs
from kikashi.playout.weights import FeatureModel, Weights
from kikashi.tune.trials import run_trials
from kikashi.tune.tuning import Parameter, Tuning
from kikashi.tune.tuning_result import Estimate, TuningResult, confirming_match, write_preset
from kikashi.workers.serialization import pack, unpack

OF_A_FILE = "name=mine mine.toml"
OF_A_SETTING = 'name=mine mogo-2006 --set \'prior=[{part="learned", weights="w.npz", games=50}]\''
OF_A_PART = "name=mine mogo-2006 --set=playout=\"roulette(weights='w.npz')\""
OF_A_PLUGIN = "name=mine mogo-2006 --plugin evaluator.py --set=evaluation=\"toy_filed(table='w.npz')\""
PLAYERS = [OF_A_FILE, OF_A_SETTING, OF_A_PART, OF_A_PLUGIN]
PRESET = 'base = "mogo-2006"\nprior = [{ part = "learned", weights = "w.npz", games = 50 }]\n'
PLUGIN = '''
from kikashi.playout import Arrays, records
from kikashi.search import evaluation


@evaluation(models={"table": Arrays(values0="f8")})
def toy_filed(sim, moves, policy, my):
    """A value by the place of the last move, from any file that has an array of this name."""
    table = records(my.table.values0, 0.0)
    return abs(table[sim.moves[sim.length - 1] % table.size]) % 1.0
'''


def some(seed: int) -> Weights:
    """Weights of a player, other ones for another seed."""
    weights, random = toy_weights("line", "distance"), np.random.default_rng(seed)
    changed = (dataclasses.replace(one, values=random.normal(0, 2, one.values.size)) for one in weights.features)
    return Weights(tuple(changed), weights.header)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a file of weights and a preset that names it."""
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "w.npz").write_bytes(some(1).as_bytes())
    (folder / "mine.toml").write_text(PRESET)
    (folder / "evaluator.py").write_text(PLUGIN)
    monkeypatch.chdir(folder)
    return folder


# --- names ------------------------------------------------------------------------------------------------------------


def test_weights_are_beside_the_preset_that_names_them(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a section for a size, in a text of a part, and in a base, whatever the working directory is."""
    (home / "other, (too)").mkdir()
    file = home / "other, (too)" / "own.toml"
    file.write_text('base = "../mine.toml"\n[from_size.9]\nplayout = "capture,roulette(weights=\'v.npz\', last=2)"\n')
    (file.parent / "v.npz").write_bytes(some(2).as_bytes())
    monkeypatch.chdir("/")
    preset = load_preset(str(file))
    assert [Path(name).resolve() for name in preset.weights] == [home / "w.npz", file.parent / "v.npz"]


def test_a_path_in_quotes_may_have_commas() -> None:
    assert as_specs("a(b='x, y)'),c") == ["a(b='x, y)')", "c"]
    assert as_part("a(b='x, y)',c=1)") == ("a", {"b": "x, y)", "c": 1})


def test_other_paths_are_written_into_the_text_of_a_player() -> None:
    paths = {"w.npz": "/a b/w.npz", "mine.toml": "/p.toml"}
    first, *others = [PlayerSpec.parse(text).with_files(paths) for text in (*PLAYERS, "lgrf2 --set even_games=3")]
    assert str(first) == "name=mine /p.toml"
    assert [spec.overrides for spec in others] == [
        ('prior=[{ part = "learned", weights = "/a b/w.npz", games = 50 }]',),
        ("playout=\"roulette(weights='/a b/w.npz')\"",),
        ("evaluation=\"toy_filed(table='/a b/w.npz')\"",),
        ("even_games=3",),
    ]


# --- matches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("player", "becomes"), [(PLAYERS[0], None), *((player, 2) for player in PLAYERS)])
def test_a_match_keeps_to_the_weights_that_it_was_begun_with(
    player: str, becomes: int | None, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From anywhere: it has a copy, and the games are those of a match that nothing has happened to."""
    match, folder = settings(player, "mogo-2006", games=2), tmp_path / "m"
    whole = run_match(replace(match, games=4), tmp_path / "whole", ONE)
    run_match(match, folder, ONE)
    described = read_header(folder)["players"][0]
    assert list(described["weights"].values()) == [digest_of((home / "w.npz").read_bytes())]
    (home / "w.npz").unlink()
    if becomes is not None:
        (home / "w.npz").write_bytes(some(becomes).as_bytes())
    monkeypatch.chdir(tmp_path)
    messages: list[str] = []
    more = replace(resumed_settings(folder, {}), games=4)
    games = run_match(more, folder, ONE, resume=True, tell=messages.append)
    assert without_times(games) == without_times(whole)
    assert [line.rpartition(" has changed since ")[0].rpartition("/")[2] for line in messages] == ["w.npz"]
    assert read_header(folder)["players"][0] == described


def test_a_copy_that_was_changed_too_is_nobodys_forfeit(tmp_path: Path, home: Path) -> None:
    """Neither file says what the weights were: the match ends, and says why."""
    match, folder = settings(OF_A_SETTING, "mogo-2006", games=2), tmp_path / "m"
    run_match(match, folder, ONE)
    (copy,) = (folder / "files").glob("*/w.npz")
    for file in (copy, home / "w.npz"):
        file.write_bytes(some(2).as_bytes())
    with pytest.raises(FileChanged, match=r"^weights w\.npz is gone or was changed"):
        run_match(replace(match, games=4), folder, ONE, resume=True)


def test_weights_that_go_before_they_are_loaded_are_taken_from_their_copy(tmp_path: Path, home: Path) -> None:
    data = (home / "w.npz").read_bytes()
    copy = copy_path(tmp_path / "m", "w.npz", data)
    copy.parent.mkdir(parents=True)
    copy.write_bytes(data)
    weights = WeightsFile("w.npz", digest_of(data), str(home / "w.npz"), str(copy))
    (home / "w.npz").unlink()
    with in_use([], [weights]):
        copy.unlink()  # they are in memory by now
        assert [one.values.tolist() for one in FeatureModel().weights_for("w.npz", 9).features] == [
            one.values.astype(np.float32).tolist() for one in some(1).features
        ]


# --- the identity of a player -----------------------------------------------------------------------------------------


def test_one_name_with_other_files_is_two_players(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In ratings over several matches; the same files in another folder, under other names, are the same player."""
    shutil.copytree(home, tmp_path / "moved")
    (tmp_path / "moved" / "mine.toml").rename(tmp_path / "moved" / "also.toml")
    folders = []

    def play(player: str) -> None:
        folders.append(tmp_path / f"m{len(folders)}")
        run_match(settings(player, "mogo-2006", games=2), folders[-1], ONE)

    for player in (OF_A_FILE, OF_A_SETTING, OF_A_PLUGIN):
        folders.clear()
        for name in ("m0", "m1", "m2", "m3"):
            shutil.rmtree(tmp_path / name, ignore_errors=True)
        (home / "w.npz").write_bytes(some(1).as_bytes())
        play(player)
        monkeypatch.chdir(tmp_path / "moved")
        play(player.replace("mine.toml", "also.toml"))
        monkeypatch.chdir(home)
        assert rate_together(folders).notes == ()
        assert {one.name for one in rate_together(folders).players} == {"mine", "mogo-2006"}
        (home / "w.npz").write_bytes(some(2).as_bytes())
        play(player)
        found = rate_together(folders)
        assert {one.name for one in found.players} == {f"mine @ {folders[0]}", f"mine @ {folders[2]}", "mogo-2006"}
        (note,) = found.notes
        assert note.startswith("'mine' is not the same player everywhere, so it is rated as several: ")
        assert "(files " in note


class Counted(msgspec.Struct, frozen=True):
    """The record of a task that does nothing."""

    number: int


class Study(Design, frozen=True, kw_only=True):
    """An experiment whose tasks do nothing."""

    kind = "nothing"
    record_type = Counted
    decided_by = ("players", "policies")
    player: tuple[PlayerRow, ...] = ()
    policies: tuple[str, ...] = ()
    steps = 2

    def work(self, number: int) -> Counted:
        return Counted(number)


def stamped(file: Path, data: bytes) -> None:
    """Write a file, with a time of its own."""
    before = file.stat().st_mtime_ns
    file.write_bytes(data)
    os.utime(file, ns=(before + 10**9, before + 10**9))


CHANGES = [
    (OF_A_FILE, "w.npz", some(2).as_bytes()),
    (OF_A_FILE, "mine.toml", PRESET.replace("50", "60").encode()),
    (OF_A_FILE.replace("mine", "under"), "mine.toml", PRESET.replace("50", "60").encode()),
    (OF_A_SETTING, "w.npz", some(2).as_bytes()),
    (OF_A_PLUGIN, "w.npz", some(2).as_bytes()),
    (OF_A_PLUGIN, "evaluator.py", PLUGIN.replace("1.0", "0.5").encode()),
]


@pytest.mark.parametrize(("player", "file", "content"), CHANGES)
def test_an_experiment_whose_files_changed_is_not_resumed(
    player: str, file: str, content: bytes, tmp_path: Path, home: Path
) -> None:
    (home / "under.toml").write_text('base = "mine.toml"\n')
    design = Study(title="", source="", player=(PlayerRow(name="A", player=player),))
    design.run(tmp_path / "x", ONE)
    before = (tmp_path / "x" / "journal.jsonl").read_bytes()
    assert len(design.run(tmp_path / "x", ONE)) == 2
    stamped(home / file, content)
    check_refused(lambda: design.run(tmp_path / "x", ONE), f"x was begun with other files of {player} (preset")
    assert (tmp_path / "x" / "journal.jsonl").read_bytes() == before


def test_a_policy_whose_weights_changed_is_not_resumed(tmp_path: Path, home: Path) -> None:
    design = Study(title="", source="", policies=("roulette(weights='w.npz')",))
    design.run(tmp_path / "x", ONE)
    design.run(tmp_path / "x", ONE)
    stamped(home / "w.npz", some(2).as_bytes())
    check_refused(lambda: design.run(tmp_path / "x", ONE), "x was begun with other files of roulette(weights='w.npz')")


def test_an_experiment_of_version_0_2_goes_on_without_identities(tmp_path: Path, home: Path) -> None:
    design = Study(title="", source="", player=(PlayerRow(name="A", player=OF_A_FILE),))
    header = {"kind": "nothing", "settings": design.settings(), "steps": 2}
    with Journal(tmp_path / "x", header, Counted, resume=False):
        pass
    assert len(design.run(tmp_path / "x", ONE)) == 2


@pytest.mark.parametrize(("file", "content"), [("w.npz", some(2).as_bytes()), ("evaluator.py", b"# gone\n")])
def test_self_play_whose_files_changed_is_not_resumed(file: str, content: bytes, tmp_path: Path, home: Path) -> None:
    wanted = SelfPlaySettings(player="mine.toml --plugin evaluator.py", size=5, simulations=8, games=2)

    def begin() -> None:
        with wanted.journal(tmp_path / "s", SelfPlayGame, "games"):
            pass

    begin()
    begin()
    stamped(home / file, content)
    check_refused(begin, "s was begun with other files of mine.toml --plugin evaluator.py (preset")


# --- other machines ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("player", PLAYERS)
def test_weights_travel_with_a_player(player: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(match_player(player))
    shutil.rmtree(home)
    monkeypatch.chdir(tmp_path)
    there = unpack(packed, tmp_path / "elsewhere")
    with there.parts():
        (name,) = load_preset(there.preset, there.overrides).weights
        assert FeatureModel().weights_for(name, 9).features[0].values.tolist() == pytest.approx(
            some(1).features[0].values.tolist()
        )


@pytest.mark.parametrize("player", PLAYERS[:3])
def test_weights_travel_with_a_study(player: str, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, named = PlayerSpec.parse(player), {"title": "", "source": ""}
    local = LocalDesign(player=[LocalRow(name="A", player=player)], simulations=16, repeats=2, **named)
    study = PositionDesign(preset=spec.preset, overrides=list(spec.overrides), positions=2, simulations=256, **named)
    packed = [pack(Task(0, design)) for design in (local, study)]
    for file in home.iterdir():
        file.unlink()
    monkeypatch.chdir(tmp_path)
    for task in (unpack(data, tmp_path / "elsewhere") for data in packed):
        (text,) = task.design.players
        (weights,) = match_player(text).weights
        assert tmp_path / "elsewhere" in Path(weights.original).parents


def test_weights_travel_with_lessons(tmp_path: Path, home: Path) -> None:
    games = SelfPlaySettings(player="mine.toml", size=5, simulations=8, games=2)
    labels = LabelSettings(player="mine.toml", size=5, simulations=8, positions=2)
    packed = [
        pack(SelfPlayTask(0, (), games, games.match_player())),
        pack(LabelTask(0, 0, (), labels, labels.match_player())),
    ]
    shutil.rmtree(home)
    game, position = (unpack(data, tmp_path / "elsewhere") for data in packed)
    assert play_self_game(game).visits
    assert 0 <= label_position(position).value <= 1


# --- tunings ----------------------------------------------------------------------------------------------------------


def tuning(**more: Any) -> Tuning:
    """One that tries two files of weights."""
    words = Parameter(setting="prior.0.weights", words=("w.npz", "v.npz"), start="w.npz")
    usual: dict[str, Any] = {"preset": "mine.toml", "size": 5, "simulations": 8, "games": 4, "parameter": (words,)}
    return Tuning(title="weights", **{**usual, **more})


def drawn(task: GameTask) -> GameRecord:
    """A game that is not played."""
    for player in (task.black, task.white):
        with player.parts():
            load_preset(player.preset, player.overrides)
    return record(task.number, task.black.name, task.white.name, "0", pair=task.pair, pairing=task.pairing)


def test_a_tuning_keeps_the_weights_that_it_tries(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The match that confirms them has them from the copies, and so has the preset that was found."""
    (home / "v.npz").write_bytes(some(2).as_bytes())
    wanted, folder = tuning(), tmp_path / "t"
    run_trials(wanted, folder, ONE, play=drawn)
    for name in ("w.npz", "v.npz", "mine.toml"):
        (home / name).unlink()
    monkeypatch.chdir(tmp_path)
    cut = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join(cut[:-2]))
    assert len(run_trials(wanted, folder, ONE, resume=True, play=drawn)) == 4
    best = Estimate(setting="prior.0.weights", start="w.npz", best="v.npz", shares={"w.npz": 0.1, "v.npz": 0.9})
    found = TuningResult(games=4, estimates=(best,))
    match = confirming_match(wanted, found, folder)
    assert match is not None
    copies = {name: next((folder / "files").glob(f"*/{name}")) for name in ("w.npz", "v.npz")}
    named = [Path(player.weights[0].original).resolve() for player in match.match_players()]
    assert sorted(named) == sorted(copies.values())
    write_preset(wanted, folder, found, "found")
    (weights,) = load_preset(str(folder / "found.toml")).weights
    assert Path(weights).resolve() == copies["v.npz"]
