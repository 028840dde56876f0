"""Man pages from the texts of ``--help``: ``python release/man_pages.py FOLDER`` writes one for each command.

They have no date, so that the same version gives the same files.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from kikashi import __version__
from kikashi.cli import GROUPS, main

Found = tuple[click.Context, click.Command]


def pages() -> dict[str, str]:
    """Return the pages by file name."""
    context = click.Context(main, info_name="kikashi", **main.context_settings)
    return {f"{_name(found)}.1": _page(found, command) for found, command in _commands(context, main)}


def _commands(context: click.Context, command: click.Command) -> Iterator[Found]:
    """Yield a command and those below it."""
    yield context, command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from _commands(click.Context(below, parent=context, info_name=name), below)


def _name(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


def _page(context: click.Context, command: click.Command) -> str:
    name, summary = _name(context), command.get_short_help_str(200).rstrip(".")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{_text(name.upper())}" "1" "" "kikashi {_text(__version__)}" "Commands"',
        ".SH NAME",
        f"{_text(name)} \\- {_text(summary[:1].lower() + summary[1:])}",
        ".SH SYNOPSIS",
        f".B {_text(context.command_path)}",
        _text(usage),
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
        ".SH OPTIONS",
    ]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            lines += [".TP", f".B {_text(record[0])}", _text(record[1])]
    if isinstance(command, click.Group):
        lines += [".SH COMMANDS", *_list(context, command)]
    lines += [".SH SEE ALSO", *_related(context)]
    return "\n".join(filter(None, lines)) + "\n"


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(text.replace("\b", "").split("\n\n")):
        if number:
            yield ".PP"
        yield _text(" ".join(paragraph.split()))


def _list(context: click.Context, group: click.Group) -> Iterator[str]:
    """Yield the commands of a group, those of kikashi by purpose."""
    texts = {name: text for _, commands in GROUPS.values() for name, text in commands.items()}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            text = texts.get(name) if context.parent is None else command.get_short_help_str(200)
            yield from (".TP", f".B {_text(name)}", _text(text or ""))


def _related(context: click.Context) -> Iterator[str]:
    """Yield the page above; on that of kikashi those of all commands."""
    if context.parent is not None:
        yield f".BR {_text(_name(context.parent))} (1)"
        return
    names = [f"kikashi-{name}" for name in main.list_commands(context)]
    for name in names:
        yield f".BR {_text(name)} (1){',' if name != names[-1] else ''}"


def _text(words: str) -> str:
    """Return words as roff: without control characters, and with hyphens that can be copied."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    escaped = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in escaped)
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in pages().items():
        (folder / name).write_text(page, "utf-8")
