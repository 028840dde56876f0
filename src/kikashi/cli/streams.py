"""Standard input and output that are closed, full or no longer read: one line or silence, and no traceback."""

from __future__ import annotations

import os
import sys
from typing import Any

import click


class Quiet(click.Group):
    """A group of commands that ends in one line if what it says cannot be written."""

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        try:
            return super().__call__(*arguments, **more)
        except OSError as error:  # of the help, say; errors of commands have become one line before
            click.echo(f"Error: {told(error)}", err=True)
            sys.exit(1)
        finally:
            _leave_quietly()

    def invoke(self, context: click.Context) -> Any:
        if sys.stdout is None:  # a file that is opened later would take its place
            raise click.ClickException("standard output is closed: there is nowhere to write to")
        return super().invoke(context)


def told(error: BaseException) -> str:
    """An error in one line, with the file where there is one."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(text.split())


def _leave_quietly() -> None:
    """See to it that Python, when it ends, does not complain about what could not be written."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            _send_nowhere(stream)


def _send_nowhere(stream: Any) -> None:
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):  # not a stream of the system
        return
