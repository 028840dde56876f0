"""Settings that a user changes by text: ``"selection.p=1.2"``, and ``"prior+={part = 'capture'}"`` for lists.

`as_toml` writes a table of settings as text again.
"""

from __future__ import annotations

import json
import re
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


def as_toml(table: Table) -> str:
    """A table of settings as TOML, a line for each key, and for each item of a list that holds tables."""
    return "\n".join(f"{_key(key)} = {_value(value, top=True)}" for key, value in table.items())


def _value(value: Any, *, top: bool = False) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        items = [_value(item) for item in value]
        if top and any(isinstance(item, dict) for item in value):
            return "[\n" + "".join(f"    {item},\n" for item in items) + "]"
        return f"[{', '.join(items)}]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
