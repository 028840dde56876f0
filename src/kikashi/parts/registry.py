"""Parts and their kinds: compiled functions with a name and parameters, registered by a decorator.

A kind has the signatures of its parts; wiring, presets, docs and errors read them there. It is the decorator of its
parts: ``heuristic = Kind("heuristic", …)``, then ``@heuristic(weight=1.0)``. Registering costs nothing; a part is
compiled when it is first used. It gets a small record as ``my``, with its parameters and the places of its memories and
statistics: other parameters never mean compiling again.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeAlias, TypeVar, get_args

import numba
import numpy as np
from numba import types

from kikashi.parts.blocks import BLOCK
from kikashi.parts.models import Model
from kikashi.wording import nearest

PartSpec = str | Mapping[str, Any]
PartWithValues = tuple[str, dict[str, Any]]
Parameter = bool | int | float | str
Function = Callable[..., Any]
if TYPE_CHECKING:  # a plugin's kind need not name the type of its functions
    from typing_extensions import TypeVar as TypeVarWithDefault

    First = TypeVarWithDefault("First", bound=Function, default=Function, contravariant=True)
else:
    First = TypeVar("First")
Limits = Mapping[str, tuple[float, float]]
Fields = list[tuple[Any, ...]]

LISTED_BY = "python -m kikashi.engine.catalogue"
"""Command that lists the parts."""
My: TypeAlias = Annotated[Any, "my"]
"""Last argument of a part: the record of its own."""
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


class PartError(ValueError):
    """A part that is unknown, misused or broken: one line that names it."""


@dataclass(frozen=True)
class Entry:
    """A function that parts of a kind may have.

    >>> str(Entry("weigh", Callable[[Annotated[int, "point"], My], Annotated[float, "weight"]], "at every move"))
    'weigh(point, my) -> weight'
    """

    name: str
    signature: Any
    """Type of the function, for type checkers as well: a Callable that ends with `My`. Arguments and result are
    Annotated with a name and, if they are records, with their NumPy type."""
    called: str
    """When it is called, in words."""
    moment: str = ""
    """Moment at which a search calls it; empty if the loop has a call of its own for it."""

    def __str__(self) -> str:
        arguments, result = get_args(self.signature)
        names = ", ".join(get_args(each)[1] for each in arguments)
        return f"{self.name}({names})" + (f" -> {get_args(result)[1]}" if get_args(result) else "")

    def types(self, own: np.dtype[np.void]) -> Any:
        """Return the signature for Numba, with the type of the part's own record."""
        arguments, result = get_args(self.signature)
        returned = _numba_type(result) if get_args(result) else types.none
        return returned(*map(_numba_type, arguments[:-1]), numba.from_dtype(own))


def _numba_type(annotated: Any) -> Any:
    plain, _, *record = get_args(annotated)
    return numba.from_dtype(np.dtype(record[0] if record else plain))


@dataclass(eq=False)
class Kind(Generic[First]):
    """A kind of parts, and the decorator that registers one. Raises PartError if another kind has its name.

    Keywords of the decorator: `source` (the paper), `limits` (smallest and largest value by parameter), `memories`,
    `statistics` and `models` (which the part reads), the kind's own `options`, and parameters with their defaults. A
    parameter whose default is a tuple of words takes one of them, by default the first; the part sees its place in the
    tuple. A model is a parameter too: the path of a file, whose arrays the part reads.
    """

    name: str
    """Also the key of a preset and the field of the record that the search reads."""
    title: str
    """Heading of its table in docs/parts.md."""
    entries: Sequence[Entry]
    """The first is the decorated function; ``@part.NAME`` adds the others."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Keywords of its own for the decorator, with defaults; ``...`` for one that must be given."""
    own_fields: Fields = field(default_factory=list)
    """Further fields of ``my``."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """Parameters of every part of the kind, with defaults, for the caller."""
    limits: Limits = field(default_factory=dict)
    required: bool | None = None
    """Of a rule that the loop of a search calls at a place of its own: whether a preset must name one."""
    contract: str = ""
    """Rules for its parts, in words."""

    def __post_init__(self) -> None:
        if KINDS.setdefault(self.name, self)._definition != self._definition:
            raise PartError(f"kind {self.name!r}: the name is taken by another kind, {KINDS[self.name].title}")

    @property
    def _definition(self) -> tuple[object, ...]:
        """Values that are equal if two kinds of one name are the same, as in copies of one file."""
        return tuple(self.entries), self.options, self.own_fields, self.parameters, self.limits, self.required

    def __call__(
        self,
        function: Function | None = None,
        /,
        *,
        source: str = "",
        limits: Mapping[str, tuple[float, float]] | None = None,
        memories: Sequence[str] | Mapping[str, str] = (),
        statistics: Sequence[str] = (),
        models: Mapping[str, Model] | None = None,
        **keywords: Any,
    ) -> Callable[[First], Part]:
        if function is not None:
            raise TypeError(f"{self.name} needs parentheses: @{self.name}(…) before a function")
        options = {key: keywords.pop(key, default) for key, default in self.options.items()}
        if missing := [key for key, value in options.items() if value is ...]:
            raise TypeError(f"@{self.name} needs {missing[0]}=")
        named = dict(memories) if isinstance(memories, Mapping) else {name: name for name in memories}
        files = {name: model.default for name, model in (models or {}).items()}
        words = {key: value for key, value in keywords.items() if isinstance(value, tuple)}
        parameters = {key: value[0] if key in words and value else value for key, value in keywords.items()}

        def decorate(function: First) -> Part:
            return register(
                Part(
                    kind=self,
                    functions={self.entries[0].name: function},
                    parameters=files | parameters,
                    words=words,
                    source=source,
                    limits=dict(limits or {}),
                    memories=named,
                    statistics=tuple(statistics),
                    models=dict(models or {}),
                    options=options,
                )
            )

        return decorate

    def __str__(self) -> str:
        return self.name

    def entry(self, name: str) -> Entry | None:
        """Return the entry of a name, if parts of the kind may have it."""
        return next((entry for entry in self.entries if entry.name == name), None)


KINDS: dict[str, Kind[Any]] = {}
"""All kinds by name."""


@dataclass(kw_only=True, eq=False)
class Part:
    """A registered part. ``@part.NAME`` adds a further function that its kind allows, such as ``@part.review``."""

    kind: Kind[Any]
    functions: dict[str, Function]
    parameters: dict[str, Parameter]
    words: Mapping[str, tuple[str, ...]]
    """By parameter: its possible values."""
    source: str
    limits: Limits
    """By parameter: its smallest and largest value."""
    memories: Mapping[str, str]
    """By alias: a memory that it reads, with fixed parameters, as in ``replies(context=2)``."""
    statistics: tuple[str, ...]
    """Statistics of nodes that it reads or writes."""
    models: Mapping[str, Model]
    """By the parameter that names the file."""
    options: Mapping[str, Any]

    def __getattr__(self, name: str) -> Callable[[Function], Function]:
        if name.startswith("_") or self.kind.entry(name) is None:
            raise AttributeError(f"a {self.kind} has no {name!r}")

        def add(function: Function) -> Function:
            self.functions[name] = function
            return function

        return add

    @property
    def function(self) -> Function:
        """Decorated function."""
        return self.functions[self.kind.entries[0].name]

    @property
    def name(self) -> str:
        """Name of the decorated function."""
        return self.function.__name__

    @property
    def file(self) -> str:
        """Path of its file."""
        return inspect.getfile(self.function)

    @property
    def line(self) -> int:
        """First line in its file."""
        return int(self.function.__code__.co_firstlineno)

    @property
    def summary(self) -> str:
        """First paragraph of the docstring."""
        return (inspect.getdoc(self.function) or "").split("\n\n")[0].replace("\n", " ")

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Statistics that it reads or writes, its own among them if its kind has a `row`."""
        return (*self.statistics, self.name) if "row" in self.options else self.statistics

    def memories_read(self) -> Iterator[tuple[str, Part, dict[str, Any]]]:
        """Yield the alias of each memory that it reads, the memory, and its fixed parameters."""
        for alias, spec in self.memories.items():
            name, fixed = as_part(spec)
            yield alias, find(KINDS["memory"], name, beside=self.file), fixed

    @property
    def all_parameters(self) -> dict[str, Parameter]:
        """Parameters with their defaults, those of its memories among them."""
        inherited: dict[str, Parameter] = {}
        for _, part, fixed in self.memories_read():
            inherited |= {key: value for key, value in part.all_parameters.items() if key not in fixed}
        return {**inherited, **self.parameters, **self.kind.parameters}

    def limits_of(self, parameter: str) -> tuple[float, float]:
        """Return the smallest and the largest value of a parameter, of its own or of a memory."""
        known = [self.kind.limits, *(part.limits for part in self._owners(parameter))]
        return next((limits[parameter] for limits in known if parameter in limits), (-math.inf, math.inf))

    def words_of(self, parameter: str) -> tuple[str, ...]:
        """Return the possible words of a parameter, of its own or of a memory; none if it is a number."""
        return next((part.words[parameter] for part in self._owners(parameter) if parameter in part.words), ())

    def _owners(self, parameter: str) -> Iterator[Part]:
        if parameter in self.parameters:
            yield self
        for _, part, fixed in self.memories_read():
            if parameter not in fixed:
                yield from part._owners(parameter)

    def own_dtype(self) -> np.dtype[np.void]:
        """Return the type of the record that the part gets as ``my``."""
        codes = {bool: "?", int: "i8", float: "f8", str: "i8"}
        # A first field of its own: Numba would take a record that begins like another one's for a kind of that one.
        fields: list[tuple[Any, ...]] = [(f"_{self.kind}_{self.name}", "i8")]
        numbers = {name: value for name, value in self.all_parameters.items() if name not in self.models}
        fields += [(name, codes[type(value)]) for name, value in numbers.items()]
        fields += [(name, model.dtype) for name, model in self.models.items()]
        fields += [(name, BLOCK) for name in (*self.memories, *self.columns)]
        return np.dtype(fields + self.kind.own_fields, align=True)


# --- registering -----------------------------------------------------------------------------------------------------

_REGISTRY: dict[tuple[str, str], dict[str, Part]] = {}
"""By kind and name, then by file: plugins of players who meet in a match may use the same name."""
_PREFERRED: ContextVar[tuple[str, ...] | None] = ContextVar("preferred", default=None)
_PACKAGES: list[str] = []
BROUGHT_BY: dict[str, str] = {}
"""File of a plugin, by the names of its module and of those that it has imported."""


@contextmanager
def preferring(files: Sequence[str]) -> Iterator[None]:
    """Prefer parts of these files to those of the same name in other files of users, inside the ``with``."""
    token = _PREFERRED.set(tuple(files))
    try:
        yield
    finally:
        _PREFERRED.reset(token)


def preferred_files() -> tuple[str, ...]:
    """Return the files whose parts come first."""
    return _PREFERRED.get() or ()


def register(part: Part) -> Part:
    """Make a part known under its name. Raises PartError if another file has the name or a parameter is wrong.

    Inside `preferring`, only the package and preferred files count as other files.
    """
    for name, value in part.parameters.items():
        if name in part.words:
            if not part.words[name] or not all(isinstance(word, str) for word in part.words[name]):
                raise PartError(f"{part}: parameter {name!r} must be one of some words, not of {part.words[name]!r}")
        elif name not in part.models and type(value) not in (bool, int, float):
            raise PartError(f"{part}: parameter {name!r} must be a bool, an int, a float or words, not {value!r}")
    if taken := [name for name in (*part.memories, *part.statistics) if name in part.parameters]:
        raise PartError(f"{part}: {taken[0]!r} is both a parameter and something it reads")
    if shared := [name for name in part.parameters if name in part.kind.parameters]:
        raise PartError(f"{part}: every {part.kind} has a parameter {shared[0]!r}; it may have none of its own")
    if inspect.isgeneratorfunction(part.function):
        raise PartError(
            f"{part} in {part.file}, line {part.line}: it must not yield; a heuristic calls add(moves, point, weight)"
        )
    known, preferred = _REGISTRY.setdefault((part.kind.name, part.name), {}), _PREFERRED.get()
    for other in known.values():
        counts = preferred is None or other.file in preferred or other.function.__module__.startswith("kikashi.")
        if counts and other.file != part.file:
            raise PartError(f"{part} in {part.file}: the name is taken by {other.file}")
    if part.name in ("uniform", "pass"):
        raise PartError(f"{part} in {part.file}: the name is taken")
    known[part.file] = part
    return part


def add_package(name: str) -> None:
    """Let a package of ours be imported when parts are looked for."""
    _PACKAGES.append(name)


def all_parts(kind: Kind) -> list[Part]:
    """Return the registered parts of a kind, sorted by name.

    >>> from kikashi.playout import feasibility
    >>> "eyelike" in [part.name for part in all_parts(feasibility)]
    True
    """
    _import_packages()
    of_kind = [known for (of, _), known in _REGISTRY.items() if of == kind.name and known]
    found = [_chosen(known) or next(iter(known.values())) for known in of_kind]
    return sorted(found, key=lambda part: part.name)


def find(kind: Kind, name: str, also: Iterable[str] = (), *, beside: str = "") -> Part:
    """Return the part of this kind and name, that of the file `beside` if it has one.

    Raises PartError with near names, those in `also` among them, or if several files have it.
    """
    _import_packages()
    known = _REGISTRY.get((kind.name, name), {})
    if (part := _chosen(known, beside)) is not None:
        return part
    if known:
        raise PartError(f"{kind} {name!r} is in {' and in '.join(known)}: name only one of them as a plugin")
    names = [*also, *(part.name for part in all_parts(kind))]
    there = f"{nearest(name, names, LISTED_BY)}; or is it in a plugin? (--plugin FILE)"
    raise PartError(f"no {kind} is called {name!r}; {there}")


def _chosen(known: Mapping[str, Part], beside: str = "") -> Part | None:
    """Return one of the parts of one name by its file; None if there is none, or no file is preferred."""
    for file in (beside, *(_PREFERRED.get() or ())):
        if file in known:
            return known[file]
    return next(iter(known.values())) if len(known) == 1 else None


def _import_packages() -> None:
    """Import all modules that register parts."""
    while _PACKAGES:
        package = importlib.import_module(_PACKAGES.pop())
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


# --- parts as text ----------------------------------------------------------------------------------------------------


def as_specs(listed: str | Sequence[PartSpec]) -> Sequence[PartSpec]:
    """Return the items of ``name,name(key=value,key=value)``, or of a list as they are."""
    return _split(listed, r",(?![^(]*\))") if isinstance(listed, str) else listed


def _split(text: str, comma: str) -> list[str]:
    """Split a text where a pattern matches a comma, but not inside quotes."""
    plain = QUOTED.sub(lambda found: "_" * len(found[0]), text)
    commas = [found.start() for found in re.finditer(comma, plain)]
    return [text[begin + 1 : end] for begin, end in zip([-1, *commas], [*commas, len(text)], strict=True)]


def as_part(spec: PartSpec) -> PartWithValues:
    """Return name and parameters of a part; a table has the name as ``part`` or ``rule``. Raises PartError."""
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
