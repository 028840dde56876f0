"""Presets: bases and what differs from them, files of one's own wherever a preset is named, and settings by text."""

import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kikashi import Game, Limit, Player
from kikashi.cli import main
from kikashi.engine.preset import is_preset, load_preset, preset_names, preset_text
from kikashi.match.match_player import match_player

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a preset file, and says where."""

    def write(text: str, name: str = "mine.toml") -> str:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        return str(file)

    return write


def rule(preset: str, key: str = "selection") -> str:
    return str(load_preset(preset).config.rules[key])


# --- bases ------------------------------------------------------------------------------------------------------------


def test_a_preset_is_its_base_and_what_differs(write: Write) -> None:
    mine, base = load_preset(write('base = "mogo-2006"\nsummary = "mine"\neven_games = 7\n')), load_preset("mogo-2006")
    assert (mine.name, mine.summary, mine.source) == ("mine", "mine", base.source)
    assert mine.config.even_games == 7
    assert mine.config.rules == base.config.rules
    assert mine.table == base.table | {"summary": "mine", "even_games": 7}
    assert load_preset("mogo-2006").config == base.config, "the base is as it was"


MERGED: dict[str, tuple[str, str, str]] = {
    # what is written; the key; what becomes of it
    "a table changes what it names": ("[selection]\np = 0.5", "selection", "ucb1_tuned(p=0.5, grandfather=True)"),
    "also if it says the same rule": (
        'selection = { rule = "ucb1_tuned", p = 0.5 }',
        "selection",
        "ucb1_tuned(p=0.5, grandfather=True)",
    ),
    "a table with another rule replaces": ('selection = { rule = "ucb1", p = 0.5 }', "selection", "ucb1(p=0.5)"),
    "a name replaces": ('selection = "ucb1_tuned"', "selection", "ucb1_tuned"),
    "a key that the base has not": ('region = "common_fate"', "region", "common_fate"),
    "what is not named stays": ("[selection]\np = 0.5", "expansion", "after_visits"),
}


@pytest.mark.parametrize("case", MERGED)
def test_tables_are_merged(write: Write, case: str) -> None:
    text, key, expected = MERGED[case]
    assert rule(write('base = "mogo-2006"\n' + text), key) == expected


def test_a_table_changes_a_rule_that_the_base_only_names(write: Write) -> None:
    write('base = "mogo-2006"\nregion = "common_fate"\nfeasibility = "orego"\n', "region.toml")
    mine = write('base = "region.toml"\nregion = { distance = 4 }\n')
    assert rule(mine, "region") == "common_fate(distance=4)"
    assert str(load_preset(mine).config.policy.feasibility) == "orego"


def test_other_tables_are_merged_too(write: Write) -> None:
    mine = load_preset(write('base = "kikashi"\n[choice]\nresign = 0.2\n[backup]\nvalue = "score"\n'))
    assert (mine.choice.rule, mine.choice.resign) == ("visits", 0.2)
    assert (mine.config.win_weight, mine.config.score_weight) == (0.0, 1.0)


def test_lists_are_replaced(write: Write) -> None:
    mine = load_preset(write('base = "kikashi"\nplayout = ["capture"]\nprior = [{ part = "escape", games = 3 }]\n'))
    assert str(mine.config.policy) == "capture,uniform"
    assert [(str(prior.used), prior.games) for prior in mine.config.priors] == [("escape", 3.0)]


def test_bases_may_have_bases(write: Write) -> None:
    """Each beside the file that names it, wherever one stands oneself."""
    write('base = "mogo-2006"\neven_games = 1\nvirtual_loss = 5\n[selection]\np = 0.1', "far/first.toml")
    write('base = "far/first.toml"\neven_games = 2\nselection = { first_play_urgency = 3.0 }', "second.toml")
    third = write('base = "../second.toml"\neven_games = 3\n', "near/third.toml")
    mine = load_preset(third)
    assert (mine.config.even_games, mine.config.virtual_loss) == (3, 5)
    assert str(mine.config.rules["selection"]) == "ucb1_tuned(p=0.1, first_play_urgency=3.0, grandfather=True)"


@pytest.mark.parametrize("files", [["one"], ["one", "two"], ["one", "two", "three"]])
def test_bases_in_a_circle_are_one_line(write: Write, files: list[str]) -> None:
    for name, base in zip(files, [*files[1:], files[0]], strict=True):
        first = write(f'base = "{base}.toml"\n', f"{name}.toml")
    with pytest.raises(ValueError, match=r"^preset [^\n]*\.toml: its bases form a circle$"):
        load_preset(first)


WRONG: dict[str, tuple[str, str]] = {
    "a base that is not there": ('base = "mogo-206"', "no preset is called 'mogo-206'; did you mean mogo-2006?"),
    "a base that is no name": ("base = 3", "base is the name or path of another preset, not 3"),
    "not TOML": ("base = ", "mine.toml: "),
    "an unknown key": ('base = "mogo-2006"\nselektion = "ucb1"', "no setting 'selektion'; did you mean selection?"),
    "a rule that is missing": ('source = "x"\nsummary = "x"\nplayout = "uniform"', "needs a rule for its selection"),
    "a setting that is missing": ('playout = "uniform"', "the setting 'source' is missing"),
    "a rule that is no rule": ('base = "mogo-2006"\nselection = 3', "selection is the name of a part or a table"),
    "a rule of no name": ('base = "mogo-2006"\nregion = { distance = 3 }', "a part needs a name"),
    "a prior that is not there": ('base = "kikashi"\nprior = [{ part = "captur" }]', "did you mean capture"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_one_line(write: Write, case: str) -> None:
    text, message = WRONG[case]
    file = write(text)
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        load_preset(file)
    assert message in str(caught.value)
    shown = CliRunner().invoke(main, ["show", file])
    assert shown.exit_code == 1
    assert len(shown.output.splitlines()) == 1


def test_a_base_that_is_no_file_is_one_line(write: Write) -> None:
    shown = CliRunner().invoke(main, ["show", write('base = "gone.toml"')])
    assert shown.exit_code == 1
    assert "gone.toml: No such file or directory" in shown.output
    assert len(shown.output.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "rule", "moves"),
    [("lgrf2", "orego", 5 * 5 - 1), ("lgrf2-f-a", "orego_a", 7 * 7), ("lgrf2-f-b", "orego_b", 9 * 9)],
)
def test_the_tree_follows_the_feasibility_of_playouts(name: str, rule: str, moves: int) -> None:
    """§7.2 of Baier's thesis is about the branching of the tree: on the empty board the third and fourth lines, all
    but the first, or every point; and a pass."""
    preset = load_preset(name)
    assert str(preset.config.policy.feasibility) == rule
    assert "tree_feasibility" not in preset.config.rules
    found = Player(preset, limit=Limit(simulations=1), megabytes=4).analyse(Game(9))
    assert len(found.moves) == moves + 1


# --- settings by text -------------------------------------------------------------------------------------------------


def test_a_prior_is_added_to_the_list() -> None:
    added = load_preset("kikashi", ['prior+={ part = "capture", games = 5 }']).config.priors
    assert added[:-1] == load_preset("kikashi").config.priors
    assert (str(added[-1].used), added[-1].games) == ("capture", 5.0)


def test_settings_change_a_preset_that_is_loaded(write: Write) -> None:
    loaded = load_preset(write('base = "mogo-2006"\neven_games = 4\n'), ["selection.p=0.3"])
    changed = load_preset(loaded, ["selection.first_play_urgency=2", "prior+={ part = 'capture' }"])
    assert (changed.name, changed.config.even_games) == ("mine", 4)
    assert str(changed.config.rules["selection"]) == "ucb1_tuned(p=0.3, first_play_urgency=2.0, grandfather=True)"
    assert str(loaded.config.rules["selection"]) == "ucb1_tuned(p=0.3, grandfather=True)"
    assert loaded.config.priors == ()
    assert load_preset(loaded).config == loaded.config
    player = Player(loaded, overrides=["even_games=9"])
    assert player.preset.config.even_games == 9
    assert Player(loaded).preset is loaded


REMOVED = ("mercy=0", "even_value=half", "statistics=['rave(reach=0, steps=1)']", "selection.widening=0.0")
"""Settings of version 0.2 that were deleted, with their defaults, as journals and presets have them."""


def test_a_removed_setting_is_read_only_with_its_default() -> None:
    plain, old = (load_preset("kikashi-handmade", ["statistics=['rave']", *more]) for more in ((), REMOVED))
    assert old.config == plain.config
    for text, name in {"mercy=3": "mercy", "statistics=['rave(steps=4)']": "statistic rave: steps"}.items():
        with pytest.raises(ValueError, match=f"preset lgrf2: {name} was removed: leave it out; only its default"):
            load_preset("lgrf2", [text])


def test_the_error_of_an_unknown_setting_has_the_nearest_name() -> None:
    with pytest.raises(
        ValueError, match=r"^preset lgrf2: there is no setting 'vitual_loss'; did you mean virtual_loss\?"
    ):
        load_preset("lgrf2", ["vitual_loss=3"])


# --- files, wherever a preset is named --------------------------------------------------------------------------------


def test_a_file_is_a_preset(write: Write) -> None:
    assert is_preset(write(""))
    assert is_preset("mogo-2006")
    assert not is_preset("gnugo")
    assert "playouts" not in preset_names()


def test_a_player_plays_by_a_file(write: Write) -> None:
    same, other = write('base = "mogo-2006"\n'), write('base = "mogo-2006"\nselection.p = 5.0\n', "other.toml")
    decisions = [
        Player(preset, limit=Limit(simulations=60), megabytes=16).choose(Game(5)).analysis.as_json()["moves"]
        for preset in (same, "mogo-2006", other)
    ]
    assert decisions[0] == decisions[1] != decisions[2]


def test_a_match_knows_files(write: Write) -> None:
    file = write('base = "mogo-2006"\neven_games = 4\n')
    player = match_player(f"name=mine {file} --simulations 20 --set even_games=6")
    assert (player.name, player.preset, player.overrides) == ("mine", file, ("even_games=6",))
    assert not player.command
    with pytest.raises(ValueError, match="no setting 'nonsense'"):
        match_player(f"{file} --set nonsense=1")


@pytest.mark.thorough
def test_a_match_is_played_by_a_file(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write('base = "mogo-2006"\nselection.p = 0.3\n')
    command = "match mine.toml mogo-2006 --size 5 --simulations 20 --games 2 --concurrency 1 --json"
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 0, result.output
    assert '"mine.toml"' in result.stdout


@pytest.mark.thorough
def test_the_engine_plays_by_a_file(write: Write) -> None:
    file = write('base = "mogo-2006"\nsummary = "of my own"\n')
    set_games = f"kikashi-preset {file} even_games=9"
    commands = ["kikashi-preset", "boardsize 5", "genmove b", set_games, "kikashi-preset gone.toml"]
    answers = subprocess.run(
        [sys.executable, "-m", "kikashi", "gtp", "--preset", file, "--simulations", "10", "--set", "even_games=5"],
        input="\n".join([*commands, "quit\n"]),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n\n")
    assert answers[0] == "= mine: of my own"
    assert answers[2].startswith("= ")
    assert answers[3] == "= mine: of my own"
    assert answers[4].startswith("? ")
    assert "gone.toml" in answers[4]


# --- show -------------------------------------------------------------------------------------------------------------


def shown(*arguments: str) -> tuple[dict[str, Any], str]:
    """What `kikashi show` prints: read as TOML, and as it is."""
    result = CliRunner().invoke(main, ["show", *arguments])
    assert result.exit_code == 0, result.output
    return tomllib.loads(result.output), result.output


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_is_shown_as_its_file_is_unless_it_has_a_base(name: str) -> None:
    table, text = shown(name)
    assert table == load_preset(name).table
    assert ("# from the base: " in text) == ("base = " in preset_text(name)) != text.startswith(preset_text(name))


def test_a_preset_with_a_base_is_shown_with_all_its_settings(write: Write) -> None:
    file = write('base = "kikashi"\neven_games = 4 # of my own\nmemories = ["ownership"]\n[selection]\nx = 0.5\n')
    table, text = shown(file)
    assert table == load_preset(file).table
    assert "base" not in table
    assert table["selection"] == load_preset("kikashi").table["selection"] | {"x": 0.5}
    assert "# from the base: kikashi\n" in text
    assert "# memories besides: ownership\n" in text
    again = write(text, "again.toml")
    assert load_preset(again).config == load_preset(file).config, "what is shown is a preset itself"


def test_what_is_changed_is_shown_as_it_is_then(write: Write) -> None:
    changes = ["even_games=9", 'prior+={ part = "capture", games = 5 }', "selection.p=0.25"]
    table, text = shown("mogo-2006", *(word for change in changes for word in ("--set", change)))
    assert table == load_preset("mogo-2006", changes).table
    assert table["prior"] == [{"part": "capture", "games": 5}]
    assert all(f"# changed: {change}\n" in text for change in changes)
    assert "# search: selection ucb1_tuned(p=0.25, grandfather=True)" in text


def test_show_tells_of_a_zone() -> None:
    _, text = shown("mogo-2006-zone", "--set", "zone.margin=1", "--set", "zone.distance=3")
    assert text.endswith("# zone: common_fate(distance=3), with a margin of 1\n")
