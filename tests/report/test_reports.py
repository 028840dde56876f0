"""Reports of matches, tunings and weights: text of users stays text."""

import numpy as np
import pytest

from helpers.match_tools import HOSTILE, Rendered, record, settings
from kikashi.learn.fitting import Accuracy, Fit
from kikashi.learn.learning_report import learning_report
from kikashi.match.match_report import match_report
from kikashi.match.summary import summarize
from kikashi.playout.weights import FeatureWeights, Weights
from kikashi.tune import tuning_result
from kikashi.tune.tuning import Parameter, Tuning

TAGS = {"h1", "h2", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "strong", "a", "img"}
"""Elements of our own reports."""


@pytest.mark.parametrize("text", HOSTILE)
def test_the_report_of_a_match_has_no_markup_of_its_players(text: str) -> None:
    name = " ".join(text.split())
    match = settings(f"name={name!r} lgrf2".replace("\\\\", "\\"), "mogo-2006")
    player = match.match_players()[0].name
    records = [record(0, player, "mogo-2006", "B+1"), record(1, "mogo-2006", player, "B+F", reason=f"white: {text}")]
    header = {"players": [{"name": player, "command": text, "version": text}], "machine": {"processor": text}}
    report = match_report(records, summarize(match, records), [header])
    assert Rendered(report.markdown()).tags <= TAGS


@pytest.mark.parametrize("text", HOSTILE)
def test_the_report_of_a_tuning_has_no_markup_of_its_file(text, tmp_path, monkeypatch) -> None:
    header = {"players": [{"name": text, "overrides": [text]}], "begun": text}
    monkeypatch.setattr(tuning_result, "read_headers", lambda _folder: [header])
    asked = Tuning(preset="kikashi", title=text, parameter=(Parameter("selection.x", 0.1, 1.0, start=0.3),), games=8)
    assert Rendered(tuning_result.tuning_report(asked, tmp_path, [], None).markdown()).tags <= TAGS


@pytest.mark.parametrize("text", HOSTILE)
def test_the_report_of_weights_has_no_markup_of_its_sources(text) -> None:
    figures = Accuracy(1, 10, -1.0, -2.0, (0.5,) * 10)
    weights = Weights((FeatureWeights("liberties", np.zeros(6)),), {"size": 9})
    fit = Fit(weights, figures, figures, {text: figures, "other": figures}, 1, False)
    assert Rendered(learning_report(fit).markdown()).tags <= TAGS
