"""How a part is written in a list: ``name``, ``name(parameter=value)``, or a table ``{ part = "name", … }``."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PartSpec = str | Mapping[str, Any]
PartWithValues = tuple[str, dict[str, Any]]
WEIGHTS = ".npz"
"""How the name of a file of weights ends."""
PROSE = ("base", "source", "summary")
"""What a preset says besides settings."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


class PartError(ValueError):
    """A part that is unknown, misused or broken: one line that names it."""


def as_specs(listed: str | Sequence[PartSpec]) -> Sequence[PartSpec]:
    """The items of ``name,name(key=value,key=value)``, or of a list that is one already."""
    return _split(listed, r",(?![^(]*\))") if isinstance(listed, str) else listed


def _split(text: str, comma: str) -> list[str]:
    """Split a text where a pattern finds a comma, but not inside quotes: a path may have one."""
    plain = _QUOTED.sub(lambda found: "_" * len(found[0]), text)
    commas = [found.start() for found in re.finditer(comma, plain)]
    return [text[begin + 1 : end] for begin, end in zip([-1, *commas], [*commas, len(text)], strict=True)]


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
    pairs = [_assignment(name, pair) for pair in _split(inside or "", ",") if pair.strip()]
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


def with_other_weights(settings: Any, other: Callable[[str], str]) -> Any:
    """Settings of a preset in which the files of weights have other paths, in tables and in texts of parts.

    >>> with_other_weights({"playout": ["capture", "roulette(weights='w.npz')"]}, lambda path: f"/mine/{path}")
    {'playout': ['capture', "roulette(weights='/mine/w.npz')"]}
    """
    if isinstance(settings, Mapping):
        return {k: value if k in PROSE else with_other_weights(value, other) for k, value in settings.items()}
    if isinstance(settings, list):
        return [with_other_weights(value, other) for value in settings]
    if not isinstance(settings, str):
        return settings
    if settings.endswith(WEIGHTS):
        return other(settings)
    return _QUOTED.sub(
        lambda found: repr(other(path)) if (path := found[0][1:-1]).endswith(WEIGHTS) else found[0], settings
    )
