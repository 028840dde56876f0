"""The command ``kikashi``.

Each command is a file of this package, imported when it is run. It reads its options, calls the package and prints.
Imports of the package stay inside functions, so that ``--help`` is instant.
"""

import os
import sys
from functools import partial
from importlib import import_module

import click

from kikashi import __version__
from kikashi.cli.options import renamed_option
from kikashi.cli.streams import RobustGroup

BOUNDSCHECK = "NUMBA_BOUNDSCHECK"
"""The variable that Numba reads when it is imported; programs that this one starts inherit it."""
RENAMED = {"analyze": "review", "check": "check-plugin"}
ALIASES = {"analysis": "kata-analysis"}
"""KataGo's own name, with which front ends start it: KaTrain runs ``PROGRAM analysis -model …``."""
GROUPS: dict[str, tuple[str, dict[str, str]]] = {
    "Play": (
        "kikashi play --level 3",
        {
            "play": "Play against a preset at a prompt.",
            "web": "Open a board in the browser, for games, analysis and matches.",
            "demo": "Watch the Crazy Stone of 2006 play the MoGo of 2006.",
            "gtp": "Speak GTP, for Sabaki, GoGui, servers and matches.",
            "presets": "List the players by use.",
        },
    ),
    "Analyse": (
        "kikashi review game.sgf",
        {
            "review": "Review a game: win rates, mistakes and better lines.",
            "kata-analysis": "Answer KataGo's JSON queries, for KaTrain and scripts.",
        },
    ),
    "Match": (
        "kikashi match kikashi 'gnugo --mode gtp' --games 100",
        {
            "match": "Play a match between presets and GTP engines.",
            "ratings": "Rate the players of one or more matches.",
        },
    ),
    "Experiment": (
        "kikashi experiment run baier2010-family --scale 0.01",
        {
            "experiment": "Reproduce the papers' tables and figures.",
            "bench": "Measure speed of playouts and searches, bias, and tactics.",
        },
    ),
    "Learn": (
        "kikashi learn my-games/ --report report/",
        {
            "learn": "Learn weights of move features from games.",
            "self-play": "Learn weights from rounds of self-play.",
            "balance": "Learn weights for playouts, and balance them.",
            "tune": "Tune settings of a preset by playing.",
        },
    ),
    "Develop": (
        "kikashi new heuristic my_idea",
        {
            "new": "Write a skeleton of a part, preset or experiment, with a test.",
            "show": "Print the settings and parts of a preset.",
            "trace": "Print simulations of a search, step by step.",
            "check-plugin": "Test the parts of a plugin, and measure their cost.",
            "warm": "Compile everything ahead of time.",
            "doctor": "Describe the installation, for a report of a bug.",
        },
    ),
}


class LazyGroup(RobustGroup):
    """A group that imports ``kikashi.cli.<command>`` when the command is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for _, commands in GROUPS.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name not in self.commands and cmd_name in self.list_commands(ctx):
            name = cmd_name.replace("-", "_")
            command = getattr(import_module(f"kikashi.cli.{name}"), name)
            add_boundscheck(command)
            self.add_command(command, cmd_name)
        return self.commands.get(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in RENAMED and not ctx.resilient_parsing:
            raise click.ClickException(f"kikashi {args[0]} is now kikashi {RENAMED[args[0]]}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by purpose, without importing them."""
        width = max(map(len, self.list_commands(ctx)))
        for title, (example, commands) in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:{width}}", text) for name, text in commands.items()])
                formatter.write(f"  Example: {example}\n")  # one line, to be copied


def add_boundscheck(command: click.Command) -> None:
    """Give a command, and those of a group, the option ``--boundscheck``."""
    flag = partial(click.Option, is_flag=True, is_eager=True, expose_value=False)
    explanation = "Check every index of kernels and plugins: slower, and compiled apart."
    command.params.append(flag(["--boundscheck"], callback=_switch_on, help=explanation))
    renamed_option("--check", "--boundscheck", is_flag=True)(command)
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            add_boundscheck(subcommand)


def _switch_on(_context: click.Context, _option: click.Parameter, value: bool) -> None:
    if value and os.environ.get(BOUNDSCHECK) != "1":
        if "numba" in sys.modules:
            raise click.UsageError("--boundscheck comes too late: kernels are loaded already")
        os.environ[BOUNDSCHECK] = "1"


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(__version__, prog_name="kikashi")
def main() -> None:
    """The Monte-Carlo Go programs of the classic papers, as one engine and laboratory."""


add_boundscheck(main)
