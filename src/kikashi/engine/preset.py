"""Presets: the programs of the papers, as TOML files that wire parts together."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from kikashi.board.points import MIN_SIZE
from kikashi.engine.named_files import (
    PRESETS,
    beside,
    is_preset as is_preset,
    preset_names as preset_names,
    preset_text as preset_text,
)
from kikashi.engine.old_names import current_override, current_table
from kikashi.engine.overrides import FROM_SIZE, merged, overridden, sections, settings_by_size, without
from kikashi.game import Game
from kikashi.parts.binding import PLUGINS, bind, is_removed, with_other_weights
from kikashi.parts.models import SUFFIX
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.registry import PartError, PartSpec, as_part, preferred_files
from kikashi.playout.kinds import heuristic
from kikashi.playout.policy import make_policy
from kikashi.search.config import Prior, SearchConfig, Stages
from kikashi.search.kinds import preset_keys, region, statistic
from kikashi.search.zones import ZoneRule
from kikashi.wording import convert, nearest

DEFAULT = "kikashi"
AtLeastZero = Annotated[float, msgspec.Meta(ge=0)]
Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Table = dict[str, Any]


USUAL_LEGAL_MOVES = 39.0
"""The legal moves, a pass included, of a position that gets the limit by ``legal_moves``: the mean over a game."""
DOUBLED, USUAL_LENGTH = range(10, 31), 100
"""Moves that get twice the limit by ``move_number``; the others of a game of usual length share what is left."""


class Choice(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Choice of the move from the statistics of a search."""

    rule: Literal["visits", "value", "robust", "wins", "best_wins", "amaf", "first_put"] = "visits"
    """The most visited move, the best, the most visited unless a well-visited one is better, the one that won most
    simulations, the one that won most in any one of several searches, the best by all simulations that had it at any
    time (with the statistic `rave`), or the one with the largest difference of first-put scores (with `first_puts`)."""
    resign: Annotated[float, msgspec.Meta(ge=0, lt=0.5)] = 0.0
    """Resign when the win rate has been below this for a while; 0 for never."""


class Komi(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Komi of a player's simulations."""

    rule: Literal["real", "dynamic", "none"] = "real"
    """The game's; or more, against the player, while it is ahead (Baier 2010, §7.4); or none at all, as in a paper
    whose games have none (Yoshizoe et al. 2006). An analysis has it as `internal_komi`."""
    stone: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    """The points of one stone."""
    raise_above: tuple[Rate, ...] = (0.55, 0.60)
    """One stone more for each of these win rates that a search exceeds."""
    lower_below: tuple[Rate, ...] = (0.45, 0.40)
    """One stone less for each of these that it stays below, down to the game's komi."""

    def extra_after(self, extra: float, winrate: float) -> float:
        """Return the points on top of the game's komi after a search with `extra` of them that won at this rate."""
        if self.rule != "dynamic":
            return 0.0
        raised = sum(winrate > rate for rate in self.raise_above)
        lowered = sum(winrate < rate for rate in self.lower_below)
        return max(0.0, extra + self.stone * (raised - lowered))


class TimeManagement(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Early stops of a search, and the use of the simulations or seconds that they save."""

    early_stop: Rate = 0.0
    """A search ends after a quarter of its limit, or later, once no other move has this share of the visits of the most
    visited. With 0, or if choice is not by visits, it ends only when no other move could have as many in the end."""
    decided: Rate = 0.0
    """A search ends after a quarter of its limit if it wins less often than this, or loses less often. Not where
    territory counts: points matter there to the end."""
    max_extension: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    """Savings that a later move may use, as a multiple of its own limit or share of the clock."""
    close: Rate = 0.5
    """A move uses savings while another has this share of the visits of the most visited, or wins more often."""


class SimulationSchedule(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Shares of a game's simulations by move. The mean over a usual game is the limit; time is not shared out so."""

    rule: Literal["even", "legal_moves", "move_number"] = "even"
    """The limit for every move; in proportion to the legal moves (Bouzy and Helmstetter 2003); or more for some moves
    (Yoshizoe et al. 2006, Results)."""

    def simulations(self, limit: int | None, game: Game) -> int | None:
        """Return the simulations of a move of a game, from those of its limit."""
        if limit is None or self.rule == "even":
            return limit
        return max(1, round(self.share(len(game.legal_moves), game.move_count + 1) * limit))

    def share(self, legal_moves: int, number: int) -> float:
        """Return the multiple of the limit for a move, by its legal moves and its number in the game, from 1.

        >>> SimulationSchedule("legal_moves").share(78, 1), SimulationSchedule("move_number").share(78, 10)
        (2.0, 2.0)
        """
        if self.rule == "legal_moves":
            return legal_moves / USUAL_LEGAL_MOVES
        if self.rule == "move_number":
            doubled = len(DOUBLED)
            return 2.0 if number in DOUBLED else (USUAL_LENGTH - 2 * doubled) / (USUAL_LENGTH - doubled)
        return 1.0


class PresetFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Settings of a preset besides the rules of the tree, which are `kikashi.search.kinds.preset_keys`."""

    source: str
    summary: str
    playout: str | list[str | Table]
    feasibility: str | Table | None = None
    plugins: list[str] = []
    """Files with parts of one's own, beside the preset's file."""
    memories: list[str | Table] = []
    """Memories that are kept although no heuristic reads them."""
    prior: list[Table] = []
    statistics: list[str | Table] = []
    """Statistics of nodes that are kept although no rule reads them: for the choice, or to be looked at."""
    stages: Stages | None = None
    even_games: AtLeastZero = 0.0
    virtual_loss: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 1
    transpositions: bool = False
    """Whether nodes of the same position share their children and their value."""
    choice: Choice = Choice()
    starts: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    komi: Komi = Komi()
    time_management: TimeManagement = TimeManagement()
    simulation_schedule: SimulationSchedule = SimulationSchedule()
    zone: str | Table | None = None
    """A region rule and its parameters, with those of `ZoneSettings` beside them."""


class ZoneSettings(msgspec.Struct, frozen=True):
    """Settings of a zone besides the region rule; see `kikashi.search.zones.ZoneRule`."""

    margin: Annotated[int, msgspec.Meta(ge=0, le=40)] = ZoneRule.margin
    tuning: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = ZoneRule.tuning
    share: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = ZoneRule.share
    alpha: Rate = ZoneRule.alpha


class SimulationValue(msgspec.Struct, frozen=True):
    """Value of a simulation, from the table of the backup rule."""

    value: Literal["win", "score"] = "win"
    score_weight: AtLeastZero = 0.0
    """Value of a point beside a win."""


@dataclass(frozen=True)
class Preset:
    """A program: the configuration of its search, and its rules of play."""

    name: str
    source: str
    summary: str
    config: SearchConfig
    choice: Choice
    table: Table = field(repr=False, compare=False)
    """The settings of its file and of its bases, with sections by size."""
    starts: int = 1
    """Searches that share the limit of a move, each from a seed of its own (Baier 2010, §7.1)."""
    komi: Komi = field(default_factory=Komi)
    time_management: TimeManagement = field(default_factory=TimeManagement)
    simulation_schedule: SimulationSchedule = field(default_factory=SimulationSchedule)
    by_size: tuple[tuple[int, Preset], ...] = field(default=(), repr=False)
    """Presets by the board size from which they hold, the smallest first; empty if it is the same on all."""

    def at(self, size: int) -> Preset:
        """Return the preset for boards of a size. The other fields are those of boards that have no section.

        >>> load_preset("mogo-2006", ["from_size.13.even_games=2"]).at(19).config.even_games
        2.0
        """
        fitting = [preset for least, preset in self.by_size if least <= size]
        return fitting[-1] if fitting else self

    @property
    def variants(self) -> tuple[Preset, ...]:
        """Presets of all board sizes, each once."""
        return tuple(preset for _, preset in self.by_size) or (self,)

    @property
    def weights(self) -> list[str]:
        """Files of arrays that its parts name, each once."""
        uses = (used for variant in self.variants for used in variant.config.bound_parts)
        named = [str(used.values[parameter]) for used in uses for parameter in used.part.models]
        return list(dict.fromkeys(name for name in named if name.endswith(SUFFIX)))


def load_preset(preset: str | Preset, overrides: Iterable[str] = ()) -> Preset:
    """Load a preset by name or path, or change one: ``"selection.p=1.2"``, ``"prior+={…}"``.

    Overrides hold on boards of every size, except for ``"from_size.13.selection.p=1.2"`` and its like. Settings may
    have the names of version 0.2. Raises ValueError if something is not right, OSError if a file cannot be read.

    >>> str(load_preset("mogo-2006", ["selection.p=1.5"]).config.rules["selection"])
    'ucb1_tuned(p=1.5, grandfather=True)'
    """
    name = preset.name if isinstance(preset, Preset) else preset
    table = preset.table if isinstance(preset, Preset) else PRESETS.read_merged(preset, _prepare, _merge)
    changed = overridden(table, map(current_override, overrides))
    return load_preset_table(Path(name).stem if name.endswith(".toml") else name, changed, called=name)


def load_preset_table(name: str, table: Table, *, called: str = "") -> Preset:
    """Make a preset from a table of settings. Raises ValueError, with the name or what it is `called` by the user."""
    try:
        with _plugins_in_use(table):
            return _made_from(name, copy.deepcopy(table))
    except ValueError as error:
        raise ValueError(f"preset {called or name}: {error}") from error


def preset_plugins(name: str) -> list[str]:
    """Return the paths of the plugins that a preset or its bases name. Raises ValueError and OSError."""
    return list(PRESETS.read_merged(name, _prepare, _merge).get(PLUGINS, []))


@contextmanager
def _plugins_in_use(table: Table) -> Iterator[None]:
    """Register the parts of a preset's plugins. A copy of a plugin that is in use already is that plugin."""
    files = table.get(PLUGINS)
    if not files or not _are_files(files):
        yield
        return
    known = preferred_files()
    contents = [Path(file).read_bytes() for file in known if Path(file).is_file()]
    new = [file for file in files if not (Path(file).is_file() and Path(file).read_bytes() in contents)]
    with plugins_of_a_player([*known, *new]):
        yield


def _are_files(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _prepare(name: str, table: Table) -> Table:
    """Rename settings of 0.2, check the sections of a preset's file, and make its paths relative to it."""
    table = current_table(table)
    sections(table)
    if name.endswith(".toml"):
        folder = Path(name).absolute().parent
        table = with_other_weights(table, lambda path: str(folder / path))
    if _are_files(table.get(PLUGINS)):
        table[PLUGINS] = [str(Path(beside(name, file)).resolve()) for file in table[PLUGINS]]
    return table


def _merge(base: Table, table: Table) -> Table:
    if _are_files(table.get(PLUGINS)):
        table[PLUGINS] = list(dict.fromkeys([*base.get(PLUGINS, []), *table[PLUGINS]]))
    return merged(base, table)


def _made_from(name: str, table: Table) -> Preset:
    """Make a preset that is right on boards of all sizes. Raises ValueError."""
    by_size = {}
    for least, settings in settings_by_size(table).items():
        try:
            by_size[least] = _made_for_size(name, settings)
        except ValueError as error:
            raise ValueError(f"{FROM_SIZE}.{least}: {error}" if least in sections(table) else str(error)) from error
    whole = by_size[MIN_SIZE]
    return replace(whole, table=table, by_size=tuple(by_size.items())) if len(by_size) > 1 else whole


def _made_for_size(name: str, table: Table) -> Preset:
    rules = {key: table[key] for key in preset_keys() if key in table}
    if odd := [key for key, spec in rules.items() if not isinstance(spec, str | dict)]:
        raise ValueError(f"{odd[0]} is the name of a part or a table {{ rule = ... }}, not {rules[odd[0]]!r}")
    further = {key: value for key, value in table.items() if key not in rules and not is_removed(key, value)}
    known = [*(field.name for field in msgspec.structs.fields(PresetFile)), *preset_keys(), FROM_SIZE]
    if unknown := [key for key in further if key not in known]:
        raise ValueError(f"there is no setting {unknown[0]!r}; {nearest(unknown[0], known)}")
    file = convert(further, PresetFile)
    if file.zone is not None and (file.starts > 1 or file.stages is not None or file.komi.rule != "real"):
        raise ValueError(
            "a zone has a komi of its own: it goes neither with several starts, nor with stages, nor with another komi"
        )
    same = {each.name: getattr(file, each.name) for each in fields(Preset) if each.name in file.__struct_fields__}
    return Preset(name=name, config=_search_config(file, rules), table=table, **same)


def _search_config(file: PresetFile, rules: Mapping[str, PartSpec]) -> SearchConfig:
    backup_rule = rules.get("backup", {})
    values = {} if isinstance(backup_rule, str) else _fields_of(SimulationValue, backup_rule)
    worth = convert(values, SimulationValue, "backup")
    rules = {key: spec if isinstance(spec, str) else without(spec, values) for key, spec in rules.items()}
    return SearchConfig(
        policy=make_policy(file.playout, feasibility=file.feasibility, memories=file.memories),
        rules={key: bind(preset_keys()[key], *as_part(spec)) for key, spec in rules.items()},
        win_weight=1.0 if worth.value == "win" else 0.0,
        score_weight=worth.score_weight if worth.value == "win" else 1.0,
        priors=tuple(_prior(prior) for prior in file.prior),
        even_games=file.even_games,
        virtual_loss=file.virtual_loss,
        transpositions=file.transpositions,
        zone=None if file.zone is None else _zone(file.zone),
        kept_statistics=tuple(bind(statistic, *as_part(spec)) for spec in file.statistics),
        stages=file.stages,
    )


def _zone(spec: PartSpec) -> ZoneRule:
    """Make a zone from its table, or from the name of a region rule."""
    table = {"rule": spec} if isinstance(spec, str) else spec
    fields = _fields_of(ZoneSettings, table)
    settings = msgspec.structs.asdict(msgspec.convert(fields, ZoneSettings))
    return ZoneRule(bind(region, *as_part(without(table, fields))), **settings)


def _fields_of(kind: type[msgspec.Struct], table: Mapping[str, Any]) -> Table:
    return {key: table[key] for key in kind.__struct_fields__ if key in table}


def _prior(table: Mapping[str, Any]) -> Prior:
    games = convert(table.get("games", Prior.games), float, "the games of a prior")
    power = convert(table.get("power", Prior.power), AtLeastZero, "the power of a prior")
    relative = convert(table.get("relative", Prior.relative), bool, "whether a prior is relative")
    used = bind(heuristic, *as_part(without(table, ("games", "power", "relative"))))
    if used.values["skip"]:
        raise PartError(f"prior {used.part.name!r}: every new node asks it, so it has no skip")
    return Prior(used, games, power, relative)
