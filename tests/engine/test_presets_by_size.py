"""Settings by board size: how sections are merged, where settings hold, and who plays by them."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from helpers.analysis_lines import Here, query
from helpers.gtp_text import ok
from kikashi import Game, Limit, Player
from kikashi.board.points import vertex
from kikashi.board.queries import line_of
from kikashi.cli import main
from kikashi.engine.overrides import as_toml
from kikashi.engine.preset import Preset, load_preset, load_preset_table
from kikashi.experiments import load_design
from kikashi.match.match_player import match_player, preset_data
from kikashi.match.settings import own_openings
from kikashi.mpi.rank_search import new_rank_search
from kikashi.protocols.gtp.session import GtpSession
from kikashi.tune.tuning import Parameter, Tuning, with_start_values
from kikashi.tune.tuning_result import preset_table
from kikashi.web.presets import Presets, parts_of

Write = Callable[..., str]
SIZES = (9, 13, 19)
MINE = """
base = "mogo-2006"
virtual_loss = 3

[from_size.19]
playout = ["capture"]
selection = { first_play_urgency = 2.0 }

[from_size.13]
virtual_loss = 4
selection = { p = 0.5 }
prior = [{ part = "capture", games = 5 }, { part = "escape", games = 7 }]
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a preset file and return its path."""

    def write(text: str, name: str = "mine.toml") -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


@pytest.fixture
def mine(write: Write) -> str:
    return write(MINE)


def at_sizes(preset: Preset, path: str) -> list[Any]:
    """Return a value of a preset on boards of `SIZES`, by attributes, rules and indexes of priors."""
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


P, URGENCY, LOSS = "rules.selection.values.p", "rules.selection.values.first_play_urgency", "virtual_loss"
RULE, GAMES, SECOND = "rules.selection.part.name", "priors.0.games", "priors.1.games"


# --- merging ----------------------------------------------------------------------------------------------------------

DERIVED: dict[str, tuple[str, str, list[Any]]] = {
    # what a preset says that has `MINE` as its base; what is looked at; the values by size
    "sections are merged, the smaller first": ("", LOSS, [3, 4, 4]),
    "a section changes one parameter of a rule": ("", P, [1.0, 0.5, 0.5]),
    "a setting without a size holds on every board": ("virtual_loss = 7", LOSS, [7, 7, 7]),
    "so does a table": ("selection = { p = 0.25 }", P, [0.25, 0.25, 0.25]),
    "a table changes only its own keys": ("selection = { first_play_urgency = 3.0 }", P, [1.0, 0.5, 0.5]),
    "another rule replaces the table": ('selection = "ucb1"', RULE, ["ucb1"] * 3),
    "a list is replaced as a whole": ("prior = []", "priors", [(), (), ()]),
    "a section merges with the base's": ("[from_size.13.selection]\nfirst_play_urgency = 3.0", P, [1.0, 0.5, 0.5]),
    "a section holds on larger boards": ("[from_size.13.selection]\nfirst_play_urgency = 3.0", URGENCY, [1.1, 3, 3]),
    "a section between two others": ("[from_size.16]\nvirtual_loss = 5", LOSS, [3, 4, 5]),
    "a setting and a section": ("virtual_loss = 7\n[from_size.19]\nvirtual_loss = 8", LOSS, [7, 7, 8]),
    "another rule in a section": ("[from_size.13.selection]\nrule = 'ucb1'", RULE, ["ucb1_tuned", "ucb1", "ucb1"]),
}  # fmt: skip
SET: dict[str, tuple[list[str], str, list[Any]]] = {
    # overrides of `MINE`; what is looked at; the values by size
    "without a size: on every board": (["selection.p=0.25"], P, [0.25, 0.25, 0.25]),
    "a whole table": (['selection={ rule = "ucb1_tuned" }'], P, [1.0, 1.0, 1.0]),
    "with a size: from there on": (["from_size.13.selection.p=0.25"], P, [1.0, 0.25, 0.25]),
    "below a section that has it": (["from_size.5.virtual_loss=9"], LOSS, [9, 9, 9]),
    "a size of its own": (["from_size.16.virtual_loss=9"], LOSS, [3, 4, 9]),
    "those with a size come last": (["from_size.19.selection.p=0.75", "selection.p=0.25"], P, [0.25, 0.25, 0.75]),
    "the smaller size first": (["from_size.19.prior.1.games=9", "from_size.13.prior.1.games=8"], SECOND, [None, 8, 9]),
    "the last of two": (["virtual_loss=8", "virtual_loss=9"], LOSS, [9, 9, 9]),
    "every list is appended to": (['prior+={ part = "capture", games = 3 }'], "priors.2.games", [None, 3, 3]),
    "an item of a section's list": (["from_size.13.prior.0.games=3"], GAMES, [None, 3, 3]),
    "a size appends to the list it inherits": (["from_size.19.prior+={ part = 'capture' }"], SECOND, [None, 7, 7]),
    "an item of an inherited list": (["from_size.19.prior.1.games=3"], SECOND, [None, 7, 3]),
    "and the rest of that list": (["from_size.19.prior.1.games=3"], GAMES, [None, 5, 5]),
    "a parameter of a rule that is only named": (["region=common_fate", "from_size.19.region.distance=4"],
                                                 "rules.region.values.distance", [2, 2, 4]),
}  # fmt: skip


@pytest.mark.parametrize("case", [*DERIVED, *SET])
def test_settings_by_size(write: Write, mine: str, case: str) -> None:
    if case in DERIVED:
        text, path, expected = DERIVED[case]
        preset = load_preset(write('base = "mine.toml"\n' + text, "derived.toml"))
    else:
        texts, path, expected = SET[case]
        preset = load_preset(mine, texts)
    assert at_sizes(preset, path) == expected


def test_sections_make_presets_of_their_own(mine: str) -> None:
    preset, plain = load_preset(mine), load_preset("mogo-2006")
    assert [(variant.by_size, "from_size" in variant.table) for variant in preset.variants] == [((), False)] * 3
    assert preset.config == preset.at(2).config == preset.at(12).config != preset.at(13).config
    assert preset.at(13).at(19) is preset.at(13)
    assert load_preset(mine) == preset != load_preset(mine, ["from_size.19.virtual_loss=9"])
    assert plain.at(2) is plain.at(19) is plain
    assert plain.variants == (plain,)


# --- errors -----------------------------------------------------------------------------------------------------------

NO_SIZE = "the size of a board is from 2 to 19"
WRONG = {
    "[from_size.13]\nselektion = 1": "from_size.13: there is no setting 'selektion'; did you mean",
    "[from_size.19.selection]\nq = 1": "from_size.19: ",
    "[from_size.19]\nvirtual_loss = -1": "from_size.19: virtual_loss",
    "[from_size.9]\nselection = 3": "from_size.9: selection is the name",
    'zone = "common_fate"\n[from_size.19]\nstarts = 2': "from_size.19: a zone has",
    "[from_size.1]\nstarts = 1": f"from_size.1: {NO_SIZE}",
    "[from_size.20]\nstarts = 1": f"from_size.20: {NO_SIZE}",
    "[from_size.large]\nstarts = 1": f"from_size.large: {NO_SIZE}",
    "[from_size.013]\nstarts = 1": f"from_size.013: {NO_SIZE}",
    "[from_size.9.from_size.13]\nstarts = 1": "from_size.9: from_size cannot depend on",
    '[from_size.9]\nbase = "kikashi"': "from_size.9: base cannot depend on",
    "from_size = 13": "from_size has a table for a size, as in [from_size.13], and is not 13",
    "from_size = { 13 = 1 }": "from_size.13 is a table of settings, not 1",
    "[form_size.13]\nstarts = 1": "there is no setting 'form_size'; did you mean from_size?",
}
SET_WRONG = {
    "from_size.20.starts=1": f"from_size.20: {NO_SIZE}",
    "from_size=13": "from_size has a table for a size",
    "from_size.13=1": "from_size has a table for a size",
    "from_size.13.selection.q=1": "from_size.13: ",
    "from_size.13.prior.2.games=1": "there is no item 2: the list has 2, and the first is 0",
    "prior.0.games=1": "there is no item 0",
    "selection={ rule = 'ucb1', q = 1 }": "ucb1",
}


@pytest.mark.parametrize("text", [*WRONG, *SET_WRONG])
def test_an_error_is_one_line_that_names_the_section(write: Write, text: str) -> None:
    write('base = "mogo-2006"\n' + text if text in WRONG else MINE, "base.toml")
    derived, overrides = write('base = "base.toml"', "derived.toml"), [] if text in WRONG else [text]
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        load_preset(derived, overrides)
    assert (WRONG | SET_WRONG)[text] in str(caught.value)


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


def game_of(preset: Preset, size: int) -> list[tuple[str, Any]]:
    """Return the moves of a short game, each with its analysis."""
    game, player, found = Game(size, 20.5), Player(preset, limit=Limit(60), megabytes=8), []
    while game.move_count < 10 and not game.is_over():
        decision = player.choose(game)
        found.append((decision.name, replace(decision.analysis, seconds=0)))
        game.push(decision.move)
    return found


@pytest.mark.parametrize("case", PLAYED)
def test_a_game_is_played_by_the_settings_of_its_board(case: str) -> None:
    texts = PLAYED[case]
    by_size = load_preset("mogo-2006", [f"from_size.{LARGE}.{text}" for text in texts])
    everywhere, usual = load_preset("mogo-2006", texts), load_preset("mogo-2006")
    assert game_of(by_size, LARGE) == game_of(everywhere, LARGE) != game_of(usual, LARGE)
    assert game_of(by_size, LARGE - 1) == game_of(usual, LARGE - 1)


def test_players_and_ranks_search_by_the_board(mine: str) -> None:
    player, preset, one_rank = Player(mine, limit=Limit(10), megabytes=8), load_preset(mine), SimpleNamespace(rank=0)
    for size in (*SIZES, 9):
        player.choose(Game(size))
        assert player.last_search is not None
        assert player.last_search.config == preset.at(size).config
        search = new_rank_search(preset, one_rank, size=size, megabytes=8)  # type: ignore[arg-type]
        assert search.trees[0].config == preset.at(size).config
        assert load_preset_table(preset.name, preset.at(size).table).at(size).config == preset.at(size).config


def test_a_session_plays_by_its_board(mine: str, session: GtpSession) -> None:
    ok(session, f"kikashi-preset {mine} selection.first_play_urgency=1.5 from_size.19.backup.value=score")
    for size, policy in ((9, "escape"), (19, "capture"), (13, "escape")):
        ok(session, f"boardsize {size}")
        ok(session, "genmove b")
        assert ok(session, "kikashi-policy_statistics").startswith(policy)
        assert session.player.last_search is not None
        assert session.player.last_search.config.rules["selection"].values["first_play_urgency"] == 1.5
        assert session.player.last_search.config.win_weight == (size < 19)


def test_the_json_protocol_goes_by_the_board(mine: str, write: Write) -> None:
    engines = [Here(preset=mine), Here(preset=write('base = "mogo-2006"\nvirtual_loss = 3', "usual.toml"))]
    for size in (13, *SIZES):
        for more in ({}, {"includeMovesOwnership": True}):
            request = query(boardXSize=size, boardYSize=size, moves=[], **more)
            found, usual = (engine.ask(request)["moveInfos"] for engine in engines)
            assert (found == usual) == (size == 9)
    for engine in engines:
        engine.rest()


def test_positions_are_studied_by_the_board() -> None:
    def values(*overrides: str) -> Any:
        changes = ["preset=mogo-2006", f"overrides={list(overrides)}", "positions=1", "simulations=64", "first=32"]
        return load_design("coulom2006-table1", [*changes, "game_simulations=8", "size=5"]).at(1.0).work(0)

    assert values("from_size.5.playout=uniform") == values("playout=uniform") != values()
    assert values("from_size.6.playout=uniform") == values()


# --- who shows and keeps it -------------------------------------------------------------------------------------------


def test_a_shown_preset_and_a_copied_one_have_the_sections(mine: str, write: Write) -> None:
    shown = CliRunner().invoke(main, ["show", mine, "--set", "from_size.19.virtual_loss=9"]).output
    assert tomllib.loads(shown)["from_size"]["19"]["virtual_loss"] == 9
    heads = [line for line in shown.splitlines() if line.startswith(("# from ", "# playouts: "))]
    mogo = "# playouts: escape,pattern3,capture,uniform"
    assert [line.partition(";")[0] for line in heads] == [
        *("# from the base: mogo-2006", "# from 2x2 on:", mogo, "# from 13x13 on:", mogo),
        *("# from 19x19 on:", "# playouts: capture,uniform"),
    ]
    original = load_preset(mine)
    assert load_preset(write(preset_data(match_player(mine)).decode())) == original
    assert load_preset(write(shown)) == load_preset(original, ["from_size.19.virtual_loss=9"])


def test_a_page_shows_the_parts_of_all_boards_and_leaves_them_out(mine: str) -> None:
    presets = Presets([mine])
    whole = presets.get("mine")
    names = ["playout: escape", "playout: pattern3", "playout: capture", "prior: capture", "prior: escape"]
    assert sorted(part.name for part in parts_of(whole)) == sorted(names)
    less = presets.get("mine", ["playout: capture", "prior: escape"])
    assert [str(policy) for policy in at_sizes(less, "policy")] == ["escape,pattern3,uniform"] * 2 + ["uniform"]
    assert [str(prior and prior.used) for prior in at_sizes(less, "priors.0")] == ["None", "capture", "capture"]
    assert at_sizes(less, "priors.1") == [None] * 3
    assert at_sizes(less, "rules") == at_sizes(whole, "rules")
    assert at_sizes(less, "policy.feasibility") == at_sizes(whole, "policy.feasibility")


def test_a_tuning_starts_from_the_settings_of_its_board_and_may_have_a_size(mine: str, write: Write) -> None:
    names = ("selection.p", "from_size.19.selection.p", "from_size.19.prior.1.games")
    settings = Tuning(preset=mine, size=13, games=2, parameter=tuple(Parameter(name, 0.1, 9.0) for name in names))
    settled = with_start_values(settings)
    assert [parameter.start for parameter in settled.parameter] == [0.5, 0.5, 7.0]
    for values in ((0.25, 0.75, 3.0), (0.5, 1.0, 3.0)):
        by_name = dict(zip(names, values, strict=True))
        found = load_preset(write(as_toml({"base": "mine.toml"} | preset_table(settled, by_name)), "found.toml"))
        expected = load_preset(mine, [f"{name}={value}" for name, value in by_name.items()])
        for path in (P, GAMES, SECOND, LOSS, URGENCY):
            assert at_sizes(found, path) == at_sizes(expected, path)


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
