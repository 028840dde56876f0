"""Rows as HTML and as data frames, also where there is no pandas."""

import sys

import pytest

from kikashi.pictures.tables import data_frame, html_table


def test_cells_are_escaped() -> None:
    assert html_table(["<"], [["&"], ['"']]) == (
        "<table><tr><th>&lt;</th></tr><tr><td>&amp;</td></tr><tr><td>&quot;</td></tr></table>"
    )


def test_a_column_for_each_key() -> None:
    frame = data_frame([{"a": 1, "b": "x"}, {"a": 2, "c": None}])
    assert list(frame.columns) == ["a", "b", "c"]
    assert frame["a"].tolist() == [1, 2]
    assert data_frame([]).empty


def test_without_pandas_the_error_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError) as error:
        data_frame([{"a": 1}])
    assert str(error.value) == "a data frame needs pandas, which is not installed: pip install pandas"
