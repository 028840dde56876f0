"""Compile errors of parts in one line: Numba's long messages in our words, with the line of the user's file.

Numba's message names what it could not type; the user's source shows what was meant. Both are read only after an error.
"""

import ast
import builtins
import difflib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
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


@dataclass
class Fault:
    """A compile error, with the source of the function that caused it."""

    text: str
    """Numba's message."""
    function: Any
    signature: Any
    """Numba's types of the arguments."""

    @cached_property
    def functions(self) -> Mapping[str, ast.FunctionDef]:
        """Functions of the file by name."""
        try:
            tree = ast.parse(Path(inspect.getfile(self.function)).read_bytes())
        except (OSError, SyntaxError, ValueError):  # the file is gone, or was changed since
            return {}
        return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    @property
    def own(self) -> ast.AST:
        """Source of the function itself."""
        return self.functions.get(self.function.__name__, ast.Module([], []))

    @property
    def line(self) -> int | None:
        """Innermost line of the user's file in the message."""
        name = re.escape(Path(inspect.getfile(self.function)).name)
        at = re.search(rf"{name}\"?(?:, line | \()(\d+)", self.text)
        return int(at[1]) if at else None

    def nodes(self, kind: Any) -> Iterator[Any]:
        """Yield the nodes of a kind in the source of the function, then of all others of the file."""
        for each in (self.own, *self.functions.values()):
            yield from (node for node in ast.walk(each) if isinstance(node, kind))

    def arguments(self) -> dict[str, Any]:
        """Return the types of the arguments by name."""
        return dict(zip(inspect.signature(self.function).parameters, self.signature.args, strict=False))


Reason = tuple[str, int | None]
"""A reason and its line; None for the line in Numba's message."""


def diagnosis(error: Exception, function: Any, signature: Any) -> tuple[str, int]:
    """Return the reason why a function does not compile for a signature, and its line in the function's file."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    if isinstance(error, KeyError):  # of a field, which Numba looks up unchecked
        text = f"Unknown attribute {error} of type"
    fault = Fault(text, function, signature)
    for pattern, explain in _PATTERNS:
        if (match := re.search(pattern, text, re.MULTILINE)) and (found := explain(fault, *match.groups())):
            reason, line = found
            break
    else:
        reason, line = _clearest_line(text), None
    return one_line(reason), line or fault.line or function.__code__.co_firstlineno


def one_line(text: str) -> str:
    """Shorten a message to one line."""
    text = re.sub(r"Record\(.*\)", "a record", " ".join(text.split()))
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _clearest_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["it is not what Numba can compile"]
    clear = (line for line in lines if not re.match(r"Failed in|During:|- |File |<source|\d+\)|>>>", line))
    return re.sub(r"\.+ Raised from .*", "", next(clear, lines[0]))


# --- names and fields -------------------------------------------------------------------------------------------------


def _no_name(fault: Fault, name: str) -> Reason:
    packages = [module for module in list(sys.modules) if re.fullmatch(r"kikashi\.\w+", module)]
    offered = {each: package for package in packages for each in getattr(sys.modules[package], "__all__", ())}
    if name == "np":
        advice = ": import numpy as np is missing"
    elif name in offered:
        advice = f": import it from {offered[name]}"
    else:
        function = fault.function
        advice = _guess(name, [*function.__globals__, *function.__code__.co_varnames, *offered, *dir(builtins)])
    line = next((node.lineno for node in fault.nodes(ast.Name) if node.id == name), None)
    return f"the name {name!r} is not defined{advice}", line


def _no_field(fault: Fault, name: str) -> Reason | None:
    """Explain a field that a record does not have; the source tells which record it is."""
    for node in fault.nodes(ast.Attribute):
        fields = _fields_of(node.value, fault) if node.attr == name else {}
        if fields and name not in fields:
            known = [each for each in fields if not each.startswith("_")]
            guess = _guess(name, known) or f"; there are {', '.join(known)}"
            return f"{ast.unparse(node.value)} has no field {name!r}{guess}", node.lineno
    return None


def _not_in_module(fault: Fault, message: str, name: str) -> Reason:
    return message, next((node.lineno for node in fault.nodes(ast.Attribute) if node.attr == name), None)


def _fields_of(node: ast.expr, fault: Fault, depth: int = 8) -> Mapping[str, Any]:
    """Return the fields of the record that an expression is; none if that cannot be known."""
    if depth and isinstance(node, ast.Attribute):
        return _inside(_fields_of(node.value, fault, depth - 1), node.attr)
    if not depth or not isinstance(node, ast.Name):
        return {}
    for each in ast.walk(fault.own):  # board = sim.board
        if isinstance(each, ast.Assign) and any(isinstance(to, ast.Name) and to.id == node.id for to in each.targets):
            return _fields_of(each.value, fault, depth - 1)
    arguments = fault.arguments()
    if node.id == "board" and node.id not in arguments:  # of a kernel of the user's own
        return _inside(_inside(arguments, "sim"), "board")
    return _inside(arguments, node.id)


def _inside(types_by_name: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the types of the fields of a record, by name; none if it is no record."""
    kind = types_by_name.get(name)
    return {key: field.type for key, field in kind.fields.items()} if isinstance(kind, types.Record) else {}


def _guess(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


# --- calls ------------------------------------------------------------------------------------------------------------


def _wrong_arguments(fault: Fault, *_: str) -> Reason | None:
    """Explain a call of a kernel of ours, as it is written and as it should be."""
    failed = re.findall(r"resolving callee type: type\(Kernel\(<function (\w+) ", fault.text)
    for call in fault.nodes(ast.Call):
        called = _called(call, fault)
        if not (call.lineno <= (fault.line or 0) <= call.end_lineno and isinstance(called, Dispatcher)):
            continue
        function = called.py_func
        if function.__name__ in failed and function.__module__.startswith("kikashi."):
            why = re.search(r"TypeError: ([^\"]*)", fault.text)
            wanted = ", ".join(map(_parameter, inspect.signature(function).parameters.values()))
            fits = f"{ast.unparse(call)} does not fit {function.__name__}({wanted})"
            return fits + (f": {why[1]}" if why else ""), call.lineno
        if function.__name__ in failed:
            return None
    return None


def _called(call: ast.Call, fault: Fault) -> Any:
    names = fault.function.__globals__
    if isinstance(call.func, ast.Name):
        return names.get(call.func.id)
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        return getattr(names.get(call.func.value.id), call.func.attr, None)
    return None


def _parameter(parameter: inspect.Parameter) -> str:
    kind = getattr(parameter.annotation, "__name__", parameter.annotation)
    return parameter.name if parameter.annotation is parameter.empty else f"{parameter.name}: {kind}"


def _no_operation(_: Fault, name: str, arguments: str) -> Reason:
    given = [_worded(each) for each in _split(arguments)]
    if name in ("getitem", "setitem", "static_getitem") and len(given) > 1:
        put = f", nor {given[2]} put there" if len(given) > 2 else ""
        return f"{given[0]} cannot be indexed with {given[1]}{put}", None
    if name in _OPERATORS:
        return f"{_OPERATORS[name]} does not work with {' and '.join(given)}", None
    return f"{name} does not work with {', '.join(given) or 'nothing'}", None


def _wrong_result(fault: Fault, given: str, wanted: str) -> Reason:
    line = next((node.lineno for node in ast.walk(fault.own) if isinstance(node, ast.Return) and node.value), None)
    return f"it returns {_worded(given)}, but must return {_worded(wanted)}", fault.line or line


def _wrong_parameters(fault: Fault, *_: str) -> Reason:
    given = ", ".join(inspect.signature(fault.function).parameters)
    return f"it is called with {len(fault.signature.args)} arguments, but takes ({given})", None


# --- Python outside of kernels ----------------------------------------------------------------------------------------


def _not_for_kernels(_: Fault, name: str, kind: str) -> Reason:
    if kind == "<class 'function'>":
        return f"{name} is a function of Python: put @kernel before it", None
    if kind.startswith("<class 'builtin"):
        return f"{name} is a function of Python alone, which kernels cannot call", None
    return f"{name} is a value of Python that kernels cannot use: a memory has cells for what a part remembers", None


def _captured(_: Fault, name: str) -> Reason:
    return f"a lambda or an inner function cannot use {name!r}: write its body where it is called", None


def _of_two_types(_: Fault, one: str, other: str, name: str) -> Reason:
    return f"{name.partition('.')[0]} is {_worded(one)} in one place and {_worded(other)} in another", None


def _mixed(_: Fault, items: str) -> Reason:
    return f"a list or tuple has items of several types: {', '.join(map(_worded, _split(items)))}", None


def _endless_recursion(fault: Fault, *_: str) -> Reason:
    called = re.search(r"recursive\(type\(Kernel\(<function (\w+) ", fault.text)
    return f"{called[1] if called else 'it'} calls itself, and there is no way to return without that", None


def _split(items: str) -> list[str]:
    """Split types at commas, but not inside brackets."""
    found, depth = [""], 0
    for letter in items:
        depth += (letter in "([<{") - (letter in ")]>}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [each.strip() for each in found if each.strip()]


_WORDS = {
    r"Literal\[str\]\((.*)\)$": "the text {!r}",
    r"Literal\[int\]\((.*)\)$": "the whole number {}",
    r"Literal\[bool\]|bool": "true or false",
    r"unicode": "a text",
    r"u?int": "a whole number",
    r"float": "a number",
    r"Record": "a record",
    r"nestedarray|array": "an array",
    r"list|reflected list|LiteralList": "a list",
    r"(?:Uni)?Tuple|Starargs": "a tuple",
    r"Dict": "a dictionary",
    r"none": "nothing",
    r"OptionalType|Optional|\?": "something or nothing",
}
"""Beginnings of Numba's types, and our words for them."""


def _worded(kind: str) -> str:
    matches = ((re.match(pattern, kind), words) for pattern, words in _WORDS.items())
    return next((words.format(*match.groups()) for match, words in matches if match), kind)


_PATTERNS: list[tuple[str, Callable[..., Reason | None]]] = [
    (r"NameError: name '(\w+)' is not defined", _no_name),
    (r"argument types given, but function takes", _wrong_parameters),
    (r"runaway recursion", _endless_recursion),
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
"""Patterns of Numba's messages, each with a function that explains it or returns None."""
