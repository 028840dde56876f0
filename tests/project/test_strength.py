"""Numbers of strength on the pages: every interval is Wilson's, and every match is one of ``results/strength.toml``."""

import re
import runpy

import pytest

from helpers.pages import ROOT
from kikashi.stats.intervals import wilson

STRENGTH = runpy.run_path(str(ROOT / "docs/site/strength.py"))
MATCHES = {(match["wins"], match["games"]) for match in STRENGTH["matches"]()}
RESULT = re.compile(r"\b([\d,]+) of ([\d,]+)(?:\*\*)?(?: games)? \(([\d.]+)–([\d.]+) %\)")
PAGES = ["README.md", "docs/strength.md", "docs/notebook.md"]


def results(page: str) -> list[tuple[int, int, str, str]]:
    text = " ".join((ROOT / page).read_text("utf-8").split())
    return [(int(w.replace(",", "")), int(n.replace(",", "")), low, high) for w, n, low, high in RESULT.findall(text)]


@pytest.mark.parametrize("page", PAGES)
def test_intervals_follow_from_the_games(page: str) -> None:
    found = results(page)
    assert len(found) > 2
    for wins, games, low, high in found:
        interval = wilson(wins, games)
        expected = (round(100 * interval.low, 1), round(100 * interval.high, 1))
        assert (float(low), float(high)) == expected, f"{wins} of {games}"


@pytest.mark.parametrize("page", ["README.md", "docs/strength.md"])
def test_matches_of_a_page_are_those_of_the_file(page: str) -> None:
    assert {(wins, games) for wins, games, _, _ in results(page)} <= MATCHES


def test_matches_of_the_file_are_on_the_page_or_in_the_notebook() -> None:
    text = "".join((ROOT / page).read_text("utf-8") for page in PAGES)
    assert [pair for pair in MATCHES if f"{pair[0]} of {pair[1]}" not in text] == []


def test_the_figure_is_drawn_from_the_file() -> None:
    assert (ROOT / "docs/strength-steps.svg").read_text("utf-8") == STRENGTH["draw"](), "run make docs"


def test_the_page_of_results_has_as_many_verdicts_as_the_readme_promises() -> None:
    readme, page = ((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/results.md"))
    promised = re.search(r"Of the papers' (\d+) claims, at least (\d+) are reproduced", " ".join(readme.split()))
    found = re.search(r"^\*\*(\d+) claims: .*?(\d+) reproduced", page, re.MULTILINE)
    assert promised is not None
    assert found is not None
    assert int(promised[1]) == int(found[1])
    assert int(promised[2]) <= int(found[2])
