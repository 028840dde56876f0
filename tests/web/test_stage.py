"""The search tree as the stage: its picture, boards, timeline, charts and files, in the browser and behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.browser import key, open_sgf, opened, view
from kikashi.board.points import BLACK, EMPTY, STRIDE, WHITE, parse_vertex, vertex
from kikashi.engine.limits import Limit
from kikashi.engine.player import Player
from kikashi.engine.preset import Preset, load_preset
from kikashi.engine.tree_reuse import root_of
from kikashi.game import Game
from kikashi.playout.sampling import play_out
from kikashi.web.game_tree import rows_of
from kikashi.web.messages import SearchTree, Timeline
from kikashi.web.search_viewer import MARKS, SearchViewer, find_owners
from kikashi.web.server import Server
from kikashi.web.tasks import ServerState

# --- behind the page --------------------------------------------------------------------------------------------------


def test_pauses_at_marks_do_not_change_a_search() -> None:
    game, limit = Game(5), Limit(simulations=120)
    plain, marked = (Player("mogo-2006", seed=4, megabytes=16) for _ in range(2))
    plain.analyse(game, limit)
    seen = [analysis.simulations for analysis in marked.search(game, limit, marks=MARKS)]
    assert seen == [mark for mark in MARKS if mark < 120] + [120]
    assert plain.last_search is not None
    assert marked.last_search is not None
    used = plain.last_search.tree.used
    assert (plain.last_search.tree.nodes[:used] == marked.last_search.tree.nodes[:used]).all()


def test_the_timeline_has_the_tree_as_it_was() -> None:
    posted: list[Any] = []
    viewer, game = SearchViewer(ServerState()), Game(5)
    viewer.set_preset(load_preset("mogo-2006"), ())
    viewer.begin_timeline(0)
    for _ in viewer.player.search(game, Limit(simulations=300), marks=MARKS):
        viewer.note()
    viewer.look_at([], [], 60)
    viewer.show(lambda event, only_newest="": posted.append(event))
    steps = next(event for event in posted if isinstance(event, Timeline)).steps
    assert [step.simulations for step in steps] == [mark for mark in MARKS if mark <= 300]
    for step in steps:
        again = Player("mogo-2006")
        again.analyse(game, Limit(simulations=step.simulations))
        assert again.last_search is not None
        tree = again.last_search.tree
        for node in step.nodes:
            at = 0
            for move in node.path:
                child = tree.child(parse_vertex(move, 5), at)
                assert child is not None
                at = child
            assert node.visits == tree.nodes[at]["visits"]
        moves = [node.visits for node in step.nodes if len(node.path) == 1]
        assert max(moves) == tree.children()["visits"].max()
    viewer.look_at([], [], 0)
    assert not viewer.is_watched


def test_nothing_below_a_folded_node_is_sent() -> None:
    posted: list[Any] = []
    viewer, game = SearchViewer(ServerState()), Game(5)
    viewer.set_preset(load_preset("mogo-2006"), ())
    viewer.player.analyse(game, Limit(simulations=500))
    viewer.look_at([], [], 40)
    viewer.show(lambda event, only_newest="": posted.append(event))
    nodes = posted[-1].nodes
    assert isinstance(posted[-1], SearchTree)
    first = nodes[1]
    assert any(node.path[0] == first.move for node in nodes if len(node.path) > 1)
    moves = [p for p in game.legal_moves if vertex(p) == first.move]
    viewer.look_at([], [moves], 40)
    viewer.show(lambda event, only_newest="": posted.append(event))
    assert not any(node.path[0] == first.move for node in posted[-1].nodes if len(node.path) > 1)
    assert len(posted[-1].nodes) >= 40


def test_owners_and_criticality_are_those_of_playouts_from_the_node() -> None:
    preset, game = load_preset("mogo-2006").at(5), Game(5, komi=2.5)
    path = [parse_vertex("C3", 5)]
    found = find_owners(preset, game, 3, None, path, 2_000)
    after = game.copy()
    after.push("C3")
    assert found.path == ["C3"]
    rows = list(rows_of(5))
    owned = np.array([_owners(preset, after, seed) for seed in range(1_000)])
    wins = owned.sum(axis=1) > 2.5
    blacks = owned == 1
    assert found.winrate == pytest.approx(wins.mean(), abs=0.1), "five standard errors of the difference"
    assert np.abs(np.array(found.ownership) / 100 - owned.mean(axis=0)).max() < 0.2
    agree = blacks == wins[:, None]
    expected = agree.mean(axis=0) - blacks.mean(axis=0) * wins.mean() - (1 - blacks.mean(axis=0)) * (1 - wins.mean())
    assert np.abs(np.array(found.criticality) / 100 - expected).max() < 0.1
    assert len(rows) == len(found.criticality)
    with pytest.raises(ValueError, match="C3"):
        find_owners(preset, after, 3, None, path, 1)


def _owners(preset: Preset, game: Game, seed: int) -> list[int]:
    """Who owns each point at the end of a playout: 1 for Black, -1 for White; no point is neutral then."""
    *_, (_, board) = play_out(preset.config.policy, root_of(game, judging=True), seed=seed + 1)
    colors = board["color"]
    found = []
    for p in rows_of(game.size):
        near = [int(colors[q]) for q in (p, p - 1, p + 1, p - STRIDE, p + STRIDE)]
        owners = {color for color in near if color in (BLACK, WHITE)}
        found.append(1 if BLACK in (owners if near[0] == EMPTY else {near[0]}) else -1)
    return found


# --- in the browser ---------------------------------------------------------------------------------------------------


@pytest.fixture
def page(browser: Any, shown: Server) -> Iterator[Any]:
    with opened(browser, shown) as page:
        yield page


def _grown(page: Any) -> None:
    """Open the tree of a search that has stopped."""
    open_sgf(page)
    key(page, "End")
    view(page, "Look inside")
    page.select_option("label:has-text('Preset') select", "lgrf2")
    page.click("button:has-text('From an empty tree')")
    page.wait_for_selector(".rootcharts .curvekeys li >> nth=3")
    page.wait_for_function("() => document.querySelectorAll('.branching').length > 40")
    page.click("button:has-text('Stop')")
    page.wait_for_selector("button:has-text('Search')")


@pytest.mark.slow
def test_the_tree_is_the_stage(page: Any, tmp_path: Path) -> None:
    _grown(page)
    strokes = page.evaluate(
        "[...document.querySelectorAll('.searchtree .branch')].map((b) => getComputedStyle(b).stroke)"
    )
    assert len(set(strokes)) > 2, "lines have the colour of their value"
    # the board of a node, with what it takes off
    moves = page.locator(".branching").nth(5).get_attribute("data-path")
    page.fill("label:has-text('Find a move') input", moves.lower())
    page.wait_for_selector(f".branching.found[data-path='{moves}']")
    page.wait_for_selector(".found:has-text('node')")
    nodes = page.locator(".branching:not([data-path=root])")
    first = nodes.nth(0).get_attribute("data-path")
    nodes.nth(0).dispatch_event("click")
    page.wait_for_selector(f".nodepanel[aria-label='Node {first}']")
    assert page.locator(".nodepanel .number").count() == len([move for move in first.split() if move != "pass"])
    page.locator(".branching[data-path=root] .stone").hover()
    page.wait_for_selector(".nodepanel[aria-label='Node root']")
    page.mouse.move(0, 0)
    page.wait_for_selector(f".nodepanel[aria-label='Node {first}']")
    # owners and criticality there
    page.click(".nodepanel button:has-text('Ownership')")
    page.wait_for_selector("[data-testid=owners]:has-text('400 playouts')")
    assert page.locator(".nodepanel .owner").count() > 0
    page.click(".nodepanel button:has-text('Criticality')")
    page.wait_for_selector("[data-testid=owners]:has-text('covariance')")
    assert page.locator(".nodepanel .weight").count() > 0
    # zoom, move, fit
    place = "document.querySelector('.searchtree g').getAttribute('transform')"
    before = page.evaluate(place)
    page.click("[aria-label=Larger]")
    larger = page.evaluate(place)
    assert _scale(larger) > _scale(before)
    page.click("button:has-text('Fit')")
    assert page.evaluate(place) != larger
    # time goes back to the first simulation and on
    page.locator(".timeline input").fill("0")
    page.wait_for_selector("[data-testid=simulations]:text-is('1 simulation')")
    assert page.locator(".branching").count() <= 3
    page.click("button:has-text('Replay')")
    page.wait_for_selector("[data-testid=simulations]:has-text('3 simulations')")
    page.click("button:has-text('Pause')")
    page.locator(".timeline input").fill("1000")
    page.wait_for_selector("[data-testid=simulations]:has-text('Now')")
    # files
    for name, check in (("SVG", "<svg"), ("Graphviz", "digraph"), ("JSON", '"preset": "lgrf2"')):
        with page.expect_download() as saved:
            page.select_option("label:has-text('Save the tree') select", name)
        file = tmp_path / name
        saved.value.save_as(file)
        assert check in file.read_text("utf-8")
    shown = json.loads((tmp_path / "JSON").read_text("utf-8"))["nodes"]
    assert len(shown) == page.locator(".branching").count()
    assert (tmp_path / "Graphviz").read_text("utf-8").count("->") == len(shown) - 1
    with page.expect_download() as saved:
        page.select_option("label:has-text('Save the tree') select", "PNG")
    saved.value.save_as(tmp_path / "PNG")
    assert (tmp_path / "PNG").read_bytes().startswith(b"\x89PNG")
    # a playout from a node
    page.click("button:has-text('Playout from here')")
    page.wait_for_selector(f"[data-testid=made]:has-text('After {first}:')")
    assert page.locator("[role=grid][aria-label^='Playout, move 0']").count() == 1


def _scale(transform: str) -> float:
    found = re.search(r"scale\(([\d.]+)\)", transform)
    assert found
    return float(found[1])
