"""Settings of version 0.2 by their names of today, for TOML files and journals of that version."""

import re

from kikashi.engine.overrides import FROM_SIZE, Table, read_override, read_value, toml_value

RENAMED = {
    "effort": "simulation_schedule",
    "reserve": "time_management",
    "reserve.clear": "time_management.early_stop",
    "reserve.most": "time_management.max_extension",
}
"""Paths of settings: those of 0.2, and those of today."""


def current_path(path: str) -> str:
    """Return a path of settings with the names of today.

    >>> current_path("from_size.13.reserve.clear"), current_path("selection.p")
    ('from_size.13.time_management.early_stop', 'selection.p')
    """
    first, *keys = path.split(".")
    if first == FROM_SIZE and len(keys) > 1:
        return ".".join([first, keys[0], current_path(".".join(keys[1:]))])
    old = max((name for name in RENAMED if f"{path}.".startswith(f"{name}.")), key=len, default="")
    return RENAMED[old] + path.removeprefix(old) if old else path


def current_table(table: Table, inside: str = "") -> Table:
    """Return a table of settings with the names of today; `inside` is the path of the table, with a dot."""
    found: Table = {}
    for key, value in table.items():
        path = f"{inside}{key}"
        found[current_path(path).rpartition(".")[2]] = (
            current_table(value, f"{path}.") if isinstance(value, dict) else value
        )
    return found


def current_override(text: str) -> str:
    """Return an override with the names of today. Raises ValueError if it is none."""
    path, appends, value = read_override(text)
    if path == (new := current_path(path)):
        return text
    inner = read_value(value)
    inner = current_table(inner, f"{path}.") if isinstance(inner, dict) else inner
    return f"{new}{'+' if appends else ''}={toml_value(inner)}"


def current_players(text: str) -> str:
    """Return a text with players, as journals have it, whose ``--set`` have the names of today.

    >>> current_players('["kikashi --set reserve.most=3", "lgrf2"]')
    '["kikashi --set time_management.max_extension=3", "lgrf2"]'
    """
    return re.sub(r"(?<=--set )[\w.]+", lambda found: current_path(found[0]), text)
