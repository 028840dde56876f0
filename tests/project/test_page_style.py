"""Pages are easy to read: lines wrap, a heading comes every screenful, and sentences name their subjects."""

import re
from itertools import pairwise

import pytest

from helpers.pages import FENCE, PAGES, ROOT

GENERATED = {"docs/parts.md", "docs/results.md"}
WRITTEN = [page for page in PAGES if page not in {*GENERATED, "CHANGELOG.md"}]
WIDTH = 120
SCREENFUL = 60
HEADLESS = re.compile(
    r"\b(?:is|was|are|were) (?:told|said|asked)\b|\bnothing (?:else )?is said\b|\bso many\b|\bsays? otherwise\b",
    re.IGNORECASE,
)


def prose(page: str) -> list[str]:
    """The lines of a page without code, tables and pictures."""
    text = FENCE.sub("", (ROOT / page).read_text("utf-8"))
    return [line for line in text.splitlines() if not line.startswith(("|", "    ", "![", "<"))]


@pytest.mark.parametrize("page", WRITTEN)
def test_lines_wrap(page: str) -> None:
    assert [line for line in prose(page) if len(line) > WIDTH] == []


@pytest.mark.parametrize("page", WRITTEN)
def test_sentences_are_not_headless(page: str) -> None:
    text = FENCE.sub("", (ROOT / page).read_text("utf-8"))
    if page == "docs/papers.md":
        text = text.partition("## The experiments")[0]  # its tables repeat the files of experiments
    assert HEADLESS.findall(" ".join(text.split())) == []


@pytest.mark.parametrize("page", WRITTEN)
def test_a_heading_comes_every_screenful(page: str) -> None:
    lines = prose(page)
    headings = [0, *(number for number, line in enumerate(lines) if line.startswith("#")), len(lines)]
    assert max(b - a for a, b in pairwise(headings)) <= SCREENFUL


def test_the_readme_is_two_screens() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120
