"""``--check``: any command with kernels that check every index, before the command's name or after it."""

from __future__ import annotations

import os
import sys

import click

VARIABLE = "NUMBA_BOUNDSCHECK"
"""What Numba reads when it is imported, and programs that are started by this one after it."""


def _switch_on(_context: click.Context, _option: click.Parameter, is_wanted: bool) -> None:
    if is_wanted and os.environ.get(VARIABLE) != "1":
        if "numba" in sys.modules:
            raise click.UsageError("--check comes too late: kernels are there already")
        os.environ[VARIABLE] = "1"


def check_option() -> click.Option:
    """The option, which commands do not see."""
    return click.Option(
        ["--check"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_switch_on,
        help="Check every index of kernels and plugins: slower, and compiled apart.",
    )


def add_check(command: click.Command) -> None:
    """Give a command, and those of a group, the option."""
    command.params.append(check_option())
    if isinstance(command, click.Group):
        for each in command.commands.values():
            add_check(each)
