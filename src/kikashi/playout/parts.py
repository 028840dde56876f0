"""Parts: compiled functions with a name and parameters, registered by a decorator and composed at run time.

Registering costs nothing. A part is compiled when a policy first uses it. Its parameters and the places of its memories
are the fields of a small record of its own, which it gets as ``my``: other parameters never mean compiling again.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import math
import pkgutil
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

import numba
import numpy as np
from numba import types

from kikashi.compiling import native_address
from kikashi.playout.candidates import CANDIDATES
from kikashi.playout.loop import BLOCK
from kikashi.playout.simulation import SIMULATION

Value = bool | int | float
Function = Callable[..., Any]
Scope = Literal["search", "playout"]

BUILTIN = ("kikashi.playout.feasible", "kikashi.playout.heuristics", "kikashi.search.parts")
"""Modules and packages whose parts are there without being asked for."""


class PartError(ValueError):
    """A part that is unknown, misused or broken: one line that names it."""


@dataclass(kw_only=True, eq=False)
class Part:
    """A registered function: what all kinds of parts have."""

    kind: ClassVar[str]
    function: Function
    parameters: dict[str, Value]
    source: str = ""
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By parameter: the smallest and the largest value it may have."""

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def file(self) -> str:
        return inspect.getfile(self.function)

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        return (inspect.getdoc(self.function) or "").split("\n\n")[0].replace("\n", " ")

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r}"

    def own_dtype(self) -> np.dtype[np.void]:
        """The type of the record that the part gets as ``my``."""
        kinds = {bool: "?", int: "i8", float: "f8"}
        fields: list[tuple[Any, ...]] = [(name, kinds[type(value)]) for name, value in self.all_parameters.items()]
        return np.dtype(fields + self._further_fields() or [("_", "i8")], align=True)

    def _further_fields(self) -> list[tuple[Any, ...]]:
        return []

    @property
    def all_limits(self) -> Mapping[str, tuple[float, float]]:
        """The limits of `all_parameters`."""
        return self.limits

    @property
    def all_parameters(self) -> dict[str, Value]:
        """The parameters that a user of the part may set, with their defaults: a heuristic's memories' among them."""
        return self.parameters

    def address(self, function: Function | None, returns: Any, *arguments: Any) -> int:
        """Where the compiled function is; 0 for None. Raises PartError if it does not compile."""
        return 0 if function is None else _address(self, function, returns, arguments)


@dataclass(kw_only=True, eq=False)
class Heuristic(Part):
    """Proposes moves: ``propose(sim, moves, my)``; with ``@name.review``, also ``review(sim, moves, point, my)``."""

    kind: ClassVar[str] = "heuristic"
    memories: tuple[str, ...] = ()
    reviewer: Function | None = None

    def review(self, function: Function) -> Function:
        """Decorates the function that is asked about every drawn move: it returns the move, another, or REDRAW."""
        self.reviewer = function
        return function

    def _further_fields(self) -> list[tuple[Any, ...]]:
        return [(name, BLOCK) for name in self.memories]

    @property
    def all_parameters(self) -> dict[str, Value]:
        inherited = {name: value for memory in self.memories for name, value in find(Memory, memory).parameters.items()}
        return inherited | self.parameters

    @property
    def all_limits(self) -> Mapping[str, tuple[float, float]]:
        inherited = {name: pair for memory in self.memories for name, pair in find(Memory, memory).limits.items()}
        return {**inherited, **self.limits}

    @property
    def propose_address(self) -> int:
        return self.address(self.function, types.none, _SIMULATION, _CANDIDATES)

    @property
    def review_address(self) -> int:
        return self.address(self.reviewer, types.int64, _SIMULATION, _CANDIDATES, types.int64)


@dataclass(kw_only=True, eq=False)
class Memory(Part):
    """Integers that heuristics read and ``learn(sim, my)`` writes when a simulation is over.

    Optional: ``@name.observe`` (``(sim, my)``, after every move, tree moves too) and ``@name.inherit``
    (``(sim, parent, my) -> slot``, when a node of the tree is born; `parent` is -1 for the root).
    """

    kind: ClassVar[str] = "memory"
    size: int | Callable[[Mapping[str, Value]], int]
    scope: Scope = "search"
    observer: Function | None = None
    inheritor: Function | None = None

    def observe(self, function: Function) -> Function:
        """Decorates the function that sees every move."""
        self.observer = function
        return function

    def inherit(self, function: Function) -> Function:
        """Decorates the function that gives a new node its slot."""
        self.inheritor = function
        return function

    def length(self, parameters: Mapping[str, Value]) -> int:
        """How many integers it wants."""
        return int(self.size(parameters) if callable(self.size) else self.size)

    def _further_fields(self) -> list[tuple[Any, ...]]:
        return [("cells", BLOCK), ("slot", "i8")]

    @property
    def learn_address(self) -> int:
        return self.address(self.function, types.none, _SIMULATION)

    @property
    def observe_address(self) -> int:
        return self.address(self.observer, types.none, _SIMULATION)

    @property
    def inherit_address(self) -> int:
        return self.address(self.inheritor, types.int64, _SIMULATION, types.int64)


@dataclass(kw_only=True, eq=False)
class Feasibility(Part):
    """Says whether a point is worth playing: ``rule(sim, point, my) -> bool``, for the side to play.

    With `surrounded_only` it promises to refuse only points that own stones and walls surround, and is asked about no
    others.
    """

    kind: ClassVar[str] = "feasibility"
    surrounded_only: bool = False

    @property
    def rule_address(self) -> int:
        return self.address(self.function, types.boolean, _SIMULATION, types.int64)


_SIMULATION = numba.from_dtype(SIMULATION)
_CANDIDATES = numba.from_dtype(CANDIDATES)


# --- registering -----------------------------------------------------------------------------------------------------

AnyPart = TypeVar("AnyPart", bound=Part)
Limits = Mapping[str, tuple[float, float]]
NO_LIMITS: Limits = {}
_REGISTRY: dict[tuple[type[Part], str], Part] = {}
_LOADED: dict[Path, bytes] = {}
"""Plugins, as they were when they were run."""


def heuristic(
    *,
    memories: tuple[str, ...] | list[str] = (),
    source: str = "",
    limits: Limits = NO_LIMITS,
    **parameters: Value,
) -> Any:
    """Decorates a heuristic. `memories` are names of memories it reads; other keywords are its parameters' defaults."""
    named = tuple(memories)
    return lambda f: register(
        Heuristic(function=f, memories=named, source=source, limits=limits, parameters=parameters)
    )


def memory(
    *,
    cells: int | Callable[[Mapping[str, Value]], int],
    scope: Scope = "search",
    source: str = "",
    limits: Limits = NO_LIMITS,
    **parameters: Value,
) -> Any:
    """Decorates the ``learn`` function of a memory of `cells` integers (a number, or a function of the parameters).

    Scope "search" is shared by all threads and cleared for each search; "playout" is a thread's own and cleared before
    each simulation.
    """
    return lambda f: register(
        Memory(function=f, size=cells, scope=scope, source=source, limits=limits, parameters=parameters)
    )


def feasibility(*, surrounded_only: bool = False, source: str = "", **parameters: Value) -> Any:
    """Decorates a feasibility rule."""
    return lambda f: register(
        Feasibility(function=f, surrounded_only=surrounded_only, source=source, parameters=parameters)
    )


def register(part: AnyPart) -> AnyPart:
    """Make a part known under its name. Raises PartError if the name is taken by another file or a default is odd."""
    for name, value in part.parameters.items():
        if type(value) not in (bool, int, float):
            raise PartError(f"{part}: parameter {name!r} must be a bool, an int or a float, not {value!r}")
    if inspect.isgeneratorfunction(part.function):
        raise PartError(f"{part} in {part.file}: it must not yield; a heuristic calls add(moves, point, weight)")
    key = (type(part), part.name)
    known = _REGISTRY.get(key)
    if part.name in ("uniform", "pass") or (known is not None and known.file != part.file):
        raise PartError(f"{part} in {part.file}: the name is taken" + (f" by {known.file}" if known else ""))
    _REGISTRY[key] = part
    return part


def all_parts(kind: type[AnyPart]) -> list[AnyPart]:
    """The registered parts of a kind, by name."""
    _import_builtin()
    return sorted((part for part in _REGISTRY.values() if isinstance(part, kind)), key=lambda part: part.name)


def find(kind: type[AnyPart], name: str, also: Iterable[str] = ()) -> AnyPart:
    """The part of this kind and name. Raises PartError with the names there are, and those that were allowed `also`."""
    _import_builtin()
    part = _REGISTRY.get((kind, name))
    if isinstance(part, kind):
        return part
    names = [*also, *(part.name for part in all_parts(kind))]
    close = difflib.get_close_matches(name, names, 1)
    guess = f"did you mean {close[0]}? " if close else ""
    raise PartError(f"no {kind.kind} is called {name!r}; {guess}there are {', '.join(names)}")


@cache
def _import_builtin() -> None:
    for name in BUILTIN:
        module = importlib.import_module(name)
        for submodule in pkgutil.iter_modules(getattr(module, "__path__", ())):
            importlib.import_module(f"{name}.{submodule.name}")


def load_plugin(path: str | Path) -> None:
    """Run a Python file that registers parts, unless that was done already. Raises PartError if it cannot be run."""
    file = Path(path)
    if not file.is_file():
        raise PartError(f"plugin {file}: no such file")
    text = file.read_bytes()
    if _LOADED.get(file.resolve()) == text:
        return
    name = f"kikashi_plugin_{file.stem}_{zlib.crc32(str(file.resolve()).encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, file.resolve())
    if spec is None or spec.loader is None:
        raise PartError(f"plugin {file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # Numba's cache looks for the module by its name
    try:
        spec.loader.exec_module(module)
    except PartError:
        raise
    except (Exception, SystemExit) as error:
        raise PartError(f"plugin {file}: {type(error).__name__}: {_one_line(str(error))}") from error
    _LOADED[file.resolve()] = text


# --- compiling -------------------------------------------------------------------------------------------------------


@cache
def _address(part: Part, function: Function, returns: Any, arguments: tuple[Any, ...]) -> int:
    try:
        return native_address(function, returns(*arguments, numba.from_dtype(part.own_dtype())))
    except Exception as error:  # Numba lets KeyError and others out for what it cannot type
        raise PartError(f"{part} in {part.file} does not compile: {_reason(error, function)}") from error


def _reason(error: Exception, function: Function) -> str:
    """The telling line of Numba's long message, with the line of the part's file where it gives one."""
    if isinstance(error, KeyError):
        return f"there is no field {error}"
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()] or [type(error).__name__]
    telling = (line for line in lines if not re.match(r"Failed in|During:|- |File |<source|\d+\)|>>>", line))
    at = re.search(rf"{re.escape(Path(inspect.getfile(function)).name)}[^\n]*line (\d+)", text)
    return _one_line(next(telling, lines[0])) + (f" (line {at[1]})" if at else "")


def _one_line(text: str) -> str:
    text = re.sub(r"Record\(.*\)", "a record", " ".join(text.split()))
    return text if len(text) <= 200 else text[:197] + "..."


# --- parts in use ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Use:
    """A part with the values of its parameters: ``last_good_reply(context=2)``."""

    part: Part
    values: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        changed = [f"{k}={v}" for k, v in self.values.items() if v != self.part.all_parameters[k]]
        return self.part.name + (f"({', '.join(changed)})" if changed else "")


def use(kind: type[Part], name: str, values: Mapping[str, Any] | None = None, also: Iterable[str] = ()) -> Use:
    """A part by name with some parameters set. Raises PartError for an unknown name, parameter or type of value."""
    part = find(kind, name, also)
    chosen = dict(part.all_parameters)
    for key, value in (values or {}).items():
        if key not in chosen:
            raise PartError(f"{part} has no parameter {key!r}; it has {', '.join(chosen) or 'none'}")
        wanted = type(chosen[key])
        if type(value) is int and not -(2**63) <= value < 2**63:
            raise PartError(f"{part}: {key}={value} is too large a number")
        if wanted is float and type(value) is int:
            value = float(value)
        if type(value) is not wanted:
            raise PartError(f"{part}: {key} must be {_a(wanted)}, not {value!r}")
        low, high = part.all_limits.get(key, (-math.inf, math.inf))
        if not low <= value <= high:
            raise PartError(f"{part}: {key} must be {_range(low, high)}, not {value!r}")
        chosen[key] = value
    return Use(part, chosen)


def _range(low: float, high: float) -> str:
    if math.inf in (-low, high):
        return f"{low:g} or more" if high == math.inf else f"{high:g} or less"
    return f"{low:g} to {high:g}"


def _a(kind: type) -> str:
    return {bool: "true or false", int: "a whole number", float: "a number"}[kind]
