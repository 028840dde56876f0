"""Options that commands share, the records that collect them, and tab completion."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import wraps
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from kikashi.engine import machine

if TYPE_CHECKING:
    from kikashi.engine.limits import Limit
    from kikashi.engine.player import Player
    from kikashi.workers.executors import Workers

Command = Callable[..., None]
Decorator = Callable[[Command], Command]
RULES = (
    *("positional", "situational", "simple", "tromp-taylor"),
    *("chinese", "aga", "new-zealand", "japanese", "korean"),
)
"""The names in `kikashi.game.rules.RULE_SETS`, without importing it."""
LEVELS = 10
"""`kikashi.engine.levels.MOST`, without importing it."""
PATH = click.Path(path_type=Path)
COUNT, NATURAL = click.IntRange(min=1), click.IntRange(min=0)
SIZE, THREADS = click.IntRange(2, 19), click.IntRange(1, 256)
SECONDS, MEGABYTES = click.FloatRange(min=0.001), click.FloatRange(min=1)


# --- tab completion ---------------------------------------------------------------------------------------------------


def complete_toml(folder: str, *excluded: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Return a completion of the names of TOML files in a folder of the package, or else of file names.

    It lists the folder, because the modules that own these files take a second to import.
    """

    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        files = [file.name for file in (resources.files("kikashi") / folder).iterdir()]
        names = sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))
        found = [CompletionItem(name) for name in names if name.startswith(incomplete) and name not in excluded]
        return found or [CompletionItem(incomplete, type="file")]

    return complete


complete_preset = complete_toml("presets", "playouts")


# --- single options ---------------------------------------------------------------------------------------------------

seed_option = click.option("--seed", type=NATURAL, default=1, help="Of random numbers.")
size_option = click.option("--size", type=SIZE, default=9, help="Board size.")
seconds_option = click.option("--seconds", type=SECONDS, help="Seconds for each move.")
plugin_option = click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
concurrency_option = click.option(
    "--concurrency", type=click.IntRange(1, 1024), show_default="one for each core", help="Tasks at a time."
)
level_option = click.option(
    "--level",
    type=click.IntRange(1, LEVELS),
    show_default="none",
    help="Strength: a preset with its simulations, in place of both.",
)
rules_option = click.option(
    "--rules",
    type=click.Choice(RULES),
    show_default="positional",
    help="A ko rule, or a rule set: ko, scoring by area or territory, compensation for handicap stones.",
)


def preset_option(explanation: str) -> Decorator:
    return click.option("--preset", default="kikashi", shell_complete=complete_preset, help=explanation)


def simulations_option(explanation: str) -> Decorator:
    """``--simulations``, with ``--playouts`` as its other name."""
    return click.option("--simulations", "--playouts", "simulations", type=COUNT, help=explanation)


def set_option(explanation: str = "Change a setting of the preset.") -> Decorator:
    return click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help=explanation)


def scale_option(explanation: str) -> Decorator:
    scale = click.FloatRange(min=0, min_open=True, max=1)
    return click.option("--scale", type=scale, default=1.0, help=explanation)


def renamed_option(old: str, new: str, *, is_flag: bool = False) -> Decorator:
    """Refuse an option of version 0.2 with one line that has its new name."""

    def refuse(_context: click.Context, _option: click.Parameter, value: object) -> None:
        if value:
            raise click.ClickException(f"{old} is now {new}")

    return click.option(old, is_flag=is_flag, hidden=True, is_eager=True, expose_value=False, callback=refuse)


def decorate(command: Command, *options: Decorator) -> Any:
    """Give a command options, in the order of its help."""
    for option in reversed(options):
        command = option(command)
    return command


def _collected(command: Command, record: type, name: str) -> Command:
    """Return the command with those of its options that are fields of a record as one argument."""

    @wraps(command)
    def call(**values: Any) -> None:
        collected = record(**{field.name: values.pop(field.name) for field in fields(record)})
        command(**{name: collected}, **values)

    return call


# --- a player ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlayerOptions:
    simulations: int | None
    seconds: float | None
    threads: int
    seed: int
    megabytes: float
    overrides: Sequence[str]
    plugin: Sequence[str]

    def player(self, preset: str, default: Limit | None = None) -> Player:
        """Return the player, with the default limit if the options have none."""
        from kikashi.engine.limits import PLAYER_LIMIT
        from kikashi.engine.player import Player

        load_plugins(self.plugin)
        return Player(
            preset,
            limit=self.limit() or default or PLAYER_LIMIT,
            threads=self.threads,
            seed=self.seed,
            megabytes=self.megabytes,
            overrides=self.overrides,
        )

    def at_level(self, number: int) -> tuple[str, PlayerOptions]:
        """Return a level's preset, and these options with its simulations.

        Raises ValueError if the preset, simulations or seconds are given too.
        """
        from kikashi.engine.levels import level_of

        for name in ("preset", "simulations", "seconds"):
            if click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise ValueError(f"a level is a preset with its simulations: leave out the {name}, or --level")
        level = level_of(number)
        return level.preset, replace(self, simulations=level.simulations)

    def limit(self) -> Limit | None:
        """Return the limit of simulations and seconds; None if neither is given."""
        from kikashi.engine.limits import Limit

        is_given = self.simulations is not None or self.seconds is not None
        return Limit(self.simulations, self.seconds) if is_given else None


def player_options(command: Command, *, all_cores: bool = False) -> Any:
    """Give a command the options of a player, as one argument `options`.

    The default is one thread, so that a seed gives the same game again, or a thread for each core.
    """
    return decorate(
        _collected(command, PlayerOptions, "options"),
        simulations_option("Simulations for each move."),
        seconds_option,
        click.option(
            "--threads",
            type=THREADS,
            default=machine.cores if all_cores else 1,
            show_default="all cores" if all_cores else "1",
        ),
        seed_option,
        click.option("--megabytes", type=MEGABYTES, default=512.0, help="Memory for the tree."),
        set_option(),
        plugin_option,
    )


def load_plugins(files: Iterable[str]) -> None:
    """Load plugins. Raises ValueError."""
    from kikashi.parts.plugins import load_plugin

    for file in files:
        load_plugin(file)


def command_line(context: click.Context, exclude: Collection[str] = ()) -> list[str]:
    """Return the words of the command line again, without excluded options."""
    words = context.command_path.split()
    if (parent := context.parent) and parent.get_parameter_source("boundscheck") is ParameterSource.COMMANDLINE:
        words.insert(1, "--boundscheck")
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE or name in exclude:
            continue
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        elif getattr(parameter, "is_flag", False):
            words.append(parameter.opts[0])
        else:
            for each in (value if parameter.multiple else [value]) or ():
                words += [parameter.opts[0], f"{each:g}" if isinstance(each, float) else str(each)]
    return words


# --- long runs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunOptions:
    executor: str
    scheduler: str
    concurrency: int | None
    as_json: bool

    def workers(self, tell: Callable[[str], None]) -> Workers:
        """Return the workers. Raises ValueError if they are not available here."""
        from kikashi.workers.executors import make_workers

        return make_workers(self.executor, self.concurrency, scheduler=self.scheduler, tell=tell)

    def resume_hint(self, command: str, folder: Path) -> str:
        """Return the command line that resumes a run; under MPI print it, since a lost rank ends everything."""
        from kikashi.cli.streams import tell

        hint = f"go on with: kikashi {command} --resume {shlex.quote(str(folder))}"
        if self.executor == "mpi":
            tell(f"should this end early, {hint}")
        return hint


def run_options(command: Command) -> Any:
    """Give a command the options of a long run, as one argument `run`."""
    return decorate(
        _collected(command, RunOptions, "run"),
        concurrency_option,
        click.option(
            "--executor",
            type=click.Choice(["processes", "mpi", "dask"]),
            default="processes",
            help="Workers: processes here, the ranks of an MPI job, or a Dask cluster.",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            default="",
            show_default=False,
            help="Dask's scheduler, as in tcp://host:8786, or its file; else a cluster is started here.",
        ),
        json_option,
    )


# --- learning ---------------------------------------------------------------------------------------------------------

sources_argument = click.argument("sources", nargs=-1, required=True, type=PATH, metavar="GAMES...")
features_option = click.option(
    "--features", metavar="LIST", show_default="the package's list", help="As in line,distance(back=2),shape."
)


def fitting_options(command: Command) -> Any:
    """Give a command the options of fitting weights to games."""
    return decorate(
        command,
        features_option,
        click.option("--size", type=SIZE, show_default="of the first game", help="Board size."),
        click.option(
            "--player", default="", show_default=False, metavar="NAME", help="Learn only from moves of this player."
        ),
        click.option("--held-out", type=float, default=0.1, help="Share of the games that only test the weights."),
        click.option("--ridge", type=float, default=1.0, help="Strength of the pull of weights to 0, or to the base."),
        click.option("--fewest", type=COUNT, default=10, help="Least occurrences of a shape."),
        click.option("--steps", type=COUNT, default=150, help="Steps of the optimiser, at most."),
        seed_option,
    )


@contextmanager
def needs_extra(feature: str, extra: str) -> Iterator[None]:
    """Turn a failed import into one line with the command that installs the extra."""
    try:
        yield
    except ImportError as error:
        from kikashi.wording import missing_extra

        raise click.ClickException(missing_extra(feature, extra, error)) from None
