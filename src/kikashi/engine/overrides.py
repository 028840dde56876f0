"""Settings that a user changes by text: ``"selection.p=1.2"``, and for lists ``"prior+={part = 'capture'}"`` and
``"prior.0.games=5"``.

`as_toml` writes a table of settings as text again.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, NamedTuple

Table = dict[str, Any]
EXAMPLE = "selection.p=1.2"


class Change(NamedTuple):
    """What a text changes."""

    path: str
    appends: bool
    """Whether the value is added to a list."""
    value: str


def override(table: Table, text: str, example: str = EXAMPLE) -> None:
    """Change a nested table in place.

    ``key=value`` sets a value and ``key+=value`` appends one to a list, which is made if there is none; dots in the key
    lead into tables, and a number into a list, whose first item is 0. The value is TOML, or plain text where it is not.
    Raises ValueError if the text is neither of the two (the message shows the example), if a key on the way has no
    table, if a list has no such item, or if there is no list to append to.
    """
    path, appends, said = read_change(text, example)
    try:
        place, last = _way_to(table, path)
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None
    if not appends:
        place[last] = read_value(said)
    elif isinstance(place.setdefault(last, []) if isinstance(place, dict) else place[last], list):
        place[last].append(read_value(said))
    else:
        raise ValueError(f"{text!r}: {last} is not a list")


def read_change(text: str, example: str = EXAMPLE) -> Change:
    """A change as it is written. Raises ValueError if the text is none; the message shows the example."""
    path, equals, value = text.partition("=")
    setting = path.removesuffix("+").strip()
    if not equals or not setting:
        raise ValueError(f"{text!r} is not key=value, as in {example}")
    return Change(setting, path.endswith("+"), value)


def setting_at(table: Table, path: str) -> Any:
    """The value of a setting as `override` names it; None if there is none."""
    place: Any = table
    for key in path.split("."):
        if isinstance(place, dict):
            place = place.get(key)
        elif isinstance(place, list) and key.isdecimal() and int(key) < len(place):
            place = place[int(key)]
        else:
            return None
    return place


def _way_to(table: Table, path: str) -> tuple[Any, Any]:
    """The table or list that has the last key of a path, and that key. Makes tables on the way. Raises ValueError."""
    place: Any = table
    *outer, last = path.split(".")
    for number, key in enumerate(outer):
        step = _step(place, key)
        if isinstance(place, dict):
            place.setdefault(key, {})
        place, following = place[step], path.split(".")[number + 1]
        if not isinstance(place, dict) and not (isinstance(place, list) and following.isdecimal()):
            raise ValueError(f"{key} has no settings of its own")
    return place, _step(place, last)


def _step(place: Any, key: str) -> Any:
    """What leads on from a table or a list. Raises ValueError if a list has no such item."""
    if isinstance(place, dict):
        return key
    if int(key) >= len(place):
        raise ValueError(f"there is no item {key}: the list has {len(place)}, and the first is 0")
    return int(key)


def read_value(text: str) -> Any:
    """A value in TOML, or the text itself where it is not TOML."""
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def as_toml(table: Table) -> str:
    """A table of settings as TOML, a line for each key, and for each item of a list that holds tables.

    A table that holds nothing but tables comes at the end, each of them under a head of its own.
    """
    inner = {key: value for key, value in table.items() if _holds_tables(value)}
    blocks = [_lines({key: value for key, value in table.items() if key not in inner})]
    for key, tables in inner.items():
        blocks += [f"[{_key(key)}.{_key(name)}]\n{_lines(value)}".rstrip() for name, value in tables.items()]
    return "\n\n".join(block for block in blocks if block)


def _holds_tables(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(inner, dict) for inner in value.values())


def _lines(table: Table) -> str:
    return "\n".join(f"{_key(key)} = {toml_value(value, top=True)}" for key, value in table.items())


def toml_value(value: Any, *, top: bool = False) -> str:
    """A value as TOML; a list at the `top` of a file has a line for each of its tables."""
    if isinstance(value, dict):
        pairs = ", ".join(f"{_key(key)} = {toml_value(inner)}" for key, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list):
        items = [toml_value(item) for item in value]
        if top and any(isinstance(item, dict) for item in value):
            return "[\n" + "".join(f"    {item},\n" for item in items) + "]"
        return f"[{', '.join(items)}]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
