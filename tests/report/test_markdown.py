"""Reports of Markdown: text of users stays text, whatever renders the page."""

from __future__ import annotations

from html.parser import HTMLParser

import markdown
import numpy as np
import pytest

from helpers.match_tools import record, settings
from kikashi.learn.fitting import Accuracy, Fit
from kikashi.learn.learning_report import learning_report
from kikashi.match.match_report import match_report
from kikashi.match.summary import summarize
from kikashi.playout.model.weights import FeatureWeights, Weights
from kikashi.report import Table, markdown_text
from kikashi.tune import tuning_report
from kikashi.tune.tuning import Parameter, Tuning

HOSTILE = [
    "<script>alert(1)</script>",
    "a<img src=x onerror=alert(1)>",
    "<!-- the rest is hidden",
    "</td><style>@import 'x'</style>",
    "![seen](https://example.org/1.png)",
    "[click](javascript:alert(1))",
    "[x]: https://example.org",
    "![x][x]",
    "<https://example.org>",
    "&lt;b&gt;",
    "two\nlines\n\n<b>and</b>\u2028more",
    "`code` | a cell \\| and \\",
]


class Rendered(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(markdown.markdown(text, extensions=["tables", "sane_lists"]))

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_comment(self, data):
        self.tags.add("!--")

    def handle_data(self, data):
        self.text += data


PLAIN = {"h1", "h2", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code", "pre", "em", "strong"}
"""What our own reports consist of, beside links to games and pictures."""


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_users_is_shown_as_it_is(text: str) -> None:
    line = markdown_text(text)
    assert "\n" not in line
    shown = Rendered(
        f"# {line}\n\nA line: {line}\n\n- {line}\n\n{Table(['head', line], [[line, text]] * 2).markdown({})}"
    )
    assert shown.tags <= PLAIN
    in_a_cell = Rendered(Table(["one", "two"], [[text, "last"]]).markdown({}))
    assert in_a_cell.tags == {"table", "thead", "tbody", "tr", "th", "td"}
    assert " ".join(text.split()) in in_a_cell.text


def test_what_stands_alone_stays_readable() -> None:
    assert markdown_text("A < B & C (p < 0.01), [51.2 %, 70.0 %]") == "A < B & C (p < 0.01), [51.2 %, 70.0 %]"


@pytest.mark.parametrize("text", HOSTILE)
def test_the_report_of_a_match_has_no_markup_of_its_players(text: str) -> None:
    name = " ".join(text.split())
    match = settings(f"name={name!r} lgrf2".replace("\\\\", "\\"), "mogo-2006")
    player = match.match_players()[0].name
    records = [record(0, player, "mogo-2006", "B+1"), record(1, "mogo-2006", player, "B+F", reason=f"white: {text}")]
    header = {"players": [{"name": player, "command": text, "version": text}], "machine": {"processor": text}}
    report = match_report(records, summarize(match, records), [header])
    assert Rendered(report.markdown()).tags <= PLAIN | {"a", "img"}


@pytest.mark.parametrize("text", HOSTILE)
def test_the_report_of_a_tuning_has_no_markup_of_its_file(text, tmp_path, monkeypatch) -> None:
    header = {"players": [{"name": text, "overrides": [text]}], "begun": text}
    monkeypatch.setattr(tuning_report, "read_headers", lambda _folder: [header])
    asked = Tuning(preset="kikashi", title=text, parameter=(Parameter("selection.x", 0.1, 1.0, start=0.3),), games=8)
    shown = Rendered(tuning_report.tuning_report(asked, tmp_path, [], None).markdown())
    assert shown.tags <= PLAIN | {"img"}
    assert "example.org/1.png" not in shown.get_starttag_text()


@pytest.mark.parametrize("text", HOSTILE)
def test_the_report_of_weights_has_no_markup_of_its_sources(text) -> None:
    figures = Accuracy(1, 10, -1.0, -2.0, (0.5,) * 10)
    weights = Weights((FeatureWeights("liberties", np.zeros(6)),), {"size": 9})
    fit = Fit(weights, figures, figures, {text: figures, "other": figures}, 1, False)
    assert Rendered(learning_report(fit).markdown()).tags <= PLAIN | {"img"}
