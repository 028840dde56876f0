"""The summary of a match, and its report in every form."""

import json
import re

import pytest

from helpers.match_tools import check_page, record, settings
from kikashi import sgf
from kikashi.match.match_report import match_report
from kikashi.match.one_game import as_sgf
from kikashi.match.statistics import as_json, compute, lines, notes, table, verdict
from kikashi.match.summary import summarize
from kikashi.report import markdown_text
from kikashi.stats.intervals import elo_interval, two_proportions, wilson

# --- the summary ------------------------------------------------------------------------------------------------------

A, B, C = "lgrf2", "mogo-2006", "lgr1"
TRIANGLE = [
    *(record(n, *((A, B) if n % 2 == 0 else (B, A)), "B+1") for n in range(4)),
    *(record(n, *((A, C) if n % 2 == 0 else (C, A)), "B+2" if n % 2 == 0 else "W+2", pairing=1) for n in range(4, 8)),
    record(8, B, C, "0", pairing=2),
    record(9, C, B, "W+F", pairing=2, reason="black: it crashed | <b>badly</b>"),
]


def test_the_summary_counts_every_game() -> None:
    match = settings(A, B, C)
    found = summarize(match, TRIANGLE)
    scores = {(score.first, score.second): score for score in found.pairings}
    assert list(scores) == [(A, B), (A, C), (B, C)]
    assert [(s.wins, s.draws, s.losses, s.forfeits) for s in found.pairings] == [
        (2, 0, 2, (0, 0)),
        (4, 0, 0, (0, 0)),
        (1, 1, 0, (0, 1)),
    ]
    assert (scores[A, B].as_black, scores[A, B].as_white) == (1.0, 0.0)
    assert scores[A, C].interval == wilson(4, 4)
    assert scores[A, C].elo == elo_interval(4, 0, 0)
    assert {"forfeit in game 9: black: it crashed | <b>badly</b>", "mean length: 3 moves"} < set(lines(found))
    (comparison,) = found.comparisons
    test = two_proportions(4, 4, 1.5, 2)
    assert (comparison.first, comparison.second, comparison.opponent) == (A, B, C)
    assert (comparison.z, comparison.p) == (test.z, test.p)
    assert found.ratings[A].elo > found.ratings[B].elo > found.ratings[C].elo
    times = {time.name: (time.moves, time.seconds) for time in found.times}
    assert times == {A: (12, 6.0), B: (9, 4.5), C: (9, 4.5)}


def test_a_forfeited_game_is_no_duplicate() -> None:
    twice = [record(n, A, B, "B+F", moves=()) for n in range(2)] + [record(n, A, B, "B+1", moves=()) for n in (2, 3)]
    assert "the same moves: games 2, 3" in lines(summarize(settings(A, B), twice))


def test_a_match_without_games_has_a_summary() -> None:
    found = summarize(settings(A, B, C), [])
    assert lines(found) == []
    assert verdict(found) == "no games were played"
    json.dumps(as_json(found))


def test_many_forfeits_are_not_all_listed() -> None:
    printed = lines(summarize(settings(A, B), [record(n, A, B, "B+F", reason="white: no") for n in range(30)]))
    assert sum(line.startswith("forfeit in game") for line in printed) == 20
    assert printed[-1] == "and 10 more forfeits"


# --- the report -------------------------------------------------------------------------------------------------------


def table_of(text: str) -> list[list[str]]:
    """The rows of the first table of a Markdown page."""
    rows = [line for part in text.split("\n\n") if part.startswith("| first") for line in part.splitlines()]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows[2:]]


@pytest.mark.parametrize("number", [0, 1, 4, 5, 8, 10])
def test_all_reports_have_the_same_statistics(number: int) -> None:
    """Lines, Markdown, HTML and JSON."""
    match, records = settings(A, B, C), TRIANGLE[:number]
    found = summarize(match, records)
    report, printed, rows = match_report(records, found), "\n".join(lines(found)), compute(found)
    text, page = report.markdown(), check_page(report.html())
    assert json.loads(json.dumps(as_json(found)))["statistics"] == json.loads(
        json.dumps([row.as_json() for row in rows])
    )
    head, cells = table(rows, "pairing")
    assert table_of(text)[: len(cells)] == cells
    assert len(cells) == len(found.pairings)
    assert page.seen["svg"] == len(found.pairings) + 2 + bool(found.ratings)
    for row in cells:
        assert f"{row[0]} – {row[1]}: {row[2]}, {row[3]}, Elo {row[4]}" in printed
        assert all(cell in page.text for cell in row)
    assert all(title in page.text for title in head if cells)
    for note in notes(rows):
        assert f"- {markdown_text(note)}" in text
        assert note in page.text
    assert verdict(found) in page.text


VERDICTS = {
    (9, 0): "lgrf2 is stronger than mogo-2006: 9–0, Elo +∞ [+148, +∞] for lgrf2",
    (0, 9): "mogo-2006 is stronger than lgrf2: 0–9, Elo -∞ [-∞, -148] for lgrf2",
    (1, 1): "no difference is certain between lgrf2 and mogo-2006: 1–1, Elo +0 [-393, +393] for lgrf2",
}


@pytest.mark.parametrize("score", VERDICTS)
def test_a_report_begins_with_its_verdict(score: tuple[int, int]) -> None:
    wins, losses = score
    games = [record(n, A, B, "B+1" if n < wins else "W+1", moves=(f"A{n % 5 + 1}",)) for n in range(wins + losses)]
    report = match_report(games, summarize(settings(A, B), games))
    assert report.markdown().splitlines()[2] == f"**{markdown_text(VERDICTS[score])}**"
    assert report.text().splitlines()[2] == VERDICTS[score]


def test_the_verdict_of_sprt_names_the_game_of_its_decision() -> None:
    games = [record(n, *((A, B) if n % 2 == 0 else (B, A)), "B+1" if n % 2 == 0 else "W+1") for n in range(60)]
    found = summarize(settings(A, B, games=60, sprt=(0.0, 100.0)), games)
    assert re.match(r"H1 accepted after \d\d games: 60–0, Elo \+∞ ", verdict(found))
    assert found.sprt is not None
    assert 0 < 2 * found.sprt.pairs < 60


def test_names_cannot_break_a_report() -> None:
    names = ["<b>&'\"|x", "[red]a[/blue]"]
    match = settings(f"name={json.dumps(names[0])} lgrf2".replace('\\"', '\\"'), f"name={names[1]} mogo-2006")
    assert [player.name for player in match.match_players()] == names
    records = [record(0, *names, "B+1"), record(1, *names[::-1], "B+F", reason="white: <i>no</i>")]
    report = match_report(records, summarize(match, records))
    assert len(table_of(report.markdown())[0]) == 8
    assert check_page(report.html()).seen["b"] == 0


def test_the_file_of_a_game_has_the_reason_of_its_end() -> None:
    text = as_sgf(TRIANGLE[9], settings(A, B, C))
    assert "it crashed" in text
    assert sgf.read_game(sgf.parse(text)[0]).headers["RE"] == "W+F"
