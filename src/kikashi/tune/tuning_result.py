"""The result of a tuning: values with the range of chance, a match that confirms them, a preset, and the report."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kikashi.board.points import MIN_SIZE
from kikashi.engine.overrides import FROM_SIZE, as_toml, merged, overridden, settings_at, settings_by_size
from kikashi.engine.preset import load_preset
from kikashi.files import write_whole
from kikashi.game.moves import format_points
from kikashi.match.journal import FILE, read_header, read_headers
from kikashi.match.match_player import Files
from kikashi.match.match_report import share_by_game
from kikashi.match.one_game import GameRecord
from kikashi.match.provenance import PLAYER_HEAD, files_of, player_rows, where_and_when
from kikashi.match.results import Match
from kikashi.match.settings import MatchSettings
from kikashi.match.statistics import lines
from kikashi.match.summary import MatchSummary
from kikashi.parts.binding import with_other_weights
from kikashi.pictures.svg import Picture
from kikashi.report import Document, Figure, Items, Paragraph, Section, Table, plots
from kikashi.stats.intervals import wilson
from kikashi.tune.spsa import Numbers, Outcome, Spsa, softmax
from kikashi.tune.trials import TrialGame, outcomes_of
from kikashi.tune.tuning import OTHER, TUNED, Parameter, Tuning, Value, Values, changes
from kikashi.wording import plural

PRESET = "found.toml"
MATCH = "match"
DEVIATIONS = 1.96
"""Standard deviations of a 95 % interval."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    setting: str
    start: Value
    best: Value
    low: Value | None = None
    """If the setting changes nothing, 95 of 100 tunings end between here and `high`."""
    high: Value | None = None
    shares: dict[str, float] = {}
    """Probability of each word."""

    @property
    def is_beyond_chance(self) -> bool:
        """Whether a number is further from the start than chance explains."""
        if self.low is None or self.high is None or isinstance(self.best, str):
            return False
        return not float(self.low) <= self.best <= float(self.high)


class TuningResult(msgspec.Struct, frozen=True, kw_only=True):
    games: int
    estimates: tuple[Estimate, ...]

    @property
    def values(self) -> Values:
        return {estimate.setting: estimate.best for estimate in self.estimates}


def tuning_result(tuning: Tuning, outcomes: Sequence[Outcome], optimizer: Spsa | None = None) -> TuningResult:
    """Return the result of outcomes; an `optimizer` that has seen some of them saves time."""
    optimizer = optimizer or Spsa(tuning)
    state = optimizer.mean(outcomes)
    estimates = tuple(
        _word_estimate(parameter, state.mean[where])
        if parameter.words
        else _number_estimate(parameter, float(state.mean[where][0]), float(state.noise[where][0]))
        for parameter, where in zip(optimizer.parameters, optimizer.slices, strict=True)
    )
    return TuningResult(games=tuning.games_of_trial * len(outcomes), estimates=estimates)


def _number_estimate(parameter: Parameter, mean: float, noise: float) -> Estimate:
    start = parameter.place(parameter.first)
    low, high = (parameter.value(start + side * DEVIATIONS * noise) for side in (-1, 1))
    best = parameter.value(mean)
    return Estimate(setting=parameter.setting, start=parameter.first, best=best, low=low, high=high)


def _word_estimate(parameter: Parameter, preferences: Numbers) -> Estimate:
    drawn = dict(zip(parameter.words, softmax(preferences).tolist(), strict=True))
    best = max(drawn, key=lambda word: (drawn[word], word == parameter.first))
    return Estimate(setting=parameter.setting, start=parameter.first, best=best, shares=drawn)


def results_over_time(tuning: Tuning, outcomes: Sequence[Outcome], points: int = 40) -> list[TuningResult]:
    """Return the result before the first game, and then at equal distances."""
    optimizer = Spsa(tuning)
    counts = sorted({round(k * len(outcomes) / points) for k in range(points + 1)})
    return [tuning_result(tuning, outcomes[:count], optimizer) for count in counts]


# --- the match --------------------------------------------------------------------------------------------------------


def is_confirmed(match: MatchSummary) -> bool:
    """Return whether the values found are better, by the sequential test if there is one, else by the interval."""
    if match.sprt is not None:
        return match.sprt.decision == "H1"
    return bool(match.pairings) and match.pairings[0].interval.low > 0.5


def confirming_match(tuning: Tuning, result: TuningResult, folder: Path) -> MatchSettings | None:
    """Return the match that confirms a result; None if the tuning has none, or nothing has changed.

    Its presets, plugins and weights are the copies in the folder, even if the originals have changed.
    """
    if not tuning.confirm.games or result.values == tuning.start_values:
        return None
    settings = tuning.confirming_settings(result.values)
    copies = files_of(read_header(folder), folder).copies
    if not copies:
        return settings
    players = tuple(spec.with_files(copies) for spec in settings.specs)
    return msgspec.structs.replace(settings, players=players)


def confirmation_in(folder: Path) -> MatchSummary | None:
    """Return the confirming match in a tuning's folder, as far as it was played."""
    return Match.read(folder / MATCH).summary if (folder / MATCH / FILE).exists() else None


# --- the preset -------------------------------------------------------------------------------------------------------


def preset_table(tuning: Tuning, values: Mapping[str, Value], files: Files | None = None) -> dict[str, Any]:
    """Return the settings of a preset with these values, based on the tuning's."""
    player = tuning.games_settings().match_players(files)[0]
    with player.parts():
        known = load_preset(player.preset).table
    found: dict[str, Any] = {}
    for size, settings in settings_by_size(overridden(known, (*player.overrides, *changes(values)))).items():
        before = settings_at(merged(known, found), size)
        changed = {key: _difference(before.get(key), new) for key, new in settings.items() if new != before.get(key)}
        if changed and size > MIN_SIZE:
            found.setdefault(FROM_SIZE, {})[str(size)] = changed
        else:
            found |= changed
    return found


def _difference(known: Any, value: Any) -> Any:
    """Return a setting without what its base has: of a table what differs, unless it has another rule."""
    if not (isinstance(known, dict) and isinstance(value, dict)) or known.get("rule") != value.get("rule"):
        return value
    return {key: _difference(known.get(key), inner) for key, inner in value.items() if inner != known.get(key)}


def write_preset(tuning: Tuning, folder: Path, result: TuningResult, summary: str) -> str:
    """Write the preset of a result into the folder of a tuning and return its text. Raises ValueError, OSError."""
    files = files_of(read_header(folder), folder)
    base = files.copies.get(tuning.preset, tuning.preset)
    if base.endswith(".toml"):
        base = os.path.relpath(base, folder)

    def copied(path: str) -> str:
        copy = files.copies.get(files.name_of(path), "")
        return os.path.relpath(copy, folder) if copy else str(files.original(path))

    table = with_other_weights(preset_table(tuning, result.values, files), copied)
    text = as_toml({"base": base, "summary": summary} | table) + "\n"
    write_whole(folder / PRESET, text)
    return text


# --- the report -------------------------------------------------------------------------------------------------------


HEAD = ["setting", "start", "found", "by chance alone", "beyond chance"]
BLOCKS = 12
"""Points of the plot of the score against opponents."""


def _by_chance(estimate: Estimate) -> str:
    """Return ``0.0012 … 0.009``, or the probability of each word."""
    if estimate.shares:
        return ", ".join(f"{word} {share:.0%}" for word, share in sorted(estimate.shares.items(), key=lambda e: -e[1]))
    return f"{estimate.low} … {estimate.high}"


def summary_lines(result: TuningResult) -> list[str]:
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
