"""The page of a reviewed game: its data follow the game, texts of the record stay text, and the board is stepped."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from helpers.tools import tool
from kikashi import Game
from kikashi.board.points import BLACK, WHITE
from kikashi.review.page import as_html
from kikashi.review.review import Evaluation, MoveReview, Review

EVALUATIONS = [Evaluation(rate, 40 * rate - 20, 10_000) for rate in (0.5, 0.5, 0.8, 0.8, 0.6)]
MOVES = ["A2", "A1", "B1", "pass"]
"""White's stone at A1 is captured by Black's B1."""
REVIEW = Review(
    "</script><b>",
    "Bob",
    "B+2",
    5,
    7.5,
    "simple",
    0,
    "kikashi, 10 simulations a position",
    len(MOVES),
    tuple(
        MoveReview(
            i + 1, WHITE if i % 2 else BLACK, name, EVALUATIONS[i], EVALUATIONS[i + 1], "C3", ("C3", "pass", "D3")
        )
        for i, name in enumerate(MOVES)
    ),
)


def game() -> Game:
    played = Game(5, 7.5, rules="simple")
    for move in MOVES:
        played.push(move)
    return played


def data(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return dict(json.loads(found[1]))


def test_positions_follow_the_game() -> None:
    shown = data(as_html(REVIEW, game()))
    stones = [position[0] for position in shown["positions"]]
    assert len(stones) == len(MOVES) + 1
    assert stones[0] == 25 * "0"
    assert stones[2] == "20000" + "10000" + 15 * "0"
    assert stones[3] == "01000" + "10000" + 15 * "0", "White's stone is captured"
    assert [position[1] for position in shown["positions"]] == [None, 5, 0, 1, None]
    assert shown["comments"][2] == [
        "White A1",
        "Black 80%, B+12: very bad, White lost 30%\nbetter: C3 pass D3 (Black 50%, even)",
    ]


def test_a_mistake_has_its_better_line_from_the_position_before_it() -> None:
    lines = data(as_html(REVIEW, game()))["lines"]
    assert list(lines) == ["2"]
    assert lines["2"]["points"] == [12, None, 13]
    assert lines["2"]["positions"][0][0] == "00000" + "10000" + 15 * "0"
    assert lines["2"]["positions"][3][0] == "00000" + "10000" + "00220" + 10 * "0"
    assert data(as_html(REVIEW, game(), mistakes=0))["lines"] == {}


def test_the_page_needs_no_other_file_and_names_are_text() -> None:
    page = as_html(REVIEW, game())
    assert "<title>&lt;/script&gt;&lt;b&gt; – Bob, B+2</title>" in page
    assert "</script><b>" not in page
    assert not re.search(r"""(?:src|href)=|url\(|@import""", page)
    assert "1 mistake; White lost most by move 2, A1: 30%." in page


@pytest.mark.slow
def test_the_board_is_stepped_by_keys_buttons_and_the_graph(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    (tmp_path / "review.html").write_text(as_html(REVIEW, game()), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=tool("chromium"), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((tmp_path / "review.html").as_uri())
        caption = page.locator(".caption")
        assert caption.text_content() == "Move 2 of 4: White A1", "the first mistake"
        shade = (
            "(p) => [...document.querySelector('canvas').getContext('2d').getImageData(...p, 1, 1).data].slice(0, 3)"
        )
        a1 = [800 / 6 + 35, 5 * 800 / 6 - 35]  # on the stone, beside its ring and the lines
        assert page.evaluate(shade, a1) == [0xFC, 0xFB, 0xF7]
        page.keyboard.press("ArrowRight")
        assert caption.text_content() == "Move 3 of 4: Black B1"
        assert page.evaluate(shade, a1) == [0xDF, 0xB8, 0x78], "captured"
        page.get_by_role("button", name="2 White A1").click()
        page.get_by_role("button", name="Better line").click()
        assert page.locator(".comment").text_content() == "Better line, move 1 of 3"
        page.get_by_role("button", name="Back to the game").click()
        assert "White lost 30%" in (page.locator(".comment").text_content() or "")
        page.locator(".review-graph .hover").nth(3).click()
        assert caption.text_content() == "Move 4 of 4: White pass"
        page.keyboard.press("Home")
        assert caption.text_content() == "The position before the first move"
        assert errors == []
        browser.close()
