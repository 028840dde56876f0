"""Presets: the programs of the papers, as TOML files that wire parts together."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from kikashi.board.points import MIN_SIZE
from kikashi.engine.merging import FROM_SIZE, at_size, change, merged, sections, without
from kikashi.engine.preset_files import is_preset as is_preset, preset_names as preset_names, preset_text as preset_text
from kikashi.game import Game
from kikashi.parts.binding import WEIGHTS, bind, is_removed, with_other_weights
from kikashi.parts.plugins import plugins_of_a_player
from kikashi.parts.registry import PartError, PartSpec, as_part, preferred_files
from kikashi.playout.kinds import heuristic
from kikashi.playout.policy import make_policy
from kikashi.search.config import Prior, SearchConfig, Stages
from kikashi.search.kinds import preset_keys, region, statistic
from kikashi.search.zones import ZoneRule
from kikashi.wording import convert, nearest, read_toml

DEFAULT = "kikashi"
MOST_BASES = 16
PLUGINS = "plugins"
"""The setting that names plugins."""
AtLeastZero = Annotated[float, msgspec.Meta(ge=0)]
Rate = Annotated[float, msgspec.Meta(ge=0, le=1)]
Table = dict[str, Any]


class Choice(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """How a player makes up its mind."""

    rule: Literal["visits", "value", "robust", "wins", "best_wins", "amaf", "first_put"] = "visits"
    """The most visited move, the best, the most visited unless a well-visited one is better, the one that won most
    simulations, the one that won most in any one of several searches, the best by all simulations that had it at any
    time (with the statistic `rave`), or the one with the largest difference of first-put scores (with `first_puts`)."""
    resign: Annotated[float, msgspec.Meta(ge=0, lt=0.5)] = 0.0
    """Resign when the win rate has been below this for a while; 0 for never."""


class Komi(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """By which komi a player's simulations are counted."""

    rule: Literal["real", "dynamic", "none"] = "real"
    """The game's; or more, against the player, while it is ahead (Baier 2010, §7.4); or none at all, as in a paper
    whose games have none (Yoshizoe et al. 2006). An analysis says so (`internal_komi`)."""
    stone: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    """The points of one stone."""
    raise_above: tuple[Rate, ...] = (0.55, 0.60)
    """One stone more for each of these win rates that a search exceeds."""
    lower_below: tuple[Rate, ...] = (0.45, 0.40)
    """One stone less for each of these that it stays below, down to the game's komi."""

    def extra_after(self, extra: float, winrate: float) -> float:
        """The points on top of the game's komi after a search with `extra` of them that won at this rate."""
        if self.rule != "dynamic":
            return 0.0
        raised = sum(winrate > rate for rate in self.raise_above)
        lowered = sum(winrate < rate for rate in self.lower_below)
        return max(0.0, extra + self.stone * (raised - lowered))


class Reserve(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a player saves where a search ends early, and what becomes of these simulations or seconds."""

    clear: Rate = 0.0
    """A search ends after a quarter of its budget, or later, once no other move has this share of the visits of the
    most visited. Without it, or where choice is not by visits, only when no other could have as many in the end."""
    decided: Rate = 0.0
    """A search ends after a quarter of its budget where it wins less often than this, or loses less often: another move
    will hardly change who wins. Not where territory counts: there points matter to the end."""
    most: Annotated[float, msgspec.Meta(ge=0, le=100)] = 0.0
    """How many times its own budget, or share of the clock, a later move may have besides, of what was saved."""
    close: Rate = 0.5
    """A move has more while another has this share of the visits of the most visited, or wins more often."""


class Effort(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The shares of a game's simulations that its moves get. Over a usual game a move has those of the budget in the
    mean; seconds and clocks are not shared out so."""

    rule: Literal["even", "legal_moves", "move_number"] = "even"
    """As many for every move; in proportion to the legal moves (Bouzy and Helmstetter 2003); or more for some of the
    moves than for the others (Yoshizoe et al. 2006, Results)."""
    usual: Annotated[float, msgspec.Meta(gt=0)] = 39.0
    """The legal moves, a pass included, of a position that gets as many as the budget says: the mean over a game."""
    first: Annotated[int, msgspec.Meta(ge=1)] = 10
    last: Annotated[int, msgspec.Meta(ge=1)] = 30
    """The first and the last move that get more."""
    times: Annotated[float, msgspec.Meta(gt=0)] = 2.0
    """How many times the budget these get."""
    moves: Annotated[int, msgspec.Meta(ge=1)] = 100
    """Of a usual game: the other moves share what is left of its budget."""

    def __post_init__(self) -> None:
        if not self.first <= self.last < self.moves:
            raise ValueError(f"first, last and moves go up, not {self.first}, {self.last}, {self.moves}")
        if self.others <= 0:
            raise ValueError(f"{self.times:g} times for moves {self.first} to {self.last} leaves the others nothing")

    @property
    def others(self) -> float:
        """How many times the budget all other moves get."""
        more = self.last - self.first + 1
        return (self.moves - self.times * more) / (self.moves - more)

    def simulations(self, limit: int | None, game: Game) -> int | None:
        """The simulations of a move of a game, from those of its limit."""
        if limit is None or self.rule == "even":
            return limit
        return max(1, round(self.share(len(game.legal_moves), game.move_count + 1) * limit))

    def share(self, legal_moves: int, number: int) -> float:
        """How many times the limit a move gets, by its legal moves and its number in the game, 1 for the first.

        >>> Effort("legal_moves").share(78, 1), Effort("move_number").share(78, 10)
        (2.0, 2.0)
        """
        if self.rule == "legal_moves":
            return legal_moves / self.usual
        if self.rule == "move_number":
            return self.times if self.first <= number <= self.last else self.others
        return 1.0


class Blocks(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A search in stages of blocks (`kikashi.search.staged`)."""

    blocks: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = Stages.blocks
    games: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = Stages.games


class PresetFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What a preset's TOML says besides the rules of the tree, which are `kikashi.search.kinds.preset_keys`."""

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
    stages: Blocks | None = None
    even_games: AtLeastZero = 0.0
    virtual_loss: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 1
    transpositions: bool = False
    """Whether nodes of the same position share their children and their value."""
    choice: Choice = Choice()
    starts: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1
    komi: Komi = Komi()
    reserve: Reserve = Reserve()
    effort: Effort = Effort()
    zone: str | Table | None = None
    """A region rule and its parameters, with those of `Zoning` beside them."""


class Zoning(msgspec.Struct, frozen=True):
    """What a zone's table says besides the region rule; see `kikashi.search.zones.ZoneRule`."""

    margin: Annotated[int, msgspec.Meta(ge=0, le=40)] = ZoneRule.margin
    tuning: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = ZoneRule.tuning
    share: Annotated[float, msgspec.Meta(gt=0, le=0.5)] = ZoneRule.share
    alpha: Rate = ZoneRule.alpha


class Worth(msgspec.Struct, frozen=True):
    """What a simulation is worth, from the table of the backup rule."""

    value: Literal["win", "score"] = "win"
    score_weight: AtLeastZero = 0.0
    """What a point adds to a win."""


@dataclass(frozen=True)
class Preset:
    """A program: what it searches by and how it makes up its mind."""

    name: str
    source: str
    summary: str
    config: SearchConfig
    choice: Choice
    table: Table = field(repr=False, compare=False)
    """The settings it was made from, those of its base among them, and its sections by size."""
    starts: int = 1
    """How many searches share the budget of a move, each from a seed of its own (Baier 2010, §7.1)."""
    komi: Komi = field(default_factory=Komi)
    reserve: Reserve = field(default_factory=Reserve)
    effort: Effort = field(default_factory=Effort)
    by_size: tuple[tuple[int, Preset], ...] = field(default=(), repr=False)
    """What it is from a size of board on, the smallest first; nothing if it is the same on all."""

    def at(self, size: int) -> Preset:
        """What it is on boards of a size. Whoever plays asks for that: the rest of this record is what holds where the
        preset has no section for the size.

        >>> load_preset("mogo-2006", ["from_size.13.even_games=2"]).at(19).config.even_games
        2.0
        """
        fitting = [preset for least, preset in self.by_size if least <= size]
        return fitting[-1] if fitting else self

    @property
    def variants(self) -> tuple[Preset, ...]:
        """All that it can be, on boards of one size or another."""
        return tuple(preset for _, preset in self.by_size) or (self,)

    @property
    def weights(self) -> list[str]:
        """The files of learned weights that its parts name, each once."""
        uses = (used for variant in self.variants for used in variant.config.bound_parts)
        named = [str(used.values[parameter]) for used in uses for parameter in used.part.models]
        return list(dict.fromkeys(name for name in named if name.endswith(WEIGHTS)))


def load_preset(preset: str | Preset, overrides: Iterable[str] = ()) -> Preset:
    """A preset, by name or path or as it is, with some settings changed: ``"selection.p=1.2"``, ``"prior+={…}"``.

    They hold on boards of every size, except for ``"from_size.13.selection.p=1.2"`` and its like.
    Raises ValueError if something is not right, OSError if a file cannot be read.

    >>> str(load_preset("mogo-2006", ["selection.p=1.5"]).config.rules["selection"])
    'ucb1_tuned(p=1.5, grandfather=True)'
    """
    name = preset.name if isinstance(preset, Preset) else preset
    table = copy.deepcopy(preset.table) if isinstance(preset, Preset) else _table_of(preset)
    change(table, overrides)
    try:
        with _plugins_in_use(table):
            return _made_from(Path(name).stem if name.endswith(".toml") else name, table)
    except ValueError as error:
        raise ValueError(f"preset {name}: {error}") from error


def load_preset_table(name: str, table: Table) -> Preset:
    """A preset from the settings of another (`Preset.table`). Raises ValueError if something is not right."""
    try:
        with _plugins_in_use(table):
            return _made_from(name, copy.deepcopy(table))
    except ValueError as error:
        raise ValueError(f"preset {name}: {error}") from error


def preset_plugins(name: str) -> list[str]:
    """The paths of the plugins that a preset names, or its bases do. Raises ValueError and OSError."""
    return list(_table_of(name).get(PLUGINS, []))


@contextmanager
def _plugins_in_use(table: Table) -> Iterator[None]:
    """Have the parts of a preset's plugins known. A copy of a plugin that is in use already is that one."""
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


def _table_of(name: str, *derived: str) -> Table:
    """The settings of a preset: those of its base, and what differs."""
    if len(derived) == MOST_BASES:
        raise ValueError(f"preset {derived[0]}: its bases come to no end")
    text = preset_text(name)
    try:
        table = read_toml(text)
        sections(table)  # what is wrong with them is told of the file that has them, not of one with that base
    except ValueError as error:
        raise ValueError(f"preset {name}: {error}") from None
    if name.endswith(".toml"):
        folder = Path(name).absolute().parent
        table = with_other_weights(table, lambda path: str(folder / path))  # beside the file, as its base is
    if _are_files(table.get(PLUGINS)):  # what else it may be is told later
        table[PLUGINS] = [str(Path(Path(name).parent, file).resolve()) for file in table[PLUGINS]]
    base = table.pop("base", None)
    if base is None:
        return table
    if not isinstance(base, str):
        raise ValueError(f"preset {name}: base is the name or path of another preset, not {base!r}")
    if base.endswith(".toml"):  # beside the file that names it
        base = str(Path(name).parent / base)
    below = _table_of(base, *derived, name)
    if _are_files(table.get(PLUGINS)):
        table[PLUGINS] = list(dict.fromkeys([*below.get(PLUGINS, []), *table[PLUGINS]]))
    return merged(below, table)


def _made_from(name: str, table: Table) -> Preset:
    """A preset, which is right on boards of all sizes. Raises ValueError."""
    whole = _made_for_size(name, without(table, [FROM_SIZE]))
    by_size = {MIN_SIZE: whole}
    for least in sections(table):
        try:
            by_size[least] = _made_for_size(name, at_size(table, least))
        except ValueError as error:
            raise ValueError(f"{FROM_SIZE}.{least}: {error}") from error
    return replace(whole, table=table, by_size=tuple(by_size.items())) if sections(table) else whole


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
    return Preset(
        name,
        file.source,
        file.summary,
        _search_config(file, rules),
        file.choice,
        table,
        starts=file.starts,
        komi=file.komi,
        reserve=file.reserve,
        effort=file.effort,
    )


def _search_config(file: PresetFile, rules: Mapping[str, PartSpec]) -> SearchConfig:
    back_up = rules.get("backup", {})
    said = (
        {} if isinstance(back_up, str) else {key: back_up[key] for key in ("value", "score_weight") if key in back_up}
    )
    worth = convert(said, Worth, "backup")
    rules = {key: spec if isinstance(spec, str) else without(spec, said) for key, spec in rules.items()}
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
        stages=None if file.stages is None else Stages(file.stages.blocks, file.stages.games),
    )


def _zone(spec: PartSpec) -> ZoneRule:
    """A zone from its table, or from the name of a region rule."""
    table = {"rule": spec} if isinstance(spec, str) else spec
    said = {key: table[key] for key in Zoning.__struct_fields__ if key in table}
    zoning = msgspec.convert(said, Zoning)
    return ZoneRule(bind(region, *as_part(without(table, said))), **msgspec.structs.asdict(zoning))


def _prior(table: Mapping[str, Any]) -> Prior:
    games = convert(table.get("games", Prior.games), float, "the games of a prior")
    power = convert(table.get("power", Prior.power), AtLeastZero, "the power of a prior")
    relative = convert(table.get("relative", Prior.relative), bool, "whether a prior is relative")
    used = bind(heuristic, *as_part(without(table, ("games", "power", "relative"))))
    if used.values["skip"]:
        raise PartError(f"prior {used.part.name!r}: every new node asks it, so it has no skip")
    return Prior(used, games, power, relative)
