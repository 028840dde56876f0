"""Tables of settings: a preset merged over its base, sections by board size, and overrides by text.

An override is a text: ``"selection.p=1.2"``, and for lists ``"prior+={part = 'capture'}"`` and ``"prior.0.games=5"``.
A section ``[from_size.13]`` holds on boards of 13x13 and more. A setting without a size holds on every board, so it
also replaces the setting of a section. A later statement replaces an earlier one on all boards that it is about.
"""

import copy
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.search.kinds import preset_keys

Table = dict[str, Any]
EXAMPLE = "selection.p=1.2"
FROM_SIZE = "from_size"
SIZES = {str(size): size for size in range(MIN_SIZE, MAX_SIZE + 1)}
OF_ALL_BOARDS = ("base", "plugins", "source", "summary", FROM_SIZE)
"""Keys that a section cannot have."""


# --- board sizes ------------------------------------------------------------------------------------------------------


def sections(table: Table) -> dict[int, Table]:
    """Return the sections of a table by size, the smallest first. Raises ValueError for a bad section."""
    by_size = table.get(FROM_SIZE, {})
    if not isinstance(by_size, dict):
        raise ValueError(f"{FROM_SIZE} has a table for a size, as in [{FROM_SIZE}.13], and is not {by_size!r}")
    for size, section in by_size.items():
        _checked_size(size)
        if not isinstance(section, dict):
            raise ValueError(f"{FROM_SIZE}.{size} is a table of settings, not {section!r}")
        if odd := [key for key in section if key in OF_ALL_BOARDS]:
            raise ValueError(f"{FROM_SIZE}.{size}: {odd[0]} cannot depend on the size of the board")
    return {SIZES[size]: by_size[size] for size in sorted(by_size, key=int)}


def settings_by_size(table: Table) -> dict[int, Table]:
    """Return whole tables of settings by the size from which they hold, the smallest first. Raises ValueError."""
    found = {MIN_SIZE: copy.deepcopy(without(table, [FROM_SIZE]))}
    for least, section in sections(table).items():
        found[least] = copy.deepcopy(_over(found[max(found)], section))
    return found


def settings_at(table: Table, size: int) -> Table:
    """Return the whole table of settings for boards of a size. Raises ValueError."""
    by_size = settings_by_size(table)
    return by_size[max(least for least in by_size if least <= size)]


def merged(base: Table, changes: Table) -> Table:
    """Merge a preset's table over its base's. Raises ValueError for a bad section."""
    by_size = settings_by_size(base)
    for size, section in {MIN_SIZE: without(changes, [FROM_SIZE]), **sections(changes)}.items():
        for least in _from(by_size, size):
            by_size[least] = _over(by_size[least], copy.deepcopy(section))
    return _with_sections(by_size)


def overridden(table: Table, texts: Iterable[str]) -> Table:
    """Return a preset's table with overrides. Raises ValueError.

    Those of a size come last: ``selection.x=1`` beside ``from_size.13.selection.x=2`` changes smaller boards only.
    """
    by_size = settings_by_size(table)
    for size, text in sorted(map(_without_size, texts), key=lambda pair: pair[0]):
        for least in _from(by_size, size):
            settings, (key, *inner) = by_size[least], read_override(text).path.split(".")
            if inner and key in settings:
                settings[key] = _as_table(key, settings[key])
            try:
                override(settings, text)
            except ValueError as error:
                raise ValueError(f"{FROM_SIZE}.{least}: {error}" if least > MIN_SIZE else str(error)) from None
    return _with_sections(by_size)


def setting_for(table: Table, path: str, size: int) -> Any:
    """Return a setting on boards of a size; with ``from_size.13`` before it, on those of 13x13. None if unset."""
    least, text = _without_size(f"{path}=")
    return setting_at(settings_at(table, least if text != f"{path}=" else size), text.removesuffix("="))


def _from(by_size: dict[int, Table], size: int) -> list[int]:
    """Return the sizes from one on, which is added if it is missing."""
    if size not in by_size:
        by_size[size] = copy.deepcopy(by_size[max(least for least in by_size if least < size)])
    return [least for least in by_size if least >= size]


def _with_sections(by_size: dict[int, Table]) -> Table:
    """Write whole tables as one: the settings of the smallest boards, and sections with the differences."""
    found: dict[str, Table] = {}
    before = common = by_size[MIN_SIZE]
    for least, settings in sorted(by_size.items()):
        if section := {key: value for key, value in settings.items() if key not in before or before[key] != value}:
            found[str(least)] = section
        before = settings
    return common | ({FROM_SIZE: found} if found else {})


def _without_size(text: str) -> tuple[int, str]:
    """Split an override into its size and the rest. Raises ValueError for a size that no board has."""
    first, *keys = read_override(text).path.split(".")
    if first != FROM_SIZE:
        return MIN_SIZE, text
    if len(keys) < 2:
        raise ValueError(f"{text!r}: {FROM_SIZE} has a table for a size, as in {FROM_SIZE}.13.{EXAMPLE}")
    return _checked_size(keys[0]), text.strip().removeprefix(f"{FROM_SIZE}.{keys[0]}.")


def _checked_size(size: str) -> int:
    if size not in SIZES:
        raise ValueError(f"{FROM_SIZE}.{size}: the size of a board is from {MIN_SIZE} to {MAX_SIZE}")
    return SIZES[size]


def _over(base: Table, changes: Table) -> Table:
    """Return a table with some entries changed; an inner table is changed likewise unless it names another part."""
    changed = dict(base)
    for key, value in changes.items():
        known = _as_table(key, base.get(key))
        if isinstance(known, dict) and isinstance(value, dict) and _part_in(value) in (None, _part_in(known)):
            value = known | value
        changed[key] = value
    return changed


def _as_table(key: str, value: Any) -> Any:
    """Return the name of a rule as a table; another value as it is."""
    is_rule = key in ("feasibility", "zone") or key in preset_keys()
    return {"rule": value} if is_rule and isinstance(value, str) else value


def _part_in(spec: Table) -> Any:
    return spec.get("rule", spec.get("part"))


def without(table: Mapping[str, Any], keys: Iterable[str]) -> Table:
    left_out = set(keys)
    return {key: value for key, value in table.items() if key not in left_out}


# --- overrides --------------------------------------------------------------------------------------------------------


class Override(NamedTuple):
    """An override: ``path=value``, or ``path+=value`` to append to a list."""

    path: str
    appends: bool
    value: str


def read_override(text: str, example: str = EXAMPLE) -> Override:
    """Split an override. Raises ValueError, with the example, for another text."""
    path, equals, value = text.partition("=")
    setting = path.removesuffix("+").strip()
    if not equals or not setting:
        raise ValueError(f"{text!r} is not key=value, as in {example}")
    return Override(setting, path.endswith("+"), value)


def override(table: Table, text: str, example: str = EXAMPLE) -> None:
    """Change a nested table in place.

    ``key=value`` sets a value and ``key+=value`` appends one to a list, which is made if there is none. Dots in the key
    lead into tables, and a number into a list, whose first item is 0. The value is TOML, or plain text where it is not.
    Raises ValueError for a text of another form (the message shows the example), and for a path or a list that the
    table does not have.
    """
    path, appends, value = read_override(text, example)
    try:
        inner, last = _container(table, path.split("."))
    except ValueError as error:
        raise ValueError(f"{text!r}: {error}") from None
    if not appends:
        inner[last] = read_value(value)
    elif isinstance(inner.setdefault(last, []) if isinstance(inner, dict) else inner[last], list):
        inner[last].append(read_value(value))
    else:
        raise ValueError(f"{text!r}: {last} is not a list")


def setting_at(table: Table, path: str) -> Any:
    """Return the setting at a path; None if there is none."""
    inner: Any = table
    for key in path.split("."):
        if isinstance(inner, dict):
            inner = inner.get(key)
        elif isinstance(inner, list) and key.isdecimal() and int(key) < len(inner):
            inner = inner[int(key)]
        else:
            return None
    return inner


def _container(table: Table, keys: list[str]) -> tuple[Any, Any]:
    """Return the table or list with the last key of a path, and that key; tables on the way are made."""
    inner: Any = table
    for key, following in pairwise(keys):
        at = _key_in(inner, key)
        if isinstance(inner, dict):
            inner.setdefault(key, [] if following.isdecimal() else {})
        inner = inner[at]
        if not isinstance(inner, dict) and not (isinstance(inner, list) and following.isdecimal()):
            raise ValueError(f"{key} has no settings of its own")
    return inner, _key_in(inner, keys[-1])


def _key_in(inner: Any, key: str) -> Any:
    """Return a key of a table, or an index of a list. Raises ValueError for an index beyond its end."""
    if isinstance(inner, dict):
        return key
    if int(key) >= len(inner):
        raise ValueError(f"there is no item {key}: the list has {len(inner)}, and the first is 0")
    return int(key)


# --- TOML -------------------------------------------------------------------------------------------------------------


def read_value(text: str) -> Any:
    """Return a value in TOML, or the text itself where it is not TOML."""
    try:
        return tomllib.loads(f"value = {text.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def as_toml(table: Table) -> str:
    """Write a table as TOML: a line for each key, and for each item of a list of tables.

    A table that holds nothing but tables comes at the end, each of them under a head of its own.
    """
    inner = {key: value for key, value in table.items() if _holds_tables(value)}
    blocks = [_lines(without(table, inner))]
    for key, tables in inner.items():
        blocks += [f"[{_key(key)}.{_key(name)}]\n{_lines(value)}".rstrip() for name, value in tables.items()]
    return "\n\n".join(block for block in blocks if block)


def _holds_tables(value: Any) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(inner, dict) for inner in value.values())


def _lines(table: Table) -> str:
    return "\n".join(f"{_key(key)} = {toml_value(value, top=True)}" for key, value in table.items())


def toml_value(value: Any, *, top: bool = False) -> str:
    """Write a value as TOML; a list at the `top` of a file has a line for each of its tables."""
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
