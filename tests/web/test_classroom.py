"""Simulations one at a time and lessons in the page: every number shown is that of the traced record."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import compress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from helpers.browser import faults, key, open_sgf, opened, view
from helpers.web import page_of, serving
from kikashi.engine.player import Player
from kikashi.engine.preset import load_preset
from kikashi.engine.trace import Trace
from kikashi.engine.warmup import warm_up
from kikashi.game import Game
from kikashi.sgf import read_game
from kikashi.web.lessons import controls, lesson_files, lesson_game, lesson_preset, load_lesson
from kikashi.web.presets import Presets
from kikashi.web.search_viewer import find_owners
from kikashi.web.server import FOLDER, Server
from kikashi.web.tasks import Limits, ServerState

RULE = '''
from kikashi.search import nodes_of, selection, value_for


@selection()
def least_tried(sim, tree, node, my):
    """The move with the fewest visits; of several the last."""
    nodes = nodes_of(tree)
    best = -1
    for i in range(nodes[node].first, nodes[node].first + nodes[node].count):
        if nodes[i].flags & 1 == 0 and (best < 0 or nodes[i].visits <= nodes[best].visits):
            best = i
    return best
'''
PRESET = 'base = "mogo-2006"\nplugins = ["idea.py"]\nselection = { rule = "least_tried" }\n'
SGF = "(;SZ[5]KM[7.5]PB[Kuro]PW[Shiro];B[cc];W[bb])"
TRACED = ("crazystone-2006", "lgrf2", "kikashi", "idea")
"""Probabilities, memories, priors, and a rule without terms."""
ROWS = """(rows) => Object.fromEntries(rows.map((row) => {
  const cells = [...row.querySelectorAll("td")];
  return [row.dataset.move, [cells.map((cell) => cell.innerText), cells.map((cell) => cell.className === "term")]];
}))"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A preset with a selection rule of a plugin that says nothing of its terms."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "idea.py").write_text(RULE)
    (folder / "idea.toml").write_text(PRESET)
    return folder / "idea.toml"


@pytest.fixture(scope="module")
def classroom(own: Path) -> Iterator[Server]:
    presets = Presets([str(own)])
    for name in TRACED:  # no test waits for kernels
        warm_up(presets.get(name))
        traced(presets.get(name), Game(5), 2)
    with serving(ServerState(presets, Limits(megabytes=32)), assets=None) as started:
        yield started


def traced(preset: Any, game: Game, number: int, seed: int = 1) -> Trace:
    """The record of a simulation of a new search."""
    (trace,) = Player(preset, seed=seed, megabytes=32).trace(game, 1, after=number - 1)
    return trace


# --- without a browser ------------------------------------------------------------------------------------------------


def test_a_page_gets_the_record_that_the_player_makes() -> None:
    with serving(ServerState(limits=Limits(megabytes=32, threads=2))) as server, page_of(server) as page:
        page.ask(type="open_sgf", text=SGF)
        page.until("position", lambda event: event["size"] == 5)
        for simulations, number in ((1, 1), (10, 11), (1, 12)):
            page.ask(type="trace_simulations", preset="lgrf2", seed=5, simulations=simulations)
            found = page.until("traced")
            assert found["trace"] == json.loads(json.dumps(_plain(traced("lgrf2", Game(5), number, seed=5))))
            assert found["before"][0]["visits"] == number - 1
            after = {" ".join(node["path"]): node["visits"] for node in found["after"]}
            path = [node["move"] for node in found["trace"]["path"][1:]]
            for at, node in enumerate(found["trace"]["path"]):
                assert after[" ".join(path[:at])] == node["after"]["visits"]
        page.ask(type="trace_simulations", preset="lgrf2", seed=5, fresh=True)
        assert page.until("traced")["trace"]["number"] == 1
        page.ask(type="play_move", board="study", move="D4")
        page.ask(type="trace_simulations", preset="lgrf2", seed=5)
        assert page.until("traced")["trace"]["number"] == 1, "of another position"


def test_a_lesson_changes_its_preset() -> None:
    with serving(ServerState(limits=Limits(megabytes=32))) as server, page_of(server) as page:
        page.ask(type="open_lesson", name="uct")
        lesson = page.until("lesson")
        assert lesson["positions"]["start"]["size"] == 5
        page.ask(type="trace_simulations", preset=lesson["preset"], place="uct/start", simulations=3)
        found = page.until("traced")
        preset = lesson_preset("uct/start", lesson["preset"], Presets())
        assert found["trace"] == json.loads(json.dumps(_plain(traced(preset, lesson_game("uct/start"), 3))))
        assert found["trace"]["selection"] == "ucb1(first_play_urgency=10.0)"
        page.ask(type="try_playouts", preset="mogo-2006-pure", place="random-games/ahead", playouts=100)
        owners = page.until("owners")
        assert sum(count for _, count in owners["scores"]) == owners["playouts"] == 100
        wins = sum(count for score, count in owners["scores"] if score > owners["komi"])
        assert owners["winrate"] == wins / 100
        assert page.until("playout")["place"] == "random-games/ahead"
        page.ask(type="trace_simulations", preset="kikashi", place="uct/nowhere")
        with pytest.raises(AssertionError, match="has no position 'nowhere'"):
            page.until("traced")


def _plain(trace: Trace) -> Any:
    return msgspec.to_builtins(trace)


# --- in the browser ---------------------------------------------------------------------------------------------------


def text(value: float | None, digits: int = 3) -> str:
    """A number as the page shows it."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


@pytest.mark.slow
@pytest.mark.parametrize("preset", TRACED)
def test_the_steps_of_a_simulation_show_the_traced_record(
    browser: Any, classroom: Server, own: Path, preset: str
) -> None:
    number = 12
    trace = traced(load_preset(str(own)) if preset == "idea" else preset, read_game(SGF), number)
    with opened(browser, classroom) as page:
        open_sgf(page, SGF)
        key(page, "End")
        view(page, "Look inside")
        page.select_option("label:has-text('Preset') select", preset)
        page.click("[role=tab]:has-text('Step by step')")
        page.click("button:has-text('One simulation')")
        page.wait_for_selector("[data-testid=step]:has-text('Simulation 1,')")
        page.click("button:has-text('10 more')")
        page.wait_for_selector("[data-testid=step]:has-text('Simulation 11,')")
        page.click("button:has-text('One simulation')")
        page.wait_for_selector(f"[data-testid=step]:has-text('Simulation {number},')")
        seen = set()
        while True:
            stage = page.locator(".stepview").get_attribute("data-stage")
            phase, _, at = stage.rpartition(" ")
            seen.add(phase)
            CHECKS[phase](page, trace, int(at))
            on = page.locator("[aria-label='Step on']")
            if on.is_disabled():
                break
            on.click()
            page.wait_for_function(
                "(before) => document.querySelector('.stepview').dataset.stage !== before", arg=stage
            )
        assert seen == {"Select", "Expand", "Evaluate", "Back up", "Learn"}
        assert faults(page) == []


def _check_selection(page: Any, trace: Trace, at: int) -> None:
    node = trace.path[at]
    assert node.selection is not None
    if page.locator("button:has-text('children')").count():
        page.click("button:has-text('children')")
    known = [
        i for i in range(len(node.selection.terms)) if any(c.terms[i] is not None for c in node.selection.children)
    ]
    heads = page.locator(".detail thead th").all_inner_texts()
    rows = page.locator(".detail tr[data-move]").evaluate_all(ROWS)
    for child in node.selection.children:
        cells, are_terms = rows[child.move]
        shown = dict(zip(heads[1:], cells, strict=True))
        assert shown["Visits"] == str(child.visits)
        assert shown["Mean"] == text(child.mean)
        assert [*compress(cells, are_terms)] == [text(child.terms[i]) for i in known]
        if child.total is not None:
            assert shown["Total"] == text(child.total)
        if child.probability is not None:
            assert shown["Probability"] == f"{100 * child.probability:.2f} %"
        if child.prior_games:
            assert shown["Prior"] == f"{text(child.prior_value)} of {text(child.prior_games, 1)}"
    assert page.locator(".detail tr.taken").get_attribute("data-move") == node.selection.chosen
    assert page.locator(".branching.lit").count() == at + 1


def _check_expansion(page: Any, trace: Trace, at: int) -> None:
    shown, node = page.inner_text(".detail"), trace.path[at]
    if node.expansion is not None:
        assert f"{len(node.expansion.moves)} children" in shown
        for prior in node.expansion.priors:
            move, games = max(prior.games.items(), key=lambda item: item[1])
            assert prior.prior in shown
            assert f"({games:.1f})" in shown, move
    if at and node.is_new:
        assert f"{node.move} is new" in shown


def _check_result(page: Any, trace: Trace, at: int) -> None:
    shown = page.inner_text("[data-testid=result]")
    assert f"The value for Black is {trace.result.value:.2f}" in shown
    assert text(trace.result.score, 0) in shown
    for number, move in enumerate(trace.playout[:3], 1):
        page.click("[aria-label='Playout on']")
        page.wait_for_selector(f"[data-testid=playout]:has-text('{number}. {move.color.capitalize()} {move.move}')")
        assert page.inner_text("[data-testid=playout] code") == move.by
    if trace.playout:
        page.click("button:has-text('To its end')")
        page.wait_for_selector(f"[role=grid][aria-label='Playout, move {len(trace.playout)} of {len(trace.playout)}']")
        colors = {"X": "black stone", "O": "white stone", ".": "empty"}
        labels = [label.get_attribute("aria-label") for label in page.locator(".stepboard [role=gridcell]").all()]
        assert [label.split(" ", 1)[1] for label in labels] == [colors[stone] for stone in trace.result.stones]


def _check_backup(page: Any, trace: Trace, at: int) -> None:
    for number, node in enumerate(trace.path):
        cells = page.locator(f".detail tr[data-node='{number}'] td").all_inner_texts()
        if number >= at:
            before = text(node.before.mean) if node.before.visits else "–"
            assert cells == [
                f"{node.before.visits} → {node.after.visits}",
                f"{text(node.before.value, 2)} → {text(node.after.value, 2)}",
                f"{before} → {text(node.after.mean)}",
            ]
        else:
            assert all(cell.endswith("…") for cell in cells)
    line = " ".join(node.move for node in trace.path[1 : at + 1]) or "root"
    assert page.locator(f".branching[data-path='{line}']").get_attribute("data-visits") == str(
        trace.path[at].after.visits
    )


def _check_learned(page: Any, trace: Trace, at: int) -> None:
    shown = page.locator("[data-memory]").all()
    learned = [memory for memory in trace.learned if memory.changes]
    assert [each.get_attribute("data-memory") for each in shown] == [memory.part for memory in learned]
    for each, memory in zip(shown, learned, strict=True):
        assert f"{len(memory.changes)} change" in each.inner_text().replace(",", "")
        change = memory.changes[0]
        assert f"{change.place}: {change.words}".strip() in each.inner_text()


CHECKS = {
    "Select": _check_selection,
    "Expand": _check_expansion,
    "Evaluate": _check_result,
    "Back up": _check_backup,
    "Learn": _check_learned,
}


@pytest.mark.slow
def test_slow_goes_through_the_phases_by_itself(browser: Any, classroom: Server) -> None:
    """Faster here than for people."""
    with opened(browser, classroom, "phone") as page:
        page.evaluate("() => { const plain = setTimeout; window.setTimeout = (go, ms) => plain(go, ms / 20); }")
        open_sgf(page, SGF)
        view(page, "Look inside")
        page.select_option("label:has-text('Preset') select", "lgrf2")
        page.click("[role=tab]:has-text('Step by step')")
        page.click("button:has-text('Slow')")
        page.wait_for_selector(".stepview[data-stage^='Evaluate']")
        page.wait_for_selector("[data-testid=step]:has-text('Simulation 2,')")
        page.click("button:has-text('Slow')")
        page.click(".phases >> text=Back up")
        page.wait_for_selector(".detail h3:has-text('Back up')")
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.click("button:has-text('Empty tree')")
        page.wait_for_selector("[data-testid=step]:has-text('Simulation 1,')")


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), [("desk", "dark"), ("phone", "light")])
def test_a_lesson_is_opened_by_its_address_read_and_tried(
    browser: Any, classroom: Server, size: str, scheme: str
) -> None:
    with opened(browser, classroom, size, color_scheme=scheme) as page:
        view(page, "Lessons")
        page.wait_for_selector(".chapters li >> nth=1")
        assert faults(page) == []
        page.evaluate("location.hash = 'lesson/uct'")
        page.wait_for_selector("h2:has-text('The tree (UCT)')")
        answer = page.locator(".question details p").first
        assert not answer.is_visible()
        page.click("summary >> nth=0")
        assert answer.is_visible()
        page.click("button:has-text('One simulation')")
        page.wait_for_selector("[data-testid=step]:has-text('Simulation 1,')")
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.reload()
        page.wait_for_selector("h2:has-text('The tree (UCT)')")
        before = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.lesson p')).fontSize)")
        page.click("button:has-text('Large type')")
        page.wait_for_function(
            "(before) => parseFloat(getComputedStyle(document.querySelector('.lesson p')).fontSize) > 1.3 * before",
            arg=before,
        )
        page.click("button:has-text('Large type')")
        page.click(".chapters a:has-text('Random games')")
        page.wait_for_selector("h2:has-text('Random games')")
        page.click(".playouts >> nth=0 >> button")
        page.wait_for_selector("[data-testid=tried]:has-text('of 1,000 playouts')")
        assert page.locator(".scores rect").count() == 31
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_every_chapter_is_readable_for_everybody(browser: Any, classroom: Server) -> None:
    with opened(browser, classroom) as page:
        for name in lesson_files():
            page.evaluate("(name) => (location.hash = `lesson/${name}`)", name)
            page.wait_for_selector(f"h2:text-is('{load_lesson(name).title}')")
            drawn = page.locator(".widget, .lesson p > button").count()
            assert drawn == sum(
                control not in ("question", "answer") for control, _ in controls(load_lesson(name).text)
            )
            assert page.locator(".lesson >> text=/:::|\\*\\*/").count() == 0, "no markup is left"
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            assert faults(page) == [], name


@pytest.mark.slow
def test_keys_walk_through_a_simulation_and_a_lesson_keeps_the_others(browser: Any, classroom: Server) -> None:
    with opened(browser, classroom) as page:
        page.evaluate("location.hash = 'lesson/uct'")
        page.click("button:has-text('One simulation')")
        page.wait_for_selector("[data-testid=step]:has-text('step 1 of')")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("[data-testid=step]:has-text('step 2 of')")
        page.keyboard.press("PageUp")
        page.wait_for_selector("[data-testid=step]:has-text('step 1 of')")
        page.keyboard.press("Space")  # scrolls, and starts no search
        page.click("button:has-text('Open this position in the tree')")
        page.wait_for_selector("main.inside")
        assert page.locator(".chip:has-text('searches')").count() == 0
        view(page, "Analyse")
        page.wait_for_selector(".count:has-text('Move 5')")  # the position of the lesson, at the end of its moves


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(lesson_files()))
def test_every_control_of_a_chapter_runs(name: str) -> None:
    lesson, presets = load_lesson(name), Presets()
    first = next(iter(lesson.positions))
    for control, options in controls(lesson.text):
        place = f"{name}/{options.get('position', first)}"
        preset = lesson_preset(place, options.get("preset", lesson.preset), presets)
        game = lesson_game(place)
        if control == "simulate":
            assert traced(preset, game, 3).path[0].after.visits == 3
        elif control == "playouts":
            found = find_owners(preset.at(game.size), game, 1, None, (), 20, place=place)
            assert sum(count for _, count in found.scores) == 20


def test_scripts_and_styles_stay_small() -> None:
    if not FOLDER.is_dir():
        pytest.skip("the page is not built; make page does that")
    sizes = [len(gzip.compress(file.read_bytes(), 9)) for file in FOLDER.iterdir() if file.suffix in (".js", ".css")]
    assert sum(sizes) <= 130_000
