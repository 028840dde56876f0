"""The table of commands in ``docs/gtp.md``: ``python docs/site/gtp_commands.py FILE`` writes it."""

import re
import sys
from importlib import import_module
from pathlib import Path

from kikashi.files import write_whole
from kikashi.protocols.gtp.commands import FAMILIES
from kikashi.protocols.gtp.protocol import COMMANDS

BEGIN, END = "<!-- commands: made by `make docs` -->", "<!-- end of commands -->"


def table() -> str:
    """Return a section for each family of commands, with a row for each command."""
    sections = []
    for family in FAMILIES:
        head = (import_module(f"kikashi.protocols.gtp.commands.{family}").__doc__ or "").strip()
        rows = [
            f"| `{known.usage}` | {' '.join((known.function.__doc__ or '').split()).replace('``', '`')} |"
            for known in COMMANDS.values()
            if known.family == family
        ]
        sections.append("\n".join([f"### {head.rstrip('.')}", "", "| command | what it does |", "|---|---|", *rows]))
    return "\n\n".join(sections)


def with_table(page: str) -> str:
    """Return the page with a new table between its marks."""
    made = f"{BEGIN}\n\n{table()}\n\n{END}"
    return re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: made, page, flags=re.DOTALL)


if __name__ == "__main__":
    file = Path(sys.argv[1])
    write_whole(file, with_table(file.read_text("utf-8")))
