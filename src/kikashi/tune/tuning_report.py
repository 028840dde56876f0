"""What a tuning has found, for people: lines for the terminal, and a page with plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kikashi.files import write_whole
from kikashi.game.moves import format_points
from kikashi.match.journal import read_headers
from kikashi.match.match_report import markdown_list, markdown_table, markdown_text, share_by_game
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import PLAYER_HEAD, player_rows, where_and_when
from kikashi.report import plots
from kikashi.stats.intervals import wilson
from kikashi.tune.confirmation import Confirmation, Estimate, Found, found_over_time
from kikashi.tune.space import Parameter
from kikashi.tune.trials import TrialGame, outcomes_of
from kikashi.tune.tuning import OTHER, TUNED, Tuning
from kikashi.wording import plural

PAGE = "report.md"
HEAD = ["setting", "start", "found", "by chance alone", "beyond chance"]
BLOCKS = 12
"""Of games, in the plot of the score against opponents."""


def by_chance(estimate: Estimate) -> str:
    """``0.0012 … 0.009``, or for words how often each is drawn."""
    if estimate.shares:
        return ", ".join(f"{word} {share:.0%}" for word, share in sorted(estimate.shares.items(), key=lambda e: -e[1]))
    return f"{estimate.low} … {estimate.high}"


def lines(found: Found) -> list[str]:
    """What is known, a line for each setting."""
    told = [f"after {plural(found.games, 'game')}:"]
    for one in found.estimates:
        about = by_chance(one) if one.shares else f"chance alone: {by_chance(one)}"
        told.append(f"{one.setting}: {one.start} -> {one.best} ({about})")
    return told


def verdict(found: Found, confirmation: Confirmation | None) -> str:
    """What the confirming match says about the values found."""
    if all(estimate.best == estimate.start for estimate in found.estimates):
        return "no other values than those of the start"
    if confirmation is None:
        return "not confirmed by a match"
    return "confirmed" if confirmation.is_confirmed else "not confirmed"


def summary(tuning: Tuning, found: Found, confirmation: Confirmation | None) -> str:
    """One line for the preset that was found."""
    told = [f"{tuning.preset} tuned on {tuning.size}x{tuning.size} by {plural(found.games, 'game')}"]
    for score in confirmation.summary.pairings if confirmation else ():
        told.append(f"{score.points:g} of {plural(score.games, 'game')} against the values of the start")
    return "; ".join([*told, verdict(found, confirmation)])


def write_tuning_report(
    tuning: Tuning, folder: Path, games: Sequence[TrialGame], confirmation: Confirmation | None
) -> None:
    """Write ``report.md`` and its pictures into the folder of a tuning. Raises OSError."""
    over_time = found_over_time(tuning, outcomes_of(tuning, games))
    drawn = _pictures(tuning, over_time, [game.game for game in games], confirmation)
    for name, picture in drawn.items():
        write_whole(folder / name, picture)
    write_whole(folder / PAGE, _page(tuning, folder, over_time[-1], list(drawn), confirmation))


# --- pictures ---------------------------------------------------------------------------------------------------------


def _pictures(
    tuning: Tuning, over_time: Sequence[Found], games: Sequence[GameRecord], confirmation: Confirmation | None
) -> dict[str, str]:
    """SVG by the name of the file."""
    drawn = {f"parameter-{k}.svg": parameter_plot(one, over_time, k) for k, one in enumerate(tuning.parameter, 1)}
    if tuning.opponents and games:
        drawn["opponents.svg"] = opponents_plot(games)
    for score in confirmation.summary.pairings if confirmation else ():
        shares = share_by_game(confirmation.records if confirmation else (), score)
        drawn["match.svg"] = plots.band(
            *shares, title="The confirming match", x_label="games", y_label="share of the values found"
        )
    return drawn


def parameter_plot(parameter: Parameter, over_time: Sequence[Found], number: int) -> str:
    """The value of the parameter with a number, from 1, over games, and what chance would do; of words their shares."""
    estimates = [(found.games, found.estimates[number - 1]) for found in over_time]
    if parameter.words:
        words = {word: [(games, one.shares[word]) for games, one in estimates] for word in parameter.words}
        return plots.trends(words, title=parameter.setting, x_label="games", y_label="share of draws")
    return plots.drift(
        [(games, float(one.best)) for games, one in estimates],
        [(float(one.low or 0), float(one.high or 0)) for _, one in estimates],
        title=parameter.setting,
        x_label="games",
        y_label="value",
        start=float(parameter.first),
        logarithmic=parameter.scale == "logarithmic",
    )


def opponents_plot(games: Sequence[GameRecord]) -> str:
    """The share of points that the values of the time took from each opponent, in blocks of games."""
    curves: dict[str, list[tuple[float, float]]] = {}
    bounds: dict[str, list[tuple[float, float]]] = {}
    size = max(4, -(-len(games) // BLOCKS))
    for first in range(0, len(games), size):
        for name, (points, count) in _scores(games[first : first + size]).items():
            interval = wilson(points, count)
            curves.setdefault(name, []).append((first + size, points / count))
            bounds.setdefault(name, []).append((interval.low, interval.high))
    return plots.trends(
        curves,
        title="Score against the opponents",
        bounds=bounds,
        x_label="games",
        y_label="share of points",
        middle=0.5,
    )


def _scores(games: Sequence[GameRecord]) -> Mapping[str, tuple[float, int]]:
    """By opponent: the points of the tuned players, and the games."""
    found: dict[str, tuple[float, int]] = {}
    for game in games:
        own, opponent = (game.black, game.white) if game.black in (TUNED, OTHER) else (game.white, game.black)
        if not game.is_void:
            points, count = found.get(opponent, (0.0, 0))
            found[opponent] = (points + game.points(own), count + 1)
    return found


# --- the page ---------------------------------------------------------------------------------------------------------


def _page(
    tuning: Tuning, folder: Path, found: Found, pictures: Sequence[str], confirmation: Confirmation | None
) -> str:
    against = f"against {', '.join(tuning.opponents)}" if tuning.opponents else "against itself with other values"
    played = f"{plural(found.games, 'game')} of {tuning.total_games}"
    where = f"{tuning.size}×{tuning.size}, komi {format_points(tuning.komi)}, seed {tuning.seed}"
    parts = [
        f"# {markdown_text(tuning.title or f'{tuning.preset} tuned')}",
        f"{played}, {markdown_text(f'{tuning.preset} {against}')}. {where}.",
        markdown_table(HEAD, [_row(estimate) for estimate in found.estimates]),
        "Where a setting changes nothing, chance alone carries it no further than the fourth column says, in 95 of 100 "
        "tunings. For words that column has how often each is drawn.",
        f"## The confirming match\n\nThe values found against those of the start: {verdict(found, confirmation)}.",
    ]
    if confirmation is not None:
        parts.append(markdown_list(confirmation.lines))
    parts += ["## Course", *(f"![{name.removesuffix('.svg')}]({name})" for name in pictures)]
    headers = read_headers(folder)
    parts += ["## What was played", markdown_table(PLAYER_HEAD, player_rows(headers[-1]))]
    parts.append(markdown_list([where_and_when(header) for header in headers]))
    return "\n\n".join(parts) + "\n"


def _row(estimate: Estimate) -> list[str]:
    beyond = "–" if estimate.shares else "yes" if estimate.is_beyond_chance else "no"
    return [estimate.setting, str(estimate.start), str(estimate.best), by_chance(estimate), beyond]
