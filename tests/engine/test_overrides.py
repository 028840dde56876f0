"""Settings changed by text: what becomes of a table, and one clear line for what is none."""

import copy
import tomllib
from typing import Any

import pytest

from kikashi.engine.overrides import as_toml, override, read_value, setting_at

TABLE: dict[str, Any] = {"size": 9, "name": "a", "selection": {"p": 1.0, "deep": {"x": 1}}, "prior": [{"part": "one"}]}

CHANGES: dict[str, dict[str, Any]] = {
    "size=13": {"size": 13},
    " size = 13 ": {"size": 13},
    "name=plain words": {"name": "plain words"},
    "name='13'": {"name": "13"},
    "name=a=b": {"name": "a=b"},
    "name=1+=2": {"name": "1+=2"},
    "name=": {"name": ""},
    "new=true": {"new": True},
    "list=[1, 2]": {"list": [1, 2]},
    "selection.p=2": {"selection": {"p": 2, "deep": {"x": 1}}},
    "selection.deep.x=[2]": {"selection": {"p": 1.0, "deep": {"x": [2]}}},
    "other.inner.key=1": {"other": {"inner": {"key": 1}}},
    "selection=7": {"selection": 7},
    "prior+={ part = 'two' }": {"prior": [{"part": "one"}, {"part": "two"}]},
    "prior += text": {"prior": [{"part": "one"}, "text"]},
    "fresh+=1": {"fresh": [1]},
    "prior.0.part=two": {"prior": [{"part": "two"}]},
    "prior.0.games=5": {"prior": [{"part": "one", "games": 5}]},
    "prior.0.inner.x=5": {"prior": [{"part": "one", "inner": {"x": 5}}]},
    "prior.0=text": {"prior": ["text"]},
    "prior.0.list+=1": {"prior": [{"part": "one", "list": [1]}]},
    "selection.list+=[1]": {"selection": {"p": 1.0, "deep": {"x": 1}, "list": [[1]]}},
}
WRONG = {
    "size": "'size' is not key=value, as in selection.p=1.2",
    "=3": "'=3' is not key=value, as in selection.p=1.2",
    " =3": "' =3' is not key=value, as in selection.p=1.2",
    "size.x=3": "'size.x=3': size has no settings of its own",
    "prior.part=3": "'prior.part=3': prior has no settings of its own",
    "prior.1.part=3": "'prior.1.part=3': there is no item 1: the list has 1, and the first is 0",
    "prior.-1.part=3": "'prior.-1.part=3': prior has no settings of its own",
    "prior.0.part.x=3": "'prior.0.part.x=3': part has no settings of its own",
    "prior.0+=3": "'prior.0+=3': 0 is not a list",
    "+=3": "'+=3' is not key=value, as in selection.p=1.2",
    "size+=3": "'size+=3': size is not a list",
    "selection.p+=3": "'selection.p+=3': p is not a list",
    "selection+=3": "'selection+=3': selection is not a list",
}


@pytest.mark.parametrize("text", CHANGES)
def test_a_table_is_changed(text: str) -> None:
    table = copy.deepcopy(TABLE)
    override(table, text)
    assert table == TABLE | CHANGES[text]


@pytest.mark.parametrize("text", WRONG)
def test_an_error_is_one_line_and_changes_nothing(text: str) -> None:
    table = copy.deepcopy(TABLE)
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        override(table, text)
    assert str(caught.value) == WRONG[text]
    assert table == TABLE


def test_the_example_is_the_callers() -> None:
    with pytest.raises(ValueError, match="'x' is not key=value, as in size=9"):
        override({}, "x", "size=9")


WHERE = {"size": 9, "selection.deep.x": 1, "prior.0.part": "one", "prior.0": {"part": "one"}}


@pytest.mark.parametrize("path", [*WHERE, "other", "selection.q", "prior.1.part", "prior.part", "size.x", "prior.-1"])
def test_a_setting_is_found_where_it_would_be_changed(path: str) -> None:
    assert setting_at(TABLE, path) == WHERE.get(path)


def test_values_are_toml_or_text() -> None:
    assert [read_value(text) for text in ("1", "1.5", "[1]", "true", "'x y'", "x y", "70_000")] == [
        1,
        1.5,
        [1],
        True,
        "x y",
        "x y",
        70000,
    ]


TABLES: list[dict[str, Any]] = [
    {},
    TABLE,
    {"text": 'a "quoted" \\ line\nand another', "signs": "§ ½ é", "empty": ""},
    {"number": -3, "large": 2**62, "real": 0.1, "tiny": 1e-300, "infinite": float("inf"), "yes": True, "no": False},
    {"list": [], "names": ["a", "b"], "mixed": [1, "two", [3]], "table": {}, "tables": [{}, {"x": {"y": [{"z": 1}]}}]},
    {"by": {"13": {"x": {"y": 1}, "list": [{"z": 1}]}, "a.b": {}}, "other": {"one": {"p": 1}}, "after": 1},
    {"by": {"13": {"x": 1}}},
    {"a key": 1, "a.b": 2, "": 3, "é": 4, "a-b_9": 5},
]


@pytest.mark.parametrize("table", TABLES)
def test_what_is_written_as_toml_is_read_as_it_was(table: dict[str, Any]) -> None:
    assert tomllib.loads(as_toml(table)) == table


def test_a_table_is_written_a_line_for_a_key_and_a_line_for_each_table_of_a_list() -> None:
    assert as_toml(
        {"size": 9, "rule": {"p": 1.0, "on": True}, "prior": [{"part": "a"}, {"part": "b"}]}
    ).splitlines() == [
        "size = 9",
        "rule = { p = 1.0, on = true }",
        "prior = [",
        '    { part = "a" },',
        '    { part = "b" },',
        "]",
    ]


def test_tables_of_a_table_have_heads_and_come_last() -> None:
    assert as_toml({"by": {"13": {"x": 1, "rule": {"p": 1.0}}, "19": {"x": 2}}, "size": 9}).splitlines() == [
        "size = 9",
        "",
        "[by.13]",
        "x = 1",
        "rule = { p = 1.0 }",
        "",
        "[by.19]",
        "x = 2",
    ]
