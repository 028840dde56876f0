"""The GTP engine: read command lines, run commands, write responses."""

from __future__ import annotations

from collections.abc import Iterator
from io import TextIOWrapper
from typing import TextIO

import kikashi.protocols.gtp.commands  # noqa: F401 (registers them)
from kikashi.protocols.gtp.lines import Lines
from kikashi.protocols.gtp.protocol import Arguments, Command, Failure, answer, failure, parse_line
from kikashi.protocols.gtp.registry import COMMANDS
from kikashi.protocols.gtp.session import GtpSession
from kikashi.wording import reason


def serve(session: GtpSession, lines: Lines, output: TextIO) -> None:
    """Answer commands until the controller quits or is gone."""
    if isinstance(output, TextIOWrapper):
        output.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    session.interrupted, session.is_awaited = lines.interrupted, lines.waiting
    coming = iter(lines)
    while session.running:
        with session.pondering():
            line = next(coming, None)
        if line is None:
            return
        for text in answers(session, line):
            output.write(text)
            output.flush()


def answers(session: GtpSession, line: str) -> Iterator[str]:
    """Yield the response to a line in pieces, as they are ready; nothing for an empty line."""
    command = parse_line(line)
    if command is None:
        return
    begun = False
    try:
        result = run(session, command)
        if isinstance(result, str):
            yield answer(command, result)
            return
        for text in result:
            yield text + "\n" if begun else f"={command.id}\n{text}\n"
            begun = True
    except MemoryError as error:
        yield "\n" if begun else failure(command, reason(error))
    except Exception as error:  # also a bug: it must not cost a game
        is_expected = isinstance(error, Failure | ValueError | OSError)
        yield "\n" if begun else failure(command, str(error) if is_expected else f"internal error: {error!r}")
    else:
        yield "\n" if begun else answer(command, "")


def run(session: GtpSession, command: Command) -> str | Iterator[str]:
    """Run a command. Raises Failure, ValueError or OSError if it fails."""
    known = COMMANDS.get(command.name)
    if known is None:
        raise Failure("unknown command")
    known.check_number(command.arguments)
    return known.function(session, Arguments(command.arguments, known.usage)) or ""
