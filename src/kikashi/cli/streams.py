"""Standard streams that are closed, full or no longer read, or lack characters: one line, and no traceback."""

import codecs
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any, TextIO

import click

INTERRUPTED = 130
"""Exit code after Ctrl-C."""
HANDLER = "kikashi.ascii"
_ASCII = str.maketrans(
    {
        **dict.fromkeys("–—−╌─━╴╶╸╺", "-"),
        **dict.fromkeys("│┃|", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
        **dict.fromkeys("▁▂▃", "_"),
        **dict.fromkeys("▄▅▆▇█▓▒░", "#"),
        **dict.fromkeys("▲△", "^"),
        **dict.fromkeys(map(chr, range(0x2801, 0x2900)), "*"),  # braille dots, of which score curves are made
        "\u2800": " ",
        "…": "...",
        "•": "*",
        "·": ".",
        "●": "X",
        "○": "O",
        "×": "x",
        "’": "'",
        "“": '"',
        "”": '"',
        "≥": ">=",
    }
)


class SuggestingGroup(click.Group):
    """A group of commands that suggests near names for an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-") and not ctx.resilient_parsing:
            from kikashi.wording import nearest

            known = nearest(name, self.list_commands(ctx), f"{ctx.command_path} --help")
            raise click.ClickException(f"no command is called {name!r}; {known}")
        return super().resolve_command(ctx, args)


class RobustGroup(SuggestingGroup):
    """A group of commands that turns errors of its user and of streams into one line on standard error."""

    def __call__(self, *arguments: Any, **more: Any) -> Any:
        try:
            return super().__call__(*arguments, **more)
        except OSError as error:  # of the help, for example; errors of commands are one line already
            click.echo(f"Error: {_in_one_line(error)}", err=True)
            sys.exit(1)
        finally:
            _flush_or_drop()

    def invoke(self, ctx: click.Context) -> Any:
        if sys.stdout is None:  # a file that is opened later would take its place
            raise click.ClickException("standard output is closed: there is nowhere to write to")
        replace_missing_characters()
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            sys.exit(INTERRUPTED)
        except BrokenPipeError:  # the reader is gone; click ends quietly
            raise
        except MemoryError as error:
            from kikashi.wording import NO_MEMORY

            raise click.ClickException(NO_MEMORY) from error
        except (ValueError, OSError) as error:
            raise click.ClickException(_in_one_line(error)) from error


def tell(line: str) -> None:
    """Print a line on standard error."""
    click.echo(line, err=True)


@contextmanager
def protocol_output() -> Iterator[TextIO]:
    """Yield standard output for a protocol alone; other output, of a plugin for example, goes to standard error.

    A reader that is gone at the end is no error.
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
    try:
        os.dup2(2, number)
    except OSError:  # standard error is closed
        _send_nowhere(number)
    try:
        with redirect_stdout(os.fdopen(number, "w", 1, errors="backslashreplace", closefd=False)):
            yield output
            sys.stdout.flush()
    finally:
        os.dup2(output.fileno(), number)
        with suppress(OSError):
            output.close()


def replace_missing_characters() -> None:
    """From now on, write similar ASCII characters where an output's encoding lacks ours."""
    codecs.register_error(HANDLER, _similar)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors=HANDLER)


def _similar(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(_ASCII)
    return "".join(c if c.isascii() else "?" for c in text), error.end


def _in_one_line(error: BaseException) -> str:
    """Return an error's message, with the name of its file if it has one."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join(text.split())


def _flush_or_drop() -> None:
    """Flush the streams, and drop output that cannot be written: Python would complain about it at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):  # not a stream of the system
                _send_nowhere(stream.fileno())


def _send_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
