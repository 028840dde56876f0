"""The report of a tuning: lines for the terminal, and a document with plots."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kikashi.game.moves import format_points
from kikashi.match.journal import read_headers
from kikashi.match.match_report import share_by_game
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import PLAYER_HEAD, player_rows, where_and_when
from kikashi.match.statistics import lines
from kikashi.match.summary import MatchSummary
from kikashi.pictures.svg import Picture
from kikashi.report import Document, Figure, Items, Paragraph, Section, Table, plots
from kikashi.stats.intervals import wilson
from kikashi.tune.trials import TrialGame, outcomes_of
from kikashi.tune.tuning import OTHER, TUNED, Parameter, Tuning
from kikashi.tune.tuning_result import Estimate, TuningResult, is_confirmed, results_over_time
from kikashi.wording import plural

HEAD = ["setting", "start", "found", "by chance alone", "beyond chance"]
BLOCKS = 12
"""Points of the plot of the score against opponents."""


def _by_chance(estimate: Estimate) -> str:
    """Return ``0.0012 … 0.009``, or the probability of each word."""
    if estimate.shares:
        return ", ".join(f"{word} {share:.0%}" for word, share in sorted(estimate.shares.items(), key=lambda e: -e[1]))
    return f"{estimate.low} … {estimate.high}"


def summary_lines(result: TuningResult) -> list[str]:
    """Return a line for each setting."""
    lines = [f"after {plural(result.games, 'game')}:"]
    for one in result.estimates:
        about = _by_chance(one) if one.shares else f"chance alone: {_by_chance(one)}"
        lines.append(f"{one.setting}: {one.start} -> {one.best} ({about})")
    return lines


def verdict(result: TuningResult, confirmation: MatchSummary | None) -> str:
    """Return whether the confirming match confirms the result."""
    if all(estimate.best == estimate.start for estimate in result.estimates):
        return "no other values than those of the start"
    if confirmation is None:
        return "not confirmed by a match"
    return "confirmed" if is_confirmed(confirmation) else "not confirmed"


def summary(tuning: Tuning, result: TuningResult, confirmation: MatchSummary | None) -> str:
    """Return one line for the preset."""
    parts = [f"{tuning.preset} tuned on {tuning.size}x{tuning.size} by {plural(result.games, 'game')}"]
    for score in confirmation.pairings if confirmation else ():
        parts.append(f"{score.points:g} of {plural(score.games, 'game')} against the values of the start")
    return "; ".join([*parts, verdict(result, confirmation)])


def tuning_report(
    tuning: Tuning, folder: Path, games: Sequence[TrialGame], confirmation: MatchSummary | None
) -> Document:
    over_time = results_over_time(tuning, outcomes_of(tuning, games))
    result, headers = over_time[-1], read_headers(folder)
    against = f"against {', '.join(tuning.opponents)}" if tuning.opponents else "against itself with other values"
    played = f"{plural(result.games, 'game')} of {tuning.total_games}, {tuning.preset} {against}"
    where = f"{tuning.size}×{tuning.size}, komi {format_points(tuning.komi)}, seed {tuning.seed}"
    figures = [Figure(parameter_plot(one, over_time, k), f"parameter-{k}") for k, one in enumerate(tuning.parameter, 1)]
    if tuning.opponents and games:
        figures.append(Figure(_opponents_plot([game.game for game in games]), "opponents"))
    return Document(
        tuning.title or f"{tuning.preset} tuned",
        [
            Paragraph(f"{played}. {where}."),
            Table(HEAD, [_row(estimate) for estimate in result.estimates]),
            Paragraph(
                "If a setting changes nothing, 95 of 100 tunings end in the range of the fourth column. For words it "
                "has the probability of each."
            ),
            Section("The confirming match", _match_elements(confirmation)),
            Section("The values over time", figures),
            Section(
                "Players and machine",
                [Table(PLAYER_HEAD, player_rows(headers[-1])), Items([where_and_when(header) for header in headers])],
            ),
        ],
        f"The values found against those of the start: {verdict(result, confirmation)}.",
    )


def _row(estimate: Estimate) -> list[str]:
    beyond = "–" if estimate.shares else "yes" if estimate.is_beyond_chance else "no"
    return [estimate.setting, str(estimate.start), str(estimate.best), _by_chance(estimate), beyond]


def _match_elements(confirmation: MatchSummary | None) -> list[Items | Figure]:
    if confirmation is None:
        return []
    labels: dict[str, Any] = {"title": "The confirming match", "x_label": "games", "y_label": "share of points"}
    plotted = [plots.band(*share_by_game(confirmation.records, one), **labels) for one in confirmation.pairings]
    return [Items(lines(confirmation)), *(Figure(plot, "match") for plot in plotted)]


# --- plots ------------------------------------------------------------------------------------------------------------


def parameter_plot(parameter: Parameter, over_time: Sequence[TuningResult], number: int) -> Picture:
    """Plot the value of the parameter with a number, from 1, and the range of chance; of words their probabilities."""
    estimates = [(result.games, result.estimates[number - 1]) for result in over_time]
    if parameter.words:
        words = {word: [(games, one.shares[word]) for games, one in estimates] for word in parameter.words}
        return plots.trends(words, title=parameter.setting, x_label="games", y_label="probability")
    return plots.drift(
        [(games, float(one.best)) for games, one in estimates],
        [(float(one.low or 0), float(one.high or 0)) for _, one in estimates],
        title=parameter.setting,
        x_label="games",
        y_label="value",
        start=float(parameter.first),
        logarithmic=parameter.scale == "logarithmic",
    )


def _opponents_plot(games: Sequence[GameRecord]) -> Picture:
    """Plot the share of points that the tuned players took from each opponent, in blocks of games."""
    curves: dict[str, list[tuple[float, float]]] = {}
    bounds: dict[str, list[tuple[float, float]]] = {}
    size = max(4, -(-len(games) // BLOCKS))
    for first in range(0, len(games), size):
        for name, (points, count) in _scores(games[first : first + size]).items():
            interval = wilson(points, count)
            curves.setdefault(name, []).append((first + size, points / count))
            bounds.setdefault(name, []).append((interval.low, interval.high))
    labels: dict[str, Any] = {"title": "Score against the opponents", "x_label": "games", "y_label": "share of points"}
    return plots.trends(curves, bounds=bounds, middle=0.5, **labels)


def _scores(games: Sequence[GameRecord]) -> Mapping[str, tuple[float, int]]:
    """Return by opponent the points of the tuned players, and the games."""
    scores: dict[str, tuple[float, int]] = {}
    for game in games:
        own, opponent = (game.black, game.white) if game.black in (TUNED, OTHER) else (game.white, game.black)
        if not game.is_void:
            points, count = scores.get(opponent, (0.0, 0))
            scores[opponent] = (points + game.points(own), count + 1)
    return scores
