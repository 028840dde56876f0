"""Standard input and output that are closed, full or no longer read: one line or silence, and no traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, TextIO

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


@contextmanager
def protocol_output() -> Iterator[TextIO]:
    """Standard output for a protocol alone: what anything else prints meanwhile, a plugin say, goes to standard error.

    A reader that is gone is no error at the end.
    """
    usual = sys.stdout
    try:
        number = usual.fileno()
    except (OSError, ValueError):  # not a stream of the system
        with redirect_stdout(sys.stderr):
            yield usual
        return
    usual.flush()
    output = os.fdopen(os.dup(number), "w", encoding=usual.encoding, errors=usual.errors)
    _send_to_standard_error(number)
    try:
        with redirect_stdout(os.fdopen(number, "w", 1, errors="backslashreplace", closefd=False)):
            yield output
            sys.stdout.flush()
    finally:
        os.dup2(output.fileno(), number)
        with suppress(OSError):
            output.close()


def _send_to_standard_error(number: int) -> None:
    try:
        os.dup2(2, number)
    except OSError:  # it is closed: nobody hears it
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


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
