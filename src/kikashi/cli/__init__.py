"""The command ``kikashi``. Each subcommand only reads its options, calls the package and prints.

One file for each group of commands. Imports of the package stay inside the commands, so that ``kikashi --help`` is
instant.
"""

from __future__ import annotations

import sys
from typing import Any

import click

from kikashi import __version__
from kikashi.cli import analysis, bench, checking, lab, learning, playing, review, tuning, web
from kikashi.cli.checked import add_check
from kikashi.cli.encodings import write_what_can_be_written
from kikashi.cli.options import INTERRUPTED
from kikashi.cli.streams import Quiet, told

CONTEXT = {"help_option_names": ["-h", "--help"], "show_default": True}
COMMANDS = (
    playing.gtp,
    playing.play,
    playing.demo,
    web.web,
    playing.presets,
    playing.show,
    review.analyze,
    analysis.analysis,
    lab.match,
    lab.ratings,
    lab.experiment,
    learning.learn,
    tuning.tune,
    bench.bench,
    checking.check,
    playing.warm,
)


class _OneLineErrors(Quiet):
    """Turns the errors a user can cause into one line on stderr and exit code 1."""

    def invoke(self, context: click.Context) -> Any:
        write_what_can_be_written()
        try:
            return super().invoke(context)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED)
        except BrokenPipeError:  # nobody reads on; click ends quietly
            raise
        except MemoryError as error:
            from kikashi.wording import NO_MEMORY

            raise click.ClickException(NO_MEMORY) from error
        except (ValueError, OSError) as error:
            raise click.ClickException(told(error)) from error


@click.group(cls=_OneLineErrors, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="kikashi")
def main() -> None:
    """The Monte-Carlo Go programs of the classic papers, as one engine and laboratory."""


for command in COMMANDS:
    main.add_command(command)
add_check(main)
