"""The file of a tuning: a preset, its parameters, the number of games, and the opponents.

The optimiser knows a number by its place in the range, from 0 at the low end to 1 at the high one. People and players
know values, which are rounded: the value that is played is the value that is printed.
"""

import math
import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

import msgspec

from kikashi.engine.named_files import NamedFiles
from kikashi.engine.old_names import current_path
from kikashi.engine.overrides import override, setting_for
from kikashi.engine.preset import load_preset
from kikashi.experiments.kind import FEWEST_SIMULATIONS, at_scale
from kikashi.match.player_spec import Player, PlayerSpec
from kikashi.match.settings import MOST_GAMES, Bounds, MatchSettings, read_openings
from kikashi.wording import convert, nearest

TUNINGS = NamedFiles("tuning", "kikashi.tune", "tunings")
TUNED, OTHER = "tuned", "other"
"""Names of the two players of a trial."""
FOUND, START = "found", "start"
"""Names of the two players of the confirming match."""
DIGITS = 4
"""Digits of a value that is no whole number."""

Value = int | float | str
Values = dict[str, Value]
"""Values by setting."""


class Parameter(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A setting with its range or its words."""

    setting: str
    """Its name for ``--set``: ``selection.x``, ``prior.0.games``."""
    low: float | None = None
    high: float | None = None
    scale: Literal["linear", "logarithmic"] = "linear"
    """Whether equal differences or equal factors are expected to matter equally."""
    whole: bool = False
    words: tuple[str, ...] = ()
    """Values for ``--set``, instead of a range."""
    start: float | str | None = None
    """The first value; by default the preset's own."""

    def check(self) -> None:
        """Raise ValueError if the range, the words or the start make no sense."""
        try:
            self._check()
        except ValueError as error:
            raise ValueError(f"parameter {self.setting}: {error}") from None

    def _check(self) -> None:
        if self.words:
            self._check_words()
            return
        if self.low is None or self.high is None:
            raise ValueError("it needs low and high, or words")
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(f"low and high must be numbers, not {self.low} and {self.high}")
        if self.low >= self.high:
            raise ValueError(f"its range is empty: low is {self.low:g} and high is {self.high:g}")
        if self.scale == "logarithmic" and self.low <= 0:
            raise ValueError(f"a logarithmic range begins above 0, not at {self.low:g}")
        if self.whole and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise ValueError(f"whole numbers have whole bounds, not {self.low:g} and {self.high:g}")
        if self.start is None:
            return
        if isinstance(self.start, str):
            raise ValueError(f"it starts with {self.start!r}, which is no number: name its words")
        if not self.low <= self.start <= self.high:
            raise ValueError(f"it starts with {self.start:g}, outside of {self.low:g} to {self.high:g}")
        if self.whole and not float(self.start).is_integer():
            raise ValueError(f"it starts with {self.start:g}, which is no whole number")

    def _check_words(self) -> None:
        if self.low is not None or self.high is not None:
            raise ValueError("it has a range or words, not both")
        if len(set(self.words)) < max(2, len(self.words)):
            raise ValueError("it needs two words at least, and none of them twice")
        if self.start is not None and self.start not in self.words:
            raise ValueError(f"it starts with {self.start!r}; {nearest(str(self.start), self.words)}")

    @property
    def first(self) -> Value:
        """The start value. Raises ValueError if it is unknown."""
        if self.start is None:
            raise ValueError(f"parameter {self.setting}: the preset says nothing about it: say its start")
        return self.start if isinstance(self.start, str) else self._rounded(self.start)

    @property
    def ends(self) -> tuple[Value, ...]:
        """The ends of the range, or all words."""
        if self.low is None or self.high is None:
            return self.words
        return self._rounded(self.low), self._rounded(self.high)

    def _bounds(self) -> tuple[float, float]:
        low, high = self.low or 0.0, self.high or 0.0
        return (math.log(low), math.log(high)) if self.scale == "logarithmic" else (low, high)

    def _rounded(self, number: float) -> Value:
        return round(number) if self.whole else float(f"{number:.{DIGITS}g}")

    def value(self, place: float, dither: float = 0.5) -> Value:
        """Return the number at a place. A whole number is the next one below the place plus `dither`."""
        low, high = self._bounds()
        number = low + (high - low) * min(max(place, 0.0), 1.0)
        number = math.exp(number) if self.scale == "logarithmic" else number
        if self.whole:  # the rounding of exp must not leave the range
            return round(min(max(math.floor(number + dither), self.low or 0), self.high or 0))
        return self._rounded(number)

    def place(self, value: Value) -> float:
        low, high = self._bounds()
        number = math.log(float(value)) if self.scale == "logarithmic" else float(value)
        return min(max((number - low) / (high - low), 0.0), 1.0)


class Confirming(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The match of the values found against the start values."""

    games: Annotated[int, msgspec.Meta(ge=0, le=MOST_GAMES)] = 400
    """0 for no match."""
    sprt: Bounds | None = None
    """The two Elo differences between which a sequential test decides."""


class Tuning(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A tuning. Fields that `MatchSettings` has, too, have the same names and meaning."""

    preset: str
    """A name, or the path of a file relative to the tuning's own."""
    parameter: tuple[Parameter, ...]
    games: Annotated[int, msgspec.Meta(ge=2, le=MOST_GAMES)]
    """Games without those of the confirming match, rounded up to whole trials."""
    title: str = ""
    options: str = ""
    """Options of the preset in all games: ``--plugin my.py --set choice.resign=0.05``."""
    opponents: tuple[str, ...] = ()
    """Players as in a match, in turn; none for games of the preset with itself."""
    confirm: Confirming = Confirming()
    step: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = 0.3
    """Distance of the two values of a number from their mean in the first trial, as a fraction of its range."""
    last_step: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = 0.15
    """The same in the last trial."""
    expected: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 60.0
    """Elo that a value half a range from the best is expected to cost: the less, the longer the steps."""
    ahead: Annotated[int, msgspec.Meta(ge=0, le=MOST_GAMES)] = 16
    """Trials that may be played beyond the oldest unfinished one: see `kikashi.tune.trials`."""
    size: int = 9
    komi: float = 7.5
    rules: str = "positional"
    simulations: int | None = None
    seconds: float | None = None
    megabytes: float | None = None
    openings: Literal["own", "none"] = "own"
    referee: str = "playouts"
    timeout: float = 120.0
    forfeits: int = 3
    seed: int = 1

    @property
    def start_values(self) -> Values:
        """The first values. Raises ValueError if one is unknown."""
        return {parameter.setting: parameter.first for parameter in self.parameter}

    @property
    def games_of_trial(self) -> int:
        """Number of games of a trial: a pair between two values, or a pair of each against an opponent."""
        return 4 if self.opponents else 2

    @property
    def trials(self) -> int:
        """Number of comparisons of two values."""
        return -(-self.games // self.games_of_trial)

    @property
    def total_games(self) -> int:
        return self.trials * self.games_of_trial

    def player(self, name: str, values: Mapping[str, Value] | None = None) -> PlayerSpec:
        """Return the preset as a player of a match, with some values."""
        given = PlayerSpec.parse(f"{shlex.quote(self.preset)} {self.options}".strip())
        return replace(given, name=name, overrides=(*given.overrides, *changes(values or {})))

    def games_settings(self) -> MatchSettings:
        """Return the settings of the trials' games. Raises ValueError."""
        own = (self.player(TUNED, self.start_values), self.player(OTHER, self.start_values))
        return self._match((*own, *self.opponents), self.games)

    def confirming_settings(self, found: Values) -> MatchSettings:
        """Return the match of the values found against the start values. Raises ValueError."""
        players = (self.player(FOUND, found), self.player(START, self.start_values))
        return self._match(players, self.confirm.games, self.confirm.sprt, seed=self.seed + 1)

    def _match(self, players: tuple[Player, ...], games: int, sprt: Bounds | None = None, **more: Any) -> MatchSettings:
        shared = set(self.__struct_fields__) & set(MatchSettings.__struct_fields__) - {"games", "openings"}
        same = {name: getattr(self, name) for name in shared} | more
        openings = read_openings([] if self.openings == "own" else ["none"], self.size)
        return MatchSettings(players=players, games=games, sprt=sprt, openings=openings, **same)

    def at_scale(self, scale: float) -> Self:
        """Return the tuning with fewer games, simulations and seconds, as experiments are scaled."""
        if scale == 1:
            return self
        confirm = msgspec.structs.replace(self.confirm, games=_games(self.confirm.games, scale))
        simulations = None if self.simulations is None else at_scale(self.simulations, scale, FEWEST_SIMULATIONS)
        seconds = None if self.seconds is None else max(0.01, self.seconds * scale)
        games = _games(self.games, scale)
        return msgspec.structs.replace(self, games=games, confirm=confirm, simulations=simulations, seconds=seconds)


def _games(games: int, scale: float) -> int:
    return max(2, round(games * scale)) if games else 0


def changes(values: Mapping[str, Value]) -> tuple[str, ...]:
    return tuple(f"{setting}={value if isinstance(value, str) else repr(value)}" for setting, value in values.items())


# --- files ------------------------------------------------------------------------------------------------------------


def load_tuning(name: str, overrides: Iterable[str] = (), scale: float = 1.0) -> Tuning:
    """Load a tuning of the package by name, or one in a file, with overrides, and with all start values.

    Raises ValueError and OSError.
    """
    table = TUNINGS.read_table(name)
    try:
        if isinstance(preset := table.get("preset"), str) and preset.endswith(".toml"):  # beside the file that names it
            table["preset"] = os.path.join(os.path.dirname(name), preset)
        for text in overrides:
            override(table, text, "games=200")
        tuning = convert(table, Tuning).at_scale(scale)
        return with_start_values(tuning)
    except ValueError as error:
        raise ValueError(f"tuning {name}: {error}") from None


def with_start_values(tuning: Tuning) -> Tuning:
    """Add the start values of all parameters. Raises ValueError if the preset cannot have some value."""
    if not tuning.player(TUNED).preset:
        load_preset(tuning.preset)  # whose error lists the presets
    settings = tuning._match((tuning.player(TUNED), tuning.player(OTHER)), tuning.games)
    preset = settings.match_players()[0]
    with preset.parts():
        table = load_preset(preset.preset, preset.overrides).table
        starts = tuple(
            _with_start(parameter, setting_for(table, current_path(parameter.setting), tuning.size))
            for parameter in tuning.parameter
        )
        tuning = msgspec.structs.replace(tuning, parameter=starts)
        _check_parameters(tuning.parameter)
        for parameter in tuning.parameter:
            for value in (parameter.first, *parameter.ends):
                load_preset(preset.preset, (*preset.overrides, *changes({parameter.setting: value})))
    tuning.games_settings().match_players()
    if tuning.confirm.games:
        tuning.confirming_settings(tuning.start_values)
    return tuning


def _check_parameters(parameters: Sequence[Parameter]) -> None:
    names = [parameter.setting for parameter in parameters]
    if not names:
        raise ValueError("there is no parameter to tune")
    for parameter in parameters:
        if names.count(parameter.setting) > 1:
            raise ValueError(f"parameter {parameter.setting} is named twice")
        parameter.check()


def _with_start(parameter: Parameter, known: Any) -> Parameter:
    """Add the preset's value as the start of a parameter without one. Raises ValueError."""
    parameter.check()
    if parameter.start is not None or known is None:
        return parameter
    if isinstance(known, bool):
        known = str(known).lower()
    if not isinstance(known, int | float | str):
        raise ValueError(f"parameter {parameter.setting}: this is neither a number nor a word")
    is_word = bool(parameter.words) or isinstance(known, str)
    return msgspec.structs.replace(parameter, start=str(known) if is_word else float(known))
