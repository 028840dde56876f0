"""The engine's loop: a line comes in, a command is looked up and done, the answer goes out."""

from __future__ import annotations

from collections.abc import Iterator
from io import TextIOWrapper
from typing import TextIO

import kikashi.protocols.gtp.commands  # noqa: F401 (registers them)
from kikashi.protocols.gtp.arguments import Arguments
from kikashi.protocols.gtp.lines import Lines
from kikashi.protocols.gtp.protocol import Command, Failure, answer, failure, parse_line
from kikashi.protocols.gtp.registry import COMMANDS, Result
from kikashi.protocols.gtp.session import Session
from kikashi.wording import reason


def serve(session: Session, lines: Lines, output: TextIO) -> None:
    """Answer commands until the controller quits or is gone."""
    if isinstance(output, TextIOWrapper):
        output.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    session.listen_to(lines)
    coming = iter(lines)
    while session.running:
        with session.pondering():
            line = next(coming, None)
        if line is None:
            return
        for text in answers(session, line):
            output.write(text)
            output.flush()


def answers(session: Session, line: str) -> Iterator[str]:
    """What to write for a line: nothing, an answer, or an answer that grows line by line."""
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
    except (Failure, ValueError, OSError) as problem:  # of commands, the game, files, parts: one line each
        yield "\n" if begun else failure(command, str(problem))
    except MemoryError as problem:
        yield "\n" if begun else failure(command, reason(problem))
    except Exception as problem:  # a mistake of ours must not cost anybody a game
        yield "\n" if begun else failure(command, f"internal error: {problem!r}")
    else:
        yield "\n" if begun else answer(command, "")


def run(session: Session, command: Command) -> Result:
    """Do a command. Raises Failure, ValueError or OSError if it cannot be done."""
    known = COMMANDS.get(command.name)
    if known is None:
        raise Failure("unknown command")
    known.check_number(command.arguments)
    return known.function(session, Arguments(command.arguments, known.usage))
