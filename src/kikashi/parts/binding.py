"""Bound parts: a part with the values of its parameters, checked."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from kikashi.files import digest_of
from kikashi.parts.models import SUFFIX, content_of, find_file
from kikashi.parts.registry import (
    QUOTED,
    Kind,
    Parameter,
    Part,
    PartError,
    find,
)

PROSE = ("base", "source", "summary")
"""Keys of a preset that are no settings."""
PLUGINS = "plugins"
"""The setting of a preset that names plugins."""
REMOVED = {
    "mercy": 0,
    "even_value": "half",
    "statistic rave: reach": 0,
    "statistic rave: steps": 1,
    "selection rave: widening": 0,
    "selection rave: widening_factor": 1.4,
}
"""Settings of version 0.2 that are gone, with their defaults, which journals and presets may still name."""


@dataclass(frozen=True)
class BoundPart:
    """A part with the values of its parameters: ``last_good_reply(context=2)``."""

    part: Part
    values: Mapping[str, Parameter] = field(default_factory=dict)

    def __str__(self) -> str:
        changed = [f"{k}={v}" for k, v in self.values.items() if v != self.part.all_parameters[k]]
        return self.part.name + (f"({', '.join(changed)})" if changed else "")

    def own_value(self, parameter: str) -> bool | int | float:
        """Return the value in the part's record: for a word, its place among the words."""
        value = self.values[parameter]
        return self.part.words_of(parameter).index(value) if isinstance(value, str) else value

    def bound_memories(self) -> Iterator[tuple[str, "BoundPart"]]:
        """Yield the memories that the part reads, with their aliases and values."""
        for alias, part, fixed in self.part.memories_read():
            values = {key: self.values[key] for key in part.all_parameters if key in self.values}
            yield alias, bind(part.kind, part.name, values | fixed)

    def parts_of_models(self) -> list["BoundPart"]:
        """Return the parts that its models call, on any board. Raises ValueError for a bad file."""
        found: dict[str, BoundPart] = {}
        for parameter, model in self.part.models.items():
            found |= {str(each): each for each in model.parts(str(self.values[parameter]))}
        return list(found.values())


def bind(kind: Kind, name: str, values: Mapping[str, Any] | None = None, also: Iterable[str] = ()) -> BoundPart:
    """Return a part by name with some parameters set. Raises PartError for a wrong name, parameter or value."""
    part = find(kind, name, also)
    _refuse_circles(part)
    chosen = dict(part.all_parameters)
    for key, value in (values or {}).items():
        if is_removed(f"{kind} {name}: {key}", value):
            continue
        if key not in chosen:
            raise PartError(f"{part} has no parameter {key!r}; it has {', '.join(chosen) or 'none'}")
        chosen[key] = _checked(part, key, value, type(chosen[key]))
    if missing := [key for key in part.models if not chosen[key]]:
        raise PartError(f"{part} needs {missing[0]}, {part.models[missing[0]].wanted}: its name ends in {SUFFIX}")
    return BoundPart(part, chosen)


def is_removed(setting: str, value: object) -> bool:
    """Return whether a setting of version 0.2 is gone. Raises PartError if its value is not its old default."""
    if setting in REMOVED and value != REMOVED[setting]:
        raise PartError(f"{setting} was removed: leave it out; only its default, {REMOVED[setting]}, is still read")
    return setting in REMOVED


def _refuse_circles(part: Part, *readers: Part) -> None:
    if part in readers:
        raise PartError(f"{part} reads itself by way of {', '.join(map(str, readers[readers.index(part) + 1 :]))}")
    for _, read, _ in part.memories_read():
        _refuse_circles(read, *readers, part)


def _checked(part: Part, key: str, value: Any, wanted: type) -> Parameter:
    """Return a value for a parameter. Raises PartError if it cannot have it."""
    if key in part.models:
        model = part.models[key]
        if not isinstance(value, str) or (value not in model.names and not value.endswith(SUFFIX)):
            raise PartError(f"{part}: {key} must be {model.wanted}, not {value!r}: its name ends in {SUFFIX}")
        return value
    if words := part.words_of(key):
        if value not in words:
            raise PartError(f"{part}: {key} must be {' or '.join(words)}, not {value!r}")
        return str(value)
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise PartError(f"{part}: {key}={value} is too large a number")
    if wanted is float and type(value) is int:
        value = float(value)
    if not isinstance(value, bool | int | float) or type(value) is not wanted:
        described = {bool: "true or false", int: "a whole number", float: "a number"}
        raise PartError(f"{part}: {key} must be {described[wanted]}, not {value!r}")
    low, high = part.limits_of(key)
    if not low <= value <= high:
        raise PartError(f"{part}: {key} must be {_range(low, high)}, not {value!r}")
    return value


def _range(low: float, high: float) -> str:
    if -low == high == math.inf:  # it is not a number
        return "a number"
    if math.inf in (-low, high):
        return f"{low:g} or more" if high == math.inf else f"{high:g} or less"
    return f"{low:g} to {high:g}"


# --- files in settings ------------------------------------------------------------------------------------------------


def with_other_weights(settings: Any, other: Callable[[str], str]) -> Any:
    """Return the settings of a preset with other paths of weights, in tables and in texts of parts.

    >>> with_other_weights({"playout": ["capture", "roulette(weights='w.npz')"]}, lambda path: f"/mine/{path}")
    {'playout': ['capture', "roulette(weights='/mine/w.npz')"]}
    """
    if isinstance(settings, Mapping):
        return {k: value if k in PROSE else with_other_weights(value, other) for k, value in settings.items()}
    if isinstance(settings, list):
        return [with_other_weights(value, other) for value in settings]
    if not isinstance(settings, str):
        return settings
    if settings.endswith(SUFFIX):
        return other(settings)
    return QUOTED.sub(
        lambda found: repr(other(path)) if (path := found[0][1:-1]).endswith(SUFFIX) else found[0], settings
    )


def identity_of(settings: Any, plugins: Iterable[str | Path] = ()) -> str:
    """Return the identity of a player: a hash of its settings and of all files that these name, and of its plugins.

    The names of the files do not count, only their content: weights, other arrays, and plugins. Raises OSError.
    """
    named = [*plugins]
    if isinstance(settings, Mapping):
        named += settings.get(PLUGINS, [])
        settings = {key: value for key, value in settings.items() if key not in (*PROSE, PLUGINS)}
    settings = with_other_weights(settings, lambda path: digest_of(content_of(find_file(path))))
    digests = sorted({digest_of(Path(path).read_bytes()) for path in named})
    return digest_of(msgspec.json.encode([settings, digests], order="sorted"))
