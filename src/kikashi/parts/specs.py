"""How a part is written in a list: ``name``, ``name(parameter=value)``, or a table ``{ part = "name", … }``."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

PartSpec = str | Mapping[str, Any]
PartWithValues = tuple[str, dict[str, Any]]


class PartError(ValueError):
    """A part that is unknown, misused or broken: one line that names it."""


def as_specs(listed: str | Sequence[PartSpec]) -> Sequence[PartSpec]:
    """The items of ``name,name(key=value,key=value)``, or of a list that is one already."""
    return re.split(r",(?![^(]*\))", listed) if isinstance(listed, str) else listed


def as_part(spec: PartSpec) -> PartWithValues:
    """Name and parameters of one part; a table says the name as ``part`` or ``rule``. Raises PartError."""
    if not isinstance(spec, str):
        values = dict(spec)
        name = values.pop("part", None) or values.pop("rule", None)
        if not isinstance(name, str):
            raise PartError(f"a part needs a name: {{ part = ... }}, not {dict(spec)!r}")
        return name, values
    match = re.fullmatch(r"\s*([A-Za-z_][\w-]*)\s*(?:\((.*)\))?\s*", spec)
    if match is None:
        raise PartError(f"{spec.strip()!r} is not a part: write name or name(parameter=value)")
    name, inside = match.groups()
    pairs = [_assignment(name, pair) for pair in (inside or "").split(",") if pair.strip()]
    if len(dict(pairs)) < len(pairs):
        raise PartError(f"{name}: a parameter is set twice in {spec.strip()!r}")
    return name, dict(pairs)


def _assignment(part: str, pair: str) -> tuple[str, Any]:
    key, equals, text = (each.strip() for each in pair.partition("="))
    if not equals or not key:
        raise PartError(f"{part}: {pair.strip()!r} is not parameter=value")
    if text.lower() in ("true", "false"):
        return key, text.lower() == "true"
    if re.fullmatch(r"[A-Za-z_][\w-]*", text) and text not in ("nan", "inf"):
        return key, text  # a word
    try:
        return key, ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise PartError(f"{part}: {pair.strip()!r} is not parameter=value") from None
