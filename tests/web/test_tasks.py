"""Tasks of a page, without a browser."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from threading import Event

import msgspec
import pytest

from helpers.match_tools import record
from helpers.web import PATIENCE, page_of, serving
from kikashi.board.points import WHITE, parse_vertex, vertex
from kikashi.engine.player import Player
from kikashi.engine.tree_reuse import root_of
from kikashi.game import Game
from kikashi.match.journal import Journal
from kikashi.match.one_game import GameRecord
from kikashi.match.settings import MatchSettings
from kikashi.playout.sampling import play_out
from kikashi.sgf import read_game
from kikashi.terminal.counting import Count
from kikashi.web import events
from kikashi.web.events import GameState, Mistakes, Playout, Position
from kikashi.web.game_tree import GameTree
from kikashi.web.laboratory import _rounded, _shares, _state
from kikashi.web.page import Page
from kikashi.web.playout_viewer import run_playout
from kikashi.web.presets import Presets, parts_of
from kikashi.web.tasks import Limits, ServerState

HANDMADE = "kikashi-handmade"


def test_the_playout_viewer_shows_the_playout_of_the_loop() -> None:
    presets, game = Presets(), Game(7)
    game.push("D4")
    preset = presets.get("mogo-2006")
    shown = run_playout(preset, game, 0, 5, None)
    played = [vertex(move) for move, _ in play_out(preset.config.policy, root_of(game, judging=True), seed=5)]
    assert [step.move for step in shown.steps] == played
    assert sum(shown.shares.values()) == len(played)
    assert {"escape", "pattern3", "uniform"} <= shown.shares.keys()
    assert all(not step.candidates or step.move in step.candidates for step in shown.steps)
    without = run_playout(presets.get("mogo-2006", ["playout: pattern3"]), game, 0, 5, None)
    assert "pattern3" not in without.shares


def test_a_part_that_is_switched_off_is_the_only_change() -> None:
    presets = Presets()
    whole, less = presets.get(HANDMADE), presets.get(HANDMADE, ["prior: capture", "playout: escape"])
    gone = {part.name for part in parts_of(whole)} - {part.name for part in parts_of(less)}
    assert gone == {"prior: capture", "playout: escape"}
    assert less.config.policy.feasibility == whole.config.policy.feasibility
    assert less.config.rules == whole.config.rules


def test_a_study_is_searched_saved_and_read_again() -> None:
    with serving(ServerState(limits=Limits(megabytes=16))) as server, page_of(server) as page:
        page.ask(type="open_sgf", text="(;SZ[5]KM[7.5];B[cc];W[bb])")
        page.until("position", lambda event: event["size"] == 5)
        page.ask(type="go_to", board="study", node=2)
        page.ask(type="start_search", preset="kikashi")
        found = page.until("analysis", lambda event: event["node"] == 2 and event["visits"] > 0)
        assert sum(move["visits"] for move in found["moves"]) <= found["visits"]
        assert len(found["ownership"]) == 25
        page.ask(type="stop_work")
        kept = page.until("evaluation")
        page.ask(type="save_sgf", board="study")
        text = page.until("saved")["text"]
    again = GameTree.from_sgf("study", text)
    analysis = again.stored(2)
    assert analysis is not None
    assert analysis.visits == kept["visits"] > 0
    assert analysis.winrate == pytest.approx(kept["winrate"], abs=1e-4)
    assert analysis.moves[0].line
    assert again.update().nodes[2].visits == analysis.visits


@pytest.mark.parametrize("stored", ["nonsense", "k x 1", "k 5 inf\nZ9 1 2 3", "k 5 1\nC3 5 1.5 0", "k 5 1\nC3 nan 0 0"])
def test_a_damaged_stored_analysis_has_no_moves(stored: str) -> None:
    tree = GameTree.from_sgf("study", f"(;SZ[5]SBKV[50]KKAN[{stored}])")
    analysis = tree.stored(0)
    assert analysis is None or analysis.moves == []


FINISHED = "(;SZ[5]KM[0.5]RU[Japanese]AB[ba][bb][bc][bd][be]AW[da][db][dc][dd][de][aa];B[];W[])"
SETUP = {"preset": "kikashi", "size": 5, "thought": {"simulations": 1, "clock": "300+3x30"}}


@pytest.mark.parametrize(
    ("sgf", "clocks", "result"),
    [
        ("(;SZ[5]KM[7.5]RE[W+R];B[cc];W[bb])", [200, 100], "W+R"),
        ("(;SZ[5]KM[7.5]RE[B+T];B[cc];W[bb])", [200, 0], "B+T"),
        ("(;SZ[5]KM[7.5]RE[B+24.5];B[cc];W[bb])", [200, 100], ""),
    ],
)
def test_a_resumed_game_keeps_its_result_and_clocks(sgf: str, clocks: list[float], result: str) -> None:
    with open_page() as (page, posted):
        kept = [{"main": main, "periods": 2} for main in clocks]
        page.handle(json.dumps({"type": "resume_game", "setup": SETUP, "sgf": sgf, "clocks": kept}))
        position = next(event for event in posted if isinstance(event, Position) and event.board == "play")
        state = next(event for event in posted if isinstance(event, GameState))
        assert (position.number, position.result) == (2, result)
        assert [round(clock.main) for clock in state.clocks] == clocks
        assert [clock.periods for clock in state.clocks] == [2, 2]


def test_the_record_has_the_result_without_the_dead_stones() -> None:
    with open_page() as (page, posted):
        page.handle(json.dumps({"type": "resume_game", "setup": SETUP, "sgf": FINISHED}))
        before = page.play.game_tree().root.text("RE")
        page.handle(b'{"type": "mark_dead", "point": "A5"}')
        states = [event for event in posted if isinstance(event, GameState)]
        assert before != page.play.game_tree().root.text("RE") == page.play.count.result()
        assert f"RE[{page.play.count.result()}]" in states[-1].sgf


def test_a_studied_record_ends_with_its_own_result() -> None:
    tree = GameTree.from_sgf("study", FINISHED.replace("SZ[5]", "SZ[5]RE[W+T]"))
    tree.go_to(tree.line(0)[-1])
    assert tree.position().result == "W+T"
    tree.go_to(tree.line(0)[-2])
    tree.play("A4")
    assert tree.position().result == ""


def test_a_duel_is_counted_without_the_dead_stones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Count, "propose", lambda count, judge: count.change(parse_vertex("A5", 5)))
    with open_page() as (page, posted):
        page.duel.game, page.duel._result = read_game(FINISHED), ""
        counted = Event()
        page.duel.start(lambda job: (page.duel._count(job, Player("kikashi")), counted.set()))
        assert counted.wait(PATIENCE)
        position = next(event for event in reversed(posted) if isinstance(event, Position))
        assert position.dead == ["A5"]
        assert page.duel.game_tree().root.text("RE") == position.result != page.duel.game.result()


def test_undoing_a_resignation_out_of_turn_keeps_the_turn() -> None:
    slow = SETUP | {"thought": {"simulations": 10_000_000}}
    with open_page() as (page, _):
        page.handle(json.dumps({"type": "resume_game", "setup": slow, "sgf": "(;SZ[5]KM[7.5];B[cc])"}))
        page.handle(b'{"type": "resign"}')  # the answer is still awaited
        page.handle(b'{"type": "undo"}')
        assert page.play.game.turn == WHITE


@contextmanager
def open_page() -> Iterator[tuple[Page, list[events.Event]]]:
    """Open a page without a server; yield it and its events."""
    posted: list[events.Event] = []
    page = Page(ServerState(limits=Limits(megabytes=4)), lambda event, *, only_newest="": posted.append(event))
    try:
        yield page, posted
    finally:
        page.close()


def test_a_review_runs_while_other_nodes_are_shown_and_its_mistakes_are_read_again() -> None:
    """Black's first move on 5x5 is in the corner, and White takes the middle, which wins."""
    game = "(;SZ[5]KM[7.5];B[ae];W[cc];B[bc];W[bb])"
    with open_page() as (page, posted):
        page.handle(json.dumps({"type": "open_sgf", "text": game}))
        page.handle(json.dumps({"type": "review_game", "preset": "kikashi", "simulations": 300}))
        page.handle(json.dumps({"type": "go_to", "board": "study", "node": 1}))
        page.handle(json.dumps({"type": "set_comment", "node": 1, "text": "why there?"}))
        page.handle(json.dumps({"type": "stage_playout", "preset": "kikashi"}))
        until(lambda: any(isinstance(event, Mistakes) for event in posted))
        assert next(event for event in reversed(posted) if isinstance(event, Position)).comment == "why there?"
        kinds = [type(event) for event in posted]
        assert kinds.index(Playout) < kinds.index(Mistakes), "questions do not wait for the end"
        found = next(event for event in posted if isinstance(event, Mistakes)).found
        assert found
        text = page.study.tree.as_sgf()
        assert sum(text.count(name) for name in ("BM[", "DO[")) == len(found)
        del posted[:]
        page.handle(json.dumps({"type": "open_sgf", "text": text}))
        again = next(event for event in posted if isinstance(event, Mistakes)).found
        assert [(one.move, one.grade, one.better) for one in again] == [(m.move, m.grade, m.better) for m in found]
        assert [node.grade for node in page.study.tree.update().nodes if node.grade] == [m.grade for m in found]


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_infinite_ratings_and_long_curves_of_the_laboratory() -> None:
    assert [_rounded(elo) for elo in (inf, 12.4, -inf)] == ["∞", "12", "−∞"]
    settings = MatchSettings(players=("lgrf2", "mogo-2006"), games=2000, size=5, simulations=10)
    game = record(0, "lgrf2", "mogo-2006", "B+R")
    posted = list(_shares(settings, [game] * 1999))
    assert posted[-1][:2] == (1999, 1.0)
    assert len(posted) < 1000


def test_the_score_of_a_match_that_runs_is_over_complete_pairs(tmp_path: Path) -> None:
    players = ("lgrf2", "mogo-2006")
    match = MatchSettings(players=players, games=4, size=5, simulations=10)
    header = {"kind": "match", "settings": msgspec.to_builtins(match)}
    with Journal(tmp_path, header, GameRecord, resume=False) as journal:
        for number, result, expected in ((3, "W+R", 0), (0, "B+F", 0), (1, "B+R", 2), (2, "B+R", 4)):
            journal.append(record(number, *(players if number % 2 == 0 else players[::-1]), result))
            state = _state("match", tmp_path)
            assert sum(pair.wins + pair.losses for pair in state.pairs) == expected
            assert (state.counts[-1:], state.done) == ([expected][: expected > 0], len(journal.records))
        assert any("forfeit" in note for note in state.notes)


def test_variations_are_added_made_main_and_deleted() -> None:
    tree = GameTree.from_sgf("study", "(;SZ[5];B[cc];W[bb])")
    tree.go_to(1)
    assert tree.play("D4")
    assert not tree.play("C4") or tree.current != 2
    tree.go_to(1)
    assert not tree.play("B4"), "that move is there"
    assert tree.current == 2
    tree.make_main(3)
    assert [node.move for node in tree.update().nodes][:3] == ["", "C3", "D4"]
    tree.delete(3)
    assert tree.current == 2
    with pytest.raises(ValueError, match="beginning"):
        tree.delete(0)
    with pytest.raises(ValueError, match="illegal"):
        tree.play("C3")
