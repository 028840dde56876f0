"""The file of a tuning: a preset, its parameters, how many games, and against whom."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

import msgspec

from kikashi.engine.named_files import NamedFiles
from kikashi.engine.old_names import current_path
from kikashi.engine.overrides import override, setting_for
from kikashi.engine.preset import load_preset
from kikashi.experiments.kind import FEWEST_SIMULATIONS, at_scale
from kikashi.match.player_spec import Player, PlayerSpec
from kikashi.match.settings import MOST_GAMES, Bounds, MatchSettings, Opening, read_openings
from kikashi.tune.space import Parameter, Space, Value, Values
from kikashi.wording import convert

TUNINGS = NamedFiles("tuning", "kikashi.tune", "tunings")
TUNED, OTHER = "tuned", "other"
"""What the two players of a trial are called."""
FOUND, START = "found", "start"
"""What the two players of the confirming match are called."""


class Confirming(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The match of the values found against those of the start."""

    games: Annotated[int, msgspec.Meta(ge=0, le=MOST_GAMES)] = 400
    """0 for no match."""
    sprt: Bounds | None = None
    """It stops when it is known which of the two Elo differences holds."""


class Tuning(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """What is to be tuned, and how. What it shares with `MatchSettings` is called as it is there."""

    preset: str
    """A name, or the path of a file, beside the file that names it."""
    parameter: tuple[Parameter, ...]
    games: Annotated[int, msgspec.Meta(ge=2, le=MOST_GAMES)]
    """Of the tuning, rounded up to whole trials; those of the confirming match come on top."""
    title: str = ""
    options: str = ""
    """What the preset plays with in any case: ``--plugin my.py --set choice.resign=0.05``."""
    opponents: tuple[str, ...] = ()
    """Players as in a match, who take turns; none for games of the preset with itself."""
    confirm: Confirming = Confirming()
    step: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = 0.3
    """How far the two values of a number are from the middle between them at first, as a share of its range."""
    last_step: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = 0.15
    """The same at the end."""
    expected: Annotated[float, msgspec.Meta(gt=0, le=1000)] = 60.0
    """The Elo that a value half a range from the best is expected to cost: the less it is, the longer the strides."""
    ahead: Annotated[int, msgspec.Meta(ge=0, le=MOST_GAMES)] = 16
    """How many trials may be under way beyond the oldest: see `kikashi.tune.trials`."""
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
    def space(self) -> Space:
        """Raises ValueError."""
        return Space(self.parameter)

    @property
    def games_of_trial(self) -> int:
        """Two values meet in a pair of games, or each of them an opponent in a pair."""
        return 4 if self.opponents else 2

    @property
    def trials(self) -> int:
        """How many times two values are compared."""
        return -(-self.games // self.games_of_trial)

    @property
    def total_games(self) -> int:
        """All games of the tuning."""
        return self.trials * self.games_of_trial

    def player(self, name: str, values: Mapping[str, Value] | None = None) -> PlayerSpec:
        """The preset as a player of a match, with some values or none changed."""
        given = PlayerSpec.parse(f"{shlex.quote(self.preset)} {self.options}".strip())
        return replace(given, name=name, overrides=(*given.overrides, *changes(values or {})))

    def games_settings(self) -> MatchSettings:
        """How the games of the tuning are played. Raises ValueError."""
        own = (self.player(TUNED, self.space.start), self.player(OTHER, self.space.start))
        return self._match((*own, *self.opponents), self.games)

    def confirming_settings(self, found: Values) -> MatchSettings:
        """The match of the values found against those of the start. Raises ValueError."""
        players = (self.player(FOUND, found), self.player(START, self.space.start))
        return self._match(players, self.confirm.games, self.confirm.sprt, seed=self.seed + 1)

    def _match(self, players: tuple[Player, ...], games: int, sprt: Bounds | None = None, **more: Any) -> MatchSettings:
        shared = set(self.__struct_fields__) & set(MatchSettings.__struct_fields__) - {"games", "openings"}
        said = {name: getattr(self, name) for name in shared} | more
        return MatchSettings(players=players, games=games, sprt=sprt, openings=self.all_openings(), **said)

    def all_openings(self) -> tuple[Opening, ...]:
        """The openings that games begin with."""
        return read_openings([] if self.openings == "own" else ["none"], self.size)

    def at_scale(self, scale: float) -> Tuning:
        """The same with games, simulations and seconds shrunk, as experiments are."""
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
    """Values as ``--set`` takes them."""
    return tuple(f"{setting}={value if isinstance(value, str) else repr(value)}" for setting, value in values.items())


# --- files ------------------------------------------------------------------------------------------------------------


def load_tuning(name: str, overrides: Iterable[str] = (), scale: float = 1.0) -> Tuning:
    """A tuning of the package by name, or one in a file, with some settings changed, and every start value settled.

    Raises ValueError, with what is wrong, and OSError.
    """
    table = TUNINGS.read_table(name)
    try:
        if isinstance(preset := table.get("preset"), str) and preset.endswith(".toml"):  # beside the file that names it
            table["preset"] = os.path.join(os.path.dirname(name), preset)
        for text in overrides:
            override(table, text, "games=200")
        tuning = convert(table, Tuning).at_scale(scale)
        return _settled(tuning)
    except ValueError as error:
        raise ValueError(f"tuning {name}: {error}") from None


def _settled(tuning: Tuning) -> Tuning:
    """The tuning with the start value of every parameter. Raises ValueError if the preset cannot have some value."""
    if not tuning.player(TUNED).preset:
        load_preset(tuning.preset)  # which says what there is
    settings = tuning._match((tuning.player(TUNED), tuning.player(OTHER)), tuning.games)
    preset = settings.match_players()[0]
    with preset.parts():
        table = load_preset(preset.preset, preset.overrides).table
        starts = tuple(
            _started(parameter, setting_for(table, current_path(parameter.setting), tuning.size))
            for parameter in tuning.parameter
        )
        tuning = msgspec.structs.replace(tuning, parameter=starts)
        for parameter in tuning.space.parameters:
            for value in (parameter.first, *parameter.ends):
                load_preset(preset.preset, (*preset.overrides, *changes({parameter.setting: value})))
    tuning.games_settings().match_players()
    if tuning.confirm.games:
        tuning.confirming_settings(tuning.space.start)
    return tuning


def _started(parameter: Parameter, known: Any) -> Parameter:
    """The parameter with the preset's value, if it has none of its own. Raises ValueError."""
    parameter.check()
    if parameter.start is not None or known is None:
        return parameter
    if isinstance(known, bool):
        known = str(known).lower()
    if not isinstance(known, int | float | str):
        raise ValueError(f"parameter {parameter.setting}: this is neither a number nor a word")
    is_word = bool(parameter.words) or isinstance(known, str)
    return msgspec.structs.replace(parameter, start=str(known) if is_word else float(known))
