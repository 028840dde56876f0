"""Presets that name plugins: their parts are known wherever the preset is, and count as the player's own."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from kikashi.cli import main
from kikashi.engine.preset import load_preset, preset_plugins
from kikashi.match.match_player import Files, match_player, with_copies

PLUGIN = '''
from kikashi.playout import heuristic, mark


@heuristic(point={point})
def preset_plugin_point(sim, moves, my):
    """A point."""
    mark(moves, my.point)
'''
PRESET = 'base = "mogo-2006"\nplugins = ["third.py"]\nplayout = ["preset_plugin_point"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "third.py").write_text(PLUGIN.format(point=21))
    (tmp_path / "mine" / "mine.toml").write_text(PRESET)
    return tmp_path


def test_a_plugin_is_found_beside_the_preset_that_names_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (used,) = load_preset("mine/mine.toml").config.policy.heuristics
    assert used.part.file == str(folder / "mine" / "third.py")


def test_a_preset_has_the_plugins_of_its_base(folder: Path) -> None:
    (folder / "upon.toml").write_text(
        'base = "mine/mine.toml"\nplugins = ["other.py"]\nplayout = "preset_plugin_point"\n'
    )
    (folder / "other.py").write_text("")
    upon = str(folder / "upon.toml")
    assert preset_plugins(upon) == [str(folder / "mine" / "third.py"), str(folder / "other.py")]
    assert str(load_preset(upon).config.policy) == "preset_plugin_point,uniform"


@pytest.mark.parametrize(
    ("plugins", "message"),
    [('["none.py"]', r"plugin .*none\.py: no such file"), ('"third.py"', "plugins must be a list"), ("[1]", "plugins")],
)
def test_plugins_that_are_not_right_are_one_line(folder: Path, plugins: str, message: str) -> None:
    file = folder / "mine" / "mine.toml"
    file.write_text(PRESET.replace('["third.py"]', plugins))
    with pytest.raises(ValueError, match=rf"^preset .*mine\.toml: .*{message}"):
        load_preset(str(file))


def test_a_plugin_of_a_preset_is_part_of_who_the_player_is(folder: Path) -> None:
    text = str(folder / "mine" / "mine.toml")
    (plugin,) = match_player(text).plugin_files
    assert plugin.file == "third.py"
    named = match_player(f"{text} --plugin {folder / 'mine' / 'third.py'}")
    assert [each.digest for each in named.plugin_files] == [plugin.digest], "it is named twice, but is one"
    (folder / "mine" / "third.py").write_text(PLUGIN.format(point=22))
    (changed,) = match_player(text).plugin_files
    assert changed.digest != plugin.digest


def test_the_copies_of_a_match_need_no_original(folder: Path) -> None:
    text = str(folder / "mine" / "mine.toml")
    copied = with_copies(match_player(text), folder / "match")
    shutil.rmtree(folder / "mine")
    with copied.parts():
        (used,) = load_preset(copied.preset).config.policy.heuristics
    assert used.part.file == copied.plugin_files[0].copy
    resumed = match_player(text, files=Files(copies={text: copied.preset}))
    assert [each.digest for each in resumed.plugin_files] == [copied.plugin_files[0].digest]
    assert with_copies(resumed, folder / "match").preset == copied.preset


def test_show_takes_a_plugin(folder: Path) -> None:
    (folder / "mine" / "bare.toml").write_text('base = "mogo-2006"\nplayout = ["preset_plugin_shown"]\n')
    text = PLUGIN.format(point=21).replace("preset_plugin_point", "preset_plugin_shown")
    (folder / "shown.py").write_text(text)
    words = ["show", str(folder / "mine" / "bare.toml")]
    refused = CliRunner().invoke(main, words)
    assert refused.exception is not None
    assert "is it in a plugin? (--plugin FILE)" in str(refused.exception) + refused.stderr
    shown = CliRunner().invoke(main, [*words, "--plugin", str(folder / "shown.py")])
    assert "# playouts: preset_plugin_shown,uniform" in shown.stdout
