"""What is wrong with a file is told in words of ours: no library's text comes through."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from click.testing import CliRunner

import kikashi
from kikashi.cli import main
from kikashi.engine.preset import load_preset, preset_names
from kikashi.experiments.design_files import load_design
from kikashi.match.journal import read_headers, read_records
from kikashi.match.match_player import match_player
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import settings_of
from kikashi.wording import FEW_NAMES, convert, counted, near_names, nearest, read_toml

RAW = re.compile(r"[Ee]xpected `|`\$|Object |object contains|Invalid |codec|unexpected keyword|Input data")
"""How msgspec, tomllib and Python talk."""


class Inner(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A table in a table."""

    rule: Literal["visits", "value"] = "visits"
    share: Annotated[float, msgspec.Meta(ge=0, lt=0.5)] = 0.0


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    """A table."""

    name: str
    games: Annotated[int, msgspec.Meta(ge=1, le=100)] = 2
    inner: Inner = Inner()
    rows: list[Inner] = []
    either: str | list[str] | None = None


TOLD: list[tuple[Any, str]] = [
    (
        {"name": "x", "gmaes": 3},
        "there is no setting 'gmaes'; did you mean games? there are name, games, inner, rows, ",
    ),
    (
        {"name": "x", "inner": {"rul": 3}},
        "there is no setting 'rul' in inner; did you mean rule? there are rule, share",
    ),
    ({"name": "x", "rows": [{"zzz": 3}]}, "there is no setting 'zzz' in rows[0]; there are rule, share"),
    ({}, "the setting 'name' is missing"),
    ({"name": 3}, "name must be a text, not a whole number"),
    ({"name": "x", "either": 3}, "either must be a text or a list, not a whole number"),
    ({"name": "x", "inner": 3}, "inner must be a table, not a whole number"),
    (
        {"name": "x", "inner": {"rule": "vists"}},
        "inner.rule cannot be 'vists'; did you mean visits? there are visits, v",
    ),
    ({"name": "x", "inner": {"share": 0.5}}, "inner.share must be a number below 0.5"),
    ({"name": "x", "games": 0}, "games must be a whole number at least 1"),
    ({"name": "x", "games": 101}, "games must be a whole number at most 100"),
    (None, "this must be a table, not nothing"),
]


@pytest.mark.parametrize(("table", "said"), TOLD, ids=[said for _, said in TOLD])
def test_data_that_do_not_fit(table: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}") as caught:
        convert(table, Outer)
    assert not RAW.search(str(caught.value))


@pytest.mark.parametrize(
    ("data", "said"), [(b"x = ", "this is not TOML: "), (b"x = 3\xff", "this is not a text in UTF-8")]
)
def test_files_that_are_no_toml(data: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}"):
        read_toml(data)


NEAR = {
    "mogo": ["mogo-2006", "mogo-2009"],
    "MoGo-2006": ["mogo-2006"],
    "mogoo": ["mogo-2006", "mogo-2009"],
    "orego": ["orego-2010"],
    "lgrf4": ["lgrf1", "lgrf2", "lgrf3"],
    "kikasho": ["kikashi"],
    "mogo-206": ["mogo-2006"],
    "xyz": [],
    "": [],
}


@pytest.mark.parametrize("said", NEAR)
def test_at_most_three_near_names_the_best_first(said: str) -> None:
    assert near_names(said, preset_names())[: len(NEAR[said])] == NEAR[said]
    assert len(near_names(said, preset_names())) <= 3
    assert NEAR[said] or not near_names(said, preset_names())


MISSPELT = {
    ("show", "mogo"): "did you mean mogo-2006, mogo-2009 or mogo-",
    ("show", "zzz"): "no preset is called 'zzz'; kikashi presets lists all ",
    ("bench", "tactics", "--preset", "zzz"): "there is no preset 'zzz'; kikashi presets lists all ",
    ("match", "zzz", "lgrf2"): "nor a program that can be found; kikashi presets lists all ",
    ("experiment", "show", "zzz"): "no experiment is called 'zzz'; kikashi experiment list lists all ",
    ("experiment", "show", "baier2010-figur5.5"): "did you mean baier2010-figure5.5",
    ("show", "lgrf2", "--set", "playout=zzz"): "python -m kikashi.engine.catalogue lists all ",
}


@pytest.mark.parametrize("words", MISSPELT)
def test_a_misspelt_name_is_answered_with_few(words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(main, words)
    told = done.stderr.splitlines()[-1]
    assert done.exit_code != 0
    assert MISSPELT[words] in told
    assert len(told) < 200


def test_few_names_are_all_listed() -> None:
    few = [f"name{i}" for i in range(FEW_NAMES)]
    assert nearest("zzz", few) == f"there are {', '.join(few)}"
    assert "there are" not in nearest("name", [*few, "other"])
    assert "there are" in nearest("zzz", [*few, "other"]), "nothing else would help"


@pytest.mark.parametrize(
    ("count", "nouns", "said"),
    [
        (1, "games", "1 game"),
        (0, "games", "0 games"),
        (1, "searches", "1 search"),
        (2000, "searches", "2,000 searches"),
    ],
)
def test_one_is_no_plural(count: int, nouns: str, said: str) -> None:
    assert counted(count, nouns) == said


ONE_OF_MANY = re.compile(
    r"""\{(?:len\([\w.]+\)|[\w.]*(?:count|total|games|records|positions|simulations|visits|steps))(?::,)?\}
        \ (?:games|moves|searches|positions|simulations|steps|children)\b""",
    re.VERBOSE,
)


def test_counts_are_written_with_plural() -> None:
    """No text of ours has a count and a plural beside it; the names of features' levels stay as files have them."""
    sources = [file for file in Path(kikashi.__file__).parent.rglob("*.py") if file.parent.name != "features"]
    found = [f"{file.name}: {match[0]}" for file in sources for match in ONE_OF_MANY.finditer(file.read_text("utf-8"))]
    assert not found


PRESETS = {
    'selecton = "ucb1"': "there is no setting 'selecton'; did you mean selection?",
    'even_games = "x"': "even_games must be a number, not a text",
    'choice = { rul = "visits" }': "there is no setting 'rul' in choice; did you mean rule?",
    'choice = { rule = "vists" }': "choice.rule cannot be 'vists'; did you mean visits?",
    'prior = [{ part = "capture", games = "x" }]': "the games of a prior must be a number, not a text",
    'prior = ["capture"]': "prior[0] must be a table, not a text",
    'backup = { rule = "mean", value = "wni" }': "backup.value cannot be 'wni'; did you mean win?",
    "even_games = ": "this is not TOML: ",
}
DESIGNS = {
    "gmaes = 3": "there is no setting 'gmaes'; did you mean games?",
    'kind = "mtach"': "there is no kind 'mtach'; did you mean match? there are bias, local, match, ",
    "player = [{ name = 'a', player = 'b', gmaes = 3 }]": "there is no setting 'gmaes' in player[0]; did you mean g",
    'openings = "onw"': "openings cannot be 'onw'; did you mean own?",
    "games = ": "this is not TOML: ",
}


def check(folder: Path, text: str, said: str, load: Callable[[str], Any]) -> None:
    file = folder / "mine.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        load(str(file))
    assert "mine.toml: " in str(caught.value)
    assert not RAW.search(str(caught.value))


@pytest.mark.parametrize("line", PRESETS)
def test_presets(line: str, tmp_path: Path) -> None:
    check(tmp_path, f'base = "mogo-2006"\n{line}\n', PRESETS[line], load_preset)


@pytest.mark.parametrize("line", DESIGNS)
def test_experiments(line: str, tmp_path: Path) -> None:
    usual = {"kind": '"match"', "title": '"t"', "source": '"s"', "player": "[]"}
    lines = [f"{key} = {value}" for key, value in usual.items() if not line.startswith(key)]
    check(tmp_path, "\n".join([*lines, line]), DESIGNS[line], load_design)


@pytest.mark.parametrize("load", [load_preset, load_design])
def test_files_that_are_no_text(load: Callable[[str], Any], tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"mine\.toml: this is not a text in UTF-8$"):
        load(str(tmp_path / "mine.toml"))


def test_journals(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    journal.write_text("{\n")
    with pytest.raises(ValueError, match=r"journal\.jsonl is damaged in line 1: this is not JSON$"):
        read_headers(tmp_path)
    journal.write_text('{"kind":"match"}\n{"number":"x"}\n')
    with pytest.raises(ValueError, match=r"in line 2: number must be a whole number, not a text$"):
        read_records(tmp_path, GameRecord)
    with pytest.raises(ValueError, match=r"^settings\.games must be a whole number, not a text$"):
        settings_of({"kind": "match", "settings": {"players": ["a", "b"], "games": "x"}})


PLAYERS = {
    "lgrf2 --simulatons 3": "there is no option --simulatons; did you mean --simulations? there are --simulations, ",
    "lgrf2 --threads x": "--threads must be a whole number, not 'x'",
    "lgrf2 --playouts x": "--playouts must be a whole number, not 'x'",
    "lgrf2 --seconds x": "--seconds must be a number, not 'x'",
    "lgrf2 --set": "--set needs a value",
}


@pytest.mark.parametrize("text", PLAYERS)
def test_players_of_a_match(text: str) -> None:
    with pytest.raises(ValueError, match=f"^player {re.escape(repr(text))}: {re.escape(PLAYERS[text])}"):
        match_player(text)
