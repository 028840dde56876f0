"""What the games of a match say, in every form of the report."""

from __future__ import annotations

import json
import re

import pytest

from helpers.match_tools import check_page, record, settings
from kikashi import sgf
from kikashi.match.game_files import as_sgf
from kikashi.match.match_report import lines, markdown, markdown_text, page
from kikashi.match.one_game import GameRecord
from kikashi.match.settings import MatchSettings
from kikashi.match.summary import Standing, standing
from kikashi.stats.intervals import elo_interval, two_proportions, wilson
from kikashi.wording import plural

# --- the standing -----------------------------------------------------------------------------------------------------

A, B, C = "lgrf2", "mogo-2006", "lgr1"
TRIANGLE = [
    *(record(n, *((A, B) if n % 2 == 0 else (B, A)), "B+1") for n in range(4)),
    *(record(n, *((A, C) if n % 2 == 0 else (C, A)), "B+2" if n % 2 == 0 else "W+2", pairing=1) for n in range(4, 8)),
    record(8, B, C, "0", pairing=2),
    record(9, C, B, "W+F", pairing=2, reason="black: it crashed | <b>badly</b>"),
]


def test_the_standing_counts_every_game() -> None:
    match = settings(A, B, C)
    found = standing(match, TRIANGLE)
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
    assert found.forfeits == ((9, "black: it crashed | <b>badly</b>"),)
    assert found.mean_length == 3
    (comparison,) = found.comparisons
    test = two_proportions(4, 4, 1.5, 2)
    assert (comparison.first, comparison.second, comparison.opponent) == (A, B, C)
    assert (comparison.z, comparison.p) == (test.z, test.p)
    assert found.ratings[A].elo > found.ratings[B].elo > found.ratings[C].elo
    times = {time.name: (time.moves, time.seconds) for time in found.times}
    assert times == {A: (12, 6.0), B: (9, 4.5), C: (9, 4.5)}


def test_a_forfeited_game_is_no_duplicate() -> None:
    twice = [record(n, A, B, "B+F", moves=()) for n in range(2)] + [record(n, A, B, "B+1", moves=()) for n in (2, 3)]
    assert standing(settings(A, B), twice).duplicates == ((2, 3),)
    assert "the same moves: games 2, 3" in lines(standing(settings(A, B), twice))


def test_nothing_played_is_a_standing_too() -> None:
    found = standing(settings(A, B, C), [])
    assert lines(found) == []
    assert found.mean_length == 0
    json.dumps(found.as_json())


def test_many_forfeits_are_not_all_listed() -> None:
    told = lines(standing(settings(A, B), [record(n, A, B, "B+F", reason="white: no") for n in range(30)]))
    assert sum(line.startswith("forfeit in game") for line in told) == 20
    assert told[-1] == "and 10 more forfeits"


# --- the report -------------------------------------------------------------------------------------------------------


def table_of(text: str) -> list[list[str]]:
    """The rows of the first table of a Markdown page."""
    rows = [line for line in text.split("\n\n")[2].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows[2:]]


def check_reports_agree(match: MatchSettings, records: list[GameRecord], found: Standing) -> None:
    """Lines, Markdown, HTML and JSON say the same."""
    told, text, html_text = lines(found), markdown(match, found), page(match, records, found)
    table = json.loads(json.dumps(found.as_json()))
    for score, line, row, numbers in zip(found.pairings, told, table_of(text), table["pairings"], strict=False):
        assert f"{score.wins}–{score.losses}" in line
        assert row[2:5] == [str(score.wins), str(score.draws), str(score.losses)]
        assert (numbers["wins"], numbers["draws"], numbers["losses"]) == (score.wins, score.draws, score.losses)
        assert row[5] == f"{numbers['share']:.1%}"
        assert row[5] in line
        assert f"{numbers['interval'][0]:.1%}" in line
        assert row[6].startswith(f"{numbers['interval'][0]:.1%}")
    assert len(table_of(text)) == len(found.pairings)
    seen = check_page(html_text)
    assert seen.seen["svg"] == len(found.pairings) + 2 + bool(found.ratings)
    for row in table_of(text):
        assert all(cell in seen.text for cell in row)
    for note in told[len(found.pairings) + len(found.ratings) :]:
        assert f"- {markdown_text(note)}" in text
        assert note in seen.text
    assert f"{plural(len(records), 'game')}." in text


@pytest.mark.parametrize("number", [0, 1, 4, 5, 8, 10])
def test_all_reports_say_the_same(number: int) -> None:
    match, records = settings(A, B, C), TRIANGLE[:number]
    check_reports_agree(match, records, standing(match, records))


def test_names_cannot_break_a_report() -> None:
    names = ["<b>&'\"|x", "[red]a[/blue]"]
    match = settings(f"name={json.dumps(names[0])} lgrf2".replace('\\"', '\\"'), f"name={names[1]} mogo-2006")
    assert [player.name for player in match.contestants()] == names
    records = [record(0, *names, "B+1"), record(1, *names[::-1], "B+F", reason="white: <i>no</i>")]
    text = markdown(match, standing(match, records))
    assert len(table_of(text)[0]) == 11
    assert check_page(page(match, records, standing(match, records))).seen["b"] == 0


def test_a_game_as_a_file_says_why_it_was_lost() -> None:
    text = as_sgf(TRIANGLE[9], settings(A, B, C))
    assert "it crashed" in text
    assert sgf.read_game(sgf.parse(text)[0]).headers["RE"] == "W+F"
