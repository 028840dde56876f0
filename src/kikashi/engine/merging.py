"""The table of a preset, in which several have a say: its base, the preset itself, and what a user sets.

A table may have sections, ``[from_size.13]``, with what is different on boards of 13x13 and more. They are merged over
the rest of it as a preset is merged over its base, those of smaller sizes first. What is said without a size holds on
every board: where a preset says what a section of its base says too, or a user sets it, the section says it then.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from kikashi.board.points import MAX_SIZE, MIN_SIZE
from kikashi.engine.overrides import Table, override, read_change, setting_at
from kikashi.search.kinds import preset_keys

FROM_SIZE = "from_size"
SIZES = {str(size): size for size in range(MIN_SIZE, MAX_SIZE + 1)}
OF_ALL_BOARDS = ("base", "source", "summary", FROM_SIZE)
"""What no section can say."""


def merged(base: Table, changes: Table) -> Table:
    """The table of a base with that of a preset over it. Raises ValueError if one has sections that are not right."""
    said = without(changes, [FROM_SIZE])
    by_size = {
        str(size): _over(section, {key: copy.deepcopy(value) for key, value in said.items() if key in section})
        for size, section in sections(base).items()
    }
    for size, section in sections(changes).items():
        by_size[str(size)] = _over(by_size.get(str(size), {}), section)
    return _over(base, said) | ({FROM_SIZE: by_size} if by_size else {})


def at_size(table: Table, size: int) -> Table:
    """The settings for boards of a size, in a table without sections. Raises ValueError if these are not right."""
    settings = without(table, [FROM_SIZE])
    for least, section in sections(table).items():
        if least <= size:
            settings = _over(settings, section)
    return settings


def sections(table: Table) -> dict[int, Table]:
    """What is different from a size on, the smallest first. Raises ValueError if that is not right."""
    said = table.get(FROM_SIZE, {})
    if not isinstance(said, dict):
        raise ValueError(f"{FROM_SIZE} has a table for a size, as in [{FROM_SIZE}.13], and is not {said!r}")
    for size, section in said.items():
        if size not in SIZES:
            raise ValueError(f"{FROM_SIZE}.{size}: the size of a board is from {MIN_SIZE} to {MAX_SIZE}")
        if not isinstance(section, dict):
            raise ValueError(f"{FROM_SIZE}.{size} is a table of settings, not {section!r}")
        if odd := [key for key in section if key in OF_ALL_BOARDS]:
            raise ValueError(f"{FROM_SIZE}.{size}: {odd[0]} cannot depend on the size of the board")
    return {SIZES[size]: said[size] for size in sorted(said, key=int)}


def without(table: Mapping[str, Any], keys: Iterable[str]) -> Table:
    """A table without some keys."""
    left_out = set(keys)
    return {key: value for key, value in table.items() if key not in left_out}


def _over(base: Table, changes: Table) -> Table:
    """A table with some entries changed; a table inside is changed likewise, unless it names another part."""
    changed = dict(base)
    for key, value in changes.items():
        known = base.get(key)
        if isinstance(known, str) and (key in ("feasibility", "zone") or key in preset_keys()):
            known = {"rule": known}
        if isinstance(known, dict) and isinstance(value, dict) and _part_in(value) in (None, _part_in(known)):
            value = known | value
        changed[key] = value
    return changed


def _part_in(spec: Any) -> Any:
    """The part that a table names, or that is named alone."""
    return spec.get("rule", spec.get("part")) if isinstance(spec, dict) else spec


def setting_for(table: Table, path: str, size: int) -> Any:
    """The value of a setting on boards of a size; with ``from_size.13`` before it, on those of 13x13. None if there is
    none."""
    least = _size_in(path)
    return setting_at(at_size(table, least or size), path.removeprefix(f"{FROM_SIZE}.{least}."))


# --- settings by text -------------------------------------------------------------------------------------------------


def change(table: Table, texts: Iterable[str]) -> None:
    """Change a preset's table in place by texts as `override` takes them. Raises ValueError.

    Those with a size come last, so that ``selection.x=1`` beside ``from_size.13.selection.x=2`` changes smaller boards.
    """
    for text in sorted(texts, key=lambda text: _size_in(read_change(text).path)):
        if _path(text)[0] == FROM_SIZE:
            _take_along(table, text)
            override(table, text)
        else:
            _change_everywhere(table, text)


def _path(text: str) -> list[str]:
    return read_change(text).path.split(".")


def _size_in(path: str) -> int:
    """The size that a setting is for; 0 if it is for all."""
    first, *rest = path.split(".")
    return SIZES.get(rest[0], 0) if first == FROM_SIZE and rest else 0


def _change_everywhere(table: Table, text: str) -> None:
    """Change a setting that holds on every board: also in the sections that have it."""
    concerned = {size: section for size, section in sections(table).items() if _has(section, _path(text), table)}
    override(table, text)
    for size, section in concerned.items():
        try:
            override(section, text)
        except ValueError as error:
            raise ValueError(f"{FROM_SIZE}.{size}: {error}") from None


def _has(section: Table, path: list[str], table: Table) -> bool:
    """Whether a section has a setting of its own. An item of a list is the same one only if it is the same part: a
    section's list may have others, in another order."""
    places = (".".join(path[: depth + 1]) for depth, key in enumerate(path) if key.isdecimal())
    alike = (_part_in(setting_at(section, place)) == _part_in(setting_at(table, place)) for place in places)
    return path[0] in section and all(alike)


def _take_along(table: Table, text: str) -> None:
    """Give a section the list that boards of its size have, if a text appends to it or changes an item: what is meant
    is that list with a change, and a list is merged as a whole."""
    _, *rest = _path(text)
    if len(rest) < 2 or rest[0] not in SIZES:
        return
    size, key, *_ = rest
    known = at_size(table, SIZES[size]).get(key)
    if isinstance(known, list) or (read_change(text).appends and known is not None):
        table.setdefault(FROM_SIZE, {}).setdefault(size, {}).setdefault(key, copy.deepcopy(known))
