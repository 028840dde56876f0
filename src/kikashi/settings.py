"""Settings that a user changes by text: ``"selection.p=1.2"``, and ``"prior+={part = 'capture'}"`` for lists."""

from __future__ import annotations

import tomllib
from typing import Any

Table = dict[str, Any]


def override(table: Table, text: str, example: str = "selection.p=1.2") -> None:
    """Change a nested table in place.

    ``key=value`` sets a value and ``key+=value`` appends one to a list, which is made if there is none; dots in the key
    lead into tables. The value is TOML, or plain text where it is not. Raises ValueError if the text is neither of the
    two (the message shows the example), if a key on the way has no table, or if there is no list to append to.
    """
    path, equals, said = text.partition("=")
    appends = path.endswith("+")
    path = path.removesuffix("+").strip()
    if not equals or not path:
        raise ValueError(f"{text!r} is not key=value, as in {example}")
    *outer, last = path.split(".")
    for key in outer:
        if not isinstance(table.get(key, {}), dict):
            raise ValueError(f"{text!r}: {key} has no settings of its own")
        table = table.setdefault(key, {})
    if not appends:
        table[last] = read_value(said)
    elif isinstance(table.setdefault(last, []), list):
        table[last].append(read_value(said))
    else:
        raise ValueError(f"{text!r}: {last} is not a list")


def read_value(text: str) -> Any:
    """A value in TOML, or the text itself where it is not TOML."""
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()
