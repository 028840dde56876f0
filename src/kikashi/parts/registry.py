"""Parts and their kinds: compiled functions with a name and parameters, registered by a decorator.

A kind says once what its parts are called with; wiring, presets, docs and errors read it there. It is the decorator of
its parts: ``heuristic = Kind("heuristic", …)``, then ``@heuristic(weight=1.0)``. Registering costs nothing; a part is
compiled when it is first used. Its parameters, and where its memories and statistics are, are the fields of a small
record of its own, which it gets as ``my``: other parameters never mean compiling again.
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
if TYPE_CHECKING:  # a kind of one's own need not say what its parts are called with
    from typing_extensions import TypeVar as TypeVarWithDefault

    First = TypeVarWithDefault("First", bound=Function, default=Function, contravariant=True)
else:
    First = TypeVar("First")
Limits = Mapping[str, tuple[float, float]]
Fields = list[tuple[Any, ...]]

LISTED_BY = "python -m kikashi.engine.catalogue"
"""The command that lists the parts."""
My: TypeAlias = Annotated[Any, "my"]
"""The record of its own that a part gets as its last argument."""
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
    """A kind of parts, and the decorator that registers one. Raises PartError if another one has its name.

    Keywords of the decorator: `source` (the paper), `limits` (by parameter: smallest and largest), `memories`,
    `statistics` and `models` (what the part reads), the kind's own `options`, and parameters with their defaults. A
    parameter whose default is a tuple of words takes one of these, the first if nothing is said; the part sees its
    place in the tuple. A model is a parameter too: the path of a file, whose arrays the part reads.
    """

    name: str
    """Also the key of a preset and the field of the record that the search reads."""
    title: str
    """Over its table in docs/parts.md."""
    entries: Sequence[Entry]
    """The first is the decorated function; ``@part.NAME`` adds the others."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What its decorator takes besides, with defaults; ... where it must be given."""
    own_fields: Fields = field(default_factory=list)
    """Further fields of ``my``."""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """What every part of the kind has besides its own parameters, with defaults; whoever calls it reads them."""
    limits: Limits = field(default_factory=dict)
    """Of these parameters."""
    required: bool | None = None
    """Of a rule that the loop of a search calls at a place of its own: whether a preset must name one."""
    contract: str = ""
    """What its parts must keep to."""

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
        """The function of this name that parts of the kind may have."""
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
    """By parameter: the words it may be."""
    source: str
    limits: Limits
    """By parameter: the smallest and the largest value it may have."""
    memories: Mapping[str, str]
    """By the name it calls it: a memory it reads, with parameters that are settled, as in ``replies(context=2)``."""
    statistics: tuple[str, ...]
    """Statistics of nodes that it reads or writes."""
    models: Mapping[str, Model]
    """Models by the parameter that names their file."""
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
        """The decorated function."""
        return self.functions[self.kind.entries[0].name]

    @property
    def name(self) -> str:
        """That of the decorated function."""
        return self.function.__name__

    @property
    def file(self) -> str:
        """Where it is defined."""
        return inspect.getfile(self.function)

    @property
    def line(self) -> int:
        """The line of its file where it begins."""
        return int(self.function.__code__.co_firstlineno)

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return (inspect.getdoc(self.function) or "").split("\n\n")[0].replace("\n", " ")

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"

    @property
    def columns(self) -> tuple[str, ...]:
        """What it reads or writes for each node: the statistics it names, and its own if its kind gives it a `row`."""
        return (*self.statistics, self.name) if "row" in self.options else self.statistics

    def memories_read(self) -> Iterator[tuple[str, Part, dict[str, Any]]]:
        """The memories it reads: what it calls each, the memory, and the parameters that are settled."""
        for alias, spec in self.memories.items():
            name, settled = as_part(spec)
            yield alias, find(KINDS["memory"], name, beside=self.file), settled

    @property
    def all_parameters(self) -> dict[str, Parameter]:
        """The parameters that a user of the part may set, with their defaults: those of its memories among them."""
        inherited: dict[str, Parameter] = {}
        for _, part, settled in self.memories_read():
            inherited |= {key: value for key, value in part.all_parameters.items() if key not in settled}
        return {**inherited, **self.parameters, **self.kind.parameters}

    def limits_of(self, parameter: str) -> tuple[float, float]:
        """The smallest and the largest value of a parameter, of its own or of a memory."""
        if parameter in self.kind.limits:
            return self.kind.limits[parameter]
        for part in self._owners(parameter):
            if parameter in part.limits:
                return part.limits[parameter]
        return -math.inf, math.inf

    def words_of(self, parameter: str) -> tuple[str, ...]:
        """The words that a parameter, of its own or of a memory, may be; none if it is a number."""
        return next((part.words[parameter] for part in self._owners(parameter) if parameter in part.words), ())

    def _owners(self, parameter: str) -> Iterator[Part]:
        if parameter in self.parameters:
            yield self
        for _, part, settled in self.memories_read():
            if parameter not in settled:
                yield from part._owners(parameter)

    def own_dtype(self) -> np.dtype[np.void]:
        """The type of the record that the part gets as ``my``."""
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
"""By name of a module that a plugin is, or has imported: the plugin's file."""


@contextmanager
def preferring(files: Sequence[str]) -> Iterator[None]:
    """Inside the ``with`` parts of these files come before those of the same name in other files of users."""
    token = _PREFERRED.set(tuple(files))
    try:
        yield
    finally:
        _PREFERRED.reset(token)


def preferred_files() -> tuple[str, ...]:
    """The files whose parts come first."""
    return _PREFERRED.get() or ()


def register(part: Part) -> Part:
    """Make a part known under its name. Raises PartError if the name is taken by another file or something is odd.

    Inside `preferring`, files of users that are not preferred do not take names.
    """
    for name, value in part.parameters.items():
        if name in part.words:
            if not part.words[name] or not all(isinstance(word, str) for word in part.words[name]):
                raise PartError(f"{part}: parameter {name!r} must be one of some words, not of {part.words[name]!r}")
        elif name not in part.models and type(value) not in (bool, int, float):
            raise PartError(f"{part}: parameter {name!r} must be a bool, an int, a float or words, not {value!r}")
    taken = [name for name in (*part.memories, *part.statistics) if name in part.parameters]
    if taken:
        raise PartError(f"{part}: {taken[0]!r} is both a parameter and something it reads")
    if shared := [name for name in part.parameters if name in part.kind.parameters]:
        raise PartError(f"{part}: every {part.kind} has a parameter {shared[0]!r}; it may have none of its own")
    if inspect.isgeneratorfunction(part.function):
        raise PartError(
            f"{part} in {part.file}, line {part.line}: it must not yield; a heuristic calls add(moves, point, weight)"
        )
    key = (part.kind.name, part.name)
    rivals = [file for file, known in _REGISTRY.get(key, {}).items() if file != part.file and _takes_names(known)]
    if part.name in ("uniform", "pass") or rivals:
        raise PartError(f"{part} in {part.file}: the name is taken" + (f" by {rivals[0]}" if rivals else ""))
    _REGISTRY.setdefault(key, {})[part.file] = part
    return part


def _takes_names(part: Part) -> bool:
    preferred = _PREFERRED.get()
    return preferred is None or part.file in preferred or part.function.__module__.startswith("kikashi.")


def add_package(name: str) -> None:
    """Have the parts of a package of ours known without being asked for."""
    _PACKAGES.append(name)


def all_parts(kind: Kind) -> list[Part]:
    """The registered parts of a kind, by name.

    >>> from kikashi.playout import feasibility
    >>> "eyelike" in [part.name for part in all_parts(feasibility)]
    True
    """
    _import_packages()
    found = [_chosen(known) or next(iter(known.values())) for (of, _), known in _REGISTRY.items() if of == kind.name]
    return sorted(found, key=lambda part: part.name)


def find(kind: Kind, name: str, also: Iterable[str] = (), *, beside: str = "") -> Part:
    """The part of this kind and name, that of the file `beside` if it has one.

    Raises PartError with the names there are and those that were allowed `also`, or if several files have it.
    """
    _import_packages()
    known = _REGISTRY.get((kind.name, name), {})
    part = _chosen(known, beside)
    if part is not None:
        return part
    if known:
        raise PartError(f"{kind} {name!r} is in {' and in '.join(known)}: name only one of them as a plugin")
    names = [*also, *(part.name for part in all_parts(kind))]
    there = f"{nearest(name, names, LISTED_BY)}; or is it in a plugin? (--plugin FILE)"
    raise PartError(f"no {kind} is called {name!r}; {there}")


def _chosen(known: Mapping[str, Part], beside: str = "") -> Part | None:
    """Of parts that only their files tell apart the one that is meant; None if there are none, or nothing says it."""
    for file in (beside, *(_PREFERRED.get() or ())):
        if file in known:
            return known[file]
    return next(iter(known.values())) if len(known) == 1 else None


def _import_packages() -> None:
    """Import all modules of the packages that have parts; they register themselves."""
    while _PACKAGES:
        package = importlib.import_module(_PACKAGES.pop())
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


# --- parts as text ----------------------------------------------------------------------------------------------------


def as_specs(listed: str | Sequence[PartSpec]) -> Sequence[PartSpec]:
    """The items of ``name,name(key=value,key=value)``, or of a list that is one already."""
    return _split(listed, r",(?![^(]*\))") if isinstance(listed, str) else listed


def _split(text: str, comma: str) -> list[str]:
    """Split a text where a pattern finds a comma, but not inside quotes: a path may have one."""
    plain = QUOTED.sub(lambda found: "_" * len(found[0]), text)
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
