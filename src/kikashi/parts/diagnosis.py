"""Compile errors of parts in one line: Numba's long messages, in words of ours, with the line of the user's file.

Numba says what it could not type; the user's source says what was meant. Both are read only after compiling has failed.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numba import types
from numba.core.dispatcher import Dispatcher

LONGEST = 240
"""Characters of one line."""
_OPERATORS = {
    "add": "+", "iadd": "+=", "sub": "-", "isub": "-=", "mul": "*", "imul": "*=", "truediv": "/", "itruediv": "/=",
    "floordiv": "//", "ifloordiv": "//=", "mod": "%", "pow": "**", "and_": "&", "or_": "|", "xor": "^", "lt": "<",
    "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "neg": "-", "not_": "not", "contains": "in",
}  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """A compile error, with the source of the function that caused it."""

    text: str
    """Numba's message."""
    function: Any
    signature: Any
    """Types of Numba that the function was compiled for."""
    path: str = field(init=False)
    functions: Mapping[str, ast.FunctionDef] = field(init=False)
    """The functions of the file by name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", inspect.getfile(self.function))
        try:
            tree = ast.parse(Path(self.path).read_bytes())
        except (OSError, SyntaxError, ValueError):  # a file that is gone, or was changed since
            tree = ast.parse("")
        found = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        object.__setattr__(self, "functions", found)

    @property
    def own(self) -> ast.AST:
        """The function itself."""
        return self.functions.get(self.function.__name__, ast.Module([], []))

    @property
    def line(self) -> int | None:
        """The innermost line of the user's file that Numba tells; None if it tells none."""
        name = re.escape(Path(self.path).name)
        at = re.search(rf"{name}\"?(?:, line | \()(\d+)", self.text)
        return int(at[1]) if at else None

    def nodes(self) -> Iterator[Any]:
        """The source of the function, then of all others of the file."""
        for each in (self.own, *self.functions.values()):
            yield from ast.walk(each)


Told = tuple[str, int | None]
"""A reason and its line, None for the line that Numba tells."""


def diagnosis(error: Exception, function: Any, signature: Any) -> tuple[str, int]:
    """The reason why a function does not compile for a signature, and its line in the function's file."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    if isinstance(error, KeyError):  # of a field, which Numba looks up without asking whether there is one
        text = f"Unknown attribute {error} of type"
    fault = Fault(text, function, signature)
    for pattern, tell in _PATTERNS:
        if (match := re.search(pattern, text, re.MULTILINE)) and (told := tell(fault, *match.groups())):
            reason, line = told
            break
    else:
        reason, line = _telling_line(fault), None
    return one_line(reason), line or fault.line or function.__code__.co_firstlineno


def one_line(text: str) -> str:
    """A message of somebody else's, short enough for one line."""
    text = re.sub(r"Record\(.*\)", "a record", " ".join(text.split()))
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _telling_line(fault: Fault) -> str:
    """The line of Numba's message that says most."""
    lines = [line.strip() for line in fault.text.splitlines() if line.strip()] or ["it is not what Numba can compile"]
    telling = (line for line in lines if not re.match(r"Failed in|During:|- |File |<source|\d+\)|>>>", line))
    return re.sub(r"\.+ Raised from .*", "", next(telling, lines[0]))


# --- names and fields -------------------------------------------------------------------------------------------------


def _no_name(fault: Fault, name: str) -> Told:
    line = next((node.lineno for node in fault.nodes() if isinstance(node, ast.Name) and node.id == name), None)
    return f"the name {name!r} is not defined{_advice(fault, name)}", line


def _advice(fault: Fault, name: str) -> str:
    if name == "np":
        return ": import numpy as np is missing"
    packages = [module for module in list(sys.modules) if re.fullmatch(r"kikashi\.\w+", module)]
    offered = {each: package for package in packages for each in getattr(sys.modules[package], "__all__", ())}
    if name in offered:
        return f": import it from {offered[name]}"
    known = [*fault.function.__globals__, *fault.function.__code__.co_varnames, *offered, *dir(builtins)]
    return _guess(name, known)


def _no_field(fault: Fault, name: str) -> Told | None:
    """A field that a record does not have: which record it is, the source says."""
    for node in fault.nodes():
        if isinstance(node, ast.Attribute) and node.attr == name:
            fields = _fields_of(node.value, fault)
            if fields and name not in fields:
                known = [each for each in fields if not each.startswith("_")]
                guess = _guess(name, known) or f"; there are {', '.join(known)}"
                return f"{ast.unparse(node.value)} has no field {name!r}{guess}", node.lineno
    return None


def _not_in_module(fault: Fault, said: str, name: str) -> Told:
    used = (node for node in fault.nodes() if isinstance(node, ast.Attribute) and node.attr == name)
    return said, next((node.lineno for node in used), None)


def _fields_of(node: ast.expr, fault: Fault, depth: int = 8) -> Mapping[str, Any]:
    """The fields of the record that an expression is; none where that cannot be told."""
    if depth == 0:
        return {}
    if isinstance(node, ast.Attribute):
        found = _fields_of(node.value, fault, depth - 1).get(node.attr)
        return _inside(found.type) if found is not None else {}
    if not isinstance(node, ast.Name):
        return {}
    names = inspect.signature(fault.function).parameters
    arguments = dict(zip(names, fault.signature.args, strict=False))
    for each in ast.walk(fault.own):  # board = sim.board
        if isinstance(each, ast.Assign) and any(isinstance(to, ast.Name) and to.id == node.id for to in each.targets):
            return _fields_of(each.value, fault, depth - 1)
    if node.id == "board" and node.id not in arguments:  # of a kernel of the user's own
        return _inside(_inside(arguments.get("sim")).get("board", _NO_FIELD).type)
    return _inside(arguments.get(node.id))


@dataclass(frozen=True)
class _NoField:
    type: Any = None


_NO_FIELD = _NoField()


def _inside(kind: Any) -> Mapping[str, Any]:
    return kind.fields if isinstance(kind, types.Record) else {}


def _guess(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


# --- calls ------------------------------------------------------------------------------------------------------------


def _wrong_arguments(fault: Fault, *_: str) -> Told | None:
    """A call of a kernel of ours, as it is written and as it should be."""
    line = fault.line
    calls = [node for node in fault.nodes() if isinstance(node, ast.Call) and node.lineno <= (line or 0) <= _end(node)]
    failed = re.findall(r"resolving callee type: type\(Kernel\(<function (\w+) ", fault.text)
    for call in calls:
        called = _called(call, fault)
        if not isinstance(called, Dispatcher) or called.py_func.__name__ not in failed:
            continue
        if not called.py_func.__module__.startswith("kikashi."):
            return None
        why = re.search(r"TypeError: ([^\"]*)", fault.text)
        wanted = f"{called.py_func.__name__}({', '.join(map(_parameter, _parameters(called)))})"
        return f"{ast.unparse(call)} does not fit {wanted}" + (f": {why[1]}" if why else ""), call.lineno
    return None


def _called(call: ast.Call, fault: Fault) -> Any:
    names = fault.function.__globals__
    if isinstance(call.func, ast.Name):
        return names.get(call.func.id)
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        return getattr(names.get(call.func.value.id), call.func.attr, None)
    return None


def _parameters(called: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(called.py_func).parameters.values())


def _parameter(parameter: inspect.Parameter) -> str:
    said = parameter.annotation
    return parameter.name if said is parameter.empty else f"{parameter.name}: {said}"


def _end(node: ast.Call) -> int:
    return node.end_lineno or node.lineno


def _no_operation(_: Fault, name: str, arguments: str) -> Told:
    given = [_worded(each) for each in _split(arguments)]
    if name in ("getitem", "setitem", "static_getitem") and len(given) > 1:
        put = f", nor {given[2]} put there" if len(given) > 2 else ""
        return f"{given[0]} cannot be indexed with {given[1]}{put}", None
    if name in _OPERATORS:
        return f"{_OPERATORS[name]} does not work with {' and '.join(given)}", None
    return f"{name} does not work with {', '.join(given) or 'nothing'}", None


def _wrong_result(fault: Fault, given: str, wanted: str) -> Told:
    asked = "nothing" if wanted == "none" else _worded(wanted)
    node = next((node for node in ast.walk(fault.own) if isinstance(node, ast.Return) and node.value), None)
    return f"it returns {_worded(given)}, but must return {asked}", fault.line or (node.lineno if node else None)


def _wrong_parameters(fault: Fault, *_: str) -> Told:
    given = ", ".join(inspect.signature(fault.function).parameters)
    return f"it is called with {len(fault.signature.args)} arguments, but takes ({given})", None


# --- what kernels cannot do -------------------------------------------------------------------------------------------


def _not_for_kernels(_: Fault, name: str, what: str) -> Told:
    if what == "<class 'function'>":
        return f"{name} is a function of Python: put @kernel before it", None
    if what.startswith("<class 'builtin"):
        return f"{name} is a function of Python alone, which kernels cannot call", None
    return f"{name} is a value of Python that kernels cannot use: a memory has cells for what a part remembers", None


def _captured(_: Fault, name: str) -> Told:
    return f"a lambda or an inner function cannot use {name!r}: write its body where it is called", None


def _of_two_types(_: Fault, one: str, other: str, name: str) -> Told:
    return f"{name.partition('.')[0]} is {_worded(one)} in one place and {_worded(other)} in another", None


def _mixed(_: Fault, items: str) -> Told:
    return f"a list or tuple has items of several types: {', '.join(_worded(each) for each in _split(items))}", None


def _runaway(fault: Fault, *_: str) -> Told:
    called = re.search(r"recursive\(type\(Kernel\(<function (\w+) ", fault.text)
    return f"{called[1] if called else 'it'} calls itself, and there is no way to return without that", None


def _split(items: str) -> list[str]:
    """Types between commas, but not those inside of brackets."""
    found, depth = [""], 0
    for letter in items:
        depth += (letter in "([<{") - (letter in ")]>}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [each.strip() for each in found if each.strip()]


_WORDS = [
    (r"Literal\[str\]\((.*)\)$", lambda text: f"the text {text!r}"),
    (r"Literal\[int\]\((.*)\)$", lambda number: f"the whole number {number}"),
    (r"Literal\[bool\]|bool", lambda: "true or false"),
    (r"unicode", lambda: "a text"),
    (r"u?int", lambda: "a whole number"),
    (r"float", lambda: "a number"),
    (r"Record", lambda: "a record"),
    (r"nestedarray|array", lambda: "an array"),
    (r"list|reflected list|LiteralList", lambda: "a list"),
    (r"(?:Uni)?Tuple|Starargs", lambda: "a tuple"),
    (r"Dict", lambda: "a dictionary"),
    (r"none", lambda: "nothing"),
    (r"OptionalType|Optional|\?", lambda: "something or nothing"),
]
"""How types of Numba begin, and what they are called here."""


def _worded(kind: str) -> str:
    for pattern, tell in _WORDS:
        if match := re.match(pattern, kind):
            return str(tell(*match.groups()))  # type: ignore[operator]
    return kind


_PATTERNS: list[tuple[str, Callable[..., Told | None]]] = [
    (r"NameError: name '(\w+)' is not defined", _no_name),
    (r"argument types given, but function takes", _wrong_parameters),
    (r"runaway recursion", _runaway),
    (r"resolving callee type: type\(Kernel\(", _wrong_arguments),
    (r"Unknown attribute '(\w+)' of type", _no_field),
    (r"(module '.*' has no attribute '(\w+)')", _not_in_module),
    (r"Cannot resolve setattr: .*\)\.(\w+) = ", _no_field),
    (r"No conversion from (.*) to (\S+) for '\$\d+return", _wrong_result),
    (r"Untyped global name '(\w+)': (?:Cannot determine Numba type of )?(.*)", _not_for_kernels),
    (r"variable '(\w+)' in a function that may escape", _captured),
    (r"Cannot unify (.*) and (.*) for '([^']+)'", _of_two_types),
    (r"LiteralList\(\((.*)\)\)\)$", _mixed),
    (r"getiter with parameters \(Tuple\((.*)\)\)$", _mixed),
    (r">>> (\w+)\((.*)\)$", _no_operation),
]
"""What Numba says, and how it is told; None of a function that has nothing to say."""
