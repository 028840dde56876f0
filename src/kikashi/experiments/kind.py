"""Kinds of experiments. A kind is one class: the design that a TOML file has, its run, its numbers and its report.

Each kind of the package is a file of `kikashi.experiments.kinds`, called as the kind is; a kind of a user's is a file
that an experiment names (``plugins = ["my_kind.py"]``). `experiment_kind` registers a class; `docs/lab.md` shows one.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar

import msgspec

from kikashi.experiments import kinds
from kikashi.match.journal import FILE, Journal, is_begun, read_records, work_off
from kikashi.match.match_player import MatchPlayer, files_of_player, match_player
from kikashi.match.player_spec import PlayerSpec
from kikashi.match.progress import Progress
from kikashi.parts.plugins import load_plugin
from kikashi.report import Element
from kikashi.wording import nearest
from kikashi.workers.executors import Workers
from kikashi.workers.serialization import Packed, packs, put

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]
Color = Literal["black", "white"]
FEWEST_SIMULATIONS = 16
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


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides the results of an experiment, as its journal has it. Raises ValueError if it cannot be run."""

    seed: int

    @property
    def steps(self) -> int:
        """The number of tasks."""
        raise NotImplementedError

    def players_by_text(self) -> dict[str, MatchPlayer]:
        """Return the players whose files travel to other machines, by the text that names them."""
        return {}


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
    """An experiment as its file has it; subclasses are kinds. Scale 1 is the paper's size.

    A kind defines `settings`, `work`, `rows`, `core_seconds`, `numbers` and `findings`, and the two types.
    """

    kind: ClassVar[str]
    unit: ClassVar[str]
    """Plural of what it is made of: games, positions, searches."""
    settings_type: ClassVar[type]
    record_type: ClassVar[type]
    """A result, which has the `number` of its task."""
    journal_kind: ClassVar[str] = ""
    """Its name in journals, if that is not the kind."""
    sentences: ClassVar[Mapping[str, str]] = {}
    """Sentences about changed settings: ``"oracle": "{now} samples of an oracle for {before}"``."""
    alternatives: ClassVar[Mapping[str, str]] = {}
    """Settings that take the place of others on the command line."""

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
    paper: Any = None
    """The design of the file, if the command line changes it."""

    # --- defined by every kind ---

    def settings(self, scale: float) -> Any:
        """Return the settings at a scale. Raises ValueError and OSError."""
        raise NotImplementedError

    @staticmethod
    def work(settings: Any, number: int) -> Any:
        """Return the record of a task."""
        raise NotImplementedError

    def rows(self, scale: float) -> Iterator[dict[str, str]]:
        """Yield rows for ``kikashi experiment show``, with published values."""
        raise NotImplementedError

    def core_seconds(self, scale: float) -> float:
        """Return the estimated seconds of one core, by `kikashi.experiments.estimate`."""
        raise NotImplementedError

    def numbers(self, scale: float, records: Sequence[Any]) -> Iterator[Numbers]:
        """Yield rows of numbers, ours and the paper's where they compare, for data frames."""
        raise NotImplementedError

    def findings(self, scale: float, records: Sequence[Any]) -> Findings:
        """Return the results in words, tables and plots."""
        raise NotImplementedError

    # --- as usual, unless a kind says otherwise ---

    def published_with(self, theirs: Any) -> dict[str, str]:
        """Return the settings that published values depend on, in words: ``{"size": "on 9×9"}``."""
        return {}

    def values_run(self, scale: float) -> Values:
        """Return the settings at a scale, for deviations. Raises ValueError and OSError."""
        settings = msgspec.structs.asdict(self.settings(scale))
        return {name: _different(value) for name, value in settings.items() if name != "seed"}

    def complete(self, scale: float, records: Sequence[Any]) -> Sequence[Any]:
        """Return the records of an interrupted run that count in its report."""
        return records

    def done(self, folder: Path, header: Mapping[str, Any]) -> tuple[int, int, bool]:
        """Return the finished and all tasks of a run, and whether it is over."""
        settings: Settings = msgspec.convert(header["settings"], self.settings_type)
        finished = len({record["number"] for record in read_records(folder, dict)})
        return finished, settings.steps, finished >= settings.steps

    def progress(self, scale: float, folder: Path, seconds: float) -> Progress:
        """Return the progress of a run that begins or is resumed."""
        before = len(read_records(folder, dict)) if is_begun(folder) else 0
        return Progress(self.settings(scale).steps, self.unit, estimate=seconds, before=before)

    def tasks(self, scale: float) -> list[Task]:
        """Return the tasks of a run. Raises ValueError and OSError."""
        settings = self.settings(scale)
        return [Task(number, self.kind, tuple(self.plugins), settings) for number in range(settings.steps)]

    def run(self, folder: Path, workers: Workers, *, scale: float, listener: Any = None, tell: Any = None) -> list[Any]:
        """Run the tasks that the folder's journal does not have and return all records in order."""
        table = msgspec.to_builtins(self.settings(scale))
        if self.plugins:
            table["plugins"] = [sha256(Path(file).read_bytes()).hexdigest() for file in self.plugins]
        header = {"kind": self.journal_kind or self.kind, "settings": table}
        journal: Journal[Any] = Journal(folder, header, self.record_type, resume=(folder / FILE).exists())
        with journal:
            return work_off(journal, self.tasks(scale), do_task, workers, listener or (lambda _record: None))


def _different(value: Any) -> list[Any]:
    """Return the different numbers of a setting that has one for each player; any other value as it is."""
    is_of_rows = isinstance(value, tuple) and all(isinstance(each, int) for each in value)
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
    kind: str
    plugins: tuple[str, ...]
    settings: Any

    def __reduce__(self) -> Any:
        return _restore, (self.number, self.kind, self.plugins, msgspec.to_builtins(self.settings))


def _restore(number: int, kind: str, plugins: tuple[str, ...], table: dict[str, Any]) -> Task:
    return Task(number, kind, plugins, msgspec.convert(table, kind_named(kind, plugins).settings_type))


def do_task(task: Task) -> Any:
    """Return the record of a task."""
    return kind_named(task.kind, task.plugins).work(task.settings, task.number)


@packs(Task)
def _pack_task(task: Task) -> Packed | None:
    """Pack a task for another machine, with its plugins and the files of its players."""
    players = task.settings.players_by_text()
    files = {file: Path(file).read_bytes() for file in task.plugins}
    for text, player in players.items():
        files |= files_of_player(player, PlayerSpec.parse(text))
    table = msgspec.to_builtins(task.settings)
    return (_unpack_task, (task.number, task.kind, task.plugins, table, list(players), files)) if files else None


def _unpack_task(
    number: int, kind: str, plugins: tuple[str, ...], table: dict[str, Any], texts: list[str], files: dict[str, bytes]
) -> Task:
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

    return _restore(number, kind, tuple(paths[file] for file in plugins), moved(table))


# --- for kinds --------------------------------------------------------------------------------------------------------


def at_scale(value: int, scale: float, least: int) -> int:
    """Return a number of the paper's at a scale: at least `least`, or the number itself if that is smaller.

    >>> at_scale(70000, 0.1, 16), at_scale(500, 0.001, 16), at_scale(4, 0.1, 16)
    (7000, 16, 4)
    """
    return min(value, max(least, round(value * scale)))


def preset_player(text: str, simulations: int, why: str) -> MatchPlayer:
    """Return a player that is a preset. Raises ValueError for an engine, with the reason why it cannot be one."""
    player = match_player(text, simulations=simulations)
    if not player.preset:
        raise ValueError(f"player {text!r} is not a preset: {why}")
    return player
