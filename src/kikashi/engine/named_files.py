"""TOML files by name: the presets, experiments and tunings of the package, and files of the user by path.

Nothing here compiles, so that listing presets is quick.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from importlib import resources
from operator import or_
from pathlib import Path
from typing import Any

from kikashi.wording import nearest, read_toml

Table = dict[str, Any]
Prepare = Callable[[str, Table], Table]
MOST_BASES = 16


@dataclass
class NamedFiles:
    """The TOML files in a folder of the package."""

    kind: str
    """Noun for messages: ``preset``."""
    package: str
    folder: str
    listed_by: str = ""
    """Command that lists the names."""
    hidden: tuple[str, ...] = ()
    """Files of the folder that are of another kind."""

    @cached_property
    def names(self) -> list[str]:
        """The names in natural order: figure 6.9 before figure 6.10."""
        files = [path.name for path in (resources.files(self.package) / self.folder).iterdir()]
        names = [name.removesuffix(".toml") for name in files if name.endswith(".toml")]
        return sorted((name for name in names if name not in self.hidden), key=_natural)

    def read_text(self, name: str) -> str:
        """Return the text of a file, by name or path. Raises ValueError, with near names, and OSError."""
        if name in self.names:
            data = (resources.files(self.package) / self.folder / f"{name}.toml").read_bytes()
        elif name.endswith(".toml") or Path(name).is_file():
            data = Path(name).read_bytes()
        else:
            raise ValueError(f"no {self.kind} is called {name!r}; {nearest(name, self.names, self.listed_by)}")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ValueError(f"{self.kind} {name}: this is not a text in UTF-8") from None

    def read_table(self, name: str, prepare: Prepare | None = None) -> Table:
        """Return the table in a file, by name or path. Raises as `read_text`, and ValueError if it is not TOML.

        `prepare` takes the name and the table and returns the table, or raises ValueError.
        """
        text = self.read_text(name)
        try:
            table = read_toml(text)
            return prepare(name, table) if prepare else table
        except ValueError as error:
            raise ValueError(f"{self.kind} {name}: {error}") from None

    def read_merged(self, name: str, prepare: Prepare, merge: Callable[[Table, Table], Table]) -> Table:
        """Return the table in a file, merged over that of its ``base``, which may have a base of its own.

        `merge` takes the base's table first. Raises as `read_table`.
        """
        tables: list[Table] = []
        path: str | None = name
        while path is not None:
            if len(tables) >= MOST_BASES:
                raise ValueError(f"{self.kind} {name}: its bases form a circle")
            table = self.read_table(path, prepare)
            base = table.pop("base", None)
            if not isinstance(base, str | None):
                raise ValueError(f"{self.kind} {path}: base is the name or path of another {self.kind}, not {base!r}")
            path = beside(path, base) if base and base.endswith(".toml") else base
            tables.append(table)
        return reduce(merge, reversed(tables))


def beside(name: str, path: str) -> str:
    """Return a path that is relative to the folder of a named file."""
    return str(Path(name).parent / path)


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


# --- presets ----------------------------------------------------------------------------------------------------------

LISTED_BY = "kikashi presets"
"""The command that lists the presets."""
PRESETS = NamedFiles("preset", "kikashi", "presets", LISTED_BY, hidden=("playouts",))


def preset_names() -> list[str]:
    """Return the names of the presets of the package.

    >>> "mogo-2006" in preset_names()
    True
    """
    return sorted(PRESETS.names)


def is_preset(name: str) -> bool:
    """Return whether `load_preset` looks for a preset under this name: one of ours, or the path of a TOML file."""
    return name in PRESETS.names or name.endswith(".toml")


def preset_text(name: str) -> str:
    """Return the TOML of a preset, by name or path. Raises ValueError, with near names, and OSError."""
    return PRESETS.read_text(name)


def preset_summary(name: str) -> str:
    """Return the summary of a preset of the package, its base's if it has none of its own.

    >>> preset_summary("lgrf2").startswith("Last good replies")
    True
    """
    return str(_with_base(name)["summary"])


def _with_base(name: str) -> Table:
    return PRESETS.read_merged(name, lambda _, table: table, or_)


STRONGEST = "kikashi"
USES = (
    "To play against; * is the strongest",
    "Crazy Stone and MoGo, the tree searches of 2006",
    "Orego and its adaptive playouts",
    "Players without a tree",
)


def presets_by_use() -> dict[str, list[str]]:
    """Return the names of the presets of the package by their use.

    >>> presets_by_use()["Players without a tree"][:2]
    ['amaf-2003', 'gobble-1993']
    """
    ours, trees, orego, flat = USES
    uses: dict[str, list[str]] = {use: [] for use in USES}
    for name in preset_names():
        table = _with_base(name)
        if table["source"] == "our own":
            use = ours
        elif table.get("expansion") == "never":
            use = flat
        else:
            use = orego if table["source"].startswith("Baier") else trees
        uses[use].append(name)
    return uses
