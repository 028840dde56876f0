"""The report of a match, with its verdict, its statistics, plots, provenance and games."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kikashi.board.points import BLACK, vertex
from kikashi.game.moves import format_points
from kikashi.match.journal import read_headers
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import PLAYER_HEAD, player_rows, where_and_when
from kikashi.match.settings import MatchSettings
from kikashi.match.statistics import compute, notes, table, verdict
from kikashi.match.summary import MatchSummary, PairingScore, games_between, llr_by_pair
from kikashi.report import Document, Element, Figure, Games, Items, Paragraph, PlayedGame, Section, Table, plots
from kikashi.stats.intervals import wilson
from kikashi.wording import plural

GAMES_HEAD = ["game", "black", "white", "result", "ended by", "moves"]
Headers = Sequence[Mapping[str, Any]]


def write_report(folder: Path, records: Sequence[GameRecord], found: MatchSummary) -> None:
    """Write ``report.md`` and ``report.html`` into the folder of a match. Raises OSError."""
    match_report(records, found, read_headers(folder)).write(folder)


def match_report(records: Sequence[GameRecord], found: MatchSummary, headers: Headers = ()) -> Document:
    """Return the report of a match; `records` are all its games, and the headers of the journal say what was played."""
    lengths = plots.histogram([len(record.moves) for record in records], title="Length of games", x_label="moves")
    times = plots.bars({t.name: 1000 * t.per_move for t in found.times}, "ms", title="Time for a move")
    return Document(
        " – ".join(found.players),
        [
            *summary_elements(found),
            Section("Length of games", [Figure(lengths, "lengths")]),
            Section("Time", [Figure(times, "times")]),
            Section("Notes", [Items([*_not_scored(records, found), *notes(compute(found))])]),
            Section(
                "What was played",
                [
                    *([Table(PLAYER_HEAD, player_rows(headers[-1]))] if headers else []),
                    Items([where_and_when(header) for header in headers]),
                ],
            ),
            *([Section("Games", [_games(found.settings, records)])] if records else []),
        ],
        verdict(found),
    )


def summary_elements(found: MatchSummary) -> list[Element]:
    """Return the score with its course, ratings, comparisons and a sequential test."""
    rows = compute(found)
    elements: list[Element] = [
        Paragraph(f"{plural(found.games, 'game')}. {_conditions(found.settings)}."),
        Table(*table(rows, "pairing")),
        Section("Players", [Table(*table(rows, "player"))]),
    ]
    if found.ratings:
        order = sorted(found.ratings.items(), key=lambda item: -item[1].elo)
        bars = {name: (rating.low, rating.elo, rating.high) for name, rating in order}
        about = "Bradley–Terry over all games, intervals by bootstrap over pairs."
        elements.append(
            Section("Ratings", [Paragraph(about), Figure(plots.intervals(bars, "Elo", title="Ratings"), "ratings")])
        )
    if found.comparisons:
        tests = [[c.first, c.second, c.opponent, f"{c.z:+.2f}", f"{c.p:.3f}"] for c in found.comparisons]
        head = ["first", "second", "opponent", "z", "p"]
        elements.append(Section("Against a common opponent", [Table(head, tests)]))
    for number, score in enumerate(found.pairings, 1):
        title, label = f"{score.first} – {score.second}", f"share of {score.first}"
        plot = plots.band(*share_by_game(found.records, score), title=title, x_label="games", y_label=label)
        elements.append(Section(title, [Figure(plot, f"share-{number}")]))
    if (test := found.sprt) is not None:
        plot = plots.walk(
            llr_by_pair(found.settings, (*found.records, *found.void)),
            test.lower,
            test.upper,
            title="Sequential test",
            x_label="pairs",
            y_label="log-likelihood ratio",
        )
        elements.append(Section("Sequential test", [Figure(plot, "sprt")]))
    return elements


def share_by_game(records: Sequence[GameRecord], score: PairingScore) -> tuple[list[float], list[float], list[float]]:
    """Return the share of the first after each game, and its interval."""
    points, rows = 0.0, []
    games = [record for record in games_between(records, score.first, score.second) if not record.is_void]
    for number, record in enumerate(games, 1):
        points += record.points(score.first)
        interval = wilson(points, number)
        rows.append((points / number, interval.low, interval.high))
    shares, lows, highs = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    return shares, lows, highs


def _conditions(settings: MatchSettings) -> str:
    return (
        f"{settings.size}×{settings.size}, komi {format_points(settings.komi)}, "
        + (f"{settings.handicap} handicap stones for Black, " if settings.handicap else "")
        + f"{settings.rules}, {plural(len(settings.openings), 'opening')}, seed {settings.seed}, "
        + f"counted by {settings.referee}"
        + (" unless the players agree about dead stones" if settings.agree else "")
    )


def _not_scored(records: Sequence[GameRecord], found: MatchSummary) -> list[str]:
    """Return a line about games without a part in the score of a match that was interrupted."""
    more = sum(not record.is_void for record in records) - found.games
    if more <= 0:
        return []
    why = "their pair, or one before it, is not complete"
    return [f"The score is over {plural(found.games, 'game')} in complete pairs. {more} more do not count yet: {why}."]


def _games(settings: MatchSettings, records: Sequence[GameRecord]) -> Games:
    handicap = [vertex(point) for point in settings.after(()).stones(BLACK)]
    games = []
    for record in records:
        ended = f"{record.ended} ({record.reason})" if record.reason else record.ended
        row = [str(record.number), record.black, record.white, record.result, ended, str(len(record.moves))]
        games.append(PlayedGame(row, settings.size, record.moves, handicap, f"games/{record.number:06}.sgf"))
    return Games(GAMES_HEAD, games)
