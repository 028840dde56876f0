"""The page in a real browser, at the size of a desk and of a phone: what people do with it, from the first click on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from helpers.browser import DROP, PASTE, SIZES, begin, faults, key, open_sgf, opened, put, view
from helpers.web import PATIENCE
from kikashi.match.journal import Journal
from kikashi.match.one_game import GameRecord
from kikashi.match.settings import MatchSettings
from kikashi.web.server import Server

MOVES = ("C3", "C2", "D3", "D2", "B2", "B3", "pass", "pass")
pytestmark = pytest.mark.slow


@pytest.fixture
def size(request: pytest.FixtureRequest) -> str:
    """The screen: a desk's unless a test says otherwise."""
    return str(getattr(request, "param", "desk"))


@pytest.fixture
def page(browser: Any, shown: Server, size: str) -> Iterator[Any]:
    """The page, just opened."""
    with opened(browser, shown, size) as page:
        yield page


WATCH_ALERT = """() => {
  const alert = document.querySelector("[role=alert]");
  window.lostAlerts = [];
  new MutationObserver(() => {
    if (!alert.textContent.includes("too many pages")) lostAlerts.push(alert.textContent);
  }).observe(alert, {childList: true, characterData: true, subtree: true});
}"""


@pytest.mark.parametrize("size", SIZES, indirect=True)
def test_a_game_is_played_to_its_score_and_goes_on_when_the_page_is_opened_again(page: Any, size: str) -> None:
    begin(page)
    page.wait_for_function("() => document.activeElement.className === 'stage'")  # the next Tab leads to the board
    put(page, "C3", size)
    page.wait_for_selector(".stone.white")
    page.wait_for_selector("text=Your move.")
    page.reload()
    page.wait_for_selector("text=Your move.")
    assert page.locator("[aria-label='C3 black stone']").count() == 1
    page.click("text=Hint")
    page.wait_for_selector(".hints li")
    page.click("text=Undo")
    page.wait_for_selector("[aria-label='C3 empty']")
    put(page, "C3", size)
    page.wait_for_selector(".stone.white")
    if size == "desk":  # a pass by mistake is taken back
        page.wait_for_selector("text=Your move.")
        key(page, "p")
        page.click(".toast button:has-text('Undo')")
        page.wait_for_selector(".toast", state="detached")
    for _ in range(60):
        page.wait_for_selector("text=/Your move|Count:/")
        if page.locator("text=Count:").count():
            break
        number = page.evaluate("document.querySelectorAll('.announced')[0].textContent")
        key(page, "p")
        page.wait_for_function("(before) => document.querySelector('.announced').textContent !== before", arg=number)
    page.wait_for_selector("text=Stones with a cross are dead")
    assert re.search(r"(Black|White) wins by", page.inner_text("[data-testid=status]"))
    parts = page.locator(".count tbody th").all_inner_texts()
    assert parts == ["stones", "territory", "komi", "total"]
    before = page.inner_text("[data-testid=status]")
    page.locator("[aria-label='C3 black stone']").click()  # it is not dead, but a person may say so
    page.wait_for_selector(".stone.dead")
    assert page.inner_text("[data-testid=status]") != before
    assert page.locator(".territory").count() > 0
    if size == "phone":
        assert faults(page) == []
    page.click("text=Accept")
    page.wait_for_selector("text=The game is over: ")
    assert page.locator("text=Accept").count() == 0


def test_a_record_is_loaded_walked_searched_and_saved(page: Any, tmp_path: Path) -> None:
    open_sgf(page)
    from playwright.sync_api import expect

    comment = page.locator("label.comment textarea")
    expect(comment).to_have_value(
        "<img src=x onerror=alert(1)>", timeout=1000 * PATIENCE
    )  # text of a record stays text
    assert page.locator(".panel b:has-text('Kuro'), .panel img").count() == 0
    for name, shown in (("End", 6), ("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowRight", 3)):
        key(page, name)
        page.wait_for_selector(f".count:has-text('{f'Move {shown}' if shown else 'Start'}')")
    key(page, "ArrowDown")
    page.wait_for_selector("[aria-label='D5 black stone']")
    key(page, "m")
    for _ in range(int(10 * PATIENCE)):  # until the page has heard that this is the main line now
        key(page, "Home")
        key(page, "End")
        if page.locator(".count:has-text('Move 4')").count():
            break
        page.wait_for_timeout(100)
    page.wait_for_selector(".count:has-text('Move 4')")
    key(page, "Space")
    page.wait_for_selector(".candidate.best")
    page.wait_for_selector("button:has-text('Stop')")
    best = page.inner_text(".candidates tbody tr:first-child th")
    page.locator(f"[aria-label='{best} empty']").hover()
    page.wait_for_selector(".line .number:has-text('2')")
    page.mouse.move(0, 0)
    key(page, "o")
    page.wait_for_selector(".owner")
    key(page, "c")
    page.wait_for_selector(".candidate", state="detached")
    assert page.locator(".graph canvas").count() == 1
    key(page, "c")
    key(page, "Space")
    page.wait_for_selector("button:has-text('Search')")
    page.locator(".stage").focus()
    for name in ["Tab"] + ["ArrowLeft"] * 3 + ["ArrowDown"] * 3 + ["Enter"]:  # Tab leads to the middle of the board
        page.keyboard.press(name)
    page.wait_for_selector("[aria-label='A1 black stone']")
    assert "Black A1" in page.inner_text("[role=status]")
    key(page, "Delete")
    page.wait_for_selector("[aria-label='A1 empty']")
    key(page, "a")
    page.wait_for_selector(".graph[aria-label*='5 of 5']")
    page.wait_for_selector(".mistakes li, p:has-text('No mistake')")
    assert "400 simulations a position" in page.inner_text("[data-testid=sureness]")
    assert page.locator(".summary tr").count() > 2
    with page.expect_download() as saved:
        key(page, "s")
    file = tmp_path / "saved.sgf"
    saved.value.save_as(file)
    assert file.read_text("utf-8").count("KKAN") >= 5
    key(page, "f")
    page.click("text=Open it")
    page.wait_for_selector(".graph[aria-label*='0 of 1']")
    key(page, "f")
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector(".filename:has-text('saved.sgf')")
    page.wait_for_selector(".graph[aria-label*='5 of']")
    page.wait_for_selector(".candidate")
    page.wait_for_selector(".mistakes li, p:has-text('No mistake')")
    page.evaluate(DROP, ["(;SZ[7]PB[", [0x8D, 0x95], "]PW[White]CA[Shift_JIS];B[dd])"])
    page.wait_for_selector("h2:has-text('黒')")  # the encoding is the file's
    page.wait_for_selector(".candidate", state="detached")  # nothing is left of the game before
    assert page.locator(".mistakes, .winbar").count() == 0
    page.evaluate(PASTE, "(;SZ[7]PB[pasted];B[dd")
    page.wait_for_selector("[role=alert]:has-text('never closed')")
    page.keyboard.press("Escape")
    page.wait_for_selector("[role=alert] p", state="detached")
    page.evaluate(PASTE, "(;SZ[7]PB[pasted];B[dd])")
    page.wait_for_selector("h2:has-text('pasted')")


@pytest.mark.parametrize("size", ["phone"], indirect=True)
def test_the_search_is_looked_into(page: Any) -> None:
    open_sgf(page)
    key(page, "End")
    view(page, "Look inside")
    page.select_option("label:has-text('Preset') select", "lgrf2")
    key(page, "Space")
    page.wait_for_selector(".branching")
    widths = page.evaluate(
        "[...document.querySelectorAll('.searchtree .branch')].map((b) => getComputedStyle(b).strokeWidth)"
    )
    assert len(set(widths)) > 1, "lines are as thick as their share"
    page.locator(".branching[data-path=root]").focus()
    page.keyboard.press("Enter")  # the root is chosen: once more and all below it is folded
    page.wait_for_selector(".branching >> nth=7", state="detached")
    page.keyboard.press("Enter")
    page.wait_for_selector(".branching >> nth=7")
    assert "%" in page.inner_text(".nodenumbers")
    key(page, "Space")
    page.wait_for_selector("button:has-text('Search')")
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("[role=tab]:has-text('Root moves')")
    page.click("th button:has-text('Win rate')")
    page.wait_for_selector("th[aria-sort=descending]:has-text('Win rate')")
    rates = [float(text.split()[0]) for text in page.locator("tbody td:nth-child(3)").all_inner_texts()]
    assert rates == sorted(rates, reverse=True)
    page.click("[role=tab]:has-text('Playout')")
    page.click("text=Show a playout")
    page.wait_for_selector("text=Another playout")
    for step in (1, 2, 3):
        key(page, "ArrowRight")
        page.wait_for_selector(f"[data-testid=made]:has-text('{step}. ')")
    assert page.locator("[data-testid=made] mark").count() == 1
    key(page, "End")
    page.wait_for_selector("[data-testid=made]:has-text(' pass')")
    key(page, "Home")
    page.wait_for_selector("[role=grid][aria-label^='Playout, move 0']")
    assert faults(page) == []
    page.click("[role=tab]:has-text('Replies')")
    page.locator("[role=gridcell][aria-label='A1 empty']").click()
    page.wait_for_selector("caption:has-text('A1')")
    page.click("[role=tab]:has-text('Parts')")
    page.uncheck("label:has-text('playout: escape') input")
    page.wait_for_selector("text=What changes")
    assert faults(page) == []
    key(page, "ArrowLeft")  # the game, not the playout, which is not on the board
    page.wait_for_selector("[aria-label='C4 empty']")


def test_a_match_that_runs_is_watched_and_its_games_replayed(page: Any, folder: Path) -> None:
    settings = MatchSettings(players=("lgrf2", "mogo-2006"), games=20, size=5, simulations=10, sprt=(0, 100))
    header = {"kind": "match", "settings": msgspec.to_builtins(settings)}
    with Journal(folder / "watched", header, GameRecord, resume=False) as journal:
        for number in range(4):
            journal.append(_record(number))
        view(page, "Laboratory")
        page.locator(".studies button", has_text="4 of 20").first.click()
        page.wait_for_selector("[data-testid=study]:has-text('4 of 20')")
        assert page.locator(".sprt svg").count() == 1
        journal.append(_record(4))
        page.wait_for_selector("[data-testid=study]:has-text('5 of 20')")
        assert faults(page) == []
        page.locator(".games button").first.click()
        page.wait_for_selector("main.analyse h2:has-text('lgrf2 – mogo-2006')")  # the laboratory has that title, too
        key(page, "End")
        page.wait_for_selector(".count:has-text('Move 8')")
    view(page, "Laboratory")
    page.click("text=A live game")
    page.select_option("label:has-text('Board') select", "5")
    page.fill("label:has-text('Simulations') input", "")
    assert page.locator("button:has-text('Let them play')").is_disabled()
    page.fill("label:has-text('Simulations') input", "20")
    page.click("text=Let them play")
    page.wait_for_selector(".analyses dd >> nth=1")
    page.click("text=Analyse it")  # it is there when they have finished
    page.wait_for_selector(".count:has-text('Start')")


def _record(number: int) -> GameRecord:
    return GameRecord(
        number=number,
        pairing=0,
        pair=number // 2,
        black=("lgrf2", "mogo-2006")[number % 2],
        white=("mogo-2006", "lgrf2")[number % 2],
        result="B+1.5" if number % 2 == 0 else "W+3.5",
        ended="passes",
        opening=(),
        moves=MOVES,
        seconds=(1.0, 1.0),
        thought=(4, 4),
        seeds=(1, 2),
    )


def test_a_page_too_many_shows_the_reason_until_it_is_let_in(browser: Any, shown: Server) -> None:
    limits, shown.state.limits = shown.state.limits, replace(shown.state.limits, pages=0)
    with opened(browser, shown, "desk") as page:
        page.wait_for_selector("[role=alert]:has-text('too many pages')")
        page.evaluate(WATCH_ALERT)
        with page.expect_websocket() as retry:
            pass
        if not retry.value.is_closed():
            retry.value.wait_for_event("close")
        assert page.evaluate("lostAlerts") == [], "a retry that fails does not wipe the message"
        shown.state.limits = limits
        page.wait_for_selector("[role=alert] p", state="detached")
        page.wait_for_selector("button:has-text('Begin')")


@pytest.mark.parametrize(
    ("size", "scheme", "rules"),
    [("desk", "light", ()), ("desk", "dark", ("color-contrast",)), ("phone", "dark", ())],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_everything_is_there_for_everybody(
    browser: Any, shown: Server, size: str, scheme: str, rules: tuple[str, ...]
) -> None:
    """axe-core finds nothing in any view and dialog, on each screen and in each theme; nothing runs over the edge."""
    with opened(browser, shown, size, color_scheme=scheme) as page:
        page.wait_for_selector("button:has-text('Begin')")
        page.click("text=A research preset")
        assert faults(page, *rules) == [], "the form"
        page.click("text=A level")
        begin(page)
        open_sgf(page)
        for name in ("Play", "Analyse", "Look inside", "Compare", "Laboratory", "Lessons"):
            view(page, name)
            assert faults(page, *rules) == [], (size, name)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (size, name)
        for name, there in (("?", "dialog[open] kbd >> nth=20"), ("f", ".shelf li")):
            key(page, name)
            page.wait_for_selector(there)
            assert faults(page, *rules) == []
            page.keyboard.press("a")  # the page behind it does not hear
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog", state="detached")
        page.click("[aria-label=Settings]")
        page.wait_for_selector("dialog[open] >> text=Sound")
        assert faults(page, *rules) == []


def test_forced_colours_leave_stones_and_states_apart(browser: Any, shown: Server) -> None:
    with opened(browser, shown, color_scheme="dark", forced_colors="active") as page:
        begin(page)
        put(page, "C3", "desk")
        page.wait_for_selector(".stone.white")
        color = "(dot) => getComputedStyle(dot).backgroundColor"
        assert page.locator(".dot-black").first.evaluate(color) == "rgb(0, 0, 0)"
        assert page.locator(".dot-white").first.evaluate(color) == "rgb(255, 255, 255)"
        assert page.locator(".to-move >> text=to move").count() == 1
        assert faults(page) == []
        open_sgf(page)
        pressed, other = (page.locator(f".toggle[aria-pressed={state}]").first for state in ("true", "false"))
        assert pressed.evaluate(color) != other.evaluate(color)


def test_boards_of_all_sizes_fit_the_largest_screen(browser: Any, shown: Server) -> None:
    with opened(browser, shown, "4K") as page:
        open_sgf(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for each in (2, 19):
            key(page, "f")
            page.select_option("label:has-text('Empty board') select", str(each))
            page.click("text=Open it")
            page.wait_for_function(
                "points => document.querySelectorAll('[role=gridcell]').length === points", arg=each * each
            )


def test_no_source_of_the_page_makes_html_of_text() -> None:
    sources = Path(__file__).parents[2] / "frontend" / "src"
    forbidden = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
    assert [file.name for file in sources.iterdir() if forbidden.search(file.read_text("utf-8"))] == []
