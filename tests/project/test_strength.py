"""Numbers of strength on the pages: every interval is Wilson's, and every match is one of ``results/strength.toml``."""

import re
import runpy
from pathlib import Path

import pytest

from helpers.pages import ROOT
from kikashi.stats.intervals import wilson

STRENGTH = runpy.run_path(str(ROOT / "docs/site/strength.py"))
MATCHES = {(match["wins"], match["games"]) for table in STRENGTH["matches"]().values() for match in table}
HEADLINE = STRENGTH["matches"]()["headline"]
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


@pytest.mark.parametrize("page", STRENGTH["PAGES"], ids=lambda page: page.name)
def test_pages_have_the_numbers_of_the_file(page: Path) -> None:
    text = page.read_text("utf-8")
    assert any(f"<!-- {match['key']} -->" in text or "<!-- headline" in text for match in HEADLINE)
    assert STRENGTH["with_matches"](text) == text, "run make docs"


def test_a_new_match_changes_numbers_and_intervals_and_nothing_else() -> None:
    page = "It won <!-- pachi-9 -->1 of 2 games\n(0.1–99.9 %), once <!-- pachi-9 -->1 of 2 and 1 of 2 elsewhere."
    (match,) = (match for match in HEADLINE if match["key"] == "pachi-9")
    interval = wilson(match["wins"], match["games"])
    new, share = f"{match['wins']} of {match['games']}", f"{100 * interval.low:.1f}–{100 * interval.high:.1f} %"
    expected = f"It won <!-- pachi-9 -->{new} games\n({share}), once <!-- pachi-9 -->{new} and 1 of 2 elsewhere."
    assert STRENGTH["with_matches"](page) == expected


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
