"""Which kernels a function calls, read from its code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import CodeType, ModuleType
from typing import Any

from numba.core.dispatcher import Dispatcher


def python_of(function: Any) -> Any:
    """The Python function that was, or will be, compiled."""
    return getattr(function, "py_func", function)


def code_of(function: Any) -> CodeType:
    """Its code for Python."""
    code: CodeType = python_of(function).__code__
    return code


def reachable(functions: Iterable[Any]) -> Iterator[Any]:
    """The functions that compiling these needs: themselves, kernels named in their code, and in the code of those."""
    seen: set[int] = set()
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        python, names = python_of(function), code_of(function).co_names
        values = [python.__globals__.get(name) for name in names]
        values += [getattr(value, name, None) for value in values if isinstance(value, ModuleType) for name in names]
        waiting.extend(value for value in values if isinstance(value, Dispatcher))
