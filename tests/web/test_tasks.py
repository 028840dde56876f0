"""Tasks of a page, without a browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import msgspec
import pytest

from helpers.match_tools import record, until
from helpers.web import PATIENCE, page_of, serving
from kikashi.board.points import WHITE, parse_vertex, vertex
from kikashi.engine.player import Player
from kikashi.engine.tree_reuse import root_of
from kikashi.engine.warmup import warm_up
from kikashi.experiments.queue import entry_in
from kikashi.game import Game
from kikashi.jit import kernel
from kikashi.match.journal import Journal
from kikashi.match.one_game import GameRecord
from kikashi.match.settings import MatchSettings
from kikashi.playout.sampling import play_out
from kikashi.sgf import read_game
from kikashi.terminal.counting import Count
from kikashi.web import messages, tasks
from kikashi.web.analyses import BARS, make_histogram
from kikashi.web.game_tree import GameTree
from kikashi.web.messages import (
    GameState,
    Hello,
    History,
    Judged,
    Kept,
    KeptClock,
    Mistakes,
    Notice,
    Opened,
    Playout,
    Position,
    Setup,
    TreeUpdate,
    Working,
)
from kikashi.web.page import Page
from kikashi.web.play import count_in_parts
from kikashi.web.presets import Presets, parts_of
from kikashi.web.search_viewer import run_playout
from kikashi.web.shelf import Item, ItemStore
from kikashi.web.studies import _shares, study_state
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


def resume(page: Page, sgf: str, setup: dict[str, object] = SETUP, clocks: tuple[KeptClock, KeptClock] | None = None):
    """Resume a game of the shelf."""
    kept = Item("game", "", sgf, 0, 5, "", setup=msgspec.convert(setup, Setup), clocks=clocks)
    with page._lock:
        page.play.resume("", kept)


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
        resume(page, sgf, clocks=(KeptClock(clocks[0], 2), KeptClock(clocks[1], 2)))
        position = next(event for event in posted if isinstance(event, Position) and event.board == "play")
        state = next(event for event in posted if isinstance(event, GameState))
        assert (position.number, position.result) == (2, result)
        assert [round(clock.main) for clock in state.clocks] == clocks
        assert [clock.periods for clock in state.clocks] == [2, 2]


def test_the_record_has_the_result_without_the_dead_stones() -> None:
    with open_page() as (page, posted):
        resume(page, FINISHED, SETUP | {"rules": "japanese"})
        before = page.play.game_tree().root.text("RE")
        page.handle(b'{"type": "mark_dead", "point": "A5"}')
        state = next(event for event in reversed(posted) if isinstance(event, GameState))
        assert before != page.play.game_tree().root.text("RE") == page.play.count.result()
        assert state.counting
        page.handle(b'{"type": "accept_count"}')
        page.handle(b'{"type": "mark_dead", "point": "A5"}')
        state = next(event for event in reversed(posted) if isinstance(event, GameState))
        assert (state.accepted, state.counting) == (True, False)
        assert isinstance(posted[-1], messages.Failed), "an accepted count does not change"


@pytest.mark.parametrize("rules", ["japanese", "chinese"])
def test_the_parts_of_the_count_add_up_to_the_score(rules: str) -> None:
    game = read_game(FINISHED, rules=rules)
    dead = {parse_vertex("A5", 5)}
    rows, territory = count_in_parts(game, dead)
    assert rows[-1].black - rows[-1].white == game.score(dead)
    assert [row.part for row in rows] == ["territory" if rules == "japanese" else "stones"] + (
        ["prisoners", "komi", "total"] if rules == "japanese" else ["territory", "komi", "total"]
    )
    assert territory[:5] == "XX.OO"


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
        resume(page, "(;SZ[5]KM[7.5];B[cc])", slow)
        page.handle(b'{"type": "resign"}')  # the answer is still awaited
        page.handle(b'{"type": "undo"}')
        assert page.play.game.turn == WHITE


@contextmanager
def open_page(state: ServerState | None = None, **hello: str) -> Iterator[tuple[Page, list[messages.Event]]]:
    """Open a page without a server; yield it and its events."""
    posted: list[messages.Event] = []
    page = Page(
        state or ServerState(limits=Limits(megabytes=4)),
        lambda event, *, only_newest="": posted.append(event),
        Hello("", **hello),
    )
    try:
        yield page, posted
    finally:
        page.close()


def test_a_review_runs_while_other_nodes_are_shown_and_its_mistakes_are_read_again() -> None:
    """Black's first move on 5x5 is in the corner, and White takes the middle, which wins."""
    game = "(;SZ[5]KM[7.5];B[ae];W[cc];B[bc];W[bb])"
    with open_page() as (page, posted):
        page.handle(json.dumps({"type": "open_sgf", "text": game}))
        page.handle(json.dumps({"type": "set_comment", "node": 1, "text": "why there?"}))
        page.handle(json.dumps({"type": "review_game", "preset": "kikashi", "simulations": 300}))
        page.handle(json.dumps({"type": "go_to", "board": "study", "node": 1}))
        page.handle(json.dumps({"type": "stage_playout", "preset": "kikashi"}))
        until(lambda: any(isinstance(event, Mistakes) for event in posted))
        until(lambda: any(isinstance(event, Playout) for event in posted))
        words = "why there?\n\nkikashi: "  # those of the review are below
        until(lambda: any(isinstance(event, Position) and event.comment.startswith(words) for event in [*posted]))
        review = next(event for event in posted if isinstance(event, Mistakes))
        found = review.found
        assert found
        assert review.simulations >= 300
        assert {(row.color, row.phase) for row in review.summary} >= {("black", "all"), ("white", "all")}
        assert sum(row.mistakes for row in review.summary if row.phase == "all") == len(found)
        page.handle(json.dumps({"type": "try_move", "node": 0, "move": "C3", "preset": "kikashi", "simulations": 300}))
        until(lambda: any(isinstance(event, Judged) for event in posted))
        judged = next(event for event in posted if isinstance(event, Judged))
        assert (judged.move, judged.best) == ("C3", True)
        text = page.study.tree.as_sgf()
        assert sum(text.count(name) for name in ("BM[", "DO[")) == len(found)
        del posted[:]
        page.handle(json.dumps({"type": "open_sgf", "text": text}))
        again = next(event for event in posted if isinstance(event, Mistakes)).found
        assert [(one.move, one.grade, one.better) for one in again] == [(m.move, m.grade, m.better) for m in found]
        assert [node.grade for node in page.study.tree.update().nodes if node.grade] == [m.grade for m in found]


def test_long_curves_of_the_laboratory_are_thinned() -> None:
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
            state = study_state("match", entry_in(tmp_path))
            (*_, players_table) = state.tables
            assert players_table[0][:2] == ["player", "moves"]
            scores = [row[2] for row in state.tables[0][1:]] if expected else []
            assert sum(int(points) for score in scores for points in score.split("–")) == expected
            assert (state.counts[-1:], state.done) == ([expected][: expected > 0], len(journal.records))
        assert any("forfeit" in note for note in state.notes)


def test_variations_are_added_made_main_and_deleted() -> None:
    tree = GameTree.from_sgf("study", "(;SZ[5];B[cc];W[bb])")
    tree.go_to(1)
    assert tree.play("D4") is not None
    assert tree.play("C4") is not None
    tree.go_to(1)
    assert tree.play("B4") is None, "that move is there"
    assert tree.current == 2
    assert tree.make_main(3) is not None
    assert tree.make_main(3) is None
    assert [node.move for node in tree.update().nodes][:3] == ["", "C3", "D4"]
    tree.go_to(3)
    tree.delete(3)
    assert tree.current == 1
    with pytest.raises(ValueError, match="beginning"):
        tree.delete(0)
    with pytest.raises(ValueError, match="illegal"):
        tree.play("C3")


EDITS = [
    {"type": "play_move", "board": "study", "move": "D4"},
    {"type": "set_comment", "node": 1, "text": "here"},
    {"type": "go_to", "board": "study", "node": 1},
    {"type": "play_move", "board": "study", "move": "A1"},
    {"type": "make_main", "node": 4},
    {"type": "delete_node", "node": 2},
    {"type": "open_sgf", "text": "(;SZ[9];B[ee])"},
]


def test_every_edit_of_a_study_is_taken_back_and_made_again() -> None:
    with open_page() as (page, posted):
        page.handle(json.dumps({"type": "open_sgf", "text": "(;SZ[5];B[cc];W[bb])"}))
        page.handle(json.dumps({"type": "go_to", "board": "study", "node": 2}))
        states = [page.study.tree.as_sgf()]
        for edit in EDITS:
            page.handle(json.dumps(edit))
            if edit["type"] != "go_to":
                states.append(page.study.tree.as_sgf())
        assert len(set(states)) == len(states)
        undone = [states[-1]]
        for _ in states[1:]:
            page.handle(b'{"type": "undo_edit"}')
            undone.append(page.study.tree.as_sgf())
        assert undone == states[::-1]
        again = [undone[-1]]
        for _ in states[1:]:
            page.handle(b'{"type": "redo_edit"}')
            again.append(page.study.tree.as_sgf())
        assert again == states
        assert not [event for event in posted if isinstance(event, messages.Failed)]
        assert next(event for event in reversed(posted) if isinstance(event, History)) == History(
            "opening of another game", ""
        )
        notices = [event for event in posted if isinstance(event, Notice)]
        assert [(notice.message, notice.undo) for notice in notices] == [
            ("2 moves deleted.", "undo_edit"),
            ("The study was replaced.", "undo_edit"),
        ]


def test_two_tabs_never_overwrite_each_other_and_a_loaded_tab_keeps_its_study(tmp_path: Path) -> None:
    state = ServerState(limits=Limits(megabytes=4), shelf=ItemStore(tmp_path))

    def play(page: Page, move: str) -> None:
        page.handle(json.dumps({"type": "play_move", "board": "study", "move": move}))

    def moves(page: Page) -> list[str]:
        return [node.move for node in page.study.tree.update().nodes if node.move]

    with open_page(state, tab="one") as (first, posted):
        play(first, "C3")
        key = next(event.item for event in posted if isinstance(event, Kept) and event.item)
        with open_page(state, tab="two") as (second, heard):
            assert moves(second) == [], "it is open in another tab"
            second.handle(json.dumps({"type": "open_item", "item": key}))
            assert moves(second) == ["C3"]
            play(second, "D4")
            play(first, "E5")
            assert next(event.item for event in reversed(heard) if isinstance(event, Kept)) != key, "it is a copy"
        with open_page(state, tab="one", study=key) as (loaded, _):  # before its old page is closed
            assert moves(loaded) == ["C3", "E5"]
            play(loaded, "A1")
            play(first, "B2")
    assert sorted(" ".join(node.value("B") or node.value("W") or "" for node in GameTree.from_sgf(
        "study", item.sgf).root.walk()).strip() for item in ItemStore(tmp_path)._items.values()
    ) == sorted(["cq eo", "cq dp", "cq eo as", "cq eo br"][1:])  # fmt: skip
    shown = {(info.moves, len(info.stones.replace(".", ""))) for info in ItemStore(tmp_path).infos()}
    assert shown == {(1, 1), (2, 2), (3, 3)}, "the end of each main line"
    with open_page(ServerState(limits=Limits(megabytes=4), shelf=ItemStore(tmp_path))) as (page, _):
        assert len(moves(page)) == 3, "a new server has the latest"


def test_the_flag_falls_when_the_time_is_up() -> None:
    with open_page() as (page, posted):
        resume(page, "(;SZ[5]KM[7.5];B[cc];W[bb])", SETUP | {"thought": {"simulations": 1, "clock": "0.2"}})
        until(lambda: any(isinstance(event, Position) and event.result == "W+T" for event in posted))


def test_a_preset_that_compiles_says_so_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    is_compiled = Event()
    monkeypatch.setattr(tasks, "warm_up", lambda preset: is_compiled.wait(PATIENCE))
    monkeypatch.setattr(tasks, "compiling", lambda: (92, 161, "92 of 161, about 71 s left"))
    monkeypatch.setattr(tasks, "_COMPILATIONS", {})
    with open_page() as (page, posted):
        for request, stop in (
            ({"type": "start_search", "preset": "kikashi"}, "study"),
            ({"type": "stage_playout", "preset": "kikashi"}, "aside"),
            ({"type": "new_game", "setup": SETUP | {"color": "white"}}, "play"),
        ):
            page.handle(json.dumps(request))
            until(lambda: any(isinstance(event, Working) and event.done == 92 for event in posted))
            text = next(event.detail for event in posted if isinstance(event, Working) and event.done == 92)
            assert "compiling kikashi" in text
            assert "71 s left" in text
            page.handle(json.dumps({"type": "stop_work", "task": stop}))  # this does not wait
            del posted[:-1]
        assert isinstance(posted[-1], GameState)
        assert posted[-1].paused
        is_compiled.set()
        page.handle(b'{"type": "continue_game"}')
        until(lambda: any(isinstance(event, GameState) and not event.thinking for event in posted[1:]))
        assert page.play.game.move_count == 1


def test_a_stopped_compilation_ends_unless_another_page_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def compile_on_and_on(preset: object) -> None:
        while True:
            made.append(kernel(eval("lambda number: number + 1"))(len(made)))

    def compiles() -> bool:
        return any(thread.name == "compilation" for thread in threading.enumerate())

    monkeypatch.setattr(tasks, "warm_up", compile_on_and_on)
    monkeypatch.setattr(tasks, "_COMPILATIONS", {})
    search = b'{"type": "start_search", "preset": "kikashi"}'
    with open_page() as (first, _), open_page() as (second, posted):
        first.handle(search)
        second.handle(search)
        until(lambda: len(made) > 1)
        first.handle(b'{"type": "stop_work"}')
        count = len(made)
        until(lambda: len(made) > count + 1)
        second.handle(b'{"type": "stop_work"}')
        until(lambda: not compiles())
        monkeypatch.setattr(tasks, "warm_up", warm_up)
        second.handle(search)
        until(lambda: any(isinstance(event, messages.PositionAnalysis) for event in [*posted]))


def test_a_histogram_has_every_simulation_and_a_bar_on_each_side_of_komi() -> None:
    scores = {-25: 3, 6: 10, 7: 5, 8: 20, 25: 1}
    found = make_histogram(scores, 7.5)
    assert (found.low, found.width) == (-34, 2)
    assert sum(found.counts) == sum(scores.values())
    lost = sum(count for at, count in enumerate(found.counts) if found.low + found.width * at < 0)
    assert lost == 18, "with komi 7.5 Black has won with 8 points more, not with 7"
    wide = make_histogram({-361: 1, 361: 2}, 6.5)
    assert len(wide.counts) <= BARS
    assert (wide.counts[0], wide.counts[-1]) == (1, 2)
    assert make_histogram({}, 7.5).counts == []


def test_rules_have_their_true_names() -> None:
    for rules in ("positional", "korean", "chinese", "aga"):
        setup = {"preset": "kikashi", "size": 5, "rules": rules, "thought": {"simulations": 1}}
        with open_page() as (page, _):
            page.handle(json.dumps({"type": "new_game", "setup": setup}))
            assert page.play.game_tree().position().rules == rules
            page.handle(b'{"type": "study_game", "board": "play"}')
            assert page.study.tree.position().rules == rules
    assert "unknown rules “Ours”" in GameTree.from_sgf("study", "(;SZ[5]RU[Ours])").position().rules


def test_a_collection_with_an_illegal_move_opens_up_to_it() -> None:
    record = "(;SZ[5]PB[one];B[cc];W[cc];B[dd])(;SZ[5]PB[two]AR[aa:cc]LN[aa:ee]DD[bb]LB[cc:a long label];B[cc])"
    with open_page() as (page, posted):
        page.handle(json.dumps({"type": "open_sgf", "text": record}))
        opened = next(event for event in reversed(posted) if isinstance(event, Opened))
        assert opened.games == ["1. one – ?", "2. two – ?"]
        assert "illegal move" in next(event for event in posted if isinstance(event, Notice)).message
        page.handle(b'{"type": "go_to", "board": "study", "node": 1}')
        assert page.study.tree.current == 1
        page.handle(b'{"type": "go_to", "board": "study", "node": 2}')
        assert page.study.tree.current == 1
        page.handle(b'{"type": "open_other", "number": 1}')
        position = next(event for event in reversed(posted) if isinstance(event, Position))
        assert (position.black, position.arrows, position.lines) == ("two", [("A5", "C3")], [("A5", "E1")])
        assert (position.dimmed, position.marks) == (["B4"], {"C3": "a long label"})
        assert next(event for event in reversed(posted) if isinstance(event, TreeUpdate)).title == "two – ?"


def test_the_point_of_a_ko_is_marked() -> None:
    ko = "(;SZ[5]AB[bb][ca][cc]AW[da][dc][eb]PL[W];W[cb];B[db])"
    tree = GameTree.from_sgf("study", ko)
    tree.go_to(2)
    assert tree.position().ko == "C4"
    assert tree.position().numbers == {"D4": 2}
