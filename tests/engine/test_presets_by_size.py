"""What a preset says by size of board: how that is merged, what holds where, and that whoever plays goes by it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from helpers.analysis_lines import Here, query
from helpers.gtp_text import ok, zone_of
from kikashi import Game, Limit, Player
from kikashi.board.points import vertex
from kikashi.board.queries import line_of
from kikashi.cli import main
from kikashi.engine import player as player_module
from kikashi.engine.overrides import as_toml
from kikashi.engine.preset import Preset, load_preset, load_preset_table
from kikashi.engine.warmup import warm_up
from kikashi.experiments.local_play import LocalSettings, LocalTask, OwnerQuestion, watch_search
from kikashi.experiments.positions import PositionSettings, PositionTask, study_position
from kikashi.match.openings import own_openings
from kikashi.match.player_spec import parse_contestant, preset_data
from kikashi.mpi.worker_rank import Searcher
from kikashi.protocols.gtp.session import Session
from kikashi.tune.confirmation import preset_table
from kikashi.tune.space import Parameter
from kikashi.tune.tuning import Tuning, _settled
from kikashi.web.presets import Presets, parts_of

Write = Callable[..., str]
SIZES = (9, 13, 19)
MINE = """
base = "mogo-2006"
even_games = 1

[from_size.19]
playout = ["capture"]
selection = { first_play_urgency = 2.0 }

[from_size.13]
even_games = 2
selection = { p = 0.5 }
prior = [{ part = "capture", games = 5 }, { part = "escape", games = 7 }]
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a preset file, and says where."""

    def write(text: str, name: str = "mine.toml") -> str:
        file = tmp_path / name
        file.write_text(text)
        return str(file)

    return write


@pytest.fixture
def mine(write: Write) -> str:
    return write(MINE)


def at_sizes(preset: Preset, path: str) -> list[Any]:
    """What a preset says on boards of `SIZES`: by attributes, rules and the places of priors."""
    found: list[Any] = []
    for size in SIZES:
        value: Any = preset.at(size).config
        for key in path.split("."):
            if isinstance(value, tuple):
                value = value[int(key)] if int(key) < len(value) else None
            elif value is not None:
                value = value[key] if isinstance(value, dict) else getattr(value, key)
        found.append(value)
    return found


P, URGENCY, EVEN = "rules.selection.values.p", "rules.selection.values.first_play_urgency", "even_games"


# --- merging ----------------------------------------------------------------------------------------------------------


def test_sections_are_merged_as_over_a_base_the_smaller_first(mine: str) -> None:
    preset, base = load_preset(mine), load_preset("mogo-2006")
    assert at_sizes(preset, EVEN) == [1, 2, 2]
    assert at_sizes(preset, P) == [base.config.rules["selection"].values["p"], 0.5, 0.5]
    assert at_sizes(preset, URGENCY)[2] == 2.0 != at_sizes(preset, URGENCY)[1] == at_sizes(base, URGENCY)[0]
    assert [str(policy) for policy in at_sizes(preset, "policy")] == [str(base.config.policy)] * 2 + ["capture,uniform"]
    assert [len(priors) for priors in at_sizes(preset, "priors")] == [0, 2, 2]
    assert preset.config == preset.at(2).config == preset.at(12).config


def test_another_rule_takes_the_place_of_the_whole_table() -> None:
    preset = load_preset("mogo-2006", ['from_size.13.selection={ rule = "ucb1", p = 0.5 }'])
    assert [str(rule) for rule in at_sizes(preset, "rules.selection")] == [
        "ucb1_tuned(grandfather=True)",
        "ucb1(p=0.5)",
        "ucb1(p=0.5)",
    ]


def test_a_table_changes_a_rule_that_is_only_named() -> None:
    preset = load_preset("mogo-2006", ["region=common_fate", "from_size.19.region.distance=4"])
    assert [str(rule) for rule in at_sizes(preset, "rules.region")] == ["common_fate"] * 2 + ["common_fate(distance=4)"]


def test_a_preset_without_sections_is_the_same_on_all_boards() -> None:
    preset = load_preset("mogo-2006")
    assert preset.at(2) is preset.at(19) is preset
    assert preset.variants == (preset,)


def test_what_it_is_on_a_board_has_no_sections(mine: str) -> None:
    preset = load_preset(mine)
    assert [variant.by_size for variant in preset.variants] == [(), (), ()]
    assert all("from_size" not in variant.table for variant in preset.variants)
    assert preset.at(13).at(19) is preset.at(13)


def test_presets_that_differ_only_on_larger_boards_differ(mine: str) -> None:
    assert load_preset(mine) == load_preset(mine) != load_preset(mine, ["from_size.19.even_games=3"])


DERIVED: dict[str, tuple[str, str, list[Any]]] = {
    # what is said over `MINE`; what is asked; the answers
    "a base's sections are inherited": ("virtual_loss = 3", EVEN, [1, 2, 2]),
    "what is said holds on every board": ("even_games = 7", EVEN, [7, 7, 7]),
    "a table, too": ("selection = { p = 0.25 }", P, [0.25, 0.25, 0.25]),
    "which changes only what it names": ("selection = { first_play_urgency = 3.0 }", P, [1.0, 0.5, 0.5]),
    "another rule, too": ('selection = "ucb1"', "rules.selection.part.name", ["ucb1"] * 3),
    "a list, too": ("prior = []", "priors", [(), (), ()]),
    "a section is merged over the base's": (
        "[from_size.13]\nselection = { first_play_urgency = 3.0 }",
        P,
        [1, 0.5, 0.5],
    ),
    "but larger ones of the base stay": (
        "[from_size.13]\nselection = { first_play_urgency = 3.0 }",
        URGENCY,
        [None, 3.0, 2.0],
    ),
    "a section of its own": ("[from_size.16]\neven_games = 5", EVEN, [1, 2, 5]),
    "both": ("even_games = 7\n[from_size.19]\neven_games = 8", EVEN, [7, 7, 8]),
}


@pytest.mark.parametrize("case", DERIVED)
def test_a_preset_with_this_base(write: Write, mine: str, case: str) -> None:
    text, path, expected = DERIVED[case]
    derived = load_preset(write('base = "mine.toml"\n' + text, "derived.toml"))
    usual = at_sizes(load_preset("mogo-2006"), path)[0] if None in expected else None
    assert at_sizes(derived, path) == [usual if value is None else value for value in expected]


# --- settings by text -------------------------------------------------------------------------------------------------

GAMES, SECOND = "priors.0.games", "priors.1.games"
SET: dict[str, tuple[list[str], str, list[Any]]] = {
    # what is set over `MINE`; what is asked; the answers
    "without a size: everywhere": (["selection.p=0.25"], P, [0.25, 0.25, 0.25]),
    "a whole table": (['selection={ rule = "ucb1_tuned" }'], P, [1.0, 1.0, 1.0]),
    "what sections do not have": (["virtual_loss=9"], "virtual_loss", [9, 9, 9]),
    "with a size: from there on": (["from_size.13.selection.p=0.25"], P, [1.0, 0.25, 0.25]),
    "below a section that has it": (["from_size.5.even_games=9"], EVEN, [9, 2, 2]),
    "a size of its own": (["from_size.16.even_games=9"], EVEN, [1, 2, 9]),
    "both": (["selection.p=0.25", "from_size.19.selection.p=0.75"], P, [0.25, 0.25, 0.75]),
    "both, in another order": (["from_size.19.selection.p=0.75", "selection.p=0.25"], P, [0.25, 0.25, 0.75]),
    "the larger size first": (["from_size.19.prior.0.games=9", "from_size.13.prior.1.games=8"], SECOND, [None, 8, 8]),
    "the last of two": (["even_games=8", "even_games=9"], EVEN, [9, 9, 9]),
    "a list of a section is appended to": (['prior+={ part = "capture", games = 3 }'], "priors.2.games", [None, 3, 3]),
    "and that of all": (['prior+={ part = "capture", games = 3 }'], GAMES, [3, 5, 5]),
    "a list as a whole": (['prior=[{ part = "escape", games = 3 }]'], GAMES, [3, 3, 3]),
    "an item of a section's list": (["from_size.13.prior.0.games=3"], GAMES, [None, 3, 3]),
    "a size appends to the list it inherits": (["from_size.19.prior+={ part = 'capture' }"], SECOND, [None, 7, 7]),
    "an item of an inherited list": (["from_size.19.prior.1.games=3"], SECOND, [None, 7, 3]),
    "which has the rest": (["from_size.19.prior.1.games=3"], GAMES, [None, 5, 5]),
}  # fmt: skip


@pytest.mark.parametrize("case", SET)
def test_settings_by_text(mine: str, case: str) -> None:
    texts, path, expected = SET[case]
    assert at_sizes(load_preset(mine, texts), path) == expected


@pytest.mark.parametrize(
    ("part", "expected"), [("capture", [3, 3, 3]), ("escape", [3, 5, 5])], ids=["the same part", "another part"]
)
def test_an_item_of_a_list_is_the_same_in_a_section_only_if_it_is_the_same_part(
    mine: str, part: str, expected: list[float]
) -> None:
    preset = load_preset(
        mine, [f"prior=[{{ part = '{part}', games = 1 }}]", "from_size.13.prior=[{part='capture',games=5}]"]
    )
    assert at_sizes(load_preset(preset, ["prior.0.games=3"]), GAMES) == expected


def test_a_list_that_a_derived_preset_gives_is_not_one_with_that_of_a_section(write: Write, mine: str) -> None:
    derived = write('base = "mine.toml"\nprior = [{ part = "capture", games = 1 }]\n', "derived.toml")
    preset = load_preset(derived, ["prior+={ part = 'escape' }"])
    assert [len(priors) for priors in at_sizes(preset, "priors")] == [2, 2, 2], "appended once"


# --- what is wrong ----------------------------------------------------------------------------------------------------

WRONG: dict[str, tuple[str, str]] = {
    "an unknown key": ("[from_size.13]\nselektion = 1", "from_size.13: there is no setting 'selektion'; did you mean"),
    "an unknown parameter": ("[from_size.19.selection]\nq = 1", "from_size.19: "),
    "a value that is none": ("[from_size.19]\neven_games = -1", "from_size.19: even_games"),
    "another rule that misses something": ("[from_size.9]\nselection = 3", "from_size.9: selection is the name"),
    "two that do not go together": ('zone = "common_fate"\n[from_size.19]\nstarts = 2', "from_size.19: a zone has"),
    "too small a board": ("[from_size.1]\neven_games = 1", "from_size.1: the size of a board is from 2 to 19"),
    "too large a board": (
        "[from_size.20]\neven_games = 1",
        "from_size.20: the size of a board is from 2 to 19",
    ),
    "no number": ("[from_size.large]\neven_games = 1", "from_size.large: the size of a board is from 2 to 19"),
    "a number with a zero": ("[from_size.013]\neven_games = 1", "from_size.013: the size of a board is from 2 to 19"),
    "a section in a section": ("[from_size.9.from_size.13]\neven_games = 1", "from_size.9: from_size cannot depend on"),
    "a base in a section": ('[from_size.9]\nbase = "kikashi"', "from_size.9: base cannot depend on"),
    "a summary in a section": ('[from_size.9]\nsummary = "x"', "from_size.9: summary cannot depend on"),
    "no table": ("from_size = 13", "from_size has a table for a size, as in [from_size.13], and is not 13"),
    "no table for a size": ("from_size = { 13 = 1 }", "from_size.13 is a table of settings, not 1"),
    "nearly its name": ("[form_size.13]\neven_games = 1", "there is no setting 'form_size'; did you mean from_size?"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("where", ["mine.toml", "derived.toml"])
def test_what_is_wrong_is_one_line_when_the_preset_is_loaded(write: Write, case: str, where: str) -> None:
    text, message = WRONG[case]
    files = {
        "mine.toml": write('base = "mogo-2006"\n' + text),
        "derived.toml": write('base = "mine.toml"', "derived.toml"),
    }
    with pytest.raises(ValueError, match=r"^preset [^\n]+$") as caught:
        load_preset(files[where])
    assert message in str(caught.value)


SET_WRONG = {
    "from_size.20.even_games=1": "from_size.20: the size of a board is from 2 to 19",
    "from_size=13": "from_size has a table for a size",
    "from_size.13=1": "from_size.13 is a table of settings",
    "from_size.13.selection.q=1": "from_size.13: ",
    "from_size.13.prior.2.games=1": "there is no item 2: the list has 2, and the first is 0",
    "from_size.9.playout+=capture": "playout is not a list",
}


@pytest.mark.parametrize("text", SET_WRONG)
def test_what_cannot_be_set_is_one_line(mine: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        load_preset(load_preset(mine, ["playout=mogo"]), [text])
    assert SET_WRONG[text] in str(caught.value)


def test_a_setting_that_a_section_cannot_have_is_refused_with_its_name() -> None:
    preset = load_preset("kikashi", ['from_size.19.selection={ rule = "ucb1" }'])
    with pytest.raises(ValueError, match=r"^preset kikashi: from_size\.19: [^\n]*'x'[^\n]*$"):
        load_preset(preset, ["selection.x=0.01"])


# --- who plays by it --------------------------------------------------------------------------------------------------

LARGE = 6
"""From here on the players of these tests differ."""
PLAYED: dict[str, tuple[str, ...]] = {
    "selection": ("selection.p=0.2",),
    "playouts": ("playout=uniform",),
    "priors": ('prior=[{ part = "near_last_move", games = 20 }]',),
    "several starts": ("starts=2",),
    "stages": ("expansion=never", "stages={ blocks = 2, games = 10 }"),
    "no komi": ("komi.rule=none",),
    "dynamic komi": ("komi={ rule = 'dynamic', raise_above = [0.1, 0.2] }",),
    "a region": ("region=common_fate",),
    "a zone": ("zone={ rule = 'common_fate', margin = 1 }",),
    "a choice by value": ("choice.rule=value",),
}
"""Of what a player reads; tests of resigning and of the reserve have theirs."""


def game_of(preset: Preset, size: int) -> list[tuple[str, Any]]:
    """The moves of a short game, each with what was found."""
    game, player, found = Game(size, 20.5), Player(preset, limit=Limit(60), megabytes=8), []
    for _ in range(10):
        decision = player.choose(game)
        found.append((decision.name, replace(decision.analysis, seconds=0)))
        game.push(decision.move)
        if game.is_over():
            break
    return found


@pytest.mark.parametrize("case", PLAYED)
def test_a_game_is_played_by_what_holds_on_its_board(case: str) -> None:
    texts = PLAYED[case]
    by_size = load_preset("mogo-2006", [f"from_size.{LARGE}.{text}" for text in texts])
    everywhere, usual = load_preset("mogo-2006", texts), load_preset("mogo-2006")
    assert game_of(by_size, LARGE) == game_of(everywhere, LARGE) != game_of(usual, LARGE)
    assert game_of(by_size, LARGE - 1) == game_of(usual, LARGE - 1)


def test_a_section_that_says_nothing_new_changes_no_game() -> None:
    same = load_preset("kikashi-learned", ["from_size.5.selection.x=0.003", "from_size.6.even_games=10"])
    assert game_of(same, 6) == game_of(load_preset("kikashi-learned"), 6)


def test_one_player_goes_from_board_to_board(mine: str) -> None:
    player = Player(mine, limit=Limit(simulations=10), megabytes=8)
    for size in (9, 19, 13, 9):
        player.choose(Game(size))
        assert player.last_search is not None
        assert player.last_search.config == player.preset.at(size).config


def test_groups_and_zones_are_those_of_the_board() -> None:
    player = Player("mogo-2006", overrides=["from_size.7.zone={ rule = 'common_fate', margin = 0 }"], megabytes=8)
    points = {}
    for size in (6, 7):
        game = Game(size)
        game.push("C3")
        points[size] = len(zone_of(player, game)) / size**2
    assert points[7] < points[6], "without a margin it is smaller"


def test_a_session_plays_by_the_board_it_has(mine: str, session: Session) -> None:
    ok(session, f"kikashi-preset {mine} selection.first_play_urgency=1.5")
    for size, policy in ((9, "escape"), (19, "capture"), (13, "escape")):
        ok(session, f"boardsize {size}")
        ok(session, "genmove b")
        assert ok(session, "kikashi-policy_statistics").startswith(policy)
        assert session.player.last_search is not None
        assert session.player.last_search.config.rules["selection"].values["first_play_urgency"] == 1.5


def test_a_session_that_counts_points_on_some_boards_says_so_there(session: Session) -> None:
    ok(session, "kikashi-preset kikashi from_size.6.backup.value=score")
    told = {}
    for size in (5, 6):
        ok(session, f"boardsize {size}")
        ok(session, "genmove b")
        told[size] = ok(session, "kikashi-explain")
    assert [" rave +" in text or " rave -" in text for text in told.values()] == [False, True]


def test_the_json_protocol_goes_by_the_board(mine: str, write: Write) -> None:
    engines = [Here(preset=mine), Here(preset=write('base = "mogo-2006"\neven_games = 1', "usual.toml"))]
    for size in (13, *SIZES):
        for more in ({}, {"includeMovesOwnership": True}):
            asked = query(boardXSize=size, boardYSize=size, moves=[], **more)
            found, usual = (engine.ask(asked)["moveInfos"] for engine in engines)
            assert (found == usual) == (size == 9)
    for engine in engines:
        engine.rest()


def test_a_clock_waits_for_no_board(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[str] = []
    choose = Player.choose

    def noted(self: Player, game: Game) -> Any:
        moved.append(str(self.preset.config.policy))
        return choose(self, game)

    monkeypatch.setattr(player_module.Player, "choose", noted)
    warm_up(load_preset(mine))
    assert moved[::2] == moved[1::2] == [str(variant.config.policy) for variant in load_preset(mine).variants]


def test_ranks_search_by_the_board(mine: str) -> None:
    one_rank: Any = SimpleNamespace(rank=0)
    for size in SIZES:
        preset = load_preset(mine)
        search = Searcher(preset, megabytes=8).new_search(size, one_rank)
        assert search.trees[0].config == preset.at(size).config
        assert load_preset_table(preset.name, preset.at(size).table).at(size).config == preset.at(size).config, "told"


def test_positions_are_studied_by_the_board() -> None:
    def values(*overrides: str) -> Any:
        asked = PositionSettings(
            preset="mogo-2006", overrides=overrides, positions=1, simulations=64, first=32, game_simulations=8, size=5
        )
        return study_position(PositionTask(0, asked))

    assert values("from_size.5.playout=uniform") == values("playout=uniform") != values()
    assert values("from_size.6.playout=uniform") == values()


def test_local_questions_are_asked_by_the_board() -> None:
    def counts(changed: str) -> Any:
        asked = LocalSettings(
            players=(f"mogo-2006 {changed}",),
            simulations=200,
            repeats=2,
            owner=(OwnerQuestion(name="corner", color="black", points=("A1",)),),
            reply=(),
            board="\n".join(["....."] * 5),
            sgf="",
            turn=None,
            komi=None,
            seed=1,
        )
        return watch_search(LocalTask(0, asked)).counts

    assert counts("--set from_size.5.playout=uniform") == counts("--set playout=uniform") != counts("")
    assert counts("--set 'from_size.5.memories=[\"ownership\"]'") == counts("")


# --- who shows and keeps it -------------------------------------------------------------------------------------------


def test_sections_are_shown(mine: str, write: Write) -> None:
    shown = CliRunner().invoke(main, ["show", mine, "--set", "from_size.19.even_games=4"]).output
    assert tomllib.loads(shown)["from_size"]["19"]["even_games"] == 4
    assert "\n[from_size.13]\n" in shown
    heads = [line for line in shown.splitlines() if line.startswith(("# from ", "# playouts: "))]
    assert [line.partition(";")[0] for line in heads] == [
        "# from the base: mogo-2006",
        "# from 2x2 on:",
        "# playouts: escape,pattern3,capture,uniform",
        "# from 13x13 on:",
        "# playouts: escape,pattern3,capture,uniform",
        "# from 19x19 on:",
        "# playouts: capture,uniform",
    ]
    again = load_preset(write(shown))
    assert again == load_preset(write(MINE), ["from_size.19.even_games=4"]), "what is shown is a preset itself"


def test_sections_travel(mine: str, tmp_path: Path) -> None:
    """To other machines, and into the folder of a match."""
    (tmp_path / "there").mkdir()
    copy = tmp_path / "there" / "mine.toml"
    copy.write_bytes(preset_data(parse_contestant(mine)))
    assert load_preset(str(copy)) == load_preset(mine)


def test_a_page_shows_the_parts_of_all_boards_and_leaves_them_out(mine: str) -> None:
    presets = Presets([mine])
    whole = presets.get("mine")
    names = [part.name for part in parts_of(whole)]
    assert (
        sorted(names)
        == sorted({*names})
        == sorted(["playout: escape", "playout: pattern3", "playout: capture", "prior: capture", "prior: escape"])
    )
    less = presets.get("mine", ["playout: capture", "prior: escape"])
    assert [str(policy) for policy in at_sizes(less, "policy")] == ["escape,pattern3,uniform"] * 2 + ["uniform"]
    assert [[str(prior.used) for prior in priors] for priors in at_sizes(less, "priors")] == [
        [],
        ["capture"],
        ["capture"],
    ]
    assert at_sizes(less, "rules") == at_sizes(whole, "rules")
    assert at_sizes(less, "policy.feasibility") == at_sizes(whole, "policy.feasibility")


def test_a_tuning_begins_with_what_holds_on_its_board_and_can_be_of_a_size(mine: str, write: Write) -> None:
    names = ("selection.p", "from_size.19.selection.p", "from_size.19.prior.1.games")
    asked = Tuning(preset=mine, size=13, games=2, parameter=tuple(Parameter(name, 0.1, 9.0) for name in names))
    settled = _settled(asked)
    assert [parameter.start for parameter in settled.parameter] == [0.5, 0.5, 7.0]
    values = dict(zip(names, (0.25, 0.75, 3.0), strict=True))
    table = {"base": "mine.toml"} | preset_table(settled, values)
    found = load_preset(write(as_toml(table), "found.toml"))
    assert found.by_size == tuple(
        (size, replace(preset, name="found"))
        for size, preset in load_preset(mine, [f"{name}={value}" for name, value in values.items()]).by_size
    )
    assert at_sizes(found, P) == [0.25, 0.25, 0.75]
    assert at_sizes(found, "priors.1.games") == [None, 7.0, 3.0]
    assert at_sizes(found, EVEN) == [1, 2, 2]


@pytest.mark.slow
def test_on_19x19_the_strongest_opens_on_the_third_and_fourth_line() -> None:
    """Even with few simulations: its prior is relative there, and knows where there is room."""
    lines = {}
    for opening in own_openings(19):
        game = Game(19)
        for move in opening:
            game.push(move)
        found = Player("kikashi", limit=Limit(400), seed=1).choose(game).move
        lines[(*opening, vertex(found))] = line_of(found, 19)
    assert set(lines.values()) <= {3, 4}, lines
