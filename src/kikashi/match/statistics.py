"""Statistics of matches: each is one registered function from games to a value with its interval and its words.

The terminal, reports, JSON, data frames and the page show every registered one. A plugin adds its own:

    from kikashi.match import GameSet, StatisticValue, match_statistic

    @match_statistic("pairing")
    def blowouts(games: GameSet) -> StatisticValue:
        won = sum(record.result.endswith("+R") for record in games.records)
        return StatisticValue(won, text=f"{won} by resignation")
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from kikashi.match.one_game import FORFEIT, GameRecord
from kikashi.match.summary import MatchSummary, PairingScore, PlayerTimes, games_between
from kikashi.stats.intervals import EloEstimate, duplicates
from kikashi.stats.sequential import Sprt
from kikashi.wording import plural

Subject = Literal["match", "pairing", "player"]
MAX_LISTED = 20
"""Forfeits that are listed one by one."""


@dataclass(frozen=True)
class StatisticValue:
    """The value of a statistic, with its confidence interval if it has one."""

    value: float | None
    low: float | None = None
    high: float | None = None
    text: str = ""
    """Words for a table; the numbers if empty. Of the whole match they are sentences, a line each."""
    line: str | None = None
    """Words for the line of a pairing or player in the terminal, if they are others; empty for none."""

    def as_json(self) -> dict[str, Any]:
        """Return the numbers and the words of a table."""
        return {"value": self.value, "low": self.low, "high": self.high, "text": str(self)}

    def __str__(self) -> str:
        if self.text or self.value is None:
            return self.text or "–"
        interval = "" if self.low is None or self.high is None else f" [{self.low:g}, {self.high:g}]"
        return f"{self.value:g}{interval}"


@dataclass(frozen=True)
class GameSet:
    """The games that a statistic is computed from: all of a match, those of a pairing, or those of a player."""

    records: tuple[GameRecord, ...]
    """Games that could not begin are left out."""
    players: tuple[str, ...]
    """Both of a pairing, or the one player, or all of the match."""
    match: MatchSummary

    @property
    def score(self) -> PairingScore:
        """Score of the first against the second of a pairing."""
        return next(score for score in self.match.pairings if (score.first, score.second) == self.players)

    @property
    def times(self) -> PlayerTimes:
        """Times of a player."""
        return next(times for times in self.match.times if (times.name,) == self.players)


class Row(NamedTuple):
    """All statistics of the match, of a pairing or of a player, by title."""

    subject: Subject
    players: tuple[str, ...]
    values: dict[str, StatisticValue]

    def as_json(self) -> dict[str, Any]:
        values = {title: one.as_json() for title, one in self.values.items()}
        return {"subject": self.subject, "players": list(self.players), "values": values}


Compute = Callable[[GameSet], StatisticValue | None]
_REGISTERED: dict[tuple[Subject, str], Compute] = {}


def match_statistic(subject: Subject, title: str = "") -> Callable[[Compute], Compute]:
    """Register a function that computes a statistic of each pairing, each player or the whole match.

    It returns None where the statistic does not apply. The title is that of a column; by default the function's name.
    """

    def register(compute: Compute) -> Compute:
        _REGISTERED[subject, title or compute.__name__.replace("_", " ")] = compute
        return compute

    return register


def compute(match: MatchSummary) -> list[Row]:
    """Compute all registered statistics: a row for the match, for each pairing, and for each player by rating."""
    subjects: list[tuple[Subject, tuple[str, ...], Sequence[GameRecord]]] = [("match", match.players, match.records)]
    for one in match.pairings:
        pair = one.first, one.second
        subjects.append(("pairing", pair, games_between(match.records, *pair)))
    by_rating = sorted(match.players, key=lambda name: -match.ratings[name].elo if match.ratings else 0)
    for name in by_rating:
        games = [record for record in match.records if name in (record.black, record.white)]
        subjects.append(("player", (name,), games))
    rows = []
    for subject, players, records in subjects:
        of = GameSet(tuple(records), players, match)
        known = {title: function for (kind, title), function in _REGISTERED.items() if kind == subject}
        found = {title: _computed(title, function, of) for title, function in known.items()}
        rows.append(Row(subject, players, {title: value for title, value in found.items() if value is not None}))
    return rows


def _computed(title: str, function: Compute, games: GameSet) -> StatisticValue | None:
    try:
        return function(games)
    except Exception as error:  # of a plugin: the games are played, and their report is not lost
        return StatisticValue(None, text=f"{title} failed: {type(error).__name__}: {error}")


def as_json(match: MatchSummary) -> dict[str, Any]:
    """Return a summary as plain data, with all statistics."""
    found = {"players": list(match.players), "games": match.games, "sprt": msgspec.to_builtins(match.sprt)}
    for name in ("pairings", "times", "ratings", "comparisons"):
        found[name] = msgspec.to_builtins(getattr(match, name))
    for row, score in zip(found["pairings"], match.pairings, strict=True):
        row |= {"games": score.games, "share": score.share, "interval": [score.interval.low, score.interval.high]}
        row["elo"] = msgspec.to_builtins(score.elo)
    found["statistics"] = [row.as_json() for row in compute(match)]
    return found


# --- as words ---------------------------------------------------------------------------------------------------------


def lines(match: MatchSummary) -> list[str]:
    """Return the statistics as lines for the terminal: pairings, players, then the whole match."""
    rows = compute(match)
    found = []
    for row in rows:
        if row.subject == "pairing":
            words = [str(one) if one.line is None else one.line for one in row.values.values()]
            found.append(f"{' – '.join(row.players)}: {', '.join(filter(None, words))}")
    players = [row for row in rows if row.subject == "player"]
    for title in dict.fromkeys(title for row in players for title in row.values):
        values = [(row.players[0], one) for row in players if (one := row.values.get(title)) is not None]
        words = [f"{name} {text}" for name, one in values if (text := str(one) if one.line is None else one.line)]
        found += [f"{title}: {', '.join(words)}"] if words else []
    return found + notes(rows)


def notes(rows: Sequence[Row]) -> list[str]:
    """Return the sentences about the whole match."""
    return [
        line for row in rows if row.subject == "match" for one in row.values.values() for line in str(one).split("\n")
    ]


def table(rows: Sequence[Row], subject: Subject) -> tuple[list[str], list[list[str]]]:
    rows = [row for row in rows if row.subject == subject]
    titles = list(dict.fromkeys(title for row in rows for title in row.values))
    head = ["first", "second"] if subject == "pairing" else ["player"]
    cells = [[*row.players, *(str(row.values.get(title, "–")) for title in titles)] for row in rows]
    return [*head, *titles], cells


def elo_text(estimate: EloEstimate) -> str:
    """Return ``+78 [+8, +147]``."""
    low, middle, high = (
        f"{value:+.0f}" if math.isfinite(value) else ("+∞" if value > 0 else "-∞")
        for value in (estimate.low, estimate.elo, estimate.high)
    )
    return f"{middle} [{low}, {high}]"


def percent(share: float) -> str:
    """Return a share as a table shows it; a dash for nan."""
    return "–" if math.isnan(share) else f"{share:.1%}"


def sprt_text(test: Sprt, first: str, second: str) -> str:
    """Return ``SPRT: H1, LLR 2.97 between -2.94 (H0: a is 0 Elo stronger than b) and 2.94 (H1: 30 Elo)``."""
    return (
        f"SPRT: {test.decision}, LLR {test.llr:.2f} between {test.lower:.2f} (H0: {first} is {test.elo0:g} Elo "
        f"stronger than {second}) and {test.upper:.2f} (H1: {test.elo1:g} Elo)"
    )


def verdict(match: MatchSummary) -> str:
    """Return the result in a sentence: ``tree is stronger: 35–5, Elo +338 [+181, +495]``."""
    if match.ratings:
        name, rating = max(match.ratings.items(), key=lambda item: item[1].elo)
        return f"{name} has the highest rating: Elo {elo_text(rating)}"
    if not match.pairings:
        return "no games were played"
    score = match.pairings[0]
    result = f"{_result(score)}, Elo {elo_text(score.elo)}"
    if match.sprt is not None and match.sprt.decision != "continue":
        return (
            f"{match.sprt.decision} accepted after {plural(2 * match.sprt.pairs, 'game')}: {result} for {score.first}"
        )
    if score.interval.low > 0.5 or score.interval.high < 0.5:
        better, worse = (score.first, score.second) if score.share > 0.5 else (score.second, score.first)
        return f"{better} is stronger than {worse}: {result} for {score.first}"
    return f"no difference is certain between {score.first} and {score.second}: {result} for {score.first}"


# --- of a pairing -----------------------------------------------------------------------------------------------------


def _result(score: PairingScore) -> str:
    return f"{score.wins}–{score.losses}" + (f" ({plural(score.draws, 'draw')})" if score.draws else "")


@match_statistic("pairing", "score")
def _score(games: GameSet) -> StatisticValue:
    return StatisticValue(games.score.points, text=_result(games.score))


@match_statistic("pairing", "share, 95 %")
def _share(games: GameSet) -> StatisticValue:
    score, interval = games.score, games.score.interval
    text = f"{score.share:.1%} [{interval.low:.1%}, {interval.high:.1%}]"
    return StatisticValue(score.share, interval.low, interval.high, text)


@match_statistic("pairing", "Elo")
def _elo(games: GameSet) -> StatisticValue:
    found = games.score.elo
    return StatisticValue(found.elo, found.low, found.high, elo_text(found), line=f"Elo {elo_text(found)}")


@match_statistic("pairing", "as Black")
def _as_black(games: GameSet) -> StatisticValue:
    return _with_color(games.score.as_black, "as Black")


@match_statistic("pairing", "as White")
def _as_white(games: GameSet) -> StatisticValue:
    return _with_color(games.score.as_white, "as White")


def _with_color(share: float, color: str) -> StatisticValue:
    return StatisticValue(share, text=percent(share), line=f"{percent(share)} {color}")


@match_statistic("pairing", "forfeits")
def _forfeits(games: GameSet) -> StatisticValue | None:
    first, second = games.score.forfeits
    if not (first or second):
        return None
    return StatisticValue(first + second, text=f"{first}–{second}", line=f"forfeits {first}–{second}")


@match_statistic("pairing", "SPRT")
def _pairing_sprt(games: GameSet) -> StatisticValue | None:
    test = games.score.sprt
    return None if test is None else StatisticValue(test.llr, text=f"{test.decision}, LLR {test.llr:.2f}")


# --- of a player ------------------------------------------------------------------------------------------------------


@match_statistic("player", "Elo (Bradley–Terry)")
def _rating(games: GameSet) -> StatisticValue | None:
    found = games.match.ratings.get(games.players[0])
    return None if found is None else StatisticValue(found.elo, found.low, found.high, elo_text(found))


@match_statistic("player", "moves")
def _moves(games: GameSet) -> StatisticValue:
    return StatisticValue(games.times.moves, text=f"{games.times.moves:,}", line="")


@match_statistic("player", "time a move")
def _time(games: GameSet) -> StatisticValue:
    return StatisticValue(games.times.per_move, text=f"{1000 * games.times.per_move:.1f} ms", line="")


@match_statistic("player", "processor time a move")
def _processor_time(games: GameSet) -> StatisticValue | None:
    seconds = games.times.processor_a_move
    return None if seconds is None else StatisticValue(seconds, text=f"{1000 * seconds:.1f} ms")


@match_statistic("player", "moves with a full tree")
def _full_tree(games: GameSet) -> StatisticValue | None:
    full, moves = games.times.full, games.times.moves
    return StatisticValue(full, text=f"{full:,} of {plural(moves, 'move')}") if full else None


@match_statistic("player", "evicted entries of memories")
def _evicted(games: GameSet) -> StatisticValue | None:
    return StatisticValue(games.times.evicted, text=f"{games.times.evicted:,}") if games.times.evicted else None


# --- of the match -----------------------------------------------------------------------------------------------------


@match_statistic("match", "SPRT")
def _sprt(games: GameSet) -> StatisticValue | None:
    test = games.match.sprt
    return None if test is None else StatisticValue(test.llr, text=sprt_text(test, *games.players[:2]))


@match_statistic("match", "mean length")
def _length(games: GameSet) -> StatisticValue | None:
    if not games.records:
        return None
    mean = sum(len(record.moves) for record in games.records) / len(games.records)
    return StatisticValue(mean, text=f"mean length: {mean:.0f} moves")


@match_statistic("match", "duplicates")
def _duplicates(games: GameSet) -> StatisticValue | None:
    finished = [record for record in games.records if record.ended != FORFEIT]
    groups = duplicates([record.moves for record in finished])
    numbers = [", ".join(str(finished[index].number) for index in group) for group in groups]
    return _about_games("the same moves", numbers, "; ")


@match_statistic("match", "disputed")
def _disputed(games: GameSet) -> StatisticValue | None:
    return _about_games("counted differently", [str(r.number) for r in games.records if r.disputed])


@match_statistic("match", "uncounted")
def _uncounted(games: GameSet) -> StatisticValue | None:
    referee = games.match.settings.referee
    uncounted = [str(r.number) for r in games.records if r.counts and referee not in r.counts]
    return _about_games("not counted by the referee", uncounted)


def _about_games(what: str, numbers: Sequence[str], between: str = ", ") -> StatisticValue | None:
    return StatisticValue(len(numbers), text=f"{what}: games {between.join(numbers)}") if numbers else None


@match_statistic("match", "forfeits")
def _forfeited(games: GameSet) -> StatisticValue | None:
    forfeited = [record for record in games.records if record.ended == FORFEIT]
    return _reasons("forfeit in game", "forfeits", forfeited)


@match_statistic("match", "not begun")
def _not_begun(games: GameSet) -> StatisticValue | None:
    return _reasons("not begun, counts for nobody: game", "games that were not begun", games.match.void)


def _reasons(kind: str, many: str, games: Sequence[GameRecord]) -> StatisticValue | None:
    listed = [f"{kind} {record.number}: {record.reason}" for record in games[:MAX_LISTED]]
    listed += [f"and {len(games) - MAX_LISTED} more {many}"] if len(games) > MAX_LISTED else []
    return StatisticValue(len(games), text="\n".join(listed)) if games else None
