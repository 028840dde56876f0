"""What several commands share: the options of a player, those of the rules, and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kikashi.engine import machine

if TYPE_CHECKING:
    from kikashi.engine.limits import Limit
    from kikashi.engine.player import Player
    from kikashi.engine.preset import Preset

Decorator = Callable[[Callable[..., None]], Callable[..., None]]
RULES = (
    *("positional", "situational", "simple", "tromp-taylor"),
    *("chinese", "aga", "new-zealand", "japanese", "korean"),
)
"""The names in `kikashi.game.rules.RULE_SETS`, without importing it."""
LEVELS = 10
"""`kikashi.engine.levels.MOST`, without importing it."""
INTERRUPTED = 130
"""The exit code after Ctrl-C."""


@dataclass(frozen=True)
class PlayerOptions:
    """What `player_options` collects."""

    simulations: int | None
    seconds: float | None
    threads: int
    seed: int
    megabytes: float
    overrides: Sequence[str]
    plugin: Sequence[str]

    def player(self, preset: str, default: Limit | None = None) -> Player:
        """The player that was asked for, with the default limit if no other was."""
        from kikashi.engine.limits import PLAYER_LIMIT
        from kikashi.engine.player import Player
        from kikashi.parts.plugins import load_plugin

        for file in self.plugin:
            load_plugin(file)
        return Player(
            preset,
            limit=self.limit() or default or PLAYER_LIMIT,
            threads=self.threads,
            seed=self.seed,
            megabytes=self.megabytes,
            overrides=self.overrides,
        )

    def sharing_memory(self, players: int) -> PlayerOptions:
        """The options of one of several players that have the memory together."""
        return replace(self, megabytes=self.megabytes / players)

    def player_of(self, preset: Preset) -> Player:
        """A player with a preset that has been read, and changed, already."""
        from kikashi.engine.player import Player

        return Player(preset, threads=self.threads, seed=self.seed, megabytes=self.megabytes)

    def at_level(self, number: int) -> tuple[str, PlayerOptions]:
        """The preset of a level, and these options with its simulations. Raises ValueError for options that a level
        leaves no choice about."""
        from kikashi.engine.levels import level_of

        for name in ("preset", "simulations", "seconds"):
            if click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise ValueError(f"a level is a preset with its simulations: leave out the {name}, or --level")
        level = level_of(number)
        return level.preset, replace(self, simulations=level.simulations)

    def limit(self) -> Limit | None:
        """The simulations and seconds that were asked for; None if neither was."""
        from kikashi.engine.limits import Limit

        said = self.simulations is not None or self.seconds is not None
        return Limit(self.simulations, self.seconds) if said else None


def given_words(context: click.Context, leave_out: Collection[str] = ()) -> list[str]:
    """The command line again, without the options that are left out: what was said, and nothing that was not."""
    words = context.command_path.split()
    if (parent := context.parent) and parent.get_parameter_source("check") is ParameterSource.COMMANDLINE:
        words.insert(1, "--check")
    for parameter in context.command.params:
        name, value = str(parameter.name), context.params.get(str(parameter.name))
        is_said = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not is_said or name in leave_out:
            continue
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        elif getattr(parameter, "is_flag", False):
            words.append(parameter.opts[0])
        else:
            values = value if parameter.multiple else [value]
            words += [
                word
                for said in values or ()
                for word in (parameter.opts[0], f"{said:g}" if isinstance(said, float) else str(said))
            ]
    return words


def simulations_option(help_text: str) -> Decorator:
    """``--simulations``, with ``--playouts`` as its other name."""
    return click.option("--simulations", "--playouts", "simulations", type=click.IntRange(min=1), help=help_text)


def player_options(command: Callable[..., None], *, all_cores: bool = False) -> Any:
    """The options that every command with a player has; it gets them as one argument, `options`.

    Threads are one, so that a seed gives the same game again, or as many as there are cores.
    """

    @wraps(command)
    def collected(**values: Any) -> None:
        values["threads"] = values["threads"] or (machine.cores() if all_cores else 1)
        options = PlayerOptions(**{field.name: values.pop(field.name) for field in fields(PlayerOptions)})
        command(options=options, **values)

    options: list[Decorator] = [
        simulations_option("Simulations for each move."),
        click.option("--seconds", type=click.FloatRange(min=0.001), help="Seconds for each move."),
        click.option("--threads", type=click.IntRange(1, 256), show_default="all cores" if all_cores else "1"),
        click.option("--seed", type=click.IntRange(min=0), default=1),
        click.option("--megabytes", type=click.FloatRange(min=1), default=512.0, help="Memory for the tree."),
        click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Change a setting of the preset."),
        click.option("--plugin", multiple=True, type=click.Path(), help="A Python file with parts of your own."),
    ]
    decorated: Callable[..., None] = collected
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


level_option = click.option(
    "--level",
    type=click.IntRange(1, LEVELS),
    show_default="none",
    help="How strong it is to be: a preset with its simulations, in place of both.",
)

rules_option = click.option(
    "--rules",
    type=click.Choice(RULES),
    show_default="positional",
    help="A ko rule, or a rule set: what is forbidden, whether area or territory counts, what a handicap costs.",
)
