"""Documents: every element in every rendering, text of users as text, the viewer, an element from outside."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from helpers.match_tools import HOSTILE, Rendered, check_page
from helpers.tools import tool
from kikashi.game import Game
from kikashi.report import (
    Board,
    Document,
    Figure,
    Files,
    Games,
    Items,
    Link,
    Paragraph,
    PlayedGame,
    Section,
    Table,
    bars,
    intervals,
    markdown_text,
    plots,
    trends,
)

CURVE = [(1.0, 2.0), (2.0, 3.0), (4.0, 2.5)]
LABELS = {"title": "A title", "x_label": "the x axis", "y_label": "the y axis"}
PLOTS = {
    "band": lambda: plots.band([0.5, 0.6], [0.1, 0.2], [0.9, 0.8], **LABELS),
    "drift": lambda: plots.drift(CURVE, [(1, 3)] * 3, start=2.0, **LABELS),
    "logarithmic drift": lambda: plots.drift(CURVE, [(1, 3)] * 3, start=2.0, logarithmic=True, **LABELS),
    "walk": lambda: plots.walk([0, 1, 2], -2.9, 2.9, **LABELS),
    "curves": lambda: plots.curves({"a": CURVE}, others={"a": CURVE}, **LABELS),
    "trends": lambda: trends({"a": CURVE}, bounds={"a": [(1, 3)] * 3}, middle=2.0, doubling=True, **LABELS),
    "histogram": lambda: plots.histogram([1, 2, 2, 9], **LABELS),
    "two scales": lambda: plots.two_scales(
        ("the y axis", CURVE), ("right", CURVE), title="A title", x_label="the x axis"
    ),
    "bars": lambda: bars({"the y axis": 3.0, "b": 4.0}, "the x axis", title="A title"),
    "intervals": lambda: intervals({"the y axis": (1, 2, float("inf"))}, "the x axis", {"a": 2.0}, title="A title"),
}


def full(text: str) -> Document:
    """A document with the text in every place that takes one."""
    plot = bars({text: 1.0}, text, title=text)
    game = PlayedGame([text, text], 9, [text], file="games/1.sgf")
    table = Table(["head", text], [[Link(text, "games/1.sgf"), text], [text, text]], title=text)
    inner = [Items([text, "other"], title=text), table, Figure(plot), Games(["game", text], [game])]
    return Document(text, [Paragraph(text), Section(text, inner)], verdict=text)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_users_is_shown_as_it_is(text: str) -> None:
    shown = " ".join(text.split())
    document = full(text)
    page = Rendered(document.markdown())
    assert page.tags <= {"h1", "h2", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "a", "img"}
    assert Rendered(markdown_text(text)).text == shown
    assert shown in Rendered(Table(["a", "b"], [[text, "last"]]).markdown({})).text
    seen = check_page(document.html())
    assert set(seen.seen) <= set(check_page(full("plain").html()).seen)
    assert "".join(seen.text).count(text.strip()) >= 7
    assert text in document.text()


def test_text_without_markup_stays_readable() -> None:
    plain = "A < B & C (p < 0.01), [51.2 %, 70.0 %], snake_case, 3 - 2, #1"
    assert markdown_text(plain) == plain


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_has_a_title_and_axes(name: str) -> None:
    picture = PLOTS[name]()
    words = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    assert {"A title", "the x axis", "the y axis"} <= set(words)
    assert picture.count('class="axis"') == 2
    assert picture.about.startswith("A title (")


def test_files_of_a_report(tmp_path: Path) -> None:
    plot = PLOTS["bars"]()
    document = Document("Title", [Figure(plot, "named"), Section("More", [Figure(plot)]), Board(Game(5))], "A verdict")
    assert document.write(tmp_path) == tmp_path / "report.html"
    page = (tmp_path / "report.md").read_text("utf-8")
    assert re.findall(r"!\[.*?\]\((.*?)\)", page) == ["named.svg", "figure-2.svg"]
    assert (tmp_path / "named.svg").read_text("utf-8") == (tmp_path / "figure-2.svg").read_text("utf-8") == f"{plot}\n"
    assert page.startswith("# Title\n\n**A verdict**\n\n")
    assert "\n```\n" in page
    whole = (tmp_path / "report.html").read_text("utf-8")
    assert check_page(whole).seen["svg"] == 3
    assert "prefers-color-scheme: dark" in whole
    assert "http" not in whole.replace("http://www.w3.org/2000/svg", "")


def test_empty_elements_leave_no_trace() -> None:
    nothing = [Section("Empty", [Items([], "Notes:"), Paragraph(""), Games(["game"], [])])]
    document = Document("Title", nothing)
    assert document.text() == "Title\n"
    assert document.markdown() == "# Title\n"
    assert document.fragment() == ""


def test_text_for_a_terminal_has_aligned_columns() -> None:
    table = Table(["player", "Elo"], [["tree", "+338 [+181, +495]"], ["a longer name", "0"]], "Ratings:")
    assert table.text().splitlines() == [
        "Ratings:",
        "player                       Elo",
        "─────────────  ─────────────────",
        "tree           +338 [+181, +495]",
        "a longer name                  0",
    ]


# --- an element from outside ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stars:
    """A rating in stars, as a user's file could have it: one class, nothing registered."""

    count: int

    def text(self) -> str:
        return "*" * self.count

    def markdown(self, files: Files) -> str:
        files["stars.txt"] = "*" * self.count
        return f"[{self.count} stars](stars.txt)"

    def html(self) -> str:
        return f"<meter max=5 value={self.count}></meter>"


def test_an_element_of_a_user_is_one_class(tmp_path: Path) -> None:
    document = Document("Rated", [Section("Stars", [Stars(4)])])
    assert "****" in document.text()
    document.write(tmp_path)
    assert (tmp_path / "stars.txt").read_text() == "****"
    assert "[4 stars](stars.txt)" in (tmp_path / "report.md").read_text()
    assert "<meter max=5 value=4></meter>" in (tmp_path / "report.html").read_text()


# --- games ------------------------------------------------------------------------------------------------------------

HANDICAP_GAME = {"G7": (585, 240), "C3": (265, 560)}
"""Pixels of stones."""
CAPTURE = ["E5", "E6", "D6", "D5", "F6", "F5", "E7", "G6"]
GAMES = Games(
    ["game", "black"],
    [PlayedGame(["0", "<b>"], 9, CAPTURE, file="games/0.sgf"), PlayedGame(["1", "b"], 9, ["G7", "pass"], ["C3", "G3"])],
)


def test_games_link_to_their_files() -> None:
    page = GAMES.markdown({})
    assert "| [0](games/0.sgf) | &lt;b&gt; |" in page
    assert "| 1 | b |" in page
    data = re.search(r'<script type="application/json">(.*?)</script>', GAMES.html())
    assert data is not None
    assert json.loads(data[1])[1] == ["1 · b", 9, "C3 G3", "G7 pass"]


@pytest.mark.slow
def test_a_game_opens_in_the_viewer(tmp_path: Path) -> None:
    """The stones are read from the canvas: the captured one is gone, the last move has a ring."""
    from playwright.sync_api import sync_playwright

    Document("Games", [GAMES]).write(tmp_path)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=tool("chromium"), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((tmp_path / "report.html").as_uri())
        page.get_by_label("Show game 0").click()
        assert page.locator(".viewer p").text_content() == "0 · <b> – move 8 of 8: G6"
        shade = (
            "(p) => [...document.querySelector('canvas').getContext('2d').getImageData(...p, 1, 1).data].slice(0, 3)"
        )
        at = {"E6": (415, 335), "E5": (415, 415), "F5": (495, 415)}
        colors = {name: page.evaluate(shade, place) for name, place in at.items()}
        assert colors == {"E6": [0xDF, 0xB8, 0x78], "E5": [0x1C, 0x1C, 0x1E], "F5": [0xFC, 0xFB, 0xF7]}
        page.keyboard.press("Home")
        assert page.locator(".viewer p").text_content() == "0 · <b> – move 0 of 8"
        page.keyboard.press("ArrowRight")
        assert "move 1 of 8: E5" in (page.locator(".viewer p").text_content() or "")
        page.get_by_label("Show game 1").click()
        page.keyboard.press("ArrowLeft")
        after_handicap = {name: page.evaluate(shade, place) for name, place in HANDICAP_GAME.items()}
        assert after_handicap == {"G7": [0xFC, 0xFB, 0xF7], "C3": [0x1C, 0x1C, 0x1E]}
        page.get_by_label("Close").click()
        assert page.locator(".viewer").count() == 0
        assert errors == []
        browser.close()
