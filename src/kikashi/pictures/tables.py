"""Tables from rows: HTML, and data frames if pandas is installed."""

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame
else:
    DataFrame = Any


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def data_frame(rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """Return a data frame with a column for each key. Raises ImportError, in one line, without pandas."""
    try:
        import pandas
    except ImportError:
        raise ImportError("a data frame needs pandas, which is not installed: pip install pandas") from None
    return pandas.DataFrame([dict(row) for row in rows])
