"""Kinds of experiments. A kind is one class: the design that a TOML file has, its run, its numbers and its report.

Each kind of the package is a file of `kikashi.experiments.kinds`, called as the kind is; a kind of a user's is a file
that an experiment names (``plugins = ["my_kind.py"]``). `experiment_kind` registers a class; `docs/lab.md` shows one.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import msgspec

from kikashi.experiments import kinds
from kikashi.experiments.claims import AnyClaim, Effect, Observations
from kikashi.match.game_players import signature
from kikashi.match.journal import FILE, Journal, is_begun, read_records, work_off
from kikashi.match.match_player import MatchPlayer, files_of_player, match_player
from kikashi.match.player_spec import PlayerSpec
from kikashi.match.progress import Progress
from kikashi.match.provenance import versions
from kikashi.parts.binding import identity_of
from kikashi.parts.models import SUFFIX
from kikashi.parts.plugins import load_plugin
from kikashi.report import Element
from kikashi.wording import nearest
from kikashi.workers.executors import Workers
from kikashi.workers.serialization import Packed, packs, put

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
Color = Literal["black", "white"]
FEWEST_SIMULATIONS = 16
DEFAULT_SIZE = 9
NOTHING = "–"
"""A cell of a table without a value."""
Numbers = dict[str, Any]
Values = dict[str, list[Any]]
"""Settings as they are run: by name, the different values that rows have."""


class Deviation(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A deviation from the paper that holds only for some settings."""

    text: str
    where: dict[str, bool | int | float | str]
    """Settings as they are run: a text is part of them, a number is equal, true and false ask whether there is any."""


class PlayerRow(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A player of an experiment; kinds add their fields."""

    name: str
    player: str
    """A preset with options."""


class Findings(NamedTuple):
    """The results of an experiment."""

    verdict: str
    """The result in one sentence."""
    scope: str
    """Sentences about the size of the run."""
    elements: Sequence[Element]
    data: dict[str, Any]
    """The same for programs."""


class Design(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """An experiment, as its file has it or at a scale; subclasses are kinds. Scale 1 is the paper's size.

    A kind defines `record_type`, `decided_by`, `steps`, `work`, `rows`, `core_seconds`, `numbers` and `findings`.
    """

    kind: ClassVar[str]
    unit: ClassVar[str]
    """Plural of what it is made of: games, positions, searches."""
    record_type: ClassVar[type]
    """A result, which has the `number` of its task."""
    journal_kind: ClassVar[str] = ""
    """Its name in journals, if that is not the kind."""
    decided_by: ClassVar[Sequence[str]] = ()
    """Settings that decide the results, besides the seed; they stay the same in a journal."""
    least: ClassVar[Mapping[str, int]] = {}
    """Settings that the scale shrinks, with the least that it leaves."""
    sentences: ClassVar[Mapping[str, str]] = {}
    """Sentences about changed settings: ``"oracle": "{now} samples of an oracle for {before}"``."""
    alternatives: ClassVar[Mapping[str, str]] = {}
    """Settings that take the place of others on the command line."""
    is_paired: ClassVar[bool] = False
    """Whether all labels of observations are of the same positions, in the same order."""

    title: str
    source: str
    about: str = ""
    deviations: list[str | Deviation] = []
    """Differences from the paper, line by line. ``{games}`` stands for a setting as it is run."""
    remarks: list[str] = []
    """Remarks about the paper's own results."""
    seed: int = 1
    plugins: list[str] = []
    """Python files with kinds and parts."""
    claim: list[AnyClaim] = []
    """The paper's claims, which `observations` decide."""
    scale: float = 1.0
    """Set by `at`, not by a file."""
    paper: Any = None
    """The design of the file, if the scale or the command line changes it."""

    def at(self, scale: float) -> Self:
        """Return the experiment at a scale. Raises ValueError and OSError if it cannot be run."""
        found = msgspec.structs.replace(self, scale=scale, paper=self.paper or self, **self.scaled(scale))
        found.check()
        return found

    # --- defined by every kind ---

    @property
    def steps(self) -> int:
        """The number of tasks."""
        raise NotImplementedError

    def work(self, number: int) -> Any:
        """Return the record of a task."""
        raise NotImplementedError

    def rows(self) -> Iterator[dict[str, str]]:
        """Yield rows for ``kikashi experiment show``, with published values."""
        raise NotImplementedError

    def core_seconds(self) -> float:
        """Return the estimated seconds of one core, by `kikashi.experiments.estimate`."""
        raise NotImplementedError

    def numbers(self, records: Sequence[Any]) -> Iterator[Numbers]:
        """Yield rows of numbers, ours and the paper's where they compare, for data frames."""
        raise NotImplementedError

    def findings(self, records: Sequence[Any]) -> Findings:
        """Return the results in words, tables and plots."""
        raise NotImplementedError

    # --- as usual, unless a kind has its own ---

    def settings(self) -> dict[str, Any]:
        """Return all that decides the results, for the journal and for deviations."""
        return {name: getattr(self, name) for name in (*self.decided_by, "seed")}

    def observations(self, records: Sequence[Any]) -> Observations:
        """Return the observations by label that claims are about."""
        return {}

    def effects(self, records: Sequence[Any]) -> list[Effect | None]:
        """Return the effects of the claims."""
        observations = self.observations(records)
        return [claim.effect(observations, paired=self.is_paired) for claim in self.claim]

    def published_means(self) -> dict[str, float]:
        """Return the paper's mean of observations, by label."""
        return {}

    def hours_spent(self, records: Sequence[Any]) -> float:
        """Return the core-hours of records; estimated by nominal speeds if they have none."""
        return self.core_seconds() / 3600 * len(records) / max(1, self.steps)

    def scaled(self, scale: float) -> dict[str, Any]:
        """Return the settings that a scale changes. Raises ValueError and OSError."""
        found = {}
        for name, least in self.least.items():
            value = getattr(self, name)
            several = [at_scale(each, scale, least) for each in value] if isinstance(value, list) else None
            found[name] = list(dict.fromkeys(several)) if several is not None else at_scale(value, scale, least)
        return found

    def check(self) -> None:
        """Raise ValueError if the experiment cannot be run."""

    @property
    def players(self) -> list[str]:
        """The texts of the players, whose files travel to other machines."""
        return [row.player for row in getattr(self, "player", ())]

    def published_with(self) -> dict[str, str]:
        """Return the settings that published values depend on, in words: ``{"size": "on 9×9"}``."""
        return {}

    def values(self) -> Values:
        """Return the settings for deviations. Raises ValueError and OSError."""
        return {name: _different(value) for name, value in self.settings().items() if name != "seed"}

    def complete(self, records: Sequence[Any]) -> Sequence[Any]:
        """Return the records of an interrupted run that count in its report."""
        return records

    @property
    def is_even(self) -> bool:
        """Whether opponents search as little as the players do, so that smaller limits favour nobody."""
        return False

    def whole(self) -> Self:
        """Return the design with all its rows, if only some are run."""
        return self

    def same_as(self) -> Any:
        """Return what runs must share to count together, besides signatures; None if no others count with this one."""
        return None

    def identity(self, record: Any) -> Any:
        """Return what two records that are the same observation share."""
        return record.number

    def signatures(self, headers: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Return the signatures of presets that played, by `player_key`; empty if the headers have none, or several."""
        keys = [key for key, (spec, _) in self.player_keys().items() if spec.preset]
        known = [header.get("signatures", dict.fromkeys(keys, "")) for header in headers]
        played = [key for key in keys if any(key in each for each in known)]
        return {key: _only(each[key] for each in known if key in each) for key in played}

    def player_keys(self) -> dict[str, tuple[PlayerSpec, int]]:
        """Return the presets without their limits, and boards, by text: what a signature is of."""
        size = getattr(self, "size", DEFAULT_SIZE)
        return dict(player_key(PlayerSpec.parse(text), size) for text in self.players)

    def signatures_now(self) -> dict[str, str]:
        """Return how this version plays, by `player_key`. Raises ValueError."""
        return {
            key: signature(match_player(spec), size) for key, (spec, size) in self.player_keys().items() if spec.preset
        }

    def done(self, header: Mapping[str, Any], records: Sequence[Any]) -> tuple[int, int, bool]:
        """Return the finished and all tasks of a run, and whether it is over."""
        finished = len({record.number for record in records})
        total = header.get("steps", self.steps)
        return finished, total, finished >= total

    def progress(self, folder: Path, seconds: float) -> Progress:
        """Return the progress of a run that begins or is resumed."""
        before = len(read_records(folder, dict)) if is_begun(folder) else 0
        return Progress(self.steps, self.unit, estimate=seconds, before=before)

    def tasks(self) -> list[Task]:
        """Return the tasks of a run."""
        design = msgspec.structs.replace(self, paper=None)
        return [Task(number, design) for number in range(self.steps)]

    def run(self, folder: Path, workers: Workers, listener: Any = None, tell: Any = None) -> list[Any]:
        """Run the tasks that the folder's journal does not have and return all records in order."""
        table = msgspec.to_builtins(self.settings())
        if self.plugins:
            table["plugins"] = [sha256(Path(file).read_bytes()).hexdigest() for file in self.plugins]
        header = {
            "kind": self.journal_kind or self.kind,
            "settings": table,
            "steps": self.steps,
            "signatures": self.signatures_now(),
            "versions": versions(),
        }
        if files := self.identities():
            header["files"] = files
        journal: Journal[Any] = Journal(folder, header, self.record_type, resume=(folder / FILE).exists())
        with journal:
            return work_off(journal, self.tasks(), do_task, workers, listener or (lambda _record: None))

    def identities(self) -> dict[str, str]:
        """Return the identities of players and policies that name files, by their texts. Raises as `match_player`."""
        found = {text: match_player(text).identity for text in self.players}
        found |= {text: identity_of(text) for text in self.settings().get("policies", ()) if SUFFIX in text}
        return {text: identity for text, identity in found.items() if identity}


def _different(value: Any) -> list[Any]:
    """Return the different numbers of a setting that has one for each player; any other value as it is."""
    is_of_rows = isinstance(value, list | tuple) and all(isinstance(each, int) for each in value)
    return list(dict.fromkeys(value)) if is_of_rows else [value]


# --- the registry -----------------------------------------------------------------------------------------------------

AnyDesign = TypeVar("AnyDesign", bound=type[Design])
KINDS: dict[str, type[Design]] = {}


def experiment_kind(name: str, unit: str) -> Callable[[AnyDesign], AnyDesign]:
    """Register a class of designs as a kind of experiments, which are made of `unit`: games, positions, searches."""

    def register(design: AnyDesign) -> AnyDesign:
        design.kind, design.unit = name, unit
        KINDS[name] = design
        return design

    return register


def kind_named(name: Any, plugins: Iterable[str] = ()) -> type[Design]:
    """Return a kind of the package or of plugins. Raises ValueError, and PartError for a plugin."""
    for file in plugins:
        load_plugin(file)
    shipped = [module.name for module in pkgutil.iter_modules(kinds.__path__)]
    if name in shipped:
        import_module(f"{kinds.__name__}.{name}")
    if name not in KINDS:
        raise ValueError(f"there is no kind {name!r}; {nearest(str(name), sorted({*shipped, *KINDS}))}")
    return KINDS[name]


# --- tasks ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A task of an experiment. A worker that restores it loads the plugins first, since they may define its kind."""

    number: int
    design: Any

    def __reduce__(self) -> Any:
        return _restore, (self.number, self.design.kind, msgspec.to_builtins(self.design))


def _restore(number: int, kind: str, table: dict[str, Any]) -> Task:
    return Task(number, msgspec.convert(table, kind_named(kind, table["plugins"])))


def do_task(task: Task) -> Any:
    return task.design.work(task.number)


@packs(Task)
def _pack_task(task: Task) -> Packed | None:
    """Pack a task for another machine, with its plugins and the files of its players."""
    design, texts = task.design, task.design.players
    files = {file: Path(file).read_bytes() for file in design.plugins}
    for text in texts:
        files |= files_of_player(match_player(text), PlayerSpec.parse(text))
    return (_unpack_task, (task.number, design.kind, msgspec.to_builtins(design), texts, files)) if files else None


def _unpack_task(number: int, kind: str, table: dict[str, Any], texts: list[str], files: dict[str, bytes]) -> Task:
    paths = {name: put(name, data) for name, data in files.items()}

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            own = PlayerSpec(preset="-", overrides=tuple(value.get("overrides", ()))).with_files(paths).overrides
            return {key: moved(each) for key, each in value.items()} | ({"overrides": own} if own else {})
        if isinstance(value, list | tuple):
            return [moved(each) for each in value]
        if not isinstance(value, str) or value in paths:
            return paths.get(value, value)
        return str(PlayerSpec.parse(value).with_files(paths)) if value in texts else value

    return _restore(number, kind, moved(table))


# --- for kinds --------------------------------------------------------------------------------------------------------


def at_scale(value: int, scale: float, least: int) -> int:
    """Return a number of the paper's at a scale: at least `least`, or the number itself if that is smaller.

    >>> at_scale(70000, 0.1, 16), at_scale(500, 0.001, 16), at_scale(4, 0.1, 16)
    (7000, 16, 4)
    """
    return min(value, max(least, round(value * scale)))


def player_key(spec: PlayerSpec, size: int) -> tuple[str, tuple[PlayerSpec, int]]:
    """Return the text of a player without its limits, on its board, and the two."""
    bare = replace(spec, name="", simulations=None, seconds=None, clock=None, threads=1, megabytes=None)
    return f"{bare.name} on {size}x{size}", (bare, size)


def _only(found: Iterable[str]) -> str:
    """Return the one signature of all journals; empty if they have several."""
    different = set(found)
    return different.pop() if len(different) == 1 else ""


def preset_player(text: str, simulations: int, why: str) -> MatchPlayer:
    """Return a player that is a preset. Raises ValueError for an engine, with the reason why it cannot be one."""
    player = match_player(text, simulations=simulations)
    if not player.preset:
        raise ValueError(f"player {text!r} is not a preset: {why}")
    return player
