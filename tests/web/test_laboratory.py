"""Comparisons and the laboratory: searches side by side; matches and experiments started, stopped and resumed."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from helpers.browser import faults, key, open_sgf, opened, view
from helpers.match_tools import record, until
from helpers.processes import HOLDING, another_process
from helpers.web import serving
from kikashi.engine.preset import load_preset
from kikashi.engine.warmup import warm_up
from kikashi.experiments import load_design
from kikashi.experiments.queue import ExperimentEntry, MatchEntry
from kikashi.experiments.results import RunName, read_run, run_file
from kikashi.files import lock
from kikashi.match.journal import Journal
from kikashi.match.one_game import GameRecord
from kikashi.match.settings import MatchSettings
from kikashi.report import Figure, Items, Paragraph, Section, Table, bars
from kikashi.web.messages import Event, Experiments, Failed, Hello, PositionAnalysis, Runs, Saved, StudyState
from kikashi.web.page import Page
from kikashi.web.server import Server
from kikashi.web.studies import report_parts, study_state
from kikashi.web.tasks import Limits, ServerState

MATCH = {"type": "start_match", "players": ["lgrf2", "mogo-2006"], "size": 5, "thought": {"simulations": 10}}
EXPERIMENT = "baier2010-local-play"


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """No test waits for its presets to compile."""
    for name in ("lgrf2", "mogo-2006"):
        warm_up(load_preset(name))
    design = load_design(EXPERIMENT).at(0.001)
    for number in range(design.steps):
        design.work(number)


@contextmanager
def page_in(folder: Path | None) -> Iterator[tuple[Callable[..., None], list[Event]]]:
    """Open a page of a server with a folder; yield a function that sends requests, and the events."""
    state = ServerState(limits=Limits(megabytes=4), folder=folder)
    posted: list[Event] = []
    page = Page(state, lambda event, *, only_newest="": posted.append(event), Hello(""))
    try:
        yield lambda **request: page.handle(json.dumps(request)), posted
    finally:
        page.close()
        state.runner.close()


def rows(posted: list[Event]) -> dict[str, Any]:
    """Return the rows of the queue by their names."""
    return {row.id: row for row in (latest(posted, Runs) or Runs([])).found}


def latest(posted: list[Event], kind: type) -> Any:
    return next((event for event in reversed([*posted]) if isinstance(event, kind)), None)


# --- comparisons ------------------------------------------------------------------------------------------------------


def test_two_presets_search_the_same_position_with_equal_simulations_or_time() -> None:
    with page_in(None) as (ask, posted):
        ask(type="open_sgf", text="(;SZ[5]KM[7.5];B[cc])")
        ask(type="go_to", board="study", node=1)
        second = {"preset": "mogo-2006", "without": ["playout: pattern3"], "overrides": ["selection.p=0.5"]}
        ask(type="start_comparison", first={"preset": "mogo-2006"}, second=second, thought={"simulations": 300})
        until(lambda: sum(isinstance(event, PositionAnalysis) and not event.running for event in [*posted]) == 2)
        last = {event.board: event for event in posted if isinstance(event, PositionAnalysis)}
        assert last.keys() == {"first", "second"}
        for found in last.values():
            assert (found.node, found.turn, found.visits) == (1, "white", 300)
            assert sum(found.histogram.counts) == 300
            assert len(found.ownership) == 25
        assert "pattern3" in last["first"].shares
        assert "pattern3" not in last["second"].shares
        assert last["second"].preset == "mogo-2006 without pattern3, selection.p=0.5"
        assert last["first"].moves != last["second"].moves
        del posted[:]
        ask(type="start_comparison", first={"preset": "mogo-2006"}, second=second, thought={"seconds": 0.1})
        until(lambda: sum(isinstance(event, PositionAnalysis) and not event.running for event in [*posted]) == 2)


@pytest.mark.parametrize(
    ("side", "thought", "reason"),
    [
        ({"preset": "nobody"}, {"simulations": 10}, "no preset is called 'nobody'"),
        ({"preset": "mogo-2006", "without": ["playout: luck"]}, {"simulations": 10}, "has no part 'playout: luck'"),
        ({"preset": "mogo-2006", "overrides": ["selection.luck=1"]}, {"simulations": 10}, "luck"),
        ({"preset": "mogo-2006", "overrides": ["plugins=['x.py']"]}, {"simulations": 10}, "overrides"),
        ({"preset": "mogo-2006", "overrides": ["base='/etc/passwd'"]}, {"simulations": 10}, "overrides"),
        ({"preset": "mogo-2006"}, {"simulations": 10, "seconds": 1}, "simulations or seconds"),
        ({"preset": "mogo-2006"}, {"clock": "300"}, "simulations or seconds"),
    ],
)
def test_a_comparison_that_cannot_be_is_refused(side: dict[str, Any], thought: dict[str, Any], reason: str) -> None:
    with page_in(None) as (ask, posted):
        ask(type="start_comparison", first=side, second={"preset": "mogo-2006"}, thought=thought)
        failed = latest(posted, Failed)
        assert reason in failed.message
        assert "\n" not in failed.message


# --- runs -------------------------------------------------------------------------------------------------------------


def test_a_match_is_stopped_resumed_and_read_as_a_table(tmp_path: Path) -> None:
    with page_in(tmp_path) as (ask, posted):
        ask(**MATCH, games=2)
        ask(**MATCH, games=2, seed=2)  # it waits
        first, second = "lgrf2-vs-mogo-2006-1", "lgrf2-vs-mogo-2006-2"
        until(lambda: rows(posted).keys() == {first, second})
        assert (rows(posted)[second].state, rows(posted)[second].can) == ("waiting", "stop")
        ask(type="stop_run", study=second)
        assert not (tmp_path / second).exists(), "it never began"
        ask(type="watch_study", study=first)
        until(lambda: rows(posted)[first].state == "finished" and rows(posted).keys() == {first})
        until(lambda: latest(posted, StudyState).done == 2)
        ask(type="export_study", study="lgrf2-vs-mogo-2006-1", form="csv")
        games = list(csv.DictReader(latest(posted, Saved).text.splitlines()))
        assert [(game["black"], game["white"]) for game in games] == [("lgrf2", "mogo-2006"), ("mogo-2006", "lgrf2")]
        assert (tmp_path / "lgrf2-vs-mogo-2006-1" / "report.html").is_file()
        assert not latest(posted, Failed)


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (MATCH | {"players": ["lgrf2", "gnugo --mode gtp"]}, "no preset is called"),
        (MATCH | {"players": ["lgrf2", "lgrf2"]}, "two players are called"),
        (MATCH | {"games": 1}, "games"),
        (MATCH | {"sprt": [50, 0]}, "elo0 below elo1"),
        (MATCH | {"thought": {"simulations": 10**9}}, "simulations"),
        ({"type": "start_experiment", "name": "../x"}, "no experiment is called"),
        ({"type": "start_experiment", "name": EXPERIMENT, "scale": 0}, "scale"),
        ({"type": "stop_run", "study": "nothing"}, "there is no match"),
        ({"type": "start_run", "study": "../.."}, "there is no match"),
        ({"type": "export_study", "study": "nothing", "form": "csv"}, "there is no match"),
    ],
)
def test_a_run_that_cannot_be_is_refused(tmp_path: Path, request_: dict[str, Any], reason: str) -> None:
    with page_in(tmp_path) as (ask, posted):
        ask(**request_)
        assert reason in latest(posted, Failed).message
        assert list(tmp_path.iterdir()) == []


def test_without_a_folder_nothing_is_started() -> None:
    with page_in(None) as (ask, posted):
        ask(**MATCH)
        assert "--folder" in latest(posted, Failed).message


def write_match(folder: Path, settings: MatchSettings, results: list[str]) -> None:
    with Journal(folder, {"kind": "match", "settings": settings.as_table()}, GameRecord, resume=False) as journal:
        for number, result in enumerate(results):
            names = [str(player) for player in settings.names]
            journal.append(record(number, *(names if number % 2 == 0 else names[::-1]), result))


def test_lists_tell_finished_stopped_and_decided_matches(tmp_path: Path) -> None:
    usual = {"size": 5, "simulations": 10}
    players = ("lgrf2", "mogo-2006")
    write_match(tmp_path / "stopped", MatchSettings(players=players, games=4, **usual), ["B+R", "W+R"])
    write_match(tmp_path / "whole", MatchSettings(players=players, games=2, **usual), ["B+R", "W+R"])
    sprt = MatchSettings(players=players, games=100, sprt=(-1000, -900), **usual)
    write_match(tmp_path / "decided", sprt, ["B+R", "W+R"] * 10)
    engine = MatchSettings(players=("lgrf2", "name=other gnugo --mode gtp"), games=4, **usual)
    write_match(tmp_path / "engine", engine, ["B+R", "W+R"])
    with page_in(tmp_path) as (ask, posted):
        ask(type="list_runs")
        found = until(lambda: rows(posted))
        assert {name: (row.state, row.can) for name, row in found.items()} == {
            "stopped": ("stopped", "resume"),
            "whole": ("finished", ""),
            "decided": ("decided", ""),
            "engine": ("stopped", ""),
        }
        ask(type="start_run", study="engine")
        assert "no presets" in latest(posted, Failed).message
        ask(type="stop_run", study="engine")
        assert "not running here" in latest(posted, Failed).message


def test_an_engine_in_a_note_is_never_started(tmp_path: Path) -> None:
    players = ("lgrf2", "name=other gnugo --mode gtp")
    with MatchEntry(str(tmp_path / "engine"), MatchSettings(players=players, games=4)).hold():
        pass
    with page_in(tmp_path) as (ask, posted):
        ask(type="start_run", study="engine")
        assert "no presets" in latest(posted, Failed).message
        ask(type="list_runs")
        assert until(lambda: rows(posted))["engine"].can == ""


def test_a_run_of_another_process_is_shown_and_not_started(tmp_path: Path) -> None:
    write_match(tmp_path / "m", MatchSettings(players=("lgrf2", "mogo-2006"), games=4), ["B+R", "W+R"])
    with page_in(tmp_path) as (ask, posted), open(tmp_path / "m" / "journal.jsonl", "rb") as journal:
        assert lock(journal)
        ask(type="list_runs")
        row = until(lambda: rows(posted))["m"]
        assert (row.state, row.can, row.detail) == ("running", "", "in another process, 2 of 4 games")
        ask(type="start_run", study="m")
        assert "another process is running lgrf2 – mogo-2006" in latest(posted, Failed).message


def test_a_match_that_waits_has_a_state() -> None:
    match = MatchSettings(players=("lgrf2", "mogo-2006"), games=4, sprt=(0, 50))
    state = study_state("m", MatchEntry("nowhere", match))
    assert (state.done, state.of, state.games) == (0, 4, [])


def test_an_experiment_stands_beside_the_papers_values(tmp_path: Path) -> None:
    with page_in(tmp_path) as (ask, posted):
        ask(type="list_experiments", scale=0.001)
        listed = {one.name: one for one in latest(posted, Experiments).found}
        assert listed[EXPERIMENT].size == "4 searches"
        ask(type="start_experiment", name=EXPERIMENT, scale=0.001)
        found = until(lambda: (s := latest(posted, StudyState)) and s.done == 4 and s)
        assert (found.study, found.done, found.of) == (f"{EXPERIMENT}-0.001", 4, 4)
        until(lambda: rows(posted)[found.study].state == "finished")
        tables = [part for part in found.report if part.kind == "table"]
        assert any("published" in cell for table in tables for cell in table.rows[0])
        assert any(part.kind == "plot" and part.svg.startswith("<svg") for part in found.report)
        assert found.verdict
        for form, beginning in (("csv", "question,player,"), ("html", "<!doctype html>")):
            ask(type="export_study", study=found.study, form=form)
            saved = latest(posted, Saved)
            assert saved.name == f"{found.study}.{form}"
            assert saved.text.startswith(beginning)


def test_every_element_of_a_report_reaches_the_page() -> None:
    class Own:
        """An element of a user's kind."""

        def text(self) -> str:
            return "own words"

    table, plot = Table(["a"], [["1"]], "a table"), bars({"a": 1.0}, "ms", title="a plot")
    inner = [Paragraph("words"), Items(["one"], "title"), Items([]), table, Figure(plot), Own()]
    parts = list(report_parts([Section("heading", inner), Section("empty", [])]))
    assert [part.kind for part in parts] == ["heading", "words", "items", "table", "plot", "words"]
    assert parts[3].rows == [["a"], ["1"]]
    assert parts[4].svg == str(plot)
    assert parts[5].words == "own words"


def test_an_unknown_experiment_is_a_table_of_its_records(tmp_path: Path) -> None:
    header = {"kind": "own", "settings": {"size": 5}, "steps": 3}
    with Journal(tmp_path / "own", header, dict, resume=False) as journal:
        for number in range(2):
            journal.append({"number": number, "value": 0.5, "list": [1]})
    with page_in(tmp_path) as (ask, posted):
        ask(type="watch_study", study="own")
        found = until(lambda: latest(posted, StudyState))
        assert found.tables == [[["number", "value"], ["0", "0.5"], ["1", "0.5"]]]
        assert (found.of, rows(posted)["own"].can) == (3, "")
        ask(type="export_study", study="own", form="csv")
        assert latest(posted, Saved).text == "number,value\n0,0.5\n1,0.5\n"
        ask(type="export_study", study="own", form="html")
        assert "have a report" in latest(posted, Failed).message


# --- in the browser ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_searches_are_seen_side_by_side(browser: Any, shown: Server) -> None:
    with opened(browser, shown, "phone") as page:
        open_sgf(page)
        key(page, "End")
        page.wait_for_selector(".count:has-text('Move 6')")
        view(page, "Compare")
        page.select_option("fieldset:has-text('First') select", "lgrf2")  # it has long names
        page.locator("fieldset:has-text('Second') summary").click()
        page.uncheck("fieldset:has-text('Second') label:has-text('playout: pattern3') >> input")
        page.fill("[name=setting-first]", "import os")
        page.wait_for_selector(".fault:has-text('selection.x=0.1')")
        assert page.locator("form.sides button.strong").is_disabled()
        page.fill("[name=setting-first]", "")
        page.fill("[name=limit]", "300")
        page.click("form.sides button.strong")
        page.wait_for_selector("[data-testid=totals] tr:has-text('Visits') td:nth-child(3):has-text('300')")
        page.wait_for_selector(".chip", state="detached")
        assert page.locator(".compared .stone").count() == 12, "both boards have the position"
        assert page.locator(".compared .candidate.best").count() == 2
        assert page.locator(".compared .histogram").count() == 2
        assert "without pattern3" in page.inner_text(".compared >> nth=1")
        row = page.locator("[data-testid=heuristics] tr:has-text('pattern3') td")
        assert row.nth(1).inner_text().strip() == "0.0 %"
        assert row.nth(2).inner_text().startswith("+")
        assert page.locator("[data-testid=moves] tbody tr").count() > 2
        page.click("text=Difference of ownership")
        page.wait_for_selector(".owner")
        assert page.locator(".toggle:has-text('Ownership of each')").get_attribute("aria-pressed") == "false"
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_a_match_of_the_page_is_stopped_resumed_and_decided(browser: Any, shown: Server, tmp_path: Path) -> None:
    with opened(browser, shown, "desk") as page:
        view(page, "Laboratory")
        page.select_option("form label:has-text('Board') select", "5")
        page.fill("[name=games]", "")
        page.wait_for_selector(".fault")
        assert page.locator("text=Start the match").is_disabled()
        page.fill("[name=games]", "1000")
        page.fill("[name=limit]", "10")
        page.click("text=Start the match")
        page.wait_for_selector(".chip:has-text('lgrf2 – mogo-2006')")
        page.wait_for_selector("[data-testid=study]:has-text('of 1,000 games')")
        page.wait_for_selector("[data-testid=study]:has-text('left')")
        assert faults(page) == []
        page.click(".study >> text=Stop")
        page.wait_for_selector("[data-testid=study]:has-text('stopped')")
        page.wait_for_selector(".chip", state="detached")
        page.wait_for_selector(".studies .state.stopped")
        page.click(".study >> text=Resume")
        page.wait_for_selector("[data-testid=study]:has-text('running')")
        page.click(".study >> text=Stop")
        page.wait_for_selector("[data-testid=study]:has-text('stopped')")
        page.check("label:has-text('SPRT') input")
        page.fill("[name=elo0]", "-1000")
        page.fill("[name=elo1]", "-900")
        page.click("text=Start the match")
        page.wait_for_selector("[data-testid=study]:has-text('decided by SPRT')")
        page.wait_for_selector(".studies .state.decided")
        assert page.locator(".sprt svg").count() == 1
        assert page.locator(".plotted figcaption").count() == 2, "each plot has a title"
        with page.expect_download() as saved:
            page.click(".study >> text=CSV")
        saved.value.save_as(tmp_path / "match.csv")
        rows = list(csv.DictReader((tmp_path / "match.csv").read_text("utf-8").splitlines()))
        assert {row["black"] for row in rows} == {"lgrf2", "mogo-2006"}
        with page.expect_download() as saved:
            page.click(".study >> text=Report")
        saved.value.save_as(tmp_path / "match.html")
        assert "lgrf2" in (tmp_path / "match.html").read_text("utf-8")


@pytest.mark.slow
def test_an_experiment_is_run_from_the_page(browser: Any, shown: Server) -> None:
    with opened(browser, shown, "phone") as page:
        view(page, "Laboratory")
        page.click("button:has-text('An experiment')")
        page.select_option("form label:has-text('Scale') select", "0.001")
        page.wait_for_selector(f"option[value='{EXPERIMENT}']", state="attached")
        page.select_option("form label:has-text('Experiment') select", EXPERIMENT)
        page.wait_for_selector("form:has-text('4 searches')")
        page.click("text=Run it")
        page.wait_for_selector("[data-testid=study]:has-text('finished, 4 of 4 searches')")
        page.wait_for_selector("th:has-text('published')")
        page.wait_for_selector(".plot svg text")
        assert page.locator(".plot [style], .plot script, .plot [onclick]").count() == 0
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_an_entry_that_reproduces_a_paper_is_stopped_resumed_and_left_to_another_process(
    browser: Any, tmp_path: Path
) -> None:
    name = RunName(experiment="coulom2006-table1", overrides=("positions=100000", "simulations=2048"))
    entry = ExperimentEntry(str(tmp_path / name.label), name, str(tmp_path / "results"))
    study, row = "[data-testid=study]", ".papers .item:has-text('positions-100000')"
    state = ServerState(limits=Limits(megabytes=32), folder=tmp_path / "matches", papers=[entry])
    with serving(state, assets=None) as server, opened(browser, server, "desk") as page:
        view(page, "Laboratory")
        page.wait_for_selector(f"{row}:has-text('waiting')")
        page.click(row)
        page.wait_for_selector(f"{study}:has-text('waiting, 0 of 100,000 positions')")
        page.wait_for_selector(f"{study}:has-text('left')")
        page.wait_for_selector(".study th")  # its plan
        page.click(".study >> text=Start")
        page.wait_for_selector(f"{study}:has-text('running, ')")
        until(lambda: entry.recorded().done > 1)
        page.wait_for_selector(".chip:has-text('of 100,000 positions')")
        page.click(".papers >> text=Stop")
        page.wait_for_selector(f"{study}:has-text('stopped, ')")
        before = entry.recorded().done
        assert read_run(run_file(name, tmp_path / "results")).records, "it is kept among the results"
        assert (entry.folder / "report.html").is_file()
        page.click(".study >> text=Resume")
        page.wait_for_selector(f"{study}:has-text('running, ')")
        until(lambda: entry.recorded().done > before)
        page.click(".study >> text=Stop")
        page.wait_for_selector(f"{study}:has-text('stopped, ')")
        assert faults(page) == []
        with another_process(HOLDING, str(entry.folder)):
            page.wait_for_selector(f"{study}:has-text('running, in another process, 1 of 4 games, about 2 h left')")
            assert page.locator(".study >> text=Resume").count() == 0
            page.evaluate("name => sockets.at(-1).send(JSON.stringify({type: 'start_run', study: name}))", name.label)
            page.wait_for_selector(".toast:has-text('another process is running')")
        page.wait_for_selector(f"{study}:has-text('stopped, ')")
        assert page.locator(".study >> text=Resume").count() == 1
