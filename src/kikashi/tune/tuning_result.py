"""The result of a tuning: values with the range of chance, a match that confirms them, and a preset."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kikashi.board.points import MIN_SIZE
from kikashi.engine.overrides import FROM_SIZE, Table, as_toml, merged, overridden, settings_at, settings_by_size
from kikashi.engine.preset import load_preset
from kikashi.files import write_whole
from kikashi.match.journal import FILE, read_header
from kikashi.match.match_player import Files
from kikashi.match.provenance import files_of
from kikashi.match.results import Match
from kikashi.match.settings import MatchSettings
from kikashi.match.summary import MatchSummary
from kikashi.parts.binding import with_other_weights
from kikashi.tune.spsa import Numbers, Outcome, Spsa, softmax
from kikashi.tune.tuning import Parameter, Tuning, Value, Values, changes

PRESET = "found.toml"
MATCH = "match"
DEVIATIONS = 1.96
"""Standard deviations of a 95 % interval."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """The estimate of one setting."""

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
    """The estimates after some games."""

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


def preset_table(tuning: Tuning, values: Mapping[str, Value], files: Files | None = None) -> Table:
    """Return the settings of a preset with these values, based on the tuning's."""
    player = tuning.games_settings().match_players(files)[0]
    with player.parts():
        known = load_preset(player.preset).table
    found: Table = {}
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
