"""What a match found, for people: lines for the terminal, Markdown, and a page with plots."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kikashi.files import write_whole
from kikashi.game.moves import format_points
from kikashi.match.journal import read_headers
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import PLAYER_HEAD, player_rows, where_and_when
from kikashi.match.settings import MatchSettings
from kikashi.match.sprt import course_of, settled
from kikashi.match.summary import PairingScore, Standing
from kikashi.pictures.tables import html_table
from kikashi.report import plots
from kikashi.stats.intervals import EloEstimate, wilson
from kikashi.wording import plural


def write_report(folder: Path, settings: MatchSettings, records: Sequence[GameRecord], found: Standing) -> None:
    """Write ``report.md`` and ``report.html`` into the folder of a match."""
    headers = read_headers(folder)
    write_whole(folder / "report.md", markdown(settings, found, records, headers))
    write_whole(folder / "report.html", page(settings, records, found, headers))


def one_line(score: PairingScore) -> str:
    """``lgrf2 – lgr1: 61–39 (2 draws), 61.0 % [51.2, 70.0], Elo +78 [+8, +147], 64.0 % as Black, 58.0 % as White``."""
    draws = f" ({score.draws} draws)" if score.draws else ""
    forfeits = f", forfeits {score.forfeits[0]}–{score.forfeits[1]}" if any(score.forfeits) else ""
    return (
        f"{score.first} – {score.second}: {score.wins}–{score.losses}{draws}, {score.share:.1%} "
        f"[{score.interval.low:.1%}, {score.interval.high:.1%}], {elo_text(score.elo)}"
        f", {percent(score.as_black)} as Black, {percent(score.as_white)} as White{forfeits}"
    )


def elo_text(found: EloEstimate) -> str:
    """``Elo +78 [+8, +147]``."""
    low, middle, high = (_signed(value) for value in (found.low, found.elo, found.high))
    return f"Elo {middle} [{low}, {high}]"


def _signed(elo: float) -> str:
    return f"{elo:+.0f}" if math.isfinite(elo) else ("+∞" if elo > 0 else "-∞")


def lines(found: Standing) -> list[str]:
    """The result in lines of text."""
    told = [one_line(score) for score in found.pairings]
    if found.ratings:
        order = sorted(found.ratings.items(), key=lambda item: -item[1].elo)
        told += [f"{name}: {elo_text(rating)} (Bradley–Terry)" for name, rating in order]
    return told + _processor_lines(found) + _notes(found)


def _processor_lines(found: Standing) -> list[str]:
    """``processor time a move: lgrf2 41.2 ms, GNU 40.1 ms``, if it is known."""
    told = [f"{t.name} {milliseconds(t.processor_a_move)} ms" for t in found.times if t.processor_a_move is not None]
    return [f"processor time a move: {', '.join(told)}"] if told else []


def milliseconds(seconds: float | None) -> str:
    """Seconds as a table shows them; a dash where they are not known."""
    return "–" if seconds is None else f"{1000 * seconds:.1f}"


def _notes(found: Standing) -> list[str]:
    """What a report says beside its tables."""
    if found.sprt is None:
        return oddities(found)
    return [sprt_text(found), *oddities(found)]


def sprt_text(found: Standing) -> str:
    """``SPRT: H1, LLR 2.97 between -2.94 (H0: a is 0 Elo stronger than b) and 2.94 (H1: 30 Elo)``."""
    if found.sprt is None:
        return ""
    test, (first, second) = found.sprt, found.players[:2]
    return (
        f"SPRT: {test.decision}, LLR {test.llr:.2f} between {test.lower:.2f} (H0: {first} is {test.elo0:g} Elo "
        f"stronger than {second}) and {test.upper:.2f} (H1: {test.elo1:g} Elo)"
    )


def oddities(found: Standing) -> list[str]:
    """What was odd about the games, a line for each kind of it."""
    told = []
    if found.duplicates:
        groups = "; ".join(", ".join(map(str, group)) for group in found.duplicates)
        told.append(f"the same moves: games {groups}")
    if found.disputed:
        told.append(f"counted differently: games {', '.join(map(str, found.disputed))}")
    if found.uncounted:
        told.append(f"not counted by the referee: games {', '.join(map(str, found.uncounted))}")
    told += [
        f"{t.name} thought about {t.full} of {plural(t.moves, 'move')} with a full tree" for t in found.times if t.full
    ]
    told += [
        f"{t.name}: its memories evicted {plural(t.evicted, 'entry', 'entries')} for want of room"
        for t in found.times
        if t.evicted
    ]
    told += _first_of("forfeit in game", "forfeits", found.forfeits)
    told += _first_of("not begun, counts for nobody: game", "games that were not begun", found.not_begun)
    return told


def _first_of(kind: str, many: str, games: Sequence[tuple[int, str]], most: int = 20) -> list[str]:
    told = [f"{kind} {number}: {reason}" for number, reason in games[:most]]
    return [*told, f"and {len(games) - most} more {many}"] if len(games) > most else told


def _setting(settings: MatchSettings) -> str:
    count = len(settings.openings)
    return (
        f"{settings.size}×{settings.size}, komi {format_points(settings.komi)}, "
        + (f"{settings.handicap} handicap stones for Black, " if settings.handicap else "")
        + f"{settings.rules}, {plural(count, 'opening')}, seed {settings.seed}, "
        + f"counted by {settings.referee}"
        + (" unless the players agree about dead stones" if settings.agree else "")
    )


GAMES_HEAD = ["game", "black", "white", "result", "ended by", "moves"]


def _game_row(record: GameRecord) -> list[str]:
    ended = f"{record.ended} ({record.reason})" if record.reason else record.ended
    return [record.black, record.white, record.result, ended, str(len(record.moves))]


def _file_of(record: GameRecord) -> str:
    return f"games/{record.number:06}.sgf"


# --- Markdown ---------------------------------------------------------------------------------------------------------


Headers = Sequence[Mapping[str, Any]]


def markdown(
    settings: MatchSettings, found: Standing, records: Sequence[GameRecord] = (), headers: Headers = ()
) -> str:
    """A page of Markdown; the headers of the journal say what was played."""
    games = sum(score.games for score in found.pairings)
    parts = [
        f"# {markdown_text(' – '.join(found.players))}",
        f"{plural(games, 'game')}. {markdown_text(_setting(settings))}. Mean length {found.mean_length:.0f} moves.",
        markdown_table(
            ["first", "second", "wins", "draws", "losses", "share", "95 %", "Elo", "as Black", "as White", "forfeits"],
            [_row(score) for score in found.pairings],
        ),
    ]
    if found.ratings:
        rows = sorted(found.ratings.items(), key=lambda item: -item[1].elo)
        parts += [
            "## Ratings",
            "Bradley–Terry over all games, intervals by bootstrap over pairs.",
            markdown_table(["player", "Elo"], [[name, elo_text(rating).removeprefix("Elo ")] for name, rating in rows]),
        ]
    if found.comparisons:
        tests = [[c.first, c.second, c.opponent, f"{c.z:+.2f}", f"{c.p:.3f}"] for c in found.comparisons]
        parts += ["## Against a common opponent", markdown_table(["first", "second", "opponent", "z", "p"], tests)]
    parts += ["## Time", markdown_table(TIMES_HEAD, _time_rows(found))]
    notes = [*_not_scored(records, found), *_notes(found)]
    if notes:
        parts += ["## Notes", markdown_list(notes)]
    if headers:
        parts += ["## What was played", markdown_table(PLAYER_HEAD, player_rows(headers[-1]))]
        parts.append(markdown_list([where_and_when(header) for header in headers]))
    if records:
        games_rows = [[Markdown(f"[{record.number}]({_file_of(record)})"), *_game_row(record)] for record in records]
        parts += ["## Games", markdown_table(GAMES_HEAD, games_rows)]
    return "\n\n".join(parts) + "\n"


TIMES_HEAD = ["player", "moves", "ms a move", "ms of processor time a move", "with a full tree"]


def _time_rows(found: Standing) -> list[list[str]]:
    return [
        [t.name, str(t.moves), milliseconds(t.per_move), milliseconds(t.processor_a_move), str(t.full)]
        for t in found.times
    ]


def _row(score: PairingScore) -> list[str]:
    return [
        score.first,
        score.second,
        str(score.wins),
        str(score.draws),
        str(score.losses),
        f"{score.share:.1%}",
        f"{score.interval.low:.1%} … {score.interval.high:.1%}",
        elo_text(score.elo).removeprefix("Elo "),
        percent(score.as_black),
        percent(score.as_white),
        f"{score.forfeits[0]}–{score.forfeits[1]}",
    ]


def percent(share: float) -> str:
    """A share as a table shows it; a dash where there is none."""
    return "–" if math.isnan(share) else f"{share:.1%}"


class Markdown(str):
    """Text that is Markdown already; `markdown_table` leaves it as it is."""

    __slots__ = ()


_MARKUP = re.compile(r"(?<! )[<>&]|[<>&](?! )")
"""What may begin or end a tag or a character reference: nothing that stands alone, as in "p < 0.01"."""
_LINK = re.compile(r"\](?=[(\[:])")


def markdown_text(text: str) -> str:
    """Text of a user, such as a name, as a line of Markdown that has no HTML, no link and no picture in it."""
    line = " ".join(text.splitlines())
    return _LINK.sub(r"\]", _MARKUP.sub(lambda found: html.escape(found[0]), line))


def markdown_list(lines: Sequence[str]) -> str:
    """Lines of text as a list of Markdown."""
    return "\n".join(f"- {markdown_text(line)}" for line in lines)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown, of cells of text."""
    cells = [map(_cell, head), ["---"] * len(head), *(map(_cell, row) for row in rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in cells)


def _cell(text: str) -> str:
    return text if isinstance(text, Markdown) else markdown_text(re.sub(r"[\\`|]", r"\\\g<0>", text))


# --- HTML -------------------------------------------------------------------------------------------------------------

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .25rem .7rem; text-align: left; }
th { border-bottom: 2px solid #888; } td { border-bottom: 1px solid #ddd; } svg { max-width: 100%; height: auto; }
"""


def summary(settings: MatchSettings, records: Sequence[GameRecord], found: Standing) -> list[str]:
    """What was found, as parts of a page: the score with its course, ratings, a sequential test."""
    head = ["first", "second", "wins", "draws", "losses", "share", "95 %", "Elo", "as Black", "as White", "forfeits"]
    body = [
        f"<p>{plural(sum(score.games for score in found.pairings), 'game')}. {html.escape(_setting(settings))}.</p>",
        html_table(head, [_row(score) for score in found.pairings]),
    ]
    if found.ratings:
        order = sorted(found.ratings.items(), key=lambda item: -item[1].elo)
        bars = {name: (rating.low, rating.elo, rating.high) for name, rating in order}
        body += ["<h2>Ratings</h2>", plots.intervals(bars, "Elo", title="Ratings")]
    for score in found.pairings:
        body += [
            f"<h2>{html.escape(score.first)} – {html.escape(score.second)}</h2>",
            plots.band(
                *share_by_game(records, score),
                title=f"{score.first} against {score.second}",
                x_label="games",
                y_label="share of points",
            ),
        ]
    return body + _sprt_plot(settings, records, found)


def page(settings: MatchSettings, records: Sequence[GameRecord], found: Standing, headers: Headers = ()) -> str:
    """A page that needs nothing else: tables and plots."""
    body = summary(settings, settled(settings, records), found)
    body += [
        "<h2>Length of games</h2>",
        plots.histogram([len(record.moves) for record in records], title="Length of games", x_label="moves"),
        "<h2>Time</h2>",
        plots.bars({t.name: 1000 * t.per_move for t in found.times}, "ms a move", title="Time"),
        html_table(TIMES_HEAD, _time_rows(found)),
    ]
    notes = [*_not_scored(records, found), *_notes(found)]
    if notes:
        body += ["<h2>Notes</h2>", *html_list(notes)]
    if headers:
        body += ["<h2>What was played</h2>", html_table(PLAYER_HEAD, player_rows(headers[-1]))]
        body += html_list([where_and_when(header) for header in headers])
    if records:
        body += ["<h2>Games</h2>", _games_table(records)]
    return page_of(" – ".join(found.players), body)


def _not_scored(records: Sequence[GameRecord], found: Standing) -> list[str]:
    """A line about games that have no part in the score of a match that was interrupted."""
    scored = sum(score.games for score in found.pairings)
    more = sum(not record.is_void for record in records) - scored
    if more <= 0:
        return []
    why = "their pair, or one before it, is not complete"
    return [f"The score is over {scored} games in complete pairs. {more} more do not count yet: {why}."]


def html_list(lines: Sequence[str]) -> list[str]:
    """Lines as a list of HTML."""
    return ["<ul>", *(f"<li>{html.escape(line)}</li>" for line in lines), "</ul>"]


def _sprt_plot(settings: MatchSettings, records: Sequence[GameRecord], found: Standing) -> list[str]:
    """The course of the log-likelihood ratio between its bounds, if there is a sequential test."""
    if found.sprt is None:
        return []
    low, high = found.sprt.lower, found.sprt.upper
    title, labels = "Sequential test", {"x_label": "pairs", "y_label": "log-likelihood ratio"}
    plot = plots.walk(course_of(settings, records), low, high, title=title, **labels)
    return ["<h2>Sequential test</h2>", f"<p>{html.escape(sprt_text(found))}</p>", plot]


def _games_table(records: Sequence[GameRecord]) -> str:
    top = "".join(f"<th>{html.escape(cell)}</th>" for cell in GAMES_HEAD)
    rows = [
        f'<tr><td><a href="{_file_of(record)}">{record.number}</a></td>'
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in _game_row(record))
        + "</tr>"
        for record in records
    ]
    return f"<table><tr>{top}</tr>{''.join(rows)}</table>"


def page_of(title: str, body: Sequence[str]) -> str:
    """A page of HTML that needs nothing else."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n<h1>{html.escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def share_by_game(records: Sequence[GameRecord], score: PairingScore) -> tuple[list[float], list[float], list[float]]:
    """The share of the first after each game, and its interval."""
    shares, lows, highs = [], [], []
    points = 0.0
    met = {score.first, score.second}
    games = [record for record in records if {record.black, record.white} == met and not record.is_void]
    for number, record in enumerate(games, 1):
        points += record.points(score.first)
        interval = wilson(points, number)
        shares.append(points / number)
        lows.append(interval.low)
        highs.append(interval.high)
    return shares, lows, highs
