"""Promises of the page, each tried in a browser: keys, work, waiting, numbers, names and the look of the board."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from helpers.browser import PASTE, begin, faults, key, open_sgf, opened, put, view
from helpers.web import PATIENCE
from kikashi.web import tasks
from kikashi.web.game_tree import GameTree
from kikashi.web.server import Server

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser: Any, shown: Server) -> Iterator[Any]:
    with opened(browser, shown) as page:
        yield page


COUNT_SOUNDS = """() => {
  window.sounds = 0;
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function () { window.sounds += 1; start.call(this); };
}"""


def at(page: Any, number: int) -> None:
    """Wait until a move is shown."""
    page.wait_for_selector(f".count:has-text('{f'Move {number}' if number else 'Start'}')")


# --- keys, focus, forms -----------------------------------------------------------------------------------------------


def test_clicks_never_take_the_keys_from_the_game(page: Any) -> None:
    open_sgf(page)
    page.keyboard.press("End")
    at(page, 6)
    page.locator("[role=gridcell][aria-label='A1 empty']").click()
    at(page, 7)
    page.keyboard.press("ArrowLeft")
    at(page, 6)
    page.keyboard.press("Home")
    at(page, 0)
    page.locator("[role=gridcell][aria-label='D4 empty']").click()
    at(page, 1)
    page.keyboard.press("Space")
    page.wait_for_selector(".chip:has-text('searches the study')")
    at(page, 1)
    page.keyboard.press("Space")
    page.wait_for_selector(".chip", state="detached")
    for button in (".toggle:has-text('Ownership')", "nav >> text=Analyse", "[aria-label=Back]"):
        page.click(button)
        page.keyboard.press("Space")
        page.wait_for_selector(".chip")
        page.keyboard.press("Space")
        page.wait_for_selector(".chip", state="detached")
    page.select_option("label:has-text('Depth') select", "100")
    page.click("label:has-text('Comment') textarea")
    page.keyboard.type("a b")  # typing is typing
    assert page.input_value("label:has-text('Comment') textarea").endswith("a b")
    page.locator(".stage").focus()
    page.keyboard.press("Tab")
    page.wait_for_selector(".cursor")
    page.keyboard.press("Escape")
    page.wait_for_selector(".cursor", state="detached")
    page.keyboard.press("End")
    at(page, 7)


def test_keys_of_one_letter_can_be_switched_off_and_the_focus_is_seen(page: Any) -> None:
    open_sgf(page)
    page.keyboard.press("?")
    page.uncheck("dialog >> label:has-text('Keys of one letter')")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("4")
    page.keyboard.press("?")
    page.keyboard.press("End")
    at(page, 6)
    assert page.locator("main.analyse").count() == 1
    assert page.locator("dialog").count() == 0
    page.locator("nav button").first.focus()
    page.keyboard.press("Tab")
    rings = page.evaluate(
        "() => { const one = document.activeElement, nav = one.parentElement; const style = getComputedStyle(one);"
        " return [parseFloat(style.outlineOffset), getComputedStyle(nav).overflowX]; }"
    )
    assert rings[0] < 0 or rings[1] == "visible", "the ring is inside its button, or nothing cuts it off"
    page.locator("[aria-label=Settings]").focus()
    page.keyboard.press("Enter")
    page.check("dialog >> label:has-text('Keys of one letter')")
    page.check("dialog >> label:has-text('Sound')")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Settings", "back where it was"
    page.evaluate(COUNT_SOUNDS)
    page.keyboard.press("Home")
    at(page, 0)
    page.keyboard.press("ArrowRight")
    at(page, 1)
    assert page.evaluate("window.sounds") == 1, "going back makes no sound"
    page.keyboard.press("f")
    page.click("text=Open it")
    page.wait_for_function("() => document.activeElement.className === 'stage'")
    page.keyboard.press("5")
    page.wait_for_selector("main.laboratory")


def test_a_form_keeps_its_entries_and_is_checked_where_it_stands(page: Any) -> None:
    page.wait_for_selector("button:has-text('Begin')")
    levels = page.locator("label:has-text('Level') option").all_inner_texts()
    assert len(levels) == 10
    assert levels[0].startswith("1, beginner")
    assert levels[-1].startswith("10, strongest")
    for size in ("13 × 13", "19 × 19", "9 × 9"):
        page.click(f".choices button:has-text('{size}')")
    page.click("text=A research preset")
    assert page.locator("select[size] option:has-text(': ')").count() > 60, "each has a sentence"
    assert page.locator("select[size] optgroup").count() > 3
    page.select_option("label:has-text('Thinks by') select", "simulations")
    page.fill("[name=simulations]", "")
    page.click("button:has-text('Begin')")
    page.wait_for_selector("#fault-simulations:has-text('from 1 to 10,000,000')")
    assert page.evaluate("document.activeElement.name") == "simulations"
    page.keyboard.type("500")
    assert page.input_value("[name=simulations]") == "500"
    assert page.locator(".fault").count() == 0
    page.select_option("label:has-text('Thinks by') select", "clock")
    page.fill("[name=clock]", "")
    page.fill("[name=clock]", "soon")
    page.wait_for_selector("#fault-clock")
    page.fill("[name=clock]", "0+5")
    page.fill("[name=komi]", "6.5")
    page.fill("[name=handicap]", "2")
    assert page.input_value("[name=komi]") == "6.5", "the handicap leaves komi alone"
    page.fill("[name=name]", "Ada")
    page.click("button:has-text('Begin')")
    page.wait_for_selector("[role=alert] .wrong:has-text('needs main time')")
    assert page.input_value("[name=name]") == "Ada", "a bad setup leaves the form as it is"
    page.select_option("label:has-text('Thinks by') select", "simulations")
    page.click("button:has-text('Begin')")
    page.wait_for_selector(".players >> text=Ada")
    page.click("text=New game …")
    page.fill("[name=name]", "Bob")
    page.click("text=Cancel")
    page.wait_for_selector(".players >> text=Ada")
    page.click("text=Resign")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.locator("text=The game is over").count() == 0, "it asks once"
    page.click("text=Resign")
    page.click("dialog >> .stop")
    page.wait_for_selector("text=by resignation")


# --- work is not lost -------------------------------------------------------------------------------------------------


def test_deleted_and_replaced_studies_come_back(page: Any, browser: Any, shown: Server) -> None:
    open_sgf(page)
    page.keyboard.press("ArrowRight")
    at(page, 1)
    page.keyboard.press("Delete")
    page.wait_for_selector(".toast:has-text('deleted')")
    page.wait_for_selector("[aria-label='Variations, 1 nodes']")
    page.keyboard.press("Control+z")
    page.wait_for_selector("[aria-label='Variations, 9 nodes']")
    page.keyboard.press("Control+Shift+z")
    page.wait_for_selector("[aria-label='Variations, 1 nodes']")
    page.click(".filebar >> text=Undo")
    page.wait_for_selector("[aria-label='Variations, 9 nodes']")
    page.evaluate(PASTE, "(;SZ[9]PB[other]PW[one];B[ee])")
    page.wait_for_selector("h2:has-text('other')")
    page.click(".toast:has-text('was replaced') >> text=Undo")
    page.wait_for_selector("h2:has-text('Shiro')")
    page.keyboard.press("Control+Shift+z")
    page.wait_for_selector("h2:has-text('other')")
    view(page, "Play")
    begin(page)
    put(page, "C3", "desk")
    page.wait_for_selector(".stone.white")
    page.keyboard.press("f")
    page.wait_for_selector(".shelf li >> nth=2")
    titles = page.locator(".shelf b").all_inner_texts()
    assert any("other – one" in title for title in titles)
    assert any("Shiro" in title for title in titles)
    assert any("level 2" in title for title in titles)
    assert page.locator(".shelf .miniature circle").count() > 0
    assert re.search(r"Study, \d+ moves?, .*20\d\d", page.inner_text(".shelf"))
    page.click(".shelf .item:has-text('Shiro')")
    page.wait_for_selector("main.analyse h2:has-text('Shiro')")
    second = page.context.new_page()  # another tab has a study of its own
    second.goto(shown.address)
    second.click("nav >> text=Analyse")
    second.wait_for_selector(".count")
    assert second.locator("h2:has-text('Shiro')").count() == 0
    second.close()


# --- waiting and connections ------------------------------------------------------------------------------------------


def test_work_is_shown_on_every_tab_and_can_be_stopped(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    open_sgf(page)
    page.keyboard.press("Space")
    page.wait_for_selector(".candidate.best")
    view(page, "Play")
    page.wait_for_selector(".chip:has-text('kikashi searches the study')")
    page.click(".chip >> text=Stop")
    page.wait_for_selector(".chip", state="detached")
    view(page, "Look inside")
    key(page, "Space")
    page.wait_for_selector(".branching")
    key(page, "Space")
    page.wait_for_selector(".chip", state="detached")
    page.select_option("label:has-text('Preset') select", "lgrf2")
    page.wait_for_selector(".branching", state="detached")  # the tree of the preset before
    monkeypatch.setattr(tasks, "compiling", lambda: (92, 161, "92 of 161, about 71 s left"))
    release = tasks.Flag()
    monkeypatch.setattr(tasks, "warm_up", lambda preset: release.wait(PATIENCE))
    monkeypatch.setattr(tasks, "_COMPILATIONS", {})
    page.click("[role=tab]:has-text('Playout')")
    page.click("text=Show a playout")
    page.wait_for_selector(".chip:has-text('about 71 s left') progress")
    key(page, "Home")  # nothing else waits for it
    page.click(".chip >> text=Stop")
    page.wait_for_selector(".chip", state="detached")
    view(page, "Play")
    page.select_option("label:has-text('Other board') select", "5")
    page.click("button:has-text('White')")
    page.click("button:has-text('Begin')")
    page.wait_for_selector(".chip:has-text('compiling kikashi')")
    page.click(".chip >> text=Stop")
    page.wait_for_selector("text=kikashi waits.")
    release.set()
    page.click("text=Let it move")
    page.wait_for_selector("text=Your move.")


def test_a_server_that_takes_its_time_is_said_to_start(browser: Any, shown: Server) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.route_web_socket("**/socket", lambda socket: None)  # open, and silent
    page.goto(shown.address)
    words = page.locator(".banner p:has-text('kikashi is starting')")
    words.wait_for(state="attached")
    assert words.evaluate("seen => getComputedStyle(seen).animationDelay") == "1s", "not when it answers at once"
    words.wait_for(state="visible")
    context.close()


def test_a_long_record_is_read_beside_other_work_and_can_be_cancelled(
    page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, read = tasks.Flag(), GameTree.from_sgf

    def from_sgf(*arguments: Any) -> GameTree:
        assert release.wait(PATIENCE)
        return read(*arguments)

    open_sgf(page)
    monkeypatch.setattr(GameTree, "from_sgf", from_sgf)
    long = f"(;SZ[9]PW[Genan]C[{'x' * 30_000}];B[cc])"
    page.evaluate(PASTE, long)
    page.wait_for_selector(".chip:has-text('reading the record')")
    page.keyboard.press("ArrowRight")
    at(page, 1)  # nothing waits for it
    page.click(".chip >> text=Stop")
    page.wait_for_selector(".chip", state="detached")
    release.set()
    page.keyboard.press("ArrowRight")
    at(page, 2)
    assert page.locator("h2:has-text('Shiro')").count() == 1, "what was cancelled replaces nothing"
    page.evaluate(PASTE, long)
    page.wait_for_selector("h2:has-text('Genan')")
    page.wait_for_selector(".chip", state="detached")


def test_a_lost_connection_is_seen_and_the_page_goes_on_where_it_was(page: Any) -> None:
    open_sgf(page)
    for number in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        at(page, number)
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("[aria-label='D5 black stone']")
    page.keyboard.press("Space")
    page.wait_for_selector(".candidate.best")
    page.evaluate("cut()")
    page.wait_for_selector(".banner:has-text('connection to kikashi is lost')")
    assert page.locator(".view").get_attribute("inert") is not None
    assert faults(page) == []
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    assert page.locator(".banner p").count() == 1, "no action erases it"
    page.evaluate("window.isCut = false")
    page.wait_for_selector(".banner p", state="detached")
    page.wait_for_selector(".toast:has-text('The search goes on')")
    page.wait_for_selector(".chip:has-text('searches')")
    assert page.locator("main.analyse").count() == 1
    assert page.locator("[aria-label='D5 black stone']").count() == 1, "the same move of the same variation"
    assert page.evaluate("document.cookie") == ""
    assert "token" not in page.url
    assert page.evaluate("sessionStorage.token.length") > 40


def test_a_tab_without_the_token_asks_for_it(page: Any, shown: Server) -> None:
    second = page.context.new_page()
    second.goto(f"http://{shown.host}/")
    second.wait_for_selector(".banner:has-text('printed in its terminal')")
    assert second.locator("[role=grid]").count() == 1, "the board is drawn at once"
    second.fill(".banner input", shown.address)
    second.keyboard.press("Enter")
    second.wait_for_selector("button:has-text('Begin')")
    second.close()


# --- layout and clocks ------------------------------------------------------------------------------------------------


def test_the_board_keeps_its_place_and_a_large_tree_is_drawn_in_part(page: Any) -> None:
    open_sgf(page)
    before = page.locator("[role=grid]").bounding_box()
    page.evaluate(PASTE, "(;SZ[7]PB[pasted];B[dd")
    page.wait_for_selector(".toast.wrong")
    assert page.locator("[role=grid]").bounding_box() == before
    page.keyboard.press("Escape")
    assert page.locator("button:has-text('Open …')").bounding_box()["y"] < 200
    siblings = "".join(f"(;W[{chr(97 + i % 19)}{chr(97 + i // 19 % 18)}]C[{i}])" for i in range(6000))
    page.evaluate(PASTE, f"(;SZ[19]PW[Large];B[ss]{siblings})")
    page.wait_for_selector("h2:has-text('Large')")
    page.wait_for_selector("[aria-label='Variations, 6002 nodes']")
    for name in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(name)
    page.wait_for_selector("[aria-label='C19 white stone']")
    assert page.locator(".variations *").count() < 600
    page.evaluate("document.querySelector('.variations').scrollTo(0, 24 * 3000)")
    page.wait_for_selector(".variations .node")
    page.locator(".variations .node").nth(5).click()
    at(page, 2)


def test_clocks_count_down_and_the_flag_falls(page: Any) -> None:
    page.wait_for_selector("button:has-text('Begin')")
    page.select_option("label:has-text('Time') select", "clock")
    page.fill("[name=clock]", "2.5")
    begin(page)
    page.wait_for_selector(".clock.running.low")
    first = page.inner_text(".clock.running")
    page.wait_for_function("(first) => document.querySelector('.clock.running')?.innerText !== first", arg=first)
    page.wait_for_selector("text=The game is over: White wins on time.")


# --- numbers, names, the board ----------------------------------------------------------------------------------------


def candidate(move: str, visits: int, winrate: float) -> dict[str, Any]:
    return {
        "move": move,
        "visits": visits,
        "winrate": winrate,
        "score": 1.0,
        "prior": None,
        "rave": None,
        "line": [move],
    }


def test_numbers_do_not_mislead(page: Any) -> None:
    open_sgf(page)
    page.keyboard.press("ArrowRight")
    at(page, 1)
    analysis = {
        "type": "analysis",
        "board": "study",
        "node": 1,
        "preset": "kikashi",
        "turn": "white",
        "running": False,
        "visits": 1000,
        "winrate": 0.43,
        "score": -2.0,
        "deviation": 73.7,
        "histogram": {"low": -80, "width": 4, "counts": [5] * 20 + [10] * 20},
        "per_second": 10.0,
        "depth": 3,
        "nodes": 9,
        "moves": [candidate("C5", 800, 0.57), candidate("A1", 150, 0.55), candidate("B2", 4, 0.75)],
        "ownership": [],
        "shares": {},
        "without": [],
        "full": True,
    }
    page.evaluate("(event) => hears(event)", analysis)
    page.wait_for_selector(".candidate >> nth=2")
    assert page.locator(".next").count() == 1, "the move of the game is marked"
    assert "played" in page.inner_text(".candidates tbody tr:first-child")
    looks = page.locator(".candidate .mark").evaluate_all(
        "(all) => all.map((one) => [+one.getAttribute('opacity'), one.getAttribute('fill')])"
    )
    hues = [int(re.findall(r"\d+", fill)[0]) for _, fill in looks]
    assert looks[0][0] == 1.0
    assert looks[2][0] < 0.6 < looks[1][0], "few visits are faded"
    assert hues[2] < hues[1] < hues[0], "and not green"
    text = page.inner_text("[data-testid=analysis]")
    assert "±" not in text
    assert "playout scores spread by 74 points" in text
    assert "the tree is full" in text
    bars = page.locator(".histogram rect").evaluate_all(
        "(all) => all.map((one) => [one.className.baseVal, one.height.baseVal.value])"
    )
    assert [bar for bar, _ in bars] == ["of-white"] * 20 + ["of-black"] * 20
    assert bars[0][1] == bars[-1][1] / 2
    assert "from W+80 to B+80" in page.locator(".histogram svg").get_attribute("aria-label")
    view(page, "Look inside")
    page.click("[role=tab]:has-text('Root moves')")
    page.wait_for_selector("tbody td:nth-child(5)")
    assert page.locator("tbody td:nth-child(5)").all_inner_texts() == ["–"] * 3, "a missing prior"
    view(page, "Analyse")
    page.wait_for_selector("label:has-text('Depth') option >> nth=2", state="attached")
    mistake = {
        "node": 1,
        "number": 1,
        "color": "black",
        "move": "D4",
        "loss": 0.12,
        "points": 3.2,
        "grade": "bad",
        "better": ["C3", "D5", "E5"],
    }
    phase = {"color": "black", "phase": "all", "moves": 3, "mistakes": 1, "loss": 0.05, "points": 1.5}
    page.evaluate(
        "(event) => hears(event)", {"type": "mistakes", "found": [mistake], "summary": [phase], "simulations": 400}
    )
    page.wait_for_selector(".mistakes li")
    assert "lost 12 %, 3.2 points" in page.inner_text(".mistakes li")
    assert page.inner_text(".better > b") == "C3", "the better move stands apart from its line"
    assert "± 2.5 %" in page.inner_text("[data-testid=sureness]")
    assert page.locator(".summary tbody tr").count() == 1


def test_a_mistake_is_tried_again_and_the_answer_judged(page: Any) -> None:
    page.wait_for_selector("button:has-text('Begin')")
    view(page, "Analyse")
    page.evaluate(PASTE, "(;SZ[5]KM[7.5]PB[A]PW[Shiro];B[ae];W[cc];B[bc];W[bb])")
    page.wait_for_selector("h2:has-text('Shiro')")
    page.select_option("label:has-text('Depth') select", "400")
    key(page, "a")
    page.wait_for_selector(".mistakes li")
    page.locator(".mistakes li", has_text="A1").locator("text=Try again").click()
    page.wait_for_selector(".trial:has-text('find a better move for Black')")
    at(page, 0)
    assert page.locator(".candidate").count() == 0, "the answer is not shown"
    page.locator("[role=gridcell][aria-label='C3 empty']").click()
    page.wait_for_selector("[data-testid=judged]:has-text('C3 is good')")
    assert faults(page) == []
    at(page, 0)
    page.click("text=Back to the game")
    at(page, 1)
    assert page.input_value("label:has-text('Comment') textarea").startswith("kikashi: "), (
        "it is written into the record"
    )


MARKED = (
    "(;SZ[9]PB[one]PW[Shiro]RU[Korean]RE[W+R]AB[cb][bc][dc][cd]AW[ee][db][ec][dd]LB[aa:a long label][ba:b]"
    "AR[aa:cc]LN[ab:cd]DD[ii:hi];W[cc])(;SZ[9]PB[two]PW[Shiro];B[ee])"
)


def test_records_are_shown_whole(page: Any, tmp_path: Any) -> None:
    page.wait_for_selector("button:has-text('Begin')")
    file = tmp_path / "marked.sgf"
    file.write_text(MARKED)
    page.keyboard.press("f")
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector(".filename:has-text('marked.sgf')")
    page.wait_for_selector("h2:has-text('one')")
    assert page.text_content(".letter >> nth=0") == "a long label"
    assert page.locator(".arrow-of-record").count() == 1
    assert page.locator(".line-of-record").count() == 1
    assert page.locator(".dimmed").count() == 2
    page.keyboard.press("End")
    page.wait_for_selector(".ko")
    game = page.inner_text(".panel:has(h2:has-text('Shiro'))")
    assert "Korean" in game
    assert "1 prisoner" in game
    assert "1 prisoners" not in game
    assert "White wins by resignation" in game
    page.keyboard.press("n")
    page.wait_for_selector(".number.letter:has-text('1')")
    page.select_option(".filebar select", "1")
    page.wait_for_selector("h2:has-text('two')")
    page.evaluate(PASTE, "(;SZ[9]PB[wrong]PW[Shiro];B[ee];W[ee];B[aa])")
    page.wait_for_selector(".toast:has-text('opened up to an illegal move')")
    page.keyboard.press("ArrowRight")
    at(page, 1)


def test_a_phone_keeps_the_board_in_sight(browser: Any, shown: Server) -> None:
    with opened(browser, shown, "phone") as page:
        open_sgf(page)
        key(page, "Space")
        page.wait_for_selector(".candidate.best")
        key(page, "Space")
        page.wait_for_selector(".chip", state="detached")
        shown_numbers = (
            page.locator(".candidate >> nth=0")
            .locator("text")
            .evaluate_all("(all) => all.filter((one) => getComputedStyle(one).display !== 'none').length")
        )
        assert shown_numbers == 1
        page.mouse.wheel(0, 900)
        page.wait_for_function("() => scrollY > 300")
        box = page.locator("[role=grid]").bounding_box()
        assert box["y"] > -5
        assert box["y"] + box["height"] < 844
