"""Experiments as TOML files: their names, their bases, and settings changed on the command line."""

import copy
from collections.abc import Iterable

import msgspec

from kikashi.engine.named_files import NamedFiles, Table, beside
from kikashi.engine.overrides import override
from kikashi.experiments.kind import Design, kind_named
from kikashi.wording import convert

EXPERIMENTS = NamedFiles("experiment", "kikashi.experiments", "papers", "kikashi experiment list")
LISTS = ("deviations", "remarks")
"""Lists that follow those of the base."""
PATHS = ("sgf", "plugins", "files")
"""Settings that name files, relative to the experiment's own."""
INTERNAL = ("paper", "scale", "records", "texts")
"""Fields of designs that no file may set."""
PER_ROW = ("simulations", "seconds", "games", "opponent", "opponent_share", "openings", "megabytes", "sprt")
"""Settings that a row may have of its own; ``--set`` changes them for all rows."""


def experiment_names() -> list[str]:
    """Return the names of the experiments of the package."""
    return list(EXPERIMENTS.names)


def load_design(name: str, overrides: Iterable[str] = ()) -> Design:
    """Load an experiment of the package by name, or one in a file. Raises ValueError and OSError.

    >>> load_design("coulom2006-table1", ["positions=50"]).positions
    50
    """
    table, changes = EXPERIMENTS.read_merged(name, _prepare, _merge), list(overrides)
    try:
        design = _converted(_changed(copy.deepcopy(table), changes))
        return msgspec.structs.replace(design, paper=_runnable(table)) if changes else design
    except ValueError as error:
        raise ValueError(f"experiment {name}: {error}") from None


def _runnable(table: Table) -> Design | None:
    """Return a design; None if it leaves to the command line what it cannot be run without."""
    design = _converted(table)
    try:
        design.at(1.0)
    except (ValueError, OSError):
        return None
    return design


def _converted(table: Table) -> Design:
    for name in INTERNAL:
        if name in table:
            raise ValueError(f"there is no setting {name!r}")
    plugins = convert(table.get("plugins", []), list[str], "plugins")
    kind = kind_named(table.get("kind"), plugins)
    return convert({key: value for key, value in table.items() if key != "kind"}, kind)


def _prepare(name: str, table: Table) -> Table:
    """Make the paths of a table relative to its file."""
    for key in PATHS if name not in EXPERIMENTS.names else ():
        if isinstance(table.get(key), str):
            table[key] = beside(name, table[key])
        elif isinstance(table.get(key), list):
            table[key] = [beside(name, path) if isinstance(path, str) else path for path in table[key]]
    return table


def _merge(base: Table, table: Table) -> Table:
    for key in LISTS:
        if isinstance(base.get(key), list) and isinstance(table.get(key), list):
            table[key] = base[key] + table[key]
    base.pop("claim", None)  # a claim is about its own figure
    return base | table


def _changed(table: Table, overrides: Iterable[str]) -> Table:
    """Change settings of a table, for all rows if they may have their own. Raises ValueError."""
    for change in overrides:
        override(table, change, "size=9")
        key = change.partition("=")[0].strip()
        other = kind_named(table.get("kind"), table.get("plugins", ())).alternatives.get(key)
        if other is not None:
            table.pop(other, None)
        rows = table.get("player")
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict):
                for gone in {key} & set(PER_ROW) | ({other} if other else set()):
                    row.pop(gone, None)
    return table
